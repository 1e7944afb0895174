"""`Measure`: one number with what it takes to read it, and how every measure is evaluated."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eevee.base.errors import EeveeError
from eevee.measures.resampling import grouped_jackknife
from eevee.measures.sample import Sample

Bound = Literal["exact", "lower", "upper"]


class NotReached(EeveeError):
    """A value that is only known to be above what was measured, and so is none."""


@dataclass(frozen=True)
class Measure:
    """A measured number, in its own sign and unit.

    Attributes
    ----------
    value : float
        As its source defines it: `higher_is_better` says which way is good.
    stderr : float
        Standard error over the rows; NaN where it was not asked for or cannot be had.
    bound : {"exact", "lower", "upper"}
        Whether `value` is the quantity itself or a bound of it.
    higher_is_better : bool
    unit : str
    seconds : float
        Wall time of `value`, without the standard error.

    Examples
    --------
    >>> Measure(0.3, 0.1, "upper", False, "nats", 0.5).score
    -0.3
    """

    value: float
    stderr: float
    bound: Bound
    higher_is_better: bool
    unit: str
    seconds: float

    @property
    def score(self) -> float:
        """The value, turned so that higher is better."""
        return self.value if self.higher_is_better else 0.0 - self.value  # no negative zero


@dataclass(frozen=True)
class Definition:
    """What a measure is: its name, its value on a sample, and what the value means.

    Attributes
    ----------
    name : str
    compute : callable
    needs : {"features", "source_probs"}
    unit : str
    bound : {"exact", "lower", "upper"}
    higher_is_better : bool
    of_prior : bool
        Whether the value depends on the sample's prior; if there is one, then not on its labels.
    extensive : bool
        Whether the value grows in proportion to the rows; the jackknife then scales it to all rows.
    """

    name: str
    compute: Callable[[Sample], float]
    needs: Literal["features", "source_probs"]
    unit: str
    bound: Bound = "exact"
    higher_is_better: bool = True
    of_prior: bool = False
    extensive: bool = False

    def value(self, sample: Sample) -> float:
        """Return the value on a sample.

        Raises
        ------
        EeveeError
            If the sample lacks what the measure needs, or the value is not finite.
        """
        if getattr(sample, self.needs) is None:
            words = "features" if self.needs == "features" else "source probabilities"
            raise EeveeError(f"{self.name}: needs {words}; give them, or leave this measure out")
        if not sample.varies:
            raise EeveeError(f"{self.name}: all features are constant; give more rows")
        try:
            value = float(self.compute(sample))
        except np.linalg.LinAlgError:
            value = math.nan
        if not math.isfinite(value):
            raise EeveeError(f"{self.name}: the value is not finite; rescale the features")
        return value + 0.0  # no negative zero

    def notes(self, sample: Sample) -> list[str]:
        """Return what a reader of the value on a sample must know."""
        return []

    def measure(self, sample: Sample, *, n_groups: int = 0, seed: int = 0) -> Measure:
        """Return the value with its cost and, by a jackknife of `n_groups`, its standard error."""
        start = time.perf_counter()
        value = self.value(sample)
        seconds = time.perf_counter() - start

        def scaled(rows: Sample) -> float:
            return self.value(rows) * (sample.n_rows / rows.n_rows if self.extensive else 1)

        stderr = grouped_jackknife(scaled, sample, n_groups, seed) if n_groups else math.nan
        return Measure(value, stderr, self.bound, self.higher_is_better, self.unit, seconds)
