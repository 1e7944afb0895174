"""PACTran-Dirichlet and PACTran-Gamma: variational evidence of labels given source classes."""

from __future__ import annotations

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import digamma, gammaln, logsumexp

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.measure import Definition, Measure
from eevee.measures.sample import Sample

CONVENTIONS = ("paper", "reference")
Family = Literal["dirichlet", "gamma"]
N_UPDATES = 10
_TINY = 1e-250
"""Below it a sum of products is computed with logarithms."""


class _Setting(NamedTuple):
    family: Family
    alpha: float
    n_updates: int
    convention: str


class _Posterior(NamedTuple):
    """Parameters of each class, and what the rows' source classes take to code."""

    prior: FloatArray
    """shape (n_classes, 1)"""
    counts: FloatArray
    """shape (n_classes, n_source_classes)"""
    divergence: float
    """Sum over rows of KL(q_i, s_i)."""


def _posterior(sample: Sample, setting: _Setting) -> _Posterior:
    """Alternate between the classes' parameters and the rows' source classes.

    q_iz is s_iz times a weight of (y_i, z), divided by its sum over z: sums over the rows of a
    class need no array of q. The released code takes the parameters of before the last update of
    q, for which the formula of the bound, where terms have cancelled, does not hold.
    """
    assert sample.source_probs is not None
    prior = setting.alpha * sample.counts[:, None] / sample.n_rows
    shares = sample.indicator.copy()
    counts = earlier = prior + sample.class_sums(sample.source_probs)
    divergence = 0.0
    for _ in range(setting.n_updates):
        log_weights = _log_weights(counts, setting.family)
        mass, normaliser = _update(sample, log_weights, shares)
        divergence = float((mass * log_weights).sum()) - normaliser
        earlier, counts = counts, prior + mass
    chosen = earlier if setting.convention == "reference" else counts
    return _Posterior(prior, chosen, divergence)


def _log_weights(counts: FloatArray, family: Family) -> FloatArray:
    weights = digamma(counts)
    if family == "dirichlet":
        weights = weights - digamma(counts.sum(axis=0))
    return np.asarray(weights)


def _update(
    sample: Sample, log_weights: FloatArray, shares: sparse.csr_array
) -> tuple[FloatArray, float]:
    """Return sums of q over the rows of each class, and the sum of the logs of its normalisers.

    `shares` has the places of `Sample.indicator`, and is written to.
    """
    assert sample.source_probs is not None
    top = log_weights.max(axis=1)
    weights = np.exp(log_weights - top[:, None])
    sums = np.einsum("ij,ij->i", sample.source_probs, weights[sample.codes])
    if sums.min() < _TINY:
        return _careful_update(sample, log_weights)
    np.divide(1, sums[shares.indices], out=shares.data)
    normaliser = float(np.log(sums).sum() + top @ sample.counts)
    return weights * (shares @ sample.source_probs), normaliser


def _careful_update(sample: Sample, log_weights: FloatArray) -> tuple[FloatArray, float]:
    """`_update` for weights of any magnitude."""
    assert sample.source_probs is not None
    with np.errstate(divide="ignore"):
        joint = np.log(sample.source_probs) + log_weights[sample.codes]
    sums = logsumexp(joint, axis=1)
    return sample.class_sums(np.exp(joint - sums[:, None])), float(sums.sum())


def _dirichlet(sample: Sample, setting: _Setting) -> float:
    found = _posterior(sample, setting)
    per_source = (
        gammaln(found.prior.sum())
        - gammaln(found.prior).sum()
        - gammaln(found.counts.sum(axis=0))
        + gammaln(found.counts).sum(axis=0)
    )
    evidence = float(per_source.sum()) - found.divergence
    return -evidence / (sample.n_rows * sample.n_classes)


