"""How far to trust it: losses on models that no search saw, and how stable the choice is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from eevee.plots._style import ERROR
from eevee.report.html.charts import Axis, Point, Row, bar_chart, dot_chart, error_point
from eevee.report.html.runs import Run, number_of, pick, rows_of
from eevee.report.html.words import error, fixed, number, percent

_MEASURES = ("loss_unseen", "r2", "spearman", "kendall")
_LIMITS = ("low", "high", "t_low", "t_high")
MOST = 30
"""Benchmarks whose frequency is drawn."""


@dataclass(frozen=True)
class Method:
    """A method on held-out models; its interval is the wider of the two that are known."""

    name: str
    size: float
    cost: float
    loss: float
    low: float
    high: float
    unseen: float
    r2: float
    spearman: float
    kendall: float


@dataclass(frozen=True)
class Assessed:
    """The assessment of one run.

    Attributes
    ----------
    goal, splits, scorer : str
    methods : tuple of Method
    chart : Markup
    pairs : tuple of (gap, pairs, share in the right order)
        Of the assessed method.
    """

    goal: str
    splits: str
    scorer: str
    methods: tuple[Method, ...]
    chart: Markup
    pairs: tuple[tuple[str, float, float], ...]


def find_assessments(runs: Sequence[Run]) -> tuple[Assessed, ...]:
    """Return the assessment of every run that has one."""
    found = (_assessed(i, run) for i, run in enumerate(runs))
    return tuple(one for one in found if one is not None)


def _assessed(place: int, run: Run) -> Assessed | None:
    numbers = ("size", "cost", "loss", *_LIMITS, *_MEASURES)
    frame = run.frame("assessment.csv", text=["method"], numbers=numbers)
    if frame is None:
        return None
    methods = tuple(_method(row) for row in frame.to_dict("records"))
    first = methods[0]
    rows = [
        Row(one.name, (error_point(one.loss, one.low, one.high, _kind(one.name, i)),))
        for i, one in enumerate(methods)
    ]
    chart = dot_chart(
        f"assessed-{place}",
        "Error of each method on held-out models",
        f"{first.name}: {fixed(error(first.loss))}, interval {fixed(error(first.low))} to "
        f"{fixed(error(first.high))}. The table below has the losses.",
        rows,
        Axis(ERROR),
    )
    about = run.value("assessment", kind=dict) or {}
    return Assessed(
        goal=pick(about, "goal", kind=str) or "",
        splits=pick(about, "splits", kind=str) or "",
        scorer=pick(about, "scorer", "name", kind=str) or "",
        methods=methods,
        chart=chart,
        pairs=tuple(_pairs(run, first.name)),
    )


def _kind(name: str, place: int) -> str:
    if name == "random":
        return "random"
    return "tier" if place == 0 else "search"


def _method(row: Mapping[Any, Any]) -> Method:
    limits = [row[one] for one in _LIMITS if math.isfinite(row[one])]
    low, high = (min(limits), max(limits)) if limits else (math.nan, math.nan)
    size, cost, loss = row["size"], row["cost"], row["loss"]
    return Method(row["method"], size, cost, loss, low, high, *(row[one] for one in _MEASURES))


def _pairs(run: Run, method: str) -> Iterator[tuple[str, float, float]]:
    frame = run.frame("pairwise.csv", text=["method", "high"], numbers=["low", "pairs", "accuracy"])
    if frame is None:
        return
    for row in rows_of(frame[frame["method"] == method]):
        high = row.high.removesuffix(".0")
        gap = f"over {row.low:g}" if high == "inf" else f"{row.low:g} to {high}"
        yield gap, row.pairs, row.accuracy


@dataclass(frozen=True)
class Stable:
    """How far a search would choose the same again.

    Attributes
    ----------
    chart : Markup
    rows : tuple of (benchmark, share one, share two)
    columns : tuple of str
        What the two shares are; the second is "" where there is one.
    words : tuple of str
    """

    chart: Markup
    rows: tuple[tuple[str, float, float], ...]
    columns: tuple[str, str]
    words: tuple[str, ...]


def find_stability(runs: Sequence[Run]) -> Stable | None:
    """Return the stability of a search: of `assess --stability`, or over restarts."""
    for run in runs:
        content = run.json("stability.json")
        if content is not None:
            return _stability(content)
    for run in runs:
        frame = run.frame("agreement.csv", text=["benchmark"], numbers=["best", "top"])
        if frame is not None:
            shares = frame.groupby("benchmark")[["best", "top"]].mean()
            rows = [(str(name), one.best, one.top) for name, one in shares.iterrows()]
            columns = ("in the best subset", "in the 50 best")
            return _stable(rows, columns, ("Means over all tiers and restarted searches.",))
    return None


def _stability(content: Mapping[str, Any]) -> Stable:
    rows = [
        (name, number_of(one, "over_models"), number_of(one, "over_seeds"))
        for one in pick(content, "benchmarks", kind=list) or ()
        if (name := pick(one, "benchmark", kind=str))
    ]
    return _stable(rows, ("on other models", "with other seeds"), tuple(_words(content)))


def _stable(
    rows: list[tuple[str, float, float]], columns: tuple[str, str], words: tuple[str, ...]
) -> Stable:
    rows = sorted((one for one in rows if any(one[1:])), key=lambda one: (-one[1], -one[2], one[0]))
    drawn = [
        Row(name, (Point(100 * first, kind="search"), Point(100 * second, kind="again")))
        for name, first, second in rows[:MOST]
    ]
    chart = bar_chart(
        "stability-chart",
        "How often each benchmark is chosen",
        f"{columns[0]} and {columns[1]}, in percent of the searches. Most often: "
        f"{', '.join(one[0] for one in rows[:3])}. The table below has all.",
        drawn,
        Axis("chosen in so many of the searches (%)", from_zero=True),
    )
    return Stable(chart, tuple(rows), columns, words)


def _words(content: Mapping[str, Any]) -> Iterator[str]:
    for kind, said in (("models", "on other models"), ("seeds", "with other seeds")):
        searches = number_of(content, "agreement", kind, "searches")
        jaccard = number_of(content, "agreement", kind, "jaccard")
        if math.isfinite(searches) and math.isfinite(jaccard):
            yield (
                f"{searches:.0f} searches {said}: two of them share {percent(jaccard)} of their "
                "benchmarks (Jaccard, mean over pairs)."
            )
    spread, mean = (number_of(content, "noise", "splits", one) for one in ("spread", "mean"))
    if math.isfinite(spread):
        yield (
            f"Other splits alone move the search loss of one subset by {number(spread)} (standard "
            f"deviation, around {number(mean)}): smaller differences say nothing."
        )
    for sentence in pick(content, "words", kind=list) or ():
        yield str(sentence)
