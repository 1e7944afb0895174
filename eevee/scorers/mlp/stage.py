"""A set of splits made ready for batches: rows to fit on, rows to judge on, and the loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from eevee.base.arrays import FloatArray, IntArray, Subset
from eevee.scorers.loss import FitData, LossRule, mean_squared_errors
from eevee.scorers.mlp import networks as batched
from eevee.scorers.mlp.networks import Batch, Rows
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable


class Stage:
    """What a set of splits fixes for every subset.

    Features are the columns, then one missing flag for each column with a gap; a benchmark
    brings all of its features along. In a split whose fitting models lack no cell of a column,
    that column's flag is dead: always zero, and not counted among the inputs.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
        Fit on training and validation models, judge on test models.
    data : FitData
        Standardised on the fitting models.
    rule : LossRule
    device : torch.device
    """

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        data: FitData,
        rule: LossRule,
        device: torch.device,
    ) -> None:
        self.rule = rule
        self.n_columns = table.n_columns
        self._n_judged = splits.test.sum(axis=1)
        self.flagged: IntArray = np.flatnonzero(~data.observed.all(axis=0))
        self.outputs: IntArray = np.flatnonzero(table.is_target)
        self._features = _features_by_benchmark(table, self.flagged)
        self._live = _live_features(splits, data, self.flagged)
        features = np.concatenate([data.inputs, data.flags[..., self.flagged]], axis=2)
        targets, observed = data.targets[..., self.outputs], data.observed[:, self.outputs]
        self.fit = batched.gather_rows(features, targets, observed, splits.fit, device)
        self.judged = batched.gather_rows(features, targets, observed, splits.test, device)
        self._fit_counts = self.fit.observed.sum(dim=1).cpu().numpy()

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self._live)

    def n_inputs(self, subset: Subset) -> int:
        """Inputs of a subset's networks; one of them is the bias."""
        return sum(len(self._features[name]) for name in subset) + 1

    def network_bytes(self, n_inputs: int, hidden: int) -> int:
        """Working memory of the networks of one subset while they train."""
        _, n_rows, n_outputs = self.fit.targets.shape
        return self.n_splits * batched.network_bytes(n_rows, n_inputs, n_outputs, hidden)

    def batch(self, subsets: Sequence[Subset]) -> Batch:
        """Describe the networks of some subsets; shorter ones are padded with the zero feature."""
        one, zero = self._live.shape[1], self._live.shape[1] + 1
        features = np.full((len(subsets), max(map(self.n_inputs, subsets))), zero)
        scale = np.empty((len(subsets), self.n_splits), dtype=np.float32)
        for row, subset in enumerate(subsets):
            chosen = np.concatenate([self._features[name] for name in subset])
            features[row, : len(chosen)] = chosen
            features[row, len(chosen)] = one
            scale[row] = 1.0 / np.sqrt(self._live[:, chosen].sum(axis=1))
        return Batch(features, scale, self._cell_weights(subsets))

    def losses(self, subsets: Sequence[Subset], predictions: FloatArray) -> FloatArray:
        """From predictions of the judged rows, padding included, to (n_subsets, n_splits)."""
        n = len(self.outputs)
        errors = np.zeros((*predictions.shape[:2], self.n_columns))
        errors[..., self.outputs] = mean_squared_errors(
            predictions[..., :n],
            self.judged.targets[..., :n].cpu().numpy(),
            self.judged.observed[..., :n].cpu().numpy(),
        )
        return self.rule.losses(subsets, errors)

    def targets(self, subsets: Sequence[Subset], predictions: FloatArray) -> FloatArray:
        """Cut the padding off: (n_subsets, n_splits, n_rows, n_columns).

        Rows are the judged models of each split, in order; NaN beyond them, and in a column that
        is no output.
        """
        n_rows = int(self._n_judged.max())
        found = np.full((len(subsets), self.n_splits, n_rows, self.n_columns), np.nan)
        found[..., self.outputs] = predictions[:, :, :n_rows, : len(self.outputs)]
        for split, count in enumerate(self._n_judged):
            found[:, split, count:] = np.nan
        return found

    def _cell_weights(self, subsets: Sequence[Subset]) -> npt.NDArray[np.float32]:
        """Share each column's weight among its observed fitting cells."""
        weights = self.rule.fit_weights(subsets)[..., self.outputs]
        spread = np.zeros((*weights.shape[:2], self._fit_counts.shape[1]), dtype=np.float32)
        spread[..., : len(self.outputs)] = weights
        return np.asarray(spread / np.maximum(self._fit_counts, 1).astype(np.float32))


def predictions_of(batch: Batch, rows: Rows, layers: batched.Layers) -> FloatArray:
    """Predictions in float64 on the host, (n_subsets, n_splits, n_rows, n_outputs)."""
    found = batched.predict(batch, rows, layers)
    return found.cpu().numpy().astype(np.float64)


def _features_by_benchmark(table: ResultsTable, flagged: IntArray) -> dict[str, IntArray]:
    owner = table.column_owner
    return {
        name: np.concatenate(
            [np.flatnonzero(owner == i), len(owner) + np.flatnonzero(owner[flagged] == i)]
        )
        for i, name in enumerate(table.benchmark_names)
    }


def _live_features(splits: Splits, data: FitData, flagged: IntArray) -> FloatArray:
    """Whether a feature can carry anything in a split, (n_splits, n_features)."""
    gappy = np.asarray((splits.fit[:, :, None] & ~data.observed[None]).any(axis=1))
    columns = np.ones((splits.n_splits, data.observed.shape[1]))
    return np.concatenate([columns, gappy[:, flagged]], axis=1)
