"""`complete`: predictions for the cells that nobody measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.errors import EeveeError
from eevee.readers.directions import guess_direction
from eevee.readers.names import LONE_METRIC, words_of
from eevee.scoring.als import PENALTIES, RANKS, fit_factors, penalties
from eevee.scoring.factor import checked_seed
from eevee.scoring.space import fit_space
from eevee.table import BoolArray, FloatArray, ResultsTable

FOLDS = 5
NEIGHBOURS = 5
"""Columns that a regression listens to, per cell."""
MIN_JOINT = 5
"""Models that two columns must share to speak of each other."""
SLOPE_PENALTY = 1.0
"""Of a standardised slope: as if one more model of average spread had shown none."""
PRIOR_VARIANCE = 0.5
PRIOR_CELLS = 4
"""A residual variance from five models is pulled to half of a column's own, as if by four."""
PERCENTAGE_WORDS = frozenset("percent percentage pct rate err ece brier".split())  # noqa: SIM905
"""In the name of a lower-is-better column, what tells a percentage from seconds or perplexity."""


@dataclass(frozen=True, eq=False)
class Completion:
    """A table without gaps, and how it was filled.

    Attributes
    ----------
    scores : DataFrame, shape (n_models, n_columns)
        Measured scores as they were; predictions in the gaps; NaN only in a column without a
        single score.
    predicted : DataFrame of bool, same shape
        Which cells are predictions.
    logit : bool
        Whether percentages were bent.
    rank : int
        Factors of the factor model.
    penalty : float
        Of its factors.
    """

    scores: pd.DataFrame
    predicted: pd.DataFrame
    logit: bool
    rank: int
    penalty: float


@dataclass(frozen=True)
class _Recipe:
    logit: bool
    rank: int
    penalty: float


def complete(table: ResultsTable | pd.DataFrame, *, seed: int = 0) -> Completion:
    """Fill the gaps of a sparse table.

    The mean of two predictions in standardised units: a factor model's (`eevee.FactorScorer`'s)
    and that of regressions on the few benchmarks that tell most about the missing one. Logit or
    not, rank and penalty are chosen by cross-validation among the measured cells. Percentages
    are predicted between their ends.

    What is a percentage is guessed: a column whose measured scores lie between 0 and 1 is a share,
    else between 0 and 100 a percentage. A column where lower is better, by its direction or its
    name, is one only if its name says so ("error rate", "top1_err", "ece", "%"): seconds and
    perplexities are never held below 100. A column of percentages that are all at most 1 is taken
    for shares, and a higher-is-better column up to 100, such as tokens per second, for percentages;
    scale beyond 100 what must not be.

    Parameters
    ----------
    table : ResultsTable or DataFrame, shape (n_models, n_columns)
        NaN in gaps. One bias per model lifts all columns alike, which is why those of a table are
        turned by their directions first. The columns of a bare frame must point the same way:
        give it to `eevee.read_table` where they do not.
    seed : int
        Of the folds of cells, not negative.

    Returns
    -------
    Completion

    Raises
    ------
    EeveeError
        If no column has two different scores, a score is infinite or no number, or the seed is
        out of range.

    Notes
    -----
    What was never run is seldom missing at random, and may be harder to predict than the cells
    that are hidden to choose a recipe. Equal shares of the two predictions did better than
    shares chosen by cross-validation on three of three sparse tables.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> logits = np.add.outer(np.linspace(-2, 2, 20), np.linspace(-1, 1, 6))
    >>> truth = pd.DataFrame(100 / (1 + np.exp(-logits)), columns=list("abcdef"))
    >>> gaps = np.random.default_rng(0).random(truth.shape) < 0.3
    >>> filled = complete(truth.mask(gaps))
    >>> bool(filled.predicted.to_numpy().sum() == gaps.sum())
    True
    >>> float(np.abs(filled.scores - truth).to_numpy().max()) < 5
    True
    """
    rng = np.random.default_rng(checked_seed(seed))
    frame = table.scores if isinstance(table, ResultsTable) else table
    scores = _numbers(frame)
    sign = np.ones(scores.shape[1])
    if isinstance(table, ResultsTable):
        sign = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    problem = _Problem.of(scores * sign, _named_lower(table), _named_percentage(table))
    with threadpool_limits(1, "blas"):  # its threads only get in each other's way here
        recipe = _choose(problem, rng)
        penalty = np.array([recipe.penalty])
        blend = _predictions(problem, problem.seen, recipe.logit, recipe.rank, penalty)[0]
    fillable = ~problem.seen & problem.seen.any(axis=0)
    filled = np.where(fillable, blend * sign, scores)
    return Completion(
        scores=pd.DataFrame(filled, frame.index, frame.columns),
        predicted=pd.DataFrame(fillable, frame.index, frame.columns),
        logit=recipe.logit,
        rank=recipe.rank,
        penalty=recipe.penalty,
    )


@dataclass(frozen=True, eq=False)
class _Problem:
    """Scores of which higher is better, and what is known of their columns."""

    scores: FloatArray
    seen: BoolArray
    units: FloatArray
    candidates: BoolArray
    """Columns that are percentages if they look like it."""

    @classmethod
    def of(cls, scores: FloatArray, lower: BoolArray, percentage: BoolArray) -> _Problem:
        seen = np.isfinite(scores)
        lower = lower | (np.where(seen, scores, 0.0) < 0).any(axis=0)
        return cls(scores, seen, _units(scores, seen), ~lower | percentage)


