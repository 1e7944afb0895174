"""`epochs="auto"`: one epoch per subset size, measured on validation models."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import islice

import numpy as np

from eevee.base.arrays import FloatArray

MAX_EPOCHS = 150
PAPER_EPOCHS = 20
CALIBRATION_SUBSETS = 64


def calibration_sizes(largest: int) -> list[int]:
    """Sizes at which the epoch is measured: powers of two up to 32, and the largest.

    Examples
    --------
    >>> calibration_sizes(20)
    [1, 2, 4, 8, 16, 20]
    """
    return sorted({size for size in (1, 2, 4, 8, 16, 32) if size < largest} | {largest})


def best_epoch(losses: FloatArray) -> int:
    """Return the epoch with the lowest geometric mean over splits of the mean over subsets.

    An arithmetic mean over splits would follow the worst of them alone.

    Parameters
    ----------
    losses : shape (n_epochs, n_subsets, n_splits)
        Validation loss after epochs 1, 2, ...; NaN where nothing is left to predict.

    Examples
    --------
    >>> best_epoch(np.array([[[4.0, 1.0]], [[1.0, 2.0]], [[2.0, 3.0]]]))
    2
    """
    defined = ~np.isnan(losses).any(axis=(0, 1))
    if not defined.any():
        return PAPER_EPOCHS
    means = losses[..., defined].mean(axis=1)
    logs = np.log(np.maximum(means, np.finfo(np.float64).tiny))
    return int(np.argmin(logs.mean(axis=1))) + 1


class EpochSchedule:
    """Epochs as a function of subset size: measured on first use, interpolated in log size.

    Parameters
    ----------
    largest : int
        The largest size that leaves something to predict; larger ones get its epochs.
    measure : callable
        From a size to the best epoch at that size.
    """

    def __init__(self, largest: int, measure: Callable[[int], int]) -> None:
        self._sizes = calibration_sizes(largest)
        self._measure = measure
        self.measured: dict[int, int] = {}

    def __call__(self, size: int) -> int:
        """Epochs for a subset of `size` benchmarks."""
        size = min(size, self._sizes[-1])
        above = self._sizes[bisect_left(self._sizes, size)]
        if above == size:
            return self._at(size)
        below = self._sizes[bisect_left(self._sizes, size) - 1]
        share = np.log(size / below) / np.log(above / below)
        return round(float((1 - share) * self._at(below) + share * self._at(above)))

    def _at(self, size: int) -> int:
        if size not in self.measured:
            self.measured[size] = self._measure(size)
        return self.measured[size]


def random_index_sets(n: int, size: int, count: int, rng: np.random.Generator) -> list[list[int]]:
    """Draw up to `count` distinct sets of `size` out of range(n), each sorted.

    Examples
    --------
    >>> random_index_sets(3, 3, 64, np.random.default_rng(0))
    [[0, 1, 2]]
    """
    draws = (tuple(sorted(rng.choice(n, size, replace=False).tolist())) for _ in range(20 * count))
    distinct = dict.fromkeys(draws)
    return [list(chosen) for chosen in islice(distinct, count)]
