"""The Pareto front of (loss, cost): which subsets no cheaper one beats, and how good a front is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError
from eevee.search.result import Ledger

Point = tuple[float, float, Subset]
"""Cost, loss and names of a subset."""


def non_dominated(points: Iterable[Point]) -> list[Point]:
    """Return the points that no other one dominates, by rising cost and falling loss.

    A point dominates another if it costs no more and loses no more, and one of the two is less.
    Losses are compared by 6 significant digits; of equal points the first by names stays, and
    blank losses are left out.

    Examples
    --------
    >>> non_dominated([(1.0, 0.5, ("a",)), (2.0, 0.5, ("b",)), (3.0, 0.2, ("c",))])
    [(1.0, 0.5, ('a',)), (3.0, 0.2, ('c',))]
    """
    known = [(cost, round6(loss), names) for cost, loss, names in points if np.isfinite(loss)]
    front: list[Point] = []
    for point in sorted(known):
        if not front or point[1] < front[-1][1]:
            front.append(point)
    return front


def front_of(ledger: Ledger) -> list[Point]:
    """Return the front of every subset that was scored."""
    cost_of = ledger.scorer.table.cost_of
    return non_dominated((cost_of(subset), row[0], subset) for subset, row in ledger.rows.items())


def evenly(front: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return up to `count` rows of a front, spread evenly over cost; the first and last too.

    Each is the row that an evenly spaced budget would buy.

    Examples
    --------
    >>> front = pd.DataFrame({"cost": [0.0, 0.1, 5.0, 9.9, 10.0]})
    >>> evenly(front, 3)["cost"].tolist()
    [0.0, 5.0, 10.0]
    """
    costs = front["cost"].to_numpy(np.float64)
    budgets = np.linspace(costs[0], costs[-1], count)
    places = np.unique(np.searchsorted(costs, budgets, side="right") - 1)
    return front if len(front) <= count else front.iloc[places]


def hypervolume(front: pd.DataFrame, mean_predictor: float, total_cost: float) -> float:
    """Return which share of all (loss, cost) a front dominates: higher is better, 1 the bound.

    The area between the front and the point at which nothing is learnt for the cost of
    everything: losses are divided by the mean predictor's, costs by the total.

    Parameters
    ----------
    front : DataFrame
        Subsets, with columns ``cost, loss``; dominated ones change nothing.
    mean_predictor : float
        Loss of predicting each column's training mean.
    total_cost : float
        Cost of all benchmarks; where it is 0, all costs count as none.

    Returns
    -------
    float

    Raises
    ------
    EeveeError
        If the loss of the mean predictor is not positive: there is nothing to predict.

    Notes
    -----
    Zitzler and Thiele, "Multiobjective evolutionary algorithms" (IEEE Transactions on
    Evolutionary Computation 3, 1999), section III.

    Examples
    --------
    >>> front = pd.DataFrame({"cost": [1.0, 2.0], "loss": [0.5, 0.25]})
    >>> hypervolume(front, mean_predictor=1.0, total_cost=4.0)
    0.5
    """
    if not mean_predictor > 0:
        raise EeveeError(f"the mean predictor's loss must be positive, got {mean_predictor:g}")
    shares = front["cost"].to_numpy(np.float64) / (total_cost or np.inf)
    losses = front["loss"].to_numpy(np.float64) / mean_predictor
    counted = np.isfinite(losses) & (shares < 1) & (losses < 1)
    order = np.argsort(shares[counted], kind="stable")
    starts = np.append(shares[counted][order], 1.0)
    lowest = np.minimum.accumulate(losses[counted][order])
    return float(np.sum(np.diff(starts) * (1.0 - lowest)))
