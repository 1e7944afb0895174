"""The lowest error for a cost, with the tiers marked, beside random subsets."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked
from eevee.plots._style import (
    BEST,
    RANDOM,
    TIER,
    TWO_COLUMNS,
    errors,
    label,
    labels,
    legend_above,
    loss_axis,
    new_figure,
)

MOST_LEVELS = 7
"""Names that would stand lower are left out."""

_TEXT, _NUMBERS = ("kind", "name"), ("cost", "loss")
_DRAWN = (*_NUMBERS, "low", "high")


def cost_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what `draw_cost` draws: the front of everything that was scored, and the tiers.

    Parameters
    ----------
    frame : DataFrame
        ``kind ("evaluated", "random", "tier" or "unseen"), name, cost, loss``, a row per subset;
        "unseen" is a tier again, by its loss over the benchmarks that it lacks, and a random
        subset has the name of the search that drew it.

    Returns
    -------
    DataFrame
        ``kind ("front", "random", "tier" or "unseen"), name, cost, loss, low, high``, by cost. The
        front: every subset that loses less than all cheaper ones. Random subsets of one search:
        the medians of cost and loss, and the 10 % and 90 % quantiles of the loss.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"kind": "evaluated", "name": "", "cost": [3, 1, 2], "loss": [0.4, 0.3, 0.2]}
    ... )
    >>> cost_data(frame)[["kind", "cost", "loss"]]
        kind  cost  loss
    0  front   1.0   0.3
    1  front   2.0   0.2
    """
    data = checked(frame, "cost", text=_TEXT, numbers=_NUMBERS, needed=_NUMBERS)
    marked = data[data["kind"].isin(["tier", "unseen"])]
    drawn = [_quantiles(rows, name) for name, rows in _random(data).groupby("name")]
    parts = [_front(data[data["kind"] != "unseen"]), *drawn, marked]
    whole = pd.concat([part for part in parts if not part.empty], ignore_index=True)
    order = ["cost", "loss", "kind", "name"]
    return whole.reindex(columns=[*_TEXT, *_DRAWN]).sort_values(order, ignore_index=True)


def _random(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["kind"] == "random"]


def _front(data: pd.DataFrame) -> pd.DataFrame:
    data = data.sort_values(["cost", "loss"])
    before = data["loss"].cummin().shift(fill_value=float("inf"))
    lower = data.loc[data["loss"] < before, ["cost", "loss"]]
    return lower.assign(kind="front", name="")


def _quantiles(rows: pd.DataFrame, name: object) -> pd.DataFrame:
    low, middle, high = rows["loss"].quantile([0.1, 0.5, 0.9])
    row = {"kind": "random", "name": name, "cost": rows["cost"].median(), "loss": middle}
    return pd.DataFrame([{**row, "low": low, "high": high}])


def draw_cost(
    ax: Axes, data: pd.DataFrame, cost_unit: str = "benchmarks", *, log_x: bool = False
) -> None:
    """Draw the front as a step line, random subsets with their range, and the tiers by name.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `cost_data`.
    cost_unit : str
    log_x : bool
        Costs on a logarithmic axis.
    """
    if "low" not in data:  # of a run folder of version 0.1: every subset
        data = cost_data(data)
    data = checked(data, "cost", text=_TEXT, numbers=_DRAWN, needed=_NUMBERS)
    data = errors(data, "loss", "low", "high")
    draw_front(ax, data, "lowest error up to this cost")
    random, unseen = (data[data["kind"] == kind] for kind in ("random", "unseen"))
    if not random.empty:
        range_of = [random["loss"] - random["low"], random["high"] - random["loss"]]
        look: dict[str, Any] = {"fmt": "o", "color": RANDOM, "markersize": 4, "capsize": 2.5}
        name = "random subsets, median and 10-90 %"
        ax.errorbar(random["cost"], random["loss"], yerr=range_of, label=name, **look)
    if log_x:
        log_costs(ax)
    ax.grid()
    ax.set_xlabel(f"cost ({label(cost_unit)})")
    if not unseen.empty:
        hollow: dict[str, Any] = {"color": TIER, "markerfacecolor": "white", "markersize": 5}
        ax.plot(unseen["cost"], unseen["loss"], "D", label="tier, unseen benchmarks only", **hollow)
    draw_tiers(ax, data[data["kind"] == "tier"])
    loss_axis(ax)
    legend_above(ax)


