"""Progress on standard error: one live line on a terminal, else a line every few seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from eevee.base.visible import visible
from eevee.cli.printing import PLAIN_EVERY, number
from eevee.running.duration import in_words

if TYPE_CHECKING:
    from eevee.search.result import Progress

_LOOK_EVERY = 0.5
"""Seconds between two looks at whether a line is due while nothing is reported."""


@dataclass
class _Phase:
    """What is going on, and how far it is.

    Attributes
    ----------
    name : str
    begun : float
        When, on the monotonic clock.
    done, total, before
        As in `eevee.search.result.Progress`.
    losses, generation : str
        In words, "" where there is none.
    """

    name: str
    begun: float
    done: int = 0
    total: int | None = None
    before: int = 0
    losses: str = ""
    generation: str = ""

    def counts(self, now: float) -> list[str]:
        """Say how many subsets are scored, how fast, and how long the rest of the phase takes."""
        if not self.done:
            return []
        of = "" if self.total is None else f" of at most {self.total}"
        rate = (self.done - self.before) / max(now - self.begun, 1e-3)
        speed = f"{rate:.0f}" if rate >= 9.5 else f"{rate:.2g}"
        said = [f"{self.done}{of} subsets", self.losses, f"{speed} subsets/s"]
        left = (self.total - self.done) / rate if self.total is not None and rate else 0.0
        if left >= 1:
            said.append(f"at most {in_words(left)} left in this phase")
        return [part for part in said if part]

    def line(self, now: float, *, elapsed: bool) -> str:
        """Say all of it in one line."""
        seconds = now - self.begun
        so_far = [f"{in_words(seconds)} so far"] if elapsed and seconds >= 1 else []
        said = ", ".join([*filter(None, [self.generation]), *self.counts(now), *so_far])
        return f"{self.name}: {said}" if said else self.name


class Reporter:
    """Takes the reports of one or several searches, and of what is done beside them.

    Parameters
    ----------
    bar : rich.progress.Progress
        The live line; disabled where there is no terminal.
    searches : int
        How many there will be.
    quiet : bool
    """

    def __init__(self, bar: Bar, searches: int, *, quiet: bool) -> None:
        self._bar = bar
        self._searches = searches
        self._quiet = quiet
        self.plain_lines = not quiet and not bar.console.is_terminal
        self._labels: dict[str, None] = {}
        self._lock = threading.RLock()
        self._written = time.monotonic()
        self._shown = ""
        self._phase = _Phase("preparing", self._written)
        self._task = bar.add_task("preparing", total=None, counts="")

    def search(self, progress: Progress) -> None:
        """Take the report of a search."""
        self._labels[progress.label] = None
        place = len(self._labels)
        among = f" ({place} of {self._searches} searches)" if self._searches > 1 else ""
        name = progress.label + (among if place <= self._searches else "")
        name += f", {progress.phase}" if progress.phase else ""
        with self._lock:
            self._enter(name, again=progress.done < self._phase.done)
            phase = self._phase
            phase.done, phase.total = progress.done, progress.total
            phase.before = progress.before
            when = progress.generation
            phase.generation = "" if when is None else f"generation {when}"
            said = (("best", progress.best), ("mean", progress.mean))
            known = [f"{word} {number(value)}" for word, value in said if value is not None]
            phase.losses = ", ".join(known)
            self._show()

    def begin(self, name: str) -> None:
        """Take note of what is done next, outside a search."""
        with self._lock:
            self._enter(name, again=True)
            self._show()

    def counting(self, name: str) -> Callable[[int], None]:
        """Begin what is done next, outside a search, and return what counts its subsets."""
        self.begin(name)
        return self.advance

    def advance(self, count: int) -> None:
        """Count subsets that were scored outside a search."""
        with self._lock:
            self._phase.done += count
            self._show()

    def say(self, text: str) -> None:
        """Write a line above the live one."""
        if not self._quiet:
            with suppress(OSError):  # a full disk or a closed pipe: progress ends no run
                self._bar.console.print(Text(visible(text)), soft_wrap=True)

    def write_if_due(self) -> None:
        """Write a plain line where the last one is some seconds ago."""
        with self._lock:
            now = time.monotonic()
            if not self.plain_lines or now < self._written + PLAIN_EVERY:
                return
            self._written = now
            line = self._phase.line(now, elapsed=False)
            if line == self._shown or not self._phase.done:
                self.say(self._phase.line(now, elapsed=True))
            else:
                self.say(line)
            self._shown = line

    def _enter(self, name: str, *, again: bool = False) -> None:
        if name == self._phase.name and not again:
            return
        self._phase = _Phase(name, time.monotonic())
        self._bar.reset(self._task, total=None)

    def _show(self) -> None:
        phase = self._phase
        said = ", ".join(phase.counts(time.monotonic()))
        total = phase.total
        self._bar.update(
            self._task, description=phase.name, completed=phase.done, total=total, counts=said
        )
        self.write_if_due()


@contextmanager
def progress_bar(quiet: bool, searches: int = 1) -> Iterator[Reporter]:
    """Show progress on standard error: a live line, plain lines where there is no terminal."""
    err = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[counts]}", markup=False),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as bar:
        reporter = Reporter(bar, searches, quiet=quiet)
        with _looking(reporter):
            yield reporter


@contextmanager
def _looking(reporter: Reporter) -> Iterator[None]:
    """Let plain lines come while nothing is reported, too."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_EVERY):
            reporter.write_if_due()

    thread = threading.Thread(target=look, daemon=True)
    if reporter.plain_lines:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if reporter.plain_lines:
            thread.join()
