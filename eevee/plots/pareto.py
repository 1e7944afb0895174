"""The Pareto front of loss and cost over everything that was scored, with the tiers marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eevee.plots._frames import checked
from eevee.plots._style import BLACK, BLUE, LOSS, label, new_figure
from eevee.plots.cost import draw_tiers, log_costs

if TYPE_CHECKING:
    from eevee.search.front.pareto import ParetoResult
    from eevee.search.result import SearchResult

MANY = 300
"""Dots that are drawn smaller and paler."""
_TEXT, _NUMBERS = ("kind", "name"), ("cost", "loss")


def pareto_data(
    result: ParetoResult, tiers: Mapping[str, SearchResult] | None = None
) -> pd.DataFrame:
    """Return what `draw_pareto` draws: the cloud, the front and the tiers, by cost.

    Parameters
    ----------
    result : ParetoResult
    tiers : mapping of tier name to SearchResult, optional

    Returns
    -------
    DataFrame
        ``kind ("evaluated", "front" or "tier"), name, cost, loss``; the front's subsets are not
        part of the cloud.
    """
    front, seen = result.front, result.evaluated
    cloud = seen[~seen["benchmarks"].isin(set(front["benchmarks"]))]
    parts = [
        pd.DataFrame({"kind": kind, "name": "", "cost": rows["cost"], "loss": rows["loss"]})
        for kind, rows in (("evaluated", cloud), ("front", front))
    ]
    for name, tier in (tiers or {}).items():
        row = {"kind": "tier", "name": name, "cost": tier.best_row["cost"]}
        parts.append(pd.DataFrame([{**row, "loss": tier.best_row["loss"]}]))
    frame = pd.concat([part for part in parts if not part.empty], ignore_index=True)
    return frame.sort_values(["cost", "loss", "kind", "name"], ignore_index=True)


def draw_pareto(
    ax: Axes, data: pd.DataFrame, cost_unit: str = "benchmarks", *, log_x: bool = False
) -> None:
    """Draw a dot per subset, the front as a step line, and the tiers by name.

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
    if log_x and (data["cost"] > 0).any():
        data = data[data["cost"] > 0]
        log_costs(ax)
    cloud, front = (data[data["kind"] == kind] for kind in ("evaluated", "front"))
    many = len(cloud) > MANY
    dots: dict[str, Any] = {"s": 4 if many else 8, "alpha": 0.25 if many else 0.5, "linewidths": 0}
    ax.scatter(cloud["cost"], cloud["loss"], color=BLUE, label="scored", rasterized=True, **dots)
    ends = [*front["cost"], max(data["cost"])]
    losses = [*front["loss"], *front["loss"].tail(1)]
    ax.step(ends[: len(losses)], losses, where="post", color=BLACK, linewidth=1, label="front")
    if len(front) <= 50:
        ax.plot(front["cost"], front["loss"], ".", color=BLACK, markersize=3)
    ax.grid()
    ax.set_xlabel(f"cost ({label(cost_unit)})")
    ax.set_ylabel(LOSS)
    _leave_out_the_worst(ax, data, front)
    draw_tiers(ax, data[data["kind"] == "tier"])


def _leave_out_the_worst(ax: Axes, data: pd.DataFrame, front: pd.DataFrame) -> None:
    """End the axis above the front where a few of the cloud lose far more than the others."""
    losses = data["loss"].to_numpy(np.float64)
    low, high = float(losses.min()), float(np.quantile(losses, 0.995))
    high = max(high, *front["loss"].head(1), float(data.loc[data["kind"] == "tier", "loss"].max()))
    if np.isfinite(high) and high > low:
        ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))


def pareto_figure(data: pd.DataFrame, cost_unit: str = "benchmarks") -> Figure:
    """Return a figure of two `draw_pareto`, cost linear and logarithmic."""
    with new_figure(6.5, 3.2) as figure:
        left, right = figure.subplots(1, 2)
        draw_pareto(left, data, cost_unit)
        draw_pareto(right, data, cost_unit, log_x=True)
        right.set_ylabel("")
        lows, highs = zip(left.get_ylim(), right.get_ylim(), strict=True)
        for ax in (left, right):
            ax.set_ylim(min(lows), max(highs))
        legend = figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3)
        legend.legend_handles[0].set(sizes=[14], alpha=0.7)  # type: ignore[union-attr]
    return figure
