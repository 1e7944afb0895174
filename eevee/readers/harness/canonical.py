"""The long table that `eevee import` writes: one row per score, with where it came from."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from eevee.base.files import replacing
from eevee.readers.cells import is_missing
from eevee.readers.directions import read_direction
from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row

NAME = "eevee"
WHAT = "the long table that eevee import writes"

HEADER = ("model", "benchmark", "metric", "score", "stderr", "direction", "seed", "cost_seconds",
          "harness", "version", "source")  # fmt: skip


def fits(files: Files) -> bool:
    """Tell whether a file begins with the header."""
    return any(files.head(path).startswith(",".join(HEADER)) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read rows, and attributes of models in further columns."""
    rows: list[Row] = []
    models: dict[str, dict[str, object]] = {}
    for path in files.named(".csv"):
        if not files.head(path).startswith(",".join(HEADER)):
            continue
        grid = files.grid(path)
        rows += [_row(grid, i, files.where(path)) for i in range(len(grid.rows))]
        for j in range(len(HEADER), grid.width):
            for cells, value in zip(grid.rows, grid.values(j), strict=True):
                models.setdefault(cells[0], {})[grid.header[j]] = value
    scored = tuple(row for row in rows if not math.isnan(row.score))
    return Harvest(scored, models=models)


def _row(grid: Grid, i: int, where: str) -> Row:
    cells = dict(zip(HEADER, grid.rows[i], strict=False))
    place = {name: j for j, name in enumerate(HEADER)}
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
    )


def write(path: Path, rows: Sequence[Row], models: Mapping[str, Mapping[str, object]]) -> None:
    """Write rows, sorted by model, benchmark and metric, with the attributes of models.

    Raises
    ------
    EeveeError
        If the file cannot be written.
    """
    names = dict.fromkeys(
        name for row in rows for name in models.get(row.model, {}) if name not in HEADER
    )
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*HEADER, *names])
        for row in sorted(rows, key=lambda row: row.cell):
            about = models.get(row.model, {})
            writer.writerow([*_cells(row), *(_cell(about.get(name)) for name in names)])


def _cells(row: Row) -> list[str]:
    told = (row.score, row.stderr, row.direction, row.seed, row.cost)
    where = (row.harness, row.version, row.where)
    return [row.model, row.benchmark, row.metric, *map(_cell, told), *where]


def _cell(value: object) -> str:
    """Write a number so that it is read back the same; what is missing is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
