"""Task priors in closed form: mean and variance of a model over tasks of a prior."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.measure import Definition, Measure
from eevee.measures.sample import Sample
from eevee.measures.spectrum import spectrum
from eevee.measures.task_kernels import Kernel, feature_kernel, group_kernel

RELATIVE_TEMPERATURE = 1e-5 * 8192
"""Of the released experiments, in root mean squares of the prior's entries: T = 1e-5 for a kernel
of 8,192 samples and Frobenius norm 1."""
_COLDEST = 1e-100
"""Least temperature, in Frobenius norms of the prior."""
MOST_THREADS = 8
GRAPHS = ("directed", "undirected")
Graph = Literal["directed", "undirected"]


@dataclass(frozen=True)
class TaskPriorMoments:
    """Mean and variance of Tr(MG) over graphs G of a prior.

    Attributes
    ----------
    mean, variance : float
    temperature : float
    graph : {"directed", "undirected"}
    """

    mean: float
    variance: float
    temperature: float
    graph: Graph


def prior_temperature(prior: Kernel, temperature: float | None = None) -> float:
    """Return the default temperature of a prior, or the given one after a check.

    Raises
    ------
    EeveeError
        If it is not a positive number, or so small that K / T overflows.

    Examples
    --------
    >>> round(prior_temperature(feature_kernel(np.eye(4))), 6)
    0.02048
    """
    if temperature is None:
        return RELATIVE_TEMPERATURE * prior.root_mean_square
    if not 0 < temperature < math.inf:
        raise EeveeError(f"temperature: must be a positive number, not {temperature}")
    if temperature < _COLDEST * prior.norm:
        raise EeveeError(f"temperature: {temperature:g} is too small for a prior of this scale")
    return float(temperature)


def task_prior_moments(
    prior: Kernel,
    model: Kernel,
    *,
    temperature: float | None = None,
    graph: Graph = "directed",
) -> TaskPriorMoments:
    """Return the mean and variance of Tr(MG) over tasks of a prior.

    Parameters
    ----------
    prior : Kernel
        K: which samples tend to share a class. Same samples in the same order as `model`.
    model : Kernel
        M: which samples are similar by the model's features.
    temperature : float, optional
        T, on the scale of the prior's kernel. The default is 0.08192 root mean squares of its
        entries, which is 1e-5 for 8,192 samples and Frobenius norm 1, as in the released code.
    graph : {"directed", "undirected"}
        Whether edges i -> j and j -> i are independent (the paper), or one edge, as in the graph
        of any labelling.

    Returns
    -------
    TaskPriorMoments

    Raises
    ------
    EeveeError
        If numbers of samples differ, or a setting is invalid.

    Notes
    -----
    "Task priors: enhancing model evaluation by considering the entire space of downstream tasks",
    Theorem 2.6, which holds for directed graphs. In undirected ones an edge between two samples
    has the probability s(2 K_ij / T), and counts twice. For features of r and s columns the time
    is n**2 (r + s); memory is six blocks of 256 x n for each of up to 8 threads.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(50, 3))
    >>> own = feature_kernel(rows)
    >>> other = feature_kernel(np.random.default_rng(1).normal(size=(50, 3)))
    >>> task_prior_moments(own, own).mean > task_prior_moments(own, other).mean
    True
    """
    return moments_of_models(prior, [model], temperature=temperature, graph=graph)[0]


def moments_of_models(
    prior: Kernel,
    models: Sequence[Kernel],
    *,
    temperature: float | None = None,
    graph: Graph = "directed",
) -> list[TaskPriorMoments]:
    """Return `task_prior_moments` of several models; the prior's kernel is computed once.

    Raises
    ------
    EeveeError
        As of `task_prior_moments`.

    Examples
    --------
    >>> own = feature_kernel(np.random.default_rng(0).normal(size=(50, 3)))
    >>> moments_of_models(own, [own, own])[1].graph
    'directed'
    """
    if graph not in GRAPHS:
        raise EeveeError(f"graph: 'directed' or 'undirected', not {graph!r}")
    if not models:
        raise EeveeError("models: at least one is needed")
    for model in models:
        if model.n_samples != prior.n_samples:
            raise EeveeError(
                f"model: {model.n_samples} samples, but the prior has {prior.n_samples}; both must "
                "be of the same samples in the same order"
            )
    heat = prior_temperature(prior, temperature)

    def sums_of(rows: tuple[int, int]) -> list[tuple[float, float]]:
        edges = _edges(prior.block(*rows, rows[0]), heat, graph)
        return [_block_sums(edges, model.block(*rows, rows[0])) for model in models]

    # A block is computed by one thread, and blocks are summed in order: any number gives the same.
    n_threads = min(MOST_THREADS, os.cpu_count() or 1)
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(n_threads) as pool:
        parts = list(pool.map(sums_of, prior.upper_blocks()))
    sums = np.sum(np.array(parts).reshape(-1, len(models), 2), axis=0)
    return [TaskPriorMoments(mean, variance, heat, graph) for mean, variance in sums.tolist()]


def _edges(kernel: FloatArray, heat: float, graph: Graph) -> tuple[FloatArray, FloatArray]:
    """Return p and p (1 - p) of edges, times their multiplicity in sums over upper blocks."""
    size = len(kernel)
    own = np.arange(size)
    kernel /= heat
    if graph == "undirected":
        kernel *= 2
        kernel[own, own] /= 2
    rare = np.abs(kernel)  # the smaller of p and 1 - p, without the digits that 1 - p loses
    np.negative(rare, out=rare)
    np.exp(rare, out=rare)
    over = rare + 1
    rare /= over
    present = np.copysign(0.5 - rare, kernel)
    present += 0.5
    spread = rare
    spread /= over
    present[:, size:] *= 2
    spread[:, size:] *= 2
    if graph == "undirected":
        spread *= 2
        spread[own, own] /= 2
    return present, spread


def _block_sums(edges: tuple[FloatArray, FloatArray], model: FloatArray) -> tuple[float, float]:
    present, spread = edges
    mean = float(np.vdot(present, model))
    model *= model
    return mean, float(np.vdot(spread, model))


def _probe_loss(sample: Sample) -> float:
    assert sample.features is not None
    centred = sample.features - sample.features.mean(axis=0)
    explained = np.square(spectrum(centred).class_projections(centred, sample)).sum()
    counts = sample.counts.astype(np.float64)
    total = float((counts - counts**2 / sample.n_rows).sum())
    return max(0.0, (total - float(explained)) / sample.n_rows)


PROBE_LOSS = Definition("probe-loss", _probe_loss, "features", "squared error", "exact", False)


def probe_loss(
    features: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return the least mean squared error of a linear probe with a bias, in closed form.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    labels : array, shape (n_samples,)
    n_groups, seed
        As of `leep`.

    Returns
    -------
    Measure
        Lower is better. On the given samples, nothing is held out: with as many features as
        samples it is 0.

    Raises
    ------
    EeveeError
        If the input is invalid (`Sample.of`).

    Notes
    -----
    Task priors, Theorem 2.3: (|YH|^2 - Tr(V'Y'YV)) / n for one-hot Y and the right singular
    vectors V of the centred features. (The paper's section 2.1 does not centre.)

    Examples
    --------
    >>> round(probe_loss([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).value, 6)
    0.1
    """
    sample = Sample.of(labels, features=features)
    return PROBE_LOSS.measure(sample, n_groups=n_groups, seed=seed)


def _sample_moments(sample: Sample) -> TaskPriorMoments:
    """Under the prior of the sample; without one, of the labels."""
    assert sample.features is not None
    given = sample.prior
    prior = group_kernel(sample.codes) if given is None else feature_kernel(given)
    return task_prior_moments(prior, feature_kernel(sample.features))


PRIOR_MEAN = Definition(
    "task-prior-mean",
    lambda sample: _sample_moments(sample).mean,
    "features",
    "alignment",
    of_prior=True,
    extensive=True,
)
PRIOR_VARIANCE = Definition(
    "task-prior-variance",
    lambda sample: _sample_moments(sample).variance,
    "features",
    "alignment squared",
    higher_is_better=False,
    of_prior=True,
)
