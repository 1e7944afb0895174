"""The long table that `eevee import` writes: one row per score, with where it came from."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from eevee.base.files import replacing
from eevee.readers.cells import is_missing
from eevee.readers.directions import read_direction
from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.roles import read_role, says_roles

NAME = "eevee"
WHAT = "the long table that eevee import writes"

HEADER = ("model", "benchmark", "metric", "score", "stderr", "direction", "seed", "cost_seconds",
          "harness", "version", "source")  # fmt: skip
MORE = ("role", "task", "gives_way")
"""Columns that follow where something is in them: `Row.role`, tasks and `Row.lesser`."""


def fits(files: Files) -> bool:
    """Tell whether a file begins with the header."""
    return any(files.head(path).startswith(",".join(HEADER)) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read rows, and attributes of models in further columns."""
    rows: list[Row] = []
    models: dict[str, dict[str, object]] = {}
    tasks: dict[str, str] = {}
    for path in files.named(".csv"):
        if not files.head(path).startswith(",".join(HEADER)):
            continue
        grid = files.grid(path)
        place = {name: j for j, name in enumerate(grid.header)}
        more = MORE if says_roles(grid.column(place.get("role", 0))) else MORE[1:]
        found = [_row(grid, place, i, files.where(path)) for i in range(len(grid.rows))]
        if "role" in place and "role" in more:
            found = [_with_role(grid, place["role"], i, row) for i, row in enumerate(found)]
        rows += found
        if "task" in place:
            pairs = zip(grid.column(place["benchmark"]), grid.column(place["task"]), strict=True)
            tasks |= {benchmark: task for benchmark, task in pairs if not is_missing(task)}
        for name in (name for name in grid.header if name not in {*HEADER, *more}):
            for cells, value in zip(grid.rows, grid.values(place[name]), strict=True):
                models.setdefault(cells[0], {})[name] = value
    scored = tuple(row for row in rows if not math.isnan(row.score))
    return Harvest(scored, models=models, tasks=tasks)


def _row(grid: Grid, place: Mapping[str, int], i: int, where: str) -> Row:
    cells = dict(zip(grid.header, grid.rows[i], strict=True))
    at = f"{where}: row {grid.lines[i]}, column 'direction'"
    cost = grid.number(i, place["cost_seconds"])
    if cost <= 0:
        raise grid.error(i, place["cost_seconds"], f"{cells['cost_seconds']!r} is no cost; costs "
                         "are positive, or left empty")  # fmt: skip
    return Row(
        model=cells["model"],
        benchmark=cells["benchmark"],
        metric="" if is_missing(cells["metric"]) else cells["metric"],
        score=grid.number(i, place["score"]),
        direction=read_direction("direction", cells["direction"], at),
        stderr=grid.number(i, place["stderr"]),
        seed="" if is_missing(cells["seed"]) else cells["seed"],
        cost=cost,
        harness=cells["harness"],
        version=cells["version"],
        where=f"{where} row {grid.lines[i]}",
        lesser=cells.get("gives_way", ""),
    )


def _with_role(grid: Grid, place: int, i: int, row: Row) -> Row:
    return replace(row, role=read_role("role", grid.rows[i][place], f"{row.where}, column 'role'"))


def write(
    path: Path,
    rows: Sequence[Row],
    models: Mapping[str, Mapping[str, object]],
    tasks: Mapping[str, str],
) -> None:
    """Write rows, sorted by model, benchmark and metric, with tasks and attributes of models.

    Raises
    ------
    EeveeError
        If the file cannot be written.
    """
    named = {name: None for row in rows for name in models.get(row.model, {})}
    said = [
        any(row.role for row in rows),
        any(row.benchmark in tasks for row in rows),
        any(row.lesser for row in rows),
    ]
    more = [name for name, is_said in zip(MORE, said, strict=True) if is_said]
    attributes = [name for name in named if name not in {*HEADER, *MORE[1:], *more}]
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*HEADER, *more, *attributes])
        for row in sorted(rows, key=lambda row: row.cell):
            about = models.get(row.model, {})
            task = tasks.get(row.benchmark, "")
            values = {"role": row.role, "task": task, "gives_way": row.lesser}
            told = [*(values[name] for name in more), *(about.get(name) for name in attributes)]
            writer.writerow([*_cells(row), *map(_cell, told)])


def _cells(row: Row) -> list[str]:
    told = (row.score, row.stderr, row.direction, row.seed, row.cost)
    where = (row.harness, row.version, row.where)
    return [row.model, row.benchmark, row.metric, *map(_cell, told), *where]


def _cell(value: object) -> str:
    """Write a number so that it is read back the same; what is missing is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
