"""Models in another scale than the rest: 0 to 1 among 0 to 100, over most of their columns."""

from __future__ import annotations

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray

_LEAST = 3
"""Columns that must agree: one or two numbers may be small for other reasons."""
_MOSTLY, _ENOUGH = 0.75, 5
_APART = 10.0


def other_scale(values: FloatArray) -> tuple[BoolArray, bool, int] | None:
    """Return the rows in another scale, whether it is 0 to 1, and in how many columns.

    Rows whose numbers are nearly all at most 1 stand beside rows in 1 to 100, no number of these
    is as small in the columns that count, and 100 times the small ones lie among the large ones.

    Parameters
    ----------
    values : shape (n_models, n_columns)
        Columns that may be shares: none where lower is better.

    Examples
    --------
    >>> percent = np.array([[61.5, 70.2, 55.1], [52.3, 66.6, 48.9], [49.2, 60.1, 50.7]])
    >>> found = other_scale(np.vstack([percent, percent[:2] / 100]))
    >>> found[0], found[1:]
    (array([False, False, False,  True,  True]), (True, 3))
    """
    some = ~np.isnan(values).all(axis=0)
    part = values[:, some]
    if part.shape[1] < _LEAST:
        return None
    low, high = np.nanmin(part, axis=0), np.nanmax(part, axis=0)
    part = part[:, (low >= 0) & (high > 1) & (high <= 100)]
    seen = ~np.isnan(part)
    count = seen.sum(axis=1)
    small = (seen & (part <= 1)).sum(axis=1)
    broken = (seen & (part != np.round(part))).sum(axis=1)
    fractions = (count >= _LEAST) & (small >= _MOSTLY * count) & (2 * broken >= count)
    percents = (count > 0) & (2 * small <= count)
    if not fractions.any() or not percents.any():
        return None
    both = (seen & fractions[:, None]).any(axis=0) & (seen & percents[:, None]).any(axis=0)
    agree = sum(_hundredfold(part[fractions, j], part[percents, j]) for j in np.flatnonzero(both))
    if agree < max(_LEAST, _MOSTLY * both.sum()):
        return None
    fewer = bool(fractions.sum() <= percents.sum())
    return (fractions if fewer else percents), fewer, int(agree)


def _hundredfold(small: FloatArray, large: FloatArray) -> bool:
    """Tell whether small numbers are like large ones but for a factor of 100."""
    small, large = small[~np.isnan(small)], large[~np.isnan(large)]
    middle, usual = float(np.median(small)), float(np.median(large))
    if large.min() <= 1 or np.quantile(large, 0.1) < _APART / 2 * middle:
        return False
    margin = max(0.25 * float(np.ptp(large)), 0.5 * usual)
    inside = large.min() - margin <= 100 * middle <= large.max() + margin
    return bool(middle > 0 and usual >= _APART * middle and inside)
