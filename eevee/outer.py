"""Outer splits: whole searches on some of the models, their subsets judged on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal, cast

import numpy as np

from eevee.bounds import Bounds, column_bounds
from eevee.duplicates import kept_together
from eevee.errors import Stopped
from eevee.heldout import Judge, Judgement, PredictingScorer
from eevee.scoring.base import Scorer
from eevee.scoring.choice import ChosenScorer, Name, make_scorer
from eevee.scoring.loss import Targets
from eevee.search.watch import Watch
from eevee.seeds import child_seed
from eevee.splits import Splits, shuffle_splits
from eevee.table import BoolArray, FloatArray, IntArray, ResultsTable, Subset

ScorerName = Name | Literal["auto"] | Callable[..., Scorer]
SPLITS, SCORER, SEARCH, ELSEWHERE = range(4)
"""Which child of a fold's seed each part gets."""


@dataclass(frozen=True)
class Scoring:
    """How subsets are scored, before there is a table: a scorer's name and settings.

    Attributes
    ----------
    scorer : {"mlp", "ridge", "factor", "auto"} or callable
        A callable takes ``(table, splits, targets=, weights=, **options)`` and returns a scorer
        that predicts, such as ``functools.partial(EstimatorScorer, KNeighborsRegressor(3))``; its
        seed is its own.
    n_splits : int
        Of the models that a search sees.
    test_size : float
        Share of them that test in each.
    targets : {"all", "unseen"}
        What a search minimises the loss of.
    weights : mapping of benchmark to weight, optional
    options : mapping
        More of `make_scorer`, such as ``{"epochs": 20}``.
    groups : str, optional
        An attribute of models, such as their family: those that share it stay on one side of a
        search's splits, and of the outer ones that `eevee.assess` draws.
    group_duplicates : bool
        So do near-duplicates (`eevee.duplicates.duplicate_groups`). Those of a search are found
        among the models that it sees and no others.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = ResultsTable.from_scores(frame)
    >>> Scoring("ridge", n_splits=3).make(table, seed=0).splits.n_splits
    3
    """

    scorer: ScorerName = "mlp"
    n_splits: int = 10
    test_size: float = 0.2
    targets: Targets = "all"
    weights: Mapping[str, float] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    groups: str | None = None
    group_duplicates: bool = False

    @classmethod
    def of(cls, scorer: Scoring | ScorerName) -> Scoring:
        """Return the settings as they are, or the default ones of a scorer."""
        return scorer if isinstance(scorer, Scoring) else cls(scorer)

    def make(self, table: ResultsTable, seed: int) -> Scorer:
        """Make the scorer of a search over a table, with random splits of its models."""
        other = self._splits(table, seed, SPLITS, 1) if self.scorer == "auto" else None
        return self._made(self.scorer, table, self.splits(table, seed), seed, self.options, other)

    def _made(
        self,
        kind: ScorerName,
        table: ResultsTable,
        splits: Splits,
        seed: int,
        options: Mapping[str, Any],
        choose_on: Splits | None = None,
    ) -> Scorer:
        common: dict[str, Any] = {"targets": self.targets, "weights": self.weights, **options}
        if callable(kind):
            return kind(table, splits, **common)
        own = child_seed(seed, SCORER)
        return make_scorer(kind, table, splits, seed=own, choose_on=choose_on, **common)

    def like(
        self, scorer: Scorer, table: ResultsTable, splits: Splits, seed: int
    ) -> PredictingScorer:
        """Make the same scorer on other splits; what "auto" chose is not chosen anew.

        Choosing on these splits would look at the models that they test on.
        """
        kind: ScorerName = self.scorer
        options = self.options
        if isinstance(scorer, ChosenScorer):
            kind = cast(Name, scorer.choice.name)
            options = self.options if kind == "mlp" else {}
        return cast(PredictingScorer, self._made(kind, table, splits, seed, options))

    def elsewhere(
        self, scorer: Scorer, table: ResultsTable, seed: int, count: int
    ) -> list[PredictingScorer]:
        """Make the same scorer on other splits, with other initialisations, `count` times."""
        seeds = [child_seed(seed, ELSEWHERE, i) for i in range(count)]
        return [self.like(scorer, table, self.splits(table, own), own) for own in seeds]

    @property
    def together(self) -> dict[str, Any]:
        """Which models stay on one side of its splits, for files; empty where any may be apart.

        Examples
        --------
        >>> Scoring(groups="family").together
        {'groups': 'family'}
        """
        said = {"groups": self.groups, "group_duplicates": self.group_duplicates}
        return {name: value for name, value in said.items() if value}

    def kept_together(self, table: ResultsTable) -> IntArray | None:
        """Label the models of a table that stay on one side of its splits, if any do."""
        return kept_together(table, self.groups, duplicates=self.group_duplicates)

    def splits(self, table: ResultsTable, seed: int) -> Splits:
        """Draw the splits that `make` draws."""
        return self._splits(table, seed, SPLITS)

    def _splits(self, table: ResultsTable, seed: int, *key: int) -> Splits:
        return shuffle_splits(
            table,
            n_splits=self.n_splits,
            test_size=self.test_size,
            seed=child_seed(seed, *key),
            groups=self.kept_together(table),
        )


