"""`Neighbours`: each cell predicted from the few other columns that tell most about its column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray

NEIGHBOURS = 5
"""Columns that a regression listens to, per cell."""
MIN_JOINT = 5
"""Models that two columns must share to inform each other."""
SLOPE_PENALTY = 1.0
"""Of a standardised slope: as if one more model of average spread had shown none."""
PRIOR_VARIANCE = 0.5
PRIOR_CELLS = 4
"""A residual variance from five models is pulled to half of a column's own, as if by four."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Predictions of every cell from other columns of the same model.

    Attributes
    ----------
    predicted : shape (n_models, n_columns)
        NaN where no column can speak.
    variance : same shape
        Predictive variance of the column that tells most; infinite where none can speak.
    columns : int, shape (n_models, n_columns, at most `NEIGHBOURS`)
        Positions of the columns that were listened to, those that tell most first.
    weights : same shape as `columns`
        Their shares, which sum to 1; 0 from where fewer can speak.
    """

    predicted: FloatArray
    variance: FloatArray
    columns: IntArray
    weights: FloatArray


def regress(values: FloatArray, seen: BoolArray) -> Neighbours:
    """Predict every cell from the few other columns that tell most about its column.

    One shrunken simple regression per pair of columns; a cell's prediction is the mean over the
    `NEIGHBOURS` of least predictive variance among the columns that the model has, weighted by
    the inverse of that variance.

    Parameters
    ----------
    values : shape (n_models, n_columns)
        Standardised; 0 in gaps.
    seen : bool, same shape

    Returns
    -------
    Neighbours

    Examples
    --------
    >>> skill = np.linspace(-1.5, 1.5, 12)
    >>> values = np.column_stack([skill, skill, np.where(skill > 1, 0.0, -skill)])
    >>> found = regress(values, np.column_stack([skill < 9, skill < 9, skill <= 1]))
    >>> found.columns[-1, 2].tolist(), found.weights[-1, 2].tolist()
    ([0, 1, 2], [0.5, 0.5, 0.0])
    >>> bool(found.predicted[-1, 2] < -0.9)
    True
    """
    n_models, n_columns = values.shape
    size = min(NEIGHBOURS, n_columns)
    predicted = np.full(values.shape, np.nan)
    least = np.full(values.shape, np.inf)
    columns = np.zeros((n_models, n_columns, size), dtype=np.int64)
    weights = np.zeros(columns.shape)
    pairs = _Pairs.of(values, seen)
    for target in range(n_columns):
        guess = pairs.intercept[:, target] + values * pairs.slope[:, target]
        lever = (values - pairs.centre[:, target]) ** 2 / pairs.spread[:, target]
        variance = pairs.variance[:, target] * (1 + 1 / pairs.joint[:, target] + lever)
        variance = np.where(seen, variance, np.inf)
        best = np.argsort(variance, axis=1, kind="stable")[:, :NEIGHBOURS]
        lowest = np.take_along_axis(variance, best, axis=1)
        weight = 1.0 / lowest
        total = (weight * np.take_along_axis(guess, best, axis=1)).sum(axis=1)
        spoken = weight.sum(axis=1) > 0
        predicted[spoken, target] = total[spoken] / weight[spoken].sum(axis=1)
        least[:, target], columns[:, target] = lowest[:, 0], best
        weights[spoken, target] = weight[spoken] / weight[spoken].sum(axis=1, keepdims=True)
    return Neighbours(predicted, least, columns, weights)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Regressions of each column (second axis) on each other one (first axis)."""

    joint: FloatArray
    centre: FloatArray
    spread: FloatArray
    slope: FloatArray
    intercept: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, values: FloatArray, seen: BoolArray) -> _Pairs:
        mask = seen.astype(np.float64)
        count = mask.T @ mask
        joint = np.maximum(count, 1)
        centre = values.T @ mask / joint
        squares = (values**2).T @ mask - joint * centre**2
        products = values.T @ values - joint * centre * centre.T
        spread = np.maximum(squares, 0.0) + SLOPE_PENALTY
        slope = products / spread
        left = squares.T - 2 * slope * products + slope**2 * squares
        known = np.maximum(joint - 2, 1)
        variance = np.maximum(left, 0.0) + PRIOR_CELLS * PRIOR_VARIANCE
        variance = np.where(count >= MIN_JOINT, variance / (known + PRIOR_CELLS), np.inf)
        np.fill_diagonal(variance, np.inf)
        return cls(joint, centre, spread, slope, centre.T - slope * centre, variance)
