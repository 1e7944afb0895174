"""Reader of CSV and TSV files, in every layout."""

from __future__ import annotations

import os

from eevee.readers.layouts import read_layout
from eevee.readers.measured import Measured, Options
from eevee.readers.text import read_grid


def sniff(source: object) -> bool:
    """Tell whether a source is the path of something that is not a folder."""
    return isinstance(source, str | os.PathLike) and not os.path.isdir(source)


def read(source: str | os.PathLike[str], options: Options, wanted: frozenset[str]) -> Measured:
    """Read a delimited text file (see `eevee.read_table`)."""
    return read_layout(read_grid(source, options.max_mb), options, wanted)
