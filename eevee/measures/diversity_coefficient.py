"""Diversity of a set of tasks: the mean distance of two of them, with an interval."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from eevee.base.arrays import FloatArray, as_array
from eevee.base.errors import EeveeError
from eevee.measures.measure import Measure
from eevee.measures.resampling import jackknife_stderr

_SYMMETRIC = 1e-6


@dataclass(frozen=True)
class Diversity(Measure):
    """A diversity coefficient.

    Attributes
    ----------
    low, high : float
        Interval of the mean over all tasks that could have been drawn.
    n_tasks : int
    """

    low: float
    high: float
    n_tasks: int


def diversity(
    distances: npt.ArrayLike,
    *,
    convention: Literal["paper", "reference"] = "paper",
    level: float = 0.95,
) -> Diversity:
    """Return the diversity coefficient: the mean distance of two different tasks.

    Parameters
    ----------
    distances : array, shape (n_tasks, n_tasks)
        Symmetric, 0 on the diagonal, such as those of `task2vec_distances`.
    convention : {"paper", "reference"}
        Of the standard error and interval. "reference" takes pairs as independent, as the released
        code does: far too narrow, since each task is in n_tasks - 1 pairs. It also leaves out
        pairs at distance 0.
    level : float
        Of the interval.

    Raises
    ------
    EeveeError
        If there are fewer than 3 tasks, or `distances` are no distances.

    Notes
    -----
    A U-statistic of order 2: its variance is about 4 zeta_1 / n, which the jackknife over tasks
    estimates. The interval is of Student's t with n_tasks - 1 degrees of freedom. Tasks must be
    drawn independently: of tasks from few classes, the interval says nothing of other classes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tasks = rng.normal(size=(200, 1))
    >>> found = diversity(np.abs(tasks - tasks.T))
    >>> bool(found.low < 2 / np.sqrt(np.pi) < found.high)
    True
    """
    start = time.perf_counter()
    table = _checked(distances)
    if not 0 < level < 1:
        raise EeveeError(f"diversity: level must lie between 0 and 1, not {level}")
    if convention == "paper":
        value, stderr, freedom = _jackknifed(table)
    elif convention == "reference":
        value, stderr, freedom = _of_pairs(table)
    else:
        raise EeveeError(f"convention must be 'paper' or 'reference', not {convention!r}")
    half = float(stats.t.ppf((1 + level) / 2, freedom)) * stderr
    seconds = time.perf_counter() - start
    about = ("exact", True, "distance", seconds, value - half, value + half, len(table))
    return Diversity(value, stderr, *about)  # type: ignore[arg-type]


def _jackknifed(table: FloatArray) -> tuple[float, float, int]:
    n = len(table)
    total = table.sum()
    without = (total - 2 * table.sum(axis=1)) / ((n - 1) * (n - 2))
    return float(total / (n * (n - 1))), float(jackknife_stderr(without)), n - 1


def _of_pairs(table: FloatArray) -> tuple[float, float, int]:
    pairs = table[np.triu_indices(len(table), 1)]
    pairs = pairs[pairs != 0]
    if len(pairs) < 2:
        raise EeveeError("diversity: all distances are 0, which the released code leaves out")
    return float(pairs.mean()), float(stats.sem(pairs)), len(pairs) - 1


def _checked(distances: npt.ArrayLike) -> FloatArray:
    table = as_array(distances, "distances")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "biuf":
        raise EeveeError(f"distances: expected tasks x tasks, got an array of {table.shape}")
    if len(table) < 3:
        raise EeveeError(f"distances: {len(table)} tasks; at least 3 are needed for an interval")
    table = table.astype(np.float64, copy=False)
    if not np.isfinite(table).all() or table.min() < -_SYMMETRIC:
        raise EeveeError("distances: must be finite and 0 or more")
    largest = np.abs(table).max()
    if np.abs(table - table.T).max() > _SYMMETRIC * largest:
        raise EeveeError("distances: not symmetric; give the mean of both directions")
    if np.abs(np.diag(table)).max() > _SYMMETRIC * max(largest, 1.0):
        raise EeveeError("distances: a task is at a distance from itself; the diagonal must be 0")
    return np.asarray(table - np.diag(np.diag(table)))
