"""`Calibration`: intervals for filled cells, from measured cells that were hidden and filled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.completion.far_cells import FarCells, cut, is_far, learn
from eevee.completion.filling import Filling, Problem, Recipe, fill, folds
from eevee.scorers.factor.transform import MARGIN
from eevee.stats.jackknife import models_needed

MIN_SCORES = 3
"""Scores that a column needs: one that is hidden leaves two, the least that have a spread."""
THINNED = (0.3, 0.6, 0.9)
"""Share of a model's cells that is hidden in a thinning round: the folds alone say little of
models with few scores (with them 89.2 % of the cells of such models were covered, without 88.1)."""
ROUNDS = 2
NO_NEIGHBOUR = 2.0
"""Predictive variance where no column can speak: that of a difference of two models."""
FLOOR = 0.05
"""Added before logarithms, in standardised units: a lucky hit is not infinitely good."""
SLOPE_PENALTY = 5.0
PRIOR_CELLS = 3
"""A column's own level of error is pulled to that of all, as if by this many more cells."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far off a filled cell is, given what it rests on.

    The scale of a cell's error is a product: of powers of the least predictive variance among its
    neighbours and of the leverage of its model in the factor model, and of its column's own level.

    Attributes
    ----------
    coefficients : shape (3,)
        Of 1 and of the logarithms of the two.
    levels : shape (n_columns,)
    quantile : float
        Of the absolute errors over their scales; NaN where too few cells were hidden.
    noise : shape (n_columns,)
        Mean squared error, in standardised units.
    square : float
        Mean squared error over mean squared scale.
    far : FarCells
        Of the cells whose model is outside those measured in the column.
    """

    coefficients: FloatArray
    levels: FloatArray
    quantile: float
    noise: FloatArray
    square: float
    far: FarCells

    def scale(self, filling: Filling) -> FloatArray:
        """Scale of the error of every cell of a common column, (n_models, n_columns)."""
        return np.asarray(np.exp(_features(filling) @ self.coefficients))

    def variance(self, filling: Filling) -> FloatArray:
        """Expected squared error of every cell, in standardised units, (n_models, n_columns)."""
        scale, outside = self.scale(filling), filling.reach.outside
        count = np.broadcast_to(filling.seen.sum(axis=0), outside.shape)
        far = self.far.variance(outside, count, scale)
        near = self.square * (scale * self.levels) ** 2
        return np.where(is_far(outside) & np.isfinite(far), far, near)

    def ends(self, filling: Filling) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of every cell in scores, (n_models, n_columns)."""
        scale, space = self.scale(filling), filling.space
        outside = filling.reach.outside
        count = np.broadcast_to(filling.seen.sum(axis=0), outside.shape)
        half = self.quantile * scale * self.levels
        lower, upper = (
            space.restore(filling.blend + np.where(is_far(outside), end, side * half))
            for side, end in zip((-1, 1), self.far.ends(outside, count, scale), strict=True)
        )
        # what lies within the margin of an end of a percentage was logit-scaled as if on the margin
        width = np.where(space.logit, space.width, 0.0)
        low = np.where(space.logit & (lower <= space.low + MARGIN * width), space.low, lower)
        top = space.low + width
        high = np.where(space.logit & (upper >= top - MARGIN * width), top, upper)
        return space.clip(low), space.clip(high)


