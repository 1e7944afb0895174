"""The budget slider: the front of loss and cost, a subset at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from eevee.plots._style import ERROR
from eevee.report.html.charts import marker
from eevee.report.html.runs import Run, names_in, number_of, rows_of
from eevee.report.html.svg import NARROW, WIDE, Drawing, Scale, both, text_width
from eevee.report.html.words import counted, error, fixed, number, shorts
from eevee.tiers.file import Tier

_NUMBERS = ("size", "cost", "loss", "spread")
_OPTIONAL = ("unseen", "kendall", "rescored_mean")
_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 370.0, 56.0, 18.0, 66.0, 48.0
_LOG = 20.0
"""Costs that differ by more than this factor stand on a logarithmic axis."""


@dataclass(frozen=True)
class Step:
    """One subset of the front; blanks are NaN.

    Attributes
    ----------
    names : tuple of str
    cost, loss, spread, unseen, kendall, rescored : float
    x, y, narrow_x : float
        Where it stands in the chart, and in the one for a phone.
    """

    names: tuple[str, ...]
    cost: float
    loss: float
    spread: float
    unseen: float
    kendall: float
    rescored: float
    x: float
    y: float
    narrow_x: float


@dataclass(frozen=True)
class Front:
    """The front, and what the slider walks.

    Attributes
    ----------
    steps : tuple of Step
        By rising cost.
    chart : Markup
    exact : bool
        Whether every subset was scored.
    start : int
        Where the slider stands first.
    total : float
        Cost of everything.
    unit : str
    benchmarks : tuple of str
        All that are in some subset, sorted.
    """

    steps: tuple[Step, ...]
    chart: Markup
    exact: bool
    start: int
    total: float
    unit: str
    benchmarks: tuple[str, ...]

    @property
    def rescored(self) -> bool:
        """Whether something was scored again under other initialisations."""
        return any(math.isfinite(one.rescored) for one in self.steps)

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the page needs, numbers ready to be shown."""
        place = {name: i for i, name in enumerate(self.benchmarks)}
        steps = [
            {
                "in": [place[name] for name in one.names],
                "cost": number(one.cost),
                "share": round(100 * one.cost / self.total) if self.total > 0 else None,
                "error": fixed(error(one.loss)),
                "unseen": fixed(error(one.unseen)),
                "loss": number(one.loss),
                "kendall": number(one.kendall),
                "x": round(one.x, 1),
                "y": round(one.y, 1),
                "narrow_x": round(one.narrow_x, 1),
            }
            for one in self.steps
        ]
        return {"names": self.benchmarks, "unit": self.unit, "steps": steps, "start": self.start}


def find_front(runs: Sequence[Run], tiers: Sequence[Tier]) -> Front | None:
    """Return the front of the first run that has one."""
    for run in runs:
        frame = run.frame("front.csv", text=["benchmarks"], numbers=_NUMBERS, optional=_OPTIONAL)
        if frame is not None:
            return _front(run, frame.sort_values("cost", ignore_index=True), tiers)
    return None


def _front(run: Run, frame: pd.DataFrame, tiers: Sequence[Tier]) -> Front:
    subsets = [names_in(text) for text in frame["benchmarks"]]
    chart, places = _draw(run, frame, tiers)
    steps = tuple(
        Step(names, row.cost, row.loss, row.spread, row.unseen, row.kendall, row.rescored_mean, *at)
        for names, row, at in zip(subsets, rows_of(frame), places, strict=True)
    )
    budgets = [tier.cost for tier in tiers] or [float(frame["cost"].median())]
    fitting = [i for i, one in enumerate(steps) if one.cost <= budgets[0]]
    return Front(
        steps=steps,
        chart=chart,
        exact=run.value("searches", "front", "method", kind=str) == "exhaustive",
        start=fitting[-1] if fitting else 0,
        total=number_of(run.config, "table", "total_cost"),
        unit=run.cost_unit,
        benchmarks=tuple(sorted({name for names in subsets for name in names})),
    )


