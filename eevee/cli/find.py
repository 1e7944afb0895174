"""Verbs that search: `select`, `sweep`, `tiers`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli import app
from eevee.cli.options import (
    Out,
    OutputOptions,
    ScorerOptions,
    SearchOptions,
    TableOptions,
    Targets,
    settings,
)
from eevee.cli.show import number, print_json, print_line, print_table, print_written, progress_bar
from eevee.cli.verb import verb

if TYPE_CHECKING:
    import pandas as pd

    from eevee.search.result import SearchResult
    from eevee.table import ResultsTable

SHOWN = 10
MOST = 100_000
"""No table has more benchmarks; a slip such as 1:1000000000 would fill the memory."""


@app.command(epilog="Example: eevee select data/vtab/scores.csv -k 4 --paper")
@verb
def select(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    output: OutputOptions,
    k: Annotated[int | None, typer.Option("-k", help="How many benchmarks.", min=1)] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Instead of -k: total cost, as 12 or 25%."),
    ] = None,
    out: Out = None,
) -> None:
    """Search for the best subset of one size, or under one budget."""
    from eevee.jobs import save_selection
    from eevee.runs import check_out
    from eevee.search.curve import best_losses
    from eevee.search.evolution import evolve
    from eevee.tiers import budget_in_units

    if (k is None) == (budget is None):
        raise typer.BadParameter("give either -k or --budget")
    if budget is not None:
        check_budget(budget)
        check_sizes_compare(scorer)
    if out is not None:
        check_out(out)
    evolution = search.make(scorer.paper)
    read = table.read()
    made = scorer.make(read, quiet=output.quiet)
    with progress_bar(output.quiet) as bar:
        result = evolve(
            made,
            k,
            budget=None if budget is None else budget_in_units(budget, read),
            seed=scorer.search_seed,
            evolution=evolution,
            exhaustive=search.exhaustive,
            progress=bar.search,
        )
        both = best_losses(made, {"selected": result}, advance=bar.advance)
        if out is not None:
            asked = settings(table, scorer, search, k=k, budget=budget)
            save_selection(out, made, result, both, asked, advance=bar.advance)
    if output.as_json:
        print_json({**_as_json(result, read), "best_losses": both.loc["selected"].to_dict()})
        return
    _print_ranked(result, both, read)
    print_written(out)


@app.command(
    epilog="Example: eevee sweep data/vtab/scores.csv --k 1:6 --paper --splits 3 --out runs/sweep"
)
@verb
def sweep(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    output: OutputOptions,
    ks: Annotated[str, typer.Option("--k", help="Sizes: 1:26 (both included), 2:20:3 or 1,4,8.")],
    out: Out = None,
) -> None:
    """Search at several sizes, and show the loss over k for both kinds of target (Fig. 5)."""
    from eevee.jobs import save_sweep
    from eevee.runs import check_out
    from eevee.search.curve import curve_losses, curve_table
    from eevee.search.sweep import sweep as sweep_sizes

    sizes = parse_sizes(ks)
    if out is not None:
        check_out(out)
    evolution = search.make(scorer.paper)
    made = scorer.make(table.read(), quiet=output.quiet)
    with progress_bar(output.quiet, len(sizes)) as bar:
        results = sweep_sizes(
            made,
            sizes,
            seed=scorer.search_seed,
            evolution=evolution,
            exhaustive=search.exhaustive,
            progress=bar.search,
        )
        losses = curve_losses(made, results, advance=bar.advance)
    if out is not None:
        save_sweep(out, made, results, losses, settings(table, scorer, search, k=sizes))
    curve = curve_table(results, losses)
    if output.as_json:
        print_json({"minimised": made.targets, "curve": curve.to_dict("records")})
        return
    print_table(
        f"Search loss over k (minimised: targets {made.targets}; with 'all' it falls with k by "
        "arithmetic alone)",
        ["k", "exact", "first (all)", "random (all)", "first (unseen)", "random (unseen)"],
        curve.itertuples(index=False),
    )
    for result in results:
        print_line(f"k={len(result.best)}: {', '.join(result.best)}")
    print_line("first: the subset ranked first by its loss under fresh initialisations.")
    print_written(out)


@app.command(
    epilog="Example: eevee tiers data/zoo/scores.csv --costs data/zoo/costs.csv "
    "--cost-unit CPU-seconds --budget small=10% --budget base=25% --budget big=50% "
    "--paper --out runs/zoo"
)
@verb
def tiers(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    output: OutputOptions,
    budget: Annotated[
        list[str],
        typer.Option("--budget", help="NAME=COST, as small=12 or base=25%; once per tier."),
    ],
    out: Out = None,
) -> None:
    """Choose one tier per budget: the best subset whose total cost fits."""
    from eevee.jobs import save_tiers
    from eevee.runs import check_out
    from eevee.search.curve import best_losses
    from eevee.tierfile import tiers_to_json
    from eevee.tiers import make_tier_set, search_tiers

    budgets = parse_budgets(budget)
    check_sizes_compare(scorer)
    if out is not None:
        check_out(out)
    evolution = search.make(scorer.paper)
    read = table.read()
    made = scorer.make(read, quiet=output.quiet)
    with progress_bar(output.quiet, len(budgets)) as bar:
        found = search_tiers(
            made,
            budgets,
            seed=scorer.search_seed,
            evolution=evolution,
            exhaustive=search.exhaustive,
            progress=bar.search,
        )
        chosen = make_tier_set(made, found, seed=scorer.seed)
        both = best_losses(made, found, advance=bar.advance)
        if out is not None:
            asked = settings(table, scorer, search, budgets=budgets)
            save_tiers(out, made, found, both, chosen, asked, advance=bar.advance)
    if output.as_json:
        print_json(json.loads(tiers_to_json(chosen)))
        return
    _print_tiers(found, both, read)
    print_written(out)


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
            f"--k is 1:26, 2:20:3 or 1,4,8 (sizes from 1), not {text!r}"
        ) from None
    return sorted(sizes)


def parse_budgets(texts: Iterable[str]) -> dict[str, str]:
    """Read ``NAME=COST``; wrong usage if a name repeats or a cost is no number.

    Examples
    --------
    >>> parse_budgets(["small=10%", "big=36"])
    {'small': '10%', 'big': '36'}
    """
    from eevee.errors import EeveeError
    from eevee.runs import check_name

    budgets: dict[str, str] = {}
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"--budget is NAME=COST, such as small=10%, not {text!r}")
        if name in budgets:
            raise typer.BadParameter(f"--budget names {name!r} twice")
        check_budget(amount)
        try:
            budgets[check_name(name)] = amount
        except EeveeError as error:
            raise typer.BadParameter(str(error)) from None
    return budgets


def check_budget(text: str) -> None:
    """Refuse what is no positive number or percentage as wrong usage."""
    from eevee.budgets import parse_budget
    from eevee.errors import EeveeError

    try:
        parse_budget(text)
    except EeveeError as error:
        raise typer.BadParameter(str(error)) from None


def check_sizes_compare(scorer: ScorerOptions) -> None:
    """Refuse a budget with unseen targets: such losses do not compare across sizes."""
    if scorer.targets is not Targets.all:
        raise typer.BadParameter(
            "a budget compares subsets of different sizes, which with --targets unseen predict "
            "different things; leave --targets out (both losses are shown)"
        )


def _as_json(result: SearchResult, table: ResultsTable) -> dict[str, object]:
    return {
        "best": result.best,
        "targets": result.targets,
        "exact": result.exact,
        "cost_unit": table.cost_unit,
        "mean_predictor": result.mean_predictor,
        "random_median": result.random_median,
        "evaluated": len(result.evaluated),
        "ranked": result.ranked.to_dict("records"),
        "settings": result.settings,
    }


def _print_ranked(result: SearchResult, both: pd.DataFrame, table: ResultsTable) -> None:
    how = "every subset scored" if result.exact else f"{len(result.evaluated)} subsets scored"
    shown = ["benchmarks", "loss", "spread", "rescored_mean", "cost"]
    ranked = result.ranked[shown].head(SHOWN)
    print_table(
        f"Best subsets by search loss (targets: {result.targets}; {how})",
        ["rank", "search loss", "spread", "rescored", f"cost ({table.cost_unit})", "benchmarks"],
        (
            [i, *row, ", ".join(subset)]
            for i, (subset, *row) in enumerate(ranked.itertuples(index=False), start=1)
        ),
    )
    print_line(
        f"random subsets: median {number(result.random_median)}; predicting each column's mean: "
        f"{number(result.mean_predictor)}"
    )
    print_line(
        f"first subset, all benchmarks as targets: {number(both['all'].iloc[0])}; only those not "
        f"in it: {number(both['unseen'].iloc[0])}"
    )
    print_line("The search loss is biased downward: the search chose the subset for it.")


def _print_tiers(found: dict[str, SearchResult], both: pd.DataFrame, table: ResultsTable) -> None:
    print_table(
        f"Tiers of {table.provenance.source} ({table.n_models} models x "
        f"{table.n_benchmarks} benchmarks)",
        [
            "tier",
            f"budget ({table.cost_unit})",
            "cost",
            "k",
            "search loss",
            "spread",
            "rescored",
            "unseen only",
            "random median",
            "scored",
        ],
        (
            [
                name,
                float(result.settings["budget"]),
                float(result.best_row["cost"]),
                len(result.best),
                *(float(result.best_row[what]) for what in ("loss", "spread", "rescored_mean")),
                unseen,
                result.random_median,
                "all" if result.exact else str(len(result.evaluated)),
            ]
            for (name, result), unseen in zip(found.items(), both["unseen"], strict=True)
        ),
    )
    for name, result in found.items():
        print_line(f"{name}: {', '.join(result.best)}")
    first = next(iter(found.values()))
    print_line(
        "Search loss: held-out squared error in squared units, over all benchmarks; unseen only: "
        "over those that the tier lacks. Predicting each column's mean: "
        f"{number(first.mean_predictor)}. It is biased downward: the search chose the subset "
        "for it."
    )
