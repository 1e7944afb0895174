"""Plain text: a benchmark per line, after comments that begin with ``#``."""

from __future__ import annotations

from eevee.exporters.format import Export, Format, Task


def line_problem(name: str) -> str:
    """Return what keeps a name from being a line of its own, or ""."""
    if name != name.strip() or not name.isprintable() or not name:
        return f"{name!r} does not fit in a line (control characters, or blanks at its ends)"
    return f"{name!r} would be a comment" if name.startswith("#") else ""


def _wrong(task: Task) -> str:
    return line_problem(task.name)


def task_lists(export: Export) -> dict[str, str]:
    """Return a file per tier: comments, then a task per line."""
    return {
        f"{one.stem}.txt": export.comment(one) + "".join(f"{task.name}\n" for task in one.tasks)
        for one in export.each
    }


FORMAT = Format(
    name="text",
    what="a list of benchmarks per tier",
    run="grep -v '^#' {out}/{stem}.txt",
    files=task_lists,
    wrong=_wrong,
)
