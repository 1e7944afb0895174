"""How figures look: colours, sizes and names; and how they are saved."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.shortening import all_shortened

LOSS = "search loss"
ERROR = "error (standard deviations)"
"""The root of a loss, as a reader knows it."""
ONE_COLUMN, TWO_COLUMNS = 3.3, 7.0
"""Inches: how wide a figure is in a paper."""

# Okabe and Ito's colours, distinct to nearly everyone; the pale ones last.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"
GREY, PALE = "#595959", "#E3E3E3"
SEARCH, RANDOM, TIER, BEST = BLUE, ORANGE, VERMILION, BLACK
"""One colour per role, in every figure: what a search chose, random subsets, tiers, the front."""
MEAN_PREDICTOR: dict[str, Any] = {"color": GREY, "linestyle": "--", "linewidth": 1.0}
HELPS, HARMS = GREEN, PURPLE
"""Benchmarks without which the loss rises, or falls."""
TASKS = (GREEN, PURPLE, SKY, BLUE, VERMILION, ORANGE, BLACK, YELLOW)
"""Of groups that have no role: those that are no role's first."""
MARKERS = "osD^vPX*"

MOST_ROWS, TOP, BOTTOM = 48, 36, 8
LINE = 0.155
"""Inches from one line of labels to the next."""

_RC: Any = {
    "font.family": "sans-serif",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.0,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": BLACK,
    "ytick.labelcolor": BLACK,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "text.usetex": False,
    "pdf.fonttype": 42,
    "svg.hashsalt": "eevee",
}

_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
}


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """Give an empty figure of a size in inches, drawn on in this project's style."""
    with mpl.rc_context(_RC):
        yield Figure(figsize=(width, height), layout="constrained")


def label(name: str, limit: int = 32) -> str:
    r"""Return a name as it is shown: on one line, shortened in the middle, ``$`` taken literally.

    Examples
    --------
    >>> label("a_rather_long_name_of_a_benchmark", limit=16)
    'a_rather…nchmark'
    >>> label("cost in $\n")
    'cost in \\$'
    """
    return labels([name], limit)[0]


def labels(names: Sequence[str], limit: int = 32) -> list[str]:
    """Return names as `label` shows them, cut so that they stay distinct."""
    lines = [" ".join("".join(c if c.isprintable() else " " for c in one).split()) for one in names]
    return [one.replace("$", r"\$") for one in all_shortened(lines, limit)]


def legend_above(ax: Axes) -> None:
    """Put a legend above the axes, where it hides nothing; none if nothing has a label."""
    handles, names = ax.get_legend_handles_labels()
    order = sorted(range(len(names)), key=lambda i: isinstance(handles[i], Line2D))
    if names:
        inches = ax.get_window_extent().width / ax.figure.dpi
        fitting = int(inches / (0.55 + 0.053 * max(map(len, names))))
        ax.legend(
            [handles[i] for i in order],
            [names[i] for i in order],
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=min(max(fitting, 1), 4),
            borderaxespad=0.2,
        )


def every(count: int, inches: float) -> int:
    """Return n so that every nth of `count` labels fits into a length, one line each."""
    return max(1, math.ceil(count * LINE * 0.85 / inches))


def name_limit(ax: Axes) -> int:
    """Return how many letters of a name leave room for the figure beside it."""
    return min(32, int(5.2 * ax.figure.get_figwidth()))  # type: ignore[union-attr]


def shown_names(names: Sequence[str], ax: Axes) -> tuple[list[int], list[str]]:
    """Return which of many rows are drawn, and the label of every position, one more for the gap.

    Up to 48 rows, as many as a page holds, are all drawn; of more the first 36 and the last 8.
    """
    limit, total = name_limit(ax), len(names)
    if total <= MOST_ROWS:
        return list(range(total)), labels(names, limit)
    rows = [*range(TOP), *range(total - BOTTOM, total)]
    shown = labels([names[row] for row in rows], limit)
    return rows, [*shown[:TOP], f"({total - TOP - BOTTOM} more)", *shown[TOP:]]


def positions(total: int, rows: Sequence[int]) -> list[int]:
    """Return where the rows of `shown_names` stand: the last ones follow the gap."""
    cut = total - len(rows)
    return [row if row < TOP or not cut else row - cut + 1 for row in rows]


def error(loss: Any) -> Any:
    """Return how far off predictions of a loss are: its root, signed for rounding below 0."""
    return np.sign(loss) * np.sqrt(np.abs(loss))


def errors(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a frame with the roots of columns that are losses, which is what figures show.

    Examples
    --------
    >>> errors(pd.DataFrame({"k": [1], "loss": [0.25]}), "loss")
       k  loss
    0  1   0.5
    """
    return frame.assign(**{name: error(frame[name]) for name in columns})


def loss_axis(ax: Axes, name: str = LOSS) -> None:
    """Name the axis of errors on the left, and add one of their losses on the right."""

    def square(error: Any) -> Any:
        return np.sign(error) * np.square(error)

    bottom, top = sorted(ax.get_ylim())
    low, high = max(0.0, min(ax.get_yticks()), bottom), max(top, 0.0)
    apart = 0.2 * (top - bottom) * ax.figure.dpi / ax.get_window_extent().height
    kept: list[float] = []
    ticks = MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low**2, high**2)
    for loss in map(float, ticks):
        if low**2 <= loss <= high**2 and (not kept or error(loss) - error(kept[-1]) >= apart):
            kept.append(loss)
    ax.set_ylabel(ERROR)
    right = ax.secondary_yaxis("right", functions=(square, error))
    right.set_yticks(kept)
    right.yaxis.set_major_formatter("{x:g}")
    right.set_ylabel(name)


def save_figure(
    figure: Figure, path: str | os.PathLike[str], formats: tuple[str, ...] = ("png", "pdf")
) -> list[Path]:
    """Write a figure in several formats; the same figure always gives the same bytes.

    Parameters
    ----------
    figure : Figure
    path : path
        Without the suffix. Existing files are replaced, each at once.
    formats : tuple of {"png", "pdf", "svg"}

    Returns
    -------
    list of Path
        What was written, in the order of `formats`.
    """
    written = [Path(f"{os.fspath(path)}.{kind}") for kind in formats]
    for target, kind in zip(written, formats, strict=True):
        with replacing(target) as temporary:
            _save(figure, temporary, kind)
    return written


def _save(figure: Figure, path: Path, kind: str) -> None:
    if kind not in _NO_DATES:
        raise EeveeError(f"figures are saved as {', '.join(_NO_DATES)}; not as {kind!r}")
    with mpl.rc_context(_RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box is drawn in its place
        figure.savefig(path, format=kind, dpi=200, metadata=_NO_DATES[kind])
