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
BLOCK = 512
"""Columns whose regressions on all others are held at once."""
FIRST_TRIED = 24
"""Columns that are tried first for a cell."""
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
    found = Neighbours(
        predicted=np.full(values.shape, np.nan),
        variance=np.full(values.shape, np.inf),
        columns=np.zeros((n_models, n_columns, size), dtype=np.int64),
        weights=np.zeros((n_models, n_columns, size)),
    )
    for start in range(0, n_columns, BLOCK):
        pairs = _Pairs.of(values, seen, slice(start, start + BLOCK))
        for place in range(pairs.variance.shape[1]):
            _listen(found, pairs, place, start + place, values, seen)
    return found


def _listen(
    found: Neighbours,
    pairs: _Pairs,
    place: int,
    target: int,
    values: FloatArray,
    seen: BoolArray,
) -> None:
    """Fill in one column: try the columns that can tell most, and more where these were too few.

    A regression's predictive variance is never below that at the centre of its models, so that
    what comes later in the order of these need not be looked at once it cannot be among the best.
    """
    least = pairs.variance[:, place] * (1 + 1 / pairs.joint[:, place])
    order = np.argsort(least, kind="stable")
    rows, tried = np.arange(len(values)), FIRST_TRIED
    while len(rows):
        tried = len(order) if 2 * tried > len(order) else tried
        some = np.sort(order[:tried])
        beyond = least[order[tried]] if tried < len(order) else np.inf
        guess, variance = pairs.speak(place, some, values[rows])
        variance = np.where(seen[np.ix_(rows, some)], variance, np.inf)
        best = np.argsort(variance, axis=1, kind="stable")[:, :NEIGHBOURS]
        lowest = np.take_along_axis(variance, best, axis=1)
        done = (lowest[:, -1] < beyond) | (tried == len(order)) | (beyond == np.inf)
        told = np.take_along_axis(guess, best, axis=1)
        _write(found, target, rows[done], some[best[done]], lowest[done], told[done])
        rows, tried = rows[~done], 4 * tried


def _write(
    found: Neighbours,
    target: int,
    rows: IntArray,
    best: IntArray,
    lowest: FloatArray,
    told: FloatArray,
) -> None:
    weight = 1.0 / lowest
    total = (weight * told).sum(axis=1)
    spoken = weight.sum(axis=1) > 0
    sums = weight[spoken].sum(axis=1)
    found.predicted[rows[spoken], target] = total[spoken] / sums
    found.variance[rows, target] = lowest[:, 0]
    found.columns[rows, target] = best
    found.weights[rows[spoken], target] = weight[spoken] / sums[:, None]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Regressions of some columns (second axis) on each other one (first axis)."""

    joint: FloatArray
    centre: FloatArray
    spread: FloatArray
    slope: FloatArray
    intercept: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, values: FloatArray, seen: BoolArray, part: slice) -> _Pairs:
        mask = seen.astype(np.float64)
        mine, own = mask[:, part], values[:, part]
        count = mask.T @ mine
        joint = np.maximum(count, 1)
        centre, middle = values.T @ mine / joint, mask.T @ own / joint
        squares = (values**2).T @ mine - joint * centre**2
        total = mask.T @ own**2 - joint * middle**2
        products = values.T @ own - joint * centre * middle
        spread = np.maximum(squares, 0.0) + SLOPE_PENALTY
        slope = products / spread
        left = total - 2 * slope * products + slope**2 * squares
        known = np.maximum(joint - 2, 1)
        variance = np.maximum(left, 0.0) + PRIOR_CELLS * PRIOR_VARIANCE
        variance = np.where(count >= MIN_JOINT, variance / (known + PRIOR_CELLS), np.inf)
        itself = np.arange(values.shape[1])[part]
        variance[itself, np.arange(len(itself))] = np.inf
        return cls(joint, centre, spread, slope, middle - slope * centre, variance)

    def speak(
        self, place: int, some: IntArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Guesses of one column by some others, and their variances, (n_models, n_some)."""
        known = values[:, some]
        centre, spread, joint = (
            part[some, place] for part in (self.centre, self.spread, self.joint)
        )
        guess = self.intercept[some, place] + known * self.slope[some, place]
        lever = (known - centre) ** 2 / spread
        return guess, self.variance[some, place] * (1 + 1 / joint + lever)
