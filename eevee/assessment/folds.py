"""Outer splits: whole searches on some of the models, their subsets judged on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from eevee.assessment.judge import Judge, Judgement
from eevee.base.arrays import BoolArray, FloatArray, Subset
from eevee.base.errors import Stopped
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.scorers.loss import Targets
from eevee.scorers.spec import SEARCH, ScorerSpec
from eevee.search.control import RunControl
from eevee.splits.splits import Splits
from eevee.tables.bounds import Bounds, column_bounds
from eevee.tables.results_table import ResultsTable


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
    table: ResultsTable, outer: Splits, find: Find, scoring: ScorerSpec, seed: int
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
    scoring : ScorerSpec
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
    table: ResultsTable,
    outer: Splits,
    find: Find,
    scoring: ScorerSpec,
    seed: int,
    control: RunControl,
) -> list[Fold]:
    """Run all outer splits, as `run_folds`.

    Raises
    ------
    Stopped
        If `control` asked for it: some of the splits estimate nothing.
    """
    every = run_folds(table, outer, find, scoring, seed)
    folds = list(takewhile(lambda fold: not control.stop(), every))
    if len(folds) < outer.n_splits:
        raise Stopped(f"stopped after {len(folds)} of {outer.n_splits} outer splits")
    return folds


MEAN_PREDICTOR = "mean predictor"
"""Predicts each column's training mean, from nothing."""


def _losses(scorer: Scorer, found: Mapping[str, Subset]) -> dict[str, float]:
    return dict(zip(found, scorer.losses(list(found.values())).tolist(), strict=True))


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
