"""`FarCells`: intervals for models that lie outside those measured in a column."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.stats.jackknife import models_needed

NEAR = 0.25
"""Standard deviations of strength outside those measured that still count as inside: where gaps
are random, the strongest and the weakest model of a column are as often missing as any other."""
ROUNDS = 10
SHARE = 1 / 3
"""Of the columns that can spare models, how many are cut in a round."""
SPARE = 10
"""Models that a column needs to be cut."""
LEAST, MOST = 3, 0.8
"""Models that a cut column keeps: at least, and at most of its own."""
FLOOR = 0.05
PENALTY = 5.0
TESTED = 0.95
"""Quantile of the tested distances up to which an interval is given."""


@dataclass(frozen=True, eq=False)
class FarCells:
    """How far off the filled cells are whose model is outside those measured in the column.

    Attributes
    ----------
    coefficients : shape (3,)
        Of 1 and of the logarithms of the distance outside and of the models in the column: they
        add to the logarithm of the scale that a cell has inside.
    low, high : float
        Quantiles of the errors, outward positive, over their scales; NaN where too few cells could
        be tested. They need not be symmetric: what is left of the bias is in them.
    farthest : float
        Distance up to which intervals were tested.
    square : float
        Mean squared error over squared scale, the largest of which are cut off.
    """

    coefficients: FloatArray
    low: float
    high: float
    farthest: float
    square: float

    def ends(
        self, outside: FloatArray, count: FloatArray, scale: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Offsets of both ends from the prediction, of cells with that scale inside."""
        size = self._size(outside, count, scale)
        sides = np.sign(outside) * self.low * size, np.sign(outside) * self.high * size
        return np.minimum(*sides), np.maximum(*sides)

    def variance(self, outside: FloatArray, count: FloatArray, scale: FloatArray) -> FloatArray:
        """Expected squared error of cells with that scale inside; NaN where none was tested."""
        return np.asarray(self.square * self._size(outside, count, scale) ** 2)

    def _size(self, outside: FloatArray, count: FloatArray, scale: FloatArray) -> FloatArray:
        return np.asarray(scale * np.exp(_features(outside, count) @ self.coefficients))

    def untested(self, outside: FloatArray) -> BoolArray:
        """Cells outside whose distance was not tested."""
        return np.asarray(is_far(outside) & ~(np.abs(outside) <= self.farthest))


def is_far(outside: FloatArray) -> BoolArray:
    """Return which signed distances count as outside.

    Examples
    --------
    >>> is_far(np.array([-1.0, 0.0, 0.2, 0.5])).tolist()
    [True, False, False, True]
    """
    return np.asarray(np.abs(outside) > NEAR)


def cut(
    seen: BoolArray, strength: FloatArray, outside: FloatArray, rng: np.random.Generator
) -> Iterator[BoolArray]:
    """Yield cells to hide: in some columns all but the strongest models, or the weakest.

    Each of these columns imitates a missing cell outside, drawn at random: it keeps as many models
    as that one's column has, and the far ones are on the same side.

    Parameters
    ----------
    seen : bool, shape (n_models, n_columns)
    strength : shape (n_models, n_columns)
        Of each model by the columns other than each.
    outside : shape (n_models, n_columns)
        Signed distance of missing cells.
    rng : Generator

    Examples
    --------
    >>> seen = np.ones((20, 3), bool)
    >>> seen[:15, 0] = False
    >>> strength = np.repeat(np.arange(20.0)[:, None], 3, axis=1)
    >>> outside = np.where(seen, 0.0, strength - 15)
    >>> hidden = next(cut(seen, strength, outside, np.random.default_rng(0)))
    >>> hidden.sum(axis=0).tolist(), bool(hidden[0].any()), bool(hidden[15:].any())
    ([0, 0, 15], True, False)
    """
    size = seen.sum(axis=0)
    rows, columns = np.nonzero(~seen & is_far(outside))
    able = np.flatnonzero(size >= SPARE)
    if not len(able) or not len(rows):
        return
    for _ in range(ROUNDS):
        hidden = np.zeros_like(seen)
        for column in rng.choice(able, max(1, round(SHARE * len(able))), replace=False):
            cell = rng.integers(len(rows))
            kept = min(max(size[columns[cell]], LEAST), round(MOST * size[column]))
            models = np.flatnonzero(seen[:, column])
            ranked = models[np.argsort(strength[models, column], kind="stable")]
            weak = outside[rows[cell], columns[cell]] < 0
            hidden[ranked[:-kept] if weak else ranked[kept:], column] = True
        yield hidden


def learn(
    errors: FloatArray,
    outside: FloatArray,
    count: FloatArray,
    scale: FloatArray,
    columns: IntArray,
    level: float,
) -> FarCells:
    """Learn from hidden cells outside.

    Parameters
    ----------
    errors : shape (n,)
        Truth less prediction, standardised.
    outside, count : shape (n,)
        Signed distance outside, and models that the column kept.
    scale : shape (n,)
        Of their errors were they inside.
    columns : shape (n,)
        Positions of their columns.
    level : float
        Of the intervals.

    Notes
    -----
    Cells of one column err together. As in conformal prediction over groups (Dunn, Wasserman and
    Ramdas, 2022, "Distribution-free prediction sets for two-layer hierarchical models"), the level
    is raised by a share of one over the number of columns that were cut.
    """
    if len(errors) < 2 * models_needed(level):
        return FarCells(np.zeros(3), math.nan, math.nan, math.nan, math.nan)
    features = _features(outside, count)
    target = np.log(np.abs(errors) + FLOOR) - np.log(scale)
    gram = features.T @ features + np.diag([1e-9, PENALTY, PENALTY])
    coefficients = np.linalg.solve(gram, features.T @ target)
    size = scale * np.exp(features @ coefficients)
    ratios = np.sign(outside) * errors / size
    raised = min(level * (1 + 1 / len(np.unique(columns))), 1.0)
    low, high = np.quantile(ratios, [(1 - raised) / 2, (1 + raised) / 2])
    farthest = float(np.quantile(np.abs(outside), TESTED))
    # a column that kept next to equal scores would rule a plain mean
    square = float(np.minimum(ratios**2, np.quantile(ratios**2, level)).mean())
    return FarCells(coefficients, min(float(low), 0.0), max(float(high), 0.0), farthest, square)


def _features(outside: FloatArray, count: FloatArray) -> FloatArray:
    far = np.log(np.maximum(np.abs(outside), NEAR))
    return np.stack([np.ones_like(far), far, np.log(np.maximum(count, 1.0))], axis=-1)
