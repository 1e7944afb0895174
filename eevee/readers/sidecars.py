"""Files beside the scores: what is known about benchmarks and about models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from eevee.base.bounded import MAX_MB
from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.aliases import plain
from eevee.readers.cells import is_missing
from eevee.readers.directions import DIRECTION_NAMES, read_direction
from eevee.readers.grid import Grid, frame_to_grid, without_row_numbers
from eevee.readers.measured import Measured, Options, check_name
from eevee.readers.roles import read_role
from eevee.readers.text import read_grid
from eevee.readers.wide import model_columns, model_keys, named_here
from eevee.tables.bounds import bounds_in_words, parse_bounds
from eevee.tables.results_table import Note

Source = str | os.PathLike[str] | pd.DataFrame

_KEYS = ("column", "benchmark", "dataset", "name")
_FIELDS = ("task", "cost", "role", "metric", "bounds", *DIRECTION_NAMES)


def sidecar_grid(source: Source, what: str, max_mb: float = MAX_MB) -> Grid:
    """Read a sidecar, a path or a DataFrame, as a grid."""
    if isinstance(source, pd.DataFrame):
        grid = without_row_numbers(frame_to_grid(source, what), model_is_named=True)
        return replace(grid, notes=())
    if isinstance(source, str | os.PathLike):
        return read_grid(source, max_mb)
    raise EeveeError(f"{what}: give a path or a DataFrame, not {type(source).__name__}")


@dataclass(frozen=True)
class BenchmarkFacts:
    """A benchmarks file, still as text: rows by benchmark or column name."""

    grid: Grid
    key: int

    @property
    def names(self) -> frozenset[str]:
        """Benchmarks or columns that the file names."""
        return frozenset(self.grid.column(self.key))

    def place(self, field: str) -> int | None:
        """Return the place of a field, None where the file lacks it."""
        headers = [plain(name) for name in self.grid.header]
        return headers.index(field) if field in headers else None

    def cells(self, field: str) -> list[tuple[int, str]]:
        """Return the rows that hold something in a field, and what."""
        j = self.place(field)
        if j is None:
            return []
        told = {"none"} if field == "bounds" else set()
        cells = enumerate(self.grid.column(j))
        return [(i, c) for i, c in cells if not is_missing(c) or c.casefold() in told]


def read_benchmarks(source: Source, max_mb: float = MAX_MB) -> BenchmarkFacts:
    """Read a benchmarks file: ``benchmark`` (or ``column``) and any of task, direction, cost, \
