"""Standard errors of measures by a jackknife, and their null by permutations of labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.measures.sample import Sample

_GROUPS, _NULL = 1, 2
"""Numbers of child seeds."""
N_GROUPS = 10


def jackknife_stderr(without: npt.ArrayLike) -> FloatArray:
    """Return the standard error of a value from what it is without each group.

    Parameters
    ----------
    without : array, shape (n_groups,) or (n_groups, n_values)

    Returns
    -------
    array, shape () or (n_values,)
        NaN where a value is.

    Examples
    --------
    >>> rows = np.arange(10.0)
    >>> means = [np.delete(rows, i).mean() for i in range(10)]
    >>> bool(np.isclose(jackknife_stderr(means), rows.std(ddof=1) / np.sqrt(10)))
    True
    """
    values = np.asarray(without, dtype=np.float64)
    return np.asarray(np.sqrt((len(values) - 1) * np.var(values, axis=0)))


def leave_out(value: Callable[[BoolArray], float], groups: IntArray) -> float:
    """Return the standard error of a value by leaving out each group of rows in turn.

    Parameters
    ----------
    value : callable
        Of which rows are kept.
    groups : int array, shape (n_rows,)

    Returns
    -------
    float
        NaN if the value does not exist without a group.

    Examples
    --------
    >>> rows = np.arange(100.0)
    >>> bool(2 < leave_out(lambda kept: float(rows[kept].mean()), np.arange(100)) < 4)
    True
    """
    try:
        values = [value(groups != group) for group in range(int(groups.max()) + 1)]
    except EeveeError:  # fewer rows than the value needs
        return math.nan
    return float(jackknife_stderr(values))


def check_groups(n_groups: int) -> None:
    """Refuse a jackknife of fewer than 2 groups.

    Raises
    ------
    EeveeError

    Examples
    --------
    >>> check_groups(1)
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: n_groups: a jackknife needs at least 2 groups, got 1
    """
    if n_groups < 2:
        raise EeveeError(f"n_groups: a jackknife needs at least 2 groups, got {n_groups}")


def grouped_jackknife(
    value: Callable[[Sample], float], sample: Sample, n_groups: int = N_GROUPS, seed: int = 0
) -> float:
    """Return the standard error of a value by leaving out groups of rows in turn.

    Groups are drawn within classes. A jackknife and not a bootstrap: repeated rows would change
    the rank of features with fewer rows than columns, and with it what many measures mean.

    Parameters
    ----------
    value : callable
    sample : Sample
    n_groups : int
        At least 2. The value is computed once per group.
    seed : int

    Returns
    -------
    float
        NaN if a class has a single row, without which there would be another set of classes, or
        the value does not exist without a group.

    Raises
    ------
    EeveeError
        If there are fewer than 2 groups.

    Examples
    --------
    >>> sample = Sample.of([0, 1] * 50, features=np.arange(100.0)[:, None])
    >>> error = grouped_jackknife(lambda rows: float(rows.features.mean()), sample, 20)
    >>> bool(abs(error / (np.arange(100).std(ddof=1) / 10) - 1) < 0.2)
    True
    """
    check_groups(n_groups)
    if sample.counts.min() < 2 or sample.n_rows < 2 * sample.n_classes:
        return math.nan
    groups = _groups(sample, min(n_groups, sample.n_rows), seed)
    return leave_out(lambda kept: value(sample.rows(kept)), groups)


def _groups(sample: Sample, n_groups: int, seed: int) -> IntArray:
    """Deal rows, class by class, to groups of nearly equal size."""
    rng = np.random.default_rng(child_seed(seed, _GROUPS))
    shuffled = rng.permutation(sample.n_rows)
    by_class = shuffled[np.argsort(sample.codes[shuffled], kind="stable")]
    groups = np.empty(sample.n_rows, dtype=np.int64)
    groups[by_class] = np.arange(sample.n_rows) % n_groups
    return groups


class Null(NamedTuple):
    """Values of a measure under labels that are permuted, and thus mean nothing.

    Attributes
    ----------
    mean, sd : float
        NaN where a permutation gives no value, such as a tolerance that is not reached.
    p : float
        Share of permutations, the given labels counted as one, that are at least as good.
    n : int
    """

    mean: float
    sd: float
    p: float
    n: int


def permutation_null(
    score: Callable[[Sample], float], sample: Sample, n_permutations: int = 20, seed: int = 0
) -> Null:
    """Return what a score (higher is better) is where labels are permuted.

    Raises
    ------
    EeveeError
        If there are fewer than 2 permutations.

    Examples
    --------
    >>> sample = Sample.of([0, 1] * 50, features=np.arange(100.0)[:, None] % 2)
    >>> def apart(rows: Sample) -> float:
    ...     return float(np.corrcoef(rows.codes, rows.features[:, 0])[0, 1])
    >>> permutation_null(apart, sample, 19).p
    0.05
    """
    if n_permutations < 2:
        raise EeveeError(f"n_permutations: at least 2 are needed, got {n_permutations}")
    rng = np.random.default_rng(child_seed(seed, _NULL))
    true = score(sample)
    values = [
        score(sample.relabelled(rng.permutation(sample.codes))) for _ in range(n_permutations)
    ]
    as_good = sum(value >= true for value in values)
    p = (1 + as_good) / (1 + n_permutations)
    if not np.isfinite(values).all():
        return Null(math.nan, math.nan, p, n_permutations)
    return Null(float(np.mean(values)), float(np.std(values, ddof=1)), p, n_permutations)
