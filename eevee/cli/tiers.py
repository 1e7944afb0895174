"""The verb that chooses tiers: `tiers`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import ScorerOptions, is_whole
from eevee.cli.print_brief import print_brief
from eevee.cli.print_search import (
    Baselines,
    minimised,
    print_agreement,
    print_baselines,
    print_notes,
)
from eevee.cli.printing import number, print_json, print_line, print_table
from eevee.cli.report_option import ReportedRunOptions
from eevee.cli.search_options import (
    RuleOptions,
    SearchOptions,
    check_budget,
    check_sizes_compare,
    say_wide,
)
from eevee.cli.session import session
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from eevee.cli.progress import Reporter
    from eevee.scorers.base import Scorer
    from eevee.search.result import SearchResult
    from eevee.tables.results_table import ResultsTable
    from eevee.tiers.file import TierSet
    from eevee.tiers.nest import Nested
    from eevee.tiers.result import TiersResult


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
    rules: RuleOptions,
    run: ReportedRunOptions,
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", help="NAME=COST, as small=12 or base=25%; once per tier."),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option("--size", help="NAME=K: a tier of K benchmarks, ignoring cost."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--max-size", help="Maximum number of benchmarks under a budget.", min=1),
    ] = None,
    nested: Annotated[
        bool, typer.Option("--nested", help="Each tier holds the smaller ones.")
    ] = False,
    assess: Annotated[
        bool,
        typer.Option("--assess", help="Also estimate held-out losses: 5 folds, twice."),
    ] = False,
    baselines: Baselines = True,
) -> None:
    """Choose one tier per budget: the best subset whose total cost fits."""
    from eevee.assessment.tiers import assess_tiers
    from eevee.tiers.build import build_tiers

    budgets, sizes = _asked_for(budget, size, k, nested=nested)
    if budgets:
        check_sizes_compare(scorer, search)
    procedure, kept = search.make(scorer.paper), rules.make(k)
    searches = (len(budgets) + len(sizes)) * (search.searches + nested * 2 * search.restarts)
    with session(run, searches) as job:
        read = rules.pay(table.read())
        say_wide(read, budgets, kept, quiet=run.quiet)
        made, plan = scorer.make(read, quiet=run.quiet), scorer.plan()
        judge = partial(assess_tiers, scorer=plan, seed=scorer.seed) if assess else None
        result = build_tiers(
            made, budgets, sizes=sizes, constraints=kept, nested=nested, procedure=procedure,
            seed=scorer.search_seed, baselines=baselines, assess=judge, control=job.control,
            elsewhere=scorer.elsewhere(made, read, search.restarts - 1),
            file_seed=scorer.seed, splits=plan.together,
        )  # fmt: skip
        if run.out is not None:
            own = {"budgets": budgets, "sizes": sizes, "k": k, "nested": nested, "assess": assess}
            asked = job.settings(table, scorer, search, rules, **own)
            _save(result, made, run, asked, job.bar)
    if run.as_json:
        print_json(_as_json(result))
    else:
        _print_result(result, read, run)
    job.finish()


def _save(
    result: TiersResult,
    scorer: Scorer,
    run: ReportedRunOptions,
    asked: dict[str, Any],
    bar: Reporter,
) -> None:
    """Write the run folder, and the report if it is asked for."""
    from eevee.analysis.overview import overview
    from eevee.report.searches import save_tiers

    assert run.out is not None
    counting = bar.counting("ranking all benchmarks and ablating the tiers")
    shown = overview(scorer, result.searches, result.losses, advance=counting)
    bar.begin(run.writing)
    save_tiers(run.out, scorer, result, shown, asked)
    run.write_report(scorer.table)


def _as_json(result: TiersResult) -> Any:
    from eevee.tiers.file import tiers_to_json

    return json.loads(tiers_to_json(result))


def _print_result(result: TiersResult, table: ResultsTable, run: ReportedRunOptions) -> None:
    if run.verbose:
        for name, verdict in result.verdicts.items():
            print_line(f"{name}: {verdict.words}")
        _print_tiers(result.searches, result.losses, table)
        _print_diversity(result.tier_set)
    else:
        print_brief(result.searches, result.verdicts, result.baselines, table)
        _say_diversity(result.tier_set)
    _print_assessed(result.tier_set)
    if result.nesting is not None:
        _print_price(result.nesting, minimised(next(iter(result.searches.values()))))
    if run.verbose:
        _print_beside(result.baselines, result.searches, table)
    for name, found in result.searches.items():
        print_agreement(found, name, verbose=run.verbose)
    run.print_written()


def _asked_for(
    budget: list[str] | None, size: list[str] | None, k: int | None, *, nested: bool
) -> tuple[dict[str, str], dict[str, int]]:
    """Return budgets and sizes by name; contradictions are wrong usage."""
    budgets, sizes = parse_budgets(budget or ()), parse_tier_sizes(size or ())
    if not budgets and not sizes:
        raise typer.BadParameter("give at least one --budget NAME=COST or --size NAME=K")
    if nested and budgets and sizes:
        raise typer.BadParameter("--nested takes budgets or sizes, not some of each")
    if k is not None and not budgets:
        raise typer.BadParameter("--max-size bounds tiers under a budget; a --size says its own")
    return budgets, sizes


def _print_beside(
    beside: pd.DataFrame | None, found: Mapping[str, SearchResult], table: ResultsTable
) -> None:
    if beside is None:
        return
    for name, result in found.items():
        shown = beside[beside["tier"] == name]
        title = f"{name}: beside simple searches for the same"
        print_baselines(shown, table, minimised(result), title)


def _print_assessed(chosen: TierSet) -> None:
    for tier in chosen:
        loss = tier.assessed_loss
        if loss is not None:
            print_line(
                f"{tier.name}: assessed loss {number(loss.mean)} (95 % interval {number(loss.low)} "
                f"to {number(loss.high)}), on models held out of the search; {loss.outer_splits} "
                f"splits, {loss.train_models} models to search on"
            )


def _print_diversity(chosen: TierSet) -> None:
    rows = [(name, *chosen.diversity(name)) for name in chosen.names]
    if any(mean == mean for _, mean, *_ in rows):  # noqa: PLR0124
        print_table(
            "Diversity: mean of 1 - |Spearman's rho| between the columns of a tier, with a 95 % "
            "jackknife interval over models",
            ["tier", "diversity", "low", "high"],
            rows,
        )


def _say_diversity(chosen: TierSet) -> None:
    from eevee.stats.diversity import Diversity

    known = {name: chosen.diversity(name) for name in chosen.names}
    said = [f"{name} {Diversity(*one).words}" for name, one in known.items() if one[0] >= 0]
    if said:
        print_line(f"diversity, 1 - |Spearman's rho| between columns: {', '.join(said)}")


def _print_price(nested: Nested, what: str) -> None:
    way = "grown from the smallest" if nested.grown else "cut from the largest"
    print_table(
        f"What nesting costs (tiers {way}): {what} by itself, and nested",
        ["tier", "by itself", "nested", "increase (%)"],
        nested.price.itertuples(index=False),
    )


def parse_tier_sizes(texts: Iterable[str]) -> dict[str, int]:
    """Read ``NAME=K``; wrong usage if a name repeats or a size is no whole number.

    Examples
    --------
    >>> parse_tier_sizes(["small=8", "base=15"])
    {'small': 8, 'base': 15}
    """
    sizes: dict[str, int] = {}
    for name, size in _named(texts, "--size", "NAME=K, such as small=8").items():
        if not is_whole(size) or int(size) >= 100_000:
            raise typer.BadParameter(f"--size is NAME=K, such as small=8, not {name}={size}")
        sizes[name] = int(size)
    return sizes


def parse_budgets(texts: Iterable[str]) -> dict[str, str]:
    """Read ``NAME=COST``; wrong usage if a name repeats or a cost is no number.

    Examples
    --------
    >>> parse_budgets(["small=10%", "big=36"])
    {'small': '10%', 'big': '36'}
    """
    budgets = _named(texts, "--budget", "NAME=COST, such as small=10%")
    for amount in budgets.values():
        check_budget(amount)
    return budgets


def _named(texts: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Read ``NAME=VALUE`` with names that may become part of a file name."""
    from eevee.base.errors import EeveeError
    from eevee.report.run_folder import check_name

    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{option} is {form}, not {text!r}")
        if name in values:
            raise typer.BadParameter(f"{option} names {name!r} twice")
        try:
            values[check_name(name)] = value
        except EeveeError as error:
            raise typer.BadParameter(str(error)) from None
    return values


