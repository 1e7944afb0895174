"""The loss of outer splits, recomputed for models that are drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from eevee.assessment.folds import Fold
from eevee.assessment.judge import squared_errors
from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.scorers.loss import Targets
from eevee.splits.groups import Groups, group_labels
from eevee.stats.intervals import Interval, blank_interval, recentred_interval
from eevee.tables.averages import LossWeights, averaged
from eevee.tables.results_table import ResultsTable

N_DRAWS = 2000
"""Of every bootstrap."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A loss, or the difference of two: in each outer split, and in each bootstrap draw.

    Attributes
    ----------
    by_split : array, shape (n_splits,)
        The estimate is their mean: NaN if a split leaves nothing to predict.
    draws : array, shape (n_draws,)
        The same mean, over drawn models.
    """

    by_split: FloatArray
    draws: FloatArray

    @property
    def mean(self) -> float:
        """The estimate."""
        return float(self.by_split.mean()) if len(self.by_split) else float("nan")

    def __sub__(self, other: Resampled) -> Resampled:
        return Resampled(self.by_split - other.by_split, self.draws - other.draws)

    def interval(self, level: float, least: float = -np.inf) -> Interval:
        """Return the estimate with its bootstrap interval; blank where nothing could be drawn."""
        if not len(self.draws):
            return blank_interval(self.mean)
        return recentred_interval(self.mean, self.draws, level=level, least=least)


def families_to_draw(table: ResultsTable, families: Groups | None) -> IntArray:
    """Number the families that a bootstrap draws, as `group_labels`.

    Raises
    ------
    EeveeError
        As there, or if there is only one.
    """
    labels = group_labels(table, families)
    if table.n_models > 1 and len(np.unique(labels)) < 2:
        raise EeveeError("all models are of one family: an interval over families needs two")
    return labels


def draw_models(
    labels: IntArray, tested: BoolArray, *, n_draws: int = N_DRAWS, seed: int = 0
) -> FloatArray:
    """Draw tested models with replacement, those of a family together.

    Parameters
    ----------
    labels : int array, shape (n_models,)
        Families.
    tested : bool array, shape (n_models,)
    n_draws : int
    seed : int

    Returns
    -------
    array, shape (n_draws, n_models)
        How often each model is in each draw: as many families as were tested. No draws if that
        is only one: it would always be drawn.

    Examples
    --------
    >>> labels, tested = np.array([0, 0, 1, 2]), np.array([True, True, True, False])
    >>> sorted({tuple(row) for row in draw_models(labels, tested).astype(int).tolist()})
    [(0, 0, 2, 0), (1, 1, 1, 0), (2, 2, 0, 0)]
    """
    families, place = np.unique(labels[tested], return_inverse=True)
    n = len(families)
    if n < 2:
        return np.zeros((0, len(labels)))
    rng = np.random.default_rng(seed)
    drawn = np.zeros((n_draws, len(labels)))
    drawn[:, tested] = rng.multinomial(n, np.full(n, 1 / n), size=n_draws)[:, place]
    return drawn


def drawn_losses(
    table: ResultsTable,
    folds: Sequence[Fold],
    members: Sequence[str],
    targets: Targets,
    weights: LossWeights,
    drawn: FloatArray,
) -> FloatArray:
    """Loss of a method over the models of each draw: per outer split, then their mean.

    Which models a draw holds decides which columns and benchmarks have a cell in it; what has none
    has no part in that draw, as in the loss itself. A split counts by how many of its test models
    are drawn, as a share of them: with all models drawn once, all splits count the same, and a
    split of which one odd model is drawn does not weigh as much as a whole one.

    Parameters
    ----------
    table : ResultsTable
    folds : sequence of Fold
    members : sequence of str
        Names in the folds; the loss is their mean.
    targets : {"all", "unseen"}
    weights : LossWeights
    drawn : array, shape (n_draws, n_models)
        How often each model counts.

    Returns
    -------
    array, shape (n_draws,)
        NaN where no split has an observed cell of a drawn model.
    """
    each = [_of_split(table, fold, members, targets, weights, drawn) for fold in folds]
    losses = np.stack(each)
    shares = np.stack([drawn[:, fold.held_out].mean(axis=1) for fold in folds])
    shares = np.where(np.isnan(losses), 0.0, shares)
    with np.errstate(invalid="ignore"):
        return np.asarray((shares * np.nan_to_num(losses)).sum(axis=0) / shares.sum(axis=0))


def _of_split(
    table: ResultsTable,
    fold: Fold,
    members: Sequence[str],
    targets: Targets,
    weights: LossWeights,
    drawn: FloatArray,
) -> FloatArray:
    true = table.scores.to_numpy(np.float64)[fold.held_out]
    times = drawn[:, fold.held_out]
    total, count = np.zeros(len(drawn)), np.zeros(len(drawn))
    each = [squared_errors(fold.judged[one].predicted[targets], true, table) for one in members]
    for squares, n_alike in _alike(each):
        observed = np.isfinite(squares)
        sums = times @ np.where(observed, squares, 0.0)
        seen = times @ observed.astype(np.float64)
        with np.errstate(invalid="ignore"):
            loss = averaged(sums / seen, weights)
        there = np.isfinite(loss)
        total += n_alike * np.where(there, loss, 0.0)
        count += n_alike * there
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def _alike(each: Sequence[FloatArray]) -> Iterable[tuple[FloatArray, int]]:
    """Means over those that predict the same cells, and how many they are.

    The loss is linear in squared errors of the same cells, so it is the mean of their losses.
    """
    groups: dict[bytes, list[FloatArray]] = {}
    for squares in each:
        groups.setdefault(np.isfinite(squares).tobytes(), []).append(squares)
    return [(np.mean(several, axis=0), len(several)) for several in groups.values()]
