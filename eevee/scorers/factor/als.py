"""Masked alternating least squares: model bias + column bias + a few factors, with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import BoolArray, FloatArray

RANKS = (0, 1, 2, 3)
PENALTIES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""What cross-validation chooses from."""
ITERATIONS = 30
"""Always as many: a stopping rule over a batch would let one fit depend on another."""
BIAS_SHARE = 0.05
"""A bias is known from every cell of its row, a factor from few: biases are shrunk less."""


@dataclass(frozen=True, eq=False)
class Factors:
    """A value is ``bias + loadings @ (model bias, factors)``, in standardised units.

    Attributes
    ----------
    bias : shape (..., n_columns)
    loadings : shape (..., n_columns, rank + 1)
        The first one is 1: every column feels the model bias alike.
    """

    bias: FloatArray
    loadings: FloatArray

    def models(self, values: FloatArray, seen: BoolArray, penalty: FloatArray) -> FloatArray:
        """Ridge each model's seen cells on the loadings: (..., n_models, rank + 1)."""
        filled = np.where(seen, values, 0.0)
        return ridge_rows(filled, seen.astype(np.float64), self.loadings, penalty, self.bias)

    def predict(self, models: FloatArray) -> FloatArray:
        """Every cell of the given models, (..., n_models, n_columns)."""
        return np.asarray(self.bias[..., None, :] + models @ self.loadings.swapaxes(-1, -2))

    def leverage(self, seen: BoolArray, penalty: FloatArray) -> FloatArray:
        """Variance of each cell's prediction, in units of the noise, (..., n_models, n_columns).

        Were noise alike in all cells and the penalties right; the noise of the cell itself is
        left out.
        """
        size = self.loadings.shape[-1]
        outer = self.loadings[..., :, None] * self.loadings[..., None, :]
        gram = seen.astype(np.float64) @ outer.reshape(*outer.shape[:-2], -1)
        gram = gram.reshape(*gram.shape[:-1], size, size)
        inverse = np.linalg.inv(gram + (penalty[..., :, None] * np.eye(size))[..., None, :, :])
        spread = inverse @ self.loadings[..., None, :, :].swapaxes(-1, -2)
        return np.asarray((self.loadings.swapaxes(-1, -2)[..., None, :, :] * spread).sum(axis=-2))


def penalties(penalty: npt.ArrayLike, rank: int, share: float = BIAS_SHARE) -> FloatArray:
    """Penalty of the bias and of each factor, (..., rank + 1).

    Examples
    --------
    >>> penalties(2.0, 2).tolist()
    [0.1, 2.0, 2.0]
    """
    return np.multiply.outer(np.asarray(penalty, dtype=np.float64), [share] + [1.0] * rank)


def fit_factors(values: FloatArray, seen: BoolArray, rank: int, penalty: npt.ArrayLike) -> Factors:
    """Fit by alternating ridge regressions, from a truncated SVD with zeros in the gaps.

    Parameters
    ----------
    values : shape (n_models, n_columns)
        Standardised per column; whatever stands in a gap is ignored.
    seen : bool, same shape
    rank : int
        Factors beside the two biases; 0 leaves the biases alone.
    penalty : float or array, shape (...)
        Of squared factors and loadings; a twentieth of it of squared biases.

    Returns
    -------
    Factors

    Examples
    --------
    >>> values = np.add.outer([-1.0, 0.0, 1.0], [0.0, 0.0, 3.0])
    >>> seen = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=bool)
    >>> fitted = fit_factors(values, seen, rank=0, penalty=1e-6)
    >>> models = fitted.models(values, seen, penalties(1e-6, 0))
    >>> bool(np.allclose(fitted.predict(models), values, atol=1e-3))
    True
    """
    filled, mask = np.where(seen, values, 0.0), seen.astype(np.float64)
    shrink = penalties(penalty, rank)
    factors = _start(filled, mask, rank, shrink)
    for _ in range(ITERATIONS):
        models = ridge_rows(filled, mask, factors.loadings, shrink, factors.bias)
        factors = _columns(filled, mask, models, shrink)
    return factors


def _start(filled: FloatArray, mask: FloatArray, rank: int, shrink: FloatArray) -> Factors:
    shape = (*shrink.shape[:-1], filled.shape[1])
    ones, bias = np.ones((*shape, 1)), np.zeros(shape)
    if not rank:
        return Factors(bias, ones)
    level = ridge_rows(filled, mask, ones, shrink[..., :1], bias)
    parts = [_directions(filled - mask * own, rank) for own in level.reshape(-1, *level.shape[-2:])]
    return Factors(bias, np.concatenate([ones, np.reshape(parts, (*shape, rank))], axis=-1))


