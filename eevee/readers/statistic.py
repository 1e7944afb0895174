"""Which statistic of its costs over models a benchmark counts with."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError

Statistic = Callable[[FloatArray], float]

_NAMED: dict[str, Callable[..., np.float64]] = {
    "median": np.median,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
}
_QUANTILE = re.compile(r"q([0-9]{1,3}(?:\.[0-9]+)?)")


def read_statistic(name: str) -> Statistic:
    """Return the statistic of a name, as a function of costs of which some may be missing.

    Parameters
    ----------
    name : str
        ``"median"``, ``"mean"``, ``"max"``, ``"min"``, or a quantile in percent: ``"q90"``
        (numpy's linear interpolation).

    Raises
    ------
    EeveeError
        If it is none of these.

    Examples
    --------
    >>> costs = np.array([1.0, 2.0, 6.0, np.nan])
    >>> [round(read_statistic(name)(costs), 2) for name in ("median", "mean", "max", "q75")]
    [2.0, 3.0, 6.0, 4.0]
    """
    quantile = _QUANTILE.fullmatch(name)
    if quantile and float(quantile[1]) <= 100:
        percent = float(quantile[1])
        return _of_measured(lambda costs: np.percentile(costs, percent))
    if name not in _NAMED:
        raise EeveeError(
            f"the statistic of costs is one of {', '.join(_NAMED)}, or a quantile in percent "
            f"such as q90 (q0 to q100), not {name!r}"
        )
    return _of_measured(_NAMED[name])


def _of_measured(function: Callable[..., np.float64]) -> Statistic:
    def statistic(costs: FloatArray) -> float:
        measured = costs[~np.isnan(costs)]
        return float(function(measured)) if measured.size else float("nan")

    return statistic
