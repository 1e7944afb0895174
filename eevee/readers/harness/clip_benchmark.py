"""CLIP_benchmark: a JSON file per (data set, model), or the long CSV that `build` makes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import members, number, text

NAME = "clip-benchmark"
WHAT = "results of CLIP_benchmark: its JSON files, or the CSV of 'clip_benchmark build'"

_KEYS = ("dataset", "model", "pretrained", "task")
_OTHERS = frozenset({"model_fullname", "language", "split", "language_x", "language_y"})


def fits(files: Files) -> bool:
    """Tell whether there is a result, or a CSV of results."""
    if any(_is_result(files.maybe_json(path)) for path in files.sample(".json")):
        return True
    return any(_is_header(files.head(path).split(",")) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read all metrics, as columns of their data set."""
    rows: list[Row] = []
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if _is_result(content):
            about = members(content)
            keys = {key: text(about.get(key)) for key in (*_KEYS, "language")}
            rows += _rows(keys, members(about, "metrics"), files.where(path))
    for path in files.named(".csv"):
        if _is_header(files.head(path).split(",")):
            rows += _csv_rows(files.grid(path), files.where(path))
    named = list(_one_task(rows))
    told = zip(named, rows, strict=True)
    tasks = {new.benchmark: old.version for new, old in told if old.version}
    return Harvest(tuple(named), tasks=tasks)


def _is_result(content: object) -> bool:
    about = members(content)
    return all(key in about for key in _KEYS) and bool(members(about, "metrics"))


def _is_header(names: list[str]) -> bool:
    plain = [name.strip().strip('"') for name in names]
    return all(key in plain for key in _KEYS) and len(set(plain) - _OTHERS) > len(_KEYS)


def _csv_rows(grid: Grid, where: str) -> Iterator[Row]:
    columns = [
        j
        for j, name in enumerate(grid.header)
        if name not in (*_KEYS, *_OTHERS) and not grid.is_text(j)
    ]
    for i, cells in enumerate(grid.rows):
        keys = dict(zip(grid.header, cells, strict=True))
        yield from _rows(keys, {grid.header[j]: grid.number(i, j) for j in columns}, where)


def _rows(keys: dict[str, str], metrics: dict[str, Any], where: str) -> Iterator[Row]:
    """Make rows whose version is, for the moment, the task and language."""
    language = keys.get("language", "")
    told = ", ".join(filter(None, [keys["task"], "" if language in ("", "en") else language]))
    model = keys.get("model_fullname") or " ".join(
        filter(None, [keys["model"], keys["pretrained"]])
    )
    for metric, value in metrics.items():
        score = number(value)
        if not math.isnan(score):
            yield Row(model, keys["dataset"], metric, score, version=told, where=where)


def _one_task(rows: list[Row]) -> Iterator[Row]:
    """Name task and language with a data set that comes with several."""
    told: dict[str, set[str]] = {}
    for row in rows:
        told.setdefault(row.benchmark, set()).add(row.version)
    for row in rows:
        several = len(told[row.benchmark]) > 1 and row.version
        name = f"{row.benchmark} ({row.version})" if several else row.benchmark
        yield replace(row, benchmark=name, version="")
