"""`RidgeScorer`: linear regression in closed form, alpha chosen per subset and split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from eevee.base.arrays import FloatArray, IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.threads import map_chunks
from eevee.scorers.base import Advance, BaseScorer
from eevee.scorers.loss import Targets
from eevee.scorers.ridge.alpha import Alpha, alpha_grids
from eevee.scorers.ridge.grams import Grams, padded
from eevee.scorers.ridge.kernels import Kernels
from eevee.scorers.ridge.rows import Rows
from eevee.scorers.ridge.solves import PART_COLUMNS, Solves
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

CHUNK_BYTES = 6 * 2**20
"""Working set of one chunk: larger ones fall out of the cache (measured)."""
ROWS_CHUNK_BYTES = 8 * CHUNK_BYTES
"""The same with missing cells, where every chunk visits many groups of columns in turn."""
GRAM_BYTES = 2 * 2**30
"""Most that the products of all inputs with one another may take. Of wider tables the dual form is
taken for all sizes: slower, but it grows with the models."""
SMALLEST_SHARED_ALPHA = 0.99e-4
"""Per fitting model. Weights that all subsets share allow the shortest path, whose rounding error
grows like 1e-16 / alpha^2 where inputs are collinear; below this the longer one is taken."""


class RidgeScorer(BaseScorer):
    """Held-out loss of ridge regression that sees only the subset, in closed form.

    Inputs are standardised and clipped, targets are in units, the intercept comes from centring,
    and one alpha serves all columns of a split: that with the smallest generalised
    cross-validation error on the fitting models, weighted like the loss.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
        Fitted on training and validation models together.
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
        Replace the equal weights of tasks and benchmarks.
    alpha : "gcv", "loo", number or sequence of numbers
        "gcv": generalised cross-validation over 13 alphas from 0.0001 to 100 times the number of
        fitting models, where a missing target counts as the mean of its column. "loo":
        leave-one-out over the same, each column on the models that have it; slow. A
        sequence is a grid for generalised cross-validation and a number is used as it is; both
        are alphas in the sense of `sklearn.linear_model.Ridge`.
    n_threads : int, optional
        Chunks scored side by side; torch's own setting by default.

    Raises
    ------
    EeveeError
        If an option is out of range or a split holds nothing to predict.

    Notes
    -----
    On a complete table a subset of k columns costs one k x k eigenproblem per split, whatever
    the number of models; with ``targets="all"`` the number of columns drops out too. A subset
    with at least as many inputs as fitting models takes the dual form, models x models. With
    missing cells, a subset's columns with gaps bring one flag each; alpha is chosen in the same
    way, and then every column is fitted on the models that have it, without an eigenproblem.

    Alpha by each column's own few models would follow their noise: on a table with 66 % missing
    cells losses were 0 to 4 % higher (`python -m tests.benchmarks.bench_ridge_gaps`).

    With a given alpha the losses are those of `sklearn.linear_model.Ridge` to 1e-8, in squared
    units. That is an absolute bound: a loss much smaller than one unit squared is a difference of
    larger numbers and can have fewer correct digits.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = RidgeScorer(table, eevee.shuffle_splits(table))
    >>> a, b = scorer.losses([("a",), ("b",)])
    >>> bool(a < b)
    True
    """

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
        alpha: Alpha = "gcv",
        n_threads: int | None = None,
    ) -> None:
        super().__init__(table, splits, targets=targets, weights=weights)
        if n_threads is not None and n_threads < 1:
            raise EeveeError(f"n_threads must be at least 1, got {n_threads}")
        self.n_threads = n_threads
        self._fit_counts = splits.fit.sum(axis=1).astype(np.float64)
        self._alphas = alpha_grids(alpha, self._fit_counts)
        self.alpha = alpha if isinstance(alpha, str) else np.asarray(alpha, np.float64).tolist()
        self._features = self._features_by_benchmark()

    def with_targets(self, targets: Targets) -> RidgeScorer:
        """Return the same scorer for the other kind of target."""
        return RidgeScorer(
            self.table,
            self.splits,
            targets=targets,
            weights=self.weights,
            alpha=self.alpha,
            n_threads=self.n_threads,
        )

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""
        return {
            "name": "ridge",
            "targets": self.targets,
            "alpha": self.alpha,
            "n_splits": self.splits.n_splits,
            "weights": None if self.weights is None else dict(sorted(self.weights.items())),
        }

    def predict_targets(self, subsets: Sequence[Iterable[str]], *, init: int = 0) -> FloatArray:
        """Predict the test models of each split, in units above the fitting models' mean.

        As in `eevee.scorers.base.BaseScorer`; there is one initialisation.
        """
        checked = [self.table.subset(subset) for subset in subsets]
        n_rows = int(self.splits.test.sum(axis=1).max())
        shape = (len(checked), self.splits.n_splits, n_rows, self.table.n_columns)
        found = np.full(shape, np.nan)
        for members in self._groups(checked).values():
            predict, parts = self._predictor([checked[i] for i in members])
            predicted = map_chunks(predict, parts, n_threads=self.n_threads)
            for part, values in zip(parts, predicted, strict=True):
                found[members, part, : values.shape[2]] = values  # of its largest test set
        for split, test in enumerate(self.splits.test):
            found[:, split, test.sum() :] = np.nan
        return found

    def _predictor(
        self, subsets: list[Subset]
    ) -> tuple[Callable[[slice], FloatArray], list[slice]]:
        """Return what predicts some of the splits, and the splits in parts for threads."""
        chosen, n_splits = self._chosen(subsets), self.splits.n_splits
        if self.alpha == "loo":
            work = partial(self._rows.predictions, chosen, self._fit_weights(subsets))
            return work, [slice(i, i + 1) for i in range(n_splits)]
        alphas = self._best_alphas(self._whole(chosen.shape[1]), subsets)
        size = max(1, PART_COLUMNS // self.table.n_columns)
        parts = [slice(i, min(i + size, n_splits)) for i in range(0, n_splits, size)]
        return lambda part: self._solves(part).predictions(chosen, alphas[:, part]), parts

    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        losses = np.empty((len(subsets), self.splits.n_splits))
        for n_inputs, members in self._groups(subsets).items():
            judge = self._judge(n_inputs)
            budget = ROWS_CHUNK_BYTES if self.alpha == "loo" else CHUNK_BYTES
            size = max(1, budget // self._subset_bytes(n_inputs))
            starts = range(0, len(members), size)
            chunks = [[subsets[i] for i in members[start : start + size]] for start in starts]
            parts = map_chunks(judge, chunks, n_threads=self.n_threads)
            for start, part in zip(starts, parts, strict=True):
                losses[members[start : start + size]] = part
                if advance is not None:
                    advance(len(part))
        return losses

    def _groups(self, subsets: list[Subset]) -> dict[int, list[int]]:
        """Positions of the subsets that have equally many inputs, and so can share a batch."""
        groups: dict[int, list[int]] = defaultdict(list)
        for i, subset in enumerate(subsets):
            groups[sum(len(self._features[name]) for name in subset)].append(i)
        return groups

    def _judge(self, n_inputs: int) -> Callable[[list[Subset]], FloatArray]:
        """Return what scores subsets of `n_inputs`, ready for threads."""
        if self.alpha == "loo":
            return partial(self._judge_by_rows, self._rows)
        if self._gaps:
            return partial(self._judge_by_columns, self._whole(n_inputs), self._columns)
        return partial(self._judge_whole, self._whole(n_inputs))

    def _judge_whole(self, whole: Grams | Kernels, subsets: list[Subset]) -> FloatArray:
        weights = self._own_weights(whole, subsets)
        losses = whole.losses(self._chosen(subsets), weights)
        return losses if weights is None else np.where(weights.sum(axis=-1) == 0, np.nan, losses)

    def _judge_by_columns(
        self, whole: Grams | Kernels, solves: Solves, subsets: list[Subset]
    ) -> FloatArray:
        errors = solves.errors(self._chosen(subsets), self._best_alphas(whole, subsets))
        return self._rule.losses(subsets, errors)

    def _best_alphas(self, whole: Grams | Kernels, subsets: list[Subset]) -> FloatArray:
        """Alpha of each subset in each split, (n_subsets, n_splits)."""
        if self._alphas.shape[1] == 1:
            return np.broadcast_to(self._alphas[:, 0], (len(subsets), self.splits.n_splits))
        return whole.best_alphas(self._chosen(subsets), self._own_weights(whole, subsets))

    def _judge_by_rows(self, rows: Rows, subsets: list[Subset]) -> FloatArray:
        errors = rows.errors(self._chosen(subsets), self._fit_weights(subsets))
        return self._rule.losses(subsets, errors)

    def _chosen(self, subsets: Sequence[Subset]) -> IntArray:
        """Places of the inputs of subsets that have equally many, (n_subsets, n_inputs)."""
        return np.array([[f for name in s for f in self._features[name]] for s in subsets])

    def _fit_weights(self, subsets: list[Subset]) -> FloatArray:
        """Weights of the columns, (n_subsets, n_splits, n_columns)."""
        shape = (len(subsets), self.splits.n_splits, self.table.n_columns)
        return np.broadcast_to(self._rule.fit_weights(subsets), shape).copy()

    def _own_weights(self, whole: Grams | Kernels, subsets: list[Subset]) -> FloatArray | None:
        """Weights of the columns where subsets do not share those that `whole` has."""
        return None if whole.shares_weights else self._fit_weights(subsets)

    def _whole(self, n_inputs: int) -> Grams | Kernels:
        """Return what the splits fix for all columns together, for subsets of `n_inputs`."""
        if self._is_dual(n_inputs):
            return self._kernels
        return self._shared_grams if self._shares_grams(n_inputs) else self._grams

    def _is_dual(self, n_inputs: int) -> bool:
        """Whether subsets of `n_inputs` are scored models x models."""
        side = padded(self.table.n_columns * (2 if self._gaps else 1) + 1)
        wide = 64 * self.splits.n_splits * side**2 > GRAM_BYTES
        return bool(wide or n_inputs >= self._fit_counts.min())

    def _shares_grams(self, n_inputs: int) -> bool:
        """Whether all subsets share their weights, and the shortcut is precise enough."""
        smallest = (self._alphas[:, -1] / self._fit_counts).min()
        precise = smallest >= SMALLEST_SHARED_ALPHA and n_inputs < self._fit_counts.min()
        return bool(precise and self.targets == "all")

    def _subset_bytes(self, n_inputs: int) -> int:
        """Rough working memory of one subset."""
        side, n_columns, n_splits = padded(n_inputs), self.table.n_columns, self.splits.n_splits
        if self.alpha == "loo":
            return 8 * side * (4 * self.splits.n_models + n_columns * (side + 16))
        n_models = padded(int(self._fit_counts.max()))
        wide = 0 if self.targets == "all" else 4 * n_columns
        if self._is_dual(n_inputs):
            return 8 * n_splits * n_models * (2 * side + 8 * n_models + wide)
        wide = 0 if self._shares_grams(n_inputs) else 4 * n_columns
        return int(8 * n_splits * side * (10 * side + wide + 4 * self._alphas.shape[1]))

    @cached_property
    def _gaps(self) -> bool:
        """Whether cells of models that take part are missing."""
        used = np.asarray((self.splits.fit | self.splits.test).any(axis=0))
        return bool((used[:, None] & ~self._data.observed).any())

    @cached_property
    def _kernels(self) -> Kernels:
        shared = self._rule.fit_weights([()])[0] if self.targets == "all" else None
        return Kernels(self._data, self.splits, self._alphas, shared)

    @cached_property
    def _columns(self) -> Solves:
        return self._solves(slice(0, self.splits.n_splits)).tabulate()

    def _solves(self, part: slice) -> Solves:
        wanted = self._data.usable & self.table.is_target
        return Solves(self._data, self.splits, wanted, part)

    @cached_property
    def _shared_grams(self) -> Grams:
        weights = self._rule.fit_weights([()])[0]
        return Grams(self._data, self.splits, self._alphas, weights)

    @cached_property
    def _grams(self) -> Grams:
        return Grams(self._data, self.splits, self._alphas, None)

    @cached_property
    def _rows(self) -> Rows:
        wanted = self._data.usable & self.table.is_target
        return Rows(self._data, self.splits, self._alphas, wanted)

    def _features_by_benchmark(self) -> dict[str, tuple[int, ...]]:
        """Inputs that a benchmark brings: its columns, and flags of those with gaps."""
        flagged = np.asarray(self._data.flags.any(axis=(0, 1)))
        features = {}
        for place, name in enumerate(self.table.benchmark_names):
            columns = np.flatnonzero(self.table.column_owner == place)
            flags = self.table.n_columns + columns[flagged[columns]]
            features[name] = (*columns.tolist(), *flags.tolist())
        return features