def _directions(rest: FloatArray, rank: int) -> FloatArray:
    """Right singular vectors by the root of their values, (n_columns, rank), zeros beyond.

    From the products on the shorter side: a start need not be precise.
    """
    wide = rest.shape[0] < rest.shape[1]
    size, vectors = np.linalg.eigh(rest @ rest.T if wide else rest.T @ rest)
    size, vectors = np.sqrt(np.maximum(size[::-1][:rank], 0.0)), vectors[:, ::-1][:, :rank]
    known = size > 1e-7 * max(size[0], 1e-300)
    scale = np.where(known, size, 1.0)
    found = (rest.T @ vectors) / np.sqrt(scale) if wide else vectors * np.sqrt(scale)
    return np.pad(found * known, ((0, 0), (0, rank - len(size))))


def _columns(
    filled: FloatArray, mask: FloatArray, models: FloatArray, shrink: FloatArray
) -> Factors:
    """Column biases and loadings, given the models."""
    design = np.concatenate([np.ones_like(models[..., :1]), models[..., 1:]], axis=-1)
    solved = ridge_rows(
        filled.swapaxes(-1, -2), mask.swapaxes(-1, -2), design, shrink, models[..., 0]
    )
    loadings = np.concatenate([np.ones_like(solved[..., :1]), solved[..., 1:]], axis=-1)
    return Factors(solved[..., 0], loadings)


def ridge_rows(
    filled: FloatArray,
    mask: FloatArray,
    design: FloatArray,
    penalty: FloatArray,
    offset: FloatArray,
) -> FloatArray:
    """Regress each row on `design` over its seen cells: (..., n_rows, n_features).

    Products with the two matrices that all fits share; no other array is as large as they are.

    Parameters
    ----------
    filled : shape (n_rows, n_cells)
        Zeros in the gaps.
    mask : same shape
        1 where a cell is seen.
    design : shape (..., n_cells, n_features)
    penalty : shape (..., n_features)
    offset : shape (..., n_cells)
        Taken from every row first.
    """
    size = design.shape[-1]
    outer = (design[..., :, None] * design[..., None, :]).reshape(*design.shape[:-1], -1)
    gram = mask @ outer
    gram = gram.reshape(*gram.shape[:-1], size, size)
    gram = gram + (penalty[..., :, None] * np.eye(size))[..., None, :, :]
    right = filled @ design - mask @ (offset[..., None] * design)
    solved = solve(np.moveaxis(gram, (-2, -1), (0, 1)), np.moveaxis(right, -1, 0))
    return np.stack(solved, axis=-1)


Grid = Sequence[Sequence[FloatArray]] | FloatArray


def solve(gram: Grid, right: Sequence[FloatArray] | FloatArray) -> list[FloatArray]:
    """Solve many small positive definite systems at once, by Cholesky's method.

    Element by element (no BLAS), so that the bits of one system do not depend on how many
    others are solved with it.

    Parameters
    ----------
    gram : shape (n, n, ...)
        Only the lower triangle is read.
    right : shape (n, ...)

    Returns
    -------
    list of n arrays, shape (...)

    Examples
    --------
    >>> gram = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> [round(float(x), 12) for x in solve(gram, np.array([8.0, 8.0]))]
    [1.0, 2.0]
    """
    n = len(right)
    lower: list[list[FloatArray]] = []
    for i in range(n):
        row: list[FloatArray] = []
        for j in range(i):
            row.append(_minus(gram[i][j], row, lower[j][:j]) * lower[j][j])
        row.append(1.0 / np.sqrt(_minus(gram[i][i], row, row)))  # the diagonal is kept inverted
        lower.append(row)
    solved: list[FloatArray] = []
    for i in range(n):
        solved.append(_minus(right[i], lower[i][:i], solved) * lower[i][i])
    for i in reversed(range(n)):
        column = [lower[j][i] for j in range(i + 1, n)]
        solved[i] = _minus(solved[i], column, solved[i + 1 :]) * lower[i][i]
    return solved


def _minus(
    start: FloatArray, left: Sequence[FloatArray], right: Sequence[FloatArray]
) -> FloatArray:
    """``start - left @ right``, without touching `start`."""
    total = start
    for a, b in zip(left, right, strict=True):
        total = total - a * b
    return total
