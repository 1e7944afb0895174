"""How good predictions of held-out models are: errors, rankings, choices, agreement of subsets.

Arrays in, arrays or numbers out. Matrices are models x columns, NaN where a cell was not measured.
Where ranks or means over columns are asked for, directions must have been turned so that higher is
better (``table.oriented``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError

GAPS = (0.0, 0.25, 0.5, 1.0, 2.0, np.inf)


class RankingAgreement(NamedTuple):
    """Rank correlations of two orders of models; NaN where one of them has no order."""

    spearman: float
    kendall: float


def r2(predicted: FloatArray, true: FloatArray) -> FloatArray:
    """Return the share of each column's variance over the given models that was predicted.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models, n_columns)
        Cells without a true value do not count.

    Returns
    -------
    array, shape (n_columns,)
        1 at best, 0 for the mean of these models, without bound below. NaN for a column with
        fewer than two observed cells, or a constant one.

    Examples
    --------
    >>> true = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])
    >>> r2(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 9.0]]), true).tolist()
    [1.0, -3.0]
    """
    error, spread = squares_of(predicted, true)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 0, 1 - error / spread, np.nan)


def mae(predicted: FloatArray, true: FloatArray) -> FloatArray:
    """Return each column's mean absolute error, in that column's own measure.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models, n_columns)

    Returns
    -------
    array, shape (n_columns,)
        NaN for a column without an observed cell.

    Examples
    --------
    >>> mae(np.array([[70.0, 0.5], [60.0, 0.4]]), np.array([[71.0, 0.25], [63.0, np.nan]])).tolist()
    [2.0, 0.25]
    """
    return mean_of_known(np.abs(predicted - true), axis=0)


def ranking_agreement(predicted: FloatArray, true: FloatArray) -> RankingAgreement:
    """Compare the order of models by predicted mean score with the true one.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models,)
        Models with a NaN in either do not count.

    Returns
    -------
    RankingAgreement
        Spearman's rho and Kendall's tau-b (which both allow for ties). NaN with fewer than two
        models or if either is constant, as with a mean predictor.

    Examples
    --------
    >>> agreement = ranking_agreement(np.array([1.0, 3.0, 2.0, 4.0]), np.arange(4.0))
    >>> round(agreement.spearman, 6), round(agreement.kendall, 6)
    (0.8, 0.666667)
    """
    predicted, true = _both(predicted, true)
    if len(true) < 2 or np.ptp(predicted) == 0 or np.ptp(true) == 0:
        return RankingAgreement(float("nan"), float("nan"))
    spearman = stats.spearmanr(predicted, true).statistic
    return RankingAgreement(float(spearman), float(stats.kendalltau(predicted, true).statistic))


def pairwise_accuracy(
    predicted: FloatArray, true: FloatArray, gaps: Sequence[float] = GAPS
) -> pd.DataFrame:
    """Say how often the better of two models is identified, by their true gap.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models,)
        Mean scores, higher is better. Models with a NaN in either do not count.
    gaps : increasing numbers
        Edges of the bins of the true gap, in population standard deviations of `true`. A bin
        holds its lower edge and not its upper one.

    Returns
    -------
    DataFrame, one row per bin
        ``low, high, pairs`` and ``accuracy``: the share of the pairs ordered rightly, where a tie
        in `predicted` counts as half, like a coin; NaN without a pair. Pairs that are truly equal
        have no right order and do not count.

    Raises
    ------
    EeveeError
        If the edges do not increase.

    Examples
    --------
    >>> true = np.array([0.0, 1.0, 4.0])
    >>> pairwise_accuracy(np.array([1.0, 0.0, 5.0]), true, [0, 1, 10])
       low  high  pairs  accuracy
    0  0.0   1.0      1       0.0
    1  1.0  10.0      2       1.0
    """
    edges = np.asarray(gaps, dtype=np.float64)
    if len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise EeveeError(f"gaps must be at least two increasing numbers, got {list(gaps)}")
    predicted, true = _both(predicted, true)
    first, second = np.triu_indices(len(true), k=1)
    truly = true[first] - true[second]
    said = predicted[first] - predicted[second]
    counts = truly != 0
    right = 0.5 * (1 + np.sign(truly) * np.sign(said))[counts]
    gap = np.abs(truly[counts]) / true.std() if counts.any() else np.empty(0)
    place = np.searchsorted(edges, gap, side="right") - 1
    # An infinite last edge leaves out nothing; a finite one leaves out what is beyond it.
    inside = (place >= 0) & (place < len(edges) - 1)
    pairs = np.bincount(place[inside], minlength=len(edges) - 1)
    hits = np.bincount(place[inside], right[inside], minlength=len(edges) - 1)
    with np.errstate(invalid="ignore"):
        accuracy = hits / pairs
    return pd.DataFrame(
        {"low": edges[:-1], "high": edges[1:], "pairs": pairs, "accuracy": accuracy}
    )


def regret(predicted: FloatArray, true: FloatArray) -> float:
    """Return what is lost by taking the model that looks best.

    Parameters
    ----------
    predicted, true : arrays, shape (n_models,)
        Mean scores in units, higher is better. Models with a NaN in either do not count.

    Returns
    -------
    float, in units, at least 0
        The best true score minus that of the model predicted to be best (if several are, minus
        their mean: one is drawn at random). NaN without a model.

    Examples
    --------
    >>> regret(np.array([0.1, 0.9, 0.5]), np.array([0.0, 1.0, 1.5]))
    0.5
    """
    predicted, true = _both(predicted, true)
    if not len(true):
        return float("nan")
    return float(true.max() - true[predicted == predicted.max()].mean())


def squares_of(predicted: FloatArray, true: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Per column, sums of squares over observed cells: of the errors, and about the mean."""
    error = np.nansum((predicted - true) ** 2, axis=0)
    # A constant column whose mean is not exact in binary must not seem to vary.
    varies = np.fmax.reduce(true, axis=0) > np.fmin.reduce(true, axis=0)
    spread = np.nansum((true - mean_of_known(true, axis=0)) ** 2, axis=0)
    return error, np.where(varies, spread, 0.0)


def mean_of_known(values: FloatArray, *, axis: int) -> FloatArray:
    """The mean of what is there; NaN, without a warning, where nothing is."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(values, axis=axis) / (~np.isnan(values)).sum(axis=axis))


def _both(predicted: FloatArray, true: FloatArray) -> tuple[FloatArray, FloatArray]:
    known = ~(np.isnan(predicted) | np.isnan(true))
    return predicted[known], true[known]
