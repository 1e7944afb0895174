"""Rows that are no models: means, sums and extremes of others, by their numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray
from eevee.readers.fits import CHANCE, resolution

_MOST_MODELS = 400
"""Of longer tables only means of all other rows, and of those above, are looked for."""


@dataclass(frozen=True)
class _Made:
    """What a row could be: its numbers, of how many models each, and how they were made.

    `spread` is that of these models; chances count `tried` of them.
    """

    numbers: FloatArray
    counts: FloatArray
    how: str
    spread: FloatArray
    of: str = "all other models"
    tried: float = 1.0


def find_total_row(scores: pd.DataFrame) -> tuple[str, str] | None:
    """Return a model that is the mean, sum, spread or extreme of others, and how, if one is.

    Compared are all other rows and, for means and sums, runs of rows above it or below it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.uniform(20, 90, (6, 5)).round(1), index=list("uvwxyz"))
    >>> frame.loc["All"] = frame.mean().round(1)
    >>> find_total_row(frame)
    ('All', 'the mean of all other models')
    """
    values = scores.to_numpy(np.float64)
    if values.shape[0] < 4 or values.shape[1] < 2:
        return None
    rows = _Rows(values)
    for i in range(len(values)):
        for made in rows.candidates(i):
            if rows.fits(i, made):
                return str(scores.index[i]), f"the {made.how} of {made.of}"
    return None


class _Rows:
    """Scores, their sums from the top, and what their last decimals are."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self.seen = ~np.isnan(values)
        self.filled = np.where(self.seen, values, 0.0)
        zero = np.zeros((1, values.shape[1]))
        self.sums = np.vstack([zero, np.cumsum(self.filled, axis=0)])
        self.counts = np.vstack([zero, np.cumsum(self.seen, axis=0)])
        some = np.asarray(self.seen.any(axis=0))
        columns = zip(values.T, some, strict=True)
        self.rounding = np.array([resolution(c[~np.isnan(c)]) if s else 1.0 for c, s in columns])
        self.spread = np.nanstd(np.where(some, values, 0.0), axis=0)
        self.middle = self.sums[-1] / np.maximum(self.counts[-1], 1)
        self.squares = np.nansum((values - self.middle) ** 2, axis=0)
        self.extremes = (_two_ends(values), _two_ends(-values))

    def candidates(self, i: int) -> Iterator[_Made]:
        """Yield what the row could be made of."""
        total, count = self.sums[-1] - self.filled[i], self.counts[-1] - self.seen[i]
        for how in ("mean", "sum"):
            yield _Made(_mean(total, count, how), count, how, self.spread)
        for (first, second, holder), sign, how in zip(
            self.extremes, (1.0, -1.0), ("largest", "smallest"), strict=True
        ):
            rest = np.where(holder == i, second, first) * sign
            if self._of_several(rest, i):
                yield _Made(rest, count, how, self.spread)
        spread = self._spread_of_others(i, count)
        yield _Made(spread, count, "spread", self.spread, tried=2.0)
        yield from self._runs(i)

    def _runs(self, i: int) -> Iterator[_Made]:
        """Yield means and sums of runs of rows that end above the row or begin below it."""
        n = len(self.values)
        runs = [(0, i, "the models above it")] if 3 <= i < n - 1 else []
        if n <= _MOST_MODELS:
            runs += [(start, i, f"the {i - start} models above it") for start in range(1, i - 1)]
            runs += [(i + 1, end, f"the {end - i - 1} models below it") for end in range(i + 3, n)]
            runs += [(i + 1, n, "the models below it")] if 0 < i < n - 3 else []
        if not runs:
            return
        starts, ends = np.array([r[0] for r in runs]), np.array([r[1] for r in runs])
        probe = np.flatnonzero(self.seen[i] & (self.spread > 0))[:3]
        total = self.sums[ends][:, probe] - self.sums[starts][:, probe]
        count = np.maximum(self.counts[ends][:, probe] - self.counts[starts][:, probe], 1)
        own = self.values[i, probe]
        limit = 1.1 * self.rounding[probe] + 1e-9 * np.abs(own)
        near = (np.abs(total / count - own) <= limit).all(axis=1)
        near |= (np.abs(total - own) <= limit * count).all(axis=1)
        for place in np.flatnonzero(near):
            start, end, which = runs[place]
            sums = self.sums[end] - self.sums[start]
            counts = self.counts[end] - self.counts[start]
            with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # columns without a score there
                spread = np.nan_to_num(np.nanstd(self.values[start:end], axis=0))
            for how in ("mean", "sum") if which == "the models above it" else ("mean",):
                yield _Made(_mean(sums, counts, how), counts, how, spread, which, 2.0 * n)

    def _of_several(self, made: FloatArray, i: int) -> bool:
        """Tell whether an extreme is that of several models: else one is just the best of all."""
        here = self.seen[i] & (self.spread > 0)
        if here.sum() < 3 or (self.values[i, here] != made[here]).any():
            return False
        holds = (self.values == made) & self.seen
        holds[i] = False
        return bool((holds[:, here].sum(axis=1) < here.sum()).all())

    def _spread_of_others(self, i: int, count: FloatArray) -> FloatArray:
        """Return the standard deviation of the other rows: that of the two that is nearer."""
        n = np.maximum(self.counts[-1], 2)
        own = np.where(self.seen[i], (self.values[i] - self.middle) ** 2 * n / (n - 1), 0.0)
        squares = np.maximum(self.squares - own, 0.0)
        both = [np.sqrt(squares / np.maximum(count - less, 1)) for less in (0, 1)]
        off = [np.nansum(np.abs(self.values[i] - made)) for made in both]
        return np.asarray(both[int(off[1] < off[0])])

    def fits(self, i: int, made: _Made) -> bool:
        """Tell whether the row is what was made, within rounding and by no accident."""
        row, how = self.values[i], made.how
        few = how in {"mean", "sum"}
        here = ~np.isnan(row) & (made.counts >= (2 if few else 3)) & (self.spread > 0)
        if here.sum() < (2 if few else 3):
            return False
        # Of a mean of many rounded numbers the error is small: half a unit covers it.
        inner = 0.5 * made.counts[here] if how == "sum" else 0.5
        limit = self.rounding[here] * (0.51 + inner) + 1e-9 * np.abs(row[here])
        if (np.abs(row[here] - made.numbers[here]) > limit).any():
            return False
        # Of models that are nearly the same any one is nearly the mean.
        spread = np.minimum(self.spread, made.spread)[here]
        luck = np.minimum(1.0, limit / np.maximum(0.5 * spread, 1e-300))
        return bool(luck.prod() < CHANCE / len(row) / made.tried)


def _mean(total: FloatArray, count: FloatArray, how: str) -> FloatArray:
    return np.asarray(total / np.maximum(count, 1)) if how == "mean" else total


def _two_ends(values: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the largest value of each column, the next one, and the row of the largest."""
    low = np.where(np.isnan(values), -np.inf, values)
    holder = low.argmax(axis=0)
    first = low.max(axis=0)
    rest = low.copy()
    rest[holder, np.arange(values.shape[1])] = -np.inf
    return first, np.asarray(rest.max(axis=0)), holder
