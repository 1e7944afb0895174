"""`Grid`: a rectangle of text cells that knows where each cell stood in its source."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.readers.cells import CellError, is_missing, parse_cell, parse_plain
from eevee.tables.results_table import Note, SourceColumn

JOINT = "|"
"""What joins the parts of a model's name when several columns make it."""


@dataclass(frozen=True)
class Grid:
    """Header and rows of text, as wide as each other, cells stripped.

    Attributes
    ----------
    source : str
        File name, for messages.
    header : tuple of str
    rows : tuple of tuples of str
    lines : tuple of int
        Line number of each row, as an editor shows it.
    decimal_comma : bool
        Whether 0,85 means 0.85.
    sha256 : str
    words : str
        How the source was cut into cells, e.g. ``"separated by ';'"``.
    notes : tuple of Note
    directions : mapping of column name to "higher" or "lower"
        Where the header says so.
    roles : mapping of column name to "score" or "proxy"
        Where the table lies on its side and says so.
    void : frozenset of float
        Numbers that mean "not measured".
    aside : tuple of SourceColumn
        Columns that were left out of the grid.
    """

    source: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    decimal_comma: bool = False
    sha256: str = ""
    words: str = ""
    notes: tuple[Note, ...] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    void: frozenset[float] = frozenset()
    aside: tuple[SourceColumn, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.header)

    def column(self, j: int) -> list[str]:
        """Return the cells of one column, top to bottom."""
        return [row[j] for row in self.rows]

    def label(self, j: int) -> str:
        """Name a column in a message: its name, else its place."""
        return (
            f"column {self.header[j]!r}" if self.header[j] else f"column {j + 1} (without a name)"
        )

    def error(self, i: int, j: int, text: str) -> EeveeError:
        """Make an error about one cell."""
        return EeveeError(f"{self.source}: row {self.lines[i]}, {self.label(j)}: {text}")

    def number(self, i: int, j: int) -> float:
        """Read one cell as a number, NaN where missing; an error names the cell."""
        try:
            value = parse_cell(self.rows[i][j], self.decimal_comma)
        except CellError as wrong:
            hint = "" if wrong.kind != "text" else ", or name what means missing (--missing)"
            raise self.error(i, j, f"{wrong}{hint}") from None
        return math.nan if value in self.void else value

    @cached_property
    def _parsed(self) -> dict[int, FloatArray | None]:
        return {}

    def parsed(self, j: int) -> FloatArray | None:
        """Return one column as numbers, NaN where missing; None if a cell is no number."""
        if j not in self._parsed:
            cells = self.column(j)
            values = None if self.decimal_comma else parse_plain(cells)
            self._parsed[j] = self._one_by_one(cells) if values is None else values
        return self._parsed[j]

    def _one_by_one(self, cells: Sequence[str]) -> FloatArray | None:
        try:
            return np.array([parse_cell(cell, self.decimal_comma) for cell in cells], np.float64)
        except CellError:
            return None

    def numbers(self, j: int) -> FloatArray:
        """Read one column as numbers; an error names the first cell that is none."""
        values = self.parsed(j)
        if values is None:
            values = np.array([self.number(i, j) for i in range(len(self.rows))], dtype=np.float64)
        return np.where(np.isin(values, list(self.void)), np.nan, values) if self.void else values

    def is_text(self, j: int) -> bool:
        """Tell whether at least half of the cells that hold something are plain text."""
        if self.parsed(j) is not None:
            return False
        present = [cell for cell in self.column(j) if not is_missing(cell)]
        return bool(present) and 2 * sum(map(self.holds_text, present)) >= len(present)

    def values(self, j: int) -> list[object]:
        """Read one column as attributes: numbers if all are, else text (None where missing)."""
        cells = self.column(j)
        try:
            return [parse_cell(cell, self.decimal_comma) for cell in cells]
        except CellError:
            return [None if is_missing(cell) else cell for cell in cells]

    def find(self, name: str) -> int:
        """Return the place of a named column; an error lists the names there are."""
        if name not in self.header:
            known = ", ".join(repr(known) for known in self.header[:12] if known)
            raise EeveeError(f"{self.source}: no column {name!r} in the header ({known}, ...)")
        return self.header.index(name)

    def take(self, columns: Sequence[int]) -> Grid:
        """Keep some columns."""
        return replace(
            self,
            header=tuple(self.header[j] for j in columns),
            rows=tuple(tuple(row[j] for j in columns) for row in self.rows),
        )

    def with_rows(self, rows: tuple[tuple[str, ...], ...]) -> Grid:
        """Replace all rows."""
        return replace(self, rows=rows)

    def transposed(self) -> Grid:
        """Turn columns into rows; the line of a new row is that of the header."""
        columns = [self.column(j) for j in range(self.width)]
        return replace(
            self,
            header=(self.header[0], *columns[0]),
            rows=tuple(
                (name, *cells) for name, cells in zip(self.header[1:], columns[1:], strict=True)
            ),
            lines=tuple(range(2, self.width + 1)),
            directions={},
            roles={},
        )

    def noted(self, *notes: Note) -> Grid:
        """Add notes."""
        return replace(self, notes=(*self.notes, *notes))

    def holds_text(self, cell: str) -> bool:
        """Tell whether a cell holds text: neither missing nor a number, well written or not."""
        try:
            parse_cell(cell, self.decimal_comma)
        except CellError as wrong:
            return wrong.kind == "text"
        return False


