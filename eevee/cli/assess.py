"""The verb that says how far to trust a search: `assess`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.assess_print import print_assessment, print_in_brief
from eevee.cli.assess_splits import KindOptions, print_splits
from eevee.cli.command import verb
from eevee.cli.options import ScorerOptions
from eevee.cli.panels import MOST_SUBSETS
from eevee.cli.printing import print_json, print_line, warn_of_leak
from eevee.cli.report_option import ReportedRunOptions
from eevee.cli.search_options import (
    GoalOptions,
    RuleOptions,
    SearchOptions,
    check_goal,
    parse_objectives,
)
from eevee.cli.session import session
from eevee.cli.subset_options import ListOptions
from eevee.cli.table_options import JudgedTableOptions

if TYPE_CHECKING:
    from eevee.assessment.full import FullAssessment
    from eevee.tables.results_table import ResultsTable


@app.command(
    epilog="Example: eevee assess data/bbh/scores.csv -k 8 --scorer ridge --out runs/assess"
)
@verb
def assess(
    table: JudgedTableOptions,
    scorer: ScorerOptions,
    held_out: KindOptions,
    search: SearchOptions,
    rules: RuleOptions,
    run: ReportedRunOptions,
    goal: GoalOptions,
    lists: ListOptions,
    n_random: Annotated[
        int,
        typer.Option(
            "--n-random",
            help="Random subsets to compare with.",
            min=0,
            max=MOST_SUBSETS,
            metavar="N",
        ),
    ] = 100,
    objectives: Annotated[
        str | None,
        typer.Option("--compare-objectives", help="Search by these as well: loss,kendall,r2."),
    ] = None,
) -> None:
    """Estimate a whole search's loss on models that it never sees: the loss to quote."""
    from eevee.assessment.full import full_assessment
    from eevee.assessment.study import Study
    from eevee.base.errors import Stopped
    from eevee.report.assessment import save_assessment

    fixed = _given(goal, lists, held_out, scorer, search)
    others = parse_objectives(objectives, search, searched=goal.given)
    procedure, kept = search.make(scorer.paper), rules.make(goal.largest)
    try:
        with session(run) as job:
            study = Study.of(
                rules.pay(table.read()), goal.size, budget=goal.budget, constraints=kept,
                procedure=procedure, scorer=scorer.plan(), seed=scorer.seed, control=job.folds,
                **held_out.folded,
            )  # fmt: skip
            found = full_assessment(
                study, subsets=fixed, n_random=n_random, objectives=others, **held_out.asked
            )
            if run.out is not None:
                own = {"random": n_random, "objectives": objectives}
                given = job.settings(table, scorer, search, rules, goal, lists, held_out, **own)
                save_assessment(run.out, study.table, found, given)
                run.write_report(study.table)
    except Stopped:
        job.finish("nothing is estimated before all folds are done")
    warn_of_leak(found.leak)
    if run.as_json:
        print_json(_as_json(found, study.table))
    else:
        _print_assessment(found, study.table, fixed=bool(fixed), verbose=run.verbose)
        run.print_written()


def _print_assessment(
    found: FullAssessment, table: ResultsTable, *, fixed: bool, verbose: bool
) -> None:
    for sentence in found.verdict.words:
        print_line(sentence)
    if found.splits is not None:
        print_splits(found.splits, verbose=verbose)
    if verbose:
        print_assessment(found.assessment, table, found.stability, found.curve, fixed=fixed)
    else:
        print_in_brief(found, table, fixed=fixed)


def _given(
    goal: GoalOptions,
    lists: ListOptions,
    held_out: KindOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
) -> dict[str, tuple[str, ...]]:
    """Return the given lists, if there are any; refuse to assess nothing as wrong usage."""
    if not lists.given and not goal.given:
        raise typer.BadParameter("give -k, --budget, --subset or --tier-file")
    held_out.check_goal(goal)
    check_goal(goal, scorer, search)
    return lists.subsets() if lists.given else {}


def _as_json(found: FullAssessment, table: ResultsTable) -> dict[str, object]:
    frames = ("methods", "differences", "pairwise", "columns", "gap", "folds", "models")
    assessment = found.assessment
    content = {name: getattr(assessment, name).to_dict("records") for name in frames}
    more = {
        "stability": found.stability,
        "splits": found.splits,
        "learning_curve": found.curve,
    }
    return {
        "verdict": found.verdict.as_dict(),
        "settings": assessment.settings,
        "cost_unit": table.cost_unit,
        **content,
        "objectives": found.objectives.to_dict("records"),
        **{name: one and one.as_dict() for name, one in more.items()},
    }
