"""Ridge from matrices that are made once per split: losses of complete tables, alphas of all.

With G the Gram matrix of all centred inputs of the fitting models of a split, B = inputs x
targets, and D the loss weights of the columns, the weighted sum of squares over columns needs
only M = B D B' (and N = B D Bt', with test models): all are inputs x inputs. A subset picks its
rows and columns from them, so that neither the number of models nor that of columns counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import FloatArray, IntArray
from eevee.scorers.loss import FitData
from eevee.scorers.ridge.alpha import Choice, ordered_sum
from eevee.splits.splits import Splits

ALIGNED = 8
"""Matrices are padded to multiples of 64 bytes: the bits of a batched product are then the same
wherever in a batch a matrix lies."""


def padded(n: int) -> int:
    """Round up to a multiple of `ALIGNED`."""
    return -(-n // ALIGNED) * ALIGNED


@dataclass(frozen=True, eq=False)
class Projected:
    """Targets seen along the eigenvectors of each problem.

    Attributes
    ----------
    squares : shape (n_problems, n_inputs, n_inputs)
        V' M V.
    cross : shape (n_problems, n_inputs)
        Diagonal of V' N V.
    """

    squares: torch.Tensor
    cross: torch.Tensor


class Grams:
    """What the splits of a table fix for every subset.

    Parameters
    ----------
    data : FitData
        Where cells are missing, flags are inputs too, a missing target counts as the mean of its
        column, and only `best_alphas` has a meaning.
    splits : Splits
    alphas : shape (n_splits, n_alphas)
    weights : shape (n_splits, n_columns), optional
        Loss weights that all subsets share; None where each has its own.
    """

    def __init__(
        self,
        data: FitData,
        splits: Splits,
        alphas: FloatArray,
        weights: FloatArray | None,
    ) -> None:
        with threadpool_limits(1, "blas"):  # shares of several threads add up to other bits
            features = _features(data)
            parts = [_products(features, data, splits, split) for split in range(splits.n_splits)]
            gram, test_gram, cross, test_cross, squares, test_squares = (
                np.stack(part) for part in zip(*parts, strict=True)
            )
            matrices = [gram, test_gram]
            if weights is not None:
                weighted = cross * _padded_columns(weights)[:, None]
                tested = weighted @ np.swapaxes(test_cross, 1, 2)
                mixed = (tested + np.swapaxes(tested, 1, 2)) / 2
                matrices += [weighted @ np.swapaxes(cross, 1, 2), mixed]
        self.n_splits, self.side, _ = gram.shape
        self.n_columns = data.inputs.shape[2]
        self.choice = Choice.of(alphas, splits.fit.sum(axis=1))
        self._cross, self._test_cross = torch.from_numpy(cross), torch.from_numpy(test_cross)
        self._squares, self._test_squares = squares, test_squares
        self._shared = weights
        self.shares_weights = weights is not None
        self.matrices = torch.from_numpy(
            np.stack(matrices).reshape(len(matrices), -1, self.side**2)
        )

    def losses(self, chosen: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Loss of each subset in each split, (n_subsets, n_splits).

        Parameters
        ----------
        chosen : shape (n_subsets, n_inputs)
            Places of the input columns of each subset.
        weights : shape (n_subsets, n_splits, n_columns), optional
            Loss weights of each subset, in place of the shared ones.
        """
        picked = self._padded(chosen)
        gram, test_gram, *shared = self._pick(torch.from_numpy(picked))
        spectrum, vectors = eigh(gram, chosen.shape[1])
        if weights is None:
            seen = _project(vectors, *shared)
        else:
            seen = self._project_columns(vectors, picked, weights)
        total, rest = self.constants(weights)
        alphas = self.choice.best(spectrum, seen.squares.diagonal(dim1=1, dim2=2), total)
        inverse = (spectrum + alphas.reshape(-1, 1)).reciprocal()
        test_gram = torch.bmm(vectors.mT, torch.bmm(test_gram, vectors))
        logit_scaled = ordered_sum((test_gram * seen.squares * inverse[:, :, None]).unbind(1))
        change = ordered_sum((inverse * (logit_scaled - 2.0 * seen.cross)).unbind(1))
        return (change.view(self.n_splits, -1) + rest).numpy().T

    def best_alphas(self, chosen: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Alpha of each subset in each split, (n_subsets, n_splits); parameters as of `losses`.

        Only the choice: what the test models are plays no part.
        """
        picked = self._padded(chosen)
        gram, *shared = self._pick(torch.from_numpy(picked), every=2)
        spectrum, vectors = eigh(gram, chosen.shape[1])
        if weights is None:
            explained = ordered_sum((vectors * torch.bmm(shared[0], vectors)).unbind(1))
        else:
            seen = self._project_columns(vectors, picked, weights)
            explained = seen.squares.diagonal(dim1=1, dim2=2)
        total, _ = self.constants(weights)
        return self.choice.best(spectrum, explained, total).numpy().T

    def _padded(self, chosen: IntArray) -> IntArray:
        """Let each subset pick a column of zeros until matrices are aligned."""
        picked = np.full((len(chosen), padded(chosen.shape[1])), self.side - 1)
        picked[:, : chosen.shape[1]] = chosen
        return picked

    def _pick(self, picked: torch.Tensor, every: int = 1) -> torch.Tensor:
        """Rows and columns of each subset, (n_matrices, n_splits * n_subsets, side, side)."""
        places = picked[:, :, None] * self.side + picked[:, None, :]
        side = picked.shape[1]
        taken = self.matrices[::every].index_select(2, places.view(-1))
        return taken.view(-1, self.n_splits * len(picked), side, side)

    def constants(self, weights: FloatArray | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Weighted squares of the fitted and of the test targets, each (n_splits, n_subsets)."""
        wide = _padded_columns(self._shared[None] if weights is None else weights)  # type: ignore[index]
        total, rest = (
            np.add.reduce(wide * squares, axis=-1).T.copy()
            for squares in (self._squares, self._test_squares)
        )
        return torch.from_numpy(total), torch.from_numpy(rest)

    def _project_columns(
        self, vectors: torch.Tensor, picked: IntArray, weights: FloatArray
    ) -> Projected:
        """Project inputs x targets, for subsets whose columns have weights of their own.

        Slower (it grows with the columns) and better conditioned: a direction without variance
        gives zeros squared, instead of zeros that the rounding of M hides.
        """
        n_columns = self._cross.shape[2]
        index = torch.from_numpy(picked)
        shape = (len(vectors), picked.shape[1], n_columns)
        fitted = torch.bmm(vectors.mT, self._cross[:, index].reshape(shape))
        tested = torch.bmm(vectors.mT, self._test_cross[:, index].reshape(shape))
        wide = torch.from_numpy(_padded_columns(weights)).transpose(0, 1).reshape(-1, 1, n_columns)
        weighted = fitted * wide
        return Projected(
            squares=torch.bmm(weighted, fitted.mT),
            cross=ordered_sum((weighted * tested).unbind(2)),
        )


def _features(data: FitData) -> FloatArray:
    """Inputs, with flags where cells are missing, padded, (n_splits, n_models, side)."""
    parts = [data.inputs, data.flags] if data.flags.any() else [data.inputs]
    return _padded_columns(np.concatenate(parts, axis=2))


def _products(
    features: FloatArray, data: FitData, splits: Splits, split: int
) -> tuple[FloatArray, ...]:
    """Products of inputs and targets, all centred on the fitting models; test ones as means."""
    fit, test = splits.fit[split], splits.test[split]
    inputs, targets = features[split], _padded_columns(data.targets[split])
    x, y = (each[fit] - each[fit].mean(axis=0) for each in (inputs, targets))
    tested, goals = (each[test] - each[fit].mean(axis=0) for each in (inputs, targets))
    n_test = test.sum()
    return (
        x.T @ x,
        tested.T @ tested / n_test,
        x.T @ y,
        tested.T @ goals / n_test,
        (y**2).sum(axis=0),
        (goals**2).sum(axis=0) / n_test,
    )


def _padded_columns(values: FloatArray) -> FloatArray:
    """Append columns of zeros, at least one: what a padded subset picks, and without weight."""
    extra = padded(values.shape[-1] + 1) - values.shape[-1]
    return np.concatenate([values, np.zeros((*values.shape[:-1], extra))], axis=-1)


def eigh(gram: torch.Tensor, n_inputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues and -vectors of the first `n_inputs`, zero beyond: (..., side)."""
    # An odd size would put every other matrix of a batch off the 16 bytes that its bits need.
    even = n_inputs + n_inputs % 2
    values, vectors = torch.linalg.eigh(gram[:, :even, :even])
    if even == gram.shape[1]:
        return values, vectors
    extra = gram.shape[1] - even
    pad = torch.nn.functional.pad
    return pad(values, (0, extra)), pad(vectors, (0, extra, 0, extra))


def _project(vectors: torch.Tensor, squares: torch.Tensor, cross: torch.Tensor) -> Projected:
    return Projected(
        squares=torch.bmm(vectors.mT, torch.bmm(squares, vectors)),
        cross=ordered_sum((vectors * torch.bmm(cross, vectors)).unbind(1)),
    )
