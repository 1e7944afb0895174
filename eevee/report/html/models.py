"""Models: by mean score and rank under each tier, the map of ranks, groups, and correlations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup

from eevee.analysis.standings import (
    EVERYTHING,
    Standings,
    Weights,
    correlation_map,
    group_means,
    grouping_attributes,
    standings,
)
from eevee.plots.heatmap import heatmap_data
from eevee.report.html.charts import Axis, Point, Row, dot_chart
from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.words import MINUS, counted, number
from eevee.tables.results_table import ResultsTable

_RANK = Legend("viridis", 0.0, 1.0, ("last", "best"), "not measured")
_RHO = Legend("RdBu_r", -1.0, 1.0, (f"{MINUS}1, opposite order", "+1, the same order"), "not known")
_ROWS = 20
"""Benchmarks that groups are compared on, where the table has no tasks."""
_KINDS = 8
"""Groups that have a look of their own."""


@dataclass(frozen=True)
class ModelRow:
    """A model: its mean scores by part, and ranks by part; blanks are NaN and None."""

    name: str
    means: tuple[float, ...]
    ranks: tuple[int | None, ...]
    tasks: tuple[float, ...]


@dataclass(frozen=True)
class ModelTable:
    """Tables 2 and 3 of the paper.

    Attributes
    ----------
    parts, tasks : tuple of str
        All benchmarks and the tiers; the tasks.
    rows : tuple of ModelRow
        The best first.
    kendall : tuple of (tier, tau)
    """

    parts: tuple[str, ...]
    tasks: tuple[str, ...]
    rows: tuple[ModelRow, ...]
    kendall: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Groups:
    """Mean scores of groups of models by one attribute.

    Attributes
    ----------
    attribute : str
    sizes : tuple of (group, number of models, kind of its marker)
    chart : Markup
    rows : tuple of (part, means by group)
    by_task : bool
    """

    attribute: str
    sizes: tuple[tuple[str, int, str], ...]
    chart: Markup
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    by_task: bool


@dataclass(frozen=True)
class Maps:
    """Pictures of the whole table.

    Attributes
    ----------
    ranks : tuple of (name, Markup)
        Of all benchmarks, then of each tier.
    by : str
        The benchmark that the others are ordered by.
    correlations : Markup or None
    """

    ranks: tuple[tuple[str, Markup], ...]
    by: str
    correlations: Markup | None


def model_table(
    table: ResultsTable, subsets: Mapping[str, tuple[str, ...]], weights: Weights | None
) -> ModelTable:
    """Rank the models on everything and on each tier."""
    found = standings(table, subsets, weights=weights)
    return ModelTable(
        parts=tuple(map(str, found.means.columns)),
        tasks=tuple(map(str, found.tasks.columns)),
        rows=tuple(_rows(found)),
        kendall=tuple((str(name), float(tau)) for name, tau in found.kendall.items()),
    )


def _rows(found: Standings) -> Iterator[ModelRow]:
    parts = zip(
        found.means.index,
        found.means.to_numpy(np.float64).tolist(),
        found.ranks.astype(object).to_numpy().tolist(),
        found.tasks.to_numpy(np.float64).tolist(),
        strict=True,
    )
    for name, means, ranks, tasks in parts:
        whole = tuple(None if pd.isna(rank) else int(rank) for rank in ranks)
        yield ModelRow(str(name), tuple(means), whole, tuple(tasks))


def maps(table: ResultsTable, subsets: Mapping[str, tuple[str, ...]]) -> Maps:
    """Draw the ranks of models on benchmarks (Figs. 9 to 11), and how benchmarks correlate."""
    chosen = {name for subset in subsets.values() for name in subset}
    whole = heatmap_data(table)
    by = str(whole["by"].iloc[0])
    parts = [(EVERYTHING, whole)]
    parts += [
        (name, heatmap_data(table, by if by in subset else None, subset))
        for name, subset in subsets.items()
        if len(subset) > 1
    ]
    drawn = [(name, _draw_ranks(i, name, data, chosen)) for i, (name, data) in enumerate(parts)]
    return Maps(tuple(drawn), by, _draw_correlations(table, chosen))


def _draw_ranks(place: int, name: str, data: pd.DataFrame, chosen: set[str]) -> Markup:
    cells = data.pivot_table("standing", index="model", columns="benchmark", aggfunc="first")
    cells = cells.reindex(index=data["model"].unique(), columns=data["benchmark"].unique())
    return matrix(
        f"ranks-{place}",
        f"Ranks of {counted(len(cells), 'model')} on {name}",
        f"Best on average: {cells.index[0]}; last: {cells.index[-1]}. Benchmarks from left to "
        "right are less and less like the first.",
        cells,
        _RANK,
        strong=(lambda one: one in chosen) if place == 0 else lambda one: False,
    )


def _draw_correlations(table: ResultsTable, chosen: set[str]) -> Markup | None:
    if table.n_benchmarks < 3 or table.n_models < 3:
        return None
    found = correlation_map(table)
    if found.empty:
        return None
    values = found.to_numpy(np.float64)
    apart = values[np.triu_indices(len(values), k=1)]
    return matrix(
        "correlations",
        f"Rank correlations of {counted(len(found), 'benchmark')}",
        f"Half of the pairs correlate by more than {number(float(np.nanmedian(apart)))}. Those "
        "that order the models alike stand side by side.",
        found,
        _RHO,
        strong=lambda one: one in chosen,
        square=True,
    )


def groups(table: ResultsTable, weights: Weights | None) -> tuple[Groups, ...]:
    """Compare groups of models by each attribute that makes some (Figs. 12 to 15)."""
    return tuple(
        _groups(i, table, name, weights) for i, name in enumerate(grouping_attributes(table))
    )


def _groups(place: int, table: ResultsTable, attribute: str, weights: Weights | None) -> Groups:
    means = group_means(table, attribute, weights=weights)
    overall: list[float] = means.to_numpy(np.float64)[0].tolist()
    by_task = len(set(means.index[1:]) & set(table.benchmark_names)) == 0
    counts = table.models[attribute].map(str)[table.models[attribute].notna()].value_counts()
    kinds = [f"g{i}" if i < _KINDS else "gx" for i in range(means.shape[1])]
    spread = (means.max(axis=1) - means.min(axis=1)).iloc[1:].sort_values(ascending=False)
    shown = means.loc[[EVERYTHING, *spread.index[:_ROWS]]]
    drawn = [
        Row(
            str(name),
            tuple(
                Point(float(value), kind=kind)
                for value, kind in zip(row, kinds, strict=True)
                if np.isfinite(value)
            ),
        )
        for name, row in zip(shown.index, shown.to_numpy(np.float64), strict=True)
    ]
    chart = dot_chart(
        f"groups-{place}",
        f"Mean scores of models by {attribute}",
        f"On all benchmarks the best group is {means.columns[0]} ({number(overall[0])}), the last "
        f"{means.columns[-1]} ({number(overall[-1])}). The table below has all.",
        drawn,
        Axis("mean score (standard deviations above the mean of all models)", ((0.0, "mean"),)),
    )
    return Groups(
        attribute=attribute,
        sizes=tuple(
            (str(name), int(counts[name]), kind)
            for name, kind in zip(means.columns, kinds, strict=True)
        ),
        chart=chart,
        rows=tuple(
            (str(name), tuple(row))
            for name, row in zip(means.index, means.to_numpy(np.float64).tolist(), strict=True)
        ),
        by_task=by_task,
    )
