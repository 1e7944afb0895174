"""H-score, its regularised form, and TransRate: what covariances say of features and classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import linalg

from eevee.base.arrays import FloatArray
from eevee.measures.measure import Definition, Measure
from eevee.measures.sample import Sample
from eevee.measures.spectrum import spectrum

_WELL_CONDITIONED = 1e-8
"""Least reciprocal condition number of a covariance that is factorised as it is."""
_SINGULAR = 1e-13
"""Reciprocal condition number of a covariance that counts as singular."""
_LOST = 1e-6
"""Rounding of a product beside the identity, in units of the latter, that is too much."""
DISTORTION = 1e-4
"""TransRate's squared error of the code."""


def centred(features: FloatArray) -> FloatArray:
    """Return features around their means, as a new array."""
    return np.asarray(features - features.mean(axis=0))


def _features(sample: Sample) -> FloatArray:
    assert sample.features is not None
    return sample.features


def _hscore(sample: Sample) -> float:
    """Sum of squared canonical correlations of features and one-hot labels."""
    features = centred(_features(sample))
    sums = None
    if features.shape[0] > features.shape[1]:
        sums = _whitened_sums(features, sample)
    if sums is None:
        scales = np.sqrt(np.einsum("ij,ij->j", features, features))
        moving = scales > scales.max() * 1e-14
        features = features[:, moving] / scales[moving]
        sums = spectrum(features).class_projections(features, sample)
    return float((sums**2 / sample.counts).sum())


def _whitened_sums(features: FloatArray, sample: Sample) -> FloatArray | None:
    """Class sums of uncorrelated features, (n_features, n_classes); None if ill-conditioned."""
    product = features.T @ features
    scales = np.sqrt(np.diag(product))
    if not scales.min() > 0:
        return None
    product /= scales
    product /= scales[:, None]
    try:
        factor = linalg.cholesky(product, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    norm = np.abs(product).sum(axis=0).max()
    condition, _ = linalg.lapack.dpocon(factor, norm, uplo="L")
    if condition < _WELL_CONDITIONED:
        return None
    sums = (sample.class_sums(features) / scales).T
    return np.asarray(linalg.solve_triangular(factor, sums, lower=True, check_finite=False))


def shrinkage(features: FloatArray) -> float:
    """Return the Ledoit-Wolf weight of the identity, of centred features.

    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices",
    2004, lemma 3.4.

    Examples
    --------
    >>> shrinkage(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    0.0
    """
    n, d = features.shape
    squares = np.einsum("ij,ij->i", features, features)
    smaller = features @ features.T if n <= d else features.T @ features
    norm = float((smaller**2).sum()) / n**2
    mean = squares.sum() / n / d
    spread = norm / d - mean**2
    noise = ((squares**2).sum() / n - norm) / (n * d)
    return 0.0 if min(noise, spread) <= 0 else float(min(noise, spread) / spread)


def _regularised(sample: Sample) -> float:
    """Tr(S^-1 (1 - a) C): S the shrunk covariance, C that of the class means."""
    features = centred(_features(sample))
    features /= np.abs(features).max()  # the score does not depend on the scale
    n, d = features.shape
    weight = shrinkage(features)
    ridge = weight * (features**2).sum() / n / d
    sums = sample.class_sums(features)
    means = sums / sample.counts[:, None]
    if n > d:
        shrunk = (1 - weight) / n * (features.T @ features)
        shrunk[np.diag_indices(d)] += ridge
        solved = _solved(shrunk, sums.T).T
        quadratic = (solved * means).sum()
    else:
        # m' (r I + c F'F)^-1 m with m = F' w: by way of the rows, of which there are fewer.
        kernel = features @ features.T
        inner = (1 - weight) / n * kernel
        inner[np.diag_indices(n)] += ridge
        one_hot = np.zeros((n, sample.n_classes))
        one_hot[np.arange(n), sample.codes] = 1
        solved = _solved(inner, kernel @ one_hot)
        quadratic = (solved * one_hot / sample.counts).sum()
    return float((1 - weight) * quadratic / (n - 1))


def _solved(covariance: FloatArray, right: FloatArray) -> FloatArray:
    """Covariance^-1 right, by the pseudoinverse where nothing is shrunk and it is singular."""
    try:
        factor = linalg.cholesky(covariance, lower=True, check_finite=False)
        norm = np.abs(covariance).sum(axis=0).max()
        condition, _ = linalg.lapack.dpocon(factor, norm, uplo="L")
        if condition > _SINGULAR:
            return np.asarray(linalg.cho_solve((factor, True), right, check_finite=False))
    except linalg.LinAlgError:
        pass
    return np.asarray(linalg.pinvh(covariance) @ right)


def _rate(features: FloatArray) -> float:
    """Half the log-determinant of I + F'F / (n eps)."""
    n, d = features.shape
    product = features @ features.T if n <= d else features.T @ features
    product /= n * DISTORTION
    if np.trace(product) * np.finfo(np.float64).eps > _LOST:
        return _rate_of_large(features)
    product[np.diag_indices(len(product))] += 1
    return float(np.log(np.diag(linalg.cholesky(product, check_finite=False))).sum())


def _rate_of_large(features: FloatArray) -> float:
    """`_rate` where rounding of the product is not small beside the identity."""
    values = linalg.svdvals(features)
    values = values[values > values[0] * max(features.shape) * np.finfo(np.float64).eps]
    return float(0.5 * np.log1p((values / np.sqrt(len(features) * DISTORTION)) ** 2).sum())


def _transrate(sample: Sample) -> float:
    features = centred(_features(sample))
    within = [_rate(features[sample.codes == k]) for k in range(sample.n_classes)]
    return _rate(features) - float(np.mean(within))


_UNIT = "squared canonical correlations"
HSCORE = Definition("h-score", _hscore, "features", _UNIT)
REGULARISED = Definition("h-score-regularised", _regularised, "features", _UNIT)
TRANSRATE = Definition("transrate", _transrate, "features", "nats")


def hscore(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    regularised: bool = False,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return the H-score: the sum of squared canonical correlations of features and labels.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    labels : array, shape (n_samples,)
    regularised : bool
        Use the Ledoit-Wolf estimate of the covariance. Without it the score is the number of
        classes less one, and says nothing, where features are no fewer than samples.
    n_groups, seed
        As of `leep`.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Bao et al., "An information-theoretic approach to transferability in task transfer learning",
    2019; regularised: Ibrahim et al., "Newer is not always better", 2021. Canonical correlations
    of n <= d columns are all one. In [0, min(n_classes - 1, n_features)].

    Examples
    --------
    >>> round(hscore([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).value, 6)
    0.8
    """
    sample = Sample.of(labels, features=features)
    definition = REGULARISED if regularised else HSCORE
    return definition.measure(sample, n_groups=n_groups, seed=seed)


def transrate(
    features: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return TransRate: how many more nats all features take to code than those of one class.

    Parameters
    ----------
    features, labels, n_groups, seed
        As of `hscore`.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Huang et al., "Frustratingly easy transferability estimation", 2022, with the distortion 1e-4
    of its code: the value depends on the scale of the features. Classes count the same.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> labels = np.arange(60) % 2
    >>> rows[:, 0] += 9 * labels
    >>> transrate(rows, labels).value > transrate(rows, np.arange(60) // 2 % 2).value
    True
    """
    sample = Sample.of(labels, features=features)
    return TRANSRATE.measure(sample, n_groups=n_groups, seed=seed)
