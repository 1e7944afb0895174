"""`ScorerSpec`: a scorer with its settings, before it meets a table or splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from eevee.base.arrays import IntArray
from eevee.base.seeds import child_seed
from eevee.scorers.base import PredictingScorer, Scorer
from eevee.scorers.choose import ChosenScorer, Name, make_scorer
from eevee.scorers.loss import Targets
from eevee.splits.near_duplicates import kept_together
from eevee.splits.splits import Splits, shuffle_splits
from eevee.tables.results_table import ResultsTable

ScorerName = Name | Literal["auto"] | Callable[..., Scorer]
SPLITS, SCORER, SEARCH, ELSEWHERE = range(4)
"""Which child of a fold's seed each part gets."""


@dataclass(frozen=True)
class ScorerSpec:
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
        So do near-duplicates (`eevee.splits.near_duplicates.duplicate_groups`). Those of a search
        are found among the models that it sees and no others.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = ResultsTable.from_scores(frame)
    >>> ScorerSpec("ridge", n_splits=3).make(table, seed=0).splits.n_splits
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
    def of(cls, scorer: ScorerSpec | ScorerName) -> ScorerSpec:
        """Return the settings as they are, or the default ones of a scorer."""
        return scorer if isinstance(scorer, ScorerSpec) else cls(scorer)

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
        """Make the same scorer on other splits; what "auto" chose is not chosen again.

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
        >>> ScorerSpec(groups="family").together
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
