"""Columns that others make: means, sums, medians, places and the like, by their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.optimize import nnls
from scipy.stats import rankdata

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.readers.column_groups import PROBES, Groups
from eevee.readers.fits import STATISTICS, convinces, is_line, resolution
from eevee.tables.column_names import LONE_METRIC, guess_direction

_MIN_ROWS = 5
_MIN_OTHERS = 3
_MOST_COLUMNS = 600
"""Of wider tables only whole means are looked for: groups take time with the width cubed."""
_MOST_WEIGHED = 100
"""Columns of which weights are looked for: that takes time with their number cubed, too."""
_FEW = 20
"""Columns of a table in which medians and the like of all but any one are tried."""
_JOINTS = tuple("_-:./ ")
_DIFFERENCE = re.compile(r"gap|diff|difference|delta|drop|gain|improvement|change|decrease|[Δδ]")


@dataclass(frozen=True)
class Aggregate:
    """A column that others make.

    Attributes
    ----------
    place : int
    how : str
        ``"mean"``, ``"sum"``, ``"weighted mean"``, ``"median"``, ``"mean place"``, ...
    of : tuple of int
        Places of the columns that make it.
    turned : tuple of int
        Those that count as what they lack of 1 or 100, as lower is better.
    """

    place: int
    how: str
    of: tuple[int, ...]
    turned: tuple[int, ...] = ()

    def words(self, names: Sequence[str]) -> str:
        """Say what it is made of.

        Examples
        --------
        >>> Aggregate(2, "mean", (0, 1)).words(["a", "b", "m", "c"])
        "is the mean of 'a', 'b', by its numbers (an aggregate)"
        """
        whole = len(self.of) == len(names) - 1
        some = ", ".join(repr(names[j]) for j in self.of[:4])
        some += f", ... ({len(self.of)} columns)" if len(self.of) > 4 else ""
        how = "row mean" if self.how == "mean" and whole else self.how
        of = "the other columns" if whole else some
        turned = ", ".join(repr(names[j]) for j in self.turned if j in self.of)
        turned = f" ({turned} turned: lower is better)" if turned else ""
        return f"is the {how} of {of}{turned}, by its numbers (an aggregate)"


_Test = Callable[[int], Aggregate | None]


def find_aggregate(scores: pd.DataFrame, spared: Collection[str] = ()) -> Aggregate | None:
    """Return a column that others make, if one is.

    Means and sums are looked for of all others, all but one or two, runs of neighbours, columns
    whose names begin alike, and the best weights that are not negative; medians, geometric and
    harmonic means, extremes, mean places and means of standardised scores of (nearly) all others.

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
    Aggregate(place=5, how='mean', of=(0, 1, 2), turned=())
    """
    values = scores.to_numpy(np.float64)
    names = [str(name) for name in scores.columns]
    if len(names) < _MIN_OTHERS:
        return None
    enough = (~np.isnan(values)).sum(axis=0) >= _MIN_ROWS
    asked = [j for j, name in enumerate(names) if name not in spared and enough[j]]
    table = _Values(values, names)
    tests: tuple[_Test, ...] = (
        table.difference, table.whole, table.group, table.weighted, table.headed, table.statistic,
        table.line,
    )  # fmt: skip
    found = _first(tests, asked)
    if found is not None:
        return found
    turned, places = _turned(values, names)
    if not places:
        return None
    table = _Values(turned, names)
    others = [j for j in asked if j not in places]
    found = _first((table.whole, table.group, table.weighted), others)
    return None if found is None else replace(found, turned=places)


def _first(tests: Iterable[_Test], asked: Sequence[int]) -> Aggregate | None:
    for test in tests:
        found = next(filter(None, map(test, asked)), None)
        if found is not None:
            return found
    return None


def _turned(values: FloatArray, names: Sequence[str]) -> tuple[FloatArray, tuple[int, ...]]:
    """Turn columns that run against the rest, or say so by name: x becomes 1 or 100 less x."""
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    spread = np.std(filled, axis=0)
    standard = (filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    total = standard.sum(axis=1)
    against = [(standard[:, j] * (total - standard[:, j])).mean() < 0 for j in range(len(names))]
    top = np.nanmax(values, axis=0)
    share = (np.nanmin(values, axis=0) >= 0) & (top <= 100)
    places = tuple(
        j
        for j, name in enumerate(names)
        if share[j] and (against[j] or guess_direction(name, LONE_METRIC) == "lower")
    )
    made = values.copy()
    for j in places:
        made[:, j] = (1.0 if top[j] <= 1 else 100.0) - values[:, j]
    return made.round(12), places


class _Sums:
    """Numbers, and their sums over columns."""

    def __init__(self, values: FloatArray) -> None:
        self.seen = ~np.isnan(values)
        self.filled = np.where(self.seen, values, 0.0)
        self.total, self.count = self.filled.sum(axis=1), self.seen.sum(axis=1)


class _Values:
    """Scores, and what their last decimals are."""

    def __init__(self, values: FloatArray, names: Sequence[str]) -> None:
        self.values = values
        self.names = names
        self.seen = ~np.isnan(values)
        self.filled = np.where(self.seen, values, 0.0)
        self.rounding = np.array([resolution(column[~np.isnan(column)]) for column in values.T])
        self.n = len(names)
        self.groups = Groups(values, self.rounding, names)

    def _mean_of_others(self, sums: _Sums, j: int) -> tuple[FloatArray, IntArray]:
        """Return the mean of all other columns, and the rows in which it means something."""
        count = sums.count - sums.seen[:, j]
        rows = np.flatnonzero(self.seen[:, j] & (count >= _MIN_OTHERS))
        return ((sums.total - sums.filled[:, j])[rows] / count[rows]), rows

    def difference(self, j: int) -> Aggregate | None:
        """Find two columns whose difference a column is that says so or has negative scores."""
        own = self.values[:, j]
        said = _DIFFERENCE.search(self.names[j].casefold()) is not None
        if self.n > _MOST_WEIGHED or not (said or np.nanmin(own) < 0):
            return None
        rows = np.flatnonzero(self.seen[:, j])
        probe = rows[:PROBES]
        part = self.filled[probe]
        off = np.abs(part[:, :, None] - part[:, None, :] - own[probe, None, None])
        limit = 0.51 * self.rounding[j] + 0.51 * (self.rounding[:, None] + self.rounding)
        near = (off <= limit + 1e-9 * np.abs(part).max()).all(axis=0)
        for one, two in np.argwhere(near):
            if j in {one, two} or one == two:
                continue
            both = self.seen[:, j] & self.seen[:, one] & self.seen[:, two]
            made = self.values[both, one] - self.values[both, two]
            bound = float(limit[one, two])
            equal = both.sum() >= _MIN_ROWS and (np.abs(made - own[both]) <= bound + 1e-9).all()
            if equal and convinces(own[both], bound, 0, self.n**2):
                return Aggregate(j, "difference", (int(one), int(two)))
        return None

    def whole(self, j: int) -> Aggregate | None:
        """Compare a column with the mean of all others, or a line of it, over what a model has."""
        if self.n - 1 < _MIN_OTHERS:
            return None
        mean, rows = self._mean_of_others(self._sums, j)
        if len(rows) < _MIN_ROWS:
            return None
        inner = (self.rounding.sum() - self.rounding[j]) / (self.n - 1)
        if is_line(self.values[rows, j], mean, 0.51 * self.rounding[j], 0.5 * inner):
            return Aggregate(j, "mean", self.groups.others(j))
        return None

    def group(self, j: int) -> Aggregate | None:
        """Compare a column with means and sums of groups of others."""
        if self.n > _MOST_COLUMNS:
            return None
        groups = dict.fromkeys(
            (*self.groups.runs(j), *self.groups.all_but(j), *self.groups.alike(j))
        )
        for of in groups:
            for how in ("mean", "sum", "mean (gaps as 0)"):
                if self._fits(j, of, how, self.n**2):
                    return Aggregate(j, how, of)
        return None

    def _fits(self, j: int, of: Sequence[int], how: str, n_tried: float) -> bool:
        if not self.groups.gaps and not self._may_fit(j, of, how):
            return False
        part, seen = self.values[:, of], self.seen[:, of]
        rows = self.seen[:, j] & (seen.all(axis=1) if how == "sum" else seen.sum(axis=1) > 1)
        if rows.sum() < _MIN_ROWS or (how == "mean (gaps as 0)" and seen.all()):
            return False
        if how == "sum" and len(of) == 2 and np.nanmin(part) < 0:
            return False  # of a, b and their difference, a is not the sum of the others
        made = np.nansum(part[rows], axis=1)
        if how == "mean":
            made = made / seen[rows].sum(axis=1)
        elif how != "sum":
            made = made / len(of)
        return self._equal(j, rows, made, of, n_tried, summed=how == "sum")

    def _may_fit(self, j: int, of: Sequence[int], how: str) -> bool:
        """Tell by a few rows of a complete table whether a column may be what others make."""
        part, own = self.values[:PROBES, of], self.values[:PROBES, j]
        made = part.sum(axis=1) if how == "sum" else part.mean(axis=1)
        return bool((np.abs(own - made) <= self._limit(j, of, summed=how == "sum")).all())

    def _limit(self, j: int, of: Sequence[int], *, summed: bool) -> float:
        """Return how far rounding may take a column from what others make."""
        inner = self.rounding[list(of)]
        limit = 0.51 * self.rounding[j] + 0.51 * float(inner.sum() if summed else inner.mean())
        return float(limit + 1e-9 * self._largest[j])

    @cached_property
    def _largest(self) -> FloatArray:
        return np.asarray(np.abs(self.filled).max(axis=0))

    def _equal(
        self, j: int, rows: BoolArray, made: FloatArray, of: Sequence[int], n_tried: float,
        *, summed: bool = False,
    ) -> bool:  # fmt: skip
        own, limit = self.values[rows, j], self._limit(j, of, summed=summed)
        return bool(np.abs(own - made).max() <= limit) and convinces(own, limit, 0, n_tried)

    def statistic(self, j: int) -> Aggregate | None:
        """Compare a column with medians, extremes and other means of (nearly) all others."""
        if self.n > _MOST_COLUMNS:
            return None
        groups = [self.groups.others(j), self._in_scale(j), *self.groups.alike(j)]
        if self.n <= _FEW:
            groups += [tuple(i for i in groups[1] if i != left) for left in groups[1]]
            groups += self.groups.runs(j, logs=True)
        probes = self.groups.probes(j)[:2]
        slack = self.rounding[j] + self.rounding.max()
        for of in dict.fromkeys(groups):
            if len(of) < _MIN_OTHERS or not self.seen[probes][:, of].any(axis=1).all():
                continue
            for how, function in STATISTICS.items():
                off = np.abs(function(self.values[probes][:, of]) - self.values[probes, j])
                if (off <= slack).all() and self._is_statistic(j, of, function):
                    return Aggregate(j, how, of)
        return None

    def _is_statistic(
        self, j: int, of: Sequence[int], function: Callable[[FloatArray], FloatArray]
    ) -> bool:
        part = self.values[:, of]
        rows = self.seen[:, j] & (self.seen[:, of].sum(axis=1) >= _MIN_OTHERS)
        if rows.sum() < _MIN_ROWS:
            return False
        made = function(part[rows])
        # One column that is always the largest, or nearly the mean of two, is no statistic of all.
        same = np.abs(part[rows] - self.values[rows, j][:, None]) <= 1e-9
        if np.isnan(made).any() or same.mean(axis=0).max() > 0.9:
            return False
        return self._equal(j, rows, made, of, float(self.n**3))

    @cached_property
    def _scale(self) -> IntArray:
        """Tell on which side of 1 and 100 the largest score of each column is."""
        top = np.where(self.seen, self.values, -np.inf).max(axis=0)
        return np.asarray(np.searchsorted([1.0, 100.0], top))

    def _in_scale(self, j: int) -> tuple[int, ...]:
        return tuple(i for i in self.groups.others(j) if self._scale[i] == self._scale[j])

    def line(self, j: int) -> Aggregate | None:
        """Compare a column with mean places, and with means of standardised scores."""
        if self.n - 1 < _MIN_OTHERS or len(self.values) > 3000:
            return None
        place, rows = self._mean_of_others(self._places, j)
        if len(rows) < _MIN_ROWS:
            return None
        own, rounding = self.values[rows, j], 0.75 * self.rounding[j]
        for sign in (1.0, -1.0):
            if is_line(own, sign * place, rounding, 1e-9):
                return Aggregate(j, "mean place", self.groups.others(j))
        standard, rows = self._mean_of_others(self._standardised, j)
        if is_line(self.values[rows, j], standard, rounding, 1e-6):
            return Aggregate(j, "mean of standardised scores", self.groups.others(j))
        return None

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self.values)

    @cached_property
    def _places(self) -> _Sums:
        places = np.full(self.values.shape, np.nan)
        for j, seen in enumerate(self.seen.T):
            places[seen, j] = rankdata(self.values[seen, j])
        return _Sums(places)

    @cached_property
    def _standardised(self) -> _Sums:
        spread = np.nanstd(self.values, axis=0)
        centred = self.values - np.nanmean(self.values, axis=0)
        return _Sums(centred / np.where(spread > 0, spread, 1.0))

    def weighted(self, j: int) -> Aggregate | None:
        """Find weights that make a column of others: any, or equal ones of some of them."""
        if self.n > _MOST_COLUMNS:
            return None
        for of in (self.groups.others(j), *self.groups.alike(j)):
            found = self._weighted(j, np.array(of)) if len(of) <= _MOST_WEIGHED else None
            if found is not None:
                return found
        return None

    def _weighted(self, j: int, others: IntArray) -> Aggregate | None:
        n = len(others) + 1
        rows = self.seen[:, j] & self.seen[:, others].all(axis=1)
        if rows.sum() < _MIN_ROWS:
            return None
        part, own = self.values[np.ix_(rows, others)], self.values[rows, j]
        weights, _ = nnls(part, own)
        equal = tuple(int(i) for i in others[weights > 0.5 * weights.max(initial=0.0)])
        for how in ("mean", "sum"):
            if len(equal) > 2 and self._fits(j, equal, how, 2.0 ** min(n, 60)):
                return Aggregate(j, how, equal)
        used = weights > 1e-3 * weights.max(initial=0.0)
        if rows.sum() < n + _MIN_ROWS or used.sum() < 2 or not abs(weights.sum() - 1) < 0.02:
            return None
        limit = 0.51 * self.rounding[j] + 0.51 * float(weights @ self.rounding[others])
        residual = np.abs(own - part @ weights).max()
        if residual > limit or not convinces(own, limit, int(used.sum()), n * n):
            return None
        return Aggregate(j, "weighted mean", tuple(int(i) for i in others[used]))

    def headed(self, j: int) -> Aggregate | None:
        """Find the subtasks that a column is the head of: mmlu above mmlu_anatomy and others.

        Their weights (numbers of questions) are unknown, so that no equality can be asked for:
        it must lie between them for every model, and rise with their mean.
        """
        heads = tuple(self.names[j].casefold() + joint for joint in _JOINTS)
        if len(self.names[j]) < 3:
            return None
        of = tuple(i for i, tail in enumerate(self.groups.tails) if tail.startswith(heads))
        if len(of) < _MIN_OTHERS:
            return None
        rows = self.seen[:, j] & self.seen[:, of].all(axis=1)
        if rows.sum() < _MIN_ROWS:
            return None
        own, part = self.values[rows, j], self.values[rows][:, of]
        inside = (own >= part.min(axis=1)) & (own <= part.max(axis=1))
        mean = part.mean(axis=1)
        if not inside.all() or np.std(own) == 0 or np.std(mean) == 0:
            return None
        return Aggregate(j, "weighted mean", of) if np.corrcoef(own, mean)[0, 1] > 0.97 else None
