"""Hydra: a config group `tier`, with a file per tier.

Read in hydra-core 1.3.8 with omegaconf 2.3: ``${...}`` in a text is an interpolation, unless its
``$`` follows a backslash; backslashes before one count twice. ``???`` is a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from eevee.exporters.format import Export, Format, Task, TierTasks
from eevee.tiers.yaml_text import Dumper

_OWN = ("name", "task", "cost")


def _wrong(task: Task) -> str:
    own = [name for name in task.options if name in _OWN]
    if own:
        return f"the option {own[0]!r} is what EEVEE writes itself; rename it"
    texts = [task.benchmark, task.name, *_texts(task.options)]
    return "'???' is Hydra's word for a missing value" if "???" in texts else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for member in value.values() for text in _texts(member))
    elif isinstance(value, list):
        yield from (text for member in value for text in _texts(member))


def _literal(value: Any) -> Any:
    """Escape what OmegaConf would fill in."""
    if isinstance(value, str):
        return re.sub(r"(\\*)\$\{", r"\1\1\\${", value)
    if isinstance(value, Mapping):
        return {_literal(key): _literal(member) for key, member in value.items()}
    return [_literal(member) for member in value] if isinstance(value, list) else value


def _tier(export: Export, one: TierTasks) -> str:
    costs = {benchmark.name: benchmark.cost for benchmark in one.tier.benchmarks}
    content = {
        "name": one.tier.name,
        "cost": one.tier.cost,
        "cost_unit": export.tiers.cost_unit,
        "benchmarks": [
            {"name": task.benchmark, "task": task.name, "cost": costs[task.benchmark]}
            | dict(task.options)
            for task in one.tasks
        ],
    }
    text = yaml.dump(_literal(content), Dumper=Dumper, sort_keys=False, allow_unicode=True)
    return export.comment(one) + text


FORMAT = Format(
    name="hydra",
    what="a Hydra config group 'tier' with a file per tier",
    run="python YOUR_APP.py --config-dir {out} +tier={stem}",
    files=lambda export: {f"tier/{one.stem}.yaml": _tier(export, one) for one in export.each},
    wrong=_wrong,
    task_options=None,
)
