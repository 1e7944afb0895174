"""Intervals around a prediction, from models that were left out: jackknife+ and CV+."""

from __future__ import annotations

import math

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.stats.folds import balanced_folds

LEAVE_ONE_OUT = 200
"""With at most this many groups of training models, each is left out alone; with more, in folds."""
FOLDS = 10
_SLACK = 1e-9
"""A rank such as (1 - 0.9) * 10 is a whole number in arithmetic, not in binary fractions."""


def check_level(level: float) -> float:
    """Return a level that an interval can have.

    Raises
    ------
    EeveeError
        If it lies outside of [0.5, 1).
    """
    if not 0.5 <= level < 1:
        raise EeveeError(f"level must lie in [0.5, 1), such as 0.9 for 90 %, not {level!r}")
    return float(level)


def models_needed(level: float) -> int:
    """Return how many left-out models (groups) an interval needs: ceil(1 / alpha) - 1.

    With fewer, no finite interval has the level, whatever the residuals are.

    Examples
    --------
    >>> models_needed(0.9), models_needed(0.95), models_needed(0.8)
    (9, 19, 4)
    """
    return math.ceil(1.0 / (1.0 - level) - _SLACK) - 1


def folds_of(labels: IntArray, seed: int) -> IntArray:
    """Return the fold in which each training model is left out, (n_models,).

    Groups are left out whole. Each is a fold of its own for up to 200 groups (jackknife+), else
    they are in one of ten folds drawn from the seed (CV+).

    Parameters
    ----------
    labels : shape (n_models,)
        Group of each model, numbered from 0; a model that stands alone is a group of its own.
    seed : int

    Examples
    --------
    >>> folds_of(np.arange(4), seed=0).tolist(), folds_of(np.array([0, 1, 0]), seed=0).tolist()
    ([0, 1, 2, 3], [0, 1, 0])
    >>> np.bincount(folds_of(np.arange(205), seed=0)).tolist()
    [21, 21, 21, 21, 21, 20, 20, 20, 20, 20]
    """
    n_groups = int(labels.max()) + 1
    if n_groups <= LEAVE_ONE_OUT:
        return labels
    rng = np.random.default_rng(seed)
    if n_groups == len(labels):
        return rng.permutation(n_groups) % FOLDS
    return balanced_folds(labels, FOLDS, rng)


def plus_interval(
    left_out: FloatArray, residuals: FloatArray, level: float, labels: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Ends of the jackknife+ or CV+ interval of a new model.

    Around the prediction for the new model by each fit that left training model i out, lay that
    model's own absolute residual; the ends are quantiles of the lower and upper ends of these.
    Every group counts once, its models in equal shares.

    Parameters
    ----------
    left_out : shape (n_models, ...)
        Prediction for the new model by the fit without the group of model i.
    residuals : shape (n_models, ...)
        Of model i in the same fit, of any sign; NaN where it was not measured: it has no part.
    level : float
    labels : shape (n_models,), optional
        Group of each model, numbered from 0; by default each is alone.

    Returns
    -------
    lower, upper : arrays, shape (...)
        NaN where fewer than `models_needed` groups were measured.

    Notes
    -----
    Barber, Candès, Ramdas and Tibshirani (2021), Predictive inference with the jackknife+,
    sections 1.3 and 3: for exchangeable models it covers with probability of at least
    1 - 2 alpha, and typically with about 1 - alpha = `level`. Groups: Lee, Barber and Willett
    (2023), Distribution-free inference with hierarchical data (a new model is of a new group).

    Examples
    --------
    >>> left_out, residuals = np.zeros(9), np.arange(1.0, 10.0)
    >>> [float(end) for end in plus_interval(left_out, residuals, 0.9)]
    [-9.0, 9.0]
    >>> [float(end) for end in plus_interval(left_out, residuals, 0.8)]
    [-8.0, 8.0]
    """
    size = np.abs(residuals)
    known = np.isfinite(left_out) & np.isfinite(size)
    labels = np.arange(len(known)) if labels is None else labels
    share = group_shares(known, labels)
    lower = _outermost(left_out - size, known, share, level)
    return lower, -_outermost(-(left_out + size), known, share, level)


def group_shares(known: BoolArray, labels: IntArray) -> FloatArray:
    """Weight of each model so that every group counts once, of the shape of `known`.

    Examples
    --------
    >>> group_shares(np.array([True, True, False, True]), np.array([0, 0, 0, 1])).tolist()
    [0.5, 0.5, 0.0, 1.0]
    """
    sizes = np.zeros((int(labels.max()) + 1, *known.shape[1:]))
    np.add.at(sizes, labels, known)
    return np.where(known, 1.0 / np.maximum(sizes[labels], 1), 0.0)


def _outermost(values: FloatArray, known: BoolArray, share: FloatArray, level: float) -> FloatArray:
    """The largest value up to which 1 - level of the groups and the new one lie, (...)."""
    order = np.argsort(np.where(known, values, np.inf), axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    up_to = np.cumsum(np.take_along_axis(share, order, axis=0), axis=0)
    tied = np.concatenate([ranked[1:] == ranked[:-1], np.zeros((1, *ranked.shape[1:]), np.bool_)])
    up_to = np.minimum.accumulate(np.where(tied, np.inf, up_to)[::-1], axis=0)[::-1]
    allowed = (1.0 - level) * (share.sum(axis=0) + 1)
    place = (up_to <= allowed + _SLACK).sum(axis=0)
    place = np.minimum(place, known.sum(axis=0))
    end = np.take_along_axis(ranked, np.maximum(place - 1, 0)[None], axis=0)[0]
    return np.where((allowed + _SLACK >= 1) & (place > 0), end, np.nan)
