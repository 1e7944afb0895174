"""Newton's step of a softmax regression, by preconditioned conjugate gradients.

Products with the Hessian are in single precision, in the axes of the features' covariance. There
the Hessian of one class is nearly diagonal but for the rows on which that class is in doubt: the
preconditioner takes these rows exactly (Woodbury's identity), the others by their mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg

from eevee.base.arrays import FloatArray

_MOST_ROWS = 128
"""Rows of a class that the preconditioner takes exactly; else as many as a class has on average."""
_LEAST = 1e-3
"""Least curvature of the other rows, as a share of the mean over classes."""
_ROUNDING = np.float32(1e-14)
"""Variance of a direction without any, as a share of the largest."""
_TIGHT, _LOOSE = 0.03, 0.3
"""Limits of the share of a step's preconditioned residual that is left."""

_Single = npt.NDArray[np.float32]


class Step(NamedTuple):
    """A step that is to be subtracted.

    Attributes
    ----------
    weights : array, shape (n_columns, n_classes)
    logits : array, shape (n_rows, n_classes)
        What it changes of the logits, to single precision.
    gain : float
        Product of gradient and step: twice what the loss is predicted to fall.
    """

    weights: FloatArray
    logits: FloatArray
    gain: float


class NewtonSteps:
    """Steps of regressions on the same rows.

    Parameters
    ----------
    rows : array, shape (n_rows, n_columns)
        Largest variance of a direction about 1; the last column is of ones, for the bias.
    turned : bool
        Whether the directions of `rows` are those of their covariance already.
    """

    def __init__(self, rows: FloatArray, *, turned: bool) -> None:
        self._rows: _Single = rows.astype(np.float32)
        self._axes: _Single | None = None
        if not turned:
            inner = self._rows[:, :-1]
            _, self._axes = linalg.eigh(inner.T @ inner, driver="evd", check_finite=False)
            self._rows[:, :-1] = inner @ self._axes
        spread = np.einsum("ij,ij->j", self._rows, self._rows) / np.float32(len(rows))
        self._spread = np.maximum(spread, _ROUNDING * spread.max())

    def step(
        self, probs: FloatArray, gradient: FloatArray, ridge: float, loss: float, most: int
    ) -> Step:
        """Solve H x = gradient, more exactly the nearer the minimum is.

        Parameters
        ----------
        probs : array, shape (n_rows, n_classes)
        gradient : array, shape (n_columns, n_classes)
            Sums to zero over classes.
        ridge : float
            Curvature of the penalty, of which the bias has none.
        loss : float
            That the gain is a share of.
        most : int
            Products.
        """
        single = probs.astype(np.float32)
        penalty = np.full(len(gradient), ridge, np.float32)
        penalty[-1] = 0
        precondition = self._preconditioner(single, penalty)
        largest = float(np.abs(gradient).max()) or 1.0
        rest: _Single = self._turned(gradient / largest)
        found, changed = np.zeros_like(rest), np.zeros_like(single)
        weighted = precondition(rest)
        way = weighted.copy()
        first = size = float(np.vdot(rest, weighted))
        gain = 0.0
        for _ in range(most):
            moved = self._rows @ way
            product = self._curved(moved, single) + penalty[:, None] * way
            curvature = float(np.vdot(way, product))
            if not (curvature > 0 and size > 0):
                break
            length = np.float32(size / curvature)
            found += length * way
            changed += length * moved
            rest -= length * product
            weighted = precondition(rest)
            gain += float(length) * size * largest**2
            before, size = size, float(np.vdot(rest, weighted))
            if size <= np.clip(np.sqrt(gain / loss), _TIGHT, _LOOSE) ** 2 * first:
                break
            way *= np.float32(size / before)
            way += weighted
        weights = self._back(found) * largest
        logits = changed.astype(np.float64) * largest
        return Step(weights, logits, float(np.vdot(gradient, weights)))

    def _curved(self, moved: _Single, probs: _Single) -> Any:
        """Product of the Hessian of the mean cross-entropy, from changes of the logits."""
        errors = moved * probs
        errors -= probs * errors.sum(axis=1, keepdims=True)
        product = self._rows.T @ errors
        product /= np.float32(len(probs))
        return product

    def _preconditioner(self, probs: _Single, penalty: _Single) -> Callable[[_Single], _Single]:
        """Inverse of each class's own block of the Hessian, about."""
        n, n_classes = probs.shape
        n_taken = max(1, min(n // n_classes, _MOST_ROWS))
        curved = np.ascontiguousarray((probs * (1 - probs)).T) / np.float32(n)
        taken = np.argpartition(curved, n - n_taken, axis=1)[:, n - n_taken :]
        own = np.take_along_axis(curved, taken, axis=1)
        others = curved.sum(axis=1) - own.sum(axis=1)
        least = max(_LEAST * float(curved.sum()) / n_classes, 1e-12)
        inverse = 1 / (np.maximum(others, least)[:, None] * self._spread + penalty)
        rows = self._rows[taken]
        rows *= np.sqrt(own)[:, :, None]
        inner = np.matmul(rows * inverse[:, None, :], rows.transpose(0, 2, 1))
        inner = np.linalg.inv(inner + np.eye(n_taken)).astype(np.float32)

        def precondition(rest: _Single) -> _Single:
            found = inverse * rest.T
            share = np.matmul(inner, np.matmul(rows, found[:, :, None]))
            found -= inverse * np.matmul(share.transpose(0, 2, 1), rows)[:, 0]
            found -= found.mean(axis=0)  # one constant more in all classes changes no probability
            return np.ascontiguousarray(found.T)

        return precondition

    def _turned(self, values: FloatArray) -> Any:
        single = values.astype(np.float32)
        single -= single.mean(axis=1, keepdims=True)
        if self._axes is not None:
            single[:-1] = self._axes.T @ single[:-1]
        return single

    def _back(self, values: _Single) -> FloatArray:
        if self._axes is None:
            return values.astype(np.float64)
        return np.vstack([self._axes @ values[:-1], values[-1:]]).astype(np.float64)
