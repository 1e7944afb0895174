"""Charts with one row per name: dots with whiskers, and bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from eevee.report.html.svg import Drawing, Scale, text_width
from eevee.report.html.words import error, short

WIDTH = 720.0
ROW = 18.0
"""Height of a row, in CSS pixels."""
_TOP, _BOTTOM, _RIGHT = 18.0, 44.0, 24.0


@dataclass(frozen=True)
class Point:
    """A value in a row, with the ends of its whisker, if any; the kind says how it looks."""

    value: float
    low: float = math.nan
    high: float = math.nan
    kind: str = "search"


def error_point(loss: float, low: float, high: float, kind: str) -> Point:
    """Return the point of a loss on an axis of errors."""
    return Point(error(loss), error(low), error(high), kind)


@dataclass(frozen=True)
class Row:
    """A name, and what is drawn beside it; without points it is a gap."""

    name: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Axis:
    """What the values are, and lines to compare them with: (value, name)."""

    label: str
    lines: tuple[tuple[float, str], ...] = ()
    from_zero: bool = False


def dot_chart(name: str, title: str, text: str, rows: Sequence[Row], axis: Axis) -> Markup:
    """Draw a dot, and a whisker, for each point of each row."""
    drawing, scale = _frame(name, title, text, rows, axis)
    for i, row in enumerate(rows):
        y = _height(i)
        for place, point in enumerate(row.points):
            at = y + _nudge(place, len(row.points))
            if math.isfinite(point.low) and math.isfinite(point.high):
                drawing.line(scale(point.low), at, scale(point.high), at, f"whisker {point.kind}")
            marker(drawing, scale(point.value), at, point.kind)
    return drawing.svg


def bar_chart(name: str, title: str, text: str, rows: Sequence[Row], axis: Axis) -> Markup:
    """Draw a bar from zero, and a whisker, for the points of each row; two share its height."""
    drawing, scale = _frame(name, title, text, rows, axis)
    for i, row in enumerate(rows):
        height = 11.0 / max(1, len(row.points))
        for place, point in enumerate(row.points):
            ends = sorted((scale(0.0), scale(point.value)))
            y = _height(i) - 5.5 + place * height
            drawing.add(
                "rect", x=ends[0], y=y, width=max(0.8, ends[1] - ends[0]), height=height,
                class_=f"bar {point.kind}",
            )  # fmt: skip
            if math.isfinite(point.low) and math.isfinite(point.high):
                middle = y + height / 2
                drawing.line(scale(point.low), middle, scale(point.high), middle, "whisker ink")
    return drawing.svg


def marker(drawing: Drawing, x: float, y: float, kind: str, size: float = 4.0) -> None:
    """Draw a dot; kinds have shapes of their own, so that colours are not all there is."""
    shape = kind.split(maxsplit=1)[0]
    if shape in ("tier", "g3"):
        corners = [(x, y - size - 1), (x + size + 1, y), (x, y + size + 1), (x - size - 1, y)]
    elif shape in ("unseen", "g1"):
        corners = [(x - size, y - size), (x + size, y - size), (x + size, y + size)]
        corners.append((x - size, y + size))
    elif shape in ("g2", "g6"):
        corners = [(x, y - size - 1), (x + size + 1, y + size), (x - size - 1, y + size)]
    elif shape in ("g4", "g7"):
        corners = [(x, y + size + 1), (x + size + 1, y - size), (x - size - 1, y - size)]
    else:
        drawing.add("circle", cx=x, cy=y, r=size, class_=f"dot {kind}")
        return
    drawing.path(corners, f"dot {kind}", closed=True)


def _height(row: int) -> float:
    return _TOP + ROW * (row + 0.5)


def _nudge(place: int, count: int) -> float:
    """Move points of one row apart, a little."""
    return 0.0 if count < 2 else (place / (count - 1) - 0.5) * 7.0


def _frame(
    name: str, title: str, text: str, rows: Sequence[Row], axis: Axis
) -> tuple[Drawing, Scale]:
    names = [short(row.name) for row in rows]
    left = 16 + max(map(text_width, names), default=0.0)
    bottom = _TOP + ROW * len(rows)
    drawing = Drawing(name, (WIDTH, bottom + _BOTTOM), title, text)
    scale = Scale(*_range(rows, axis), left, WIDTH - _RIGHT)
    for tick in scale.ticks():
        drawing.line(scale(tick), _TOP, scale(tick), bottom, "grid")
        drawing.text(scale(tick), bottom + 15, f"{tick:g}", "middle tick")
    for value, said in axis.lines:
        drawing.line(scale(value), _TOP, scale(value), bottom, "bound")
        side = "end" if scale(value) > WIDTH * 0.7 else "middle"
        drawing.text(scale(value), _TOP - 5, said, f"{side} note")
    for i, one in enumerate(names):
        drawing.text(left - 8, _height(i) + 4, one, "end name")
    drawing.text((left + WIDTH - _RIGHT) / 2, bottom + 34, axis.label, "middle label")
    return drawing, scale


def _range(rows: Sequence[Row], axis: Axis) -> tuple[float, float]:
    values = [value for value, _ in axis.lines] + ([0.0] if axis.from_zero else [])
    for row in rows:
        for point in row.points:
            values += [one for one in (point.value, point.low, point.high) if math.isfinite(one)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    slack = 0.03 * (high - low)
    return (low if axis.from_zero and low == 0.0 else low - slack), high + slack