def _numbers(frame: pd.DataFrame) -> FloatArray:
    columns = np.empty(frame.shape, order="F")
    for i, name in enumerate(frame.columns):
        try:
            columns[:, i] = frame.iloc[:, i].astype(np.float64)
        except (TypeError, ValueError):
            raise EeveeError(
                f"complete: column {name!r} holds something that is no number"
            ) from None
    return columns


def _named_lower(table: ResultsTable | pd.DataFrame) -> BoolArray:
    """For each column, whether its name says that lower is better, whatever its sign."""
    if isinstance(table, ResultsTable):
        pairs = [(str(name), str(metric)) for name, metric in table.columns["metric"].items()]
    else:
        pairs = [(str(name), LONE_METRIC) for name in table.columns]
    return np.array([guess_direction(*pair) == "lower" for pair in pairs], dtype=np.bool_)


def _named_percentage(table: ResultsTable | pd.DataFrame) -> BoolArray:
    if isinstance(table, ResultsTable):
        names = [f"{name} {metric}" for name, metric in table.columns["metric"].items()]
    else:
        names = [str(name) for name in table.columns]
    return np.array(
        ["%" in name or not PERCENTAGE_WORDS.isdisjoint(words_of(name)) for name in names],
        dtype=np.bool_,
    )


def _units(scores: FloatArray, seen: BoolArray) -> FloatArray:
    """Population sd of each column; 1 where it has none."""
    if np.isinf(scores).any():
        raise EeveeError("complete: a score is infinite")
    mean = np.where(seen, scores, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    squares = (np.where(seen, scores - mean, 0.0) ** 2).sum(axis=0)
    units = np.sqrt(squares / np.maximum(seen.sum(axis=0), 1))
    if not (units > 0).any():
        raise EeveeError("complete: no column has two different scores")
    return np.where(units > 0, units, 1.0)


def _predictions(
    problem: _Problem, seen: BoolArray, logit: bool, rank: int, penalty: FloatArray
) -> FloatArray:
    """Scores of every cell under each penalty, (n_penalties, n_models, n_columns)."""
    scores = problem.scores
    space = fit_space(scores, seen, problem.units, logit=logit, candidates=problem.candidates)
    values = np.where(seen, space.standardise(scores), 0.0)
    factor = _factor(values, seen, rank, penalty)
    regression = regress(values, seen)
    blend = np.where(np.isfinite(regression), (factor + regression) / 2, factor)
    return space.clip(space.restore(blend))


def _factor(values: FloatArray, seen: BoolArray, rank: int, penalty: FloatArray) -> FloatArray:
    """Standardised predictions under each penalty, (n_penalties, n_models, n_columns)."""
    shape = (len(penalty), *values.shape)
    values, seen = np.broadcast_to(values, shape), np.broadcast_to(seen, shape)
    factors = fit_factors(values, seen, rank, penalty)
    return factors.predict(factors.models(values, seen, penalties(penalty, rank)))


def regress(values: FloatArray, seen: BoolArray) -> FloatArray:
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
    array, same shape
        NaN where no column can speak.
    """
    predicted = np.full(values.shape, np.nan)
    pairs = _Pairs.of(values, seen)
    for target in range(values.shape[1]):
        guess = pairs.intercept[:, target] + values * pairs.slope[:, target]
        lever = (values - pairs.centre[:, target]) ** 2 / pairs.spread[:, target]
        variance = pairs.variance[:, target] * (1 + 1 / pairs.joint[:, target] + lever)
        variance = np.where(seen, variance, np.inf)
        best = np.argsort(variance, axis=1, kind="stable")[:, :NEIGHBOURS]
        weight = 1.0 / np.take_along_axis(variance, best, axis=1)
        total = (weight * np.take_along_axis(guess, best, axis=1)).sum(axis=1)
        spoken = weight.sum(axis=1) > 0
        predicted[spoken, target] = total[spoken] / weight[spoken].sum(axis=1)
    return predicted


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


def _choose(problem: _Problem, rng: np.random.Generator) -> _Recipe:
    """Recipe with the least mean square root of the absolute errors in units.

    Between the mean, which a few misses rule, and the median, which is rough.
    """
    scores, seen = problem.scores, problem.seen
    kinds = list(product((False, True), RANKS))
    total = np.zeros((len(kinds), len(PENALTIES)))
    for hidden in _folds(seen, rng):
        scale = np.broadcast_to(problem.units, scores.shape)[hidden]
        for kind, (logit, rank) in enumerate(kinds):
            guess = _predictions(problem, seen & ~hidden, logit, rank, np.array(PENALTIES))
            total[kind] += np.sqrt(np.abs(guess - scores)[:, hidden] / scale).sum(axis=1)
    best, strength = np.unravel_index(int(np.argmin(total)), total.shape)
    return _Recipe(*kinds[best], PENALTIES[strength])


def _folds(seen: BoolArray, rng: np.random.Generator) -> Iterator[BoolArray]:
    """Measured cells dealt into folds, model after model.

    So that no model of two or more scores loses all of its own at once.
    """
    rows, columns = np.nonzero(seen)
    order = np.lexsort((rng.random(len(rows)), rows))
    fold = np.empty(len(rows), dtype=np.int64)
    fold[order] = np.arange(len(rows)) % FOLDS
    for i in range(FOLDS):
        hidden = np.zeros_like(seen)
        hidden[rows[fold == i], columns[fold == i]] = True
        yield hidden
