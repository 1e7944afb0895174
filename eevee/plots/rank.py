"""How well each benchmark alone predicts all of them (the paper's Fig. 3)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eevee.plots._fit import fitted, legend_outside
from eevee.plots._frames import checked, with_column
from eevee.plots._style import (
    BOTTOM,
    ERROR,
    LINE,
    MARKERS,
    MEAN_PREDICTOR,
    MOST_ROWS,
    SEARCH,
    TASKS,
    TOP,
    TWO_COLUMNS,
    error,
    label,
    legend_above,
    new_figure,
    positions,
    shown_names,
)


def rank_data(ranking: pd.DataFrame, mean_predictor: float | None = None) -> pd.DataFrame:
    """Return what `draw_rank` draws: one row per benchmark, lowest loss first.

    Parameters
    ----------
    ranking : DataFrame
        ``benchmark, loss, spread`` and, if known, ``task, cost``.
    mean_predictor : float, optional
        The loss of predicting each column's mean.

    Returns
    -------
    DataFrame
        ``benchmark, task, cost, loss, spread, mean_predictor``; ties by cost, then name. A
        benchmark without a loss is left out.

    Examples
    --------
    >>> ranking = pd.DataFrame({"benchmark": ["a", "b"], "loss": [0.5, 0.3], "spread": [0.1, 0.1]})
    >>> rank_data(ranking, mean_predictor=1.0)[["benchmark", "loss", "mean_predictor"]]
      benchmark  loss  mean_predictor
    0         b   0.3             1.0
    1         a   0.5             1.0
    """
    ranking = with_column(with_column(ranking, "task", ""), "cost", float("nan"))
    data = _rows(ranking.assign(mean_predictor=mean_predictor))
    return data.sort_values(["loss", "cost", "benchmark"], ignore_index=True)


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    numbers = ("cost", "loss", "spread", "mean_predictor")
    text = ("benchmark", "task")
    return checked(frame, "rank", text=text, numbers=numbers, needed=("loss",))


def draw_rank(ax: Axes, data: pd.DataFrame) -> None:
    """Draw a dot and a whisker (standard deviation over splits) per benchmark, best at the top.

    Of more than 48 benchmarks the first 36 and the last 8 are drawn. Up to 8 tasks have
    colours and markers of their own.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `rank_data`.
    """
    data = _rows(data)
    kept, names = shown_names(data["benchmark"].tolist(), ax)
    shown = data.iloc[kept].assign(row=positions(len(data), kept))
    for task, colour, marker in _looks(data):
        rows = shown[shown["task"] == task] if task is not None else shown
        ax.errorbar(
            error(rows["loss"]),
            rows["row"],
            xerr=_whiskers(rows),
            fmt=marker,
            color=colour,
            ecolor=colour,
            elinewidth=0.8,
            markersize=4,
            label=label(task or "no task", 20) if task is not None else "",
        )
    if data["mean_predictor"].notna().any():
        ax.axvline(error(data["mean_predictor"].max()), label="mean predictor", **MEAN_PREDICTOR)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="both")
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(
        f"{ERROR} with one benchmark alone\nwhiskers: standard deviation of the loss over splits"
    )
    legend_above(ax)


def _whiskers(rows: pd.DataFrame) -> list[pd.Series[float]]:
    """Return how far the errors of a loss less and plus its spread lie from its own."""
    loss, spread = rows["loss"], rows["spread"].clip(lower=0)
    return [error(loss) - error((loss - spread).clip(lower=0)), error(loss + spread) - error(loss)]


def _looks(data: pd.DataFrame) -> list[tuple[str | None, str, str]]:
    """Return task, colour and marker of each group to draw; task None stands for all rows."""
    tasks = sorted(set(data["task"]), key=lambda task: (task == "", task))
    if not 2 <= len(tasks) <= len(TASKS):
        return [(None, SEARCH, "o")]
    return list(zip(tasks, TASKS, MARKERS, strict=False))


def rank_figure(data: pd.DataFrame, width: float = TWO_COLUMNS) -> Figure:
    """Return the figure of `draw_rank`, as high as its rows need; `width` in inches."""
    rows = len(data) if len(data) <= MOST_ROWS else TOP + BOTTOM + 1
    height = LINE * max(rows, 3)
    with new_figure(width, 1.25 + height) as figure:
        ax = figure.add_subplot()
        draw_rank(ax, data)
        legend_outside(figure, ax)
        return fitted(figure, height)
