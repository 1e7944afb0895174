"""The loss, in one place: units, fit statistics, and errors averaged by `eevee.tables.averages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.splits.splits import Splits
from eevee.stats.metrics import squares_of
from eevee.tables.averages import LossWeights, averaged, loss_weights
from eevee.tables.results_table import ResultsTable

Targets = Literal["all", "unseen"]
TARGETS: tuple[Targets, ...] = ("all", "unseen")

MIN_OBSERVED = 2
"""Observed training models that a column needs in a split to be used there."""
SD_FLOOR = 0.1
"""Inputs are divided by max(sd, this many units): a nearly constant column cannot explode."""
CLIP = 6.0
"""Standardised inputs are clipped here; targets never are."""


@dataclass(frozen=True, eq=False)
class FitData:
    """Standardised arrays of every split, from statistics of its fitting models only.

    Attributes
    ----------
    inputs : shape (n_splits, n_models, n_columns)
        (x - mean) / max(sd, 0.1 unit), clipped to +-6; 0 where missing or unusable.
    flags : shape (n_splits, n_models, n_columns)
        1 where the cell is missing, in columns with a missing cell among the fitting models.
    targets : shape (n_splits, n_models, n_columns)
        (y - mean) / unit; 0 where missing or unusable.
    observed : bool, shape (n_models, n_columns)
    usable : bool, shape (n_splits, n_columns)
        Columns with at least two observed fitting models.
    means : shape (n_splits, n_columns)
        Of the fitting models, higher is better; NaN where unusable.
    """

    inputs: FloatArray
    flags: FloatArray
    targets: FloatArray
    observed: BoolArray
    usable: BoolArray
    means: FloatArray


def standardise(table: ResultsTable, fit: BoolArray) -> FitData:
    """Standardise every split on its own fitting models (`fit`: (n_splits, n_models))."""
    values = table.oriented
    observed = np.isfinite(values)
    units = np.asarray(table.units, dtype=np.float64)
    parts = [_standardise_one(values, observed, units, mask) for mask in fit]
    inputs, flags, targets, usable, means = (np.stack(part) for part in zip(*parts, strict=True))
    return FitData(inputs, flags, targets, observed, usable, means)


def _standardise_one(
    values: FloatArray, observed: BoolArray, units: FloatArray, fit: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray, FloatArray]:
    seen = observed & fit[:, None]
    count = seen.sum(axis=0)
    usable = count >= MIN_OBSERVED
    total = np.where(seen, values, 0.0).sum(axis=0)
    mean = total / np.maximum(count, 1)
    centred = np.where(observed & usable, values - mean, 0.0)
    sd = np.sqrt(np.where(seen, centred**2, 0.0).sum(axis=0) / np.maximum(count, 1))
    inputs = np.clip(centred / np.maximum(sd, SD_FLOOR * units), -CLIP, CLIP)
    gappy = count < fit.sum()
    flags = np.where(gappy & ~observed, 1.0, 0.0)
    return inputs, flags, centred / units, usable, np.where(usable, mean, np.nan)


class LossRule:
    """From squared errors per column to the loss of each split, for either kind of target.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
    data : FitData
        Standardised on the models that fit in each split.
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
    """

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        data: FitData,
        targets: Targets,
        weights: Mapping[str, float] | None,
    ) -> None:
        if targets not in TARGETS:
            raise EeveeError(f"targets must be 'all' or 'unseen', got {targets!r}")
        self.targets = targets
        self._averages = loss_weights(table, weights)
        self._position = {name: i for i, name in enumerate(table.benchmark_names)}
        self._owner = table.column_owner
        self._can_fit = data.usable & table.is_target
        tested = (splits.test[:, :, None] & data.observed[None]).any(axis=1)
        self._can_test = self._can_fit & tested
        empty = self._averages.of(self._can_test).sum(axis=1) == 0
        if empty.any():
            raise EeveeError(
                f"split {int(np.argmax(empty))} has no observed test cell that could be predicted; "
                "use more models, fewer splits or a higher --min-coverage"
            )

    def fit_weights(self, subsets: Sequence[Subset]) -> FloatArray:
        """Weight of each column in the training loss, (n_subsets or 1, n_splits, n_columns)."""
        return self._weights(subsets, self._can_fit)

    def test_weights(self, subsets: Sequence[Subset]) -> FloatArray:
        """Weight of each column in the held-out loss, (n_subsets or 1, n_splits, n_columns)."""
        return self._weights(subsets, self._can_test)

    def losses(self, subsets: Sequence[Subset], errors: FloatArray) -> FloatArray:
        """Average squared errors (n_subsets, n_splits, n_columns) to (n_subsets, n_splits).

        NaN where a subset leaves nothing to predict (`targets="unseen"` at k = n).
        """
        weights = self.test_weights(subsets)
        total = np.where(weights > 0, errors * weights, 0.0).sum(axis=-1)
        blank = weights.sum(axis=-1) == 0
        return np.where(blank, np.nan, total)

    def _weights(self, subsets: Sequence[Subset], present: BoolArray) -> FloatArray:
        if self.targets == "all":
            return self._averages.of(present)[None]
        return self._averages.of(present[None] & ~self._own(subsets)[:, None])

    def _own(self, subsets: Sequence[Subset]) -> BoolArray:
        """Columns that belong to each subset, (n_subsets, n_columns)."""
        chosen = np.zeros((len(subsets), len(self._position)), dtype=np.bool_)
        for row, subset in enumerate(subsets):
            chosen[row, [self._position[name] for name in subset]] = True
        return chosen[:, self._owner]


def mean_squared_errors(
    predictions: FloatArray, targets: FloatArray, observed: BoolArray
) -> FloatArray:
    """Per column, the mean squared error over the observed rows, in float64.

    Parameters
    ----------
    predictions : shape (..., n_splits, n_rows, n_columns)
    targets, observed : shape (n_splits, n_rows, n_columns)

    Returns
    -------
    array, shape (..., n_splits, n_columns); 0 where no row is observed. The rows are added one
    after the other, so that the bits do not depend on how many subsets share a batch.
    """
    squared = np.where(observed, (predictions - targets) ** 2, 0.0)
    total = np.zeros(squared.shape[:-2] + squared.shape[-1:])
    for row in range(squared.shape[-2]):
        total += squared[..., row, :]
    return np.asarray(total / np.maximum(observed.sum(axis=-2), 1))


def pooled_r2(
    predicted: FloatArray, true: FloatArray, units: FloatArray, weights: LossWeights
) -> float:
    """Return the share of the variance of all columns that was predicted.

    1 - squared error / squared distance from each column's own mean over the given models, both
    in units and averaged over columns, benchmarks and tasks as the loss is. Differences between
    columns are not something to predict.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models, n_columns)
        Cells without a true value do not count.
    units : array, shape (n_columns,)
        ``table.units`` of these columns.
    weights : LossWeights

    Returns
    -------
    float
        NaN where nothing that has a weight varies.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from eevee.tables.averages import loss_weights
    >>> true = np.array([[1.0, 10.0], [3.0, 30.0]])
    >>> table = ResultsTable.from_scores(pd.DataFrame(true, columns=["a", "b"]))
    >>> weights = loss_weights(table, None)
    >>> pooled_r2(np.array([[1.0, 20.0], [3.0, 20.0]]), true, np.array([1.0, 10.0]), weights)
    0.5
    """
    seen = ~np.isnan(true)
    count = np.maximum(seen.sum(axis=0), 1)
    squares = [sums / count for sums in squares_of(predicted / units, true / units)]
    error, spread = (averaged(np.where(seen.any(axis=0), one, np.nan), weights) for one in squares)
    return float(1 - error / spread) if spread > 0 else float("nan")
