"""Printing: results to standard output, what else is to be said to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from eevee.base.visible import visible

if TYPE_CHECKING:
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
