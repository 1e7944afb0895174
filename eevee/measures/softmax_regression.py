"""Softmax regression with a ridge, by Newton's method with conjugate gradients.

The features are turned to the directions of their covariance, where the Hessian is nearly
diagonal: conjugate gradients with that diagonal take few products. These are computed in single
precision; loss and gradient, which decide what is reached, in double precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.covariances import centred
from eevee.measures.sample import Sample
from eevee.measures.spectrum import spectrum

_FORCING = 0.1
"""What is left of a step's preconditioned residual."""
_TOLERANCE = 1e-6
"""Predicted gain, as a share of the loss, of the last step: it leaves the square of `_FORCING`."""
_NOTHING = 1e-9
"""Nats that matter to nobody: they end the fit of classes that are told apart without a loss."""
_MOST_STEPS = 100
_FEW_PRODUCTS, _MANY_PRODUCTS, _NEAR = 4, 200, 1e-2
"""Products of a step: few, until its gain is near zero as a share of the loss."""
_ARMIJO, _SHORTEST = 1e-4, 1e-6

_Single = npt.NDArray[np.float32]


class Fit(NamedTuple):
    """A fitted regression.

    Attributes
    ----------
    loss : float
        Mean cross-entropy plus ``|weights|^2 / (2 beta)``, in nats.
    probs : array, shape (n_rows, n_classes)
    weights : array, shape (n_features, n_classes)
    bias : array, shape (n_classes,)
    means : array, shape (n_features,)
        What is subtracted from features.
    """

    loss: float
    probs: FloatArray
    weights: FloatArray
    bias: FloatArray
    means: FloatArray

    def classes(self, features: FloatArray) -> npt.NDArray[np.int64]:
        """Return the most probable class of each row."""
        logits = (features - self.means) @ self.weights + self.bias
        return np.asarray(logits.argmax(axis=1))


class _State(NamedTuple):
    loss: float
    weights: FloatArray
    logits: FloatArray
    probs: FloatArray


class _Problem:
    """One sample: rows in rotated, scaled directions with a column of ones for the bias."""

    def __init__(self, sample: Sample) -> None:
        assert sample.features is not None
        self.codes = sample.codes
        self.n_classes = sample.n_classes
        features = centred(sample.features)
        found = spectrum(features)
        n = len(features)
        self.scale = float(np.sqrt(found.squares.max() / n))
        self.rows = np.column_stack([found.rotated(features) / self.scale, np.ones(n)])
        self.single = self.rows.astype(np.float32)
        self.spread = np.append(found.squares / n / self.scale**2, 1.0)[:, None]
        self.back = found.right_vectors(features) / self.scale
        self.means = sample.features.mean(axis=0)

    def ridge(self, beta: float) -> FloatArray:
        """Return the penalty of each direction: none of the bias."""
        penalty = np.full((self.rows.shape[1], 1), 1 / beta / self.scale**2)
        penalty[-1] = 0
        return penalty

    def state(self, weights: FloatArray, logits: FloatArray, ridge: FloatArray) -> _State:
        probs = logits - logits.max(axis=1, keepdims=True)
        own = probs[np.arange(len(probs)), self.codes]
        np.exp(probs, out=probs)
        total = probs.sum(axis=1)
        probs /= total[:, None]
        entropy = float((np.log(total) - own).mean())
        return _State(entropy + 0.5 * float((ridge * weights**2).sum()), weights, logits, probs)

    def gradient(self, state: _State, ridge: FloatArray) -> FloatArray:
        errors = state.probs.copy()
        errors[np.arange(len(errors)), self.codes] -= 1
        return np.asarray(self.rows.T @ errors / len(errors) + ridge * state.weights)

    def step(
        self, state: _State, gradient: FloatArray, ridge: FloatArray, n_products: int
    ) -> FloatArray:
        """Solve H x = gradient, roughly, by preconditioned conjugate gradients."""
        probs = state.probs.astype(np.float32)
        mean = float((probs * (1 - probs)).mean())
        inverse = (1 / (self.spread * max(mean, 1e-12) + ridge)).astype(np.float32)
        largest = float(np.abs(gradient).max())
        rest: _Single = (gradient / (largest or 1.0)).astype(np.float32)
        found: _Single = np.zeros_like(rest)
        weighted = inverse * rest
        way = weighted.copy()
        first = size = float(np.vdot(rest, weighted))
        for _ in range(n_products):
            product = self._curvature(way, probs, ridge.astype(np.float32))
            curvature = float(np.vdot(way, product))
            if not curvature > 0:
                break
            length = np.float32(size / curvature)
            found += length * way
            rest -= length * product
            weighted = inverse * rest
            before, size = size, float(np.vdot(rest, weighted))
            if size <= _FORCING**2 * first:
                break
            way *= np.float32(size / before)
            way += weighted
        return found.astype(np.float64) * largest

    def _curvature(self, way: _Single, probs: _Single, ridge: _Single) -> Any:
        """Return the product of the Hessian with a direction."""
        moved = self.single @ way
        moved *= probs
        moved -= probs * moved.sum(axis=1, keepdims=True)
        product = self.single.T @ moved
        product /= np.float32(len(probs))
        product += ridge * way
        return product


class SoftmaxRegression:
    """Fits of one sample for several penalties, each from where the last one ended.

    Parameters
    ----------
    sample : Sample
        With features, which are centred.

    Examples
    --------
    >>> sample = Sample.of([0, 0, 1, 1], features=[[0.0], [1.0], [2.0], [3.0]])
    >>> fit = SoftmaxRegression(sample).fit(beta=4.0)
    >>> fit.classes(np.array([[0.5], [2.5]])).tolist()
    [0, 1]
    """

    def __init__(self, sample: Sample) -> None:
        self._problem = _Problem(sample)
        self._weights = np.zeros((self._problem.rows.shape[1], self._problem.n_classes))

    def fit(self, beta: float) -> Fit:
        """Minimise mean cross-entropy plus ``|weights|^2 / (2 beta)``; the bias is free.

        Raises
        ------
        EeveeError
            If the minimum is not found: the penalty is far too small for these features.
        """
        problem = self._problem
        ridge = problem.ridge(beta)
        state = problem.state(self._weights, problem.rows @ self._weights, ridge)
        n_products = _FEW_PRODUCTS
        for _ in range(_MOST_STEPS):
            gradient = problem.gradient(state, ridge)
            step = problem.step(state, gradient, ridge, n_products)
            gain = float(np.vdot(gradient, step))
            n_products = _MANY_PRODUCTS if gain <= _NEAR * state.loss else _FEW_PRODUCTS
            state, moved = _searched(problem, state, step, gain, ridge)
            if gain <= 2 * max(_TOLERANCE * state.loss, _NOTHING) or not moved:
                break
        if not gain <= 2 * max(1e-3 * state.loss, _NOTHING) and state.loss > 100 * _NOTHING:
            raise EeveeError("the regression does not converge; standardise the features")
        self._weights = state.weights
        weights = problem.back @ state.weights[:-1]
        return Fit(state.loss, state.probs, weights, state.weights[-1], problem.means)


def _searched(
    problem: _Problem, state: _State, step: FloatArray, gain: float, ridge: FloatArray
) -> tuple[_State, bool]:
    """Go along a step as far as the loss falls enough; tell whether it did."""
    moved = problem.rows @ step
    length = 1.0
    while length > _SHORTEST:
        tried = problem.state(state.weights - length * step, state.logits - length * moved, ridge)
        if tried.loss <= state.loss - _ARMIJO * length * gain:
            return tried, True
        length /= 2
    return state, False
