"""`Interval`: how far a mean over models or over splits can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from eevee.errors import EeveeError
from eevee.table import FloatArray


@dataclass(frozen=True, eq=False)
class Interval:
    """A mean and its confidence limits, arrays of one shape (``()`` for a single number)."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    n_draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of the mean over models, or over families of models.

    Models (families) are drawn with replacement; nothing is fitted again. For a paired comparison
    give differences. With few models the interval is somewhat too narrow, as percentile intervals
    are: of nominal 95 %, about 90 % with 10 models and 93 % with 40, for normal values.

    Parameters
    ----------
    values : array, shape (n_models, ...)
        Such as each model's error, averaged over the splits that held it out. A model's NaN is
        left out.
    groups : labels, shape (n_models,), optional
        Models of a group (a family) are drawn together. The mean stays one over models.
    n_draws : int
    level : float
    seed : int

    Returns
    -------
    Interval, shape of one model's values

    Raises
    ------
    EeveeError
        If there are fewer than two models or families, or an option is out of range.

    Notes
    -----
    Efron and Tibshirani (1993), "An introduction to the bootstrap", chapter 13; families are
    resampled as in Davison and Hinkley (1997), "Bootstrap methods and their application",
    section 3.8.

    Examples
    --------
    >>> found = bootstrap_interval(np.random.default_rng(0).normal(1.0, 1.0, size=100))
    >>> bool(found.low < 1.0 < found.high), round(float(found.high - found.low), 1)
    (True, 0.4)
    """
    data = np.asarray(values, dtype=np.float64)
    labels = np.arange(len(data)) if groups is None else np.asarray(groups)
    if len(labels) != len(data):
        raise EeveeError(f"{len(labels)} group labels for {len(data)} models; give one each")
    _check(level, n_draws)
    sums, counts = _sums_by_group(data, labels)
    n_groups = len(sums)
    if n_groups < 2:
        raise EeveeError(f"{n_groups} model or family: an interval needs at least two")
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n_draws)
    with np.errstate(invalid="ignore"):
        means = np.tensordot(draws, sums, 1) / np.tensordot(draws, counts, 1)
        mean = sums.sum(axis=0) / counts.sum(axis=0)
    tail = 50 * (1 - level)
    # Copies, since a percentile of nothing but NaN would warn: it stays NaN instead.
    known = np.where(np.isnan(mean), 0.0, means)
    low, high = np.nanpercentile(known, [tail, 100 - tail], axis=0)
    blank = np.isnan(mean)
    return Interval(np.asarray(mean), np.where(blank, np.nan, low), np.where(blank, np.nan, high))


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


def _sums_by_group(data: FloatArray, labels: npt.NDArray[np.generic]) -> tuple[FloatArray, ...]:
    """Sums and counts of what is there, (n_groups, ...)."""
    codes = pd.factorize(labels)[0]
    codes = np.where(codes < 0, codes.max() + 1 + np.arange(len(codes)), codes)
    _, codes = np.unique(codes, return_inverse=True)
    shape = (int(codes.max(initial=-1)) + 1, *data.shape[1:])
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, codes, np.nan_to_num(data))
    np.add.at(counts, codes, ~np.isnan(data))
    return sums, counts


def _check(level: float, n_draws: int = 1) -> None:
    if not 0 < level < 1:
        raise EeveeError(f"level must lie between 0 and 1, got {level}")
    if n_draws < 1:
        raise EeveeError(f"n_draws must be at least 1, got {n_draws}")
