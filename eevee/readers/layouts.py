"""Which layout a grid has, and the table of measurements that it gives."""

from __future__ import annotations

from eevee.readers.grid import Grid, without_row_numbers
from eevee.readers.long import find_alias, looks_long, read_long
from eevee.readers.measured import Measured, Options
from eevee.readers.wide import has_two_header_rows, join_header_rows, read_wide


def read_layout(grid: Grid, options: Options, wanted: frozenset[str]) -> Measured:
    """Read a grid in the layout that the options name, or that it seems to have.

    Parameters
    ----------
    grid : Grid
    options : Options
    wanted : frozenset of str
        Columns that are scores whatever their names suggest.
    """
    named = options.model_column is not None or find_alias(grid, "benchmark") is not None
    grid = without_row_numbers(grid, named)
    layout = options.layout if options.layout != "auto" else guess_layout(grid, options)
    if layout == "long":
        return read_long(grid, options)
    if layout == "two-header-rows":
        joined, owners = join_header_rows(grid)
        return read_wide(joined, options, wanted, owners)
    return read_wide(grid, options, wanted)


def guess_layout(grid: Grid, options: Options) -> str:
    """Tell a grid's layout from its header, its second row, and the options."""
    if looks_long(grid, options):
        return "long"
    return "two-header-rows" if has_two_header_rows(grid) else "wide"
