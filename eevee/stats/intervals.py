"""`Interval`: how far a mean over models or over splits can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError


@dataclass(frozen=True, eq=False)
class Interval:
    """A mean and its confidence limits, arrays of one shape (``()`` for a single number)."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def blank_interval(mean: float) -> Interval:
    """Return an estimate of which nothing says how far it can be trusted."""
    blank = np.asarray(np.nan)
    return Interval(np.asarray(mean), blank, blank)


def recentred_interval(
    estimate: float, draws: FloatArray, *, level: float = 0.95, least: float = -np.inf
) -> Interval:
    """Percentile bootstrap interval, moved so that the median of the draws is the estimate.

    A draw of models with replacement holds fewer distinct models than the table. On a table with
    gaps some columns have no cell in it, so draws of a loss may lie around another number than
    the loss itself, even so far off that their percentiles miss it. Draws are therefore taken to
    say how an estimate spreads, and not where it lies: it always lies in its interval.

    Parameters
    ----------
    estimate : float
    draws : array, shape (n_draws,)
        NaN where a draw says nothing.
    level : float
    least : float
        No limit lies below it, as that of a loss below 0.

    Returns
    -------
    Interval
        Without limits where the estimate is NaN, or all draws are.

    Raises
    ------
    EeveeError
        If `level` is out of range.

    Notes
    -----
    Efron and Tibshirani (1993), "An introduction to the bootstrap", chapters 13 and 14.
    Correcting for the distance instead of undoing it (BCa, or reflecting the percentiles at the
    estimate) would move the interval further, and leaves the estimate out where percentiles do.

    Examples
    --------
    >>> found = recentred_interval(1.0, np.linspace(2.0, 4.0, 101), level=0.9)
    >>> round(float(found.low), 3), round(float(found.high), 3)
    (0.1, 1.9)
    """
    _check(level)
    known = draws[np.isfinite(draws)]
    if not (np.isfinite(estimate) and len(known)):
        return blank_interval(estimate)
    tail = 50 * (1 - level)
    low, middle, high = np.percentile(known, [tail, 50, 100 - tail])
    return Interval(
        np.asarray(estimate),
        np.asarray(max(least, estimate - max(0.0, middle - low))),
        np.asarray(estimate + max(0.0, high - middle)),
    )


def nadeau_bengio_interval(
    differences: npt.ArrayLike, *, n_train: float, n_test: float, level: float = 0.95
) -> Interval:
    """Corrected resampled t interval of a mean over splits whose training models overlap.

    The naive variance of the mean, s^2 / J over J splits, is too small, since the splits share
    models; here it is s^2 (1 / J + n_test / n_train).

    Parameters
    ----------
    differences : array, shape (n_splits, ...)
        One number per split: a loss, or a difference of two losses.
    n_train, n_test : float
        Models per split on either side (means over splits, where these differ).
    level : float

    Returns
    -------
    Interval, shape of one split's numbers

    Raises
    ------
    EeveeError
        If there are fewer than two splits, or a number is out of range.

    Notes
    -----
    Nadeau and Bengio (2003), "Inference for the generalization error", Machine Learning 52,
    section 3 and its corrected resampled t-test. The ratio is a rule of thumb that holds for
    repeated random splits, and is used for repeated K-fold, too (Bouckaert and Frank 2004).

    Examples
    --------
    >>> found = nadeau_bengio_interval([0.1, 0.3, 0.2, 0.2], n_train=80, n_test=20)
    >>> round(float(found.mean), 3), round(float(found.low), 3), round(float(found.high), 3)
    (0.2, 0.016, 0.384)
    """
    data = np.asarray(differences, dtype=np.float64)
    if data.ndim == 0 or len(data) < 2:
        raise EeveeError("the corrected t interval needs at least two splits")
    if not (n_train > 0 and n_test > 0):
        raise EeveeError(f"n_train and n_test must be above 0, got {n_train} and {n_test}")
    _check(level)
    variance = data.var(axis=0, ddof=1) * overlap_factor(len(data), n_train, n_test)
    half = stats.t.ppf((1 + level) / 2, len(data) - 1) * np.sqrt(variance)
    mean = np.asarray(data.mean(axis=0))
    return Interval(mean, np.asarray(mean - half), np.asarray(mean + half))


def overlap_factor(n_splits: int, n_train: float, n_test: float) -> float:
    """Return what turns the variance over splits into that of their mean, since they overlap.

    Nadeau and Bengio (2003), as in `nadeau_bengio_interval`.

    Examples
    --------
    >>> overlap_factor(10, n_train=80, n_test=20)
    0.35
    """
    return 1 / n_splits + n_test / n_train


def _check(level: float) -> None:
    if not 0 < level < 1:
        raise EeveeError(f"level must lie between 0 and 1, got {level}")
