"""Linear probes on sampled tasks: held-out accuracies, compared with the closed-form moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator
from eevee.measures.labellings import SampledTasks, checked_tasks, one_hot, parts_of
from eevee.measures.resampling import jackknife_stderr
from eevee.measures.sample import checked_features
from eevee.measures.spectrum import spectrum
from eevee.measures.task_kernels import Kernel, Kind, feature_kernel
from eevee.measures.task_priors import Graph, moments_of_models

RIDGES = np.geomspace(1e-6, 1, 13)
"""Penalties, in mean squares of the principal components; one is chosen per task."""


def probe_accuracies(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    test_size: float = 0.5,
    balanced: bool = False,
    seed: int = 0,
) -> FloatArray:
    """Return the held-out accuracy of a linear probe on each of many tasks.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    labels : int array, shape (n_tasks, n_samples)
        Of tasks, as `sample_tasks` draws them.
    test_size : float
        Share of samples that are held out, the same ones for all tasks.
    balanced : bool
        Mean of the accuracies of the classes, instead of the accuracy.
    seed : int
        Of the split.

    Returns
    -------
    array, shape (n_tasks,)

    Raises
    ------
    EeveeError
        If numbers of samples differ, or a side of the split has fewer than 2.

    Notes
    -----
    Ridge regression on one-hot labels with a bias, for which all tasks share one decomposition; the
    penalty is the one with the least generalised cross-validation error on the training samples.
    (The released experiments report the recall of one class on the training samples.)

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(200, 4))
    >>> tasks = np.array([rows[:, 0] > 0, np.arange(200) % 2]).astype(int)
    >>> found = probe_accuracies(rows, tasks)
    >>> bool(found[0] > 0.9), bool(found[1] < 0.7)
    (True, True)
    """
    rows = checked_features(features)
    given = checked_tasks(labels, len(rows))
    names, codes = np.unique(given, return_inverse=True)
    tasks = codes.reshape(given.shape)
    held = np.zeros(len(rows), dtype=np.bool_)
    n_held = round(test_size * len(rows)) if 0 < test_size < 1 else 0
    held[generator(seed).permutation(len(rows))[:n_held]] = True
    if n_held < 2 or len(rows) - n_held < 2:
        raise EeveeError(
            f"test_size: {test_size} of {len(rows)} samples leaves fewer than 2 on a side"
        )
    probe = _Probe(rows[~held], rows[held])
    parts = [tasks[part] for part in parts_of(len(tasks), len(names))]
    return np.concatenate(
        [probe.accuracies(one[:, ~held], one[:, held], balanced) for one in parts]
    )


class _Probe:
    """Ridge regression on fixed samples: one decomposition for all labels."""

    def __init__(self, train: FloatArray, test: FloatArray) -> None:
        mean = train.mean(axis=0)
        centred = train - mean
        if not np.ptp(centred, axis=0).any():
            raise EeveeError("features: all columns are constant on the training samples")
        found = spectrum(centred)
        roots = np.sqrt(found.squares)
        self.left = found.rotated(centred) / roots
        self.test = (test - mean) @ found.right_vectors(centred) / roots
        penalties = RIDGES[:, None] * found.squares.mean()
        self.kept = found.squares / (found.squares + penalties)

    def accuracies(self, train: IntArray, test: IntArray, balanced: bool) -> FloatArray:
        n_tasks, n = train.shape
        q = int(max(train.max(), test.max())) + 1
        wanted = one_hot(train, q)
        mean = wanted.mean(axis=0)
        parts = (self.left.T @ (wanted - mean)).reshape(-1, n_tasks, q)
        total = (n * mean * (1 - mean)).reshape(n_tasks, q).sum(axis=1)
        squares = np.square(parts).sum(axis=2)
        errors = total - (self.kept * (2 - self.kept)) @ squares
        errors /= np.square(1 - (self.kept.sum(axis=1) + 1) / (n + 1e-9))[:, None]
        kept = self.kept[errors.argmin(axis=0)].T
        scores = (self.test @ (parts * kept[:, :, None]).reshape(len(kept), -1)) + mean
        right = test == scores.reshape(-1, n_tasks, q).argmax(axis=2).T
        if not balanced:
            return np.asarray(right.mean(axis=1))
        per_class = [[(right & (test == c)).sum(1), (test == c).sum(1)] for c in range(q)]
        hits, counts = np.array(per_class, dtype=np.float64).transpose(1, 2, 0)
        shares = np.divide(hits, counts, where=counts > 0, out=np.zeros_like(hits))
        return np.asarray(shares.sum(axis=1) / (counts > 0).sum(axis=1))


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation, and its jackknife error over models (NaN for fewer than 4)."""

    value: float
    stderr: float
    n: int


def _spearman(first: FloatArray, second: FloatArray) -> float:
    a, b = (rankdata(one) - (len(one) + 1) / 2 for one in (first, second))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else math.nan