def frame_to_grid(frame: pd.DataFrame, source: str, sha256: str = "") -> Grid:
    """Write a DataFrame as a grid: index first, one header row more for a second column level.

    Examples
    --------
    >>> frame_to_grid(pd.DataFrame({"a": [1.5, None]}, index=["x", "y"]), "DataFrame").rows
    (('x', '1.5'), ('y', ''))
    """
    names = ["" if name is None else str(name) for name in frame.index.names]
    keys = [JOINT.join(map(_text, _parts(key))) for key in frame.index]
    headers = [_parts(name) for name in frame.columns]
    depth = max(map(len, headers), default=1)
    headers = [(*parts, *[""] * (depth - len(parts))) for parts in headers]  # some may be shorter
    body = [frame.iloc[:, j].tolist() for j in range(frame.shape[1])]
    above = [(JOINT.join(names).strip(JOINT), *(_text(h[0]) for h in headers))]
    above += [("", *(_text(h[level]) for h in headers)) for level in range(1, depth)]
    rows = [(key, *(_text(cells[i]) for cells in body)) for i, key in enumerate(keys)]
    lines = (*([0] * (depth - 1)), *range(1, len(rows) + 1))
    return Grid(source, above[0], (*above[1:], *rows), lines, sha256=sha256, words=source)


_UNNAMED = frozenset({"", "unnamed: 0", "index", "idx", "row", "#"})


def without_row_numbers(grid: Grid, model_is_named: bool = False) -> Grid:
    """Leave out a first column that has no name and only counts the rows.

    Only if another column can be the model: the second is text, or `model_is_named`.
    """
    name = grid.header[0].casefold()
    if grid.width < 2 or name not in _UNNAMED or not _counts(grid.column(0)):
        return grid
    if not (model_is_named or grid.is_text(1)):
        return grid
    said = "has no name and counts the rows" if not name else "counts the rows"
    note = Note("ignored", "column", grid.header[0] or "(first)", said)
    aside = SourceColumn(note.name, "index", said)
    return replace(grid.take(range(1, grid.width)), aside=(*grid.aside, aside)).noted(note)


def _counts(cells: list[str]) -> bool:
    starts = (list(map(str, range(start, start + len(cells)))) for start in (0, 1))
    return bool(cells) and cells in starts


def _parts(key: object) -> tuple[object, ...]:
    return key if isinstance(key, tuple) else (key,)


def _text(value: object) -> str:
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, float | np.floating) and math.isnan(value):
        return ""
    return str(value).strip()
