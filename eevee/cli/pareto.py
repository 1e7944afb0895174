"""The verb `pareto`: the best subset for every budget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import FrontScorerOptions
from eevee.cli.panels import MOST_SUBSETS
from eevee.cli.printing import number, print_json, print_line, print_table
from eevee.cli.report_option import ReportedRunOptions
from eevee.cli.search_options import RuleOptions, SearchOptions, check_sizes_compare
from eevee.cli.session import session
from eevee.cli.table_options import TableOptions
from eevee.cli.tiers import parse_budgets

if TYPE_CHECKING:
    from eevee.base.arrays import Subset
    from eevee.search.front.pareto import ParetoResult
    from eevee.search.result import SearchResult
    from eevee.tables.results_table import ResultsTable
    from eevee.tiers.from_front import FrontResult

SHOWN, FEW = 20, 8
NAMES = 6
"""A row of the front with more names is cut short."""


@app.command(
    epilog="Example: eevee pareto data/zoo/scores.csv --costs data/zoo/costs.csv "
    "--cost-unit CPU-seconds --scorer ridge --budget small=10% --one-se --out runs/front"
)
@verb
def pareto(
    table: TableOptions,
    scorer: FrontScorerOptions,
    rules: RuleOptions,
    run: ReportedRunOptions,
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", help="Also a tier: NAME=COST, as small=12 or base=25%; repeats."),
    ] = None,
    one_se: Annotated[
        bool,
        typer.Option(
            "--one-se", help="Also the cheapest within a standard error of the lowest unseen loss."
        ),
    ] = False,
    evaluations: Annotated[
        int,
        typer.Option(
            "--n-evaluations",
            help="Maximum number of subsets to score.",
            min=1,
            max=MOST_SUBSETS,
            metavar="N",
        ),
    ] = 6000,
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive/--no-exhaustive",
            help="Score every subset where there are at most 6,000.",
        ),
    ] = True,
) -> None:
    """Search for the Pareto front of loss and cost, over subsets of any size."""
    from eevee.report.searches import save_pareto
    from eevee.search.front.nsga import Nsga
    from eevee.tiers.from_front import search_front

    budgets, kept = _asked_for(budget, one_se, scorer), rules.make()
    with session(run, 1 + len(budgets)) as job:
        read = rules.pay(table.read())
        made = scorer.make(read, quiet=run.quiet)
        result = search_front(
            made, budgets, one_se=one_se, constraints=kept,
            settings=Nsga(evaluations=evaluations), exhaustive=exhaustive,
            procedure=SearchOptions(exhaustive=exhaustive).make(scorer.paper),
            seed=scorer.search_seed, control=job.control, file_seed=scorer.seed,
            splits=scorer.plan().together,
        )  # fmt: skip
        if run.out is not None:
            own = {"budgets": budgets, "one_se": one_se, "evaluations": evaluations}
            save_pareto(run.out, made, result, job.settings(table, scorer, rules, **own))
            run.write_report(read)
    if run.as_json:
        print_json(_as_json(result, read))
    else:
        _print_result(result, read, verbose=run.verbose)
        run.print_written()
    job.finish()


def _asked_for(
    budget: list[str] | None, one_se: bool, scorer: FrontScorerOptions
) -> dict[str, str]:
    """Return budgets by name; contradictions are wrong usage."""
    budgets = parse_budgets(budget or ())
    check_sizes_compare(scorer)
    if one_se and "one-se" in budgets:
        raise typer.BadParameter("--one-se makes a tier 'one-se'; name the budget otherwise")
    if one_se and scorer.n_splits < 2:
        raise typer.BadParameter("--one-se takes at least two splits; give more, such as 10")
    return budgets


def _print_result(result: FrontResult, table: ResultsTable, *, verbose: bool) -> None:
    for name, one in result.verdicts.items():
        said = one.words if verbose else f"verdict: {one.brief}"
        print_line(f"{name}: {said}")
    _print_front(result.front, table, verbose=verbose)
    _print_choices(result.searches, table, verbose=verbose)


def _as_json(found: FrontResult, table: ResultsTable) -> dict[str, object]:
    from eevee.tiers.file import tiers_to_json

    result, tiers = found.front, found.tier_set
    return {
        "front": result.front.to_dict("records"),
        "hypervolume": result.hypervolume,
        "targets": result.targets,
        "exact": result.exact,
        "cost_unit": table.cost_unit,
        "total_cost": result.total_cost,
        "mean_predictor": result.mean_predictor,
        "evaluated": len(result.evaluated),
        "tiers": None if tiers is None else json.loads(tiers_to_json(tiers)),
        "settings": result.settings,
    }


def _print_front(result: ParetoResult, table: ResultsTable, *, verbose: bool) -> None:
    from eevee.search.front.front import evenly

    shown = evenly(result.front, SHOWN if verbose else FEW)
    part = "" if len(shown) == len(result.front) else f"; {len(shown)} shown, evenly over cost"
    how = "every subset" if result.exact else f"{len(result.evaluated)} subsets"
    titles = {
        "cost": f"cost ({table.cost_unit})", "size": "k", "loss": "search loss",
        "spread": "spread", "rescored_mean": "rescored", "unseen": "unseen only",
    }  # fmt: skip
    columns = [name for name in titles if shown[name].notna().any()]
    print_table(
        f"Front of loss and cost: {len(result.front)} of {how} scored{part}",
        [
            *(titles[name] for name in columns),
            *(["benchmarks"] if verbose else []),
        ],
        (
            [*row, *([_names(subset)] if verbose else [])]
            for row, subset in zip(
                shown[columns].itertuples(index=False, name=None), shown["benchmarks"], strict=True
            )
        ),
    )
    if not verbose:
        print_line("Search loss: too low, chosen for it. Which benchmarks: --verbose or --out")
        return
    print_line(
        f"hypervolume {number(result.hypervolume)} (share of loss up to predicting each column's "
        f"mean, {number(result.mean_predictor)}, and of cost up to all, "
        f"{number(result.total_cost)})"
    )
    print_line(
        "Search loss: over all benchmarks, biased downward, since the search chose the subsets for "
        "it; with more of them it falls by arithmetic alone, unseen only does not. All names: "
        "--json, or front.csv with --out."
    )


def _names(subset: Subset) -> str:
    more = len(subset) - NAMES
    return ", ".join(subset[:NAMES]) + (f" and {more} more" if more > 0 else "")


def _print_choices(
    found: Mapping[str, SearchResult], table: ResultsTable, *, verbose: bool
) -> None:
    if not verbose:
        for name, tier in found.items():
            cost, loss = (number(float(tier.best_row[what])) for what in ("cost", "loss"))
            about = f"{len(tier.best)} benchmarks, {cost} {table.cost_unit}, search loss {loss}"
            print_line(f"{name}: {about}: {', '.join(tier.best)}")
    elif found:
        _print_chosen(found)


def _print_chosen(found: Mapping[str, SearchResult]) -> None:
    print_table(
        "Tiers: under a budget the better of the front, polished, and of its own search; one-se: "
        "the cheapest within one standard error of the lowest unseen loss (at most half of all)",
        ["tier", "budget", "cost", "k", "search loss", "benchmarks"],
        (
            [
                name,
                tier.settings.get("budget"),
                float(tier.best_row["cost"]),
                len(tier.best),
                float(tier.best_row["loss"]),
                ", ".join(tier.best),
            ]
            for name, tier in found.items()
        ),
    )
