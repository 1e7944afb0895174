"""Names that hold what no one sees, or that look like one another: a note for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

from eevee.base.visible import is_hidden, visible
from eevee.tables.results_table import Note

_TWINS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041a\u041c"
    "\u041d\u041e\u0420\u0421\u0422\u0425\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d"
    "\u039f\u03a1\u03a4\u03a5\u03a7\u03bf",
    "aeopcyxijsABEKMHOPCTXABEZHIKMNOPTYXo",
)
"""Cyrillic and Greek letters that print as Latin ones."""
_SHOWN = 3

Kind = Literal["column", "benchmark", "model"]


def look_of(name: str) -> str:
    r"""Return what is seen of a name; names of one look cannot be told apart.

    Examples
    --------
    >>> look_of("mm\u200blu") == look_of("mmlu"), look_of("cafe\u0301") == look_of("caf\u00e9")
    (True, True)
    >>> look_of("MMLU") == look_of("mmlu")
    False
    """
    if name.isascii():
        return " ".join(name.split())
    seen = "".join(letter for letter in name if not is_hidden(letter))
    return " ".join(unicodedata.normalize("NFC", seen).translate(_TWINS).split())


def note_looks(kind: Kind, names: Sequence[str]) -> list[Note]:
    """Return notes of names with hidden characters, and of names that look like an earlier one."""
    first: dict[str, str] = {}
    notes = []
    for name in names:
        hidden = sorted({letter for letter in name if is_hidden(letter)})
        other = first.setdefault(look_of(name), name)
        if other != name:
            why = (
                f"looks like {visible(other)!r} and is another ({name!a}, not "
                f"{other!a}): if they are one, write them alike"
            )
            notes.append(Note("guessed", kind, name, why))
        elif hidden:
            some = ", ".join(f"U+{ord(letter):04X}" for letter in hidden[:_SHOWN])
            more = ", ..." * (len(hidden) > _SHOWN)
            why = f"holds characters that are not shown ({some}{more}), as part of its name"
            notes.append(Note("guessed", kind, name, why))
    return notes
