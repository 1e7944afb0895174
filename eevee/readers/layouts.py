"""Which layout a grid has, and the table of measurements that it gives."""

from __future__ import annotations

from dataclasses import replace

from eevee.readers.aliases import find_alias
from eevee.readers.grid import Grid, without_row_numbers
from eevee.readers.headers import read_header, tidy_headers, without_unit_row
from eevee.readers.long import looks_long, read_long
from eevee.readers.marks import tidy_cells
from eevee.readers.measured import Measured, Options
from eevee.readers.overrides import apply_overrides, without_columns
from eevee.readers.sideways import lies_sideways, turned
from eevee.readers.wide import Owner, has_two_header_rows, join_header_rows, read_wide


def read_layout(grid: Grid, options: Options, wanted: frozenset[str]) -> Measured:
    """Read a grid in the layout that the options name, or that it seems to have.

    Parameters
    ----------
    grid : Grid
    options : Options
    wanted : frozenset of str
        Columns that are scores whatever their names suggest.
    """
    return apply_overrides(_read(grid, options, wanted), options)


def _read(grid: Grid, options: Options, wanted: frozenset[str]) -> Measured:
    named = options.model_column is not None or find_alias(grid, "benchmark") is not None
    if options.layout == "transposed":
        grid = turned(grid, told=True)
    grid = without_unit_row(without_row_numbers(grid, named))
    layout = options.layout if options.layout != "auto" else guess_layout(grid, options)
    if layout == "transposed" and options.layout == "auto":
        grid = turned(grid)
    owners: dict[str, Owner] | None = None
    if layout == "two-header-rows":
        grid, pairs = join_header_rows(grid)
        grid = tidy_headers(grid)
        bare = [(read_header(b).name, read_header(m).name) for b, m in pairs]
        owners = dict(zip(grid.header, bare, strict=True))
    grid = tidy_cells(without_columns(tidy_headers(grid), options.drop_columns), options.missing)
    if layout == "long":
        return read_long(grid, options)
    found = read_wide(grid, options, wanted, owners)
    turn = ", transposed" if layout == "transposed" else ""
    return replace(found, layout=found.layout + turn)


def guess_layout(grid: Grid, options: Options) -> str:
    """Tell a grid's layout from its header, its second row, and the options."""
    if looks_long(grid, options):
        return "long"
    if has_two_header_rows(grid):
        return "two-header-rows"
    return "transposed" if lies_sideways(grid, options) else "wide"
