"""`Gains`: what one more score takes away of what is unknown of a model, tried on hidden scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray
from eevee.completion.beliefs import Beliefs
from eevee.completion.calibration import Calibration
from eevee.completion.filling import Filling, Problem, Recipe, fill

TRIALS = 4
HIDDEN = 0.6
"""Share of a model's scores that is hidden in a trial, before one of them is shown again."""
PRIOR, PRIOR_ERROR = 0.5, 0.3
"""What comes true of a promise before any trial, and its standard error."""
PRIOR_SHARES = 0.1
"""Sum of squares of a trial before any in which all differences came true."""


@dataclass(frozen=True, eq=False)
class Gains:
    """How far off each cell is expected to be, and how much of that another score takes away.

    Attributes
    ----------
    variance : shape (n_models, n_columns)
        Expected squared error of the filled cell, in standardised units.
    sharpness : float
        How much of the differences between the variances of a model's cells came true, 0 to 1:
        the one that seems least known is so in part by chance.
    come_true : float
        What came true, on average, of the drops that the factor model promises for the other
        cells of a model.
    error : float
        Standard error of `come_true`, over models.
    trials : int
        Models that it was tried on, counted once per trial.
    """

    variance: FloatArray
    sharpness: float
    come_true: float
    error: float
    trials: int

    def expected(self, row: int, lacks: BoolArray) -> FloatArray:
        """Squared errors to expect of a model's missing cells, 0 elsewhere, (n_columns,)."""
        return _sharpened(np.where(lacks, self.variance[row], 0.0), lacks, self.sharpness)


def beliefs_of(filling: Filling, calibration: Calibration) -> Beliefs:
    """Return what the factor model of a filling holds, with the noise that was measured."""
    known = filling.seen.any(axis=0)
    common = calibration.noise[known].mean()
    return Beliefs(filling.factors.loadings, filling.shrink / common, calibration.noise)


def measure(
    problem: Problem,
    recipe: Recipe,
    filling: Filling,
    calibration: Calibration,
    rng: np.random.Generator,
) -> Gains:
    """Hide scores, show one of them again per model, and see how the other errors drop.

    Parameters
    ----------
    problem, recipe, filling, calibration
        Of the whole table.
    rng : Generator
        Of the scores that are hidden and shown.
    """
    trials = list(_tried(problem, recipe, calibration, rng))
    sharpness = _slope(trials)
    beliefs = beliefs_of(filling, calibration)
    promised, true = [], []
    for trial in trials:
        for row in np.flatnonzero(trial.shown.any(axis=1)):
            variance = _sharpened(trial.variance[row], trial.hidden[row], sharpness)
            others = trial.hidden[row] & ~trial.shown[row]
            share = beliefs.shares(trial.kept[row], trial.shown[row])
            promised.append(float(share[others] @ variance[others]))
            true.append(float((trial.before - trial.after)[row, others].sum()))
    come_true, error = _ratio(np.array(true), np.array(promised))
    return Gains(calibration.variance(filling), sharpness, come_true, error, len(true))


@dataclass(frozen=True, eq=False)
class _Trial:
    """What was kept, hidden and shown again; squared errors before and after; their promise."""

    kept: BoolArray
    hidden: BoolArray
    shown: BoolArray
    before: FloatArray
    after: FloatArray
    variance: FloatArray


def _tried(
    problem: Problem, recipe: Recipe, calibration: Calibration, rng: np.random.Generator
) -> Iterator[_Trial]:
    for hidden, shown in _trials(problem.seen, rng):
        kept = problem.seen & ~hidden
        first, then = (fill(problem, seen, recipe) for seen in (kept, kept | shown))
        variance = np.where(hidden, calibration.variance(first), 0.0)
        before, after = (
            np.where(hidden, _squares(filling, problem), 0.0) for filling in (first, then)
        )
        yield _Trial(kept, hidden, shown, before, after, variance)


def _sharpened(variance: FloatArray, cells: BoolArray, sharpness: float) -> FloatArray:
    """Pull the variances of one model's cells to their mean; their sum stays."""
    mean = variance[cells].mean() if cells.any() else 0.0
    return np.where(cells, mean + sharpness * (variance - mean), 0.0)


def _slope(trials: list[_Trial]) -> float:
    """Slope of each cell's share of its model's squared error on its share of the variance."""
    products, squares = PRIOR_SHARES, PRIOR_SHARES
    for trial in trials:
        kept = trial.shown.any(axis=1) & (trial.before.sum(axis=1) > 0)
        hidden = trial.hidden[kept]
        equal = hidden / np.maximum(hidden.sum(axis=1, keepdims=True), 1)
        error, variance = (
            part[kept] / part[kept].sum(axis=1, keepdims=True) - equal
            for part in (trial.before, trial.variance)
        )
        products += float((error * variance).sum())
        squares += float((variance**2).sum())
    return float(np.clip(products / squares, 0.0, 1.0))


def _trials(seen: BoolArray, rng: np.random.Generator) -> Iterator[tuple[BoolArray, BoolArray]]:
    """Yield what is hidden, and of that one cell per model that is shown again."""
    for _ in range(TRIALS):
        hidden = seen & (rng.random(seen.shape) < HIDDEN)
        shown = np.zeros_like(seen)
        several = hidden.sum(axis=1) > 1
        picks = np.where(hidden, rng.random(seen.shape), -1.0).argmax(axis=1)
        shown[several, picks[several]] = True
        yield hidden, shown


def _squares(filling: Filling, problem: Problem) -> FloatArray:
    return np.asarray((filling.space.standardise(problem.scores) - filling.blend) ** 2)


def _ratio(true: FloatArray, promised: FloatArray) -> tuple[float, float]:
    """Ratio of the sums and its standard error, both with the prior; the ratio not below 0."""
    total = promised.sum() if len(promised) else 0.0
    weight, known = 1 / PRIOR_ERROR**2, 0.0
    ratio = 0.0
    if len(true) > 1 and total > 0:
        ratio = true.sum() / total
        known = total**2 / max(float(((true - ratio * promised) ** 2).sum()), 1e-12)
    both = (known * ratio + weight * PRIOR) / (known + weight)
    return max(float(both), 0.0), float(np.sqrt(1 / (known + weight)))
