"""`Filling`: the gaps of a sparse table predicted by factors and by neighbouring columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.errors import EeveeError
from eevee.completion.neighbours import Neighbours, regress
from eevee.completion.reach import Reach, reach, widened
from eevee.scorers.factor.als import PENALTIES, RANKS, Factors, fit_factors, penalties
from eevee.scorers.factor.transform import Space, fit_space
from eevee.tables.bounds import Bounds, column_bounds
from eevee.tables.results_table import ResultsTable

FOLDS = 5
FADING = 0.3
"""Standard deviations of strength outside those measured over which the share of the regressions
falls by e: their slopes are shrunken, so that they call weak models too good."""


@dataclass(frozen=True)
class Recipe:
    """What cross-validation chooses: whether percentages are logit-scaled, and the factor model."""

    logit: bool
    rank: int
    penalty: float


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores of which higher is better, and what is known of their columns."""

    scores: FloatArray
    seen: BoolArray
    units: FloatArray
    bounds: Bounds
    """Of the columns, turned like the scores."""
    targets: BoolArray
    """Whether each column is to be filled; proxies only help."""

    @property
    def testable(self) -> BoolArray:
        """Measured cells of columns to be filled, (n_models, n_columns)."""
        return np.asarray(self.seen & self.targets)

    @classmethod
    def of(cls, table: ResultsTable | pd.DataFrame) -> Problem:
        """Take the scores of a table, turned by `signs`, or of a bare frame."""
        frame = table.scores if isinstance(table, ResultsTable) else table
        scores = _numbers(frame) * signs(table)
        seen = np.isfinite(scores)
        if np.isinf(scores).any():
            raise EeveeError("complete: a score is infinite")
        if not (
            np.nanmax(scores, axis=0, initial=-np.inf) > np.nanmin(scores, axis=0, initial=np.inf)
        ).any():
            raise EeveeError("complete: no column has two different scores")
        bounds = column_bounds(table).turned(signs(table))
        targets = np.ones(scores.shape[1], dtype=np.bool_)
        if isinstance(table, ResultsTable):
            targets = table.is_target
        return cls(scores, seen, _units(scores, seen), bounds, targets)


@dataclass(frozen=True, eq=False)
class Filling:
    """Every cell predicted from the seen cells, in standardised values.

    Attributes
    ----------
    space : Space
        The way from scores to values and back.
    seen : bool, shape (n_models, n_columns)
    factors : Factors
    shrink : shape (rank + 1,)
        Penalties of a model's bias and factors.
    neighbours : Neighbours
    reach : Reach
        How far each cell's model lies outside those measured in its column.
    blend : shape (n_models, n_columns)
        Mean of the two predictions; that of the factors where no neighbour can speak, and the more
        so the farther outside.
    """

    space: Space
    seen: BoolArray
    factors: Factors
    shrink: FloatArray
    neighbours: Neighbours
    reach: Reach
    blend: FloatArray

    @property
    def scores(self) -> FloatArray:
        """Predicted scores of every cell; percentages between their ends."""
        return self.space.clip(self.space.restore(self.blend))


def fill(problem: Problem, seen: BoolArray, recipe: Recipe) -> Filling:
    """Predict every cell from the cells `seen` of a problem."""
    space, values = _standardised(problem, seen, recipe.logit)
    factors = fit_factors(values, seen, recipe.rank, recipe.penalty)
    shrink = penalties(recipe.penalty, recipe.rank)
    neighbours, beyond = regress(values, seen), reach(values, seen)
    predicted = factors.predict(factors.models(values, seen, shrink))
    blend = _blended(predicted, neighbours.predicted, beyond.outside)
    return Filling(space, seen, factors, shrink, neighbours, beyond, blend)


Tell = Callable[[str], None]
"""Called with what is done next, in words."""


def silent(what: str) -> None:
    """Tell nobody."""


def choose(problem: Problem, rng: np.random.Generator, tell: Tell = silent) -> Recipe:
    """Return the recipe with the least mean square root of the absolute errors in units.

    Between the mean, which a few misses rule, and the median, which is rough. Cross-validated
    over the folds of seen cells.
    """
    scores, seen = problem.scores, problem.seen
    kinds = list(product((False, True), RANKS))
    total = np.zeros((2, len(RANKS), len(PENALTIES)))
    for i, hidden in enumerate(folds(problem.testable, rng), start=1):
        tell(f"choosing the factor model, fold {i} of {FOLDS}")
        scale = np.broadcast_to(problem.units, scores.shape)[hidden]
        for kind, logit in enumerate((False, True)):
            for r, p, guess in _guesses(problem, seen & ~hidden, hidden, logit=logit):
                total[kind, r, p] += np.sqrt(np.abs(guess - scores[hidden]) / scale).sum()
    by_kind = total.reshape(len(kinds), -1)
    best, strength = np.unravel_index(int(np.argmin(by_kind)), by_kind.shape)
    return Recipe(*kinds[best], PENALTIES[strength])


def folds(seen: BoolArray, rng: np.random.Generator) -> Iterator[BoolArray]:
    """Deal the seen cells into folds, model after model.

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


def signs(table: ResultsTable | pd.DataFrame) -> FloatArray:
    """Return -1 for each column whose direction is lower, else 1."""
    if not isinstance(table, ResultsTable):
        return np.ones(table.shape[1])
    return np.where(table.columns["direction"] == "higher", 1.0, -1.0)


def _standardised(problem: Problem, seen: BoolArray, logit: bool) -> tuple[Space, FloatArray]:
    units = _units(problem.scores, seen)  # of the whole column they would tell of what is hidden
    space = fit_space(problem.scores, seen, units, logit=logit, bounds=problem.bounds)
    space = widened(space, problem.scores, seen)
    return space, np.where(seen, space.standardise(problem.scores), 0.0)


def _guesses(
    problem: Problem, seen: BoolArray, hidden: BoolArray, *, logit: bool
) -> Iterator[tuple[int, int, FloatArray]]:
    """Scores of the hidden cells for each rank and penalty, as their places and (n_hidden,)."""
    space, values = _standardised(problem, seen, logit)
    regression, outside = regress(values, seen).predicted, reach(values, seen).outside
    rows, columns = np.nonzero(hidden)
    regression, outside = regression[hidden], outside[hidden]
    own = space.of_columns(columns)
    for i, rank in enumerate(RANKS):
        factors = fit_factors(values, seen, rank, np.array(PENALTIES))
        models = factors.models(values, seen, penalties(PENALTIES, rank))
        for j in range(len(PENALTIES)):
            at = factors.bias[j, columns]
            predicted = at + (models[j, rows] * factors.loadings[j, columns]).sum(axis=-1)
            blend = _blended(predicted, regression, outside)
            yield i, j, own.clip(own.restore(blend))


def _blended(factor: FloatArray, regression: FloatArray, outside: FloatArray) -> FloatArray:
    share = np.exp(-np.abs(outside) / FADING) / 2
    return np.where(np.isfinite(regression), factor + share * (regression - factor), factor)


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


def _units(scores: FloatArray, seen: BoolArray) -> FloatArray:
    """Population sd of each column; 1 where it has none."""
    mean = np.where(seen, scores, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    squares = (np.where(seen, scores - mean, 0.0) ** 2).sum(axis=0)
    units = np.sqrt(squares / np.maximum(seen.sum(axis=0), 1))
    return np.where(units > 0, units, 1.0)
