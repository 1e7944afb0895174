"""Ridge with a given alpha where cells are missing: each column on the models that have it.

Every column of every split has a Gram matrix of its own, since it has models of its own. They are
small and many, so that they lie side by side along the last axis and are factored together, one
elementwise operation for all: several times faster than one call into LAPACK for each, and no
number depends on what lies beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.loss import FitData
from eevee.scorers.ridge.few_gaps import FewGaps
from eevee.scorers.ridge.grams import padded
from eevee.splits.splits import Splits

TABLE_BYTES = 256 * 2**20
"""Most that the products of all pairs of inputs may take; beyond, those of a subset are formed
when it is scored."""
BATCH_BYTES = 2 * 2**20
"""Matrices that are factored together: larger ones fall out of the cache."""
PART_COLUMNS = 4096
"""Columns, counted in every split, that are predicted together at most."""


class Solves:
    """Predicts the test models of some splits, for batches of subsets with given alphas.

    The inputs of a subset are its columns (0 where missing), and one flag for each of its columns
    with a gap. The intercept is not penalised. Matrices lie in the order subset, split, mask,
    where a mask is a set of fitting models that have the same columns.

    Parameters
    ----------
    data : FitData
    splits : Splits
    wanted : bool, shape (n_splits, n_columns)
        Columns that are predicted.
    part : slice
        Of the splits.
    """

    def __init__(self, data: FitData, splits: Splits, wanted: BoolArray, part: slice) -> None:
        fit, test = splits.fit[part], splits.test[part]
        self.part = part
        self.n_splits, self.n_columns = len(fit), data.inputs.shape[2]
        self.n_fit, self.n_test = (int(rows.sum(axis=1).max()) for rows in (fit, test))
        known = data.observed & wanted[part, None]
        there = known.astype(np.float64)
        nothing = np.zeros((self.n_splits, len(data.observed), 1))
        features = np.concatenate(
            [data.inputs[part], data.flags[part], nothing, nothing + 1.0], axis=2
        )
        self._inputs = _laid_out(features, fit).mT.contiguous()
        self._test_inputs = _laid_out(features, test).mT.contiguous()
        self._targets = _laid_out(data.targets[part] * there, fit)
        self._test_targets = _laid_out(data.targets[part], test).numpy()
        self._judged = _laid_out(there, test).numpy()
        self._counts = np.maximum(self._judged.sum(axis=1), 1.0)
        self._masks, self._n_masks, self._index = _masks(_laid_out(there, fit), known.shape[2])
        self._wanted = wanted[part]
        self._few_gaps = FewGaps(fit, known, self._targets)
        self._table: tuple[FloatArray, FloatArray] | None = None

    def errors(self, chosen: IntArray, alphas: FloatArray) -> FloatArray:
        """Squared errors, (n_subsets, n_splits, n_columns); 0 where a column is not judged.

        Parameters
        ----------
        chosen : shape (n_subsets, n_inputs)
            Places of the features of each subset: columns, then `n_columns` + column for flags.
        alphas : shape (n_subsets, n_splits)
        """
        errors = np.empty((*alphas.shape, self.n_columns))
        size = max(1, BATCH_BYTES // self.matrix_bytes(chosen.shape[1]))
        for start in range(0, len(chosen), size):
            batch = slice(start, start + size)
            predicted = self._predict(chosen[batch], alphas[batch])
            judged = (predicted - self._test_targets) ** 2 * self._judged
            mean = np.add.reduce(judged, axis=2) / self._counts
            errors[batch] = mean[..., : self.n_columns]
        return errors

    def predictions(self, chosen: IntArray, alphas: FloatArray) -> FloatArray:
        """Predicted targets, (n_subsets, n_splits, n_rows, n_columns); parameters as of `errors`.

        Rows are the test models in order, with numbers without a meaning beyond them; NaN where
        a column is not wanted.
        """
        found = self._predict(chosen, alphas)[:, :, : self.n_test, : self.n_columns]
        return np.where(self._wanted[:, None], found, np.nan)

    def matrix_bytes(self, n_inputs: int) -> int:
        """Memory of the matrices of one subset."""
        side = min(n_inputs + 1, self.n_fit)
        return 8 * side * side * self.n_splits * self._n_masks

    def tabulate(self) -> Solves:
        """Form the products of all pairs of inputs, for many subsets, where they fit into memory.

        Not in threads. Losses are the same within rounding.
        """
        side, n_rows = self._inputs.shape[1:]
        each = max(self.n_splits * self._n_masks, n_rows)
        if 8 * (side * (side + 1) // 2) * each <= TABLE_BYTES:
            self._table = self._products()
        return self

    def _products(self) -> tuple[FloatArray, FloatArray]:
        """Products of all pairs of inputs, and of inputs and targets; matrices side by side."""
        inputs = self._inputs.numpy()
        below, left = np.tril_indices(inputs.shape[1])
        n_masks = self._n_masks
        gram = np.zeros((len(below), padded(self.n_splits * n_masks)))
        cross = np.zeros((inputs.shape[1], padded(self.n_splits * self.n_columns)))
        with threadpool_limits(1, "blas"):  # shares of several threads add up to other bits
            for i, (own, masks, targets) in enumerate(
                zip(inputs, self._masks.numpy(), self._targets.numpy(), strict=True)
            ):
                mine = (own[below] * own[left]) @ masks
                gram[:, i * n_masks : (i + 1) * n_masks] = mine[:, :n_masks]
                mine = (own @ targets)[:, : self.n_columns]
                cross[:, i * self.n_columns : (i + 1) * self.n_columns] = mine
        return gram, cross

    def _predict(self, chosen: IntArray, alphas: FloatArray) -> FloatArray:
        """Predict, (n_subsets, n_splits, padded test models, padded columns)."""
        width = (self._test_inputs.shape[2], self._targets.shape[2])
        found = np.empty((*alphas.shape, *width))
        suited = self._few_gaps.suits(chosen.shape[1]) & self._few_gaps.precise(alphas)
        if suited.any():
            inputs = self._picked(self._inputs, chosen[suited])
            tested = self._picked(self._test_inputs, chosen[suited])
            together = self._few_gaps.predict(inputs, tested, alphas[suited])
            found[suited] = together.numpy().reshape(-1, self.n_splits, *width)
        if not suited.all():
            found[~suited] = self._predict_each(chosen[~suited], alphas[~suited])
        return found

    def _predict_each(self, chosen: IntArray, alphas: FloatArray) -> FloatArray:
        """Predict by a system for each mask."""
        penalties = np.ones((len(chosen), padded(self.n_splits * self._n_masks)))
        each = alphas.repeat(self._n_masks, axis=1)
        penalties[:, : each.shape[1]] = each
        primal = chosen.shape[1] < self.n_fit
        found = self._primal(chosen, penalties) if primal else self._dual(chosen, penalties)
        return found.numpy().reshape(len(chosen), self.n_splits, *found.shape[1:])

    def _primal(self, chosen: IntArray, penalties: FloatArray) -> torch.Tensor:
        """Normal equations, inputs x inputs; the first input is the intercept."""
        ones = np.full((len(chosen), 1), 2 * self.n_columns + 1)
        chosen = np.concatenate([ones, chosen], axis=1)
        side = chosen.shape[1]
        factors = np.empty((side, side, *penalties.shape))
        cross = self._filled(chosen, factors)
        diagonal = np.arange(1, side)
        factors[diagonal, diagonal] += penalties
        factor(factors, [np.ones_like(penalties), *[penalties] * (side - 1)])
        slopes = self._apart(solved(factors, cross, self._index))
        return torch.bmm(self._picked(self._test_inputs, chosen).mT, slopes)

    def _filled(self, chosen: IntArray, matrices: FloatArray) -> FloatArray:
        """Fill in lower triangles, from products made beforehand if any; return right sides."""
        if self._table is None:
            return self._formed(chosen, matrices)
        gram, cross = self._table
        for i, row in enumerate(chosen.T):
            above, below = np.maximum(row, chosen.T[: i + 1]), np.minimum(row, chosen.T[: i + 1])
            places = above * (above + 1) // 2 + below
            gram.take(places, axis=0, out=matrices[i, : i + 1], mode="clip")
        return cross.take(chosen.T, axis=0)

    def _formed(self, chosen: IntArray, matrices: FloatArray) -> FloatArray:
        """Fill in lower triangles from the rows; return the right sides."""
        inputs = self._picked(self._inputs, chosen)
        below, left = np.tril_indices(len(matrices))
        first, second = (
            inputs.index_select(1, torch.from_numpy(_lengthened(places)))
            for places in (below, left)
        )
        gram = torch.bmm(first * second, _repeated(self._masks, len(chosen)))
        matrices[below, left] = self._side_by_side(gram, len(below), self._n_masks)
        cross = torch.bmm(inputs, _repeated(self._targets, len(chosen)))
        return self._side_by_side(cross, len(matrices), self.n_columns)

    def _dual(self, chosen: IntArray, penalties: FloatArray) -> torch.Tensor:
        """Kernels, models x models, for subsets with more inputs than there are models.

        A model that a column lacks is set apart: nothing but alpha on its diagonal. The intercept
        is that of generalised least squares, whose residuals have no weighted mean.
        """
        inputs, n_rows = self._picked(self._inputs, chosen), self.n_fit
        kernel = torch.bmm(inputs.mT, inputs)
        below, left = np.tril_indices(n_rows)
        both = _repeated(self._masks[:, below] * self._masks[:, left], len(chosen))
        factors = np.empty((n_rows, n_rows, *penalties.shape))
        values = kernel[:, below, left, None] * both
        factors[below, left] = self._side_by_side(values, len(below), self._n_masks)
        factors[np.arange(n_rows), np.arange(n_rows)] += penalties
        factor(factors, [penalties] * n_rows)
        targets, there = (
            self._side_by_side(_repeated(part, len(chosen)), n_rows, width)
            for part, width in ((self._targets, self.n_columns), (self._masks, self._n_masks))
        )
        slopes, ones = solved(factors, targets, self._index), solved(factors, there, None)
        ones = ones if self._index is None else ones.take(self._index, axis=2)
        total = np.add.reduce(ones)
        level = np.add.reduce(slopes) / np.where(total > 0, total, 1.0)
        mixed = torch.bmm(self._picked(self._test_inputs, chosen).mT, inputs)
        found = torch.bmm(mixed, self._apart(slopes - level * ones))
        return found + self._apart(level[None])[:, :1]

    def _picked(self, features: torch.Tensor, chosen: IntArray) -> torch.Tensor:
        """Features of each subset, zeros below, (n_subsets * n_splits, n_inputs, n_rows)."""
        picked = np.full((len(chosen), padded(chosen.shape[1])), 2 * self.n_columns)
        picked[:, : chosen.shape[1]] = chosen
        taken = features.index_select(1, torch.from_numpy(picked.ravel()))
        by_subset = taken.view(self.n_splits, *picked.shape, -1).transpose(0, 1)
        return by_subset.reshape(-1, picked.shape[1], features.shape[2])

    def _side_by_side(self, values: torch.Tensor, height: int, width: int) -> FloatArray:
        """From (n_subsets * n_splits, ...) to (height, n_subsets, padded n_splits * width)."""
        parts = values[:, :height, :width].numpy()
        parts = parts.reshape(-1, self.n_splits, height, width)
        beside = parts.transpose(2, 0, 1, 3).reshape(height, len(parts), -1)
        return np.pad(beside, ((0, 0), (0, 0), (0, padded(beside.shape[2]) - beside.shape[2])))

    def _apart(self, values: FloatArray) -> torch.Tensor:
        """Back to (n_subsets * n_splits, padded height, padded columns)."""
        height, n_subsets, _ = values.shape
        parts = values[:, :, : self.n_splits * self.n_columns]
        parts = parts.reshape(height, n_subsets, self.n_splits, self.n_columns)
        wide = np.zeros((n_subsets, self.n_splits, padded(height), self._targets.shape[2]))
        wide[:, :, :height, : self.n_columns] = parts.transpose(1, 2, 0, 3)
        return torch.from_numpy(wide).view(-1, *wide.shape[2:])


def factor(matrices: FloatArray, floors: Sequence[FloatArray]) -> None:
    """Replace the lower triangles by those of Cholesky's, in place.

    Parameters
    ----------
    matrices : shape (side, side, ...)
        The upper triangles are not read.
    floors : sequence of arrays
        Least squared pivot of each row: with alpha on the diagonal it is below alpha by rounding
        alone.

    Examples
    --------
    >>> matrix = np.array([[[4.0], [0.0]], [[2.0], [5.0]]])
    >>> factor(matrix, [np.zeros(1)] * 2)
    >>> matrix[:, :, 0].tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    for j, floor in enumerate(floors):
        column = matrices[j:, j]
        if j:
            column -= np.einsum("ip...,p...->i...", matrices[j:, :j], matrices[j, :j])
        np.sqrt(np.maximum(column[0], floor, out=column[0]), out=column[0])
        column[1:] /= column[0]


