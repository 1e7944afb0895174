"""Tables that lie on their side: benchmarks down, models across."""

from __future__ import annotations

from dataclasses import replace

from eevee.base.errors import EeveeError
from eevee.readers.directions import DIRECTION_NAMES, read_direction
from eevee.readers.grid import Grid
from eevee.readers.headers import read_header
from eevee.readers.measured import Options
from eevee.readers.role_names import is_count, named_role
from eevee.tables.column_names import flat
from eevee.tables.results_table import Note

_FIRST = ("metric", "metrics", "benchmark", "benchmarks", "dataset", "datasets", "task", "tasks",
          "eval", "evals", "evaluation", "benchmark name", "test", "tests")  # fmt: skip
_METRIC = ("metric", "metrics", "measure", "metric name")
LEAST = 4
"""Columns that must be left as models; else the file is no table of scores on its side."""


def lies_sideways(grid: Grid, options: Options) -> bool:
    """Tell whether the first column names benchmarks, by its header.

    Examples
    --------
    >>> grid = Grid("x.csv", ("Benchmark", "m1", "m2", "m3", "m4"), (("a", *"1234"),), (2,))
    >>> lies_sideways(grid, Options())
    True
    """
    return options.model_column is None and flat(grid.header[0]) in _FIRST


def turned(grid: Grid, *, told: bool = False) -> Grid:
    """Turn a table that lies on its side: one row per model.

    Metrics beside the benchmarks become a part of their names, directions are read; other
    columns of text or counts beside them are left out.

    Parameters
    ----------
    grid : Grid
    told : bool
        Whether the user says so: then it is done without a note.

    Raises
    ------
    EeveeError
        If fewer than four models are left.

    Examples
    --------
    >>> rows = (("a", "acc", *"1234"), ("b", "loss", *"4312"))
    >>> found = turned(Grid("x.csv", ("Benchmark", "Metric", *"wxyz"), rows, (2, 3)))
    >>> found.header, found.rows[0]
    (('Benchmark', 'a.acc', 'b.loss'), ('w', '1', '4'))
    """
    directions: dict[str, str] = {}
    names = [read_header(name).name for name in grid.column(0)]
    beside, notes = [], []
    for j in range(1, grid.width):
        header = flat(grid.header[j])
        if header in _METRIC:
            pairs = zip(names, grid.column(j), strict=True)
            names = [f"{name}.{metric}" if metric else name for name, metric in pairs]
        elif header in DIRECTION_NAMES:
            for i, cell in enumerate(grid.column(j)):
                where = f"{grid.source}: row {grid.lines[i]}, {grid.label(j)}"
                way = read_direction(header, cell, where)
                directions |= {} if way is None else {names[i]: way}
        elif grid.is_text(j) or named_role(grid.header[j]) or is_count(grid.header[j]):
            why = "describes the benchmarks, which are rows: left out"
            notes.append(Note("ignored", "column", grid.header[j], why))
        else:
            continue
        beside.append(j)
    models = [j for j in range(grid.width) if j not in beside]
    if len(models) - 1 < LEAST:
        raise EeveeError(
            f"{grid.source}: the first column is {grid.header[0]!r}: models seem to be columns, "
            f"and there are fewer than {LEAST}; transpose the file, one row per model (or name the "
            "column of models: model_column, --model-column)"
        )
    said = {read_header(cell).name: read_header(cell).direction for cell in grid.column(0)}
    found = grid.take(models).transposed()
    note = Note("converted", "file", grid.source, "benchmarks are rows: turned, one row per model")
    kept = {name: direction for name, direction in said.items() if direction}
    return replace(found, header=(grid.header[0], *names), directions={**kept, **directions}).noted(
        *([] if told else [note]), *notes
    )
