"""`Judge`: what subsets predict for the models that one outer split holds out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import PredictingScorer
from eevee.scorers.loss import MIN_OBSERVED, TARGETS, Targets
from eevee.stats.metrics import mean_of_known
from eevee.tables.averages import averaged, loss_weights
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a subset predicts for held-out models, and how wrong that is.

    Attributes
    ----------
    subset : Subset
        Empty for the mean predictor.
    predicted : mapping of targets to array, shape (n_held_out, n_columns)
        In the table's own numbers, not turned. NaN where a column is no target; with "unseen"
        also where it belongs to the subset.
    losses : mapping of targets to float
        As a scorer gives them; NaN where nothing is left to predict.
    """

    subset: Subset
    predicted: Mapping[Targets, FloatArray]
    losses: Mapping[Targets, float]


class Judge:
    """Judges subsets by meta-models that are fitted on all models that are not held out.

    Parameters
    ----------
    scorer : Scorer
        On the whole table and one split, whose test models are those held out.
    weights : mapping of benchmark to weight, optional
        The scorer's own.

    Raises
    ------
    EeveeError
        If the scorer has several splits.
    """

    def __init__(
        self, scorer: PredictingScorer, weights: Mapping[str, float] | None = None
    ) -> None:
        if scorer.splits.n_splits != 1:
            raise EeveeError(f"a judge needs one split, got {scorer.splits.n_splits}")
        self.table: ResultsTable = scorer.table
        self.held_out: BoolArray = scorer.splits.test[0]
        self._fit: BoolArray = scorer.splits.fit[0]
        self._scorers = {targets: scorer.with_targets(targets) for targets in TARGETS}
        self._weights = loss_weights(self.table, weights)

    def judge(self, subset: Subset) -> Judgement:
        """Judge one subset, for either kind of target."""
        own = np.asarray(self.table.columns["benchmark"].isin(list(subset)), dtype=np.bool_)
        predicted: dict[Targets, FloatArray] = {
            t: s.predict(subset)[0][self.held_out] for t, s in self._scorers.items()
        }
        predicted["unseen"] = np.where(own, np.nan, predicted["unseen"])
        return self._judgement(subset, predicted)

    def mean_predictor(self) -> Judgement:
        """Judge what predicts each column's mean over the models that are not held out."""
        scores = self.table.scores.to_numpy(np.float64)[self._fit]
        count = np.isfinite(scores).sum(axis=0)
        usable = (count >= MIN_OBSERVED) & self.table.is_target
        mean = np.where(usable, np.nansum(scores, axis=0) / np.maximum(count, 1), np.nan)
        same = np.broadcast_to(mean, (int(self.held_out.sum()), len(mean)))
        return self._judgement((), dict.fromkeys(TARGETS, same))

    def _judgement(self, subset: Subset, predicted: dict[Targets, FloatArray]) -> Judgement:
        true = self.table.scores.to_numpy(np.float64)[self.held_out]
        losses = {}
        for targets, values in predicted.items():
            squares = mean_of_known(squared_errors(values, true, self.table), axis=0)
            losses[targets] = float(averaged(squares, self._weights))
        return Judgement(subset, predicted, losses)


def squared_errors(predicted: FloatArray, true: FloatArray, table: ResultsTable) -> FloatArray:
    """Squared errors in squared units, (..., n_columns); NaN where there is none."""
    return np.asarray(((predicted - true) / table.units.to_numpy(np.float64)) ** 2)
