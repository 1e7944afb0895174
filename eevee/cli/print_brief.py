"""What `tiers` and `select` print by default: what was chosen, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eevee.cli.print_search import minimised, print_notes
from eevee.cli.printing import number, print_line, print_table

if TYPE_CHECKING:
    import pandas as pd

    from eevee.search.result import SearchResult
    from eevee.search.verdict import SearchVerdict
    from eevee.tables.results_table import ResultsTable


def print_brief(
    found: Mapping[str, SearchResult],
    verdicts: Mapping[str, SearchVerdict],
    baselines: pd.DataFrame | None,
    table: ResultsTable,
) -> None:
    """Print the verdict, a row per search beside its best rival, and the names; "" names none."""
    for name, verdict in verdicts.items():
        print_line(_named(name, f"verdict: {verdict.brief}"))
    print_line("Only `eevee assess` can confirm it.")
    first = next(iter(found.values()))
    what = "rescored" if first.best_row["rescored_mean"] >= 0 else minimised(first)
    named = any(found)
    print_table(
        f"{table.provenance.source}: {table.size_words}, costs in {table.cost_unit}",
        [
            *(["tier", "budget"] if named else []),
            *("cost", "k", minimised(first), *(["rescored"] if what == "rescored" else [])),
            *("random median", "best simple search", f"its {what}"),
        ],
        (_row(name, one, baselines, what) for name, one in found.items()),
    )
    for name, one in found.items():
        print_line(_named(name, ", ".join(one.best)))
    print_notes(found)
    bound = f"; the mean predictor has {number(first.mean_predictor)}"
    print_line(
        f"The {minimised(first)} is too low: the subset was chosen for it"
        f"{bound if first.objective == 'loss' else ''}. Details: --verbose"
    )


def _named(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text


def _row(name: str, found: SearchResult, beside: pd.DataFrame | None, what: str) -> list[Any]:
    from eevee.search.compare import best_baseline

    best, rival = found.best_row, None
    if beside is not None:
        rival = best_baseline(beside[beside["tier"] == name])
    known = "rescored_mean" if what == "rescored" else "loss"
    return [
        *([name, found.settings.get("budget")] if name else []),
        *(float(best["cost"]), len(found.best), float(best["loss"])),
        *([float(best["rescored_mean"])] if what == "rescored" else []),
        found.random_median,
        "not asked for" if rival is None else rival["method"],
        None if rival is None else float(rival[known]),
    ]
