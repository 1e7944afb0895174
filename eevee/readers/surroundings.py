"""Lines of a file that are no part of its table: titles, comments, repeated headers, footers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from eevee.readers.headers import are_names, is_name
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

_COMMENT = ("#", "//", "%%", "<!--")
_SAMPLE = 200
_REMARK = re.compile(r"(?:source|notes?|legend|caption|(?:last )?updated?)\b|[*†‡¹]", re.IGNORECASE)


def trim(records: list[Record], source: str) -> tuple[list[Record], list[Note]]:
    """Leave out lines around and inside a table that are no rows of it, with a note each.

    Parameters
    ----------
    records : list of (line, cells)
        Not empty ones.
    source : str

    Examples
    --------
    >>> lines = ["Table 2: accuracy", "# seed 0", "model,a,b", "x,1,2", "y,2,1", "Source: us"]
    >>> records = [(i, line.split(",")) for i, line in enumerate(lines, start=1)]
    >>> kept, notes = trim(records, "x.csv")
    >>> [line for line, _ in kept], [note.why for note in notes]
    ([3, 4, 5], ['rows 1, 2 above the header are no part of the table: skipped', \
'row 6 below the table is no part of it: skipped'])
    """
    width = _usual_width(records)
    if width < 2 or len(records) < 3:
        return records, []
    start = _header_place(records, width)
    above, records = records[:start], records[start:]
    if records[0][1][0].startswith("#") and are_names(records[0][1]) and above_is_data(records):
        line, cells = records[0]
        records = [(line, [cells[0].lstrip("# "), *cells[1:]]), *records[1:]]
    comments = [r for r in records[1:] if _is_comment(r[1], width)]
    records = [r for r in records if r not in comments]
    header = _lower(records[0][1])
    repeated = [r for r in records[1:] if _lower(r[1]) == header and are_names(r[1])]
    records = [r for r in records if r is records[0] or r not in repeated]
    end = len(records)
    while end > 2 and width > 2 and _is_footer(records[end - 1][1], width):
        end -= 1
    records, below = records[:end], records[end:]
    sections = [r for r in records[1:] if width > 2 and len(r[1]) == 1 and is_name(r[1][0])]
    records = [r for r in records if r is records[0] or r not in sections]
    notes = [
        _note(source, above, "above the header are no part of the table", "is no part of it"),
        _note(source, comments, "are comments", "is a comment"),
        _note(source, repeated, "repeat the header", "repeats the header"),
        _note(source, sections, "head sections of the table", "heads a section of the table"),
        _note(source, below, "below the table are no part of it", "is no part of it"),
    ]
    return records, [note for note in notes if note is not None]


def above_is_data(records: Sequence[Record]) -> bool:
    """Tell whether what follows the first row holds numbers."""
    return any(cell and not is_name(cell) for cell in records[1][1][1:])


def _usual_width(records: Sequence[Record]) -> int:
    widths = Counter(len(cells) for _, cells in records[:_SAMPLE])
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _header_place(records: Sequence[Record], width: int) -> int:
    """Return the place of the header row: behind titles and comments, if there are any."""
    for place, (_, cells) in enumerate(records[: len(records) - 1]):
        filled = [cell for cell in cells if cell]
        titled = len(filled) == 1 and bool(cells[0]) and width > 1
        narrow = len(cells) < width - 1
        comment = _is_comment(cells, width)
        if not (titled or narrow or comment):
            return place
        if not (comment or are_names(_next(records, place))):
            return 0  # what follows is no header row: this one may be one that is too short
    return 0


def _next(records: Sequence[Record], place: int) -> list[str]:
    """Return the first row below a place that is neither a title nor a comment."""
    rows = [cells for _, cells in records[place + 1 : place + 12]]
    return next((cells for cells in rows if sum(map(bool, cells)) > 1), [])


def _is_comment(cells: Sequence[str], width: int) -> bool:
    """Tell a comment from a row whose first name begins with the same sign."""
    if not cells[0].startswith(_COMMENT):
        return False
    filled = sum(map(bool, cells))
    return len(cells) != width or (filled == 1 and width > 1)


def _lower(cells: Sequence[str]) -> list[str]:
    return [cell.casefold() for cell in cells]


def _is_footer(cells: Sequence[str], width: int) -> bool:
    """Tell a remark below the table, perhaps with commas, from a row of it."""
    if len(cells) == 1 or len(cells) >= width:
        return len(cells) == 1
    return bool(_REMARK.match(cells[0])) or all(map(is_name, filter(None, cells)))


def _note(source: str, records: Sequence[Record], many: str, one: str) -> Note | None:
    if not records:
        return None
    lines = ", ".join(str(line) for line, _ in records[:5]) + (", ..." if len(records) > 5 else "")
    if len(records) > 1:
        return Note("ignored", "file", source, f"rows {lines} {many}: skipped")
    place = (
        "above the header " if "above" in many else "below the table " if "below" in many else ""
    )
    return Note("ignored", "file", source, f"row {lines} {place}{one}: skipped")
