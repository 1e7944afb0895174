"""Pictures of matrices: each cell a pixel of one image, names beside it as far as they fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup

from eevee.base.arrays import FloatArray
from eevee.report.html.charts import WIDTH
from eevee.report.html.svg import Drawing, text_width
from eevee.report.html.words import short

LABEL = 12.0
"""Height of a line of names, in CSS pixels."""
_SIDE, _TALLEST, _LONGEST = 20.0, 900.0, 24


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

    Names for which `strong` holds are set off, such as those of benchmarks of a tier.
    """
    rows, columns = [str(one) for one in frame.index], [str(one) for one in frame.columns]
    left, below = (
        14 + max(text_width(short(one, _LONGEST), bold=strong(one)) for one in names)
        for names in (rows, columns)
    )
    width = min((WIDTH - left - 4) / len(columns), _SIDE)
    height = width if square else min(_TALLEST / len(rows), max(LABEL, width), _SIDE)
    top, size = 34.0, (width * len(columns), height * len(rows))
    drawing = Drawing(name, (WIDTH, top + size[1] + below), title, text)
    _draw_legend(drawing, legend, left, blank=bool(frame.isna().to_numpy().any()))
    drawing.add("rect", x=left, y=top, width=size[0], height=size[1], class_="missing")
    drawing.image(legend.paint(frame.to_numpy(np.float64)), left, top, size)
    for i in _shown(rows, height):
        y = top + height * (i + 0.5) + 4
        kind = "end name strong" if strong(rows[i]) else "end name"
        drawing.text(left - 6, y, short(rows[i], _LONGEST), kind)
    for i in _shown(columns, width):
        x, y = left + width * (i + 0.5) + 4, top + size[1] + 6
        kind = "end name strong" if strong(columns[i]) else "end name"
        turned = f"rotate(-90 {x:.1f} {y:.1f})"
        drawing.text(x, y, short(columns[i], _LONGEST), kind, transform=turned)
    return drawing.svg


def _shown(names: Sequence[str], length: float) -> range:
    """Return which names have room: every nth."""
    return range(0, len(names), math.ceil(LABEL / length))


def _draw_legend(drawing: Drawing, legend: Legend, left: float, *, blank: bool) -> None:
    low, high = legend.ends
    if legend.only is None:
        drawing.text(left, 17, low, "tick")
        x, width = left + text_width(low) + 8, 90.0
        values = np.linspace(legend.low, legend.high, 64)
    else:
        x, width, values = left, 14.0, np.array([legend.only])
    drawing.image(legend.paint(values[None]), x, 8, (width, 10.0))
    x += width + 8
    drawing.text(x, 17, high, "tick")
    if blank and legend.blank:
        x += text_width(high) + 24
        drawing.add("rect", x=x, y=8, width=14, height=10, class_="missing")
        drawing.text(x + 20, 17, legend.blank, "tick")
