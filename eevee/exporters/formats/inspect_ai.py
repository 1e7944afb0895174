"""Inspect: a list of task specifications per tier, for ``inspect eval-set``.

Inspect has no file of several tasks, so this is plain text; its command line takes the names.
"""

from __future__ import annotations

from eevee.exporters.format import Format, Task
from eevee.exporters.formats.text import task_lists
from eevee.exporters.names import matches

_NAME = r"[A-Za-z0-9_./][A-Za-z0-9_./-]*(@[A-Za-z_][A-Za-z0-9_]*)?"


def _wrong(task: Task) -> str:
    return matches(_NAME, task.name, "task of Inspect (inspect_evals/gsm8k, file.py@task)")


FORMAT = Format(
    name="inspect",
    what="a task list per tier for inspect eval-set",
    run="inspect eval-set $(grep -v '^#' {out}/{stem}.txt) --model MODEL --log-dir LOGS",
    files=task_lists,
    wrong=_wrong,
)
