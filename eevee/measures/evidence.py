"""LogME: the evidence of a Bayesian linear model for each class, at its maximum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.measures.measure import Definition, Measure
from eevee.measures.sample import Sample
from eevee.measures.spectrum import spectrum

_STEP = 0.5
"""Between logarithms of ratios that are tried first: less than what moves one eigenvalue."""
_N_NEWTON, _EXACT = 60, 1e-8
"""Most steps, and a change of the logarithm that ends them: its square is what the cost is off."""
_FITTED = 1e-13
"""Share of a class's squares that counts as none left."""


class _Classes(NamedTuple):
    """Squares of the labels of each class along the directions of features."""

    n_rows: int
    squares: FloatArray
    """Of the singular values, shape (rank,)."""
    along: FloatArray
    """Squares of the projections, shape (rank, n_classes)."""
    beyond: FloatArray
    """What no direction holds, shape (n_classes,)."""

    def of(self, chosen: IntArray) -> _Classes:
        """Return some of the classes."""
        if len(chosen) == len(self.beyond):
            return self
        return self._replace(along=self.along[:, chosen], beyond=self.beyond[chosen])


def _logme(sample: Sample) -> float:
    assert sample.features is not None
    found = spectrum(sample.features)
    along = found.class_projections(sample.features, sample) ** 2
    full = len(found.squares) == sample.n_rows
    beyond = np.zeros(sample.n_classes) if full else sample.counts - along.sum(axis=0)
    if not full and (beyond <= _FITTED * sample.counts).any():
        raise EeveeError(
            "logme: the features fit a class without error, so that its evidence has no maximum; "
            "give more rows, or features that are no copy of the labels"
        )
    classes = _Classes(sample.n_rows, found.squares, along, beyond)
    least = _minimum(classes)
    n = sample.n_rows
    return float(-0.5 * (np.log(2 * np.pi / n) + 1 + least.mean() / n))


def _minimum(classes: _Classes) -> FloatArray:
    """Return the least `_cost` of each class over the ratio: a grid, then Newton's steps."""
    low, high = -np.log(classes.squares.max()) - 20, -np.log(classes.squares.min()) + 30
    grid = np.arange(low, high + _STEP, _STEP)
    shrunk = 1 / (1 + np.exp(grid)[:, None] * classes.squares)
    left = shrunk @ classes.along + classes.beyond
    costs = classes.n_rows * np.log(left) - np.log(shrunk).sum(axis=1)[:, None]
    best = costs.argmin(axis=0)
    ratio = _refined(classes, grid[best])
    return np.asarray(np.minimum(_cost(classes, ratio), costs.min(axis=0)))


def _cost(classes: _Classes, log_ratio: FloatArray) -> FloatArray:
    """Return n log(n u) + log det(t FF' + I), with the best noise u for each ratio t."""
    grown = np.exp(log_ratio) * classes.squares[:, None]
    left = (classes.along / (1 + grown)).sum(axis=0) + classes.beyond
    return np.asarray(classes.n_rows * np.log(left) + np.log1p(grown).sum(axis=0))


def _refined(classes: _Classes, start: FloatArray) -> FloatArray:
    """Find where the slope is zero within a step of the start; halve where Newton leaves it."""
    found = start.copy()
    low, high = start - _STEP, start + _STEP
    open_ = np.arange(len(start))
    for _ in range(_N_NEWTON):
        at = found[open_]
        slope, bend = _slopes(classes.of(open_), at)
        low, high = np.where(slope < 0, at, low), np.where(slope < 0, high, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = at - slope / bend
        inside = (bend > 0) & (step >= low) & (step <= high)
        found[open_] = moved = np.where(inside, step, (low + high) / 2)
        going = np.abs(moved - at) >= _EXACT
        open_, low, high = open_[going], low[going], high[going]
        if not len(open_):
            break
    return found


def _slopes(classes: _Classes, log_ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first two derivatives of `_cost` by the logarithm of the ratio."""
    grown = np.exp(log_ratio) * classes.squares[:, None]
    shrunk = 1 / (1 + grown)
    share = grown * shrunk
    kept = classes.along * shrunk
    left = kept.sum(axis=0) + classes.beyond
    first = -(kept * share).sum(axis=0) / left
    second = -(kept * share * (shrunk - share)).sum(axis=0) / left
    slope = classes.n_rows * first + share.sum(axis=0)
    bend = classes.n_rows * (second - first**2) + (share * shrunk).sum(axis=0)
    return slope, bend


LOGME = Definition("logme", _logme, "features", "nats per row")


def logme(
    features: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return LogME: the mean over classes of the largest log-evidence per row.

    Parameters
    ----------
    features, labels, n_groups, seed
        As of `eevee.measures.hscore`.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`), or features of a rank below the number
        of rows fit a class without error.

    Notes
    -----
    You et al., "LogME: practical assessment of pre-trained models for transfer learning", 2021.
    The evidence of a class is the Gaussian log-density of its one-hot labels with mean 0 and
    covariance FF'/alpha + I/beta. It is maximised exactly: beta in closed form given beta/alpha,
    that ratio by a grid and Newton's method. Released codes stop early, and are wrong where
    samples are fewer than features.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> clear, none = rows[:, 0] > 0, np.arange(60) % 2
    >>> logme(rows, clear).value > logme(rows, none).value
    True
    """
    sample = Sample.of(labels, features=features)
    return LOGME.measure(sample, n_groups=n_groups, seed=seed)
