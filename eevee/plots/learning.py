"""The held-out loss over the number of models, beside random subsets and the mean predictor."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked
from eevee.plots._style import (
    MEAN_PREDICTOR,
    RANDOM,
    SEARCH,
    TWO_COLUMNS,
    errors,
    legend_above,
    loss_axis,
    new_figure,
)

_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "search": ("search, 95 % interval", {"color": SEARCH, "marker": "o", "zorder": 3}),
    "random": ("random subsets, mean", {"color": RANDOM, "marker": "s"}),
    "mean predictor": ("mean predictor", MEAN_PREDICTOR),
}
_NUMBERS = ("n_models", "loss", "low", "high")


def learning_data(sizes: pd.DataFrame, targets: str = "all") -> pd.DataFrame:
    """Return what `draw_learning` draws: losses by number of models and kind.

    Parameters
    ----------
    sizes : DataFrame
        Of `eevee.assessment.LearningCurve`.
    targets : {"all", "unseen"}
        What the searches minimised.

    Returns
    -------
    DataFrame
        ``n_models, kind ("search", "random" or "mean predictor"), loss, low, high``; the limits
        are Nadeau and Bengio's, and blank but for the search.

    Examples
    --------
    >>> row = {"n_models": 8, "loss": 0.5, "t_low": 0.4, "t_high": 0.6, "random": 0.7}
    >>> learning_data(pd.DataFrame([row | {"mean_predictor": 1.0}]))["loss"].tolist()
    [0.5, 0.7, 1.0]
    """
    end = "" if targets == "all" else "_unseen"
    columns = {"loss": f"loss{end}", "low": f"t_low{end}", "high": f"t_high{end}"}
    search = pd.DataFrame({name: sizes[column] for name, column in columns.items()})
    parts = [search.assign(kind="search", n_models=sizes["n_models"])]
    for kind, column in (("random", "random"), ("mean predictor", "mean_predictor")):
        part = pd.DataFrame({"n_models": sizes["n_models"], "loss": sizes[column]})
        parts.append(part.assign(kind=kind))
    frame = pd.concat(parts, ignore_index=True)[["n_models", "kind", "loss", "low", "high"]]
    return frame


def draw_learning(ax: Axes, data: pd.DataFrame) -> None:
    """Draw a line per kind, the search with its interval as a band.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `learning_data`.
    """
    data = checked(data, "learning", text=("kind",), numbers=_NUMBERS, needed=("n_models", "loss"))
    data = errors(data, "loss", "low", "high")
    for kind, (name, style) in _KINDS.items():
        rows = data[data["kind"] == kind].sort_values("n_models")
        if rows.empty:
            continue
        look: dict[str, Any] = {"linewidth": 1.2, "markersize": 4, **style}
        ax.plot(rows["n_models"], rows["loss"], label=name, **look)
        if rows["low"].notna().any():
            band: dict[str, Any] = {"color": style["color"], "alpha": 0.18, "linewidth": 0}
            ax.fill_between(rows["n_models"], rows["low"], rows["high"], **band)
    ticks = sorted(set(data["n_models"]))
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    ax.xaxis.set_minor_locator(NullLocator())
    # The interval of the fewest models may be many times as wide as all the rest.
    ax.set_ylim(0, 1.15 * float(data["loss"].quantile(0.9)))
    ax.grid(axis="y")
    ax.set_xlabel("models to search on and to fit on")
    loss_axis(ax, "held-out loss")
    legend_above(ax)


def learning_figure(data: pd.DataFrame, width: float = TWO_COLUMNS) -> Figure:
    """Return a figure of the learning curve; `width` in inches."""
    with new_figure(width, 3.2) as figure:
        ax = figure.add_subplot()
        draw_learning(ax, data)
        legend_outside(figure, ax)
        return fitted(figure, 2.2)
