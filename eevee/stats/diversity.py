"""Diversity of columns: how little they order the models alike."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from eevee.base.arrays import FloatArray

LEAST_MODELS = 3
"""Models that two columns must share for their correlation to count."""
N_GROUPS = 50
"""Groups that models are left out in; up to so many models each is left out alone."""


@dataclass(frozen=True)
class Diversity:
    """Mean of 1 - |Spearman's rho| over pairs of columns: 0, all order the models alike.

    Attributes
    ----------
    mean : float
        NaN where no two columns share models with an order.
    low, high : float
        Jackknife interval over models, within 0 to 1; NaN with fewer than four models, or where
        no two columns have an order without some of the models.
    """

    mean: float
    low: float
    high: float

    @property
    def words(self) -> str:
        """The number with its interval."""
        if not np.isfinite(self.low):
            return f"{self.mean:.3g}"
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


def diversity(scores: pd.DataFrame, *, level: float = 0.95) -> Diversity:
    """Return the diversity of columns, with a jackknife interval over models.

    Parameters
    ----------
    scores : DataFrame, shape (n_models, n_columns)
        NaN where not measured: a pair counts over the models that have both.
    level : float

    Notes
    -----
    Leaving out g groups of models in turn, the variance is (g - 1) / g times the sum of squares
    around the mean of the g values (Efron and Tibshirani 1993, "An introduction to the
    bootstrap", chapter 11); the interval is Student's t with g - 1 degrees of freedom.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 3, 2, 1], "c": [2.0, 4, 1, 3]})
    >>> round(diversity(frame).mean, 6)
    0.666667
    """
    mean = mean_distance(distances(scores))
    n_groups = min(len(scores), N_GROUPS)
    if n_groups <= LEAST_MODELS or not np.isfinite(mean):
        return Diversity(mean, np.nan, np.nan)
    group = np.arange(len(scores)) % n_groups
    left = np.array([mean_distance(distances(scores[group != i])) for i in range(n_groups)])
    if not np.isfinite(left).all():
        return Diversity(mean, np.nan, np.nan)
    error = np.sqrt((n_groups - 1) / n_groups * ((left - left.mean()) ** 2).sum())
    half = float(stats.t.ppf((1 + level) / 2, n_groups - 1) * error)
    return Diversity(mean, max(0.0, mean - half), min(1.0, mean + half))


def distances(scores: pd.DataFrame) -> FloatArray:
    """Return 1 - |Spearman's rho| of each pair of columns, NaN where there is none.

    Examples
    --------
    >>> distances(pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 2, 1], "c": [1.0, 1, 1]})).tolist()
    [[0.0, 0.0, nan], [0.0, 0.0, nan], [nan, nan, nan]]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column has no correlation: NaN
        found = scores.corr(method="spearman", min_periods=LEAST_MODELS)
    return np.asarray(1.0 - np.abs(found.to_numpy(np.float64)))


def mean_distance(apart: FloatArray, columns: Sequence[int] | None = None) -> float:
    """Return the mean distance over pairs of some columns, by default all; NaN without a pair."""
    chosen = apart if columns is None else apart[np.ix_(columns, columns)]
    pairs = chosen[np.triu_indices(len(chosen), k=1)]
    known = pairs[np.isfinite(pairs)]
    return float(known.mean()) if len(known) else float("nan")