def draw_front(ax: Axes, data: pd.DataFrame, name: str) -> None:
    """Draw the rows of kind "front" as a step line that goes on to the highest cost."""
    front = data[data["kind"] == "front"]
    ends = [*front["cost"], data["cost"].max()]
    losses = [*front["loss"], *front["loss"].tail(1)]
    ax.step(ends[: len(losses)], losses, where="post", color=BEST, linewidth=1, label=name)


def log_costs(ax: Axes) -> None:
    """Make the axis of costs logarithmic, with plain numbers."""
    ax.set_xscale("log")
    low, high = ax.dataLim.intervalx
    decades = math.log10(high / low) if 0 < low < high else 1.0
    narrow = decades > 0.6 * ax.figure.get_figwidth()  # type: ignore[union-attr]
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if narrow else (1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def draw_tiers(ax: Axes, tiers: pd.DataFrame) -> None:
    """Mark the tiers; their names stand below everything else, where there are no dots."""
    if tiers.empty:
        return
    limit = min(20, int(4.5 * ax.get_window_extent().width / ax.figure.dpi))
    names = labels(tiers["name"].tolist(), limit)
    _make_room_right(ax, tiers["cost"].tolist(), [_width(ax, name) for name in names])
    levels = _levels(_fractions(ax, tiers["cost"]), [_width(ax, name) for name in names])
    row = 0.16 * ax.figure.dpi / ax.get_window_extent().height
    band = row * (min(max(levels), MOST_LEVELS) + 1.5)
    _make_room(ax, band)
    ax.plot(tiers["cost"], tiers["loss"], "D", color=TIER, markersize=5, label="tier")
    for cost, loss, name, level in zip(tiers["cost"], tiers["loss"], names, levels, strict=True):
        if level <= MOST_LEVELS:
            _draw_flag(ax, cost, loss, name, band - row * (level + 1))


def _draw_flag(ax: Axes, cost: float, loss: float, name: str, height: float) -> None:
    """Draw a line from a tier down to a height (a fraction of the axes), and the name there."""
    line = {"arrowstyle": "-", "color": TIER, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    down = ax.get_xaxis_transform()
    ax.annotate("", (cost, loss), (cost, height - 0.01), textcoords=down, arrowprops=line)
    ax.annotate(name, (cost, height), (3, 0), xycoords=down, textcoords="offset points")


def _levels(starts: list[float], widths: list[float]) -> list[int]:
    """Return on which level below the dots each name stands, right of its tier's line.

    A name that reaches under the lines of the tiers to its right stands below all their names;
    so no line crosses a name.
    """
    levels: list[int] = []
    for i in reversed(range(len(starts))):
        end = starts[i] + widths[i]
        right = zip(starts[i + 1 :], levels, strict=True)
        levels.insert(0, max((level + 1 for start, level in right if start <= end), default=0))
    return levels


def _fractions(ax: Axes, costs: pd.Series[float]) -> list[float]:
    """Return where costs lie between the left (0) and the right (1) end of the axes."""
    points = ax.transData.transform([(cost, 1.0) for cost in costs])
    return [float(x) for x, _ in ax.transAxes.inverted().transform(points)]


def _width(ax: Axes, name: str) -> float:
    """Return about how wide a name is, as a fraction of the axes."""
    return (0.07 * len(name) + 0.1) * ax.figure.dpi / ax.get_window_extent().width


def _make_room_right(ax: Axes, costs: list[float], widths: list[float]) -> None:
    """Move the right end of the axes so that names, of a width in axes, end before it."""
    scale = ax.xaxis.get_transform()
    low, high = (float(end) for end in scale.transform(ax.get_xlim()))
    places = (float(place) for place in scale.transform(costs))
    ends = [low + (x - low) / (1 - min(w, 0.5)) for x, w in zip(places, widths, strict=True)]
    end = scale.inverted().transform([max(high, *ends)])[0]
    ax.set_xlim(ax.get_xlim()[0], float(end))


def _make_room(ax: Axes, band: float) -> None:
    """Make the lowest part of the axes, a fraction, free of dots and ticks."""
    low, high = ax.get_ylim()
    ticks = [tick for tick in ax.get_yticks() if low <= tick <= high]
    ax.set_ylim(low - (high - low) * band / (1 - band), high)
    ax.set_yticks(ticks)


def cost_figure(
    data: pd.DataFrame,
    cost_unit: str = "benchmarks",
    *,
    log_x: bool = False,
    width: float = TWO_COLUMNS,
) -> Figure:
    """Return the figure of `draw_cost`; `width` in inches."""
    with new_figure(width, 3.6) as figure:
        ax = figure.add_subplot()
        draw_cost(ax, data, cost_unit, log_x=log_x)
        legend_outside(figure, ax)
        return fitted(figure)