def _draw(
    run: Run, frame: pd.DataFrame, tiers: Sequence[Tier]
) -> tuple[Markup, list[tuple[float, float, float]]]:
    low, high = frame["cost"].iloc[[0, -1]]
    title = f"Error by cost: {counted(len(frame), 'subset')} of the Pareto front"
    text = (
        f"From {number(low)} to {number(high)} {run.cost_unit} the error falls from "
        f"{fixed(error(frame['loss'].iloc[0]))} to {fixed(error(frame['loss'].iloc[-1]))} standard "
        "deviations. The table below has every subset."
    )
    places: dict[float, list[tuple[float, float]]] = {}

    def draw(room: float) -> Drawing:
        drawing = Drawing("front-chart", (room, _HEIGHT), title, text, narrow=room < WIDE)
        places[room] = _draw_on(drawing, run, frame, tiers)
        return drawing

    chart = both(draw)
    pairs = zip(places[WIDE], places[NARROW], strict=True)
    return chart, [(*at, narrow[0]) for at, narrow in pairs]


def _draw_on(
    drawing: Drawing, run: Run, frame: pd.DataFrame, tiers: Sequence[Tier]
) -> list[tuple[float, float]]:
    x, y = _scales(frame, tiers, drawing.width)
    _draw_axes(drawing, x, y, run.cost_unit)
    places = [
        (x(cost), y(error(loss))) for cost, loss in zip(frame["cost"], frame["loss"], strict=True)
    ]
    unseen = frame[frame["unseen"].notna()]
    if len(unseen):
        dashed = [
            (x(c), y(error(u))) for c, u in zip(unseen["cost"], unseen["unseen"], strict=True)
        ]
        drawing.steps(dashed, dashed[-1][0], "curve unseen")
    drawing.steps(places, x.end, "curve search")
    for at in places:
        drawing.add("circle", cx=at[0], cy=at[1], r=2.5, class_="dot search")
    for tier, shown in zip(tiers, shorts([tier.name for tier in tiers]), strict=True):
        at = x(tier.cost), y(error(tier.search_loss.mean))
        marker(drawing, *at, "tier")
        left = at[0] + 9 + text_width(shown, bold=True) > drawing.width
        kind = "end name strong" if left else "name strong"
        drawing.name_text(at[0] + (-9 if left else 9), at[1] - 7, shown, tier.name, kind)
    first, end = places[0], "-narrow" if drawing.kind == "narrow" else ""
    drawing.add("line", id=f"here-line{end}", x1=first[0], x2=first[0], y1=_TOP, y2=y.start,
                class_="here", visibility="hidden")  # fmt: skip
    drawing.add("circle", id=f"here{end}", cx=first[0], cy=first[1], r=7, class_="here",
                visibility="hidden")  # fmt: skip
    _draw_key(drawing, unseen=bool(len(unseen)), tiers=bool(tiers))
    return places


def _scales(frame: pd.DataFrame, tiers: Sequence[Tier], width: float) -> tuple[Scale, Scale]:
    costs = [*frame["cost"], *(tier.cost for tier in tiers)]
    losses = [*frame["loss"], *frame["unseen"].dropna()]
    losses += [tier.search_loss.mean for tier in tiers]
    low, high = min(costs), max(costs)
    log = low > 0 and high / low > _LOG
    known = [error(one) for one in losses if math.isfinite(one)]
    across = Scale(low, high, _LEFT + 10, width - _RIGHT, log=log)
    return across, Scale(0.0, 1.05 * max(known, default=1.0), _HEIGHT - _BOTTOM, _TOP)


def _draw_axes(drawing: Drawing, x: Scale, y: Scale, unit: str) -> None:
    for tick in y.ticks(5):
        drawing.line(_LEFT, y(tick), drawing.width - _RIGHT, y(tick), "grid")
        drawing.text(_LEFT - 8, y(tick) + 4, f"{tick:g}", "end tick")
    for tick in x.fitting_ticks():
        drawing.text(x(tick), y.start + 18, f"{tick:g}", "middle tick")
    said = f"cost ({unit}{', logarithmic' if x.log else ''})"
    drawing.label((_LEFT + drawing.width) / 2, _HEIGHT - 8, said)
    drawing.text_up(14, (_TOP + y.start) / 2, ERROR)


def _draw_key(drawing: Drawing, *, unseen: bool, tiers: bool) -> None:
    shown: Mapping[str, bool] = {
        "error on all benchmarks": True,
        "error on those not run": unseen,
        "tier": tiers,
    }
    x = _LEFT
    for i, said in enumerate(name for name, there in shown.items() if there):
        y = 8.0 + 18 * i
        if said == "tier":
            marker(drawing, x + 10, y, "tier")
        else:
            kind = "unseen" if "not run" in said else "search"
            drawing.line(x, y, x + 20, y, f"curve {kind}")
        drawing.text(x + 28, y + 4, said, "tick")
