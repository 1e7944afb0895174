"""VLMEvalKit: a JSON configuration per tier, for ``run.py --config``.

A data set needs its class, and options that the class does not know are left out there in silence;
``{}`` stands for a video data set with its own settings. Models are part of the file. What the
tier is stands in the record beside it, since only `model` and `data` are taken. Nothing of it can
be loaded without a large installation: only the grammar is checked.
"""

from __future__ import annotations

import json
from typing import Any

from eevee.base.parsing import json_mapping, refuse
from eevee.exporters.format import Export, Format, Task, TierTasks
from eevee.exporters.names import matches

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_CLASS = r"[A-Za-z_][A-Za-z0-9_]*"


def _wrong(task: Task) -> str:
    name = matches(_NAME, task.name, "data set of VLMEvalKit (it becomes part of file names)")
    if name or not isinstance(task.options.get("class", ""), str):
        return name or "class: expected text"
    if not task.options.get("shortcut") and "class" not in task.options:
        return (
            f"{task.name!r} needs its class, such as {{task: {task.name}, class: ImageMCQDataset}}"
            ", or shortcut: true for a video data set with its own settings"
        )
    return matches(_CLASS, task.options.get("class", "_"), "a class")


def _models(value: object, at: str) -> dict[str, Any]:
    models = json_mapping(value, at)
    for name, settings in models.items():
        if not isinstance(settings, dict) or not name:
            raise refuse(f"{at}.{name}", "a mapping, such as {class: GPT4V, ...} or {}", settings)
    return models


def _unfit(export: Export) -> str:
    for one in export.each:
        if len({task.name for task in one.tasks}) < len(one.tasks):
            return f"tier {one.tier.name!r} has a data set twice"
    if export.options.get("models"):
        return ""
    return "options: models are part of the file: give 'models: {NAME: {class: ..., ...}}'"


def _data(task: Task) -> dict[str, Any]:
    options = {key: value for key, value in task.options.items() if key != "shortcut"}
    if task.options.get("shortcut"):
        return options
    return {"class": options.pop("class"), "dataset": task.name, **options}


def _config(export: Export, one: TierTasks) -> str:
    data = {task.name: _data(task) for task in one.tasks}
    content = {"model": export.options["models"], "data": data}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


FORMAT = Format(
    name="vlmevalkit",
    what="a JSON configuration per tier for VLMEvalKit",
    run="python run.py --config {out}/{stem}.json",
    files=lambda export: {f"{one.stem}.json": _config(export, one) for one in export.each},
    wrong=_wrong,
    unfit=_unfit,
    task_options=None,
    options={"models": _models},
)
