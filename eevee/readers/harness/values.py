"""Read values of parsed JSON whose types nobody has checked."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from eevee.readers.cells import CellError, parse_cell


def members(value: object, *keys: str) -> dict[str, Any]:
    """Return the mapping below some keys, empty where there is none.

    Examples
    --------
    >>> members({"a": {"b": {"c": 1}}}, "a", "b"), members({"a": 3}, "a", "b")
    ({'c': 1}, {})
    """
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list, empty if the value is none."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return text without blanks at its ends; what means nothing becomes empty.

    Examples
    --------
    >>> text(" a "), text(1.0), text(None), text("None"), text({"a": 1})
    ('a', '1.0', '', '', '')
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    plain = str(value).strip()
    return "" if plain.casefold() in {"none", "null", "nan"} else plain


def number(value: object) -> float:
    """Return a finite number, also one that is written as text; NaN for anything else.

    Examples
    --------
    >>> number(1), number("94.2%"), number("N/A"), number(True), number(float("inf"))
    (1.0, 94.2, nan, nan, nan)
    """
    if isinstance(value, bool):
        return math.nan
    try:
        found = parse_cell(value[:40]) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (CellError, TypeError, ValueError, OverflowError):
        return math.nan
    return found if math.isfinite(found) else math.nan


def positive(value: object) -> float:
    """Return a positive number, NaN for anything else."""
    found = number(value)
    return found if found > 0 else math.nan


def seconds_between(start: object, end: object) -> float:
    """Return the seconds between two ISO times, NaN if they tell nothing.

    Examples
    --------
    >>> seconds_between("2025-01-01T10:00:00+00:00", "2025-01-01T10:01:30+00:00")
    90.0
    """
    try:
        lasted = datetime.fromisoformat(str(end)) - datetime.fromisoformat(str(start))
    except (ValueError, TypeError):
        return math.nan
    return positive(lasted.total_seconds())


def better(higher: object) -> str | None:
    """Return the direction that a "higher is better" flag says, None if it says nothing."""
    return ("higher" if higher else "lower") if isinstance(higher, bool) else None
