"""`Contest`: judged outer splits, the loss of each method in them, and how losses differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eevee.assessment.folds import MEAN_PREDICTOR, Fold
from eevee.assessment.judge import Judgement, squared_errors
from eevee.assessment.resampling import Resampled, draw_models, drawn_losses
from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.loss import TARGETS, Targets
from eevee.stats.intervals import Interval, blank_interval, nadeau_bengio_interval
from eevee.stats.metrics import mean_of_known
from eevee.tables.averages import averaged, loss_weights
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class Contest:
    """Judged outer splits, and what an assessment needs to know beside them.

    Attributes
    ----------
    table : ResultsTable
    folds : list of Fold
    rounds : list of lists of fold numbers
        No model is held out twice in a round; rankings are of the models of one.
    members : mapping of method to names in the folds
        Several for random subsets, which are one method.
    targets : {"all", "unseen"}
        What the searches minimised.
    weights : mapping or None
        Of the loss.
    labels : int array, shape (n_models,)
        Families that the bootstrap draws.
    level : float
    seed : int
        Of the bootstrap.
    n_pool : float or None
        Models that those searched on were drawn from in a split, if they are some of them.
    """

    table: ResultsTable
    folds: list[Fold]
    rounds: list[list[int]]
    members: Mapping[str, list[str]]
    targets: Targets
    weights: Mapping[str, float] | None
    labels: IntArray
    level: float
    seed: int
    n_pool: float | None = None

    @cached_property
    def losses(self) -> dict[tuple[str, Targets], Resampled]:
        """The loss of each method, for either kind of target."""
        drawn = self.draws(self.tested)
        return {
            (name, targets): Resampled(
                self.by_split(name, targets), self.loss_over(drawn, name, targets)
            )
            for name in self.members
            for targets in TARGETS
        }

    def by_split(self, name: str, targets: Targets) -> FloatArray:
        """Loss of each outer split; of random subsets, the mean of those that have one."""
        members = self.members[name]
        each = [[fold.judged[one].losses[targets] for one in members] for fold in self.folds]
        return mean_of_known(np.array(each), axis=1)

    def draws(self, tested: BoolArray) -> FloatArray:
        """How often each of these models is in each draw of the bootstrap."""
        return draw_models(self.labels, tested, seed=self.seed)

    def loss_over(self, drawn: FloatArray, name: str, targets: Targets) -> FloatArray:
        """Loss of a method when models count so often, (n_draws,); see `drawn_losses`."""
        average = loss_weights(self.table, self.weights)
        return drawn_losses(self.table, self.folds, self.members[name], targets, average, drawn)

    def interval(self, name: str, targets: Targets) -> Interval:
        """Bootstrap interval of a loss."""
        return self.losses[name, targets].interval(self.level, least=0.0)

    def difference(self, name: str, against: str, targets: Targets) -> dict[str, Any]:
        """How the loss of a method differs: a row of `Assessment.differences`."""
        other = self.losses[against, targets]
        gap = self.losses[name, targets] - other
        found, t = gap.interval(self.level), self.over_folds(gap.by_split)
        limits = {
            "low": float(found.low),
            "high": float(found.high),
            "t_low": float(t.low),
            "t_high": float(t.high),
        }
        scale = other.mean or np.nan
        return {
            "method": name,
            "against": against,
            "targets": targets,
            "difference": gap.mean,
            "relative": gap.mean / scale,
            **limits,
            **{f"relative_{end}": limit / scale for end, limit in limits.items()},
        }

    def beside_means(self, name: str) -> Contest:
        """Return one of a method and the mean predictor over the cells that both must predict.

        What a subset runs needs no prediction: the mean predictor counts on the cells that `name`
        predicts as unseen, and on no others.
        """
        average = loss_weights(self.table, self.weights)
        scores = self.table.scores.to_numpy(np.float64)
        folds = []
        for fold in self.folds:
            own, blind = fold.judged[name], fold.judged[MEAN_PREDICTOR]
            there = np.isfinite(own.predicted["unseen"])
            means = np.where(there, blind.predicted["unseen"], np.nan)
            squares = squared_errors(means, scores[fold.held_out], self.table)
            loss = float(averaged(mean_of_known(squares, axis=0), average))
            judged = Judgement(
                (), {**blind.predicted, "unseen": means}, {**blind.losses, "unseen": loss}
            )
            folds.append(replace(fold, judged={name: own, MEAN_PREDICTOR: judged}))
        members = {name: [name], MEAN_PREDICTOR: [MEAN_PREDICTOR]}
        return replace(self, folds=folds, members=members)

    def over_folds(self, values: FloatArray) -> Interval:
        """Nadeau and Bengio's interval of a mean over outer splits; blank for a single one.

        Blank, too, where all splits test the same models: they do not show the luck of these.
        """
        if len(values) < 2 or self.same_test or not np.isfinite(values).all():
            return blank_interval(float(values.mean()))
        return nadeau_bengio_interval(
            values, n_train=self.n_pool or self.n_train, n_test=self.n_test, level=self.level
        )

    @property
    def tested(self) -> BoolArray:
        """Models that some outer split holds out."""
        return np.asarray(np.any([fold.held_out for fold in self.folds], axis=0))

    @property
    def same_test(self) -> bool:
        """Whether all outer splits hold out the same models."""
        return all((fold.held_out == self.folds[0].held_out).all() for fold in self.folds)

    @property
    def n_test(self) -> float:
        """Models that an outer split holds out, on average."""
        return float(np.mean([fold.held_out.sum() for fold in self.folds]))

    @property
    def n_train(self) -> float:
        """Models that an outer split searches on, on average."""
        return float(np.mean([fold.n_train for fold in self.folds]))
