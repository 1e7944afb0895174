"""Ridge with a given alpha where few cells are missing: one inverse for all columns of a split.

With K the kernel of the inputs of the fitting models, let E be the inverse of K + alpha I, less
what makes its rows sum to zero (the intercept). A column that all models have has slopes E y. One
that the models R lack has slopes E (y - z), where z is E[R, R]^-1 (E y)[R] in R and 0 elsewhere:
those of R are then 0, as if R were not there. A column takes a system of the size of R, where
`eevee.scorers.ridge.solves` takes one of all models or inputs.
"""

from __future__ import annotations

import numpy as np
import torch

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.ridge.grams import padded

MOST_GAPS = 32
"""Most fitting models that a column may lack."""
LEAST_INPUTS = 24
"""With fewer inputs a system for each column is as fast (measured with 110 fitting models)."""
LEAST_ALPHA = 0.99e-4
"""Least alpha per fitting model: the rounding error grows like 1e-16 / alpha."""


class FewGaps:
    """What the splits fix for every subset; matrices lie in the order subset, split.

    Parameters
    ----------
    fit : bool, shape (n_splits, n_models)
    known : bool, shape (n_splits, n_models, n_columns)
        Targets that are there and wanted.
    targets : shape (n_splits, padded rows, padded columns)
        Of the fitting models from the top; 0 where not known.
    """

    def __init__(self, fit: BoolArray, known: BoolArray, targets: torch.Tensor) -> None:
        self._targets = targets
        ones = np.zeros((len(fit), targets.shape[1], 8))  # one column, aligned
        for split, count in enumerate(fit.sum(axis=1)):
            ones[split, :count, 0] = 1.0
        self._ones = torch.from_numpy(ones)
        lacking = [_lacking(*each) for each in zip(fit, known, strict=True)]
        n_columns = padded(max(len(one) for one in lacking))
        self.most = max((len(rows) for one in lacking for rows in one.values()), default=0)
        if self.most > MOST_GAPS:
            return
        shape = (len(fit), n_columns, padded(self.most))
        rows, columns, there = np.zeros(shape, int), np.zeros(shape, int), np.zeros(shape)
        for split, one in enumerate(lacking):
            for place, (column, mine) in enumerate(one.items()):
                rows[split, place, : len(mine)] = mine
                columns[split, place] = column
                there[split, place, : len(mine)] = 1.0
        self._rows, self._columns, self._there = map(torch.from_numpy, (rows, columns, there))

    def suits(self, n_inputs: int) -> bool:
        """Whether subsets of `n_inputs` are scored faster in this way."""
        return n_inputs >= LEAST_INPUTS and self.most <= MOST_GAPS

    def precise(self, alphas: FloatArray) -> BoolArray:
        """Which subsets have alphas (n_subsets, n_splits) that lose no digits."""
        counts = self._ones[:, :, 0].numpy().sum(axis=1)
        return np.asarray((alphas >= LEAST_ALPHA * counts).all(axis=1))

    def predict(
        self, inputs: torch.Tensor, test_inputs: torch.Tensor, alphas: FloatArray
    ) -> torch.Tensor:
        """Predict, (n_subsets * n_splits, padded test models, padded columns).

        Parameters
        ----------
        inputs : shape (n_subsets * n_splits, padded inputs, padded rows)
        test_inputs : shape (n_subsets * n_splits, padded inputs, padded test models)
        alphas : shape (n_subsets, n_splits)
        """
        times = len(alphas)
        kernel = torch.bmm(inputs.mT, inputs)
        kernel.diagonal(dim1=1, dim2=2).add_(torch.from_numpy(alphas.reshape(-1, 1)))
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(kernel))
        ones = self._ones.repeat(times, 1, 1)
        sums = torch.bmm(inverse, ones)
        level = sums[:, :, :1].mT / torch.bmm(ones.mT, sums)[:, :1, :1]
        inverse -= sums[:, :, :1] * level
        mixed = torch.bmm(torch.bmm(test_inputs.mT, inputs), inverse) + level
        return torch.bmm(mixed, self._filled(inverse, times))

    def _filled(self, inverse: torch.Tensor, times: int) -> torch.Tensor:
        """Targets, and where they are missing what leaves a model without a slope."""
        side, width = self._targets.shape[1:]
        targets = self._targets.repeat(times, 1, 1)
        if not self.most:
            return targets
        rows, columns, there = (
            part.repeat(times, 1, 1) for part in (self._rows, self._columns, self._there)
        )
        own = targets.gather(2, columns[:, None, :, 0].expand(-1, side, -1))
        slopes = torch.bmm(inverse, own).gather(1, rows.mT).mT * there
        pairs = (rows[..., None] * side + rows[:, :, None]).flatten(1)
        both = there[..., None] * there[:, :, None]
        small = inverse.flatten(1).gather(1, pairs).view(both.shape) * both
        small += torch.diag_embed(1.0 - there)
        lacked = torch.cholesky_solve(slopes[..., None], torch.linalg.cholesky(small))[..., 0]
        places = (rows * width + columns).flatten(1)
        targets.view(len(targets), -1).scatter_add_(1, places, -(lacked * there).flatten(1))
        return targets


def _lacking(fit: BoolArray, known: BoolArray) -> dict[int, IntArray]:
    """Rows, among the fitting models, that each column lacks: only of columns that some have."""
    missing = ~known[fit]
    some = np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0))
    return {int(column): np.flatnonzero(missing[:, column]) for column in some}
