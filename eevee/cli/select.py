"""The verb `select`: the best subset of one size, or under one budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import RunOptions, ScorerOptions
from eevee.cli.print_brief import print_brief
from eevee.cli.print_search import (
    SHOWN,
    Baselines,
    agreement_as_json,
    minimised,
    print_agreement,
    print_baselines,
    print_notes,
)
from eevee.cli.printing import number, print_json, print_line, print_table, print_written
from eevee.cli.search_options import (
    GoalOptions,
    RuleOptions,
    SearchOptions,
    check_goal,
    say_wide,
)
from eevee.cli.session import session
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    from eevee.search.select import Selection
    from eevee.tables.results_table import ResultsTable


@app.command(epilog="Example: eevee select data/vtab/scores.csv -k 4 --paper")
@verb
def select(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    rules: RuleOptions,
    run: RunOptions,
    goal: GoalOptions,
    baselines: Baselines = True,
) -> None:
    """Search for the best subset of one size, or under one budget."""
    from eevee.analysis.overview import overview
    from eevee.report.searches import SELECTED, save_selection
    from eevee.search.select import select as search_for

    if not goal.given:
        raise typer.BadParameter("give -k or --budget")
    check_goal(goal, scorer, search)
    procedure, kept = search.make(scorer.paper), rules.make(goal.largest)
    with session(run, search.searches) as job:
        read = rules.pay(table.read())
        if goal.budget is not None:
            say_wide(read, {"": goal.budget}, kept, quiet=run.quiet)
        made = scorer.make(read, quiet=run.quiet)
        result = search_for(
            made, goal.size, budget=goal.budget, constraints=kept, method=procedure,
            seed=scorer.search_seed, baselines=baselines, control=job.control,
            elsewhere=scorer.elsewhere(made, read, search.restarts - 1),
        )  # fmt: skip
        if run.out is not None:
            asked = job.settings(table, scorer, search, rules, goal)
            counting = job.bar.counting("ranking all benchmarks and ablating the subset")
            shown = overview(made, {SELECTED: result}, result.losses, advance=counting)
            job.bar.begin("writing the run folder")
            save_selection(run.out, made, result, shown, asked)
    if run.as_json:
        print_json(_as_json(result, read))
    else:
        _print_selection(result, read, verbose=run.verbose)
        print_written(run.out)
    job.finish()


def _print_selection(result: Selection, table: ResultsTable, *, verbose: bool) -> None:
    beside = result.baselines
    if not verbose:
        rivals = None if beside is None else beside.assign(tier="")
        print_brief({"": result}, {"": result.verdict}, rivals, table)
    else:
        print_line(result.verdict.words)
        _print_ranked(result, table)
        if beside is not None:
            print_baselines(beside, table, minimised(result))
    print_agreement(result, verbose=verbose)


def _as_json(result: Selection, table: ResultsTable) -> dict[str, object]:
    beside = result.baselines
    return {
        "verdict": result.verdict.as_dict(),
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
        "best_losses": result.losses.iloc[0].to_dict(),
        "baselines": None if beside is None else beside.to_dict("records"),
        "agreement": agreement_as_json(result),
    }


def _print_ranked(result: Selection, table: ResultsTable) -> None:
    from eevee.search.compare import drawn_words
    from eevee.search.near_ties import lowest_row

    both = result.losses.iloc[0]
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
        f"{number(both['all'])}; only those not in it: {number(both['unseen'])}"
    )
    print_line(f"The {minimised(result)} is biased downward: the search chose the subset for it.")
