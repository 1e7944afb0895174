"""N-LEEP: LEEP of a Gaussian mixture of the features in place of a source model's classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import linalg

from eevee.base.arrays import FloatArray
from eevee.measures.covariances import centred
from eevee.measures.measure import Definition, Measure
from eevee.measures.pactran_counts import checked_convention, definition
from eevee.measures.sample import Sample
from eevee.measures.source_classes import leep_value

KEPT_VARIANCE = 0.8


def principal_components(features: FloatArray, kept: float = KEPT_VARIANCE) -> FloatArray:
    """Return the first components that hold a share of the variance, shape (n_samples, n_kept).

    Examples
    --------
    >>> principal_components(np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 1.0], [9.0, 1.0]])).shape
    (4, 1)
    """
    rows = centred(features)
    left, values, right = linalg.svd(rows, full_matrices=False, check_finite=False)
    shares = np.cumsum(values**2) / (values**2).sum()
    n_kept = min(int(np.searchsorted(shares, kept, side="right")) + 1, len(values))
    signs = np.sign(right[np.arange(n_kept), np.abs(right[:n_kept]).argmax(axis=1)])
    return np.asarray(left[:, :n_kept] * values[:n_kept] * signs)


def n_components(n_rows: int, n_classes: int, convention: str = "paper") -> int:
    """Return the size of the mixture.

    The paper's is 5 per class, here at most a fifth of the rows; the released code of PACTran
    takes one per class, between a tenth and a fifth of the rows.

    Examples
    --------
    >>> n_components(1000, 10), n_components(90, 3), n_components(90, 3, "reference")
    (50, 15, 9)
    """
    fifth = int(0.2 * n_rows)
    if checked_convention(convention) == "paper":
        return max(2, min(5 * n_classes, fifth))
    return max(min(n_classes, fifth), int(0.1 * n_rows), 2)


def mixture_probs(sample: Sample, convention: str = "paper", seed: int = 0) -> FloatArray:
    """Return posteriors of a Gaussian mixture of the principal components, by scikit-learn.

    Examples
    --------
    >>> rows = np.repeat([[0.0], [9.0]], 10, axis=0) + np.linspace(0, 1, 20)[:, None]
    >>> probs = mixture_probs(Sample.of([0] * 10 + [1] * 10, features=rows), "reference")
    >>> probs.argmax(axis=1)[[0, 9]].tolist() != probs.argmax(axis=1)[[10, 19]].tolist()
    True
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    assert sample.features is not None
    scale = np.abs(sample.features).max()
    rows = principal_components(sample.features / scale)
    rows /= rows.std(axis=0).max()
    size = min(n_components(sample.n_rows, sample.n_classes, convention), sample.n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than components
        found = GaussianMixture(size, random_state=seed).fit(rows).predict_proba(rows)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _on_mixture(
    sample: Sample, value: Callable[[Sample], float], convention: str, seed: int
) -> float:
    return value(replace(sample, source_probs=mixture_probs(sample, convention, seed)))


def _leep(sample: Sample) -> float:
    assert sample.source_probs is not None
    return leep_value(sample, sample.source_probs)


def nleep_definition(convention: str = "paper", seed: int = 0) -> Definition:
    """Return N-LEEP with these settings.

    Examples
    --------
    >>> nleep_definition().needs
    'features'
    """
    return _definition("n-leep", Definition("leep", _leep, "source_probs", "nats per row"),
                       convention, seed)  # fmt: skip


def _definition(name: str, inner: Definition, convention: str, seed: int) -> Definition:
    import sklearn.mixture  # noqa: F401  # takes seconds that are none of the measure's

    compute = partial(
        _on_mixture, value=inner.compute, convention=checked_convention(convention), seed=seed
    )
    return replace(inner, name=name, compute=compute, needs="features")


def pactran_on_mixture(family: str, convention: str = "paper", seed: int = 0) -> Definition:
    """Return N-PACTran: PACTran-Dirichlet or -Gamma of the mixture's posteriors.

    Examples
    --------
    >>> pactran_on_mixture("gamma").name
    'n-pactran-gamma'
    """
    inner = definition("gamma" if family == "gamma" else "dirichlet", convention=convention)
    return _definition(f"n-{inner.name}", inner, convention, seed)


def nleep(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    convention: str = "paper",
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return N-LEEP: LEEP of a Gaussian mixture that is fitted to the features.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
        Principal components with 80 % of the variance enter the mixture.
    labels : array, shape (n_samples,)
    convention : {"paper", "reference"}
        The size of the mixture (`eevee.measures.mixture.n_components`).
    n_groups : int
        As of `leep`; each group is a mixture of its own.
    seed : int
        Of the mixture, which depends on it, and of the groups.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Li et al., "Ranking neural checkpoints", 2021.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 5)) + 4 * (np.arange(60) % 2)[:, None]
    >>> nleep(rows, np.arange(60) % 2).value > nleep(rows, np.arange(60) // 2 % 2).value
    True
    """
    sample = Sample.of(labels, features=features)
    return nleep_definition(convention, seed).measure(sample, n_groups=n_groups, seed=seed)