@dataclass(frozen=True, eq=False)
class Fold:
    """What happened in one outer split.

    Attributes
    ----------
    held_out : bool array, shape (n_models,)
    judged : mapping of method to Judgement
    search : mapping of method to float
        Loss of its subset on the splits that the search saw.
    transferred : mapping of method to float
        Loss of the same fits, on as many training models, for the held-out models.
    n_train : int
        Models that were searched on.
    n_inner : float
        Models that such a fit trains on, mean over inner splits.
    scorer : mapping
        Description of the scorer of the searches.
    bounds : Bounds
        Of the columns, by the scores that predictions are fitted on.
    """

    held_out: BoolArray
    judged: Mapping[str, Judgement]
    search: Mapping[str, float]
    transferred: Mapping[str, float]
    n_train: int
    n_inner: float
    scorer: Mapping[str, Any]
    bounds: Bounds


Find = Callable[[Scorer, int, int], Mapping[str, Subset]]
"""From the scorer of a fold, its number and a seed to a subset by method."""


def run_folds(
    table: ResultsTable, outer: Splits, find: Find, scoring: Scoring, seed: int
) -> Iterator[Fold]:
    """Search and judge in one outer split after the other.

    A search sees ``table.take_models`` of the models that are not held out and nothing else; the
    units, which are a constant of the problem, stay those of the whole table.

    Parameters
    ----------
    table : ResultsTable
    outer : Splits
        Test models are held out; training and validation models are searched on.
    find : callable
    scoring : Scoring
    seed : int
    """
    for number in range(outer.n_splits):
        own = child_seed(seed, number)
        split = outer.take([number])
        searched = split.fit[0]
        scorer = scoring.make(table.take_models(searched), own)
        found = find(scorer, number, child_seed(own, SEARCH))
        judge = Judge(scoring.like(scorer, table, split, own), scoring.weights)
        judged = {name: judge.judge(subset) for name, subset in found.items()}
        again = scoring.like(scorer, table, _widened(scorer.splits, searched, split.test[0]), own)
        yield Fold(
            held_out=split.test[0],
            judged={**judged, MEAN_PREDICTOR: judge.mean_predictor()},
            search=_losses(scorer, found),
            transferred=_losses(again, found),
            n_train=int(searched.sum()),
            n_inner=float(scorer.splits.fit.sum(axis=1).mean()),
            scorer=scorer.describe(),
            bounds=column_bounds(table.take_models(searched)),
        )


def whole_folds(
    table: ResultsTable, outer: Splits, find: Find, scoring: Scoring, seed: int, watch: Watch
) -> list[Fold]:
    """Run all outer splits, as `run_folds`.

    Raises
    ------
    Stopped
        If `watch` asked for it: some of the splits estimate nothing.
    """
    every = run_folds(table, outer, find, scoring, seed)
    folds = list(takewhile(lambda fold: not watch.stop(), every))
    if len(folds) < outer.n_splits:
        raise Stopped(f"stopped after {len(folds)} of {outer.n_splits} outer splits")
    return folds


MEAN_PREDICTOR = "mean predictor"
"""Predicts each column's training mean, from nothing."""


def _losses(scorer: Scorer, found: Mapping[str, Subset]) -> dict[str, float]:
    return dict(zip(found, scorer.score(list(found.values())).tolist(), strict=True))


def _widened(inner: Splits, searched: BoolArray, held_out: BoolArray) -> Splits:
    """The inner splits among all models of the table, where the held-out models test."""
    rows = np.flatnonzero(searched)

    def wide(mask: BoolArray) -> BoolArray:
        full = np.zeros((inner.n_splits, len(searched)), dtype=np.bool_)
        full[:, rows] = mask
        return full

    test = np.broadcast_to(held_out, (inner.n_splits, len(searched))).copy()
    return Splits(train=wide(inner.train), validation=wide(inner.validation), test=test)


def spread_out(
    folds: list[Fold],
    name: str,
    targets: Targets,
    rounds: list[list[int]],
    *,
    clipped: bool = False,
) -> FloatArray:
    """Predictions of a method for held-out models, (n_rounds, n_models, n_columns).

    A round is a list of folds in which no model is held out twice; NaN where none holds it out.
    With `clipped` they lie between the bounds of their columns, as those of `eevee predict` do.
    """
    first = folds[0]
    n_columns = first.judged[name].predicted[targets].shape[1]
    wide = np.full((len(rounds), len(first.held_out), n_columns), np.nan)
    for place, members in enumerate(rounds):
        for number in members:
            fold = folds[number]
            values = fold.judged[name].predicted[targets]
            wide[place, fold.held_out] = fold.bounds.clip(values) if clipped else values
    return wide
