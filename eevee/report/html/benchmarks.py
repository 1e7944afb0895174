"""What single benchmarks are worth: alone, and to a subset that they leave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from eevee.base.visible import visible
from eevee.plots._style import ERROR
from eevee.report.html.charts import Axis, Point, Row, bar_chart, dot_chart, error_point
from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.runs import Run, rows_of
from eevee.report.html.words import counted, error, fixed

TOP, BOTTOM = 30, 8
"""Benchmarks of a long ranking that are drawn: the first and the last."""
SMALL = 0.1
"""A rise of less than this share of the error is small."""


@dataclass(frozen=True)
class Alone:
    """A benchmark by itself."""

    rank: int
    name: str
    task: str
    cost: float
    loss: float
    spread: float


@dataclass(frozen=True)
class Ranking:
    """How well each benchmark alone predicts all.

    Attributes
    ----------
    rows : tuple of Alone
        The lowest loss first.
    chart : Markup
    mean_predictor : float
        Loss of knowing nothing; NaN where it is not known.
    """

    rows: tuple[Alone, ...]
    chart: Markup
    mean_predictor: float

    @property
    def worse(self) -> str:
        """Which benchmarks are worse than guessing the mean; "" where none is."""
        found = [one for one in self.rows if one.loss > self.mean_predictor]
        if not found:
            return ""
        last, verb = found[-1], "is" if len(found) == 1 else "are"
        return (
            f"{len(found)} of {counted(len(self.rows), 'benchmark')} {verb} worse alone than "
            f"guessing each benchmark\u2019s mean ({fixed(error(self.mean_predictor))}): what is "
            "fitted on such a benchmark does not hold for held-out models. Last is "
            f"{visible(last.name)} ({fixed(error(last.loss))})."
        )


@dataclass(frozen=True)
class Without:
    """A subset without one of its benchmarks: by how much the loss and the error rise.

    Attributes
    ----------
    name : str
    increase, spread : float
        Of the loss: the rise, and its standard deviation over splits.
    rise, low, high : float
        Of the error: with that rise of the loss, and with a spread less and a spread more.
    """

    name: str
    increase: float
    spread: float
    rise: float
    low: float
    high: float


@dataclass(frozen=True)
class Ablation:
    """A subset without each of its benchmarks in turn.

    Attributes
    ----------
    name : str
    error : float
        Of the whole subset.
    rows : tuple of Without
        The largest rise first.
    chart : Markup
    """

    name: str
    error: float
    rows: tuple[Without, ...]
    chart: Markup

    @property
    def caption(self) -> str:
        """What the bars say."""
        most, unsure = self.rows[0], [one for one in self.rows if one.increase <= one.spread]
        if most.rise < SMALL * self.error:
            words = [
                f"All bars are short: without any one of them the error rises "
                f"from {fixed(self.error)} by at most {fixed(most.rise)}, so each "
                "could be left out at that price."
            ]
        else:
            words = [
                f"Without {visible(most.name)} the error rises most: from {fixed(self.error)} to "
                f"{fixed(self.error + most.rise)}."
            ]
        if unsure:
            verb = "rises" if len(unsure) == 1 else "rise"
            words.append(
                f"{len(unsure)} of {len(self.rows)} {verb} by no more than the spread of the loss: "
                "splits alone could make that."
            )
        words.append(
            "Whiskers: the rise of the error if the loss rises by one standard deviation over "
            "splits less, or more."
        )
        return " ".join(words)


@dataclass(frozen=True)
class Ablations:
    """Ablations of several subsets, and all of them in one grid.

    Attributes
    ----------
    each : tuple of Ablation
    grid : Markup or None
        Benchmarks down, subsets across; where there are several.
    by_size : bool
        Whether the subsets are the best of each size.
    """

    each: tuple[Ablation, ...]
    grid: Markup | None
    by_size: bool


def find_ranking(runs: Sequence[Run]) -> Ranking | None:
    """Return the ranking of benchmarks of the first run that has one."""
    for run in runs:
        for name in ("ranking.csv", "figures/rank.csv"):
            frame = run.frame(
                name, text=["benchmark", "task"], numbers=["cost", "loss", "spread"],
                optional=["mean_predictor"],
            )  # fmt: skip
            if frame is not None and frame["loss"].notna().any():
                return _ranking(frame.dropna(subset=["loss"]))
    return None


def _ranking(frame: pd.DataFrame) -> Ranking:
    frame = frame.sort_values(["loss", "cost", "benchmark"], ignore_index=True)
    rows = tuple(
        Alone(i + 1, row.benchmark, row.task, row.cost, row.loss, row.spread)
        for i, row in enumerate(rows_of(frame))
    )
    means = float(frame["mean_predictor"].max())
    lines = ((error(means), "guessing the mean"),) if math.isfinite(means) else ()
    drawn = [Row(one.name, (_alone_point(one),)) for one in rows]
    if len(drawn) > TOP + BOTTOM + 2:
        gap = Row(f"({len(drawn) - TOP - BOTTOM} more)")
        drawn = [*drawn[:TOP], gap, *drawn[-BOTTOM:]]
    chart = dot_chart(
        "ranking-chart",
        "Error of predicting all benchmarks from one alone",
        f"The lowest is that of {rows[0].name}, {fixed(error(rows[0].loss))}; the highest that of "
        f"{rows[-1].name}, {fixed(error(rows[-1].loss))}. The table below has all.",
        drawn,
        Axis(ERROR, lines),
    )
    return Ranking(rows, chart, means)


def _alone_point(one: Alone) -> Point:
    return error_point(one.loss, one.loss - one.spread, one.loss + one.spread, "search")


def find_ablations(runs: Sequence[Run]) -> Ablations | None:
    """Return the ablations of tiers, and the grid over sizes where a sweep left one."""
    tiers = next((found for run in runs if (found := _of_figures(run))), {})
    listed = next((found for run in runs if run.command == "ablate" and (found := _of(run))), {})
    sizes = next((found for run in runs if run.command == "sweep" and (found := _of(run))), {})
    named = tiers | listed
    if not named and not sizes:
        return None
    each = tuple(_ablation(i, name, frame) for i, (name, frame) in enumerate(named.items()))
    across = sizes if len(sizes) > 1 else named
    grid = _grid(across, by_size=bool(sizes)) if len(across) > 1 else None
    return Ablations(each, grid, by_size=len(sizes) > 1)


_ABLATED = ("loss_without", "increase", "increase_spread")


def _of_figures(run: Run) -> dict[str, pd.DataFrame]:
    """Ablations of a run of `tiers` or `select`, in the order of its tiers."""
    tiers = run.tiers()
    if tiers is None:
        frame = run.frame("figures/ablation.csv", text=["benchmark"], numbers=_ABLATED)
        return {} if frame is None else {"selected": frame}
    found = {
        name: run.frame(f"figures/ablation-{name}.csv", text=["benchmark"], numbers=_ABLATED)
        for name in tiers.names
    }
    return {name: frame for name, frame in found.items() if frame is not None}


def _of(run: Run) -> dict[str, pd.DataFrame]:
    """Ablations in one file, by subset."""
    frame = run.frame("ablation.csv", text=["benchmark", "subset"], numbers=_ABLATED)
    if frame is None:
        return {}
    return {str(name): rows for name, rows in frame.groupby("subset", sort=False)}


def _ablation(place: int, name: str, frame: pd.DataFrame) -> Ablation:
    frame = frame.dropna(subset=["increase"]).sort_values("increase", ascending=False)
    rows = tuple(_without(one) for one in rows_of(frame))
    whole = (frame["loss_without"] - frame["increase"]).mean()
    chart = bar_chart(
        f"ablation-{place}",
        f"How much the error rises when a benchmark leaves {name}",
        f"Most for {rows[0].name} ({fixed(rows[0].rise)}), least for {rows[-1].name} "
        f"({fixed(rows[-1].rise)})."
        if rows
        else "No loss is known.",
        [Row(one.name, (_bar(one),)) for one in rows],
        Axis(f"rise of the {ERROR} without it", from_zero=True),
    )
    return Ablation(name, error(float(whole)), rows, chart)


def _without(row: Any) -> Without:
    whole = row.loss_without - row.increase
    ends = (row.increase + side * row.increase_spread for side in (0, -1, 1))
    rises = (error(whole + rise) - error(whole) for rise in ends)
    return Without(row.benchmark, float(row.increase), float(row.increase_spread), *rises)


def _bar(one: Without) -> Point:
    return Point(one.rise, one.low, one.high, "gain" if one.increase >= 0 else "harm")


def _grid(found: dict[str, pd.DataFrame], *, by_size: bool) -> Markup:
    parts = [
        frame.set_index("benchmark")["increase"].rename(f"k = {name}" if by_size else name)
        for name, frame in found.items()
    ]
    frame = pd.concat(parts, axis=1)
    order = sorted(frame.index, key=lambda name: (-frame.loc[name].notna().sum(), name))
    frame = frame.loc[order] / frame.max().where(frame.max() > 0)
    legend = Legend("viridis", 0.0, 1.0, ("adds nothing", "adds most"), "not in the subset")
    return matrix(
        "ablation-grid",
        "Rise of the search loss when a benchmark leaves, as a share of the largest of its subset",
        f"{counted(len(frame), 'benchmark')} down, {counted(frame.shape[1], 'subset')} across; "
        "those that are in most subsets first.",
        frame,
        legend,
    )
