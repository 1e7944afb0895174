"""lighteval: a task list per tier.

Read in lighteval 0.13: ``task|examples`` per line, ``#`` begins a comment; the form of earlier
versions, ``suite|task|examples``, is taken from the mapping as it is. lighteval loads its tasks
from the network, so that only the grammar is checked.
"""

from __future__ import annotations

import re

from eevee.base.parsing import whole
from eevee.exporters.format import Export, Format, Task
from eevee.exporters.names import matches

_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.:+/()-]*"
_NAME = rf"({_WORD}(\|{_WORD})?\|[0-9]+|{_WORD})"


def _wrong(task: Task) -> str:
    if "|" in task.name and "num_fewshot" in task.options:
        return f"{task.name!r} says how many examples it has; drop num_fewshot"
    return matches(_NAME, task.name, "task of lighteval (task, or task|examples)")


def _line(task: Task) -> str:
    if re.search(r"\|[0-9]+$", task.name):
        return f"{task.name}\n"
    return f"{task.name}|{task.options.get('num_fewshot', 0)}\n"


def _files(export: Export) -> dict[str, str]:
    return {
        f"{one.stem}.txt": export.comment(one) + "".join(map(_line, one.tasks))
        for one in export.each
    }


FORMAT = Format(
    name="lighteval",
    what="a task list per tier for lighteval",
    run="lighteval accelerate model_name=MODEL {out}/{stem}.txt",
    files=_files,
    wrong=_wrong,
    task_options={"num_fewshot": whole(0)},
)
