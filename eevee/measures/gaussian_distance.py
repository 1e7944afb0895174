"""Squared Hellinger distance of Gaussians, and its mean over the classes of a benchmark."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import numpy.typing as npt
from scipy import linalg

from eevee.base.arrays import FloatArray, as_array
from eevee.base.errors import EeveeError

_REACH = 12.0
"""Standard deviations beyond which a normal density counts for nothing."""
_FARTHEST = 1e100
"""Ratio of deviations from which the distance is 1."""
_NODES, _PANELS, _SHRINK = 24, 24, 0.25


def hellinger(
    mean: npt.ArrayLike,
    covariance: npt.ArrayLike,
    other_mean: npt.ArrayLike,
    other_covariance: npt.ArrayLike,
) -> float:
    """Return the squared Hellinger distance of two Gaussians, in [0, 1].

    Parameters
    ----------
    mean, other_mean : float, or array of shape (n_dimensions,)
    covariance, other_covariance : float, or array of shape (n_dimensions, n_dimensions)
        In one dimension the variance, not the standard deviation.

    Raises
    ------
    EeveeError
        If shapes do not match, a number is not finite, or a covariance is not symmetric and
        positive definite.

    Notes
    -----
    The determinant of the mean covariance has the exponent 1/2; the released code for several
    dimensions has 1/4.

    Examples
    --------
    >>> round(hellinger(0, 1, 1, 4), 6)
    0.149195
    """
    means = [np.atleast_1d(_numbers(one, "a mean")) for one in (mean, other_mean)]
    given = (covariance, other_covariance)
    spreads = [np.atleast_2d(_numbers(one, "a covariance")) for one in given]
    n = means[0].size
    if any(m.shape != (n,) for m in means) or any(c.shape != (n, n) for c in spreads):
        raise EeveeError("hellinger: give means of one length and covariances of that size")
    half = _factor((spreads[0] + spreads[1]) / 2)
    determinants = [_half_log_determinant(_factor(one)) for one in spreads]
    apart = linalg.solve_triangular(half, means[0] - means[1], lower=True)
    log = sum(determinants) / 2 - _half_log_determinant(half) - float(apart @ apart) / 8
    return float(-np.expm1(min(log, 0.0)))


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    array = as_array(values, f"hellinger: {what}")
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise EeveeError(f"hellinger: {what} must be finite numbers")
    return array.astype(np.float64)


def _factor(covariance: FloatArray) -> FloatArray:
    if np.abs(covariance - covariance.T).max() > 1e-9 * np.abs(covariance).max():
        raise EeveeError("hellinger: a covariance must be symmetric")
    try:
        return np.asarray(linalg.cholesky(covariance, lower=True))
    except linalg.LinAlgError:
        raise EeveeError("hellinger: a covariance is not positive definite") from None


def _half_log_determinant(factor: FloatArray) -> float:
    return float(np.log(np.diag(factor)).sum())


def hellinger_diversity(mean_sd: float, sd_mean: float, sd_sd: float) -> float:
    """Return the expected squared Hellinger distance of two classes of a Gaussian benchmark.

    Classes are N(m, s^2) in one dimension, with m from N(any, mean_sd^2) and s from
    abs(N(sd_mean, sd_sd^2)).

    Parameters
    ----------
    mean_sd : float
        Standard deviation of class means; 0 or more.
    sd_mean, sd_sd : float
        Of class standard deviations, before the absolute value; `sd_sd` 0 or more.

    Returns
    -------
    float
        In [0, 1], to about 1e-10: the mean over class means has a closed form, that over standard
        deviations is integrated.

    Raises
    ------
    EeveeError
        If a number is not finite or negative, or all standard deviations are 0.

    Notes
    -----
    Paper on the diversity coefficient, appendix I and Table 3. The paper integrates by simulation;
    with m1 - m2 from N(0, 2 mean_sd^2) and v = s1^2 + s2^2 the mean of
    exp(-(m1 - m2)^2 / (4 v)) is (1 + mean_sd^2 / v)^(-1/2).

    Examples
    --------
    >>> [round(hellinger_diversity(sd, 1, 0.01), 3) for sd in (1, 3, 10)]
    [0.184, 0.574, 0.86]
    """
    given = {"mean_sd": mean_sd, "sd_sd": sd_sd}
    for name, value in given.items():
        if not (isinstance(value, Real) and 0 <= value < math.inf):
            raise EeveeError(f"hellinger_diversity: {name} must be 0 or more, not {value}")
    if not (isinstance(sd_mean, Real) and math.isfinite(sd_mean)) or (sd_mean == 0 == sd_sd):
        raise EeveeError("hellinger_diversity: standard deviations must be finite, and not all 0")
    unit = max(abs(sd_mean), sd_sd)  # only ratios count; squares must be numbers
    sd, weight = _folded_normal(abs(sd_mean) / unit, sd_sd / unit)
    apart = min(mean_sd / unit, _FARTHEST)
    squares = sd[:, None] ** 2 + sd**2
    # The affinity is sqrt(2 s t / v) * sqrt(v / (v + mean_sd^2)). Of low diversity both factors
    # are near one: their logarithms are taken of what is missing.
    missing = (sd[:, None] - sd) ** 2 / squares
    far = missing > 0.5
    log = np.log(np.where(far, 2 * sd[:, None] * sd / squares, 1.0)) / 2
    log += np.log1p(-np.where(far, 0.0, missing)) / 2
    log -= np.log1p(apart**2 / squares) / 2
    return min(1.0, float(weight @ -np.expm1(log) @ weight))


def _folded_normal(mean: float, sd: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of an integral over the absolute value of a Gaussian."""
    if sd == 0:
        return np.array([mean]), np.ones(1)
    top, bottom = mean + _REACH * sd, mean - _REACH * sd
    if bottom > 0:
        edges = np.linspace(bottom, top, 7)
    else:  # the integrand has a root at zero: panels shrink towards it
        near = min(sd, top) * _SHRINK ** np.arange(_PANELS, -1, -1.0)
        edges = np.concatenate([[0.0], near, np.arange(sd * 2, top + sd, sd)])
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    places = (edges[:-1, None] + half + half * nodes).ravel()
    density = np.exp(-(((places - mean) / sd) ** 2) / 2) + np.exp(
        -(((places + mean) / sd) ** 2) / 2
    )
    made = (half * weights).ravel() * density
    return places, np.asarray(made / made.sum())
