"""Types of arrays, and sums of costs that depend neither on order nor on binary fractions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from eevee.base.errors import EeveeError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Subset = tuple[str, ...]

MAX_COST = 1e100
"""Costs and speeds are at most this, so that no sum or product of them is infinite."""


def as_array(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """Return an array; not a copy where it is one already.

    Raises
    ------
    EeveeError
        If rows have different lengths.

    Examples
    --------
    >>> as_array([[1, 2], [3]], "features")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: features: rows have different lengths
    """
    try:
        return np.asarray(values)
    except ValueError:
        raise EeveeError(f"{what}: rows have different lengths") from None


def round_cost(value: float) -> float:
    """Round to 12 significant digits: more than costs are known to, and what files hold.

    Examples
    --------
    >>> round_cost(0.1 + 0.2) <= 0.3
    True
    """
    return float(f"{value:.12g}")


def total_cost(costs: Iterable[float]) -> float:
    """Sum costs so that neither order nor binary fractions show."""
    return round_cost(math.fsum(costs))


def round6(value: float) -> float:
    """Round to 6 significant digits: what files hold and ties are judged by.

    Examples
    --------
    >>> round6(0.123456789), round6(1234567.0)
    (0.123457, 1234570.0)
    """
    return float(f"{value:.6g}")
