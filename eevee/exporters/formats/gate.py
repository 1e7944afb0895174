"""GATE: a JSON object of experiment names and commands per tier, for its ``run_experiments.py``.

GATE reads the object from standard input and runs every command of it, N at a time. JSON has no
comments and every key is an experiment: what the tier is stands in the record beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from eevee.base.errors import EeveeError
from eevee.base.parsing import refuse, text
from eevee.exporters.format import Export, Format, Task, TierTasks
from eevee.exporters.names import command_option, matches

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_./:-]*"
_OWN = ("name", "benchmark", "task", "tier", "model", "seed")


def _wrong(task: Task) -> str:
    own = [name for name in task.options if name in _OWN]
    if own:
        return f"the option {own[0]!r} is what EEVEE fills in itself; rename it"
    return matches(_NAME, task.name, "name that a Hydra override takes without quotes")


def _plain(value: object, at: str) -> str:
    name = text(value, at)
    wrong = matches(_NAME, name, "plain name")
    if wrong:
        raise EeveeError(f"{at}: {wrong}")
    return name


def _list(value: object, at: str) -> list[str]:
    if not isinstance(value, list) or not value:
        raise refuse(at, "a list, not empty", value)
    names = [_plain(str(one), at) for one in value]
    if len(set(names)) < len(names):
        raise EeveeError(f"{at}: a name twice")
    return names


def _experiments(export: Export, one: TierTasks) -> Iterator[dict[str, Any]]:
    """Values for the placeholders of each experiment."""
    prefix = export.options.get("prefix", f"eevee_{one.stem}")
    for task in one.tasks:
        for model in export.options.get("models", [None]):
            for seed in export.options.get("seeds", [None]):
                parts = [prefix, task.name, model, seed]
                values = {
                    "name": "-".join(part.replace("/", "_") for part in parts if part is not None),
                    "benchmark": task.benchmark,
                    "task": task.name,
                    "tier": one.stem,
                    "model": model,
                    "seed": seed,
                }
                given = {key: value for key, value in values.items() if value is not None}
                yield given | dict(task.options)


def _unfit(export: Export) -> str:
    if "command" not in export.options:
        return "needs a command, such as --command 'accelerate-launch gate/run.py exp_name={name}'"
    command = export.options["command"]
    for one in export.each:
        values = list(_experiments(export, one))
        wrong = next(filter(None, (command.unknown(each) for each in values)), "")
        if wrong:
            return wrong
        if len({each["name"] for each in values}) < len(values):
            return f"two experiments of tier {one.tier.name!r} would have one name"
    return ""


def _commands(export: Export, one: TierTasks) -> str:
    command = export.options["command"]
    content = {values["name"]: command.fill(values) for values in _experiments(export, one)}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


FORMAT = Format(
    name="gate",
    what="a JSON object of experiment names and commands per tier, for GATE",
    run="python run_experiments.py 4 < {out}/{stem}.json",
    files=lambda export: {f"{one.stem}.json": _commands(export, one) for one in export.each},
    wrong=_wrong,
    unfit=_unfit,
    task_options=None,
    options={"command": command_option, "prefix": _plain, "models": _list, "seeds": _list},
)
