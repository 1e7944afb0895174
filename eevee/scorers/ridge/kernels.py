"""Ridge in its dual form: models x models, for subsets with more inputs than fitting models.

With K the kernel of the inputs of the fitting models, U and lambda its eigenvectors and -values, Y
the targets and D the loss weights of the columns, residuals and predictions need only U' W U and
U' V, where W = Y D Y' and V = Y D Yt' with test models. Where subsets share their weights both are
made once per split, so that neither inputs nor columns count for much. Models are centred by
orthonormal contrasts: one dimension less to turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from scipy.linalg import helmert

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.loss import FitData
from eevee.scorers.ridge.alpha import Choice, ordered_sum
from eevee.scorers.ridge.grams import eigh, padded
from eevee.splits.splits import Splits


class Forms(NamedTuple):
    """Targets x targets under loss weights.

    Attributes
    ----------
    squares : shape (n_problems, fitting models, fitting models)
        W.
    cross : shape (n_problems, fitting models, test models)
        V.
    total, rest : shape (n_splits, n_subsets or 1)
        Weighted squares of the fitted and of the test targets.
    """

    squares: torch.Tensor
    cross: torch.Tensor
    total: torch.Tensor
    rest: torch.Tensor


class Kernels:
    """What the splits of a table fix for every subset; parameters as of `Grams`."""

    def __init__(
        self, data: FitData, splits: Splits, alphas: FloatArray, weights: FloatArray | None
    ) -> None:
        self._n_contrasts = int(splits.fit.sum(axis=1).max()) - 1
        self._choice = Choice.of(alphas, splits.fit.sum(axis=1))
        nothing = np.zeros((*data.inputs.shape[:2], 1))
        features = np.concatenate([data.inputs, data.flags, nothing], axis=2)
        inputs, test_inputs = _centred(features, splits)
        self._inputs, self._test_inputs = inputs.mT.contiguous(), test_inputs.mT.contiguous()
        self._targets, self._test_targets = _centred(data.targets, splits)
        self._n_test = torch.from_numpy(splits.test.sum(axis=1).astype(np.float64))
        self.shares_weights = weights is not None
        self._n_features = features.shape[2]
        self._shared = None if weights is None else self._forms(weights[:, None])

    def losses(self, chosen: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Loss of each subset in each split, as of `Grams.losses`."""
        inputs, spectrum, vectors, forms = self._seen(chosen, weights)
        squares = torch.bmm(vectors.mT, torch.bmm(forms.squares, vectors))
        alphas = self._best(spectrum, squares.diagonal(dim1=1, dim2=2), forms)
        mixed = torch.bmm(self._picked(self._test_inputs, chosen).mT, inputs)
        mixed = torch.bmm(mixed, vectors) / (spectrum + alphas.reshape(-1, 1))[:, None]
        cross = torch.bmm(vectors.mT, forms.cross).mT
        terms = mixed * (torch.bmm(mixed, squares) - 2.0 * cross)
        change = ordered_sum(ordered_sum(terms.unbind(2)).unbind(1))
        n_test = self._n_test[:, None]
        return ((change.view(len(n_test), -1) + forms.rest) / n_test).numpy().T

    def best_alphas(self, chosen: IntArray, weights: FloatArray | None = None) -> FloatArray:
        """Alpha of each subset in each split, as of `Grams.best_alphas`."""
        _, spectrum, vectors, forms = self._seen(chosen, weights)
        diagonal = ordered_sum((vectors * torch.bmm(forms.squares, vectors)).unbind(1))
        return self._best(spectrum, diagonal, forms).numpy().T

    def _seen(
        self, chosen: IntArray, weights: FloatArray | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Forms]:
        """Inputs (n_problems, n_inputs, n_models), the spectrum of their kernel, and the forms."""
        inputs = self._picked(self._inputs, chosen)
        spectrum, vectors = eigh(torch.bmm(inputs.mT, inputs), self._n_contrasts)
        if weights is not None:
            return inputs, spectrum, vectors, self._forms(weights.swapaxes(0, 1))
        shared = self._shared
        assert shared is not None
        squares, cross = (_repeated(part, len(chosen)) for part in shared[:2])
        return inputs, spectrum, vectors, Forms(squares, cross, *shared[2:])

    def _best(self, spectrum: torch.Tensor, squares: torch.Tensor, forms: Forms) -> torch.Tensor:
        # Rounding may leave an eigenvalue of zero below it.
        return self._choice.best(spectrum, spectrum.clamp(min=0.0) * squares, forms.total)

    def _forms(self, weights: FloatArray) -> Forms:
        """Forms for weights (n_splits, n_subsets, n_columns)."""
        n_subsets = weights.shape[1]
        wide = np.zeros((*weights.shape[:2], 1, self._targets.shape[2]))
        wide[..., 0, : weights.shape[2]] = weights
        each = torch.from_numpy(wide).view(-1, 1, wide.shape[3])
        targets, tested = (
            _repeated(part, n_subsets) for part in (self._targets, self._test_targets)
        )
        weighted = targets * each
        squares = torch.bmm(weighted, targets.mT)
        total, rest = (
            ordered_sum(own.diagonal(dim1=1, dim2=2).unbind(1)).view(-1, n_subsets)
            for own in (squares, torch.bmm(tested * each, tested.mT))
        )
        return Forms(squares, torch.bmm(weighted, tested.mT), total, rest)

    def _picked(self, features: torch.Tensor, chosen: IntArray) -> torch.Tensor:
        """Features of each subset, zeros below, (n_splits * n_subsets, n_inputs, n_models)."""
        picked = np.full((len(chosen), padded(chosen.shape[1])), self._n_features - 1)
        picked[:, : chosen.shape[1]] = chosen
        taken = features.index_select(1, torch.from_numpy(picked.ravel()))
        return taken.view(-1, picked.shape[1], features.shape[2])


def _centred(values: FloatArray, splits: Splits) -> tuple[torch.Tensor, torch.Tensor]:
    """Contrasts of the fitting models, and test models less the mean of those, from the top."""
    fit, test = (_empty(values, rows) for rows in (splits.fit, splits.test))
    for split, (fits, tests) in enumerate(zip(splits.fit, splits.test, strict=True)):
        mean = values[split, fits].mean(axis=0)
        contrasts = np.einsum("ci,ik->ck", helmert(int(fits.sum())), values[split, fits] - mean)
        fit[split, : len(contrasts), : values.shape[2]] = contrasts
        test[split, : tests.sum(), : values.shape[2]] = values[split, tests] - mean
    return torch.from_numpy(fit), torch.from_numpy(test)


def _empty(values: FloatArray, rows: BoolArray) -> FloatArray:
    return np.zeros((len(rows), padded(int(rows.sum(axis=1).max())), padded(values.shape[2])))


def _repeated(values: torch.Tensor, n_subsets: int) -> torch.Tensor:
    """Give each subset the matrices of the splits, (n_splits * n_subsets, ...)."""
    return values[:, None].expand(-1, n_subsets, -1, -1).reshape(-1, *values.shape[1:])
