"""The verb that says how far to trust a search: `assess`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.assess_print import print_assessment
from eevee.cli.assess_splits import KindOptions, print_splits
from eevee.cli.command import verb
from eevee.cli.judge import Names
from eevee.cli.options import Out, OutputOptions, ScorerOptions, settings
from eevee.cli.printing import print_json, print_line, print_written, warn_of_leak
from eevee.cli.search_options import (
    GoalOptions,
    RuleOptions,
    SearchOptions,
    check_sizes_compare,
    parse_objectives,
)
from eevee.cli.session import Resume, session
from eevee.cli.subset_options import TierFile, TierName, named_subsets
from eevee.cli.table_options import JudgedTableOptions

if TYPE_CHECKING:
    from eevee.assessment.full import FullAssessment
    from eevee.tables.results_table import ResultsTable

Folds = Annotated[int, typer.Option("--n-folds", help="Parts that are held out in turn.", min=2)]
Repeats = Annotated[int, typer.Option("--n-repeats", help="Number of repeats.", min=1)]


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
    output: OutputOptions,
    goal: GoalOptions,
    benchmarks: Names = None,
    tiers: TierFile = None,
    tier: TierName = None,
    folds: Folds = 5,
    repeats: Repeats = 2,
    n_random: Annotated[
        int, typer.Option("--n-random", help="Random subsets to compare with.", min=0)
    ] = 100,
    families: Annotated[
        str | None,
        typer.Option(
            "--families", help="Attribute of models: intervals, and --held-out family, are by it."
        ),
    ] = None,
    stability: Annotated[
        bool,
        typer.Option("--stability", help="Also search with other seeds, and at k + 1."),
    ] = False,
    learning_curve: Annotated[
        bool,
        typer.Option("--learning-curve", help="Also search on fewer models: how many are needed?"),
    ] = False,
    objectives: Annotated[
        str | None,
        typer.Option("--compare-objectives", help="Search by these as well: loss,kendall,r2."),
    ] = None,
    out: Out = None,
    resume: Resume = False,
) -> None:
    """Estimate a whole search's loss on models that it never sees: the loss to quote."""
    from eevee.assessment.full import full_assessment
    from eevee.assessment.study import Study
    from eevee.base.errors import Stopped
    from eevee.report.assessment import save_assessment

    fixed = _fixed(goal, benchmarks, tiers, tier)
    _check(goal, scorer, search, held_out, stability=stability, learning_curve=learning_curve)
    others = parse_objectives(objectives, search, searched=goal.given)
    procedure, kept = search.make(scorer.paper), rules.make(goal.largest)
    try:
        with session(out, resume, output.quiet) as job:
            read = rules.pay(table.read())
            study = Study.of(
                read, goal.size, budget=goal.budget, constraints=kept, procedure=procedure,
                scorer=scorer.plan(), n_folds=folds, n_repeats=repeats, families=families,
                seed=scorer.seed, control=job.folds,
            )  # fmt: skip
            found = full_assessment(
                study, **held_out.asked, subsets=fixed, n_random=n_random, objectives=others,
                stability=stability, curve=learning_curve,
            )  # fmt: skip
            if out is not None:
                given = settings(
                    table, scorer, search, rules, goal, benchmarks=benchmarks, tiers=tiers,
                    tier=tier, folds=folds, repeats=repeats, random=n_random, families=families,
                    stability=stability, objectives=objectives, learning_curve=learning_curve,
                    kinds=held_out.kinds, date=held_out.date,
                )  # fmt: skip
                save_assessment(out, read, found, given)
    except Stopped:
        job.finish("nothing is estimated before all folds are done")
    warn_of_leak(found.leak)
    if output.as_json:
        print_json(_as_json(found, read))
    else:
        _print_assessment(found, read, fixed=bool(fixed))
        print_written(out)


def _check(
    goal: GoalOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    held_out: KindOptions,
    *,
    stability: bool,
    learning_curve: bool,
) -> None:
    """Refuse contradictions as wrong usage."""
    if goal.budget is not None:
        check_sizes_compare(scorer, search)
    if not stability and not learning_curve:
        return
    if not goal.given:
        which = "--stability" if stability else "--learning-curve"
        raise typer.BadParameter(f"{which} goes with -k or --budget")
    if held_out.kinds:
        raise typer.BadParameter(
            "--stability and --learning-curve hold out random models; run them without --held-out"
        )


def _print_assessment(found: FullAssessment, table: ResultsTable, *, fixed: bool) -> None:
    for sentence in found.verdict.words:
        print_line(sentence)
    if found.splits is not None:
        print_splits(found.splits)
    print_assessment(found.assessment, table, found.stability, found.curve, fixed=fixed)


def _fixed(
    goal: GoalOptions, benchmarks: str | None, tiers: Path | None, tier: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the given lists, if there are any; refuse to assess nothing as wrong usage."""
    if benchmarks is not None or tiers is not None:
        return named_subsets(benchmarks, tiers, tier)
    if tier is not None:
        raise typer.BadParameter("--tier goes with --tier-file")
    if not goal.given:
        raise typer.BadParameter("give -k, --budget, --subset or --tier-file")
    return {}


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