def calibrate(
    problem: Problem, recipe: Recipe, level: float, rng: np.random.Generator
) -> Calibration:
    """Hide measured cells, fill them, and learn how far off they are.

    Parameters
    ----------
    problem : Problem
    recipe : Recipe
    level : float
        Of the intervals.
    rng : Generator
        Of the folds and of the rounds in which models lose 30, 60 or 90 % of their cells.

    Returns
    -------
    Calibration

    Notes
    -----
    Conformal prediction with cross-validated residuals that are normalised by an estimate of
    their scale: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman (2018), "Distribution-free
    predictive inference for regression", section 5.2. Cells of a table are not exchangeable, and
    each is hidden about thrice, so that the level is not guaranteed; it is measured
    (`docs/figures.md`).
    """
    near = _left_out(problem, recipe, _hidden(problem.testable, rng)).where(far=False)
    coefficients = _regress(near.features, np.log(np.abs(near.errors) + FLOOR))
    scaled = np.abs(near.errors) / np.exp(near.features @ coefficients)
    n_columns = problem.seen.shape[1]
    levels, own = _levels(scaled, near.columns, n_columns)
    countable = problem.testable[:, problem.seen.sum(axis=0) >= MIN_SCORES].sum()
    enough = countable >= models_needed(level)
    quantile = _quantile(scaled / own, level) if enough else math.nan
    noise, _ = _levels(near.errors**2, near.columns, n_columns)
    squares = (np.exp(near.features @ coefficients) * own) ** 2
    square = float((near.errors**2).sum() / squares.sum()) if len(squares) else 1.0
    reach = fill(problem, problem.seen, recipe).reach
    rounds = cut(problem.testable, reach.strength, reach.outside, rng)
    far = _left_out(problem, recipe, rounds).where(far=True)
    # without its column's level, which a cut column has from scores that the cut hides
    scale = np.exp(far.features @ coefficients)
    outside = learn(far.errors, far.outside, far.count, scale, far.columns, level)
    return Calibration(coefficients, levels, quantile, noise, square, outside)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Hidden cells (n,): what was missed, and what with."""

    errors: FloatArray
    features: FloatArray
    columns: IntArray
    outside: FloatArray
    count: FloatArray

    def where(self, *, far: bool) -> _Cells:
        kept = is_far(self.outside) == far
        return _Cells(*(getattr(self, field.name)[kept] for field in fields(self)))


def _left_out(problem: Problem, recipe: Recipe, rounds: Iterable[BoolArray]) -> _Cells:
    parts = []
    for hidden in rounds:
        kept = problem.seen & ~hidden
        filling = fill(problem, kept, recipe)
        count = kept.sum(axis=0)
        asked = hidden & (count >= MIN_SCORES - 1)
        columns = np.nonzero(asked)[1]
        parts.append(
            (
                (filling.space.standardise(problem.scores) - filling.blend)[asked],
                _features(filling)[asked],
                columns,
                filling.reach.outside[asked],
                count[columns].astype(np.float64),
            )
        )
    if not parts:
        nothing = np.zeros(0)
        return _Cells(nothing, np.zeros((0, 3)), np.zeros(0, np.int64), nothing, nothing)
    return _Cells(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _hidden(seen: BoolArray, rng: np.random.Generator) -> Iterator[BoolArray]:
    yield from folds(seen, rng)
    for _ in range(ROUNDS):
        share = rng.choice(THINNED, size=(len(seen), 1))
        yield seen & (rng.random(seen.shape) < share)


def _features(filling: Filling) -> FloatArray:
    """1 and the logarithms of what a cell's error goes with, (n_models, n_columns, 3)."""
    variance = np.minimum(filling.neighbours.variance, NO_NEIGHBOUR)
    leverage = filling.factors.leverage(filling.seen, filling.shrink)
    return np.stack([np.ones_like(variance), np.log(variance), np.log(leverage + FLOOR)], axis=-1)


def _regress(features: FloatArray, target: FloatArray) -> FloatArray:
    penalty = np.diag([1e-9, SLOPE_PENALTY, SLOPE_PENALTY])  # tiny: there may be no cell at all
    solved = np.linalg.solve(features.T @ features + penalty, features.T @ target)
    return np.asarray(solved, dtype=np.float64)


def _levels(errors: FloatArray, columns: IntArray, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Mean error of each column, and for each cell that of the column's other cells."""
    common = errors.mean() if len(errors) else 1.0
    total = np.bincount(columns, errors, n_columns) + PRIOR_CELLS * common
    count = np.bincount(columns, minlength=n_columns) + PRIOR_CELLS
    return total / count, (total[columns] - errors) / (count[columns] - 1)


def _quantile(values: FloatArray, level: float) -> float:
    """The conformal one: of ceil(level (n + 1)) of n values."""
    rank = min(math.ceil(level * (len(values) + 1) - 1e-9), len(values))
    return float(np.sort(values)[rank - 1]) if len(values) else math.nan
