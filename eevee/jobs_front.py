"""What `eevee pareto` leaves behind: the front, the tiers read from it, and the figure."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from eevee import plots
from eevee.describe import summary
from eevee.jobs import save_figure
from eevee.runs import run_folder, write_config, write_table
from eevee.scoring.base import Scorer
from eevee.search.pareto import ParetoResult
from eevee.search.result import SearchResult
from eevee.tierfile import TierSet, dump_tiers


def save_pareto(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: ParetoResult,
    found: Mapping[str, SearchResult],
    tiers: TierSet | None,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee pareto`: front, all subsets scored, logbook, figure, tiers.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    scorer : Scorer
    result : ParetoResult
    found : mapping of tier name to SearchResult
        From `tiers_from_front`; empty without budgets.
    tiers : TierSet or None
        The same, as it is exported.
    settings : mapping
        Of the job, for `config.json`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    searches = {"front": result.settings}
    searches |= {name: one.settings for name, one in found.items()}
    with run_folder(out) as folder:
        write_table(folder / "front.csv", result.front)
        write_table(folder / "subsets.csv", result.evaluated)
        write_table(folder / "logbook.csv", result.logbook)
        write_config(
            folder,
            "pareto",
            {
                **settings,
                "searches": searches,
                "table": summary(scorer.table),
                "scorer": scorer.describe(),
            },
        )
        if tiers is not None:
            dump_tiers(tiers, folder / "tiers.yaml")
            dump_tiers(tiers, folder / "tiers.json")
        data = plots.pareto_data(result, found)
        save_figure(folder, "pareto", data, cost_unit=scorer.table.cost_unit)
