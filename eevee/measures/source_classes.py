"""LEEP and NCE: how much the source model's classes tell of the labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray
from eevee.measures.measure import Definition, Measure
from eevee.measures.sample import Sample


def _conditional(sample: Sample, probs: FloatArray) -> FloatArray:
    """P(y | z), shape (n_classes, n_source_classes); 0 for a source class without mass."""
    joint = sample.class_sums(probs)
    mass = joint.sum(axis=0)
    return np.asarray(np.divide(joint, mass, out=np.zeros_like(joint), where=mass > 0))


def leep_value(sample: Sample, probs: FloatArray) -> float:
    """Return the mean of log sum_z P(y_i | z) s_iz."""
    likelihood = (_conditional(sample, probs)[sample.codes] * probs).sum(axis=1)
    return float(np.log(likelihood).mean())


def _leep(sample: Sample) -> float:
    assert sample.source_probs is not None
    return leep_value(sample, sample.source_probs)


def _nce(sample: Sample) -> float:
    assert sample.source_probs is not None
    hard = np.zeros_like(sample.source_probs)
    hard[np.arange(sample.n_rows), sample.source_probs.argmax(axis=1)] = 1
    return leep_value(sample, hard)


LEEP = Definition("leep", _leep, "source_probs", "nats per row")
NCE = Definition("nce", _nce, "source_probs", "nats per row")


def leep(
    source_probs: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return LEEP: the mean log-likelihood of labels, given through the source classes.

    Parameters
    ----------
    source_probs : array, shape (n_samples, n_source_classes)
        Rows sum to one.
    labels : array, shape (n_samples,)
    n_groups : int
        Groups of the jackknife of the standard error; 0 for none.
    seed : int
        Of the groups.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Nguyen et al., "LEEP: a new measure to evaluate transferability of learned representations",
    2020. At most 0; minus the entropy of the labels if the source tells nothing.

    Examples
    --------
    >>> leep([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], [0, 0, 1, 1]).value
    -0.6931471805599453
    """
    sample = Sample.of(labels, source_probs=source_probs)
    return LEEP.measure(sample, n_groups=n_groups, seed=seed)


def nce(
    source_probs: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return NCE: minus the entropy of the labels, given the source model's decision.

    Parameters
    ----------
    source_probs, labels, n_groups, seed
        As of `leep`; the decision is the class of the largest probability.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Tran et al., "Transferability and hardness of supervised classification tasks", 2019.

    Examples
    --------
    >>> nce([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.1, 0.9]], [0, 0, 1, 1]).value
    0.0
    """
    sample = Sample.of(labels, source_probs=source_probs)
    return NCE.measure(sample, n_groups=n_groups, seed=seed)
