"""Groups of columns that another may be the mean or sum of: runs, nearly all, names alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray

PROBES = 6
"""Rows that rule most groups out before all rows are looked at."""


class Groups:
    """Groups of columns, those alone that a few rows do not rule out.

    Parameters
    ----------
    values : shape (n_models, n_columns)
    rounding : shape (n_columns,)
        Last decimal places.
    names : sequence of str
    """

    def __init__(self, values: FloatArray, rounding: FloatArray, names: Sequence[str]) -> None:
        self.values, self.rounding, self.names = values, rounding, names
        self.seen = ~np.isnan(values)
        self.filled = np.where(self.seen, values, 0.0)
        self.gaps = not self.seen.all()
        self.n = len(names)
        self.tails = [name.casefold() for name in names]

    def others(self, j: int) -> tuple[int, ...]:
        """Return all other columns."""
        return tuple(i for i in range(self.n) if i != j)

    def probes(self, j: int) -> IntArray:
        """Return rows that hold much: they rule out most groups."""
        if not self.gaps:
            return np.arange(min(PROBES, len(self.values)))
        rows = np.flatnonzero(self.seen[:, j])
        return rows[np.argsort(-self.seen[rows].sum(axis=1), kind="stable")[:PROBES]]

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        return np.triu_indices(self.n)

    def runs(self, j: int, logs: bool = False) -> Iterator[tuple[int, ...]]:
        """Yield runs of neighbours whose mean or sum (of logs) the column is in a few rows."""
        one, two = self._pairs
        places = None
        if not (self.gaps or logs):
            own = self.values[0, j]
            limit = 0.51 * self.rounding[j] + 0.51 * self.rounding.max() + 1e-9 * abs(own)
            places = np.flatnonzero(_near(own, *self._sums_of_runs, limit))
            places = places[one[places] < two[places]]
            places = places[(j < one[places]) | (j > two[places])]
        if places is None:
            places = np.flatnonzero((one < two) & ((j < one) | (j > two)))
        for i in self.probes(j):
            row, seen, own = self.filled[i], self.seen[i], self.values[i, j]
            limit = 0.51 * self.rounding[j] + 0.51 * self.rounding.max() + 1e-9 * abs(own)
            if logs:
                seen = seen & (row > 0)
                if own <= 0:
                    return
                row, own, limit = np.log(np.where(seen, row, 1.0)), np.log(own), 3 * limit / own
            sums, counts = np.append(0.0, np.cumsum(row)), np.append(0, np.cumsum(seen))
            start, end = one[places], two[places] + 1
            near = _near(own, sums[end] - sums[start], counts[end] - counts[start], limit)
            near |= self.gaps and np.abs((sums[end] - sums[start]) / (end - start) - own) <= limit
            places = places[near]
        for place in places:
            yield tuple(range(one[place], two[place] + 1))

    @cached_property
    def _sums_of_runs(self) -> tuple[FloatArray, IntArray]:
        """Return sums and lengths of all runs in the first row of a complete table."""
        one, two = self._pairs
        sums = np.append(0.0, np.cumsum(self.filled[0]))
        return sums[two + 1] - sums[one], two + 1 - one

    def all_but(self, j: int) -> Iterator[tuple[int, ...]]:
        """Yield all others, and all but one or two, where the column is near in a few rows."""
        yield self.others(j)
        if not (self.gaps or self._may_be_of_most(j)):
            return
        one, two = self._pairs
        places = np.flatnonzero((one != j) & (two != j))
        for i in self.probes(j):
            row, seen, own = self.filled[i], self.seen[i], self.values[i, j]
            limit = 0.51 * self.rounding[j] + 0.51 * self.rounding.max() + 1e-9 * abs(own)
            a, b = one[places], two[places]
            total = row.sum() - row[j] - row[a] - np.where(a == b, 0.0, row[b])
            count = seen.sum() - seen[j] - seen[a] - np.where(a == b, 0, seen[b])
            near = _near(own, total, count, limit)
            near |= (
                self.gaps and np.abs(total / np.maximum(self.n - 2 - (a != b), 1) - own) <= limit
            )
            places = places[near]
        for place in places:
            yield tuple(i for i in range(self.n) if i not in {j, one[place], two[place]})

    def _may_be_of_most(self, j: int) -> bool:
        """Tell by one row of a complete table whether two columns fewer could make the rest."""
        row, own = self.filled[0], self.values[0, j]
        two, count = 2 * np.abs(row).max(), np.array([self.n - 2, self.n - 3])
        limit = count * (0.51 * self.rounding[j] + 0.51 * self.rounding.max() + 1e-9 * abs(own))
        off = np.abs(np.append(count, 1)[:, None] * own - (row.sum() - row[j]))
        return bool((off <= two + limit).any())

    def alike(self, j: int) -> Iterator[tuple[int, ...]]:
        """Yield columns whose names begin or end as this one does: subtasks of a group."""
        words = set(re.findall(r"[^\W_]{3,}", self.names[j].casefold()))
        for word in sorted(words):
            of = tuple(i for i, name in enumerate(self.tails) if i != j and word in name)
            if len(of) > 1:
                yield of


def _near(own: float, total: FloatArray, count: IntArray, limit: float) -> BoolArray:
    """Tell which means or sums are near a number."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.abs(total / count - own) <= limit
    return np.asarray((count > 0) & (mean | (np.abs(total - own) <= limit * np.maximum(count, 1))))
