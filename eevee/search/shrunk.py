"""`ShrunkCovariance`: the variance that a subset leaves in every column, from a covariance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray, Subset
from eevee.scorers.loss import SD_FLOOR, Targets, standardise
from eevee.tables.averages import loss_weights
from eevee.tables.results_table import ResultsTable

CHUNK = 500
"""Subsets at once."""
JITTER = 1e-9
"""Added to variances of 1: without shrinkage, equal columns have a singular covariance."""


class ShrunkCovariance:
    """Mean conditional variance of all targets, given the columns of a subset.

    The variance that linear prediction from the subset would leave in each column, in units squared
    and averaged as the loss is, if the covariance were known: another estimate of what the loss
    estimates, from all models at once. It does not depend on splits, and with few models it varies
    less than the loss; but it is biased, since columns are neither linear nor normal.

    Parameters
    ----------
    table : ResultsTable
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional

    Notes
    -----
    Columns are standardised and clipped as inputs of a meta-model are, missing cells are their
    column's mean, and each is brought to variance 1. The covariance of that is shrunk towards a
    multiple of the identity (Ledoit and Wolf 2004, "A well-conditioned estimator for
    large-dimensional covariance matrices") and put back into units: C. Column c keeps
    C_cc - C_cS inv(C_SS) C_Sc, where S are the columns of the subset.

    Examples
    --------
    >>> import pandas as pd
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> shrunk = ShrunkCovariance(ResultsTable.from_scores(frame))
    >>> a, b = shrunk.left([("a",), ("b",)])
    >>> bool(a < b)
    True
    """

    def __init__(
        self,
        table: ResultsTable,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.table = table
        self.targets = targets
        everyone = np.ones((1, table.n_models), dtype=np.bool_)
        data = standardise(table, everyone)
        self._present = data.usable[0] & table.is_target
        self._averages = loss_weights(table, weights)
        count = np.maximum(data.observed.sum(axis=0), 1)
        spreads = np.sqrt((data.targets[0] ** 2).sum(axis=0) / count)
        self._covariance = _padded(_covariance(data.inputs[0], spreads))
        self._columns = {
            name: np.flatnonzero(table.column_owner == i)
            for i, name in enumerate(table.benchmark_names)
        }

    def left(self, subsets: Sequence[Iterable[str]]) -> FloatArray:
        """Return the mean conditional variance for each subset, (n_subsets,).

        NaN where nothing is left to predict (`targets="unseen"` with every benchmark in).
        """
        checked = [self.table.subset(subset) for subset in subsets]
        starts = range(0, len(checked), CHUNK)
        parts = [self._left(checked[start : start + CHUNK]) for start in starts]
        return np.concatenate(parts) if parts else np.empty(0)

    def _left(self, subsets: list[Subset]) -> FloatArray:
        inputs = self._inputs(subsets)
        whole = self._covariance
        among, across = whole[inputs[:, :, None], inputs[:, None, :]], whole[inputs]
        filler = inputs == self.table.n_columns
        among = np.where(filler[:, :, None] & filler[:, None], np.eye(inputs.shape[1]), among)
        known = (across * np.linalg.solve(among, across)).sum(axis=1)
        variances = np.maximum(np.diag(whole) - known, 0.0)[:, :-1]
        weights = self._averages.of(self._present & ~self._own(inputs))
        total = (variances * weights).sum(axis=1)
        return np.asarray(np.where(weights.sum(axis=1) == 0, np.nan, total))

    def _inputs(self, subsets: list[Subset]) -> IntArray:
        """Columns of each subset, padded with an empty one, (n_subsets, most)."""
        columns = [np.concatenate([self._columns[name] for name in subset]) for subset in subsets]
        filled = np.full((len(columns), max(map(len, columns))), self.table.n_columns)
        for row, one in zip(filled, columns, strict=True):
            row[: len(one)] = one
        return filled

    def _own(self, inputs: IntArray) -> BoolArray:
        """Columns that are no targets because the subset holds them, (n_subsets, n_columns)."""
        own = np.zeros((len(inputs), self.table.n_columns + 1), dtype=np.bool_)
        if self.targets == "unseen":
            np.put_along_axis(own, inputs, True, axis=1)
        return own[:, :-1]


def _covariance(inputs: FloatArray, spreads: FloatArray) -> FloatArray:
    """Shrink the covariance of standardised columns, and put it back into units."""
    from sklearn.covariance import ledoit_wolf

    sd = inputs.std(axis=0)
    even = (inputs - inputs.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    shrunk = ledoit_wolf(even, assume_centered=True)[0] + JITTER * np.eye(inputs.shape[1])
    scale = np.maximum(spreads, SD_FLOOR)
    return np.asarray(scale[:, None] * shrunk * scale)


def _padded(covariance: FloatArray) -> FloatArray:
    """Add a column of variance 1, uncorrelated with the others."""
    n = len(covariance)
    padded = np.eye(n + 1)
    padded[:n, :n] = covariance
    return padded
