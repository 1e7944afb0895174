"""Models that are nearly the same, and the splits that separate them."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.remembered import per_object
from eevee.splits.groups import Groups, group_labels, joined
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

TOLERANCE = 0.05
"""In units. In 14 public tables, pairs below it were one model under two names, checkpoints of one
run, or the like; from 0.1 on, different models of one strength come in."""

MIN_SHARED = 3
CROWD, CROWDED = 5, 0.25
MANY, CHANCE = 50, 0.003
"""From this many models on, at most this share of them may have a near-duplicate by chance. On
public tables this keeps every pair known to be one model under two names. It drops 6 of 11 pairs of
a table of six accuracies, and in one of two accuracies and their complements (1,266 models) leaves
7 models of 346."""
BLOCK = 4_000_000
"""Distances that are held at once: all of them, up to 2,000 models."""
EQUAL = 1e-6
"""Rows closer than this are equal, in binary fractions."""


def duplicate_groups(table: ResultsTable, *, tolerance: float = TOLERANCE) -> IntArray:
    """Group the models whose rows are equal or nearly equal.

    Near-duplicates of near-duplicates are one group. Where many models stand close together, the
    tolerance is tightened.

    Parameters
    ----------
    table : ResultsTable
    tolerance : float
        In units, above 0.

    Returns
    -------
    int array, shape (n_models,)
        Labels that start at 0, in the order of the first member. A model that is like no other
        is a group of its own.

    Raises
    ------
    EeveeError
        If the tolerance is not positive.

    Notes
    -----
    ``docs/methods.md``, section "Near-duplicates", defines the distance and the threshold.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"v1": [1.0, 2, 3], "v2": [5.0, 1, 2], "v1-copy": [1.0, 2, 3.01], "v3": [3.0, 4, 1]}
    >>> table = ResultsTable.from_scores(pd.DataFrame(rows, index=list("abc")).T)
    >>> duplicate_groups(table).tolist()
    [0, 1, 0, 2]
    """
    if not tolerance > 0:
        raise EeveeError(f"tolerance must be above 0, got {tolerance}")
    return _labels(table, tolerance).copy()


@per_object
def _labels(table: ResultsTable, tolerance: float) -> IntArray:
    labels = connected_components(_alike(table, tolerance), directed=False)[1]
    return np.asarray(pd.factorize(labels)[0], dtype=np.int64)


def kept_together(
    table: ResultsTable, groups: Groups | None = None, *, duplicates: bool = False
) -> IntArray | None:
    """Label the models that stay on one side: by groups, as near-duplicates, or linked by both.

    Parameters
    ----------
    table : ResultsTable
    groups : str or labels of shape (n_models,), optional
    duplicates : bool
        Whether near-duplicates stay together.

    Returns
    -------
    int array, shape (n_models,), or None where any two models may be apart

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 5, 1, 3], "b": [2.0, 1, 2, 4], "c": [3.0, 2, 3, 1]})
    >>> table = ResultsTable.from_scores(frame.set_axis(list("wxyz")))
    >>> kept_together(table) is None, kept_together(table, duplicates=True).tolist()
    (True, [0, 1, 0, 2])
    >>> kept_together(table, ["p", "p", "q", "r"], duplicates=True).tolist()
    [0, 0, 0, 1]
    """
    if not duplicates:
        return None if groups is None else group_labels(table, groups)
    same = duplicate_groups(table)
    if groups is not None:
        return joined(group_labels(table, groups), same)
    return same if len(np.unique(same)) < table.n_models else None


def separated_groups(splits: Splits, groups: Groups) -> pd.DataFrame:
    """Find the groups that sit on more than one side (train, validation, test) of a split.

    Parameters
    ----------
    splits : Splits
    groups : labels, shape (n_models,)
        Such as those of `duplicate_groups`.

    Returns
    -------
    DataFrame, one row per group that is separated
        ``group`` (its label), ``members`` (tuple of positions of models) and ``n_splits``
        (the number of splits that separate it).

    Examples
    --------
    >>> test = np.eye(3, dtype=bool)
    >>> splits = Splits(train=~test, validation=np.zeros_like(test), test=test)
    >>> separated_groups(splits, [0, 1, 0])
       group members  n_splits
    0      0  (0, 2)         2
    """
    labels = np.asarray(groups)
    if labels.shape != (splits.n_models,):
        raise EeveeError(f"{labels.size} group labels for {splits.n_models} models; give one each")
    found = []
    places = pd.Series(range(len(labels)))
    several = places.groupby(labels).transform("size") > 1
    for label, members in places[several].groupby(labels[several]):
        sides = [mask[:, members].any(axis=1) for mask in splits.sides]
        found.append((label, tuple(members), int((np.sum(sides, axis=0) > 1).sum())))
    frame = pd.DataFrame(found, columns=["group", "members", "n_splits"])
    return frame[frame["n_splits"] > 0].reset_index(drop=True)


@dataclass(frozen=True)
class Leak:
    """Near-duplicates, that may be on several sides of a split: one is seen, another predicted.

    Attributes
    ----------
    models, groups : int
        How many, and in how many groups.
    example : pair of model names
    """

    models: int
    groups: int
    example: tuple[str, str]

    @property
    def words(self) -> str:
        """How many there are, and two of them.

        Examples
        --------
        >>> Leak(2, 1, ("x", "z")).words
        "2 models are nearly equal to another (in 1 group, such as 'x' and 'z')"
        """
        one, other = self.example
        count = f"{self.groups} {'group' if self.groups == 1 else 'groups'}"
        return (
            f"{self.models} models are nearly equal to another (in {count}, such as {one!r} and "
            f"{other!r})"
        )


def find_duplicates(table: ResultsTable) -> Leak | None:
    """Find the near-duplicates of a table, if there are any.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 5, 1], "b": [2.0, 1, 2], "c": [3.0, 2, 3]}, list("xyz"))
    >>> find_duplicates(ResultsTable.from_scores(frame)).words
    "2 models are nearly equal to another (in 1 group, such as 'x' and 'z')"
    """
    labels = duplicate_groups(table)
    sizes = np.bincount(labels)
    return _leak(table, [tuple(np.flatnonzero(labels == one)) for one in np.flatnonzero(sizes > 1)])


def find_leak(table: ResultsTable, *splits: Splits) -> Leak | None:
    """Find the near-duplicates of a table that any of these splits separate, if any do.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 5, 1], "b": [2.0, 1, 2], "c": [3.0, 2, 3]}, list("xyz"))
    >>> test = np.eye(3, dtype=bool)
    >>> splits = Splits(train=~test, validation=np.zeros_like(test), test=test)
    >>> find_leak(ResultsTable.from_scores(frame), splits)
    Leak(models=2, groups=1, example=('x', 'z'))
    """
    labels = duplicate_groups(table)
    return _leak(
        table, {one for split in splits for one in separated_groups(split, labels)["members"]}
    )


def _leak(table: ResultsTable, groups: Collection[tuple[int, ...]]) -> Leak | None:
    if not groups:
        return None
    one, other = (table.model_names[place] for place in min(groups)[:2])
    return Leak(sum(map(len, groups)), len(groups), (one, other))


class _Squares:
    """Mean squared differences in units, of some models to all.

    From products of matrices: scikit-learn's `nan_euclidean_distances` counts what two rows share
    without BLAS, which takes nearly all of the time.
    """

    def __init__(self, table: ResultsTable) -> None:
        values = (table.oriented / table.units.to_numpy(np.float64))[:, table.is_target]
        # Centred first: the distances come from products, which lose digits far from 0.
        centred = values - pd.DataFrame(values).mean().to_numpy()
        self._observed = (~np.isnan(values)).astype(np.float64)
        self._values = np.where(np.isnan(centred), 0.0, centred)
        self._squares = self._values**2
        self._counts = self._observed.sum(axis=1)
        self._whole = bool((self._counts == values.shape[1]).all())

    def of(self, rows: slice) -> FloatArray:
        """Return a row per model; infinite where too few columns are shared, and to itself."""
        found = -2.0 * (self._values[rows] @ self._values.T)
        shared: FloatArray | float
        if self._whole:
            shared = self._values.shape[1]
            norms = self._squares.sum(axis=1)
            found += norms[rows, None]
            found += norms
            enough = np.bool_(shared >= MIN_SHARED)
        else:
            shared = self._observed[rows] @ self._observed.T
            either = self._counts[rows, None] + self._counts - shared
            enough = (shared >= MIN_SHARED) & (2 * shared >= either)
            found += self._squares[rows] @ self._observed.T
            found += self._observed[rows] @ self._squares.T
            shared = np.maximum(shared, 1.0)
        found /= shared
        np.maximum(found, 0.0, out=found)
        found = np.where(enough, found, np.inf)
        found[np.arange(len(found)), np.arange(len(self._values))[rows]] = np.inf
        return found


def _blocks(table: ResultsTable) -> list[slice]:
    """Parts of the models whose distances to all fit into memory together."""
    step = max(1, BLOCK // table.n_models)
    return [slice(start, start + step) for start in range(0, table.n_models, step)]


def _alike(table: ResultsTable, tolerance: float) -> coo_matrix:
    """Tell which models are nearer than the tolerance; block by block, where they are many."""
    squares = _Squares(table)
    nearest, pairs = [], []
    for rows in _blocks(table):
        found = squares.of(rows)
        one, other = np.nonzero(found < max(EQUAL, tolerance) ** 2)
        pairs.append((one + rows.start, other, found[one, other]))
        nearest.append(_nearest(found))
    limit = max(EQUAL, min(tolerance, _crowding(np.sqrt(np.concatenate(nearest)))))
    ones, others, distances = (np.concatenate(part) for part in zip(*pairs, strict=True))
    near = distances < limit**2
    shape = (table.n_models, table.n_models)
    return coo_matrix((near[near], (ones[near], others[near])), shape)


def _nearest(distances: FloatArray) -> FloatArray:
    """How far (squared) the 5th and the 10th nearest other model are from each."""
    places = [min(k, distances.shape[1] - 1) - 1 for k in (CROWD, 2 * CROWD)]
    return np.partition(distances, places, axis=1)[:, places]


def _crowding(nearest: FloatArray) -> float:
    """How close two models must be to stand out among models that stand close together."""
    near, far = map(float, np.median(nearest, axis=0))
    if len(nearest) < MANY or not 0 < near < far < np.inf:
        return CROWDED * near
    # At least two: fewer are a sign of models that share too few columns, or of clusters.
    dimensions = max(2.0, math.log(2) / math.log(far / near))
    return float(near * min(CROWDED, (CHANCE / CROWD) ** (1 / dimensions)))
