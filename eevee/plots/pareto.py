"""The Pareto front of loss and cost over everything that was scored, with the tiers marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked
from eevee.plots._style import (
    BEST,
    ERROR,
    TWO_COLUMNS,
    errors,
    label,
    legend_above,
    loss_axis,
    new_figure,
)
from eevee.plots.cost import draw_front, draw_tiers, log_costs

if TYPE_CHECKING:
    from eevee.search.front.pareto import ParetoResult
    from eevee.search.result import SearchResult

SIDE_BY_SIDE = 5.0
"""Inches from which on both panels stand beside one another."""
_TEXT, _NUMBERS = ("kind", "name"), ("cost", "loss")


def pareto_data(
    result: ParetoResult, tiers: Mapping[str, SearchResult] | None = None
) -> pd.DataFrame:
    """Return what `draw_pareto` draws: the front and the tiers, by cost.

    Parameters
    ----------
    result : ParetoResult
    tiers : mapping of tier name to SearchResult, optional

    Returns
    -------
    DataFrame
        ``kind ("front", "unseen" or "tier"), name, cost, loss``; "unseen" is the front again, by
        the loss over the benchmarks that a subset lacks, where that is known.
    """
    front = result.front
    parts = [front[["cost", "loss"]].assign(kind="front", name="")]
    if "unseen" in front:
        unseen = pd.DataFrame({"cost": front["cost"], "loss": front["unseen"]}).dropna()
        parts.append(unseen.assign(kind="unseen", name=""))
    for name, tier in (tiers or {}).items():
        row = {"kind": "tier", "name": name, "cost": tier.best_row["cost"]}
        parts.append(pd.DataFrame([{**row, "loss": tier.best_row["loss"]}]))
    frame = pd.concat([part for part in parts if not part.empty], ignore_index=True)
    order = ["cost", "loss", "kind", "name"]
    return frame[["kind", "name", "cost", "loss"]].sort_values(order, ignore_index=True)


def draw_pareto(
    ax: Axes, data: pd.DataFrame, cost_unit: str = "benchmarks", *, log_x: bool = False
) -> None:
    """Draw the front as a step line, its losses of unseen benchmarks, and the tiers by name.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `pareto_data`.
    cost_unit : str
    log_x : bool
        Costs on a logarithmic axis; what costs nothing is left out.
    """
    data = checked(data, "pareto", text=_TEXT, numbers=_NUMBERS, needed=_NUMBERS)
    data = errors(data, "loss")
    if log_x and (data["cost"] > 0).any():
        data = data[data["cost"] > 0]
    draw_front(ax, data, "front")
    front, unseen = (data[data["kind"] == kind] for kind in ("front", "unseen"))
    if len(front) <= 50:
        ax.plot(front["cost"], front["loss"], ".", color=BEST, markersize=3)
    if not unseen.empty:
        hollow: dict[str, Any] = {"color": BEST, "markerfacecolor": "white", "markersize": 3}
        hollow |= {"markeredgewidth": 0.6, "linewidth": 0}
        ax.plot(
            unseen["cost"], unseen["loss"], "o", label="front, unseen benchmarks only", **hollow
        )
    if log_x and (data["cost"] > 0).any():
        log_costs(ax)
    ax.grid()
    ax.set_xlabel(f"cost ({label(cost_unit)})")
    ax.set_ylabel(ERROR)
    draw_tiers(ax, data[data["kind"] == "tier"])


def pareto_figure(
    data: pd.DataFrame, cost_unit: str = "benchmarks", width: float = TWO_COLUMNS
) -> Figure:
    """Return a figure of two `draw_pareto`, cost linear and logarithmic; `width` in inches."""
    beside = width >= SIDE_BY_SIDE
    with new_figure(width, 3.2 if beside else 5.0) as figure:
        first, second = figure.subplots(*((1, 2) if beside else (2, 1)))
        draw_pareto(first, data, cost_unit)
        draw_pareto(second, data, cost_unit, log_x=True)
        lows, highs = zip(first.get_ylim(), second.get_ylim(), strict=True)
        for ax in (first, second):
            ax.set_ylim(min(lows), max(highs))
        if not beside:
            loss_axis(first)
        loss_axis(second)
        if beside:
            second.set_ylabel("")
        legend_above(first)
        legend_outside(figure, first)
        return fitted(figure)