def rank_correlation(first: FloatArray, second: FloatArray) -> RankCorrelation:
    """Return Spearman's correlation of two columns over models.

    Raises
    ------
    EeveeError
        If they differ in length.

    Examples
    --------
    >>> round(rank_correlation(np.arange(5.0), np.array([0.0, 2, 1, 3, 4])).value, 6)
    0.9
    """
    n = len(first)
    if len(second) != n:
        raise EeveeError(f"rank correlation: {n} and {len(second)} values; they must match")
    rest = [np.arange(n) != i for i in range(n)] if n > 3 else []
    without = [_spearman(first[one], second[one]) for one in rest]
    stderr = float(jackknife_stderr(without)) if without else math.nan
    return RankCorrelation(_spearman(first, second), stderr, n)


@dataclass(frozen=True, eq=False)
class TaskPriorTable:
    """Moments and probe accuracies of models, and their agreement.

    Attributes
    ----------
    models : DataFrame indexed by model
        ``mean, variance`` of Tr(MG) in closed form, and of the probes' accuracies over the sampled
        tasks ``accuracy, accuracy_variance, lowest, highest``.
    accuracies : DataFrame, models x tasks
    agreement : dict of str to RankCorrelation
        Of ``mean`` with ``accuracy``, of ``variance`` with ``accuracy_variance``, and of ``mean``
        with ``variance`` (negative in the paper).
    notes : tuple of str
        A warning if tasks are weighted and few of them have nearly all of the weight.
    """

    models: pd.DataFrame
    accuracies: pd.DataFrame
    agreement: dict[str, RankCorrelation]
    notes: tuple[str, ...] = ()


def task_prior_table(
    models: Mapping[str, npt.ArrayLike],
    prior: Kernel,
    tasks: SampledTasks,
    *,
    kind: Kind = "cosine",
    graph: Graph = "directed",
    weighted: bool = False,
    probes: Callable[[npt.ArrayLike, IntArray], FloatArray] = probe_accuracies,
) -> TaskPriorTable:
    """Compare models by moments under a prior, and by probes on tasks that were drawn from it.

    Parameters
    ----------
    models : mapping of name to features, shape (n_samples, n_features)
        Of the same samples in the same order as the prior.
    prior : Kernel
    tasks : SampledTasks
        From `sample_tasks`; moments take its temperature, too.
    kind, graph
        As of `feature_kernel` and `task_prior_moments`.
    weighted : bool
        Whether tasks are weighted (`SampledTasks.weights`), or count equally, as they were drawn.
    probes : callable
        ``probes(features, labels)`` -> a score per task.

    Raises
    ------
    EeveeError
        If there is no model, numbers of samples differ, or a score is not finite.

    Notes
    -----
    Task priors, section 3.2 and Fig. 4, where Spearman's correlation over models is 0.68 of means
    and 0.76 of variances.

    Examples
    --------
    >>> from eevee.measures.task_sampler import sample_tasks
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(100, 8))
    >>> models = {f"noise {s}": rows + s * rng.normal(size=(100, 8)) for s in (0.5, 1, 2, 4)}
    >>> prior = feature_kernel(rows)
    >>> table = task_prior_table(models, prior, sample_tasks(prior, 2))
    >>> table.agreement["mean with accuracy"].value > 0.9
    True
    """
    if not models:
        raise EeveeError("models: at least one is needed")
    kernels = [feature_kernel(features, kind) for features in models.values()]
    moments = moments_of_models(prior, kernels, temperature=tasks.temperature, graph=graph)
    rows = [_scores(name, probes(one, tasks.labels), tasks) for name, one in models.items()]
    found = pd.DataFrame(rows, index=pd.Index(list(models), name="model"))
    weights = tasks.weights if weighted else np.full(len(tasks.labels), 1 / len(tasks.labels))
    means = found.to_numpy() @ weights
    spread = np.square(found.to_numpy() - means[:, None]) @ weights
    columns = {
        "mean": [one.mean for one in moments],
        "variance": [one.variance for one in moments],
        "accuracy": means,
        "accuracy_variance": spread,
        "lowest": found.min(axis=1),
        "highest": found.max(axis=1),
    }
    table = pd.DataFrame(columns, index=found.index)
    pairs = (("mean", "accuracy"), ("variance", "accuracy_variance"), ("mean", "variance"))
    agreement = {
        f"{a} with {b}": rank_correlation(table[a].to_numpy(), table[b].to_numpy())
        for a, b in pairs
    }
    return TaskPriorTable(table, found, agreement, tasks.notes if weighted else ())


def _scores(model: str, scores: npt.ArrayLike, tasks: SampledTasks) -> FloatArray:
    found = as_array(scores, f"probes: {model}")
    n = len(tasks.labels)
    if found.shape != (n,) or found.dtype.kind not in "biuf" or not np.isfinite(found).all():
        raise EeveeError(f"probes: expected {n} finite scores of {model}, one per task")
    return found.astype(np.float64)
