"""Loss-data curves of representations, and what is read off them as samples are added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve, LossDataMeasure, Rule
from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked
from eevee.plots._style import (
    GREY,
    MARKERS,
    TASKS,
    TWO_COLUMNS,
    label,
    legend_above,
    name_limit,
    new_figure,
)

_COLOURS = [TASKS[3], TASKS[4], *TASKS[:3], *TASKS[5:]]
MOST_CURVES = len(_COLOURS)
"""Curves that have a colour and a name each; the others are grey."""
_NAMES = {
    "va": "validation loss (nats)",
    "mdl": "MDL (nats)",
    "sdl": "SDL (nats)",
    "esc": "sample complexity",
}


def probes_data(
    curves: Sequence[LossDataCurve], epsilon: float, rule: Rule = "left"
) -> pd.DataFrame:
    """Return what `draw_probes` draws: each measure of each curve, as if it ended at each size.

    Parameters
    ----------
    curves : sequence of LossDataCurve
    epsilon : float
        The tolerance of SDL and sample complexity, in nats.
    rule : {"left", "right", "trapezoid"}
        As of `LossDataCurve.sdl`.

    Returns
    -------
    DataFrame
        ``curve, measure ("va", "mdl", "sdl" or "esc"), n, value, stderr, bound, epsilon``.

    Examples
    --------
    >>> curve = LossDataCurve.of([10, 100], [0.5, 0.1], n_classes=2, name="a")
    >>> probes_data([curve], 0.2)[["measure", "n", "value", "bound"]].iloc[-2:].values.tolist()
    [['esc', 10, 10.0, 'lower'], ['esc', 100, 100.0, 'exact']]
    """
    rows: list[dict[str, object]] = []
    for curve in curves:
        for n in map(int, curve.sizes):
            found = [curve.va(n), curve.mdl(n, rule), curve.sdl(epsilon, n, rule)]
            rows += [_row(curve.name, one, epsilon) for one in [*found, curve.esc(epsilon, n)]]
    if not rows:
        raise EeveeError("probes: there is no curve to draw")
    frame = pd.DataFrame(rows)
    order = [frame["measure"] == name for name in _NAMES]
    return pd.concat([frame[one] for one in order], ignore_index=True)


def _row(curve: str, one: LossDataMeasure, epsilon: float) -> dict[str, object]:
    return {
        "curve": curve, "measure": one.name, "n": one.n, "value": one.value,
        "stderr": one.stderr, "bound": one.bound, "epsilon": epsilon,
    }  # fmt: skip


def draw_probes(ax: Axes, data: pd.DataFrame, measure: str = "va") -> None:
    """Draw a measure of each curve over the number of samples; open marks are lower bounds.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `probes_data`.
    measure : {"va", "mdl", "sdl", "esc"}
        The validation loss has epsilon as a line, with each curve's surplus shaded and its sample
        complexity marked.
    """
    data = _checked(data)
    if measure not in set(data["measure"]):
        raise EeveeError(f"probes: the data has no {measure!r}")
    rows = data[data["measure"] == measure]
    epsilon = float(rows["epsilon"].iloc[0])
    parts = [(str(name), part.sort_values("n")) for name, part in rows.groupby("curve", sort=False)]
    for i, (name, part) in enumerate(parts[:MOST_CURVES]):
        _draw_curve(ax, part, label(name, name_limit(ax)), i)
        if measure == "va":
            _draw_reached(ax, part, epsilon, _COLOURS[i])
    _draw_others(ax, [part for _, part in parts[MOST_CURVES:]])
    if measure == "va":
        ax.axhline(epsilon, color=GREY, linestyle="--", linewidth=1.0, label=f"ε = {epsilon:g}")
        ax.set_ylim(bottom=0)
    else:
        _scale(ax, rows["value"].to_numpy())
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(axis="y")
    ax.set_xlabel("samples to fit a probe on")
    ax.set_ylabel(_NAMES[measure])


def _scale(ax: Axes, values: FloatArray) -> None:
    """Take logarithms, but for what is zero."""
    above = values[values > 0]
    if not len(above):
        return
    if len(above) == len(values):
        ax.set_yscale("log")
        few = np.log10(above.max() / above.min()) < 2
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
    else:
        ax.set_yscale("symlog", linthresh=above.min())
        ax.set_ylim(bottom=0)


def _checked(data: pd.DataFrame) -> pd.DataFrame:
    numbers = ("n", "value", "stderr", "epsilon")
    text = ("curve", "measure", "bound")
    data = checked(data, "probes", text=text, numbers=numbers, needed=("n", "value", "epsilon"))
    if not (data["n"] > 0).all() or not set(data["measure"]) <= set(_NAMES):
        raise EeveeError(f"probes: sizes must be above 0, and measures of {', '.join(_NAMES)}")
    return data


def _draw_curve(ax: Axes, rows: pd.DataFrame, name: str, i: int) -> None:
    colour, marker = _COLOURS[i], MARKERS[i % len(MARKERS)]
    n, value, error = (rows[one].to_numpy() for one in ("n", "value", "stderr"))
    ax.plot(n, value, color=colour, linewidth=1.2, marker=marker, markersize=3.5, label=name)
    open_ones = (rows["bound"] == "lower").to_numpy()
    look: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 3.5, "zorder": 3}
    ax.plot(n[open_ones], value[open_ones], markerfacecolor="white", color=colour, **look)
    if np.isfinite(error).any():
        spread = np.nan_to_num(error)
        band: dict[str, Any] = {"color": colour, "alpha": 0.2, "linewidth": 0}
        ax.fill_between(n, np.maximum(value - spread, 0), value + spread, **band)


def _draw_others(ax: Axes, parts: Sequence[pd.DataFrame]) -> None:
    if parts:
        lines = [part[["n", "value"]].to_numpy() for part in parts]
        name = f"({len(parts)} more)"
        ax.add_collection(LineCollection(lines, colors=GREY, linewidths=0.5, alpha=0.4, label=name))
        ax.autoscale_view()


def _draw_reached(ax: Axes, rows: pd.DataFrame, epsilon: float, colour: str) -> None:
    n, value = rows["n"].to_numpy(), rows["value"].to_numpy()
    shade: dict[str, Any] = {"color": colour, "alpha": 0.07, "linewidth": 0, "interpolate": True}
    ax.fill_between(n, epsilon, value, where=list(value > epsilon), **shade)
    if (value <= epsilon).any():
        first = n[np.argmax(value <= epsilon)]
        ax.axvline(first, ymax=0.06, color=colour, linewidth=1.5)


def probes_figure(data: pd.DataFrame, width: float = TWO_COLUMNS) -> Figure:
    """Return four panels: the curves, MDL, SDL and sample complexity; `width` in inches."""
    measures = [one for one in _NAMES if one in set(_checked(data)["measure"])]
    columns = 2 if width >= TWO_COLUMNS else 1
    n_rows = math.ceil(len(measures) / columns)
    with new_figure(width, 0.5 + (2.3 if columns > 1 else 2.0) * n_rows) as figure:
        axes = figure.subplots(n_rows, columns, squeeze=False).ravel()
        for ax, measure in zip(axes, measures, strict=False):
            draw_probes(ax, data, measure)
        for ax in axes[len(measures) :]:
            ax.remove()
        ax = axes[0]
        ax.plot([], [], "o", color=GREY, markerfacecolor="white", markersize=3.5, label="at least")
        legend_above(ax)
        legend_outside(figure, ax)
        return fitted(figure)
