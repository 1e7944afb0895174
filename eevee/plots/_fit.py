"""Fitting figures to the width of a page: nothing is cut off, and no two labels meet."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

ROUNDS = 4
"""Times that a figure is laid out: what is wrapped once may have to be wrapped again."""
SLACK = 0.02
"""Inches by which a height may be missed."""
GAP = 2.0
"""Points between two labels of an axis."""


def fitted(figure: Figure, height: float | None = None) -> Figure:
    """Lay a figure out: long texts wrap, ticks are thinned out, legends get fewer columns.

    Parameters
    ----------
    figure : Figure
        Of constrained layout.
    height : float, optional
        Of the first axes, in inches: the figure gets as high as what stands around them needs.
    """
    for _ in range(ROUNDS):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # a box is drawn in its place
            figure.draw_without_rendering()
        changed = [_narrow(legend, figure) for legend in figure.legends]
        changed += [_wrap(text, figure) for text in _titles(figure)]
        changed += [_thin(ax.xaxis) for ax in figure.axes]
        if height is not None:
            missing = height - figure.axes[0].get_window_extent().height / figure.dpi
            figure.set_figheight(figure.get_figheight() + missing)
            changed.append(abs(missing) > SLACK)
        if not any(changed):
            break
    return figure


def _narrow(legend: Legend, figure: Figure) -> bool:
    """Give a legend that is too wide a column less."""
    columns = vars(legend)["_ncols"]
    if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
        return False
    legend.set_ncols(columns - 1)
    return True


def _titles(figure: Figure) -> Iterator[Text]:
    """Titles, and labels of axes: the only texts that may have several lines."""
    for ax in figure.axes:
        ticks = {id(text) for text in (*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts)}
        for text in ax.findobj(Text):
            if isinstance(text, Text) and text.get_text() and id(text) not in ticks:
                yield text


def _wrap(text: Text, figure: Figure) -> bool:
    """Break a text into more lines where it is longer than there is room."""
    box, page = text.get_window_extent(), figure.bbox
    upright = text.get_rotation() == 90
    start, stop, end = (box.y0, box.y1, page.height) if upright else (box.x0, box.x1, page.width)
    middle = (start + stop) / 2
    from_the_left = text.get_horizontalalignment() == "left"
    room = end - start if from_the_left else 2 * min(middle, end - middle)
    if stop - start <= room:
        return False
    lines = text.get_text().split("\n")
    width = max(8, int(max(map(len, lines)) * room / (stop - start)) - 1)
    text.set_text("\n".join(part for line in lines for part in textwrap.wrap(line, width)))
    return True


def _thin(axis: Axis) -> bool:
    """Leave out every other tick of a scale while its labels meet; names stay."""
    labels = [text for text in axis.get_ticklabels() if text.get_text()]
    if any(text.get_rotation() for text in labels):
        return False
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.x0)
    if all(left.x1 + GAP <= right.x0 for left, right in pairwise(boxes)):
        return False
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_ticklocs() if low <= tick <= high]
    axis.set_major_locator(FixedLocator(ticks[::2]))
    return True


def legend_outside(figure: Figure, ax: Axes) -> None:
    """Move the legend of the axes above the whole figure, where it has the most room."""
    own = ax.get_legend()
    if own is None:
        return
    handles = [handle for handle in own.legend_handles if handle is not None]
    names = [text.get_text() for text in own.get_texts()]
    own.remove()
    fitting = int(figure.get_figwidth() / (0.5 + 0.05 * max(map(len, names))))
    columns = min(max(fitting, 1), 4)
    figure.legend(handles, names, loc="outside upper left", ncols=columns)
