"""The loss of the best subsets of each size, next to random ones (the paper's Fig. 5)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eevee.base.errors import EeveeError
from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked
from eevee.plots._style import (
    BEST,
    BLACK,
    RANDOM,
    SEARCH,
    SKY,
    TWO_COLUMNS,
    errors,
    legend_above,
    loss_axis,
    new_figure,
)

Targets = Literal["all", "unseen"]
MOST_BOXES = 40
"""Sizes that have a box each."""

_QUANTILES = {
    "lowest": 0.0,
    "p10": 0.1,
    "q1": 0.25,
    "median": 0.5,
    "q3": 0.75,
    "p90": 0.9,
    "highest": 1.0,
}
_TITLES: dict[Targets, str] = {
    "all": "all benchmarks are targets (falls with k by arithmetic alone)",
    "unseen": "only the other benchmarks are targets",
}


def sweep_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what `draw_sweep` draws: quantiles of the losses of each kind and size.

    Parameters
    ----------
    frame : DataFrame
        ``k, kind ("top" or "random"), targets ("all" or "unseen"), loss``; a row per subset.

    Returns
    -------
    DataFrame
        ``targets, kind, k, subsets, lowest, p10, q1, median, q3, p90, highest``, sorted.

    Examples
    --------
    >>> frame = pd.DataFrame({"k": 1, "kind": "top", "targets": "all", "loss": [0.1, 0.2, 0.6]})
    >>> sweep_data(frame)[["targets", "kind", "k", "subsets", "lowest", "median", "highest"]]
      targets kind  k  subsets  lowest  median  highest
    0     all  top  1        3     0.1     0.2      0.6
    """
    numbers = ("k", "loss")
    data = checked(frame, "sweep", text=("kind", "targets"), numbers=numbers, needed=numbers)
    groups = data.astype({"k": int}).groupby(["targets", "kind", "k"])["loss"]
    quantiles = {name: groups.quantile(share) for name, share in _QUANTILES.items()}
    return pd.DataFrame({"subsets": groups.size(), **quantiles}).reset_index()


def _rows(data: pd.DataFrame, targets: Targets) -> pd.DataFrame:
    numbers = ("k", "subsets", *_QUANTILES)
    data = checked(data, "sweep", text=("targets", "kind"), numbers=numbers, needed=numbers)
    if targets not in set(data["targets"]):
        raise EeveeError(f"sweep: the data has no losses with targets {targets!r}")
    return data[data["targets"] == targets].sort_values("k")


def draw_sweep(ax: Axes, data: pd.DataFrame, targets: Targets = "all") -> None:
    """Draw box plots of the top subsets over k, random ones as a band, and mark the best k.

    Boxes are quartiles, whiskers go from the lowest loss to the 90 % quantile: at k = 1 the top
    are all benchmarks, and a useless one would flatten the rest of the figure.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `sweep_data`.
    targets : {"all", "unseen"}
    """
    data = errors(_rows(data, targets), *_QUANTILES)
    _draw_random(ax, data[data["kind"] == "random"])
    _draw_top(ax, data[data["kind"] == "top"])
    ax.set_xlim(data["k"].min() - 0.8, data["k"].max() + 0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.grid(axis="y")
    ax.set_xlabel("k, benchmarks in a subset")
    ax.set_title(_TITLES[targets] + _where_lowest(data), loc="left")
    loss_axis(ax)


def _where_lowest(data: pd.DataFrame) -> str:
    top = data[data["kind"] == "top"]
    return f"; lowest at k = {_best(top)['k']:.0f}" if len(top) else ""


def _best(top: pd.DataFrame) -> pd.Series[Any]:
    """Return the row of the lowest loss; of equal ones the smallest k."""
    return top.iloc[int(np.argmin(top["lowest"]))]


def _draw_random(ax: Axes, random: pd.DataFrame) -> None:
    if random.empty:
        return
    band: dict[str, Any] = {
        "color": RANDOM,
        "alpha": 0.25,
        "linewidth": 0,
        "label": "random, 10-90 %",
    }
    ax.fill_between(random["k"], random["p10"], random["p90"], **band)
    ax.plot(random["k"], random["median"], color=RANDOM, linewidth=1.2, label="random, median")


def _draw_top(ax: Axes, top: pd.DataFrame) -> None:
    if top.empty:
        return
    if len(top) > MOST_BOXES:
        _draw_top_band(ax, top)
    else:
        _draw_boxes(ax, top)
    best = _best(top)
    star: dict[str, Any] = {
        "color": BEST,
        "markersize": 8.0,
        "markeredgewidth": 0.0,
        "zorder": 5.0,
    }
    ax.plot(best["k"], best["lowest"], "*", label="lowest", **star)


def _draw_top_band(ax: Axes, top: pd.DataFrame) -> None:
    """Draw quartiles as a band where boxes would run into one another."""
    band: dict[str, Any] = {"color": SEARCH, "alpha": 0.25, "linewidth": 0}
    name = f"top {top['subsets'].max():.0f}, quartiles"
    ax.fill_between(top["k"], top["q1"], top["q3"], label=name, **band)
    ax.plot(top["k"], top["lowest"], color=SEARCH, linewidth=1.2, label="top, lowest")


def _draw_boxes(ax: Axes, top: pd.DataFrame) -> None:
    boxes = [
        {"med": row.median, "q1": row.q1, "q3": row.q3, "whislo": row.lowest, "whishi": row.p90}
        for row in top.itertuples()
    ]
    ax.bxp(
        boxes,
        positions=top["k"],
        widths=0.6,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": SKY, "edgecolor": SEARCH, "linewidth": 0.8},
        medianprops={"color": BLACK, "linewidth": 1},
        whiskerprops={"color": SEARCH, "linewidth": 0.8},
        capprops={"color": SEARCH, "linewidth": 0.8},
        label=f"top {top['subsets'].max():.0f}, lowest to 90 %",
    )


def sweep_figure(data: pd.DataFrame, width: float = TWO_COLUMNS) -> Figure:
    """Return a panel for each kind of targets that the data has, stacked; `width` in inches."""
    known = checked(data, "sweep", text=("targets",), numbers=())["targets"].to_list()
    panels: list[Targets] = [targets for targets in _TITLES if targets in known]
    if not panels:
        raise EeveeError("sweep: the targets must be 'all' or 'unseen'")
    with new_figure(width, 0.4 + 2.8 * len(panels)) as figure:
        axes = figure.subplots(len(panels), squeeze=False)[:, 0]
        for ax, targets in zip(axes, panels, strict=True):
            draw_sweep(ax, data, targets)
        legend_above(axes[0])
        legend_outside(figure, axes[0])
        return fitted(figure)
