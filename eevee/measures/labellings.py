"""Labellings of samples: what a sampler returns, with importance weights, and Tr(MG) of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.measures.task_kernels import Kernel

AT_ONCE = 256
"""Tasks x classes that are drawn together: products of matrices instead of with vectors."""
LEAST_EFFECTIVE = 10
"""Effective size below which, if it is less than half of the tasks, weights have collapsed."""


@dataclass(frozen=True, eq=False)
class SampledTasks:
    """Labellings drawn from a prior restricted to `n_classes` classes.

    Attributes
    ----------
    labels : int array, shape (n_tasks, n_samples)
    log_probs : array, shape (n_tasks,)
        Of each draw, given the order, before any sweep.
    energies : array, shape (n_tasks,)
        Tr(GK) of each draw before any sweep.
    order : int array, shape (n_samples,)
        In which samples were labelled.
    n_classes : int
    temperature : float
    coupling : {1, 2}

    Notes
    -----
    Weights are valid after sweeps, too: a sweep does not change the prior. Log-weights spread in
    proportion to the number of samples, so that in practice weights work for up to about 30
    samples, or at temperatures of about one Frobenius norm and more, where labels are nearly
    noise (docs/task-priors.md has numbers). Look at `effective_size` and `notes`.

    Examples
    --------
    >>> from eevee.measures.task_kernels import feature_kernel
    >>> from eevee.measures.task_sampler import sample_tasks
    >>> prior = feature_kernel(np.random.default_rng(0).normal(size=(6, 2)))
    >>> tasks = sample_tasks(prior, 2, n_tasks=1000, temperature=0.5)
    >>> bool(1 < tasks.effective_size < 1000), round(float(tasks.weights.sum()), 12)
    (True, 1.0)
    """

    labels: IntArray
    log_probs: FloatArray
    energies: FloatArray
    order: IntArray
    n_classes: int
    temperature: float
    coupling: int

    @property
    def log_weights(self) -> FloatArray:
        """Log of the ratio of prior to draw probability, up to a constant."""
        return np.asarray(self.energies / self.temperature - self.log_probs)

    @property
    def weights(self) -> FloatArray:
        """Weights that sum to 1: a weighted mean estimates the mean over the prior."""
        ratios = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(ratios / ratios.sum())

    @property
    def n_different(self) -> int:
        """Number of tasks that differ by more than names of classes."""
        return len({pd.factorize(one)[0].tobytes() for one in self.labels})

    @property
    def effective_size(self) -> float:
        """Number of unweighted draws that the weighted ones are worth."""
        return float(1 / np.square(self.weights).sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """A warning if the weights have collapsed onto a few draws, whose means say nothing."""
        size, n = self.effective_size, len(self.labels)
        if size >= min(LEAST_EFFECTIVE, n / 2):
            return ()
        return (
            f"weights: an effective size of {size:.1f} of {n} tasks; weighted means say next to "
            "nothing: use fewer samples, a higher temperature, or no weights",
        )


def checked_tasks(labels: npt.ArrayLike, n_samples: int) -> IntArray:
    """Return labels as whole numbers, tasks x samples.

    Raises
    ------
    EeveeError
        If they are not, there is no task, or a label is negative.

    Examples
    --------
    >>> checked_tasks([[0, 1, 1]], 3).shape
    (1, 3)
    """
    given = as_array(labels, "labels")
    if given.ndim != 2 or given.shape[1] != n_samples or given.dtype.kind not in "iu":
        raise EeveeError(
            f"labels: expected whole numbers, tasks x {n_samples} samples, got {given.dtype} of "
            f"shape {given.shape}"
        )
    if not given.size or given.min() < 0:
        raise EeveeError("labels: at least one task is needed, and no label below 0")
    return given.astype(np.int64)


def parts_of(n_tasks: int, n_classes: int) -> list[slice]:
    """Return parts of tasks: tasks x classes of each are at most `AT_ONCE`.

    Examples
    --------
    >>> parts_of(200, 2)
    [slice(0, 128, None), slice(128, 256, None)]
    """
    size = max(1, AT_ONCE // n_classes)
    return [slice(first, first + size) for first in range(0, n_tasks, size)]


def one_hot(labels: IntArray, n_classes: int) -> FloatArray:
    """Return indicators, samples x (tasks x classes).

    Examples
    --------
    >>> one_hot(np.array([[0, 1]]), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n_tasks, n = labels.shape
    found = np.zeros((n, n_tasks * n_classes))
    columns = labels.T + np.arange(n_tasks) * n_classes
    found[np.arange(n)[:, None], columns] = 1
    return found


def task_alignments(model: Kernel, labels: npt.ArrayLike) -> FloatArray:
    """Return Tr(MG) of a model on labellings.

    Parameters
    ----------
    model : Kernel
    labels : int array, shape (n_tasks, n_samples)

    Raises
    ------
    EeveeError
        If numbers of samples differ, there is no task, or a label is negative.

    Examples
    --------
    >>> from eevee.measures.task_kernels import matrix_kernel
    >>> task_alignments(matrix_kernel(np.ones((3, 3))), [[0, 0, 1], [2, 2, 2]])
    array([5., 9.])
    """
    given = checked_tasks(labels, model.n_samples)
    names, codes = np.unique(given, return_inverse=True)
    q, given = len(names), codes.reshape(given.shape)
    found = []
    for chunk in parts_of(len(given), q):
        own = one_hot(given[chunk], q)
        if model.factor is not None:
            squares = np.square(model.factor.T @ own).sum(axis=0)
        else:
            blocks = list(model.upper_blocks())
            parts = [own[a:b] * (model.block(a, b) @ own) for a, b in blocks]
            squares = np.sum([part.sum(axis=0) for part in parts], axis=0)
        found.append(squares.reshape(-1, q).sum(axis=1))
    return np.concatenate(found)