def solved(factors: FloatArray, right: FloatArray, index: IntArray | None) -> FloatArray:
    """Solve L L' x = b for many right sides, (side, ..., n_right).

    Parameters
    ----------
    factors : shape (side, side, ..., n)
        L, lower triangles.
    right : shape (side, ..., n_right)
    index : shape (n_right,), optional
        Which L belongs to each; its own place by default.
    """
    found = right.copy()
    side = len(right)
    for j in range(side):
        row = factors[j, : j + 1] if index is None else factors[j, : j + 1].take(index, axis=-1)
        if j:
            found[j] -= np.einsum("p...,p...->...", row[:j], found[:j])
        found[j] /= row[j]
    for j in reversed(range(side)):
        row = factors[j:, j] if index is None else factors[j:, j].take(index, axis=-1)
        if j + 1 < side:
            found[j] -= np.einsum("p...,p...->...", row[1:], found[j + 1 :])
        found[j] /= row[0]
    return found


def _laid_out(values: FloatArray, rows: BoolArray) -> torch.Tensor:
    """Rows of each split from the top, padded, (n_splits, padded rows, padded columns)."""
    height, n_columns = padded(int(rows.sum(axis=1).max())), values.shape[2]
    wide = np.zeros((len(rows), height, padded(n_columns)))
    for split, mine in enumerate(rows):
        wide[split, : mine.sum(), :n_columns] = values[split, mine]
    return torch.from_numpy(wide)