def _gamma(sample: Sample, setting: _Setting) -> float:
    assert sample.source_probs is not None
    found = _posterior(sample, setting)
    rates = sample.source_probs @ found.counts.sum(axis=0)
    counts = float((gammaln(found.prior) - gammaln(found.counts)).sum())
    size = sample.n_rows * sample.n_classes
    bound = (counts + found.divergence + float(np.log(rates).sum())) / size
    return bound + 1 - 1 / sample.n_classes if setting.convention == "reference" else bound


_VALUES = {"dirichlet": _dirichlet, "gamma": _gamma}


def definition(
    family: Family,
    alpha: float = 1.0,
    n_updates: int = N_UPDATES,
    convention: str = "paper",
) -> Definition:
    """Return PACTran-Dirichlet or -Gamma with these settings.

    Raises
    ------
    EeveeError
        If a setting is out of its range.

    Examples
    --------
    >>> definition("gamma", alpha=10).name
    'pactran-gamma'
    """
    if not 0 < alpha < np.inf:
        raise EeveeError(f"alpha must be a positive number, not {alpha}")
    if n_updates < 1:
        raise EeveeError(f"n_updates must be at least 1, not {n_updates}")
    setting = _Setting(family, float(alpha), n_updates, checked_convention(convention))
    compute = partial(_VALUES[family], setting=setting)
    unit = "nats per row and class"
    return Definition(f"pactran-{family}", compute, "source_probs", unit, "upper", False)


def checked_convention(convention: str) -> str:
    """Return a convention; refuse what is none.

    Examples
    --------
    >>> checked_convention("paper")
    'paper'
    """
    if convention not in CONVENTIONS:
        raise EeveeError(f"convention must be 'paper' or 'reference', not {convention!r}")
    return convention


def pactran_dirichlet(
    source_probs: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    alpha: float = 1.0,
    convention: str = "paper",
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return PACTran-Dirichlet: minus the variational evidence of labels given source classes.

    Parameters
    ----------
    source_probs : array, shape (n_samples, n_source_classes)
        Rows sum to one.
    labels : array, shape (n_samples,)
    alpha : float
        Strength of the prior, which is shared out by the frequencies of the classes.
    convention : {"paper", "reference"}
        The released code takes the parameters of before its last update, and gets no bound.
    n_groups, seed
        As of `leep`.

    Returns
    -------
    Measure
        Lower is better; per row and class, as the released code divides.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Ding et al., "PACTran: PAC-Bayesian metrics for estimating the transferability of pretrained
    models to classification tasks", 2022, eqs. 10 and 15, after 10 updates. Exact for one-hot
    source probabilities: the Dirichlet-multinomial evidence.

    Examples
    --------
    >>> sure = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> round(pactran_dirichlet(sure, [0, 0, 1, 1]).value, 4)
    0.2452
    """
    sample = Sample.of(labels, source_probs=source_probs)
    chosen = definition("dirichlet", alpha, convention=convention)
    return chosen.measure(sample, n_groups=n_groups, seed=seed)


def pactran_gamma(
    source_probs: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    alpha: float = 1.0,
    convention: str = "paper",
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return PACTran-Gamma, of use to compare source models on one task only.

    Parameters
    ----------
    source_probs, labels, alpha, n_groups, seed
        As of `pactran_dirichlet`.
    convention : {"paper", "reference"}
        The released code adds ``1 - 1 / n_classes``, and takes the parameters of before its last
        update.

    Returns
    -------
    Measure
        Lower is better; per row and class.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Ding et al., 2022, eqs. 12 and 18 with b = 1, after 10 updates.

    Examples
    --------
    >>> sure = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> mixed = [[0.5, 0.5]] * 4
    >>> labels = [0, 0, 1, 1]
    >>> pactran_gamma(sure, labels).value < pactran_gamma(mixed, labels).value
    True
    """
    sample = Sample.of(labels, source_probs=source_probs)
    chosen = definition("gamma", alpha, convention=convention)
    return chosen.measure(sample, n_groups=n_groups, seed=seed)
