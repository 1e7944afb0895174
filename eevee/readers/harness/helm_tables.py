"""HELM leaderboards: tables of helm-summarize (JSON), or exported with models as columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import better, items, members, number, text
from eevee.tables.column_names import is_aggregate
from eevee.tables.results_table import Note

NAME = "helm-table"
WHAT = "leaderboards of HELM: JSON of helm-summarize, or a CSV with a first column 'Metric'"

_ACCURACY = "accuracy"
_TEXT = (".csv", ".tsv")
_FIRST = {"model", "model/adapter", "models"}


def fits(files: Files) -> bool:
    """Tell whether there is a leaderboard."""
    if any(_tables(files.maybe_json(path)) for path in files.sample(".json")):
        return True
    return any(_is_export(files.top(path)) for path in files.sample(*_TEXT))


def read(files: Files) -> Harvest:
    """Read the accuracy tables, or all tables if none is named so."""
    tables = [
        (path, table) for path in files.named(".json") for table in _tables(files.maybe_json(path))
    ]
    named = [(path, table) for path, table in tables if _is_accuracy(path, table)]
    rows: list[Row] = []
    dropped: dict[str, str] = {}
    for path, table in named or tables:
        rows += _rows(table, files.where(path), dropped)
    for path in files.named(*_TEXT):
        if _is_export(files.top(path)):
            rows += _export_rows(files.grid(path), files.where(path), dropped)
    left_out = len(tables) - len(named or tables)
    why = f"holds {left_out} tables other than those of accuracy"
    notes = [Note("ignored", "file", files.name, why)] if left_out else []
    notes += [Note("dropped", "column", name, reason) for name, reason in dropped.items()]
    return Harvest(tuple(rows), tuple(notes))


def _tables(content: object) -> list[dict[str, Any]]:
    """Return the tables of a file that have one row per model and know which way is better."""
    every = content if isinstance(content, list) else [content]
    return [members(table) for table in every[:200] if _is_table(members(table))]


def _is_table(table: dict[str, Any]) -> bool:
    header = [members(cell) for cell in items(table.get("header"))]
    return (
        len(header) > 1
        and text(header[0].get("value")).casefold() in _FIRST
        and any("lower_is_better" in cell or "metadata" in cell for cell in header)
        and all(isinstance(row, list) for row in items(table.get("rows")))
    )


def _is_accuracy(path: Path, table: dict[str, Any]) -> bool:
    title = text(table.get("title")).casefold()
    return _ACCURACY in title or path.stem.casefold().endswith(_ACCURACY)


def _rows(table: dict[str, Any], where: str, dropped: dict[str, str]) -> Iterator[Row]:
    header = [members(cell) for cell in items(table["header"])]
    for cells in items(table.get("rows")):
        model = text(members(cells[0]).get("value")) if cells else ""
        for about, cell in zip(header[1:], cells[1:], strict=False):
            name = text(about.get("value"))
            score = number(members(cell).get("value"))
            if _is_no_score(name, dropped) or math.isnan(score):
                continue
            lower = about.get("lower_is_better")
            direction = better(not lower) if isinstance(lower, bool) else None
            yield Row(model, name, "", score, direction, harness="helm", where=where)


def _is_no_score(name: str, dropped: dict[str, str]) -> bool:
    if is_aggregate(name):
        dropped[name] = "is an aggregate of other columns, by its name"
    elif name.startswith("#") or "# " in name or "truncated" in name.casefold():
        dropped[name] = "is a count, by its name"
    return name in dropped


def _is_export(lines: list[str]) -> bool:
    """Tell whether rows are named ``scenario - metric`` and columns are models."""
    header, *rows = (re.split(r"[,\t]", line, maxsplit=1) for line in lines or [""])
    names = [name for name, *cells in rows if cells]
    return (
        len(header) == 2
        and header[0].strip(' "').casefold() == "metric"
        and 2 * sum(" - " in name for name in names) > len(names)
    )


def _export_rows(grid: Grid, where: str, dropped: dict[str, str]) -> Iterator[Row]:
    for i, cells in enumerate(grid.rows):
        if _is_no_score(cells[0], dropped):
            continue
        for j in range(1, grid.width):
            score = grid.number(i, j)
            if not math.isnan(score):
                yield Row(grid.header[j], cells[0], "", score, harness="helm", where=where)
