"""Printing: results to standard output, progress to standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from eevee.base.visible import visible

if TYPE_CHECKING:
    from eevee.search.result import Progress
    from eevee.splits.near_duplicates import Leak

PIPE_WIDTH = 120
_NAME = 10
"""Letters of a name, or of a word above a column, that stay in one line."""
_RULE = 3
"""Letters between two columns."""
PLAIN_EVERY = 5.0
"""Seconds before a line of progress, and between two, where there is no terminal."""


def console() -> Console:
    """Return a console on standard output; a fixed width where there is no terminal."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def print_json(content: object) -> None:
    """Print JSON on standard output; NaN becomes null."""
    from eevee.report.run_folder import plain

    ascii_only = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
    text = json.dumps(plain(content), indent=2, ensure_ascii=ascii_only, allow_nan=False)
    print(text, flush=True)


def warn_of_leak(leak: Leak | None) -> None:
    """Say on standard error that near-duplicates are on two sides of a split, if any are.

    It is about the data, not progress: said when quiet, too.
    """
    if leak is None:
        return
    say(
        f"warning: {leak.words} and on two sides of a split, so that losses are too good; keep "
        "them together: --group-duplicates"
    )


def say(text: str) -> None:
    """Write one line on standard error; where nobody can read it, that ends nothing."""
    with suppress(OSError, ValueError, AttributeError):
        print(visible(text), file=sys.stderr, flush=True)


def print_table(
    title: str,
    columns: Iterable[str],
    rows: Iterable[Iterable[Any]],
    *,
    most: int | None = None,
    rest: str = "--verbose has all",
) -> None:
    """Print a title and a table; numbers to the right, names as they are.

    Names fold where the terminal is narrow; numbers never do: the last columns of numbers are
    left out. Of more than `most` rows the first are shown, and `rest` says where the others are.
    """
    print_line(title)
    shown, names = console(), [visible(name) for name in columns]
    filled = [[_text(cell) for cell in row] for row in rows]
    more = 0 if most is None else max(len(filled) - most, 0)
    filled = filled[: len(filled) - more]
    made = [_Column(name, [row[i] for row in filled]) for i, name in enumerate(names)]
    kept = _fitting(made, shown.width)
    table = Table(show_edge=False, pad_edge=False)
    for i, width in zip(kept, _widths([made[i] for i in kept], shown.width), strict=True):
        side: JustifyMethod = "right" if made[i].numeric else "left"
        table.add_column(Text(names[i]), justify=side, overflow="fold", width=width)
    for row in filled:
        table.add_row(*(Text(row[i][0]) for i in kept))
    shown.print(table)
    if more:
        print_line(f"... and {more:,} more rows: {rest}")
    if len(kept) < len(made):
        left = ", ".join(name for i, name in enumerate(names) if i not in kept)
        print_line(f"(too narrow for: {left}; --json has all)")


class _Column:
    """How wide a column must be, for its numbers and short words, and would be."""

    def __init__(self, name: str, cells: Sequence[tuple[str, bool]]) -> None:
        self.numeric = bool(cells) and all(is_number for _, is_number in cells)
        longest = max((cell_len(text) for text, _ in cells), default=0)
        self.blank = not longest
        word = max((cell_len(word) for word in name.split()), default=0)
        self.least = max(min(word, _NAME), longest if self.numeric else min(longest, _NAME))
        self.most = max(cell_len(name), longest)


