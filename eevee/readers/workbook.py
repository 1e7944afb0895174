"""Excel and Parquet files, by extras: cells as text, as a CSV file would have them."""

from __future__ import annotations

import datetime
import io
import math
import zipfile
from collections.abc import Sequence

import pandas as pd

from eevee.base.bounded import CELLS_PER_MB, MAX_MB, TooLarge
from eevee.base.errors import EeveeError
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

ZIP, PARQUET = b"PK\x03\x04", b"PAR1"


def is_workbook(raw: bytes) -> bool:
    """Tell whether bytes are an Excel file: a zip archive that holds a workbook.

    Examples
    --------
    >>> is_workbook(b"model,a")
    False
    """
    return raw.startswith(ZIP) and b"xl/" in raw


def workbook_records(
    raw: bytes, source: str, max_mb: float = MAX_MB
) -> tuple[list[Record], list[Note]]:
    """Read the first sheet of an Excel file that holds something.

    Raises
    ------
    EeveeError
        If ``openpyxl`` is not installed, or the file is damaged.
    TooLarge
        If it holds too much.
    """
    try:
        import openpyxl
    except ImportError:
        raise _not_installed(source, "an Excel file", "excel") from None
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(part.file_size for part in archive.infolist()) > 20e6 * max_mb:
                raise TooLarge  # XML is long: a cell takes some 100 bytes
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        most = CELLS_PER_MB * max_mb
        sheets = [(sheet.title, _rows(sheet, most)) for sheet in book.worksheets]
    except TooLarge:
        raise
    except Exception as why:  # the library raises whatever a damaged file leads it to
        raise EeveeError(f"{source}: the Excel file is damaged ({type(why).__name__})") from None
    filled = [(title, rows) for title, rows in sheets if rows]
    if not filled:
        raise EeveeError(f"{source}: the Excel file is empty")
    title, rows = filled[0]
    said = f"holds {len(filled)} sheets: only the first, {title!r}, is read"
    return rows, [Note("ignored", "file", source, said)] if len(filled) > 1 else []


def parquet_frame(raw: bytes, source: str, most: float = math.inf) -> pd.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    EeveeError
        If ``pyarrow`` is not installed, or the file is damaged.
    TooLarge
        If there are more cells than `most`.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        raise _not_installed(source, "a Parquet file", "parquet") from None
    try:
        about = parquet.ParquetFile(io.BytesIO(raw)).metadata
        if about.num_rows * about.num_columns > most:
            raise TooLarge
        return pd.read_parquet(io.BytesIO(raw), engine="pyarrow")
    except TooLarge:
        raise
    except Exception as why:
        raise EeveeError(f"{source}: the Parquet file is damaged ({type(why).__name__})") from None


def _not_installed(source: str, what: str, extra: str) -> EeveeError:
    return EeveeError(
        f"{source}: is {what}; to read it: python -m pip install 'eevee-tiers[{extra}]' (or save "
        "it as CSV)"
    )


def _rows(sheet: object, most: float) -> list[Record]:
    records, n_cells = [], 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), start=1):  # type: ignore[attr-defined]
        n_cells += len(row)
        if n_cells > most:
            raise TooLarge
        cells = [_text(value) for value in row]
        if any(cells):
            records.append((line, cells))
    width = max((_last(cells) for _, cells in records), default=0)
    return [(line, cells[:width] + [""] * (width - len(cells))) for line, cells in records]


def _last(cells: Sequence[str]) -> int:
    return max((j + 1 for j, cell in enumerate(cells) if cell), default=0)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).strip()
