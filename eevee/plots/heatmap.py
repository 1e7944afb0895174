"""Which model does well where (the paper's Figs. 9-11)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eevee.base.errors import EeveeError
from eevee.plots._fit import fitted
from eevee.plots._frames import checked
from eevee.plots._style import GREY, LINE, PALE, every, label, labels, name_limit, new_figure
from eevee.tables.results_table import ResultsTable

NAME = 24
LETTER = 0.065
"""Inches of a letter of a name."""
PAGE = 7.5
"""Inches of cells and names in a figure of a given width: with the rest a page holds them."""
LARGEST = (12.5, 12.5)
"""Inches of the cells together, across and down; beyond it labels are thinned out."""


def heatmap_data(
    table: ResultsTable, by: str | None = None, benchmarks: Iterable[str] | None = None
) -> pd.DataFrame:
    """Return what `draw_heatmap` draws: the standing of every model on every benchmark.

    The standing is 1 for the best of the models that were measured, 0 for the last, linear in
    the rank between; ties share the average, and a benchmark with several score columns has
    their mean.

    Parameters
    ----------
    table : ResultsTable
    by : str, optional
        Benchmarks are ordered by their Spearman correlation with this one; by default the one
        that correlates most with the mean standing.
    benchmarks : iterable of str, optional
        Show only these, such as those of a tier.

    Returns
    -------
    DataFrame
        ``model, benchmark, standing, correlation, by``, a row per cell; models in the order of
        their mean standing, benchmarks in that of their correlation. NaN where not measured.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 3.0, 2.0], "b": [1.0, 2.0, 2.0]}, index=["x", "y", "z"])
    >>> heatmap_data(ResultsTable.from_scores(scores), by="a").query("model == 'z'")
      model benchmark  standing  correlation by
    2     z         a      0.50     1.000000  a
    3     z         b      0.75     0.866025  a
    """
    standings = _standings(table)
    if by is None:
        by = str(_spearman(standings, standings.mean(axis=1)).fillna(-2).idxmax())
    if by not in standings:
        (by,) = table.subset([by])
        raise EeveeError(f"benchmark {by!r} has no score column to compare with")
    correlation = _spearman(standings, standings[by])
    shown = table.subset(standings.columns if benchmarks is None else benchmarks)
    across = _ordered([name for name in shown if name in standings], correlation, first=by)
    down = _ordered(list(standings.index), standings[across].mean(axis=1))
    return pd.DataFrame(
        {
            "model": [model for model in down for _ in across],
            "benchmark": across * len(down),
            "standing": standings.loc[down, across].to_numpy().ravel(),
            "correlation": list(correlation[across]) * len(down),
            "by": by,
        }
    )


def _spearman(standings: pd.DataFrame, other: pd.Series[float]) -> pd.Series[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column has no correlation: NaN, sorted last
        values = [
            column.corr(other, method="spearman", min_periods=3) for _, column in standings.items()
        ]
    return pd.Series(values, index=standings.columns)


def _ordered(names: list[str], values: pd.Series[float], first: str | None = None) -> list[str]:
    """Return names by falling value; missing values last, ties by name."""
    order = dict(zip(values.index, values.fillna(-2), strict=True))
    return sorted(names, key=lambda name: (name != first, -order[name], name))


def _standings(table: ResultsTable) -> pd.DataFrame:
    """Return models x benchmarks that have a score column."""
    scores = pd.DataFrame(table.oriented, index=table.scores.index)[np.flatnonzero(table.is_target)]
    ranks = scores.rank(ascending=False, method="average")
    measured = scores.notna().sum()
    standing = (measured - ranks) / (measured - 1)
    owners = np.array(table.benchmark_names, dtype=object)[table.column_owner[table.is_target]]
    return standing.T.groupby(owners).mean().T


def _grid(data: pd.DataFrame) -> pd.DataFrame:
    data = checked(
        data, "heatmap", text=("model", "benchmark", "by"), numbers=("standing", "correlation")
    )
    cells = data.pivot_table("standing", index="model", columns="benchmark", aggfunc="first")
    return cells.reindex(index=data["model"].unique(), columns=data["benchmark"].unique())


def draw_heatmap(ax: Axes, data: pd.DataFrame) -> None:
    """Draw a cell per model and benchmark, brighter for a better rank, hatched where missing.

    Parameters
    ----------
    ax : Axes
    data : DataFrame
        From `heatmap_data`.
    """
    grid = _grid(data)
    ax.patch.set(facecolor=PALE, hatch="//////", edgecolor=GREY)
    image = ax.imshow(grid, cmap="viridis", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    width, height = _room(ax, grid)
    across, down = every(grid.shape[1], width), every(grid.shape[0], height)
    _label_ticks(ax, grid, across, down)
    by = label(str(data["by"].iloc[0]), name_limit(ax))
    hatched = "; hatched: not measured" if grid.isna().to_numpy().any() else ""
    ax.set_xlabel(
        f"benchmarks, from left to right less like {by} (Spearman{_nth(across)}){hatched}"
    )
    ax.set_ylabel(f"models, best first{_nth(down)}")
    share = min(1.0, 1.6 / width)
    where: dict[str, Any] = {"location": "top", "anchor": (0.0, 0.0), "aspect": 14}
    bar = ax.figure.colorbar(image, ax=ax, shrink=share, pad=0.01, **where)
    bar.set_ticks([0, 1], labels=["last", "best"])
    bar.set_label("rank of the model")
    bar.outline.set_visible(False)


def _label_ticks(ax: Axes, grid: pd.DataFrame, across: int, down: int) -> None:
    columns, rows = range(0, grid.shape[1], across), range(0, grid.shape[0], down)
    limit = min(NAME, name_limit(ax))
    ax.set_xticks(columns, labels([grid.columns[i] for i in columns], limit), rotation=90)
    ax.set_yticks(rows, labels([grid.index[i] for i in rows], limit))
    ax.tick_params(length=0 if across == down == 1 else 2)
    ax.spines[:].set_visible(False)


def _nth(step: int) -> str:
    """Say which names are shown, where not all are."""
    if step == 1:
        return ""
    end = "th" if step % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
    return f"; every {step}{end} name is shown"


def _room(ax: Axes, grid: pd.DataFrame) -> tuple[float, float]:
    """Return about how many inches the cells together have, once the names have theirs."""
    limit = min(NAME, name_limit(ax))
    width, height = ax.figure.get_size_inches()  # type: ignore[union-attr]
    down, across = (LETTER * max(min(len(n), limit) for n in names) for names in grid.axes)
    return max(0.5, width - 0.4 - down), max(0.5, height - 1.2 - across)


def _size(grid: pd.DataFrame) -> tuple[float, float]:
    """Return the size of the cells together, in inches."""
    rows, columns = grid.shape
    return min(max(10, columns) * LINE, LARGEST[0]), min(max(8, rows) * LINE, LARGEST[1])


def heatmap_figure(data: pd.DataFrame, width: float | None = None) -> Figure:
    """Return the figure of `draw_heatmap`; `width` in inches, by default what its cells need."""
    grid = _grid(data)
    across, height = _size(grid)
    longest = [max(min(len(name), NAME) for name in names) for names in grid.axes]
    natural = across + 0.4 + LETTER * longest[0]
    if width is not None:
        height = min(height, PAGE - LETTER * longest[1])
    with new_figure(width or max(natural, 2.5), height + 1.2 + LETTER * longest[1]) as figure:
        draw_heatmap(figure.add_subplot(), data)
        return fitted(figure)
