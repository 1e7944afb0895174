"""lighteval: `results/<model>/results_<time>.json`, tasks named `task|fewshot`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import better, items, members, number, positive, text
from eevee.tables.results_table import Note

NAME = "lighteval"
WHAT = "results of lighteval: results_*.json"

_GENERAL = "config_general"
_STDERR = "_stderr"
_AVERAGE = ":_average"


def fits(files: Files) -> bool:
    """Tell whether there is a results file."""
    return any(_is_results(files.maybe_json(path)) for path in files.sample(".json"))


def read(files: Files) -> Harvest:
    """Read all results files, in the order of their names (of their times, within a model)."""
    rows: list[Row] = []
    models: dict[str, dict[str, object]] = {}
    dropped: dict[str, None] = {}
    untimed = 0
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if not _is_results(content):
            continue
        run = members(content)
        found = _rows(run, files.where(path), dropped)
        rows += found
        size = text(members(run, _GENERAL).get("model_size"))
        models |= {row.model: {"model_size": size} for row in found[:1] if size}
        untimed += not math.isnan(_seconds(run)) and len({row.benchmark for row in found}) > 1
    why = "is a mean of other entries"
    notes = [Note("dropped", "benchmark", name, why) for name in dropped]
    if untimed:
        why = f"{untimed} runs say only how long all their tasks took together: no costs"
        notes.append(Note("ignored", "cost", files.name, why))
    return Harvest(tuple(rows), tuple(notes), models)


def _is_results(content: object) -> bool:
    found = members(content)
    return isinstance(found.get(_GENERAL), dict) and bool(members(found, "results"))


def _rows(run: Mapping[str, Any], where: str, dropped: dict[str, None]) -> list[Row]:
    general, results = members(run, _GENERAL), members(run, "results")
    model = _model(general)
    tasks = [task for task in results if not _is_mean(task)]
    dropped.update(dict.fromkeys(task for task in results if _is_mean(task)))
    samples = text(general.get("max_samples"))
    return [
        Row(
            model=model,
            benchmark=_short(task),
            metric=metric,
            score=score,
            direction=_direction(run, task, metric),
            stderr=number(members(results, task).get(f"{metric}{_STDERR}")),
            cost=_seconds(run) if len(tasks) == 1 else math.nan,
            harness=f"lighteval {text(general.get('lighteval_sha')).strip('?')[:8]}".strip(),
            version=text(members(run, "versions").get(task)),
            where=where,
            lesser=f"are of runs with at most {samples} samples" if samples else "",
        )
        for task in tasks
        for metric, score in _scores(members(results, task))
    ]


def _model(general: Mapping[str, Any]) -> str:
    """Name the model, with its revision where it is another than the usual one."""
    config = members(general, "model_config")
    name = text(general.get("model_name")) or text(config.get("model_name"))
    revision = text(config.get("revision"))
    return name if revision in {"", "main"} or not name else f"{name}|revision={revision}"


def _scores(entry: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for metric, value in entry.items():
        score = number(value)
        if not metric.endswith(_STDERR) and not math.isnan(score):
            yield metric, score


def _is_mean(task: str) -> bool:
    return task == "all" or _AVERAGE in task


def _short(task: str) -> str:
    """Return task and number of examples; older files name a suite before and a flag behind.

    Examples
    --------
    >>> _short("leaderboard|arc:challenge|25|0"), _short("gsm8k|0")
    ('arc:challenge|25', 'gsm8k|0')
    """
    parts = task.split("|")
    return "|".join(parts[1:3]) if len(parts) > 2 else task


def _seconds(run: Mapping[str, Any]) -> float:
    return positive(members(run, _GENERAL).get("total_evaluation_time_secondes"))


def _direction(run: Mapping[str, Any], task: str, metric: str) -> str | None:
    """Return the direction that the task's configuration says; keys there lack the examples."""
    configs = members(run, "config_tasks")
    told = members(configs.get(task)) or members(configs.get(task.rpartition("|")[0]))
    for one in items(told.get("metrics") or told.get("metric")):
        about = members(one)
        higher = about.get("higher_is_better")
        if isinstance(higher, dict):
            higher = higher.get(metric)
        names = about.get("metric_name")
        if metric in (names if isinstance(names, list) else [names]):
            return better(higher)
    return None
