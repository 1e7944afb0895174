"""What every scorer promises, and the parts that all of them share."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from eevee.base.arrays import FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.scorers.loss import (
    LossRule,
    Targets,
    mean_squared_errors,
    standardise,
)
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

Objective = Literal["loss", "kendall", "r2"]
"""What a search goes by; see `eevee.scorers.objective`."""
Advance = Callable[[int], None]
"""Called with the number of subsets that have just been scored."""


class Scorer(Protocol):
    """A pure function from subsets to losses: what a search needs to know.

    `losses` depends on (table, splits, configuration, subset) alone: not on the order of names,
    the batch, the chunk, the number of threads or what was scored before.
    """

    table: ResultsTable
    splits: Splits
    targets: Targets
    objective: Objective
    weights: Mapping[str, float] | None

    def losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Loss of each subset, (n_subsets,), float64."""

    def split_losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Loss of each subset in each split, (n_subsets, n_splits), float64."""

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray | None:
        """Losses under `n_init` initialisations that `losses` does not use.

        Shape (n_subsets, n_init), or None for a scorer without initialisations.
        """

    def mean_predictor(self) -> FloatArray:
        """Loss in each split of predicting each column's training mean, (n_splits,)."""

    def with_targets(self, targets: Targets) -> Scorer:
        """Return the same scorer for the other kind of target."""

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""


class EarlierNames:
    """Methods by their names of the version before: `score` meant higher is better elsewhere."""

    def score(self: Any, *args: Any, **options: Any) -> FloatArray:
        """Return `losses`."""
        warnings.warn("score is now losses", FutureWarning, stacklevel=2)
        return np.asarray(self.losses(*args, **options))

    def score_splits(self: Any, *args: Any, **options: Any) -> FloatArray:
        """Return `split_losses`."""
        warnings.warn("score_splits is now split_losses", FutureWarning, stacklevel=2)
        return np.asarray(self.split_losses(*args, **options))


class CachedScorer(EarlierNames, ABC):
    """Checks subsets and keeps what they scored; a child scores those that are new.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
        Of the same models.
    """

    def __init__(self, table: ResultsTable, splits: Splits) -> None:
        self.table = table
        self.splits = splits
        self._cache: dict[Subset, FloatArray] = {}

    @abstractmethod
    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        """Score distinct, checked subsets that are not cached: (n_subsets, n_splits)."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""

    def losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Return the loss of each subset: the mean over splits.

        Parameters
        ----------
        subsets : sequence of iterables of benchmark names
        advance : callable, optional
            Called with the number of subsets just scored.

        Returns
        -------
        array of float64, shape (n_subsets,)
            NaN where nothing is left to predict (`targets="unseen"` with every benchmark in).

        Raises
        ------
        EeveeError
            If a name is unknown or a subset is empty.
        """
        return np.asarray(self.split_losses(subsets, advance=advance).mean(axis=1))

    def split_losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Return the loss of each subset in each split, shape (n_subsets, n_splits)."""
        checked = [self.table.subset(subset) for subset in subsets]
        new = [s for s in dict.fromkeys(checked) if s not in self._cache]
        if advance is not None and len(new) < len(checked):
            advance(len(checked) - len(new))
        if new:
            self._cache.update(zip(new, self._losses(new, advance), strict=True))
        if not checked:
            return np.empty((0, self.splits.n_splits))
        return np.stack([self._cache[subset] for subset in checked])


class BaseScorer(CachedScorer):
    """Averages errors to losses; a child fits and predicts.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
        Of the same models.
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
    """

    objective: Objective = "loss"
    has_initialisations = False
    """Whether `rescore` gives anything."""

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
    ) -> None:
        if splits.n_models != table.n_models:
            raise EeveeError(
                f"the splits are for {splits.n_models} models, the table has {table.n_models}"
            )
        super().__init__(table, splits)
        self.targets: Targets = targets
        self.weights = weights
        self._data = standardise(table, splits.fit)
        self._rule = LossRule(table, splits, self._data, targets, weights)

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray | None:
        """Return None: without initialisations there is nothing to redraw."""
        return None

    def mean_predictor(self) -> FloatArray:
        """Return the loss in each split of predicting each column's training mean.

        The bound that a useful subset must beat; shape (n_splits,).
        """
        return np.asarray(self.mean_predictor_for([()])[0])

    def mean_predictor_for(self, subsets: Sequence[Subset]) -> FloatArray:
        """Return the loss of predicting means, for the targets of each subset.

        Shape (n_subsets, n_splits). They differ with ``targets="unseen"`` alone; NaN where a
        subset leaves nothing to predict.
        """
        errors = mean_squared_errors(
            np.zeros_like(self._data.targets), self._data.targets, self._test_cells
        )
        shape = (len(subsets), self.splits.n_splits)
        return np.broadcast_to(self._rule.losses(subsets, errors[None]), shape).copy()

    @abstractmethod
    def predict_targets(self, subsets: Sequence[Iterable[str]], *, init: int = 0) -> FloatArray:
        """Predict the test models of each split, in units above the fitting models' mean.

        Parameters
        ----------
        subsets : sequence of iterables of benchmark names
        init : int
            Which initialisations: 0 those of `losses`, others those of `rescore`.

        Returns
        -------
        array, shape (n_subsets, n_splits, n_rows, n_columns)
            Directions turned so that higher is better. Rows are the test models of a split, in
            the order of the table, as many as any split has. NaN beyond them, and where a column
            is a proxy or has too few fitting models.

        Raises
        ------
        EeveeError
            If a name is unknown or a subset is empty.
        """

    def predict(self, subset: Iterable[str]) -> FloatArray:
        """Predict every target of the test models of each split from a subset's columns.

        Parameters
        ----------
        subset : iterable of benchmark names

        Returns
        -------
        array, shape (n_splits, n_models, n_columns)
            In the table's own numbers, not turned; NaN where a model does not test in that
            split, or a column is a proxy or has too few fitting models.

        Raises
        ------
        EeveeError
            As `predict_targets`.
        """
        rows = self.predict_targets([subset])[0]
        placed = np.full((*self.splits.test.shape, self.table.n_columns), np.nan)
        for split, test in enumerate(self.splits.test):
            placed[split, test] = rows[split, : test.sum()]
        return self._published(placed)

    def _published(self, predictions: FloatArray) -> FloatArray:
        """Turn predicted targets (n_splits, n_models, n_columns) into scores as published.

        NaN where a model does not test or a column is no target of that split.
        """
        signs = np.where(self.table.columns["direction"] == "higher", 1.0, -1.0)
        units = self.table.units.to_numpy(np.float64)
        scores = signs * (self._data.means[:, None, :] + units * predictions)
        return np.where(self.splits.test[:, :, None] & self.table.is_target, scores, np.nan)

    @property
    def _test_cells(self) -> np.ndarray:
        """Observed cells of test models, (n_splits, n_models, n_columns)."""
        return self.splits.test[:, :, None] & self._data.observed[None]


class PredictingScorer(Scorer, Protocol):
    """A scorer that also says what it predicts."""

    def predict(self, subset: Iterable[str]) -> FloatArray:
        """Predictions of the test models of each split, (n_splits, n_models, n_columns)."""

    def with_targets(self, targets: Targets) -> PredictingScorer:
        """Return the same scorer for the other kind of target."""
