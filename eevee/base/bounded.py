"""Reading bytes from anywhere with a bound on how many: of a file, and of what it unpacks to."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from pathlib import Path

from eevee.base.errors import EeveeError

MAX_MB = 100.0
"""Megabytes that a table may have, unpacked, where the user says nothing else."""
MOST_MB = 1e6
"""Megabytes that may be allowed: more fit no machine."""
CELLS_PER_MB = 100_000
"""Cells that a megabyte may hold: a table of short cells takes memory by their number."""


class TooLarge(EeveeError):
    """More than was allowed."""


def read_bytes(path: Path, most: int) -> bytes:
    """Read a file; of a device or an endless pipe no more than it takes to refuse it.

    Raises
    ------
    TooLarge
        If there are more bytes than `most`; of a plain file none is read then.
    OSError
    """
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        if stat.S_ISREG(about.st_mode) and about.st_size > most:
            raise TooLarge
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLarge
    return content


def gunzip(packed: bytes, most: int) -> bytes:
    """Unpack gzip, in pieces, to at most so many bytes.

    Raises
    ------
    TooLarge
    ValueError
        If it is damaged.

    Examples
    --------
    >>> gunzip(gzip.compress(b"abc"), 3)
    b'abc'
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            content = file.read(most + 1)
    except (OSError, EOFError, zlib.error):
        raise ValueError("damaged") from None
    if len(content) > most:
        raise TooLarge
    return content
