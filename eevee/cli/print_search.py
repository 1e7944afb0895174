"""What verbs print of a search, beside what is their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.printing import number, print_line, print_table

if TYPE_CHECKING:
    import pandas as pd

    from eevee.search.agreement import Agreement
    from eevee.search.result import SearchResult
    from eevee.tables.results_table import ResultsTable

SHOWN = 10
Baselines = Annotated[
    bool,
    typer.Option("--baselines/--no-baselines", help="Show simple searches beside the winner."),
]


def minimised(result: SearchResult) -> str:
    """Say what a search minimised."""
    from eevee.scorers.objective import MINIMISED

    return MINIMISED[result.objective]


def print_baselines(
    baselines: pd.DataFrame, table: ResultsTable, what: str, title: str = ""
) -> None:
    """Print simple searches for the same goal, beside the winner; `what` they minimise."""
    print_table(
        title or f"Beside simple searches for the same (same {what}, same splits)",
        ["search", what, "rescored", f"cost ({table.cost_unit})", "k", "scored", "note"],
        (
            [
                row["method"],
                row["loss"],
                row["rescored_mean"],
                row["cost"],
                row["size"],
                row["evaluated"],
                _range(row),
            ]
            for row in baselines.to_dict("records")
        ),
    )


def _range(row: Mapping[Any, Any]) -> str:
    """A note, with the range of what is a distribution."""
    if row["low"] != row["low"]:
        return str(row["note"])
    return f"{row['note']}: {number(row['low'])} to {number(row['high'])}"


def print_notes(found: Mapping[str, SearchResult]) -> None:
    """Say once what was proposed instead of the lowest loss, and what was left out of a search."""
    from eevee.search.near_ties import settled_words

    said: dict[str, list[str]] = {}
    for name, result in found.items():
        for words in (settled_words(result), result.settings.get("note")):
            if words:
                said.setdefault(words, []).append(name)
    for words, names in said.items():
        where = ", ".join(filter(None, names))
        print_line(f"{where}: {words}" if where else words)


def print_agreement(result: SearchResult, name: str = "", *, verbose: bool = True) -> None:
    """Say how far several searches agree, over seeds and over splits, where there were several."""
    where = f"{name}: " if name else ""
    seeds, splits = result.agreement, result.split_agreement
    if result.exact and splits is not None:
        print_line(f"{where}every subset was scored: the seed of the search plays no part")
    if seeds is not None and seeds.jaccard is not None:
        print_line(f"{where}{_agreed(seeds, 'on the same splits, with other seeds')}")
    if splits is not None:
        varied = "on other splits, with other initialisations and seeds"
        print_line(f"{where}{_agreed(splits, varied)}: the rest is luck of the splits")
    shown = splits or seeds
    if shown is None or shown.jaccard is None or not verbose:
        return
    over = "splits" if splits is not None else "seeds"
    print_table(
        f"{where}most often in the best subset of a search, and in the top 50 of all (over {over})",
        ["benchmark", "best (%)", "top (%)"],
        (
            [row["benchmark"], 100 * row["best"], 100 * row["top"]]
            for row in shown.benchmarks.head(SHOWN).to_dict("records")
        ),
    )


def _agreed(found: Agreement, varied: str) -> str:
    assert found.jaccard is not None
    same = sum(best == found.bests[0] for best in found.bests)
    return (
        f"{len(found.bests)} searches {varied}: {same} found the subset of the first; two of them "
        f"share {100 * found.jaccard:.0f} % (Jaccard, mean over pairs)"
    )


def agreement_as_json(result: SearchResult) -> Mapping[str, object]:
    """Return the agreement over seeds and over splits for `--json`; None where there is none."""
    both = {"seeds": result.agreement, "splits": result.split_agreement}
    return {
        varied: None
        if found is None or found.jaccard is None
        else {
            "bests": found.bests,
            "jaccard": found.jaccard,
            "benchmarks": found.benchmarks.to_dict("records"),
            "pairs": found.pairs.to_dict("records"),
        }
        for varied, found in both.items()
    }
