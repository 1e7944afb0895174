"""The frames that figures are drawn from: checked where they come in, since they may be files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from eevee.base.errors import EeveeError

_BLANK = frozenset({"", "None", "<NA>"})
"""No number; the last is in run folders of version 0.1."""


def checked(
    frame: pd.DataFrame,
    what: str,
    *,
    text: Sequence[str],
    numbers: Sequence[str],
    needed: Sequence[str] = (),
) -> pd.DataFrame:
    """Return these columns of a frame, text as `str` ("" where missing) and numbers as float.

    Rows without a (finite) number in a `needed` column are left out.

    Raises
    ------
    EeveeError
        If a column is missing, a number is not one, or no rows are left.
    """
    missing = [name for name in (*text, *numbers) if name not in frame.columns]
    if missing:
        raise EeveeError(f"{what}: the data has no column {missing[0]!r}")
    data: dict[str, Any] = {name: _as_text(frame[name]) for name in text}
    data |= {name: _as_numbers(frame[name], what) for name in numbers}
    kept = pd.DataFrame(data).dropna(subset=list(needed)).reset_index(drop=True)
    if kept.empty:
        raise EeveeError(f"{what}: there is nothing to draw")
    return kept


def _as_text(column: pd.Series[Any]) -> list[str]:
    return ["" if pd.isna(value) else str(value) for value in column]


def _as_numbers(column: pd.Series[Any], what: str) -> npt.NDArray[np.float64]:
    values = [np.nan if str(value) in _BLANK else value for value in column]
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EeveeError(f"{what}: column {column.name!r}: {error}") from None
    return np.where(np.isinf(numbers), np.nan, numbers)


def with_column(frame: pd.DataFrame, name: str, default: float | str) -> pd.DataFrame:
    """Return the frame, with a constant column if it has none of this name."""
    return frame if name in frame.columns else frame.assign(**{name: default})


def read_data(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the data step of a figure from the CSV file that it was written to.

    Names stay as they are (``NA``, ``007``); numbers are checked when the figure is drawn.

    Raises
    ------
    EeveeError
        If the file cannot be read as CSV.
    """
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise EeveeError(f"{path}: {' '.join(str(error).split())}") from None
