"""Names from outside as names of files, which no name leads out of its folder."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Devices on Windows, with any suffix."""


def file_name(name: str, *, longest: int = 200) -> str:
    """Return a name as one part of a path: letters, digits and ``._+-`` stay.

    Names that are too long (in bytes) end in a hash; those of devices get a ``_``.

    Examples
    --------
    >>> file_name("meta/Llama 2"), file_name("../x; touch y"), file_name("数据"), file_name("con")
    ('meta_Llama_2', '_._x__touch_y', '数据', '_con')
    """
    plain = re.sub(r"[^\w.+-]", "_", unicodedata.normalize("NFC", name))
    return _fit(re.sub(r"^[.-]", "_", plain), name, longest, "-")


def identifier(name: str, *, longest: int = 64) -> str:
    """Return a name as a name of a file and part of an identifier: ASCII letters, digits, ``_``.

    Examples
    --------
    >>> identifier("../v1.5 big"), identifier("数据"), identifier("NUL")
    ('v1_5_big', '', '_NUL')
    """
    return _fit(re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_"), name, longest, "_")


def _fit(plain: str, name: str, longest: int, joint: str) -> str:
    if _RESERVED.fullmatch(plain):
        plain = f"_{plain}"
    if len(plain.encode()) <= longest:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return plain.encode()[: longest - 13].decode(errors="ignore") + joint + digest
