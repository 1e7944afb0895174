"""Softmax regression with a ridge, by Newton's method.

Loss and gradient, which decide what is reached, are in double precision; the steps
(`eevee.measures.newton_step`) in single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.covariances import centred
from eevee.measures.newton_step import NewtonSteps, Step
from eevee.measures.sample import Sample
from eevee.measures.spectrum import spectrum

_TOLERANCE = 1e-6
"""Predicted gain, as a share of the loss, of the last step: it leaves less than a hundredth."""
_NOTHING = 1e-9
"""Nats that matter to nobody: they end the fit of classes that are told apart without a loss."""
_MOST_STEPS = 100
_FEW_PRODUCTS, _MANY_PRODUCTS, _NEAR = 3, 200, 0.1
"""Products of a step: few, until its gain is less than this share of the loss."""
_EXACT = 1e-3
"""Gain, as a share of the loss, below which logits are in double precision."""
_STRONGEST = 1e30
"""Penalty of scaled features that no weight overcomes: one more leaves the same loss."""
_ARMIJO, _SHORTEST = 1e-4, 1e-6


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
    squares : array, shape (n_rows,)
        Sums of the squares of what is left.
    """

    loss: float
    probs: FloatArray
    weights: FloatArray
    bias: FloatArray
    means: FloatArray
    squares: FloatArray

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
    """One sample: centred rows with a column of ones for the bias.

    Rows of no fewer features than samples are turned to the directions of their covariance, of
    which there are fewer.
    """

    def __init__(self, sample: Sample) -> None:
        assert sample.features is not None
        self.codes = sample.codes
        self.n_classes = sample.n_classes
        self.means = sample.features.mean(axis=0)
        features = centred(sample.features)
        n, d = features.shape
        self.back: FloatArray | None = None
        if n <= d:
            found = spectrum(features)
            self.back = found.right_vectors(features)
            features = found.rotated(features)
        self.scale = float(np.sqrt(np.vdot(features, features) / features.size))
        self.squares = np.einsum("ij,ij->i", features, features)
        self.rows = np.ones((n, features.shape[1] + 1))
        np.divide(features, self.scale, out=self.rows[:, :-1])
        self.steps = NewtonSteps(self.rows, turned=n <= d)

    def ridge(self, beta: float) -> FloatArray:
        """Return the penalty of each direction: none of the bias."""
        penalty = np.full((self.rows.shape[1], 1), min(1 / beta / self.scale**2, _STRONGEST))
        penalty[-1] = 0
        return penalty

    def original(self, weights: FloatArray) -> FloatArray:
        """Return the weights of features from those of rows, without the bias."""
        own = weights[:-1] / self.scale
        return own if self.back is None else np.asarray(self.back @ own)

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
        self._logits = np.zeros((sample.n_rows, sample.n_classes))

    def fit(self, beta: float) -> Fit:
        """Minimise mean cross-entropy plus ``|weights|^2 / (2 beta)``; the bias is free.

        Raises
        ------
        EeveeError
            If the minimum is not found: the penalty is far too small for these features.
        """
        problem = self._problem
        ridge = problem.ridge(beta)
        state = problem.state(self._weights, self._logits, ridge)
        most, exact = _FEW_PRODUCTS, False
        for _ in range(_MOST_STEPS):
            loss = state.loss
            gradient = problem.gradient(state, ridge)
            step = problem.steps.step(state.probs, gradient, float(ridge[0, 0]), loss, most)
            gain = step.gain
            if gain <= _EXACT * loss:
                if not exact:
                    state = state._replace(logits=problem.rows @ state.weights)
                step, exact = step._replace(logits=problem.rows @ step.weights), True
            most = _MANY_PRODUCTS if gain <= _NEAR * loss else _FEW_PRODUCTS
            state, moved = _searched(problem, state, step, ridge)
            if gain <= 2 * max(_TOLERANCE * loss, _NOTHING) or not moved:
                break
        if not gain <= 2 * max(1e-3 * state.loss, _NOTHING) and state.loss > 100 * _NOTHING:
            raise EeveeError("the regression does not converge; standardise the features")
        self._weights, self._logits = state.weights, state.logits
        weights = problem.original(state.weights)
        bias = state.weights[-1]
        return Fit(state.loss, state.probs, weights, bias, problem.means, problem.squares)


def _searched(
    problem: _Problem, state: _State, step: Step, ridge: FloatArray
) -> tuple[_State, bool]:
    """Go along a step, halved as long as the loss falls; tell whether it did."""

    def at(length: float) -> _State:
        return problem.state(
            state.weights - length * step.weights, state.logits - length * step.logits, ridge
        )

    length, found = 1.0, at(1.0)
    if found.loss <= state.loss - step.gain / 4:  # half of what is predicted, or more
        return found, True
    while length > _SHORTEST:
        shorter = at(length / 2)
        if found.loss <= min(shorter.loss, state.loss - _ARMIJO * length * step.gain):
            return found, True
        length, found = length / 2, shorter
    return state, False
