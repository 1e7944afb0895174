"""Charts with one row per name: dots with whiskers, and bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from eevee.report.html.labels import fitted
from eevee.report.html.svg import WIDE, Drawing, Scale, both, text_width, wrapped
from eevee.report.html.words import error

ROW = 18.0
"""Height of a row, in CSS pixels."""
_TOP, _BOTTOM, _RIGHT = 18.0, 27.0, 24.0
_NAMES = 0.4
"""The share of the width that names may take."""


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

    def draw(room: float) -> Drawing:
        drawing = Drawing(name, _size(rows, axis, room), title, text, narrow=room < WIDE)
        scale = _frame(drawing, rows, axis)
        for i, row in enumerate(rows):
            y = _height(i)
            for place, point in enumerate(row.points):
                at = y + _nudge(place, len(row.points))
                if math.isfinite(point.low) and math.isfinite(point.high):
                    ends = scale(point.low), at, scale(point.high), at
                    drawing.line(*ends, f"whisker {point.kind}")
                marker(drawing, scale(point.value), at, point.kind)
        return drawing

    return both(draw)


def bar_chart(name: str, title: str, text: str, rows: Sequence[Row], axis: Axis) -> Markup:
    """Draw a bar from zero, and a whisker, for the points of each row; two share its height."""

    def draw(room: float) -> Drawing:
        drawing = Drawing(name, _size(rows, axis, room), title, text, narrow=room < WIDE)
        scale = _frame(drawing, rows, axis)
        for i, row in enumerate(rows):
            for place, point in enumerate(row.points):
                height = 11.0 / len(row.points)
                _draw_bar(drawing, scale, point, _height(i) - 5.5 + place * height, height)
        return drawing

    return both(draw)


def _draw_bar(drawing: Drawing, scale: Scale, point: Point, y: float, height: float) -> None:
    ends = sorted((scale(0.0), scale(point.value)))
    drawing.add(
        "rect", x=ends[0], y=y, width=max(0.8, ends[1] - ends[0]), height=height,
        class_=f"bar {point.kind}",
    )  # fmt: skip
    if math.isfinite(point.low) and math.isfinite(point.high):
        middle = y + height / 2
        drawing.line(scale(point.low), middle, scale(point.high), middle, "whisker ink")


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


def _size(rows: Sequence[Row], axis: Axis, room: float) -> tuple[float, float]:
    return room, _TOP + ROW * len(rows) + _BOTTOM + 15 * len(wrapped(axis.label, room))


def _frame(drawing: Drawing, rows: Sequence[Row], axis: Axis) -> Scale:
    """Draw everything but the points."""
    names, widest = fitted([row.name for row in rows], _NAMES * drawing.width)
    left, right = 16 + widest, drawing.width - _RIGHT
    bottom = _TOP + ROW * len(rows)
    scale = Scale(*_range(rows, axis), left, right)
    ticks = scale.fitting_ticks()
    values = [point.value for row in rows for point in row.points]
    if len(ticks) > 1 and ticks[0] > min(values, default=math.inf):  # one on both sides of each
        scale = Scale(2 * ticks[0] - ticks[1], scale.high, left, right)
        ticks = scale.fitting_ticks()
    for tick in ticks:
        drawing.line(scale(tick), _TOP, scale(tick), bottom, "grid")
        drawing.text(scale(tick), bottom + 15, f"{tick:g}", "middle tick")
    for value, said in axis.lines:
        drawing.line(scale(value), _TOP, scale(value), bottom, "bound")
        half = text_width(said) / 2
        x = min(max(scale(value), half), drawing.width - half)
        drawing.text(x, _TOP - 5, said, "middle note")
    for i, (shown, row) in enumerate(zip(names, rows, strict=True)):
        drawing.name_text(left - 8, _height(i) + 4, shown, row.name, "end name")
    drawing.label((left + right) / 2, bottom + 34, axis.label)
    return scale


def _range(rows: Sequence[Row], axis: Axis) -> tuple[float, float]:
    values = [value for value, _ in axis.lines] + ([0.0] if axis.from_zero else [])
    for row in rows:
        for point in row.points:
            values += [one for one in (point.value, point.low, point.high) if math.isfinite(one)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    slack = 0.03 * (high - low)
    return (low if axis.from_zero and low == 0.0 else low - slack), high + slack
