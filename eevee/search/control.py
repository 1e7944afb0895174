"""`RunControl`: how whoever runs a search follows it, keeps its state and stops it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from eevee.scorers.base import Advance
from eevee.search.checkpoint import Checkpoints
from eevee.search.result import Progress, ProgressHook


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True)
class RunControl:
    """What goes between a running search and its surroundings; nothing of it changes a result.

    Attributes
    ----------
    checkpoints : Checkpoints or None
        Where states are kept, to resume from.
    stop : callable
        Asked between generations; true ends the search with what is best so far.
    progress : callable or None
        Called with a `Progress` as subsets are scored.
    advance : callable or None
        Called with the number of subsets just scored outside a search.
    announce : callable or None
        Called with what is done outside a search, in words, before it begins.

    Examples
    --------
    >>> import time
    >>> end = time.monotonic() + 60
    >>> RunControl(stop=lambda: time.monotonic() > end).stop()
    False
    """

    checkpoints: Checkpoints | None = None
    stop: Callable[[], bool] = never
    progress: ProgressHook | None = None
    advance: Advance | None = None
    announce: Callable[[str], None] | None = None

    def begin(self, phase: str) -> None:
        """Announce what is done next."""
        if self.announce is not None:
            self.announce(phase)

    def within(self, name: str) -> RunControl:
        """Return the same for one part of a job, whose checkpoints are its own."""
        kept = self.checkpoints
        return self if kept is None else replace(self, checkpoints=kept.within(name))

    def without_generations(self) -> RunControl:
        """Return the same for searches inside a job: no report names a generation."""
        tell = self.progress
        if tell is None:
            return self

        def progress(report: Progress) -> None:
            tell(replace(report, generation=None))

        return replace(self, progress=progress)


UNATTENDED = RunControl()

P = ParamSpec("P")
T = TypeVar("T")


def takes_control(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function that takes `control` take what it was before, with a warning.

    That is ``watch=``, or ``checkpoints=``, ``stop=`` and ``progress=`` one by one; this goes in
    the next version.
    """

    @wraps(function)
    def wrapped(*args: P.args, **options: P.kwargs) -> T:
        before: dict[str, Any] = options
        for name in {"watch", "checkpoints", "stop", "progress"} & set(before):
            value = before.pop(name)
            warnings.warn(f"{name}= is now control=RunControl(...)", FutureWarning, stacklevel=2)
            control = before.get("control", UNATTENDED)
            whole = name == "watch"
            before["control"] = value if whole else replace(control, **{name: value})
        return function(*args, **options)

    return wrapped


Watch = RunControl
"""The name of `RunControl` up to version 0.1; goes in the next one."""
