"""How close is close enough: whether numbers are others' mean but for rounding, and no accident."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from eevee.base.arrays import FloatArray

CHANCE = 1e-3
"""Largest chance with which a fit may be an accident, over all groups that are tried."""


def is_line(column: FloatArray, other: FloatArray, own_rounding: float, rounding: float) -> bool:
    """Tell whether a column equals another, or rises in a straight line with it, within rounding.

    Examples
    --------
    >>> other = np.array([11.37, 23.91, 35.05, 44.66, 52.18, 67.02])
    >>> is_line(np.round(other / 100, 3), other, 0.0005, 0.005), is_line(-other, other, 0.01, 0.01)
    (True, False)
    """
    own_rounding += 1e-9 * float(np.abs(column).max())
    if float(np.std(other)) == 0.0:
        return False
    if np.abs(column - other).max() <= own_rounding + rounding and convinces(
        column, own_rounding + rounding, 0
    ):
        return True
    centred, target = other - other.mean(), column - column.mean()
    slope = (centred @ target) / (centred @ centred)
    if slope <= 0:
        return False  # accuracy next to its own error rate makes the mean fall with it
    limit = own_rounding + slope * rounding
    residual = np.abs(target - slope * centred).max()
    return bool(residual <= limit) and convinces(column, limit, 2)


def convinces(column: FloatArray, rounding: float, n_free: int, n_tried: float = 1) -> bool:
    """Tell whether so close a fit in so many rows is no accident, even of correlated columns."""
    luck = rounding / (0.5 * float(np.std(column))) if np.std(column) > 0 else 1.0
    return bool(luck < 0.5 and luck ** max(len(column) - n_free, 0) < CHANCE / n_tried)


def rank_correlation(one: FloatArray, other: FloatArray) -> float:
    """Return Spearman's correlation, 0 where one side is constant.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2, 9]), np.array([3.0, 2, 1]))
    -1.0
    """
    first, second = rankdata(one), rankdata(other)
    if np.std(first) == 0 or np.std(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def resolution(column: FloatArray) -> float:
    """Return the last decimal place that the numbers of a column are written with.

    Examples
    --------
    >>> resolution(np.array([1.5, 2.25])), resolution(np.array([3.0, 4.0]))
    (0.01, 1.0)
    """
    for decimals in range(16):
        if (np.round(column, decimals) == column).all():
            return float(10.0**-decimals)
    return 1e-16


def _geometric(part: FloatArray) -> FloatArray:
    if (part <= 0).any():
        return np.full(len(part), np.nan)
    return np.asarray(np.exp(np.nanmean(np.log(part), axis=1)))


def _harmonic(part: FloatArray) -> FloatArray:
    if (part <= 0).any():
        return np.full(len(part), np.nan)
    return np.asarray(1 / np.nanmean(1 / part, axis=1))


STATISTICS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "median": lambda part: np.asarray(np.nanmedian(part, axis=1)),
    "geometric mean": _geometric,
    "harmonic mean": _harmonic,
    "largest": lambda part: np.asarray(np.nanmax(part, axis=1)),
    "smallest": lambda part: np.asarray(np.nanmin(part, axis=1)),
}
"""Ways to make one number of a row, besides its mean and its sum."""