role, metric, bounds."""
    grid = sidecar_grid(source, "benchmarks", max_mb)
    headers = [plain(name) for name in grid.header]
    key = next((headers.index(name) for name in _KEYS if name in headers), 0)
    known = {*_KEYS, *_FIELDS}
    if not set(headers) - {headers[key]} & known:
        raise EeveeError(
            f"{grid.source}: the header names nothing that is known about benchmarks; "
            "columns are benchmark (or column), task, direction, cost, role, metric, bounds"
        )
    for i, name in enumerate(grid.column(key)):
        check_name(name, "the benchmark", f"{grid.source}: row {grid.lines[i]}")
    return BenchmarkFacts(grid, key)


def apply_benchmarks(measured: Measured, facts: BenchmarkFacts) -> Measured:
    """Give columns what the file says of them, and benchmarks their tasks."""
    grid = facts.grid
    rows = [_columns_of_row(measured, facts, i) for i in range(len(grid.rows))]
    columns = measured.columns.copy()
    owner = facts.place("benchmark")
    if owner is not None and owner != facts.key:
        for i, benchmark in facts.cells("benchmark"):
            columns.loc[rows[i], "benchmark"] = benchmark
    for i, metric in facts.cells("metric"):
        if len(rows[i]) == 1:
            columns.loc[rows[i], "metric"] = metric
    for header in DIRECTION_NAMES:
        j = facts.place(header)
        for i, cell in facts.cells(header):
            assert j is not None
            where = f"{grid.source}: row {grid.lines[i]}, {grid.label(j)}"
            columns.loc[rows[i], "direction"] = read_direction(header, cell, where)
    for i, role in facts.cells("role"):
        where = f"{grid.source}: row {grid.lines[i]}, {grid.label(facts.place('role') or 0)}"
        columns.loc[rows[i], "role"] = read_role("role", role, where)
    for i, cell in facts.cells("bounds"):
        where = f"{grid.source}: row {grid.lines[i]}, {grid.label(facts.place('bounds') or 0)}"
        columns.loc[rows[i], "bounds"] = _bounds(measured, rows[i], cell, where)
    tasks = dict(measured.tasks)
    for i, task in facts.cells("task"):
        for benchmark in set(columns.loc[rows[i], "benchmark"]):
            if tasks.setdefault(benchmark, task) != task and benchmark not in measured.tasks:
                j = facts.place("task") or 0
                raise grid.error(i, j, f"benchmark {benchmark!r} has another task in a row above")
            tasks[benchmark] = task
    return replace(measured, columns=columns, tasks=tasks)


def read_models(source: Source, measured: Measured, options: Options) -> Measured:
    """Add the attributes of a models file; models that have no scores are ignored with a note."""
    grid = sidecar_grid(source, "models", options.max_mb)
    if not grid.rows:
        raise EeveeError(f"{grid.source}: is empty; give a row for each model")
    keys = model_columns(grid, named_here(grid, options))
    names = model_keys(grid, keys)
    _check_repeats(grid, names, "model")
    attributes = pd.DataFrame(
        {
            check_name(grid.header[j], f"column {j + 1}", f"{grid.source}: header row"): (
                grid.values(j)
            )
            for j in range(grid.width)
            if j not in keys
        },
        index=pd.Index(names, dtype=object),
    )
    known = set(measured.scores.index)
    if not known & set(names):
        hint = did_you_mean(names[0], known)
        raise EeveeError(
            f"{grid.source}: names none of the models in {measured.source}: {names[0]!r}{hint}"
        )
    notes = [
        Note("ignored", "model", name, f"is in {grid.source} but has no scores")
        for name in names
        if name not in known
    ]
    kept = measured.models.drop(columns=[c for c in attributes if c in measured.models])
    models = kept.join(attributes.reindex(measured.scores.index))
    return replace(measured, models=models).noted(*notes)


def _columns_of_row(measured: Measured, facts: BenchmarkFacts, i: int) -> list[str]:
    """Return the columns that a row is about: all of a benchmark, one metric, or one column."""
    grid, key = facts.grid, facts.key
    name = grid.rows[i][key]
    columns = measured.columns
    by_column = plain(grid.header[key]) == "column"
    owned = [] if by_column else list(columns.index[columns["benchmark"] == name])
    if not owned and name in columns.index:
        owned = [name]
    if not owned:
        hint = did_you_mean(name, [*measured.benchmarks, *columns.index])
        raise grid.error(i, key, f"no {name!r} in {measured.source}{hint}")
    place = facts.place("metric")
    metric = "" if place is None else grid.rows[i][place]
    if len(owned) < 2 or is_missing(metric):
        return owned
    chosen = [column for column in owned if columns.loc[column, "metric"] == metric]
    if not chosen:
        metrics = ", ".join(repr(m) for m in columns.loc[owned, "metric"])
        raise grid.error(i, place or 0, f"{name!r} has no metric {metric!r}; it has {metrics}")
    return chosen


def _bounds(measured: Measured, columns: list[str], cell: str, where: str) -> str:
    """Return the bounds in a cell as the table keeps them; no score may lie outside."""
    low, high = parse_bounds(cell, where)
    for column in columns:
        scores = measured.scores[column]
        outside = scores[(scores < low) | (scores > high)]
        if len(outside):
            raise EeveeError(
                f"{where}: {outside.index[0]!r} has {outside.iloc[0]:g} in {column!r}, outside "
                f"{cell!r}; correct one"
            )
    return bounds_in_words(low, high)


def _check_repeats(grid: Grid, names: Sequence[str], what: str) -> None:
    seen: dict[str, int] = {}
    for name, line in zip(names, grid.lines, strict=True):
        if seen.setdefault(name, line) != line:
            raise EeveeError(
                f"{grid.source}: {what} {name!r} is in rows {seen[name]} and {line}; keep one"
            )
