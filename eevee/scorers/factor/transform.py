"""The space in which a factor model is linear: logits of percentages, standardised columns."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.tables.bounds import Bounds, scale_of

MARGIN = 0.005
"""Shares are kept this far from 0 and 1: published percentages are rounded, and 100 is not
infinitely better than 99."""
PRIOR_CELLS = 3
"""A column's variance is pulled to a common one as if by this many more cells: the spread of two
or three scores says little."""


@dataclass(frozen=True, eq=False)
class Space:
    """Per column, the way from scores to standardised values and back.

    Attributes
    ----------
    low, width : shape (n_columns,)
        Ends of a percentage: 0 to 1 or 100, or -1 or -100 to 0 for a turned column. The width
        is NaN where the column is none.
    logit : bool, shape (n_columns,)
    mean, sd : shape (n_columns,)
        Of the observed values, after the logit where there is one.
    average : shape (n_columns,)
        Mean score.
    """

    low: FloatArray
    width: FloatArray
    logit: BoolArray
    mean: FloatArray
    sd: FloatArray
    average: FloatArray

    def standardise(self, scores: FloatArray) -> FloatArray:
        """Scores (n_models, n_columns) to values; gaps stay NaN."""
        return np.asarray((self.bend(scores) - self.mean) / self.sd)

    def restore(self, values: FloatArray) -> FloatArray:
        """Turn values back into scores, (..., n_columns)."""
        raw = values * self.sd + self.mean
        with np.errstate(over="ignore"):
            share = 1.0 / (1.0 + np.exp(-raw))
        return np.where(self.logit, self.low + self.width * share, raw)

    def clip(self, scores: FloatArray) -> FloatArray:
        """Keep percentages between their ends, logit or not."""
        bounded = np.isfinite(self.width)
        clipped = np.clip(scores, self.low, self.low + np.where(bounded, self.width, 0.0))
        return np.where(bounded, clipped, scores)

    def of_columns(self, columns: IntArray) -> Space:
        """Return the space of some columns, which may repeat: of single cells."""
        return Space(*(getattr(self, field.name)[columns] for field in fields(self)))

    def bend(self, scores: FloatArray) -> FloatArray:
        """Logits where there are logits, (..., n_columns)."""
        return _to_logit(scores, self.low, self.width, self.logit)


def fit_space(
    scores: FloatArray,
    seen: BoolArray,
    units: FloatArray,
    *,
    logit: bool,
    bounds: Bounds | None = None,
) -> Space:
    """Learn the space from the seen cells alone.

    Parameters
    ----------
    scores : shape (n_models, n_columns)
    seen : bool, same shape
    units : shape (n_columns,)
        What a column's sd is pulled to where there is no logit.
    logit : bool
        Whether percentages are logit-scaled.
    bounds : Bounds, optional
        Of the columns, turned like the scores; by default the scale that the seen cells look like.

    Returns
    -------
    Space
        A column without a seen cell has mean 0 and sd 1.
    """
    low, width = scale_of(scores, seen)
    if bounds is not None:
        low = np.where(bounds.bounded, bounds.low, 0.0)
        width = np.where(bounds.bounded, bounds.high - low, np.nan)
    logit_scaled = np.isfinite(width) & logit
    average, _ = _moments(scores, seen)
    raw = _to_logit(scores, low, width, logit_scaled)
    mean, squares = _moments(raw, seen)
    count = seen.sum(axis=0)
    common = _common_variance(squares, count, logit_scaled, units)
    sd = np.sqrt((squares + PRIOR_CELLS * common) / (count + PRIOR_CELLS))
    return Space(low, width, logit_scaled, mean, np.where(sd > 0, sd, 1.0), average)


def _to_logit(
    scores: FloatArray, low: FloatArray, width: FloatArray, logit: BoolArray
) -> FloatArray:
    share = np.clip((scores - low) / np.where(logit, width, 1.0), MARGIN, 1 - MARGIN)
    return np.where(logit, np.log(share / (1 - share)), scores)


def _moments(values: FloatArray, seen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squared deviations of each column."""
    mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return mean, (np.where(seen, values - mean, 0.0) ** 2).sum(axis=0)


def _common_variance(
    squares: FloatArray, count: FloatArray, logit_scaled: BoolArray, units: FloatArray
) -> FloatArray:
    """Logits share one scale, so their median variance is a guess for each of them."""
    known = logit_scaled & (count > PRIOR_CELLS)
    middle = np.median(squares[known] / count[known]) if known.any() else 1.0
    return np.where(logit_scaled, middle, units**2)
