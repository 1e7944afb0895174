"""The loss of subsets against what they cost, with the tiers marked."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from eevee.plots._frames import checked
from eevee.plots._style import BLACK, BLUE, LOSS, ORANGE, VERMILION, label, legend_above, new_figure

_CLOUDS = {"evaluated": ("searched", BLUE, 4), "random": ("random", ORANGE, 7)}
MOST_LEVELS = 7
"""Names that would stand lower are left out."""

_TEXT, _NUMBERS = ("kind", "name"), ("cost", "loss")


def cost_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what `draw_cost` draws: subsets by cost, with the lowest loss up to each cost.

    Parameters
    ----------
    frame : DataFrame
        ``kind ("evaluated", "random", "tier" or "unseen"), name, cost, loss``, a row per subset;
        "unseen" is a tier again, by its loss over the benchmarks that it lacks.

    Returns
    -------
    DataFrame
        The same rows by cost, then loss, and ``best``: the lowest loss at that cost or less,
        "unseen" rows aside.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"kind": "evaluated", "name": "", "cost": [3, 1, 2], "loss": [0.4, 0.3, 0.2]}
    ... )
    >>> cost_data(frame)[["cost", "loss", "best"]]
       cost  loss  best
    0   1.0   0.3   0.3
    1   2.0   0.2   0.2
    2   3.0   0.4   0.2
    """
    data = checked(frame, "cost", text=_TEXT, numbers=_NUMBERS, needed=_NUMBERS)
    data = data.sort_values(["cost", "loss", "kind", "name"], ignore_index=True)
    compared = data["loss"].where(data["kind"] != "unseen")
    return data.assign(best=compared.cummin().ffill())


def draw_cost(
    ax: Axes, data: pd.DataFrame, cost_unit: str = "benchmarks", *, log_x: bool = False
) -> None:
    """Draw a dot per subset, the lowest loss so far as a step line, and the tiers by name.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `cost_data`.
    cost_unit : str
    log_x : bool
        Costs on a logarithmic axis.
    """
    numbers = (*_NUMBERS, "best")
    data = checked(data, "cost", text=_TEXT, numbers=numbers, needed=numbers)
    for kind, (name, colour, size) in _CLOUDS.items():
        rows = data[data["kind"] == kind]
        counted = f"{name} ({len(rows):,} subsets)" if kind == "random" else name
        dots: dict[str, Any] = {
            "s": size,
            "color": colour,
            "label": counted,
            "alpha": 0.4,
            "linewidths": 0,
        }
        if not rows.empty:
            ax.scatter(rows["cost"], rows["loss"], rasterized=True, **dots)
    ax.step(
        data["cost"],
        data["best"],
        where="post",
        color=BLACK,
        linewidth=1,
        label="lowest found up to this cost",
    )
    if log_x:
        log_costs(ax)
    ax.grid()
    ax.set_xlabel(f"cost ({label(cost_unit)})")
    ax.set_ylabel(LOSS)
    unseen = data[data["kind"] == "unseen"]
    if not unseen.empty:
        hollow: dict[str, Any] = {"color": VERMILION, "markerfacecolor": "white", "markersize": 5}
        ax.plot(unseen["cost"], unseen["loss"], "D", label="tier, unseen benchmarks only", **hollow)
    draw_tiers(ax, data[data["kind"] == "tier"])
    legend_above(ax)


def log_costs(ax: Axes) -> None:
    """Make the axis of costs logarithmic, with plain numbers."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def draw_tiers(ax: Axes, tiers: pd.DataFrame) -> None:
    """Mark the tiers; their names stand below everything else, where there are no dots."""
    if tiers.empty:
        return
    names = [label(name, 20) for name in tiers["name"]]
    levels = _levels(_fractions(ax, tiers["cost"]), [_width(ax, name) for name in names])
    row = 0.16 * ax.figure.dpi / ax.get_window_extent().height
    band = row * (min(max(levels), MOST_LEVELS) + 1.5)
    _make_room(ax, band)
    ax.plot(tiers["cost"], tiers["loss"], "D", color=VERMILION, markersize=5, label="tier")
    for cost, loss, name, level in zip(tiers["cost"], tiers["loss"], names, levels, strict=True):
        if level <= MOST_LEVELS:
            _draw_flag(ax, cost, loss, name, band - row * (level + 1))


def _draw_flag(ax: Axes, cost: float, loss: float, name: str, height: float) -> None:
    """Draw a line from a tier down to a height (a fraction of the axes), and the name there."""
    line = {"arrowstyle": "-", "color": VERMILION, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
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


def _make_room(ax: Axes, band: float) -> None:
    """Make the lowest part of the axes, a fraction, free of dots and ticks."""
    low, high = ax.get_ylim()
    ticks = [tick for tick in ax.get_yticks() if low <= tick <= high]
    ax.set_ylim(low - (high - low) * band / (1 - band), high)
    ax.set_yticks(ticks)


def cost_figure(
    data: pd.DataFrame, cost_unit: str = "benchmarks", *, log_x: bool = False
) -> Figure:
    """Return the figure of `draw_cost`."""
    with new_figure(6.5, 4.0) as figure:
        draw_cost(figure.add_subplot(), data, cost_unit, log_x=log_x)
    return figure
