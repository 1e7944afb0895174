"""Markdown tables: pipes, a row of dashes below the header, links and bold in the cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from eevee.base.bounded import TooLarge
from eevee.readers.headers import without_markup
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

_DASHES = re.compile(r":?-{1,200}:?")


def markdown_records(
    text: str, source: str, most: float = math.inf
) -> tuple[list[Record], list[Note]] | None:
    """Return the rows of the first Markdown table of a text, None where there is none.

    Parameters
    ----------
    text : str
    source : str
        For notes.
    most : float
        Cells that it may have; `TooLarge` is raised beyond.

    Examples
    --------
    >>> text = "# Zoo\\n\\n| Model | a |\\n|:--|--:|\\n| [`m1`](x) | **1.5** |\\n| m2 | 2 |\\n"
    >>> records, notes = markdown_records(text, "zoo.md")
    >>> records
    [(3, ['Model', 'a']), (5, ['m1', '1.5']), (6, ['m2', '2'])]
    """
    lines = text.splitlines()
    places = [i for i, line in enumerate(lines) if i and "|" in line and _is_separator(line)]
    places = [i for i in places if "|" in lines[i - 1]]
    if not places:
        return None
    first = places[0]
    end = next((i for i in range(first + 1, len(lines)) if "|" not in lines[i]), len(lines))
    width = len(_cells(lines[first]))
    if width * (end - first) > most:
        raise TooLarge
    rows = [first - 1, *range(first + 1, end)]
    records = [(i + 1, _fitted(_cells(lines[i]), width)) for i in rows]
    others = sum(i > end for i in places)
    notes = []
    if others:
        why = f"holds {others + 1} tables: only the first, at line {first}, is read"
        notes.append(Note("ignored", "file", source, why))
    return [record for record in records if any(record[1])], notes


def _is_separator(line: str) -> bool:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return all(_DASHES.fullmatch(cell) for cell in cells)


def _cells(line: str) -> list[str]:
    """Cut a row at its pipes, except escaped ones and those inside of code."""
    cells, current, code = [], "", False
    plain = line.strip()
    for place, letter in enumerate(plain):
        escaped = place > 0 and plain[place - 1] == "\\"
        if letter == "`":
            code = not code and "`" in plain[place + 1 :]
        if letter == "|" and not escaped and not code:
            cells.append(current)
            current = ""
        else:
            current += letter
    cells.append(current)
    if plain.startswith("|"):
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].strip() and plain.endswith("|"):
        cells = cells[:-1]
    return [without_markup(cell.replace("\\|", "|")) for cell in cells]


def _fitted(cells: Sequence[str], width: int) -> list[str]:
    """Fill a short row with empty cells, as Markdown does."""
    return [*cells, *[""] * (width - len(cells))]
