"""What a run shows on standard error: a live table on a terminal, else a line now and then.

Failures are always said.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from eevee.base.visible import visible
from eevee.cli.printing import PLAIN_EVERY, say

if TYPE_CHECKING:
    from eevee.running.devices import Slot
    from eevee.running.plan import Job, Plan
    from eevee.running.runner import Standing, Step


class RunProgress:
    """Takes the news of a run, from several threads."""

    def __init__(self, plan: Plan, before: Standing, slots: tuple[Slot, ...]) -> None:
        self._total = len(plan.jobs)
        self._done = len(before.done)
        self._failed = 0
        self._lock = threading.Lock()
        self._slots = slots
        self._running: dict[int, tuple[Job, float]] = {}
        self._said = time.monotonic()

    def take(self, step: Step, every: float = math.inf) -> str:
        """Take note of a step; return what is to be said of it, "" if nothing.

        A failure, and a command that ended after nothing was said for so many seconds.
        """
        from eevee.running.duration import in_words
        from eevee.running.runner import Failure

        with self._lock:
            key = next(i for i, slot in enumerate(self._slots) if slot is step.slot)
            if step.ended is None:
                self._running[key] = (step.job, time.monotonic())
                return ""
            _, begun = self._running.pop(key)
            failed = isinstance(step.ended, Failure)
            self._failed += failed
            self._done += not failed
            head = f"{self._done}/{self._total} {step.job.model} on {step.job.benchmark}"
            quiet = time.monotonic() - self._said < every
            if not failed and quiet:
                return ""
            self._said = time.monotonic()
        took = in_words(time.monotonic() - begun)
        if isinstance(step.ended, Failure):
            return f"{head}: failed after {took}: {step.ended.why}"
        scores = step.ended.result.scores.items()
        shown = ", ".join(f"{name} {score:.4g}".strip() for name, score in scores)
        return f"{head}: {shown} in {took}"

    def __rich__(self) -> Table:
        """Draw a row per slot."""
        from eevee.running.duration import in_words

        with self._lock:
            running = dict(self._running)
            title = f"{self._done} of {self._total} done, {self._failed} failed"
        table = Table("on", "model", "benchmark", "time", title=title, title_justify="left")
        for i, slot in enumerate(self._slots):
            if i in running:
                job, begun = running[i]
                cells = (slot.name, job.model, job.benchmark, in_words(time.monotonic() - begun))
                table.add_row(*(Text(visible(cell)) for cell in cells))
        return table


@contextmanager
def run_progress(
    plan: Plan, before: Standing, slots: tuple[Slot, ...], *, quiet: bool
) -> Iterator[Callable[[Step], None]]:
    """Give what takes the news of a run."""
    progress = RunProgress(plan, before, slots)
    err = Console(stderr=True, highlight=False)
    if quiet:
        yield lambda step: None
        return
    if not err.is_terminal:
        yield lambda step: _say(progress.take(step, PLAIN_EVERY))
        return

    def show(step: Step) -> None:
        line = progress.take(step)
        if line:
            err.print(Text(visible(line)), soft_wrap=True)

    with Live(progress, console=err, refresh_per_second=4, transient=True):
        yield show


def _say(line: str) -> None:
    if line:
        say(line)
