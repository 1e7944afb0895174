"""Pictures of matrices: each cell a pixel of one image, names beside it as far as they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup

from eevee.base.arrays import FloatArray
from eevee.report.html.labels import LABEL, fitted, places
from eevee.report.html.svg import NARROW, WIDE, Drawing, both, text_width

_SIDE, _SQUARE, _TALLEST = (60.0, 20.0), 32.0, 900.0
"""Of cells: the widest and highest, the largest square, and all of them together."""
_LEAD = 12.0
"""From the cells to the names, which may stand a little aside of them."""
_NAMES = {WIDE: 200.0, NARROW: 128.0}
"""Room for names."""


@dataclass(frozen=True)
class Legend:
    """What the colours of a matrix are: a colour map, its ends, and the words for them.

    Where there is `only` one value, the second word is for that.
    """

    colours: str
    low: float
    high: float
    ends: tuple[str, str]
    blank: str = ""
    only: float | None = None

    def paint(self, values: FloatArray) -> FloatArray:
        """Return the colour of each value, (..., 4); blanks are transparent."""
        share = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        painted = np.asarray(mpl.colormaps[self.colours](np.nan_to_num(share)), dtype=np.float64)
        painted[np.isnan(values), 3] = 0.0
        return painted


def matrix(
    name: str,
    title: str,
    text: str,
    frame: pd.DataFrame,
    legend: Legend,
    *,
    strong: Callable[[str], bool] = lambda name: False,
    square: bool = False,
) -> Markup:
    """Draw a frame, rows down and columns across, with a legend above.

    Names for which `strong` holds are set off, such as those of benchmarks of a tier: they are
    bold, marked at the edge, and shown before others where there is no room for all.
    """
    rows, columns = (
        [(one, strong(one)) for one in map(str, names)] for names in (frame.index, frame.columns)
    )
    colours = legend.paint(frame.to_numpy(np.float64))
    blank = bool(frame.isna().to_numpy().any())
    shared = f"{name}-cells"
    there: list[_Box] = []

    def draw(room: float) -> Drawing:
        left, right = (_labelled(names, _NAMES[room]) for names in (rows, columns))
        box = _fit(room, (len(rows), len(columns)), left.width, square=square)
        parts, width, top = _legend_parts(legend, room, 0.0 if room < WIDE else box.x, blank=blank)
        box = replace(box, y=top)
        least = room if room < WIDE else width  # a phone would enlarge what is smaller
        size = max(box.x + box.width + 8, least), top + box.height + right.width
        drawing = Drawing(name, size, title, text, narrow=room < WIDE)
        for part in parts:
            part(drawing)
        drawing.add("rect", x=box.x, y=top, width=box.width, height=box.height, class_="missing")
        if there:
            was = there[0]
            drawing.image_again(
                shared, (was.x, was.y, was.width, was.height), box.x, top, (box.width, box.height)
            )
        else:
            there.append(box)
            drawing.image(colours, box.x, top, (box.width, box.height), shared)
        _draw_rows(drawing, left, box)
        _draw_columns(drawing, right, box)
        return drawing

    return both(draw)


@dataclass(frozen=True)
class _Box:
    """Where the cells stand, and how many there are down and across."""

    x: float
    y: float
    width: float
    height: float
    count: tuple[int, int]


@dataclass(frozen=True)
class _Labels:
    """Names along one side, as they are shown; the width includes lines to the cells."""

    names: list[tuple[str, bool]]
    shown: list[str]
    width: float

    def places(self, length: float) -> list[tuple[int, float]]:
        """Return which are shown and where; the strong ones come first."""
        first = [i for i, (_, strong) in enumerate(self.names) if strong]
        return places(len(self.names), length / len(self.names), first)


def _labelled(names: list[tuple[str, bool]], room: float) -> _Labels:
    shown, widest = fitted([one for one, _ in names], room, [strong for _, strong in names])
    return _Labels(names, shown, widest + 6 + _LEAD)


def _fit(room: float, count: tuple[int, int], left: float, *, square: bool) -> _Box:
    rows, columns = count
    widest = _SQUARE if square else _SIDE[0]
    width = min((room - left - 8) / columns, widest)
    height = width if square else min(_TALLEST / rows, max(LABEL, width), _SIDE[1])
    return _Box(left, 0.0, width * columns, height * rows, count)


def _draw_rows(drawing: Drawing, labels: _Labels, box: _Box) -> None:
    cell = box.height / box.count[0]
    _draw_marks(drawing, labels, lambda i: (box.x - 1, box.y + cell * (i + 0.5)), (-4.0, 0.0))
    for i, at in labels.places(box.height):
        name, strong = labels.names[i]
        if cell < LABEL:
            ends = box.x - 1, box.y + cell * (i + 0.5), box.x - _LEAD, box.y + at
            drawing.line(*ends, f"lead{' tier' if strong else ''}")
        kind = "end name strong" if strong else "end name"
        drawing.name_text(box.x - _LEAD - 4, box.y + at + 4, labels.shown[i], name, kind)


def _draw_columns(drawing: Drawing, labels: _Labels, box: _Box) -> None:
    cell, below = box.width / box.count[1], box.y + box.height
    _draw_marks(drawing, labels, lambda i: (box.x + cell * (i + 0.5), below + 1), (0.0, 4.0))
    for i, at in labels.places(box.width):
        name, strong = labels.names[i]
        if cell < LABEL:
            ends = box.x + cell * (i + 0.5), below + 1, box.x + at, below + _LEAD
            drawing.line(*ends, f"lead{' tier' if strong else ''}")
        x, y = box.x + at + 4, below + _LEAD + 4
        kind = "end name strong" if strong else "end name"
        turned = f"rotate(-90 {x:.1f} {y:.1f})"
        drawing.name_text(x, y, labels.shown[i], name, kind, transform=turned)


def _draw_marks(
    drawing: Drawing,
    labels: _Labels,
    place: Callable[[int], tuple[float, float]],
    along: tuple[float, float],
) -> None:
    """Mark the strong names at the edge, also those that have no room."""
    for i, (_, strong) in enumerate(labels.names):
        if strong:
            x, y = place(i)
            drawing.line(x, y, x + along[0], y + along[1], "lead tier")


def _legend_parts(
    legend: Legend, room: float, left: float, *, blank: bool
) -> tuple[list[Callable[[Drawing], None]], float, float]:
    """Return what to draw, its width and the height below it: in lines, where it is too long."""
    low, high = legend.ends
    parts: list[Callable[[Drawing], None]] = []
    x = left
    if legend.only is None:
        parts.append(lambda drawing: drawing.text(left, 17, low, "tick"))
        x, width = left + text_width(low) + 8, 90.0 if room == WIDE else 50.0
        values = np.linspace(legend.low, legend.high, 64)
    else:
        width, values = 14.0, np.array([legend.only])
    colours, start, after = legend.paint(values[None]), x, x + width + 8
    parts.append(lambda drawing: drawing.image(colours, start, 8, (width, 10.0)))
    parts.append(lambda drawing: drawing.text(after, 17, high, "tick"))
    x = after + text_width(high)
    if not (blank and legend.blank):
        return parts, x, 34.0
    needed, y = 24 + 20 + text_width(legend.blank), 8.0
    if x + needed > room:
        at, y = left, 25.0
    else:
        at = x + 24
        x = x + needed
    parts.append(
        lambda drawing: drawing.add("rect", x=at, y=y, width=14, height=10, class_="missing")
    )
    parts.append(lambda drawing: drawing.text(at + 20, y + 9, legend.blank, "tick"))
    return parts, x, y + 26.0
