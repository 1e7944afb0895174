"""The verb that says how far to trust a search: `assess`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.app import app
from eevee.cli.assess_print import print_assessment
from eevee.cli.assess_splits import KindOptions, print_splits
from eevee.cli.command import verb
from eevee.cli.judge import Names
from eevee.cli.options import Out, OutputOptions, ScorerOptions, settings
from eevee.cli.printing import print_json, print_line, print_written, warn_of_leak
from eevee.cli.search_options import (
    Budget,
    RuleOptions,
    SearchOptions,
    Size,
    check_budget,
    check_sizes_compare,
    parse_objectives,
)
from eevee.cli.session import Resume, session
from eevee.cli.subset_options import TierFile, TierName, named_subsets
from eevee.cli.table_options import JudgedTableOptions

if TYPE_CHECKING:
    from eevee.assessment.result import Assessment
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
    k: Size = None,
    budget: Budget = None,
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
    from eevee.assessment.by_kind import assess_splits
    from eevee.assessment.learning_curve import learning_curve as curve_of_models
    from eevee.assessment.stability import assess_stability
    from eevee.assessment.verdict import verdict
    from eevee.base.errors import Stopped
    from eevee.report.assessment import save_assessment

    fixed = _fixed(k, budget, benchmarks, tiers, tier)
    if k is None and budget is None and (stability or learning_curve):
        which = "--stability" if stability else "--learning-curve"
        raise typer.BadParameter(f"{which} goes with -k or --budget")
    if held_out.kinds and (stability or learning_curve):
        raise typer.BadParameter(
            "--stability and --learning-curve hold out random models; run them without --held-out"
        )
    if budget is not None:
        check_budget(budget)
        check_sizes_compare(scorer, search)
    others = parse_objectives(objectives, search, searched=k is not None or budget is not None)
    procedure = search.make(scorer.paper)
    kept = rules.make(None if budget is None else k)
    try:
        with session(out, resume, output.quiet) as job:
            read = rules.pay(table.read())
            asked: dict[str, Any] = {
                "k": k if budget is None else None,
                "budget": budget,
                "constraints": kept,
                "procedure": procedure,
                "scorer": scorer.plan(),
                "n_folds": folds,
                "n_repeats": repeats,
                "families": families,
                "seed": scorer.seed,
                "control": job.folds,
            }
            side = assess_splits(
                read, **asked, **held_out.asked, subsets=fixed, n_random=n_random, objectives=others
            )
            found, splits = side.first, side if held_out.kinds else None
            warn_of_leak(side.leak)
            stable = assess_stability(read, **asked, known=found) if stability else None
            curve = curve_of_models(read, **asked, known=found) if learning_curve else None
            if out is not None:
                given = settings(
                    table, scorer, search, rules, k=k, budget=budget, benchmarks=benchmarks,
                    tiers=tiers, tier=tier, folds=folds, repeats=repeats, random=n_random,
                    families=families, stability=stability, objectives=objectives,
                    learning_curve=learning_curve, kinds=held_out.kinds, date=held_out.date,
                )  # fmt: skip
                save_assessment(out, read, found, given, stable, splits, curve)
    except Stopped:
        job.finish("nothing is estimated before all folds are done")
    said = verdict(side, curve)
    if output.as_json:
        more = {"stability": stable, "splits": splits, "learning_curve": curve}
        beside = {name: one and one.as_dict() for name, one in more.items()}
        print_json({"verdict": said.as_dict(), **_as_json(found, read), **beside})
        return
    for sentence in said.words:
        print_line(sentence)
    if splits is not None:
        print_splits(splits)
    print_assessment(found, read, stable, curve, fixed=bool(fixed))
    print_written(out)


def _fixed(
    k: int | None, budget: str | None, benchmarks: str | None, tiers: Path | None, tier: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the given lists, if there are any; refuse to assess nothing as wrong usage."""
    if benchmarks is not None or tiers is not None:
        return named_subsets(benchmarks, tiers, tier)
    if tier is not None:
        raise typer.BadParameter("--tier goes with --tier-file")
    if k is None and budget is None:
        raise typer.BadParameter("give -k, --budget, --subset or --tier-file")
    return {}


def _as_json(found: Assessment, table: ResultsTable) -> dict[str, object]:
    from eevee.assessment.objectives import objective_agreement

    frames = ("methods", "differences", "pairwise", "columns", "gap", "folds", "models")
    content = {name: getattr(found, name).to_dict("records") for name in frames}
    about = {"settings": found.settings, "cost_unit": table.cost_unit}
    content["objectives"] = objective_agreement(found).to_dict("records")
    return {**about, **content}
