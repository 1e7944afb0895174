"""lm-evaluation-harness: `results_<time>.json`, one per run, in folders by model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import better, items, members, number, positive, text
from eevee.tables.results_table import Note

NAME = "lm-eval"
WHAT = "results of lm-evaluation-harness: results_*.json"

_NAMES = ("pretrained", "model", "path", "engine")
"""Model arguments that name the model, in the harness's order."""
_APART = ("revision", "subfolder", "peft", "delta", "gguf_file")
"""Model arguments that make another model of it."""
_STDERR = "_stderr"
_PLACEHOLDER = "bypass"


def fits(files: Files) -> bool:
    """Tell whether there is a results file."""
    return any(_is_results(files.maybe_json(path)) for path in files.sample(".json"))


def read(files: Files) -> Harvest:
    """Read all results files, the earliest run first."""
    runs = []
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if _is_results(content):
            runs.append((files.where(path), members(content)))
    runs.sort(key=lambda run: (_date(run[1]), run[0]))
    rows: list[Row] = []
    groups: dict[str, None] = {}
    untimed = 0
    for where, run in runs:
        found = _rows(run, where, groups)
        rows += found
        timed = not math.isnan(positive(run.get("total_evaluation_time_seconds")))
        untimed += timed and len({row.benchmark for row in found}) > 1
    return Harvest(
        tuple(rows), (*_note_groups(groups), *_note_times(untimed, files)), _models(runs)
    )


def _is_results(content: object) -> bool:
    """Tell results from other JSON: lighteval and Inspect have other keys beside the results."""
    found = members(content)
    results = members(found, "results")
    return (
        bool(results)
        and all(isinstance(one, dict) for one in results.values())
        and isinstance(found.get("config"), dict)
        and "config_general" not in found
    )


def _date(run: dict[str, Any]) -> float:
    date = number(run.get("date"))
    return 0.0 if math.isnan(date) else date


def _rows(run: dict[str, Any], where: str, groups: dict[str, None]) -> list[Row]:
    model = _model(run)
    results = members(run, "results")
    limit = members(run, "config").get("limit")
    limited = f"are of runs with --limit {text(limit)}" if text(limit) else ""
    tasks = [task for task in results if not _is_group(task, run)]
    groups.update(dict.fromkeys(task for task in results if task not in tasks))
    cost = positive(run.get("total_evaluation_time_seconds")) if len(tasks) == 1 else math.nan
    return [
        Row(
            model=model,
            benchmark=task,
            metric=metric.removesuffix(",none"),
            score=score,
            direction=better(members(run, "higher_is_better", task).get(metric.split(",")[0])),
            stderr=_stderr(results[task], metric),
            cost=cost,
            harness=_harness(run),
            version=_version(run, task),
            where=where,
            lesser=limited,
        )
        for task in tasks
        for metric, score in _scores(results[task])
    ]


def _scores(entry: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Return metrics and scores: keys with a filter, or in old files those without one."""
    filtered = any("," in key for key in entry)
    for key, value in entry.items():
        metric = key.split(",")[0]
        if ("," in key) != filtered or metric.endswith(_STDERR) or metric == _PLACEHOLDER:
            continue
        score = number(value) if not isinstance(value, str) else math.nan
        if not math.isnan(score):
            yield key, score


def _stderr(entry: dict[str, Any], metric: str) -> float:
    """Return the standard error of a metric; bootstrapping that was left out says "N/A"."""
    name, comma, kind = metric.partition(",")
    return number(entry.get(f"{name}{_STDERR}{comma}{kind}"))


def _is_group(task: str, run: dict[str, Any]) -> bool:
    """Tell whether an entry is a mean of other entries of the run."""
    subtasks = items(members(run, "group_subtasks").get(task))
    if subtasks:
        return any(text(subtask) in members(run, "results") for subtask in subtasks)
    groups = members(run, "groups")
    return task in groups and any(name not in groups for name in members(run, "results"))


def _model(run: dict[str, Any]) -> str:
    """Name the model, with what makes it another one than its name says."""
    config = members(run, "config")
    arguments = _arguments(config.get("model_args"))
    named = (text(arguments.get(key)) for key in _NAMES)
    name = next(filter(None, named), "") or text(run.get("model_name")) or text(config.get("model"))
    apart = [f"{key}={text(arguments[key])}" for key in _APART if text(arguments.get(key))]
    return "|".join([name, *(one for one in apart if one != "revision=main")])


def _arguments(given: object) -> dict[str, Any]:
    """Read ``name=value,name=value``, which newer files hold as a mapping.

    Examples
    --------
    >>> _arguments("pretrained=org/model,revision=step1000")
    {'pretrained': 'org/model', 'revision': 'step1000'}
    """
    if not isinstance(given, str):
        return members(given)
    pairs = (part.partition("=") for part in given.split(","))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _harness(run: dict[str, Any]) -> str:
    version = text(run.get("lm_eval_version")) or text(run.get("git_hash"))
    return f"lm-eval {version}".strip()


def _version(run: dict[str, Any], task: str) -> str:
    """Version of a task; scores with another number of examples in the prompt do not compare."""
    version, shots = members(run, "versions").get(task), members(run, "n-shot").get(task)
    parts = [text(version), f"{text(shots)}-shot" if text(shots) else ""]
    return ", ".join(filter(None, parts))


def _models(runs: list[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, object]]:
    sizes = {
        _model(run): positive(members(run, "config").get("model_num_parameters")) for _, run in runs
    }
    return {name: {"parameters": size} for name, size in sizes.items() if not math.isnan(size)}


def _note_groups(groups: dict[str, None]) -> list[Note]:
    why = "is a group: its subtasks are there too"
    return [Note("dropped", "benchmark", group, why) for group in groups]


def _note_times(untimed: int, files: Files) -> list[Note]:
    if not untimed:
        return []
    why = (
        f"{untimed} runs say how long all their tasks took together: no cost of a benchmark can "
        "be told from that; run tasks one by one, or give costs (--costs)"
    )
    return [Note("ignored", "cost", files.name, why)]
