"""Excel and Parquet files, by extras: cells as text, as a CSV file would have them."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
MOST_CELLS = 5_000_000
"""Larger sheets are refused: a small file can hold a huge empty one."""


def is_workbook(raw: bytes) -> bool:
    """Tell whether bytes are an Excel file: a zip archive that holds a workbook.

    Examples
    --------
    >>> is_workbook(b"model,a")
    False
    """
    return raw.startswith(ZIP) and b"xl/" in raw


def workbook_records(raw: bytes, source: str) -> tuple[list[Record], list[Note]]:
    """Read the first sheet of an Excel file that holds something.

    Raises
    ------
    EeveeError
        If ``openpyxl`` is not installed, or the file is damaged or too large.
    """
    try:
        import openpyxl
    except ImportError:
        raise _not_installed(source, "an Excel file", "excel") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        sheets = [(sheet.title, _rows(sheet, source)) for sheet in book.worksheets]
    except EeveeError:
        raise
    except Exception as why:  # the library raises whatever a damaged file leads it to
        raise EeveeError(f"{source}: the Excel file is damaged ({type(why).__name__})") from None
    filled = [(title, rows) for title, rows in sheets if rows]
    if not filled:
        raise EeveeError(f"{source}: the Excel file is empty")
    title, rows = filled[0]
    why = f"holds {len(filled)} sheets: only the first, {title!r}, is read"
    return rows, [Note("ignored", "file", source, why)] if len(filled) > 1 else []


def parquet_frame(raw: bytes, source: str) -> pd.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    EeveeError
        If ``pyarrow`` is not installed, or the file is damaged.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise _not_installed(source, "a Parquet file", "parquet") from None
    try:
        return pd.read_parquet(io.BytesIO(raw), engine="pyarrow")
    except Exception as why:
        raise EeveeError(f"{source}: the Parquet file is damaged ({type(why).__name__})") from None


def _not_installed(source: str, what: str, extra: str) -> EeveeError:
    return EeveeError(
        f"{source}: is {what}; to read it: python -m pip install 'eevee-tiers[{extra}]' (or save "
        "it as CSV)"
    )


def _rows(sheet: object, source: str) -> list[Record]:
    records, n_cells = [], 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), start=1):  # type: ignore[attr-defined]
        n_cells += len(row)
        if n_cells > MOST_CELLS:
            raise EeveeError(f"{source}: has over {MOST_CELLS} cells; save the table as CSV")
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