def _fitting(columns: Sequence[_Column], width: int) -> list[int]:
    """Places of the columns that fit beside one another."""
    kept = list(range(len(columns)))
    while sum(columns[i].least + _RULE for i in kept) - _RULE > width:
        numeric = [i for i in kept if columns[i].numeric]
        if len(kept) < 3 or not numeric:
            break
        blank = [i for i in numeric if columns[i].blank]
        kept.remove((blank or numeric)[-1])
    return kept


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Share out what is left when each has the least: one letter each, in turn."""
    widths = [column.least for column in columns]
    spare = width - sum(widths) - _RULE * (len(widths) - 1)
    while spare > 0 and any(w < c.most for w, c in zip(widths, columns, strict=True)):
        for i, column in enumerate(columns):
            if spare > 0 and widths[i] < column.most:
                widths[i] += 1
                spare -= 1
    return widths


def print_line(text: str = "") -> None:
    """Print one line of plain text; only a terminal's width wraps it."""
    console().print(Text(visible(text)), soft_wrap=not sys.stdout.isatty())


def print_written(out: Path | None) -> None:
    """Say where a run folder is, if there is one."""
    if out is not None:
        print_line(f"written to {out}")


def number(value: float | None) -> str:
    """Write a number with four digits, a dash where it is blank."""
    return "-" if value is None or value != value else f"{value:.4g}"  # noqa: PLR0124


def _text(cell: Any) -> tuple[str, bool]:
    """Text of a cell and whether it is a number (or a blank)."""
    if cell is None or cell != cell:  # noqa: PLR0124
        return "", True
    if isinstance(cell, float):
        return f"{cell:.4g}", True
    return visible(str(cell)), isinstance(cell, int)


class Reporter:
    """Progress of one or several searches on standard error: a live line, or plain lines."""

    def __init__(self, bar: Bar, searches: int, *, quiet: bool) -> None:
        self._bar = bar
        self._searches = searches
        self._quiet = quiet
        self._plain_lines = not quiet and not bar.console.is_terminal
        self._task = bar.add_task("preparing", total=None)
        self._parts: dict[str, tuple[int, int]] = {}
        self._outside = 0
        self._begun = time.monotonic()
        self._written = self._begun

    def search(self, progress: Progress) -> None:
        """Take the report of a search."""
        self._parts[progress.label] = (progress.done, progress.total)
        best = "" if progress.best is None else f" best {progress.best:.4g}"
        mean = "" if progress.mean is None else f" mean {progress.mean:.4g}"
        self._show(f"{progress.label}:{best}{mean}", self._total(progress.total))
        now = time.monotonic()
        if self._plain_lines and now >= self._written + PLAIN_EVERY:
            self._written = now
            self._write(progress)

    def advance(self, count: int) -> None:
        """Count subsets that were scored outside a search."""
        self._outside += count
        self._show("scoring", None)

    def say(self, text: str) -> None:
        """Write a line above the live one."""
        if not self._quiet:
            with suppress(OSError):  # a full disk or a closed pipe: progress ends no run
                self._bar.console.print(Text(visible(text)), soft_wrap=True)

    def _write(self, progress: Progress) -> None:
        rate = self._done / max(time.monotonic() - self._begun, 1e-3)
        left = max(0, self._total(progress.total) - self._done) / rate
        when = "" if progress.generation is None else f"generation {progress.generation}, "
        self.say(
            f"{progress.label}: {when}{progress.done} of at most {progress.total} subsets, "
            f"best {number(progress.best)}, mean {number(progress.mean)}, {rate:.0f} subsets/s, "
            f"at most {left:.0f} s left"
        )

    def _show(self, description: str, total: int | None) -> None:
        self._bar.update(self._task, description=description, completed=self._done, total=total)

    def _total(self, one: int) -> int:
        still = max(0, self._searches - len(self._parts))
        return sum(total for _, total in self._parts.values()) + still * one + self._outside

    @property
    def _done(self) -> int:
        return sum(done for done, _ in self._parts.values()) + self._outside


class _Rate(ProgressColumn):
    """Subsets per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.0f}/s")


@contextmanager
def progress_bar(quiet: bool, searches: int = 1) -> Iterator[Reporter]:
    """Show progress on standard error: a live line, plain lines where there is no terminal."""
    err = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("subsets"),
        _Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bar(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as bar:
        yield Reporter(bar, searches, quiet=quiet)
