"""Verbs that search for subsets of given sizes: `select`, `sweep`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import Out, OutputOptions, ScorerOptions, settings
from eevee.cli.printing import number, print_json, print_line, print_table, print_written
from eevee.cli.search_options import (
    Budget,
    RuleOptions,
    SearchOptions,
    Size,
    check_budget,
    check_sizes_compare,
)
from eevee.cli.session import Resume, session
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from eevee.search.agreement import Agreement
    from eevee.search.result import SearchResult
    from eevee.tables.results_table import ResultsTable

SHOWN = 10
MOST = 100_000
"""No table has more benchmarks; a slip such as 1:1000000000 would fill the memory."""

Baselines = Annotated[
    bool,
    typer.Option("--baselines/--no-baselines", help="Show simple searches beside the winner."),
]


@app.command(epilog="Example: eevee select data/vtab/scores.csv -k 4 --paper")
@verb
def select(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    rules: RuleOptions,
    output: OutputOptions,
    k: Size = None,
    budget: Budget = None,
    baselines: Baselines = True,
    out: Out = None,
    resume: Resume = False,
) -> None:
    """Search for the best subset of one size, or under one budget."""
    from eevee.report.searches import save_selection
    from eevee.search.compare import compare
    from eevee.search.curve import best_losses
    from eevee.search.verdict import search_verdict

    if k is None and budget is None:
        raise typer.BadParameter("give -k or --budget")
    if budget is not None:
        check_budget(budget)
        check_sizes_compare(scorer, search)
    procedure = search.make(scorer.paper)
    kept = rules.make(None if budget is None else k)
    with session(out, resume, output.quiet, search.searches) as job:
        read = rules.pay(table.read())
        made = scorer.make(read, quiet=output.quiet)
        goal: dict[str, Any] = {
            "k": k if budget is None else None,
            "budget": budget,
            "constraints": kept,
            "seed": scorer.search_seed,
        }
        judge = procedure.judge(made)
        others = scorer.elsewhere(made, read, search.restarts - 1)
        result = procedure.run(judge, **goal, control=job.control, elsewhere=others)
        both = best_losses(made, {"selected": result}, advance=job.bar.advance)
        judged = search_verdict(judge, result, **goal)
        beside = None
        if baselines and not job.stop():
            beside = compare(judge, result, **goal, stop=job.stop, progress=job.bar.beside)
        if out is not None:
            asked = settings(table, scorer, search, rules, k=k, budget=budget)
            asked["verdict"] = judged.as_dict()
            save_selection(
                out, made, result, both, asked, baselines=beside, advance=job.bar.advance
            )
    if output.as_json:
        print_json({"verdict": judged.as_dict(), **_as_json(result, read, both, beside)})
    else:
        print_line(judged.words)
        _print_ranked(result, both, read)
        if beside is not None:
            print_baselines(beside, read, minimised(result))
        print_agreement(result)
        print_written(out)
    job.finish()


@app.command(
    epilog="Example: eevee sweep data/vtab/scores.csv --sizes 1:6 --paper --n-splits 3 "
    "--out runs/sweep"
)
@verb
def sweep(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    rules: RuleOptions,
    output: OutputOptions,
    ks: Annotated[
        str, typer.Option("--sizes", help="Sizes: 1:26 (both included), 2:20:3 or 1,4,8.")
    ],
    out: Out = None,
    resume: Resume = False,
) -> None:
    """Search at several sizes, and show the loss over k for both kinds of target (Fig. 5)."""
    from eevee.report.searches import save_sweep
    from eevee.search.curve import curve_losses, curve_table
    from eevee.search.sweep import judge_sizes
    from eevee.search.sweep import sweep as sweep_sizes
    from eevee.search.verdict import sizes_in_words

    sizes = parse_sizes(ks)
    procedure = search.make(scorer.paper)
    kept = rules.make()
    with session(out, resume, output.quiet, len(sizes) * search.searches) as job:
        read = rules.pay(table.read())
        made = scorer.make(read, quiet=output.quiet)
        results = sweep_sizes(
            made,
            sizes,
            seed=scorer.search_seed,
            constraints=kept,
            procedure=procedure,
            control=job.control,
            elsewhere=scorer.elsewhere(made, read, search.restarts - 1),
        )
        losses = curve_losses(made, results, advance=job.bar.advance)
        judged = judge_sizes(made, results, seed=scorer.search_seed, constraints=kept)
        verdicts = {str(k): one.as_dict() for k, one in judged.items()}
        if out is not None:
            asked = settings(table, scorer, search, rules, k=sizes)
            save_sweep(out, made, results, losses, {**asked, "verdicts": verdicts})
    curve = curve_table(results, losses)
    if output.as_json:
        about = {"minimised": results[0].targets, "objective": results[0].objective}
        print_json({"verdicts": verdicts, **about, "curve": curve.to_dict("records")})
    else:
        print_line(sizes_in_words(judged))
        _print_curve(curve, results, made.targets)
        for result in results:
            print_agreement(result, f"k={len(result.best)}")
        print_written(out)
    job.finish()


def parse_sizes(text: str) -> list[int]:
    """Read sizes such as ``1:26``, ``2:20:3`` or ``1,4,8``; wrong usage if they are none.

    Examples
    --------
    >>> parse_sizes("1:4"), parse_sizes("2:9:3"), parse_sizes("8,1")
    ([1, 2, 3, 4], [2, 5, 8], [1, 8])
    """
    sizes: set[int] = set()
    try:
        for part in text.split(","):
            numbers = [int(number) for number in part.split(":")]
            first, last, step = (numbers + numbers[-1:] * (2 - len(numbers)) + [1])[:3]
            if len(numbers) > 3 or step < 1 or not 1 <= first <= last <= MOST:
                raise ValueError(part)
            sizes.update(range(first, last + 1, step))
    except ValueError:
        raise typer.BadParameter(
            f"--sizes is 1:26, 2:20:3 or 1,4,8 (sizes from 1), not {text!r}"
        ) from None
    return sorted(sizes)


def _as_json(
    result: SearchResult, table: ResultsTable, both: pd.DataFrame, baselines: pd.DataFrame | None
) -> dict[str, object]:
    return {
        "best": result.best,
        "targets": result.targets,
        "objective": result.objective,
        "exact": result.exact,
        "cost_unit": table.cost_unit,
        "mean_predictor": result.mean_predictor,
        "random_median": result.random_median,
        "n_random": result.n_random,
        "evaluated": len(result.evaluated),
        "ranked": result.ranked.to_dict("records"),
        "settings": result.settings,
        "best_losses": both.loc["selected"].to_dict(),
        "baselines": None if baselines is None else baselines.to_dict("records"),
        "agreement": agreement_as_json(result),
    }


def minimised(result: SearchResult) -> str:
    """Say what a search minimised."""
    from eevee.scorers.objective import MINIMISED

    return MINIMISED[result.objective]


def _print_ranked(result: SearchResult, both: pd.DataFrame, table: ResultsTable) -> None:
    from eevee.search.compare import drawn_words
    from eevee.search.near_ties import lowest_row

    how = "every subset scored" if result.exact else f"{len(result.evaluated)} subsets scored"
    shown = ["benchmarks", "loss", "spread", "rescored_mean", "cost"]
    other = lowest_row(result) is not None
    ranked = result.ranked[shown].head(SHOWN + other)
    title = "The proposed subset, and the best" if other else "Best subsets"
    print_table(
        f"{title} by {minimised(result)} (targets: {result.targets}; {how})",
        [
            "rank",
            minimised(result),
            "spread",
            "rescored",
            f"cost ({table.cost_unit})",
            "benchmarks",
        ],
        (
            [i or "proposed", *row, ", ".join(subset)]
            for i, (subset, *row) in enumerate(ranked.itertuples(index=False), start=1 - other)
        ),
    )
    print_notes({"": result})
    print_line(
        f"random median {number(result.random_median)} ({drawn_words(result)}); predicting each "
        "column's mean: "
        f"{number(result.mean_predictor)}"
    )
    print_line(
        f"search loss of the {'proposed' if other else 'first'} subset, all benchmarks as targets: "
        f"{number(both['all'].iloc[0])}; only those not in it: {number(both['unseen'].iloc[0])}"
    )
    print_line(f"The {minimised(result)} is biased downward: the search chose the subset for it.")


def _print_curve(curve: pd.DataFrame, results: list[SearchResult], targets: str) -> None:
    first = results[0]
    what = f"targets {targets}" if first.objective == "loss" else minimised(first)
    print_table(
        f"Search loss over k (minimised: {what}; the loss of all targets falls with k by "
        "arithmetic alone)",
        [
            *("k", "exact", "first (all)", "random (all)", "first (unseen)", "random (unseen)"),
            "different random subsets",
        ],
        curve.itertuples(index=False),
    )
    for result in results:
        print_line(f"k={len(result.best)}: {', '.join(result.best)}")
    print_line(
        f"first: the subset ranked first by its {minimised(first)}, under fresh initialisations "
        "where the scorer has any."
    )


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


def print_agreement(result: SearchResult, name: str = "") -> None:
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
    if shown is None or shown.jaccard is None:
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