def _print_tiers(
    found: Mapping[str, SearchResult], both: pd.DataFrame, table: ResultsTable
) -> None:
    from eevee.search.compare import drawn_words
    from eevee.search.near_ties import lowest_row

    print_table(
        f"Tiers of {table.provenance.source} ({table.size_words})",
        [
            "tier",
            f"budget ({table.cost_unit})",
            "cost",
            "k",
            minimised(next(iter(found.values()))),
            "spread",
            "rescored",
            "unseen loss",
            "random median",
            "scored",
        ],
        (
            row
            for (name, result), unseen in zip(found.items(), both["unseen"], strict=True)
            for row in _tier_rows(name, result, unseen)
        ),
    )
    for name, result in found.items():
        print_line(f"{name}: {', '.join(result.best)}")
        other = lowest_row(result)
        if other is not None:
            print_line(f"{name}, lowest loss: {', '.join(other['benchmarks'])}")
    print_notes(found)
    print_line(
        "Random median: benchmarks in random order, each taken if it still fits; "
        + "; ".join(f"{name}: {drawn_words(result)}" for name, result in found.items())
    )
    first = next(iter(found.values()))
    if first.objective == "loss":
        bound = f"Predicting each column's mean: {number(first.mean_predictor)}. "
        bias = "It is biased downward: the search chose the subset for it."
    else:
        bound = ""
        bias = f"What was minimised, the {minimised(first)}, is biased downward."
        print_line(
            f"{minimised(first)}: what the searches minimised, on held-out models; spread, "
            "rescored and random median are of it. The tier file holds the search loss."
        )
    print_line(
        "Search loss: mean squared error on held-out models, in standard deviations of each column "
        "(0.25: half of one), over all benchmarks; unseen loss: "
        f"over those that the tier lacks. {bound}{bias}"
    )


def _tier_rows(name: str, result: SearchResult, unseen: float) -> list[list[Any]]:
    """Return what is proposed, and the lowest loss where that is another subset."""
    from eevee.search.near_ties import lowest_row

    budget, other = result.settings.get("budget"), lowest_row(result)
    label = name if other is None else f"{name}, proposed"
    scored = "all" if result.exact else str(len(result.evaluated))
    rows = [[label, budget, *_figures(result.best_row), unseen, result.random_median, scored]]
    if other is not None:
        rows.append([f"{name}, lowest loss", budget, *_figures(other), None, None, None])
    return rows


def _figures(row: pd.Series[Any]) -> list[Any]:
    losses = (float(row[what]) for what in ("loss", "spread", "rescored_mean"))
    return [float(row["cost"]), len(row["benchmarks"]), *losses]
