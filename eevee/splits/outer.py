"""Kinds of outer splits: random ones, and those that hold out what a user may meet next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eevee.base.arrays import IntArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.splits.groups import Groups, group_labels, joined
from eevee.splits.harder import frontier_splits, time_splits
from eevee.splits.splits import Splits, fold_splits
from eevee.tables.results_table import ResultsTable

KINDS = ("random", "family", "frontier", "time")
FAMILY, DATE = "family", "date"
"""Attributes of models, where none is named."""


def checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds, if all are known and none is named twice."""
    for kind in kinds:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS)
            raise EeveeError(f"no splits of kind {kind!r}{hint}; there are {', '.join(KINDS)}")
    if len(set(kinds)) < len(kinds) or not kinds:
        raise EeveeError(f"name each kind of splits once, and at least one: {', '.join(KINDS)}")
    return tuple(kinds)


@dataclass(frozen=True)
class Drawing:
    """How outer splits of any kind are drawn for one table.

    Attributes
    ----------
    table : ResultsTable
    families : str or labels
    date : str
    together : int array, shape (n_models,), or None
        Labels of models that no split parts, whatever its kind.
    n_folds, n_repeats : int
    seed : int
    weights : mapping of benchmark to weight, optional
        Of the loss, and of the mean score that the frontier is drawn by.
    """

    table: ResultsTable
    families: Groups
    date: str
    together: IntArray | None
    n_folds: int
    n_repeats: int
    seed: int
    weights: Mapping[str, float] | None = None

    def draw(self, kind: str) -> Splits | None:
        """Draw splits; none for random ones, which `assess` draws itself."""
        if kind == "random":
            return None
        try:
            return self._by_family() if kind == "family" else self._above(kind)
        except EeveeError as error:
            raise EeveeError(f"splits of kind {kind}: {error}") from None

    def describe(self, kind: str, outer: Splits) -> str:
        """Say what the splits are."""
        if kind != "family":
            which = "with the highest mean scores" if kind == "frontier" else "that are latest"
            return f"{outer.n_splits} times, the models {which} held out"
        times = "once" if self.n_repeats == 1 else f"{self.n_repeats} times"
        return f"{outer.n_splits // self.n_repeats} folds of whole families, {times}"

    def _by_family(self) -> Splits:
        given = group_labels(self.table, self.families)
        labels = given if self.together is None else joined(given, self.together)
        n_families = len(np.unique(labels))
        if n_families < 2:
            linked = "" if len(np.unique(given)) < 2 else " once near-duplicates are joined"
            raise EeveeError(f"all models are of one family{linked}; two are needed")
        return fold_splits(
            self.table,
            n_folds=min(self.n_folds, n_families),
            n_repeats=self.n_repeats,
            seed=self.seed,
            groups=labels,
        )

    def _above(self, kind: str) -> Splits:
        """Hold out the top, or the latest, as many as in a fold; search on all others."""
        options: dict[str, Any] = {
            "n_splits": self.n_folds * self.n_repeats,
            "test_size": 1 / self.n_folds,
            "train_share": 1.0,
            "seed": self.seed,
            "groups": self.together,
        }
        if kind == "time":
            return time_splits(self.table, by=self.date, **options)
        return frontier_splits(self.table, weights=self.weights, **options)


@dataclass(frozen=True, eq=False)
class OuterSplits:
    """Outer splits, and which of them make a round, in which each model is held out once.

    Attributes
    ----------
    splits : Splits
    rounds : list of lists of numbers of splits
    words : str
    """

    splits: Splits
    rounds: list[list[int]]
    words: str


def given_splits(table: ResultsTable, outer: Splits) -> OuterSplits:
    """Take outer splits as they are given.

    Raises
    ------
    EeveeError
        If they are for another number of models.
    """
    if outer.n_models != table.n_models:
        raise EeveeError(
            f"the outer splits are for {outer.n_models} models, the table has {table.n_models}"
        )
    return OuterSplits(outer, _rounds_of(outer), f"{outer.n_splits} given splits")


def repeated_folds(
    table: ResultsTable,
    *,
    n_folds: int,
    n_repeats: int,
    seed: int,
    groups: IntArray | None = None,
) -> OuterSplits:
    """Draw repeated K-fold splits, as `fold_splits`."""
    splits = fold_splits(table, n_folds=n_folds, n_repeats=n_repeats, seed=seed, groups=groups)
    times = "once" if n_repeats == 1 else f"{n_repeats} times"
    return OuterSplits(splits, _rounds_of(splits), f"{n_folds} folds, {times}")


def _rounds_of(splits: Splits) -> list[list[int]]:
    """Splits in a row that hold out each model once are a round; else each is one of its own."""
    rounds: list[list[int]] = []
    covered = np.ones(splits.n_models, dtype=np.bool_)
    for number, test in enumerate(splits.test):
        if covered.all():
            rounds.append([])
            covered = np.zeros_like(covered)
        if (covered & test).any():
            break
        rounds[-1].append(number)
        covered |= test
    return rounds if covered.all() else [[number] for number in range(splits.n_splits)]
