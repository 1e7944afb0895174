"""What the error does when one benchmark leaves a subset (the paper's Figs. 4 and 6-8)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eevee.plots._fit import fitted
from eevee.plots._frames import checked
from eevee.plots._style import (
    BLACK,
    BOTTOM,
    ERROR,
    HARMS,
    HELPS,
    LINE,
    TOP,
    TWO_COLUMNS,
    error,
    new_figure,
    positions,
    shown_names,
)

_NUMBERS = ("loss_without", "increase", "increase_spread", "loss")


def ablation_data(ablation: pd.DataFrame, loss: float) -> pd.DataFrame:
    """Return what `draw_ablation` draws: one row per benchmark, largest increase first.

    Parameters
    ----------
    ablation : DataFrame
        ``benchmark, loss_without, increase, increase_spread``.
    loss : float
        Of the whole subset.

    Returns
    -------
    DataFrame
        ``benchmark, loss_without, increase, increase_spread, loss``; ties by name.

    Examples
    --------
    >>> ablation = pd.DataFrame(
    ...     {
    ...         "benchmark": ["a", "b"],
    ...         "loss_without": [0.4, 0.6],
    ...         "increase": [0.1, 0.3],
    ...         "increase_spread": [0.1, 0.1],
    ...     }
    ... )
    >>> ablation_data(ablation, loss=0.3)["benchmark"].tolist()
    ['b', 'a']
    """
    data = _rows(ablation.assign(loss=loss))
    return data.sort_values(["increase", "benchmark"], ascending=[False, True], ignore_index=True)


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    text = ("benchmark",)
    return checked(frame, "ablation", text=text, numbers=_NUMBERS, needed=("increase",))


def draw_ablation(ax: Axes, data: pd.DataFrame) -> None:
    """Draw a bar and a whisker (standard deviation over splits) per benchmark.

    Of more than 48 benchmarks the first 36 and the last 8 are drawn.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `ablation_data`.
    """
    data = _rows(data)
    rows, names = shown_names(data["benchmark"].tolist(), ax)
    shown = data.iloc[rows]
    colours = [HELPS if increase >= 0 else HARMS for increase in shown["increase"]]
    ax.barh(
        positions(len(data), rows),
        _rise(shown, shown["increase"]),
        height=0.7,
        color=colours,
        xerr=_whiskers(shown),
        error_kw={"ecolor": BLACK, "elinewidth": 0.8},
    )
    ax.axvline(0, color=BLACK, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel(
        f"rise of the {ERROR} without this benchmark\n"
        "whiskers: standard deviation of the rise over splits"
    )
    loss = float(data["loss"].max())
    ax.set_title(
        f"whole subset, k = {len(data)}: error {error(max(loss, 0.0)):.2g}, search loss {loss:.3g}",
        loc="left",
    )


def _rise(rows: pd.DataFrame, increase: pd.Series[float]) -> pd.Series[float]:
    """Return by how much the error rises where the loss rises by so much."""
    rise: pd.Series[float] = error((rows["loss"] + increase).clip(lower=0)) - error(rows["loss"])
    return rise


def _whiskers(rows: pd.DataFrame) -> list[pd.Series[float]]:
    increase, spread = rows["increase"], rows["increase_spread"].clip(lower=0)
    middle = _rise(rows, increase)
    return [middle - _rise(rows, increase - spread), _rise(rows, increase + spread) - middle]


def ablation_figure(data: pd.DataFrame, width: float = TWO_COLUMNS) -> Figure:
    """Return the figure of `draw_ablation`, as high as its rows need; `width` in inches."""
    height = LINE * 1.1 * max(min(len(data), TOP + BOTTOM + 1), 2)
    with new_figure(width, 1.0 + height) as figure:
        draw_ablation(figure.add_subplot(), data)
        return fitted(figure, height)
