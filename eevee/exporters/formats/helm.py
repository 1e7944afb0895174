"""HELM: run entries, with nested tiers as priorities.

Read in crfm-helm 0.5.16: a description is ``scenario:key=value,...``, split at the first colon, at
commas and at equals signs, without any quoting; priorities go from 1 to 5.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise

from eevee.base.errors import EeveeError
from eevee.base.parsing import text
from eevee.exporters.format import Export, Format, Listing, Task, TierTasks

_LOWEST = 5
_SCENARIO = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_ARGUMENT = r"[A-Za-z_][A-Za-z0-9_]*=[^,\"\\$\s{}#][^,\"\\$\n\r\t{}#]*"
_DESCRIPTION = re.compile(rf"{_SCENARIO}(:{_ARGUMENT}(,{_ARGUMENT})*)?")


def _wrong(task: Task) -> str:
    if task.name.isascii() and task.name.isprintable() and _DESCRIPTION.fullmatch(task.name):
        return ""
    return f"{task.name!r} is not a run entry of HELM (scenario:key=value,key=value)"


def _nested(export: Export) -> list[TierTasks] | None:
    """Tiers from small to big if each holds the smaller ones, and there are priorities enough."""
    ordered = sorted(export.each, key=lambda one: (len(one.tasks), one.tier.cost))
    sets = [{task.name for task in one.tasks} for one in ordered]
    nested = all(small <= big for small, big in pairwise(sets))
    return ordered if nested and len(ordered) <= _LOWEST else None


def _described(task: Task, model: str) -> str:
    if re.search(r"[:,]model=", task.name):
        return task.name
    return f"{task.name}{',' if ':' in task.name else ':'}model={model}"


def _entries(priorities: dict[str, int]) -> str:
    lines = (
        f"  {{description: {json.dumps(name)}, priority: {priority}}}\n"
        for name, priority in priorities.items()
    )
    return f"entries: [\n{''.join(lines)}]\n"


def _files(export: Export) -> dict[str, str]:
    model = export.options.get("model", "text")
    nested = _nested(export)
    if nested is None:
        return {
            f"run_entries_{one.stem}.conf": export.comment(one)
            + _entries({_described(task, model): 1 for task in one.tasks})
            for one in export.each
        }
    priorities: dict[str, int] = {}
    comment = ""
    for priority, one in enumerate(nested, start=1):
        comment += export.comment(one) + f"# run it with: --priority {priority}\n#\n"
        for task in one.tasks:
            priorities.setdefault(_described(task, model), priority)
    return {"run_entries.conf": comment + _entries(priorities)}


def _run(export: Export, one: TierTasks) -> str:
    nested = _nested(export)
    which = "_{stem}.conf" if nested is None else f".conf --priority {nested.index(one) + 1}"
    return (
        f"helm-run --conf-paths {{out}}/run_entries{which} --models-to-run MODEL --suite SUITE "
        "--max-eval-instances 1000"
    )


def _note(export: Export) -> str:
    nested = _nested(export)
    if nested is not None:
        return "priorities: " + ", ".join(f"{one.tier.name}={n}" for n, one in enumerate(nested, 1))
    why = "there are more than five" if len(export.each) > _LOWEST else "they are not nested"
    return f"one file per tier and no priorities, since {why} (eevee tiers --nested nests them)"


def _model(value: object, at: str) -> str:
    found = text(value, at)
    if re.search(r"[^A-Za-z0-9_./:@-]", found):
        raise EeveeError(f"{at}: {found!r} is not a model of HELM")
    return found


_LIST = """
import pathlib, re, importlib.util
names = []
for path in pathlib.Path(importlib.util.find_spec("helm").origin).parent.rglob("*_run_specs.py"):
    found = re.findall(r'@run_spec_function\\("([^"]+)"\\)', path.read_text(encoding="utf-8"))
    names += found
"""

FORMAT = Format(
    name="helm",
    what="run entries for HELM, with nested tiers as priorities",
    run=_run,
    files=_files,
    wrong=_wrong,
    note=_note,
    options={"model": _model},
    listing=Listing(
        package="helm",
        install="pip install crfm-helm==0.5.16",
        code=_LIST,
    ),
)
