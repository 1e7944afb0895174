"""Reader of DataFrames: index = models, in every layout that a file can have."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pandas as pd

from eevee.readers.grid import frame_to_grid, without_row_numbers
from eevee.readers.layouts import read_layout
from eevee.readers.measured import Measured, Options


def sniff(source: object) -> bool:
    """Tell whether a source is a DataFrame."""
    return isinstance(source, pd.DataFrame)


def read(source: pd.DataFrame, options: Options, wanted: frozenset[str]) -> Measured:
    """Read a DataFrame (see `eevee.read_table`)."""
    sha256 = hashlib.sha256(source.to_csv().encode(errors="surrogatepass")).hexdigest()
    grid = frame_to_grid(source, "DataFrame", sha256)
    # A plain index is no finding: leave it out without the note that a file would get.
    named = options.model_column is not None
    return read_layout(replace(without_row_numbers(grid, named), notes=()), options, wanted)