def _masks(known: torch.Tensor, n_columns: int) -> tuple[torch.Tensor, int, IntArray | None]:
    """Find columns that share their models: masks, how many, and the place of that of each column.

    Each column keeps its own mask where sharing would save little.
    """
    parts = [np.unique(one[:, :n_columns], axis=1, return_inverse=True) for one in known.numpy()]
    most = max(distinct.shape[1] for distinct, _ in parts)
    if 2 * most > n_columns:
        return known, n_columns, None
    masks = np.zeros((*known.shape[:2], padded(most)))
    index = np.zeros(padded(len(parts) * n_columns), dtype=np.int64)
    for split, (distinct, place) in enumerate(parts):
        masks[split, :, : distinct.shape[1]] = distinct
        index[split * n_columns : (split + 1) * n_columns] = split * most + place.ravel()
    return torch.from_numpy(masks), most, index


def _lengthened(places: IntArray) -> IntArray:
    """Pad with zeros until matrices are aligned."""
    return np.pad(places, (0, padded(len(places)) - len(places)))


def _repeated(values: torch.Tensor, n_subsets: int) -> torch.Tensor:
    """Give each subset the matrices of the splits, (n_subsets * n_splits, ...)."""
    return values.expand(n_subsets, *values.shape).reshape(-1, *values.shape[1:])
