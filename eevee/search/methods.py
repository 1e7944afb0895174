"""The searches by name: all take the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eevee.scoring.base import Scorer
from eevee.search.evolution import evolve
from eevee.search.generations import Evolution
from eevee.search.result import SearchResult


def paper(
    scorer: Scorer, k: int | None = None, *, evolution: Evolution | None = None, **options: Any
) -> SearchResult:
    """Search by the paper's algorithm as it is written; parameters as in `eevee.evolve`."""
    return evolve(scorer, k, evolution=evolution or Evolution.paper(), **options)


SEARCHES: dict[str, Callable[..., SearchResult]] = {"evolution": evolve, "paper": paper}


def compare(scorer: Scorer, found: SearchResult, **options: Any) -> Any:
    import pandas as pd

    row = found.best_row
    return pd.DataFrame(
        [
            {
                "method": found.settings["method"],
                "loss": row["loss"],
                "rescored_mean": row["rescored_mean"],
                "cost": row["cost"],
                "size": row["size"],
                "evaluated": len(found.evaluated),
                "note": "",
            }
        ]
    )
