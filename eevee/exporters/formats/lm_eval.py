"""lm-evaluation-harness: a group YAML per tier.

Read in lm-eval 0.4.13. Members are looked up by name, so that an unknown one fails only when it is
run. Options of a member replace those of its task; a member that is a group of its own needs
``group: true``, or the harness would give all of its tasks one name.
"""

from __future__ import annotations

from typing import Any

import yaml

from eevee.base.parsing import json_mapping, mapping, refuse, text, whole
from eevee.exporters.format import Export, Format, Listing, Task, TierTasks
from eevee.exporters.names import matches
from eevee.tiers.yaml_text import Dumper

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.:()+/-]*"


def _truth(value: object, at: str) -> bool:
    if not isinstance(value, bool):
        raise refuse(at, "true or false", value)
    return value


def _aggregate(value: object, at: str) -> list[dict[str, Any]]:
    """Metrics to average over the members: each of them needs to have it."""
    if not isinstance(value, list) or not value:
        raise refuse(at, "a list of metrics, such as [{metric: acc}]", value)
    return [_metric(one, f"{at}[{position}]") for position, one in enumerate(value)]


def _metric(value: object, at: str) -> dict[str, Any]:
    members = {"metric": value} if isinstance(value, str) else mapping(value, at)
    unknown = sorted(set(members) - {"metric", "weight_by_size"})
    if unknown:
        raise refuse(at, "the keys metric and weight_by_size", unknown[0])
    by_size = _truth(members.get("weight_by_size", False), f"{at}.weight_by_size")
    name = text(members.get("metric"), f"{at}.metric")
    return {"metric": name, "aggregation": "mean", "weight_by_size": by_size}


def _wrong(task: Task) -> str:
    return matches(_NAME, task.name, "task name of lm-eval (no spaces, commas or wildcards)")


def _member(task: Task) -> str | dict[str, Any]:
    options = dict(task.options)
    kind = "group" if options.pop("group", False) else "task"
    return {kind: task.name, **options} if options or kind == "group" else task.name


def _group(export: Export, one: TierTasks) -> str:
    content: dict[str, Any] = {
        "group": f"eevee_{one.stem}",
        "group_alias": one.tier.name,
        "task": [_member(task) for task in one.tasks],
    }
    if "aggregate" in export.options:
        content["aggregate_metric_list"] = export.options["aggregate"]
    content["metadata"] = {"version": 1.0, "eevee": list(export.about(one))}
    text = yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
    return export.comment(one) + text


FORMAT = Format(
    name="lm-eval",
    what="a group YAML per tier for lm-evaluation-harness",
    run="lm_eval run --model hf --model_args pretrained=MODEL --tasks eevee_{stem} "
    "--include_path {out}",
    files=lambda export: {f"eevee_{one.stem}.yaml": _group(export, one) for one in export.each},
    wrong=_wrong,
    task_options={
        "num_fewshot": whole(0),
        "group": _truth,
        "task_alias": text,
        "generation_kwargs": json_mapping,
    },
    options={"aggregate": _aggregate},
    listing=Listing(
        package="lm_eval",
        install="pip install lm-eval==0.4.13",
        code="from lm_eval.tasks import TaskManager; names = TaskManager().all_tasks",
    ),
)
