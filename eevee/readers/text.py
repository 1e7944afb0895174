"""From the bytes of a file to a `Grid`: gzip, encoding, delimiter, quotes, ragged rows."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import math
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eevee.base.bounded import CELLS_PER_MB, MAX_MB, TooLarge, gunzip, read_bytes
from eevee.base.errors import EeveeError
from eevee.readers.cells import uses_decimal_comma
from eevee.readers.grid import Grid, frame_to_grid, without_row_numbers
from eevee.readers.json_lines import are_json_lines, array_records, json_records
from eevee.readers.latex import latex_records
from eevee.readers.markdown import markdown_records
from eevee.readers.measured import check_length
from eevee.readers.surroundings import trim
from eevee.readers.workbook import PARQUET, is_workbook, parquet_frame, workbook_records
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

_DELIMITERS = {
    ",": "separated by ','",
    "\t": "separated by tab",
    ";": "separated by ';'",
    "|": "separated by '|'",
    "": "Markdown table",
    "xlsx": "Excel file",
    "jsonl": "JSON lines",
    "json": "JSON array",
    "tex": "LaTeX table",
}
_SEP = re.compile(r"sep=([,;|\t])\r?[\r\n]")
"""First line that spreadsheets write and read."""
_MAGIC = {
    b"PK\x03\x04": "a zip file and no Excel file: save the table as CSV",
    b"%PDF": "a PDF file: save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file: save it as CSV",
}
_SAMPLE, _SAMPLED = 200, 4_000_000
"""Lines and letters that tell the delimiter."""


def read_grid(path: str | os.PathLike[str], max_mb: float = MAX_MB) -> Grid:
    """Read a delimited text file, plain or gzipped, as a grid of stripped cells.

    Parameters
    ----------
    path : path
        UTF-8 or (with a byte order mark) UTF-16; separated by comma, tab, semicolon or bar.
    max_mb : float
        Megabytes that the text may have, unpacked; it may have 100,000 cells for each.

    Raises
    ------
    EeveeError
        If there is no such file, it is too large, it is not text, or its rows are ragged.
    """
    path = Path(path)
    source = _printable(path.name or str(path))
    raw, data = _bytes(path, source, max_mb)
    try:
        if data.startswith(PARQUET):
            frame = parquet_frame(data, source, CELLS_PER_MB * max_mb)
            grid = frame_to_grid(frame, source, hashlib.sha256(raw).hexdigest())
            return without_row_numbers(replace(grid, words="Parquet file", notes=()))
        records, delimiter, above = _table(data, source, max_mb)
    except TooLarge:
        raise _too_large(source, f"{CELLS_PER_MB * max_mb / 1e6:g} million cells") from None
    except MemoryError:
        raise EeveeError(f"{source}: there is not enough memory to read it") from None
    header, rows, notes = _rectangle(records, source)
    comma = uses_decimal_comma((cell for row in rows for cell in row[1]), delimiter == ";")
    grid = Grid(
        source=source,
        header=header,
        rows=tuple(tuple(cells) for _, cells in rows),
        lines=tuple(line for line, _ in rows),
        decimal_comma=comma,
        sha256=hashlib.sha256(raw).hexdigest(),
        words=_DELIMITERS[delimiter] + (", decimal commas" if comma else ""),
        notes=(*above, *notes),
    )
    return _without_empty_ends(grid)


def _printable(name: str) -> str:
    return name if name.isprintable() else repr(name)


def _table(data: bytes, source: str, max_mb: float) -> tuple[list[Record], str, list[Note]]:
    """Cut an Excel file or a text into rows."""
    if not is_workbook(data):
        return _records(_decode(data, source), source, max_mb)
    records, notes = workbook_records(data, source, max_mb)
    records, trimmed = trim(records, source)
    return records, "xlsx", [*notes, *trimmed]


def _bytes(path: Path, source: str, max_mb: float) -> tuple[bytes, bytes]:
    """Return the bytes of a file, for its checksum, and what they hold unpacked."""
    most = int(max_mb * 1e6)
    try:
        raw = _load(path, source, most)
        return raw, _gunzip(raw, source, most)
    except TooLarge:
        raise _too_large(source, f"{max_mb:g} MB of text") from None
    except MemoryError:
        raise EeveeError(f"{source}: there is not enough memory to read it") from None


def _too_large(source: str, most: str) -> EeveeError:
    return EeveeError(
        f"{source}: has more than {most}; if that is meant, raise the limit (max_mb, --max-mb)"
    )


def _load(path: Path, source: str, most: int) -> bytes:
    try:
        return read_bytes(path, most)
    except FileNotFoundError:
        raise EeveeError(f"{source}: no such file ({_printable(str(path))})") from None
    except IsADirectoryError:
        raise EeveeError(f"{source}: is a folder; give a file") from None
    except TooLarge:
        raise
    except (OSError, ValueError) as why:
        reason = getattr(why, "strerror", None) or why
        raise EeveeError(f"{source}: cannot be read ({reason})") from None


def _gunzip(raw: bytes, source: str, most: int) -> bytes:
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    try:
        return gunzip(raw, most)
    except TooLarge:
        raise
    except ValueError:
        raise EeveeError(f"{source}: the gzip file is damaged; make it again") from None


def _decode(data: bytes, source: str) -> str:
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise EeveeError(f"{source}: is {what}")
    if not data.strip():
        raise EeveeError(f"{source}: the file is empty")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as why:
        line = data[: why.start].count(b"\n") + 1
        raise EeveeError(f"{source}: line {line} is not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        raise EeveeError(f"{source}: is not a text file (it holds NUL bytes); give a CSV file")
    if text.lstrip()[:1] == "<":
        raise EeveeError(f"{source}: looks like HTML or XML; give a CSV file")
    if are_json_lines(text):
        return text
    if text.lstrip()[:1] == "[" and array_records(text) is not None:
        return text
    if text.lstrip()[:1] in {"{", "["} and text.rstrip()[-1:] in {"}", "]"}:
        raise EeveeError(f"{source}: looks like JSON; give a CSV file")
    return text


def _parse(text: str, delimiter: str, most: float = math.inf) -> tuple[list[Record], str]:
    """Cut text into records with the line each starts on; what stopped it early, if anything.

    Raises
    ------
    TooLarge
        If there are more cells (an empty line counts as one) than `most`.
    """
    # Not io.StringIO, which takes four bytes for each letter.
    lines = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    records: list[Record] = []
    line, n_cells = 1, 0
    try:
        for cells in reader:
            n_cells += len(cells) or 1
            if n_cells > most:
                raise TooLarge
            if cells:
                records.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as why:
        return records, f"row {line}: {why}"
    return records, ""


def _sniff_delimiter(text: str) -> str:
    """Choose the delimiter whose rows agree best with the header row, then the widest."""
    sample = "".join(text[:_SAMPLED].splitlines(keepends=True)[:_SAMPLE])

    def agreement(delimiter: str) -> tuple[float, float, int, int]:
        widths = [len(cells) for _, cells in _parse(sample, delimiter)[0] if any(cells)]
        titles = 0
        while len(widths) > 2 and widths[0] == 1 and widths[1] > 2:
            widths, titles = widths[1:], titles + 1
        if not widths or max(widths) < 2:
            return (-1.0, 0.0, 0, 0)
        header, rest = widths[0], widths[1:] or widths
        equal = sum(width == header for width in rest) / len(rest)
        short = sum(width == header + 1 for width in rest) / len(rest)
        # Of decimal commas below a header without commas, the header is no title.
        return (max(equal, short) if header > 1 else short - 1, equal, -titles, header)

    return max(",\t;|", key=agreement)


def _records(text: str, source: str, max_mb: float) -> tuple[list[Record], str, list[Note]]:
    """Cut text into rows that are not empty; also return the delimiter, "" for Markdown.

    Raises
    ------
    TooLarge
        If there are too many cells.
    """
    most = CELLS_PER_MB * max_mb
    if are_json_lines(text):
        return json_records(text, source, most), "jsonl", []
    array = array_records(text, most)
    if array is not None:
        return array, "json", []
    latex = latex_records(text, source, most)
    if latex is not None:
        records, notes = trim(latex[0], source)
        width = max(len(cells) for _, cells in records)
        return [(n, [*c, *[""] * (width - len(c))]) for n, c in records], "tex", [
            *latex[1], *notes,
        ]  # fmt: skip
    table = markdown_records(text, source, most)
    if table is not None:
        return table[0], "", table[1]
    said = _SEP.match(text)
    delimiter = said[1] if said else _sniff_delimiter(text)
    text = text[said.end() - 1 :] if said else text  # leave the line break: lines are counted
    records, stopped = _parse(text, delimiter, most)
    if stopped:
        raise EeveeError(f"{source}: {stopped}; is a quotation mark left open?")
    records, notes = trim([(line, cells) for line, cells in records if any(cells)], source)
    return records, delimiter, notes


def _rectangle(
    records: list[Record], source: str
) -> tuple[tuple[str, ...], list[Record], tuple[Note, ...]]:
    """Separate the header row and check that all rows are as wide as it."""
    if len(records) < 2:
        raise EeveeError(f"{source}: needs a header row and rows of scores below it")
    header, rows = records[0][1], records[1:]
    widths = {len(cells) for _, cells in rows}
    notes: tuple[Note, ...] = ()
    if widths == {len(header) + 1} and any(cells[-1] for _, cells in rows):
        header = ["", *header]
        notes = (
            Note(
                "guessed", "column", "(first)", "holds the models: the header row is one name short"
            ),
        )
    if len(header) < 2:
        raise EeveeError(
            f"{source}: not a table: only one column when separated by comma, tab, ';' or '|'"
        )
    for j, name in enumerate(header):
        check_length(name, f"column {j + 1}", f"{source}: header row")
    return tuple(header), [_fit(row, len(header), source) for row in rows], notes


def _fit(record: Record, width: int, source: str) -> Record:
    """Cut empty cells off the end of a row that is too long; any other length is an error."""
    line, cells = record
    if len(cells) < width or any(cells[width:]):
        raise EeveeError(
            f"{source}: row {line} has {len(cells)} cells, the header row {width}; "
            "are there separators too many or too few, or names without quotation marks?"
        )
    return line, cells[:width]


def _without_empty_ends(grid: Grid) -> Grid:
    """Leave out columns with neither a name nor a cell (spreadsheets write them)."""
    empty = {j for j in range(grid.width) if not grid.header[j] and not any(grid.column(j))}
    keep: Sequence[int] = [j for j in range(grid.width) if j not in empty]
    return grid.take(keep) if empty else grid
