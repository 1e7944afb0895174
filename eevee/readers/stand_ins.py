"""Numbers that stand for missing, or were written wrongly: far from all others of their column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray
from eevee.readers.fits import rank_correlation

_USUAL = (-1.0, -9.0, -99.0, -100.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0)
_LEAST = 8
"""Models that a column needs before its numbers can look wrong."""
_FAR, _SPREADS = 5.0, 2.5
"""How many times beyond all others a number is far, and how many times their own log spread."""
ALL = "all others"
_LIKE = 0.5
"""Rank correlation with the rest from which a column says how well a strong model should do."""


@dataclass(frozen=True)
class StandIn:
    """A number that may mean missing: where it is, and why it looks so.

    Attributes
    ----------
    value : float
    rows : shape (n_models,)
    far : str
        What it is far from.
    """

    value: float
    rows: BoolArray
    far: str = ALL


def stand_ins(column: FloatArray, rest: FloatArray, lower: bool) -> Iterator[StandIn]:
    """Yield the numbers of a column that may mean missing.

    Parameters
    ----------
    column : shape (n_models,)
    rest : shape (n_models,)
        How the models stand in all other columns, -1 (worst) to 1.
    lower : bool
        Whether lower is better, by the name.

    Examples
    --------
    >>> column = np.array([61.5, 55.2, -2, 70.1, 66.3, 58.8, 49.9, 63.2, 52.4, 60.0])
    >>> [(found.value, found.rows.sum()) for found in stand_ins(column, column * 0, False)]
    [(-2.0, np.int64(1))]
    """
    seen = ~np.isnan(column)
    if seen.sum() < _LEAST:
        return
    done = np.zeros(len(column), dtype=bool)
    for value in (*_USUAL, 0.0):
        rows = column == value
        if rows.any() and _is_usual(value, rows, column):
            done |= rows
            yield StandIn(value, rows)
    left = np.where(done, np.nan, column)
    for found in (_negative(left), _beyond(left, lower), _too_weak(left, rest, lower)):
        if found is not None and not (found.rows & done).any():
            done |= found.rows
            yield found
    if not lower:
        yield from _zeros(np.where(done, np.nan, column), rest)


def _is_usual(value: float, rows: BoolArray, column: FloatArray) -> bool:
    rest = column[~rows & ~np.isnan(column)]
    if len(rest) < _LEAST / 2 or rows.sum() > 0.7 * len(column):
        return False
    gap = rest.min() - value if value < rest.min() else value - rest.max()
    spread = max(float(np.ptp(rest)), 1e-12)
    # Zeros happen; they are named only further off than all others lie apart.
    needed = 1.0 if value == 0 else 0.1
    return bool(gap > needed * spread and (rest.min() >= 0 or value > 0))


def _split(column: FloatArray, value: float) -> tuple[BoolArray, FloatArray] | None:
    """Return where a value stands, and all others, if enough are left."""
    rows = column == value
    rest = column[~rows & ~np.isnan(column)]
    return (rows, rest) if len(rest) >= _LEAST / 2 and rows.sum() <= len(rest) else None


def _negative(column: FloatArray) -> StandIn | None:
    """Find one negative whole number below numbers that are not negative."""
    value = float(np.nanmin(column))
    parts = _split(column, value)
    if parts is None or value >= 0 or value != round(value):
        return None
    rows, rest = parts
    needed = 0.5 if (rest == np.round(rest)).all() else 0.1
    far = rest.min() >= 0 and rest.min() - value > needed * np.ptp(rest)
    return StandIn(value, rows) if far else None


def _beyond(column: FloatArray, lower: bool) -> StandIn | None:
    """Find a number many times larger than all others."""
    value = float(np.nanmax(column))
    parts = _split(column, value)
    if parts is None or parts[1].min() < 0 or parts[1].max() <= 0:
        return None
    rows, rest = parts
    top = float(rest.max())
    if value < _FAR * top:
        return None
    least = float(rest[rest > 0].min())
    far = np.log10(value / top) > _SPREADS * np.log10(top / least)
    share = top <= 100 and value > (100 if top > 1 else 1) and not lower
    far |= share and value - top > _FAR * np.ptp(rest)
    return StandIn(value, rows, f"all others (at most {top:g})") if far else None


def _too_weak(column: FloatArray, rest: FloatArray, lower: bool) -> StandIn | None:
    """Find a number many times smaller than all others, of a model that is good elsewhere."""
    value = float(np.nanmin(column))
    parts = _split(column, value)
    if lower or parts is None or value <= 0 or parts[0].sum() > 1:
        return None
    rows, others = parts
    far = others.min() > _FAR * value and others.min() - value > 0.5 * np.ptp(others)
    if not far or not rest[rows][0] >= 0:
        return None
    return StandIn(value, rows, f"all others (at least {others.min():g})")


def _zeros(column: FloatArray, rest: FloatArray) -> Iterator[StandIn]:
    """Find zeros of models that do well elsewhere, where weaker models have clearly more."""
    zero, both = column == 0, ~np.isnan(column) & ~np.isnan(rest)
    usual = both & ~zero
    if not zero.any() or usual.sum() < _LEAST or np.nanmin(column) < 0:
        return
    if rank_correlation(column[usual], rest[usual]) < _LIKE:
        return
    rows = np.zeros(len(column), dtype=bool)
    for i in np.flatnonzero(zero & both & (rest >= 0)):
        weaker = column[both & (rest < rest[i] - 0.05)]
        if len(weaker) < 4 or (weaker > 0).mean() < 0.8:
            continue
        if np.median(weaker) > 0.25 * np.nanmax(column):
            rows[i] = True
    if rows.any():
        yield StandIn(0.0, rows, "what models have that are weaker elsewhere")
