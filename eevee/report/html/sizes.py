"""The loss over k, the best subsets beside random ones (the paper's Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup

from eevee.plots._style import ERROR
from eevee.report.html.runs import Run
from eevee.report.html.svg import WIDE, Drawing, Scale, both
from eevee.report.html.words import error, fixed

_QUANTILES = ("lowest", "p10", "q1", "median", "q3", "p90")
_BESIDE = ["median", "p10", "p90"]
_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 306.0, 56.0, 18.0, 48.0, 46.0
TARGETS = {
    "all": "All benchmarks are predicted: the error falls with k by arithmetic alone",
    "unseen": "Only the benchmarks that are not run are predicted",
}


@dataclass(frozen=True)
class Curve:
    """The losses of one kind of targets.

    Attributes
    ----------
    title : str
    chart : Markup
    rows : tuple of (k, lowest, median, random median, random 10 %, random 90 %)
    best : int
        The size of the lowest loss.
    """

    title: str
    chart: Markup
    rows: tuple[tuple[int, float, float, float, float, float], ...]
    best: int

    @property
    def caption(self) -> str:
        """How to read the chart."""
        words = "Where the blue line is flat, more benchmarks buy nothing"
        if any(np.isfinite(row[4]) for row in self.rows):
            return f"{words}; where it lies inside the orange band, a search buys nothing."
        return f"{words}. No random subsets were drawn to compare with."


def find_curves(runs: Sequence[Run]) -> tuple[Curve, ...]:
    """Return the curves over k of the first sweep."""
    for run in runs:
        frame = run.frame("figures/sweep.csv", text=["targets", "kind"], numbers=["k", *_QUANTILES])
        if frame is not None:
            return tuple(_curves(frame))
    return ()


def _points(values: pd.Series[float], x: Scale, y: Scale) -> list[tuple[float, float]]:
    return [(x(float(str(k))), y(error(value))) for k, value in values.items()]


def _said(loss: float) -> str:
    return fixed(error(float(loss)))


def _curves(frame: pd.DataFrame) -> Iterator[Curve]:
    for targets, title in TARGETS.items():
        here = frame[(frame["targets"] == targets) & frame["median"].notna()]
        parts = {kind: here[here["kind"] == kind].set_index("k") for kind in ("top", "random")}
        top = parts["top"].sort_index()
        if top.empty:
            continue
        random = parts["random"].reindex(top.index)
        rows = tuple(
            (
                int(float(str(k))),
                top["lowest"][k],
                top["median"][k],
                *random.loc[k, ["median", "p10", "p90"]],
            )
            for k in top.index
        )
        best = int(top.index[int(top["lowest"].argmin())])
        yield Curve(title, _draw(targets, top, random, best), rows, best)


def _draw(targets: str, top: pd.DataFrame, random: pd.DataFrame, best: int) -> Markup:
    lowest, beside = top["lowest"], random["median"]
    text = (
        f"The lowest is {_said(lowest.min())} standard deviations, with {best} benchmarks; with "
        f"{top.index[0]:.0f} it is {_said(lowest.iloc[0])}, where the random median is "
        f"{_said(beside.iloc[0])}. The table below has the losses."
    )

    def draw(room: float) -> Drawing:
        title = f"Error by number of benchmarks, {targets} targets"
        size = room, _HEIGHT
        drawing = Drawing(f"sweep-{targets}", size, title, text, narrow=room < WIDE)
        _draw_on(drawing, top, random, best)
        return drawing

    return both(draw)


def _draw_on(drawing: Drawing, top: pd.DataFrame, random: pd.DataFrame, best: int) -> None:
    lowest, right = top["lowest"], drawing.width - _RIGHT
    highest = max(one for one in (top["p90"].max(), random["p90"].max()) if np.isfinite(one))
    x = Scale(top.index[0] - 0.6, top.index[-1] + 0.6, _LEFT, right)
    y = Scale(0.0, 1.04 * error(highest), _HEIGHT - _BOTTOM, _TOP)
    _draw_axes(drawing, x, y)
    known = random[random["p10"].notna()]
    if len(known):
        band = _points(known["p10"], x, y)
        band += _points(known["p90"], x, y)[::-1]
        drawing.path(band, "band random", closed=True)
        drawing.path(_points(known["median"], x, y), "curve random")
    width = min(16.0, 0.6 * (x(1) - x(0)))
    for k, row in top.iterrows():
        _draw_box(drawing, x(float(str(k))), width, [y(error(row[name])) for name in _QUANTILES])
    drawing.path(_points(lowest, x, y), "curve search")
    drawing.add("circle", cx=x(best), cy=y(error(float(lowest.min()))), r=6, class_="here")
    _draw_key(drawing, many=bool((top["p90"] > top["lowest"]).any()), random=len(known) > 0)


def _draw_box(drawing: Drawing, x: float, width: float, at: list[float]) -> None:
    """Draw quartiles as a box, whiskers from the lowest to the 90 % quantile."""
    lowest, _, q1, median, q3, p90 = at
    if p90 == lowest:
        drawing.add("circle", cx=x, cy=lowest, r=3.5, class_="dot search")
        return
    drawing.line(x, p90, x, lowest, "whisker search")
    drawing.add(
        "rect", x=x - width / 2, y=q3, width=width, height=max(1.0, q1 - q3), class_="box search"
    )
    drawing.line(x - width / 2, median, x + width / 2, median, "middle-line")


def _draw_axes(drawing: Drawing, x: Scale, y: Scale) -> None:
    for tick in y.ticks(5):
        drawing.line(_LEFT, y(tick), drawing.width - _RIGHT, y(tick), "grid")
        drawing.text(_LEFT - 8, y(tick) + 4, f"{tick:g}", "end tick")
    for tick in x.fitting_ticks(12):
        if tick == round(tick):
            drawing.text(x(tick), y.start + 18, f"{tick:g}", "middle tick")
    drawing.label((_LEFT + drawing.width) / 2, _HEIGHT - 8, "k, benchmarks that are run")
    drawing.text_up(14, (_TOP + y.start) / 2, ERROR)


def _draw_key(drawing: Drawing, *, many: bool, random: bool) -> None:
    said = "lowest error" + (", box: the 50 best" if many else "")
    keys = [("search", said)]
    keys += [("random", "random subsets: median, 10 to 90 %")] if random else []
    for i, (kind, text) in enumerate(keys):
        x, y = _LEFT, 8.0 + 18 * i
        drawing.line(x, y, x + 20, y, f"curve {kind}")
        drawing.text(x + 28, y + 4, text, "tick")
