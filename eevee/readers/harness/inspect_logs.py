"""Inspect: a log per evaluation, `.eval` (a zip file) or `.json`; only those that succeeded."""

from __future__ import annotations

import json
import math
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import items, members, number, seconds_between, text
from eevee.tables.results_table import Note

NAME = "inspect"
WHAT = "logs of Inspect: .eval or .json"

_HEADER = "header.json"
_START = "_journal/start.json"
_ERRORS = ("stderr", "std", "var", "bootstrap_stderr", "bootstrap_std", "ci_lower", "ci_upper")
"""Metrics that say how sure the others are."""

Found = tuple[str, dict[str, Any], Row]


def fits(files: Files) -> bool:
    """Tell whether there is a log."""
    packed = any(zipfile.is_zipfile(path) and _has_header(path) for path in files.sample(".eval"))
    return packed or any(_is_log(files.maybe_json(path)) for path in files.sample(".json"))


def read(files: Files) -> Harvest:
    """Read the headers of all logs, the earliest first."""
    logs = sorted(_logs(files), key=lambda log: (text(members(log[1], "eval").get("created")), log))
    rows: list[Row] = []
    arguments: dict[str, set[str]] = {}
    left_out: Counter[str] = Counter()
    for where, log in logs:
        status = "invalidated" if log.get("invalidated") is True else text(log.get("status"))
        if status != "success":
            left_out[status or "without a status"] += 1
            continue
        found = _rows(log, where)
        for row in found:
            arguments.setdefault(row.benchmark, set()).add(_arguments(log))
        rows += [replace(row, seed=_arguments(log)) for row in found]
    why = ", ".join(f"{count} {status}" for status, count in left_out.items())
    notes = (
        [Note("dropped", "file", files.name, f"holds logs that are no success: {why}")]
        if why
        else []
    )
    return Harvest(tuple(_with_arguments(rows, arguments)), tuple(notes))


def _has_header(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return not {_HEADER, _START}.isdisjoint(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def _logs(files: Files) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in files.named(".eval"):
        header = files.member(path, _HEADER)
        # A log without one was not finished.
        yield files.where(path), members(header) if header else {"status": "started"}
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if _is_log(content):
            yield files.where(path), members(content)


def _is_log(content: object) -> bool:
    found = members(content)
    about = members(found, "eval")
    return "status" in found and "task" in about and "model" in about


def _arguments(log: Mapping[str, Any]) -> str:
    """Write the arguments of the task that make another benchmark of it."""
    given = members(log, "eval", "task_args")
    return ",".join(f"{key}={json.dumps(given[key], sort_keys=True)}" for key in sorted(given))


def _with_arguments(rows: list[Row], arguments: Mapping[str, set[str]]) -> Iterator[Row]:
    """Name the arguments with a task that was run with several; they stand in `seed` so far."""
    for row in rows:
        several = len(arguments[row.benchmark]) > 1 and row.seed
        name = f"{row.benchmark}({row.seed.replace(chr(34), '')})" if several else row.benchmark
        yield replace(row, benchmark=name, seed="")


def _rows(log: Mapping[str, Any], where: str) -> list[Row]:
    about = members(log, "eval")
    scores = [members(one) for one in items(members(log, "results").get("scores"))]
    rows = []
    for score in scores:
        metrics = members(score, "metrics")
        errors = [number(members(metrics.get(name)).get("value")) for name in _ERRORS[:1]]
        for name, metric in metrics.items():
            value = number(members(metric).get("value"))
            if name.split("/")[-1] in _ERRORS or math.isnan(value):
                continue
            rows.append(
                Row(
                    model=text(about.get("model")),
                    benchmark=text(about.get("task")).removeprefix("inspect_evals/"),
                    metric=_metric(name, score, scores),
                    score=value,
                    stderr=errors[0] if _is_first(name, metrics) else math.nan,
                    cost=_seconds(log),
                    harness=_harness(about),
                    version=text(about.get("task_version")),
                    where=where,
                    lesser=_lesser(log),
                )
            )
    return rows


def _metric(name: str, score: Mapping[str, Any], scores: list[dict[str, Any]]) -> str:
    """Name a metric, with its scorer and reducer where there are several."""
    parts = [text(score.get(key)) for key in ("name", "reducer")]
    several = [len({text(one.get(key)) for one in scores}) > 1 for key in ("name", "reducer")]
    return "/".join([*(part for part, more in zip(parts, several, strict=True) if more), name])


def _is_first(name: str, metrics: Mapping[str, Any]) -> bool:
    """Tell whether the standard error is of this metric: it is of the mean."""
    means = [one for one in metrics if one not in _ERRORS]
    return name in {"accuracy", "mean"} or means == [name]


def _seconds(log: Mapping[str, Any]) -> float:
    stats = members(log, "stats")
    return seconds_between(stats.get("started_at"), stats.get("completed_at"))


def _harness(about: Mapping[str, Any]) -> str:
    return f"inspect {text(members(about, 'packages').get('inspect_ai'))}".strip()


def _lesser(log: Mapping[str, Any]) -> str:
    results, limit = members(log, "results"), members(log, "eval", "config").get("limit")
    if limit is not None:
        return f"are of runs with a limit of {json.dumps(limit)} samples"
    total, done = number(results.get("total_samples")), number(results.get("completed_samples"))
    return "are of runs that lack samples (errors)" if done < total else ""
