"""MTEB: a Python module with a `Benchmark` per tier.

Read in mteb 2.26.24: a `Benchmark` needs a name and tasks; an unknown task is a `KeyError`.
"""

from __future__ import annotations

from typing import Any

from eevee.base.parsing import Parse, refuse, text
from eevee.exporters.format import Export, Format, Listing, Task, TierTasks
from eevee.exporters.names import matches

_NAME = r"[A-Za-z0-9][A-Za-z0-9_.+-]*"


def _texts(value: object, at: str) -> list[str]:
    if not isinstance(value, list) or not value:
        raise refuse(at, "a list of texts", value)
    return [text(one, f"{at}[{position}]") for position, one in enumerate(value)]


_OPTIONS: dict[str, Parse[Any]] = {
    "languages": _texts,
    "eval_splits": _texts,
    "hf_subsets": _texts,
}


def _wrong(task: Task) -> str:
    return matches(_NAME, task.name, "task name of MTEB")


def _task(task: Task) -> str:
    options = "".join(f", {name}={value!r}" for name, value in task.options.items())
    return f"        mteb.get_task({task.name!r}{options}),\n"


def _benchmark(export: Export, one: TierTasks) -> str:
    description = "; ".join(export.about(one))
    return (
        f"{export.comment(one)}"
        f"tier_{one.stem} = mteb.Benchmark(\n"
        f"    name={f'EEVEE({one.tier.name})'!r},\n"
        f"    description={description!r},\n"
        f"    tasks=[\n{''.join(map(_task, one.tasks))}    ],\n)\n"
    )


def _files(export: Export) -> dict[str, str]:
    tiers = "".join(f"    {one.tier.name!r}: tier_{one.stem},\n" for one in export.each)
    body = "\n".join(_benchmark(export, one) for one in export.each)
    return {"eevee_tiers.py": f"import mteb\n\n{body}\nTIERS = {{\n{tiers}}}\n"}


FORMAT = Format(
    name="mteb",
    what="a Python module with an MTEB Benchmark per tier",
    run='cd {out} && python -c "import mteb, eevee_tiers; '
    "mteb.evaluate(mteb.get_model('MODEL'), eevee_tiers.tier_{stem})\"",
    files=_files,
    wrong=_wrong,
    task_options=_OPTIONS,
    listing=Listing(
        package="mteb",
        install="pip install mteb==2.26.24",
        code="import mteb; names = [one.metadata.name for one in mteb.get_tasks()]",
    ),
)
