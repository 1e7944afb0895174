"""Ridge on complete tables: from matrices that are made once per split.

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

from eevee.scoring.loss import FitData
from eevee.scoring.ridge_alpha import first_smallest, gcv, ordered_sum
from eevee.splits import Splits
from eevee.table import FloatArray, IntArray

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
    """What the splits of a complete table fix for every subset.

    Parameters
    ----------
    data : FitData
        Without a missing cell among fitting and test models.
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
            parts = [_products(data, splits, split) for split in range(splits.n_splits)]
            gram, test_gram, cross, test_cross, squares, test_squares = (
                np.stack(part) for part in zip(*parts, strict=True)
            )
            matrices = [gram, test_gram]
            if weights is not None:
                weighted = cross * _widened(weights)[:, None]
                tested = weighted @ np.swapaxes(test_cross, 1, 2)
                mixed = (tested + np.swapaxes(tested, 1, 2)) / 2
                matrices += [weighted @ np.swapaxes(cross, 1, 2), mixed]
        self.n_splits, self.side, _ = gram.shape
        self.n_columns = data.inputs.shape[2]
        self.rows = torch.from_numpy(splits.fit.sum(axis=1).astype(np.float64))[:, None]
        self.alphas = torch.from_numpy(alphas.T.copy())[:, :, None]
        self._cross, self._test_cross = torch.from_numpy(cross), torch.from_numpy(test_cross)
        self._squares, self._test_squares = squares, test_squares
        self._shared = weights
        self.matrices = torch.from_numpy(np.stack(matrices).reshape(-1, self.side**2))

    def losses(self, chosen: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Loss of each subset in each split, (n_subsets, n_splits).

        Parameters
        ----------
        chosen : shape (n_subsets, n_inputs)
            Places of the input columns of each subset.
        weights : shape (n_subsets, n_splits, n_columns), optional
            Loss weights of each subset, in place of the shared ones.
        """
        n_subsets, n_inputs = chosen.shape
        picked = np.full((n_subsets, padded(n_inputs)), self.side - 1)
        picked[:, :n_inputs] = chosen
        gram, test_gram, *shared = self._pick(torch.from_numpy(picked))
        spectrum, vectors = eigh(gram, n_inputs)
        if weights is None:
            seen = _project(vectors, *shared)
        else:
            seen = self._project_columns(vectors, picked, weights)
        total, rest = self.constants(weights)
        inverse = self._inverse(spectrum, seen.squares, total)
        test_gram = torch.bmm(vectors.mT, torch.bmm(test_gram, vectors))
        bent = ordered_sum((test_gram * seen.squares * inverse[:, :, None]).unbind(1))
        change = ordered_sum((inverse * (bent - 2.0 * seen.cross)).unbind(1))
        return (change.view(self.n_splits, -1) + rest).numpy().T

    def _pick(self, picked: torch.Tensor) -> torch.Tensor:
        """Rows and columns of each subset, (n_matrices, n_splits * n_subsets, side, side)."""
        places = picked[:, :, None] * self.side + picked[:, None, :]
        side = picked.shape[1]
        taken = self.matrices.index_select(1, places.view(-1))
        return taken.view(-1, self.n_splits * len(picked), side, side)

    def constants(self, weights: FloatArray | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Weighted squares of the fitted and of the test targets, each (n_splits, n_subsets)."""
        wide = _widened(self._shared[None] if weights is None else weights)  # type: ignore[index]
        total, rest = (
            np.add.reduce(wide * squares, axis=-1).T.copy()
            for squares in (self._squares, self._test_squares)
        )
        return torch.from_numpy(total), torch.from_numpy(rest)

    def _inverse(
        self, spectrum: torch.Tensor, squares: torch.Tensor, total: torch.Tensor
    ) -> torch.Tensor:
        """1 / (eigenvalue + the alpha that the problem chooses), (n_problems, n_inputs)."""
        alphas = self.alphas
        if len(alphas) > 1:
            shape = (spectrum.shape[1], self.n_splits, -1)
            explained = squares.diagonal(dim1=1, dim2=2)
            curve = gcv(
                spectrum.T.reshape(shape), explained.T.reshape(shape), total, self.rows, alphas
            )
            best = first_smallest(curve)
            alphas = alphas.expand(curve.shape).gather(0, best[None])
        chosen = alphas[0].expand(self.n_splits, len(spectrum) // self.n_splits)
        return (spectrum + chosen.reshape(-1, 1)).reciprocal()

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
        wide = torch.from_numpy(_widened(weights)).transpose(0, 1).reshape(-1, 1, n_columns)
        weighted = fitted * wide
        return Projected(
            squares=torch.bmm(weighted, fitted.mT),
            cross=ordered_sum((weighted * tested).unbind(2)),
        )


def _products(data: FitData, splits: Splits, split: int) -> tuple[FloatArray, ...]:
    """Products of inputs and targets, all centred on the fitting models; test ones as means."""
    fit, test = splits.fit[split], splits.test[split]
    inputs, targets = _padded_columns(data.inputs[split]), _padded_columns(data.targets[split])
    x = inputs - inputs[fit].mean(axis=0)
    y = targets - targets[fit].mean(axis=0)
    n_test = test.sum()
    return (
        x[fit].T @ x[fit],
        x[test].T @ x[test] / n_test,
        x[fit].T @ y[fit],
        x[test].T @ y[test] / n_test,
        (y[fit] ** 2).sum(axis=0),
        (y[test] ** 2).sum(axis=0) / n_test,
    )


def _padded_columns(values: FloatArray) -> FloatArray:
    """Append columns of zeros, at least one: what a padded subset picks."""
    return np.pad(values, ((0, 0), (0, padded(values.shape[1] + 1) - values.shape[1])))


def _widened(weights: FloatArray) -> FloatArray:
    """Give the padded columns no weight."""
    extra = padded(weights.shape[-1] + 1) - weights.shape[-1]
    return np.concatenate([weights, np.zeros((*weights.shape[:-1], extra))], axis=-1)


def eigh(gram: torch.Tensor, n_inputs: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues and -vectors of the first `n_inputs`, zero beyond: (..., side)."""
    values, vectors = torch.linalg.eigh(gram[:, :n_inputs, :n_inputs])
    if n_inputs == gram.shape[1]:
        return values, vectors
    extra = gram.shape[1] - n_inputs
    pad = torch.nn.functional.pad
    return pad(values, (0, extra)), pad(vectors, (0, extra, 0, extra))


def _project(vectors: torch.Tensor, squares: torch.Tensor, cross: torch.Tensor) -> Projected:
    return Projected(
        squares=torch.bmm(vectors.mT, torch.bmm(squares, vectors)),
        cross=ordered_sum((vectors * torch.bmm(cross, vectors)).unbind(1)),
    )
