"""`Gains`: what one more score takes away of what is unknown of a model, tried on hidden scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eevee.cell_intervals import Calibration
from eevee.gaps import Filling, Problem, Recipe, fill
from eevee.scoring.beliefs import Beliefs
from eevee.table import BoolArray, FloatArray

TRIALS = 4
HIDDEN = 0.6
"""Share of a model's scores that is hidden in a trial, before one of them is shown again."""
PRIOR, PRIOR_ERROR = 0.5, 0.3
"""What comes true of a promise before any trial, and its standard error."""


@dataclass(frozen=True, eq=False)
class Gains:
    """How far off each cell is expected to be, and how much of that another score takes away.

    Attributes
    ----------
    variance : shape (n_models, n_columns)
        Expected squared error of the filled cell, in standardised units.
    come_true : float
        What came true, on average, of the drops that the factor model promises for the other
        cells of a model.
    error : float
        Standard error of `come_true`, over models.
    trials : int
        Models that it was tried on, counted once per trial.
    """

    variance: FloatArray
    come_true: float
    error: float
    trials: int


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
    beliefs = beliefs_of(filling, calibration)
    promised, true = [], []
    for hidden, shown in _trials(problem.seen, rng):
        kept = problem.seen & ~hidden
        before, after = (fill(problem, seen, recipe) for seen in (kept, kept | shown))
        others = hidden & ~shown
        drop = np.where(others, _squares(before, problem) - _squares(after, problem), 0.0)
        variance = np.where(others, calibration.variance(before), 0.0)
        for row in np.flatnonzero(shown.any(axis=1)):
            promised.append(float(beliefs.shares(kept[row], shown[row]) @ variance[row]))
            true.append(float(drop[row].sum()))
    come_true, error = _ratio(np.array(true), np.array(promised))
    return Gains(calibration.variance(filling), come_true, error, len(true))


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
