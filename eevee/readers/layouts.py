"""Which layout a grid has, and the table of measurements that it gives."""

from __future__ import annotations

from dataclasses import replace

from eevee.readers.aliases import find_alias
from eevee.readers.grid import Grid, without_row_numbers
from eevee.readers.headers import read_header, tidy_headers, without_unit_row
from eevee.readers.long import looks_long, read_long
from eevee.readers.marks import tidy_cells
from eevee.readers.measured import Measured, Options, unique
from eevee.readers.overrides import apply_overrides, without_columns, without_missing
from eevee.readers.sideways import lies_sideways, refuse_costs, turned
from eevee.readers.wide import (
    Owner,
    are_groups,
    has_two_header_rows,
    join_header_rows,
    read_wide,
)
from eevee.tables.results_table import Note


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
    refuse_costs(grid, options)
    named = options.model_column is not None or find_alias(grid, "benchmark") is not None
    if options.layout == "transposed":
        grid = turned(grid, told=True)
    grid = without_unit_row(without_row_numbers(grid, named))
    layout = options.layout if options.layout != "auto" else guess_layout(grid, options)
    if layout == "transposed" and options.layout == "auto":
        grid = turned(grid)
    owners: dict[str, Owner] | None = None
    tasks: dict[str, str] = {}
    if layout == "two-header-rows":
        grid, pairs = join_header_rows(grid)
        if options.layout == "auto" and are_groups(pairs):
            grid = tidy_headers(replace(grid, header=(grid.header[0], *(m for _, m in pairs[1:]))))
            tasks = {name: b for name, (b, _) in zip(grid.header, pairs, strict=True) if b}
            layout = "wide"
    if layout == "two-header-rows":
        grid = tidy_headers(grid)
        bare = [(read_header(b).name, read_header(m).name) for b, m in pairs]
        owners = dict(zip(grid.header, bare, strict=True))
    grid = without_columns(tidy_headers(grid), options.drop_columns)
    strict = not options.one_of_several
    grid = tidy_cells(*without_missing(grid, options.missing, strict=strict))
    if layout == "long":
        return read_long(grid, options)
    found = read_wide(grid, options, wanted, owners)
    if tasks:
        said = (
            f"the row above the header names groups ({', '.join(unique(list(tasks.values()))[:3])})"
        )
        note = Note("guessed", "file", grid.source, f"{said}: read as tasks")
        kept = {name: tasks[name] for name in found.benchmarks if name in tasks}
        found = replace(found, tasks=kept).noted(note)
    turn = ", transposed" if layout == "transposed" else ""
    return replace(found, layout=found.layout + turn)


def guess_layout(grid: Grid, options: Options) -> str:
    """Tell a grid's layout from its header, its second row, and the options."""
    if looks_long(grid, options):
        return "long"
    if has_two_header_rows(grid):
        return "two-header-rows"
    return "transposed" if lies_sideways(grid, options) else "wide"
