"""Figures. Each has a pure step, `x_data`, that computes what will be drawn (and survives a CSV
file), `draw_x`, that draws it on given axes, and `x_figure`, that makes a figure of a fit size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from eevee.base.errors import EeveeError, did_you_mean
from eevee.plots._frames import read_data
from eevee.plots._style import save_figure
from eevee.plots.ablation import ablation_data, ablation_figure, draw_ablation
from eevee.plots.cost import cost_data, cost_figure, draw_cost
from eevee.plots.heatmap import draw_heatmap, heatmap_data, heatmap_figure
from eevee.plots.learning import draw_learning, learning_data, learning_figure
from eevee.plots.pareto import draw_pareto, pareto_data, pareto_figure
from eevee.plots.probes import draw_probes, probes_data, probes_figure
from eevee.plots.rank import draw_rank, rank_data, rank_figure
from eevee.plots.sweep import draw_sweep, sweep_data, sweep_figure

__all__ = [
    "FIGURES",
    "ablation_data",
    "ablation_figure",
    "cost_data",
    "cost_figure",
    "draw_ablation",
    "draw_cost",
    "draw_heatmap",
    "draw_learning",
    "draw_pareto",
    "draw_probes",
    "draw_rank",
    "draw_sweep",
    "figure",
    "heatmap_data",
    "heatmap_figure",
    "learning_data",
    "learning_figure",
    "pareto_data",
    "pareto_figure",
    "probes_data",
    "probes_figure",
    "rank_data",
    "rank_figure",
    "read_data",
    "save_figure",
    "sweep_data",
    "sweep_figure",
]

FIGURES: dict[str, Callable[..., Figure]] = {
    "ablation": ablation_figure,
    "cost": cost_figure,
    "heatmap": heatmap_figure,
    "learning": learning_figure,
    "pareto": pareto_figure,
    "probes": probes_figure,
    "rank": rank_figure,
    "sweep": sweep_figure,
}
"""What makes each kind of figure from its data step."""


def figure(kind: str, data: pd.DataFrame, **options: Any) -> Figure:
    """Return a figure of one kind, from the frame that its data step gave.

    Parameters
    ----------
    kind : {"ablation", "cost", "heatmap", "learning", "pareto", "probes", "rank", "sweep"}
    data : DataFrame
        From `x_data`, or from `read_data` of a file that it was written to.
    **options
        Passed on to `x_figure`.

    Raises
    ------
    EeveeError
        If there is no such kind, or the frame is not of that kind.

    Examples
    --------
    >>> ranking = pd.DataFrame({"benchmark": ["a", "b"], "loss": [0.5, 0.3], "spread": [0.1, 0.1]})
    >>> len(figure("rank", rank_data(ranking)).axes)
    1
    """
    if kind not in FIGURES:
        known = ", ".join(FIGURES)
        raise EeveeError(f"no figure {kind!r}{did_you_mean(kind, FIGURES)}; there are: {known}")
    return FIGURES[kind](data, **options)
