"""Printing: results to standard output, progress to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from eevee.search.result import Progress

PIPE_WIDTH = 120


def console() -> Console:
    """Return a console on standard output; a fixed width where there is no terminal."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def print_json(content: object) -> None:
    """Print JSON on standard output; NaN becomes null."""
    from eevee.runs import plain

    ascii_only = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
    text = json.dumps(plain(content), indent=2, ensure_ascii=ascii_only, allow_nan=False)
    print(text, flush=True)


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Print a title and a table; numbers to the right, names as they are."""
    print_line(title)
    filled = [[_text(cell) for cell in row] for row in rows]
    table = Table(show_edge=False, pad_edge=False)
    for i, name in enumerate(columns):
        numeric = all(row[i][1] for row in filled) if filled else False
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in filled:
        table.add_row(*(Text(text) for text, _ in row))
    console().print(table)


def print_line(text: str = "") -> None:
    """Print one line of plain text; only a terminal's width wraps it."""
    console().print(Text(text), soft_wrap=not sys.stdout.isatty())


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
    return str(cell), isinstance(cell, int)


class Reporter:
    """One progress bar over one or several searches, on standard error."""

    def __init__(self, bar: Bar, searches: int) -> None:
        self._bar = bar
        self._searches = searches
        self._task = bar.add_task("preparing", total=None)
        self._parts: dict[str, tuple[int, int]] = {}
        self._plain = 0

    def search(self, progress: Progress) -> None:
        """Take the report of a search."""
        self._parts[progress.label] = (progress.done, progress.total)
        best = "" if progress.best is None else f", best {progress.best:.4g}"
        still = max(0, self._searches - len(self._parts))
        total = sum(total for _, total in self._parts.values()) + still * progress.total
        self._show(f"{progress.label}{best}", total)

    def advance(self, count: int) -> None:
        """Count subsets that were scored outside a search."""
        self._plain += count
        self._show("scoring", None)

    def _show(self, description: str, total: int | None) -> None:
        done = sum(done for done, _ in self._parts.values()) + self._plain
        self._bar.update(self._task, description=description, completed=done, total=total)


@contextmanager
def progress_bar(quiet: bool, searches: int = 1) -> Iterator[Reporter]:
    """Show a progress bar on standard error, unless it is no terminal or `quiet`."""
    err = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("subsets"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as bar:
        yield Reporter(bar, searches)
