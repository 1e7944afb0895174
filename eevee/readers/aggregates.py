"""Columns and rows that are means or sums of others, by their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from eevee.base.arrays import BoolArray, FloatArray, IntArray

_MIN_ROWS = 5
_MIN_OTHERS = 3
_PROBES = 6
"""Rows that rule most groups out before all rows are looked at."""
_MOST_COLUMNS = 600
"""Of wider tables only whole means are looked for: groups take memory with the width squared."""
CHANCE = 1e-3
"""Largest chance with which a fit may be an accident, over all groups that are tried."""


@dataclass(frozen=True)
class Aggregate:
    """A column that others make.

    Attributes
    ----------
    place : int
    how : {"mean", "sum", "weighted mean"}
    of : tuple of int
        Places of the columns that make it.
    scaled : bool
        Whether it is a straight line of that mean, rather than the mean itself.
    """

    place: int
    how: str
    of: tuple[int, ...]
    scaled: bool = False

    def words(self, names: Sequence[str]) -> str:
        """Say what it is made of.

        Examples
        --------
        >>> Aggregate(2, "mean", (0, 1)).words(["a", "b", "m", "c"])
        "is the mean of 'a', 'b', by its numbers (an aggregate)"
        """
        if len(self.of) == len(names) - 1:
            of = "the other columns"
        else:
            some = ", ".join(repr(names[j]) for j in self.of[:4])
            of = some + (f", ... ({len(self.of)} columns)" if len(self.of) > 4 else "")
        row = "row mean" if self.how == "mean" and len(self.of) == len(names) - 1 else self.how
        return f"is the {row} of {of}, by its numbers (an aggregate)"


def find_aggregate(scores: pd.DataFrame, spared: Collection[str] = ()) -> Aggregate | None:
    """Return a column that is the mean, sum or weighted mean of a group of others, if one is.

    Tried are all others, all but one or two, runs of neighbours, columns whose names begin alike,
    and, where there are more models than columns, the best weights that are not negative.

    Parameters
    ----------
    scores : DataFrame, shape (n_models, n_columns)
    spared : collection of str
        Columns that are none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.uniform(20, 90, (12, 5)).round(1), columns=list("abcde"))
    >>> frame["first"] = frame[["a", "b", "c"]].mean(axis=1).round(2)
    >>> find_aggregate(frame)
    Aggregate(place=5, how='mean', of=(0, 1, 2), scaled=False)
    """
    values = scores.to_numpy(np.float64)
    n_columns = values.shape[1]
    if n_columns < _MIN_OTHERS:
        return None
    rounding = np.array([resolution(column[~np.isnan(column)]) for column in values.T])
    names = [str(name) for name in scores.columns]
    table = _Values(values, rounding, names)
    for j in range(n_columns):
        if names[j] in spared or (~np.isnan(values[:, j])).sum() < _MIN_ROWS:
            continue
        found = table.whole(j) or table.group(j) or table.weighted(j) or table.headed(j)
        if found is not None:
            return found
    return None


class _Values:
    """Scores, and what their last decimals are."""

    def __init__(self, values: FloatArray, rounding: FloatArray, names: Sequence[str]) -> None:
        self.values = values
        self.rounding = rounding
        self.names = names
        self.seen = ~np.isnan(values)
        self.filled = np.where(self.seen, values, 0.0)
        self.folded = [name.casefold() for name in names]
        self._count, self._total = self.seen.sum(axis=1), self.filled.sum(axis=1)

    def whole(self, j: int) -> Aggregate | None:
        """Compare a column with the mean of all others, over what each model has."""
        n_others = self.values.shape[1] - 1
        count = self._count - self.seen[:, j]
        rows = self.seen[:, j] & (count >= _MIN_OTHERS)
        if n_others < _MIN_OTHERS or rows.sum() < _MIN_ROWS:
            return None
        mean = (self._total - self.filled[:, j])[rows] / count[rows]
        inner = (float(self.rounding.sum()) - float(self.rounding[j])) / n_others
        if is_mean(self.values[rows, j], mean, 0.51 * self.rounding[j], 0.5 * inner):
            return Aggregate(j, "mean", tuple(i for i in range(n_others + 1) if i != j))
        return None

    def group(self, j: int) -> Aggregate | None:
        """Compare a column with means and sums of groups of others."""
        rows = np.flatnonzero(self.seen[:, j])
        if self.values.shape[1] > _MOST_COLUMNS:
            return None
        groups = list(dict.fromkeys(self._candidates(j, rows)))
        n_tried = max(1, self.values.shape[1] ** 2)
        for of in groups:
            for how in ("mean", "sum"):
                if self._fits(j, of, how, n_tried):
                    return Aggregate(j, how, of)
        return None

    def _candidates(self, j: int, rows: IntArray) -> Iterator[tuple[int, ...]]:
        """Groups of columns that make the column in a few rows."""
        n = self.values.shape[1]
        others = np.array([i for i in range(n) if i != j])
        full = self.seen[np.ix_(rows, others)].sum(axis=1)
        probes = rows[np.argsort(-full, kind="stable")[:_PROBES]]
        own = self.values[probes, j]
        sums = self._run_sums(probes)
        start, end = np.triu_indices(n, k=1)
        keep = (j < start) | (j > end)
        start, end = start[keep], end[keep]
        total = sums[0][:, end + 1] - sums[0][:, start]
        count = sums[1][:, end + 1] - sums[1][:, start]
        for place in np.flatnonzero(self._near(own, total, count, j)):
            yield tuple(range(start[place], end[place] + 1))
        total, count = self.filled[probes][:, others], self.seen[probes][:, others].astype(float)
        one, two = np.triu_indices(len(others))
        left = (
            total.sum(axis=1, keepdims=True)
            - total[:, one]
            - np.where(one == two, 0, total[:, two])
        )
        rest = (
            count.sum(axis=1, keepdims=True)
            - count[:, one]
            - np.where(one == two, 0, count[:, two])
        )
        for place in np.flatnonzero(self._near(own, left, rest, j)):
            yield tuple(int(i) for i in np.delete(others, np.unique([one[place], two[place]])))
        yield from self._alike(j)

    def _run_sums(self, probes: IntArray) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros((len(probes), 1))
        return (
            np.hstack([zero, np.cumsum(self.filled[probes], axis=1)]),
            np.hstack([zero, np.cumsum(self.seen[probes], axis=1)]),
        )

    def _near(self, own: FloatArray, total: FloatArray, count: FloatArray, j: int) -> BoolArray:
        """Groups whose mean or sum is near the column in every probe."""
        limit = 0.51 * self.rounding[j] + 0.51 * self.rounding.max() + 1e-9 * np.abs(own).max()
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.abs(total / count - own[:, None]) <= limit
        plain = np.abs(total - own[:, None]) <= limit * np.maximum(count, 1)
        return np.asarray((count.max(axis=0) > 1) & (mean.all(axis=0) | plain.all(axis=0)))

    def _alike(self, j: int) -> Iterator[tuple[int, ...]]:
        """Columns whose names begin or end as this one does: subtasks of a group."""
        words = set(re.findall(r"[^\W_]{3,}", self.names[j].casefold()))
        for word in sorted(words):
            of = tuple(i for i, name in enumerate(self.folded) if i != j and word in name)
            if len(of) > 1:
                yield of

    def _fits(self, j: int, of: Sequence[int], how: str, n_tried: int) -> bool:
        part, seen = self.values[:, of], self.seen[:, of]
        rows = self.seen[:, j] & (seen.all(axis=1) if how == "sum" else seen.sum(axis=1) > 1)
        if rows.sum() < _MIN_ROWS:
            return False
        made = np.nansum(part[rows], axis=1)
        if how == "mean":
            made = made / seen[rows].sum(axis=1)
        inner = self.rounding[list(of)]
        limit = 0.51 * self.rounding[j] + 0.51 * float(
            inner.sum() if how == "sum" else inner.mean()
        )
        own = self.values[rows, j]
        limit += 1e-9 * float(np.abs(own).max())
        return bool(np.abs(own - made).max() <= limit) and convinces(own, limit, 0, n_tried)

    def weighted(self, j: int) -> Aggregate | None:
        """Find weights that make a column of others, where there are enough models."""
        n = self.values.shape[1]
        if n < _MIN_OTHERS:
            return None
        for of in ([i for i in range(n) if i != j], *self._alike(j)):
            found = self._weighted(j, np.array(of))
            if found is not None:
                return found
        return None

    def _weighted(self, j: int, others: IntArray) -> Aggregate | None:
        n = len(others) + 1
        if self.seen[:, j].sum() < n + _MIN_ROWS:
            return None
        rows = self.seen[:, j] & self.seen[:, others].all(axis=1)
        if rows.sum() < n + _MIN_ROWS:
            return None
        part, own = self.values[np.ix_(rows, others)], self.values[rows, j]
        weights, _ = nnls(part, own)
        used = weights > 1e-3 * weights.max(initial=0.0)
        if used.sum() < 2 or not abs(weights.sum() - 1) < 0.02:
            return None
        limit = 0.51 * self.rounding[j] + 0.51 * float(weights @ self.rounding[others])
        residual = np.abs(own - part @ weights).max()
        n_free = int(used.sum())
        if residual > limit or not convinces(own, limit, n_free, n * n):
            return None
        of = tuple(int(i) for i in others[used])
        equal = np.ptp(weights[used]) < 0.02 / used.sum()
        return Aggregate(j, "mean" if equal else "weighted mean", of)

    def headed(self, j: int) -> Aggregate | None:
        """Find the subtasks that a column is the head of: mmlu above mmlu_anatomy and others.

        Their weights (numbers of questions) are unknown, so that no equality can be asked for:
        it must lie between them for every model, and rise with their mean.
        """
        name, tails = self.folded[j], self.folded
        of = tuple(
            i
            for i, tail in enumerate(tails)
            if i != j and len(name) > 2 and tail.startswith(name) and tail[len(name)] in "_-:./ "
        )
        rows = self.seen[:, j] & self.seen[:, of].all(axis=1)
        if len(of) < _MIN_OTHERS or rows.sum() < _MIN_ROWS:
            return None
        own, part = self.values[rows, j], self.values[rows][:, of]
        inside = (own >= part.min(axis=1)) & (own <= part.max(axis=1))
        mean = part.mean(axis=1)
        if not inside.all() or np.std(own) == 0 or np.std(mean) == 0:
            return None
        return Aggregate(j, "weighted mean", of) if np.corrcoef(own, mean)[0, 1] > 0.97 else None


def find_mean_row(scores: pd.DataFrame) -> tuple[str, str] | None:
    """Return a model that is the mean or sum of others, and how; None if there is none.

    Compared are all other rows and the rows above it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.uniform(20, 90, (6, 5)).round(1), index=list("uvwxyz"))
    >>> frame.loc["All"] = frame.mean().round(1)
    >>> find_mean_row(frame)
    ('All', 'the mean of all other models')
    """
    values = scores.to_numpy(np.float64)
    n_models, n_columns = values.shape
    if n_models < 4 or n_columns < 2:
        return None
    seen = ~np.isnan(values)
    rounding = np.array(
        [resolution(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 1.0 for c in values.T]
    )
    spread = np.nanstd(np.where(seen.any(axis=0), values, 0.0), axis=0)
    filled = np.where(seen, values, 0.0)
    total, count = filled.sum(axis=0), seen.sum(axis=0)
    above, n_above = np.cumsum(filled, axis=0) - filled, np.cumsum(seen, axis=0) - seen
    for i in range(n_models):
        rests = [(total - filled[i], count - seen[i], "all other models")]
        if 3 <= i < n_models - 1:
            rests.append((above[i], n_above[i], "the models above it"))
        for sums, counts, which in rests:
            for how in ("mean", "sum"):
                made = sums / np.maximum(counts, 1) if how == "mean" else sums
                if _row_fits(values[i], made, counts, rounding, spread, how):
                    return str(scores.index[i]), f"the {how} of {which}"
    return None


def _row_fits(
    row: FloatArray,
    made: FloatArray,
    counts: FloatArray,
    rounding: FloatArray,
    spread: FloatArray,
    how: str,
) -> bool:
    here = ~np.isnan(row) & (counts > 2) & (spread > 0)
    if here.sum() < 2:
        return False
    # Of a mean of many rounded numbers the error is small: half a unit covers it.
    limit = rounding[here] * (0.51 + (0.5 if how == "mean" else 0.5 * counts[here]))
    limit = limit + 1e-9 * np.abs(row[here])
    if (np.abs(row[here] - made[here]) > limit).any():
        return False
    luck = np.minimum(1.0, limit / (0.5 * spread[here]))
    return bool(luck.prod() < CHANCE / len(row))


def is_mean(
    column: FloatArray, mean: FloatArray, own_rounding: float, mean_rounding: float
) -> bool:
    """Tell whether a column is a mean, or rises in a straight line with it, within rounding."""
    own_rounding += 1e-9 * float(np.abs(column).max())
    if float(np.std(mean)) == 0.0:
        return False
    rounding = own_rounding + mean_rounding
    if np.abs(column - mean).max() <= rounding and convinces(column, rounding, 0):
        return True
    centred, target = mean - mean.mean(), column - column.mean()
    slope = (centred @ target) / (centred @ centred)
    if slope <= 0:
        return False  # accuracy next to its own error rate makes the mean fall with it
    rounding = own_rounding + slope * mean_rounding
    residual = np.abs(target - slope * centred).max()
    return bool(residual <= rounding) and convinces(column, rounding, 2)


def convinces(column: FloatArray, rounding: float, n_free: int, n_tried: int = 1) -> bool:
    """Tell whether so close a fit in so many rows is no accident, even of correlated columns."""
    luck = rounding / (0.5 * float(np.std(column))) if np.std(column) > 0 else 1.0
    return bool(luck < 0.5 and luck ** max(len(column) - n_free, 0) < CHANCE / n_tried)


def resolution(column: FloatArray) -> float:
    """Return the last decimal place that the numbers of a column are written with."""
    shortest = (np.format_float_positional(value, trim="-") for value in column)
    decimals = max((len(re.sub(r"^[^.]*\.?", "", text)) for text in shortest), default=0)
    return float(10.0**-decimals)
