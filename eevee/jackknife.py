"""Intervals around a prediction, from models that were left out: jackknife+ and CV+."""

from __future__ import annotations

import math

import numpy as np

from eevee.errors import EeveeError
from eevee.table import FloatArray, IntArray

LEAVE_ONE_OUT = 200
"""Up to so many training models each is left out alone; beyond, in folds."""
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
    """Return how many left-out models an interval needs: ceil(1 / alpha) - 1.

    With fewer, no finite interval has the level, whatever the residuals are.

    Examples
    --------
    >>> models_needed(0.9), models_needed(0.95), models_needed(0.8)
    (9, 19, 4)
    """
    return math.ceil(1.0 / (1.0 - level) - _SLACK) - 1


def folds_of(n_models: int, seed: int) -> IntArray:
    """Return the fold in which each training model is left out, (n_models,).

    Each is a fold of its own for up to 200 models (jackknife+), else one of ten folds drawn from
    the seed (CV+).

    Examples
    --------
    >>> folds_of(4, seed=0).tolist()
    [0, 1, 2, 3]
    >>> np.bincount(folds_of(205, seed=0)).tolist()
    [21, 21, 21, 21, 21, 20, 20, 20, 20, 20]
    """
    if n_models <= LEAVE_ONE_OUT:
        return np.arange(n_models)
    return np.random.default_rng(seed).permutation(n_models) % FOLDS


def plus_interval(
    left_out: FloatArray, residuals: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Ends of the jackknife+ or CV+ interval of a new model.

    Around the prediction for the new model by each fit that left training model i out, lay that
    model's own absolute residual; the ends are quantiles of the lower and upper ends of these.

    Parameters
    ----------
    left_out : shape (n_models, ...)
        Prediction for the new model by the fit without model i.
    residuals : shape (n_models, ...)
        Of model i in the same fit, of any sign; NaN where it was not measured: it has no part.
    level : float

    Returns
    -------
    lower, upper : arrays, shape (...)
        NaN where fewer than `models_needed` models were measured.

    Notes
    -----
    Barber, Candès, Ramdas and Tibshirani (2021), Predictive inference with the jackknife+,
    sections 1.3 and 3: for exchangeable models it covers with probability of at least
    1 - 2 alpha, and typically with about 1 - alpha = `level`.

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
    count = known.sum(axis=0)
    rank = np.floor((1.0 - level) * (count + 1) + _SLACK).astype(np.int64)
    lower = np.sort(np.where(known, left_out - size, np.nan), axis=0)
    upper = np.sort(np.where(known, left_out + size, np.nan), axis=0)
    places = np.maximum(rank, 1) - 1, np.maximum(count - np.maximum(rank, 1), 0)
    ends = (
        np.take_along_axis(values, place[None], axis=0)[0]
        for values, place in zip((lower, upper), places, strict=True)
    )
    low, high = (np.where(rank >= 1, end, np.nan) for end in ends)
    return low, high
