"""SLURM: an array script per tier, with one array task per benchmark.

Names are elements of shell arrays, quoted; the command sees them as ``"${task[i]}"``, so that none
of them is ever read as a command. The script holds its own list: sbatch runs a copy of it.
"""

from __future__ import annotations

from typing import Any

from eevee.base.commands import quoted
from eevee.base.errors import EeveeError
from eevee.base.parsing import refuse, text, whole
from eevee.exporters.format import Export, Format, Task, TierTasks
from eevee.exporters.formats.text import line_problem
from eevee.exporters.names import command_option

_OWN = ("benchmark", "task", "tier")


def _wrong(task: Task) -> str:
    own = [name for name in task.options if name in _OWN]
    if own:
        return f"the option {own[0]!r} is what EEVEE fills in itself; rename it"
    texts = [value for value in task.options.values() if isinstance(value, str)]
    plain = [task.name, task.benchmark, *texts]
    return next((f"{one!r} has control characters" for one in plain if not one.isprintable()), "")


def _directives(value: object, at: str) -> list[str]:
    if not isinstance(value, list):
        raise refuse(at, "a list of options, such as ['--gres=gpu:1']", value)
    for one in value:
        if line_problem(text(one, at)) or not one.startswith("-") or one.startswith("--array"):
            raise EeveeError(f"{at}: {one!r} is not an option of sbatch in one line")
    return [str(one) for one in value]


def _values(one: TierTasks, task: Task) -> dict[str, Any]:
    return {"benchmark": task.benchmark, "task": task.name, "tier": one.stem, **task.options}


def _unfit(export: Export) -> str:
    if "command" not in export.options:
        return "needs a command, such as --command 'python eval.py --benchmark {task}'"
    command = export.options["command"]
    if not {"task", "benchmark"} & set(command.names):
        return "options: command: runs the same for every benchmark; put {task} in it"
    found = (command.unknown(_values(one, task)) for one in export.each for task in one.tasks)
    return next(filter(None, found), "")


def _script(export: Export, one: TierTasks) -> str:
    command, limit = export.options["command"], export.options.get("array_limit")
    directives = [
        f"--job-name=eevee_{one.stem}",
        f"--array=0-{len(one.tasks) - 1}{'' if limit is None else f'%{limit}'}",
        *export.options.get("sbatch", []),
    ]
    arrays = "".join(
        f"eevee_{name}=(\n"
        + "".join(f"  {quoted(_values(one, task)[name])}\n" for task in one.tasks)
        + ")\n"
        for name in command.names
    )
    words = command.put(lambda name: f'"${{eevee_{name}[$SLURM_ARRAY_TASK_ID]}}"')
    head = "".join(f"#SBATCH {one}\n" for one in directives)
    return f"#!/bin/bash\n{head}{export.comment(one)}set -euo pipefail\n{arrays}{words}\n"


FORMAT = Format(
    name="slurm",
    what="a SLURM array script per tier",
    run="sbatch {out}/{stem}.sbatch",
    files=lambda export: {f"{one.stem}.sbatch": _script(export, one) for one in export.each},
    wrong=_wrong,
    unfit=_unfit,
    task_options=None,
    options={"command": command_option, "array_limit": whole(1), "sbatch": _directives},
)
