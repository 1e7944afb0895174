"""How strongly ridge shrinks: grids of alpha, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError

Alpha = float | Sequence[float] | Literal["gcv", "loo"]

GRID = np.logspace(2, -4, 13)
"""Default alphas per fitting model. An input has variance 1, so that alpha = n models halves the
weight of an uncorrelated input: two decades above shrink nearly to the mean, four below hardly
at all. Half decades: the criterion is flat in between."""


def alpha_grids(alpha: Alpha, fit_counts: FloatArray) -> FloatArray:
    """Return the alphas to choose from in each split, largest first, (n_splits, n_alphas).

    Largest first, because a tie goes to the first of them: with nothing to tell alphas apart,
    shrink. Numbers from the user are used as they are, in every split.

    Raises
    ------
    EeveeError
        If `alpha` is neither "gcv", "loo" nor made of positive numbers.

    Examples
    --------
    >>> alpha_grids([0.1, 10.0], np.array([16.0, 17.0])).tolist()
    [[10.0, 0.1], [10.0, 0.1]]
    >>> alpha_grids("gcv", np.array([20.0])).max()
    np.float64(2000.0)
    """
    if isinstance(alpha, str):
        if alpha not in ("gcv", "loo"):
            raise EeveeError(f"alpha must be 'gcv', 'loo' or positive numbers, got {alpha!r}")
        return np.asarray(fit_counts[:, None] * GRID)
    try:
        values = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values > 0)).all():
        raise EeveeError(f"alpha must be 'gcv', 'loo' or positive numbers, got {alpha!r}")
    return np.tile(np.sort(values)[::-1], (len(fit_counts), 1))


def ordered_sum(parts: Iterable[torch.Tensor]) -> torch.Tensor:
    """Add one after the other: the bits of `torch.sum` depend on the shape of the batch."""
    first, *rest = parts
    total = first.clone()
    for part in rest:
        total += part
    return total


def gcv(
    spectrum: torch.Tensor,
    explained: torch.Tensor,
    total: torch.Tensor,
    n_rows: torch.Tensor,
    alphas: torch.Tensor,
) -> torch.Tensor:
    """Generalised cross-validation n RSS / (n - df)^2 for each alpha, (n_alphas, ...).

    Golub, Heath and Wahba (1979), eq. 1.4, with one degree of freedom for the intercept, summed
    over columns with the loss weights. Where no degree of freedom is left it is infinite.

    Parameters
    ----------
    spectrum : shape (n_inputs, ...)
        Eigenvalues of the Gram matrix of the centred inputs.
    explained : shape (n_inputs, ...)
        Weighted squares of inputs x targets along each eigenvector.
    total : shape (...)
        Weighted sum of squares of the centred targets.
    n_rows : broadcasts to (...)
    alphas : broadcasts to (n_alphas, ...)
    """
    spectrum, explained = spectrum[:, None], explained[:, None]
    inverse = (spectrum + alphas).reciprocal()
    left = n_rows - 1.0 - ordered_sum(spectrum * inverse)
    # (lam + 2 alpha) / (lam + alpha)^2, without a difference of large numbers
    rss = total - ordered_sum(explained * inverse * (1.0 + alphas * inverse))
    return torch.where(left > 0, n_rows * rss.clamp(min=0.0) / left**2, torch.inf)


@dataclass(frozen=True, eq=False)
class Choice:
    """The alphas that each split chooses from, by generalised cross-validation.

    Attributes
    ----------
    alphas : shape (n_alphas, n_splits, 1)
    rows : shape (n_splits, 1)
        Fitting models.
    """

    alphas: torch.Tensor
    rows: torch.Tensor

    @classmethod
    def of(cls, alphas: FloatArray, fit_counts: FloatArray) -> Choice:
        """Take alphas (n_splits, n_alphas) and numbers of fitting models (n_splits,)."""
        rows = torch.from_numpy(fit_counts.astype(np.float64))[:, None]
        return cls(torch.from_numpy(alphas.T.copy())[:, :, None], rows)

    def best(
        self, spectrum: torch.Tensor, explained: torch.Tensor, total: torch.Tensor
    ) -> torch.Tensor:
        """Return the alpha of each problem, (n_splits, n_subsets).

        Parameters
        ----------
        spectrum, explained : shape (n_splits * n_subsets, n_inputs)
            As for `gcv`.
        total : shape (n_splits, n_subsets or 1)
        """
        n_splits = len(self.rows)
        if len(self.alphas) == 1:
            return self.alphas[0].expand(n_splits, len(spectrum) // n_splits)
        shape = (spectrum.shape[1], n_splits, -1)
        curve = gcv(
            spectrum.T.reshape(shape),
            explained.T.reshape(shape),
            total,
            self.rows,
            self.alphas,
        )
        best = first_smallest(curve)
        return self.alphas.expand(curve.shape).gather(0, best[None])[0]


def first_smallest(criterion: torch.Tensor) -> torch.Tensor:
    """Place of the smallest value along the first axis, the first of equal ones, (...)."""
    return torch.from_numpy(criterion.numpy().argmin(axis=0))
