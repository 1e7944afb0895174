"""The verb that says how far to trust a search: `assess`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli import app
from eevee.cli.find import check_budget, check_sizes_compare
from eevee.cli.judge import Names
from eevee.cli.options import (
    JudgedTableOptions,
    Out,
    OutputOptions,
    ScorerOptions,
    TierFile,
    TierName,
    named_subsets,
    settings,
)
from eevee.cli.searching import RuleOptions, SearchOptions
from eevee.cli.show import number, print_json, print_line, print_table, print_written, progress_bar
from eevee.cli.verb import verb

if TYPE_CHECKING:
    from eevee.assessed import Assessment
    from eevee.table import ResultsTable

Folds = Annotated[int, typer.Option("--folds", help="Parts that are held out in turn.", min=2)]
Repeats = Annotated[int, typer.Option("--repeats", help="How often that is done anew.", min=1)]


@app.command(
    epilog="Example: eevee assess data/bbh/scores.csv -k 8 --scorer ridge --out runs/assess"
)
@verb
def assess(
    table: JudgedTableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    rules: RuleOptions,
    output: OutputOptions,
    k: Annotated[
        int | None,
        typer.Option("-k", "--k", help="How many benchmarks; at most, with --budget.", min=1),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", help="Total cost, as 12 or 25%.")
    ] = None,
    benchmarks: Names = None,
    tiers: TierFile = None,
    tier: TierName = None,
    folds: Folds = 5,
    repeats: Repeats = 2,
    n_random: Annotated[
        int, typer.Option("--random", help="Random subsets to compare with.", min=0)
    ] = 100,
    families: Annotated[
        str | None,
        typer.Option("--families", help="Attribute of models: intervals are over families."),
    ] = None,
    out: Out = None,
) -> None:
    """Estimate a whole search's loss on models that it never sees: the loss to quote."""
    from eevee.assessment import assess as assess_search
    from eevee.jobs import save_assessment
    from eevee.runs import check_out
    from eevee.tiers import budget_in_units

    if k is None and budget is None and benchmarks is None and tiers is None:
        raise typer.BadParameter("give -k, --budget, --benchmarks or --tiers")
    if budget is not None:
        check_budget(budget)
        check_sizes_compare(scorer)
    fixed = {}
    if benchmarks is not None or tiers is not None:
        fixed = named_subsets(benchmarks, tiers, tier)
    elif tier is not None:
        raise typer.BadParameter("--tier goes with --tiers")
    if out is not None:
        check_out(out)
    procedure = search.make(scorer.paper)
    kept = rules.make(None if budget is None else k)
    read = rules.pay(table.read())
    with progress_bar(output.quiet) as bar:
        found = assess_search(
            read,
            k if budget is None else None,
            budget=None if budget is None else budget_in_units(budget, read),
            constraints=kept,
            procedure=procedure,
            scorer=scorer.plan(),
            subsets=fixed,
            n_random=n_random,
            n_folds=folds,
            n_repeats=repeats,
            families=families,
            seed=scorer.seed,
            progress=bar.beside,
        )
    if out is not None:
        asked = settings(
            table, scorer, search, rules, k=k, budget=budget, benchmarks=benchmarks, tiers=tiers,
            tier=tier, folds=folds, repeats=repeats, random=n_random, families=families,
        )  # fmt: skip
        save_assessment(out, read, found, asked)
    if output.as_json:
        print_json(_as_json(found, read))
        return
    _print_methods(found, read)
    _print_differences(found)
    _print_pairs(found)
    _print_columns(found)
    _print_gap(found)
    _print_words(found, bool(fixed))
    print_written(out)


def _as_json(found: Assessment, table: ResultsTable) -> dict[str, object]:
    frames = ("methods", "differences", "pairwise", "columns", "gap", "folds", "models")
    content = {name: getattr(found, name).to_dict("records") for name in frames}
    return {"settings": found.settings, "cost_unit": table.cost_unit, **content}


def _print_methods(found: Assessment, table: ResultsTable) -> None:
    about = found.settings
    rows = found.methods.to_dict("records")
    print_table(
        f"Assessed loss, {about['goal']}, {about['scorer']['name']} scorer ({about['splits']}; "
        f"about {about['n_train']:.0f} models to search on, {about['n_test']:.0f} held out)",
        ["method", "k", f"cost ({table.cost_unit})", "assessed loss", "low", "high",
         "t low", "t high", "unseen only", "low", "high"],
        _cells(
            rows,
            "method size cost loss low high t_low t_high loss_unseen low_unseen high_unseen",
        ),
    )  # fmt: skip
    for row in rows:
        if row["subsets_median"] == row["subsets_median"]:
            print_line(
                f"{row['method']}: the mean of {about['n_random']} subsets; their median is "
                f"{number(row['subsets_median'])}, 5 % to 95 %: {number(row['subsets_low'])} to "
                f"{number(row['subsets_high'])}"
            )
    print_line(
        f"low, high: {100 * about['level']:g} % bootstrap over held-out models. t: Nadeau and "
        "Bengio's over splits, which also holds the luck of the models that were searched on: the "
        "one to quote for a search."
    )
    print_table(
        "Variance that is predicted, and the ranking of models by mean score (what was run as "
        "measured, the rest predicted)",
        ["method", "R2", "R2, unseen only", "Spearman", "Kendall", "regret (units)"],
        _cells(rows, "method r2 r2_unseen spearman kendall regret"),
    )


def _cells(rows: list[dict[Any, Any]], names: str) -> Iterator[list[Any]]:
    return ([row[name] for name in names.split()] for row in rows)


def _print_differences(found: Assessment) -> None:
    frame = found.differences
    targets = found.settings["targets"]
    shown = frame[frame["targets"] == targets].to_dict("records")
    percent = ("relative", "relative_low", "relative_high")
    rows = [row | {name: 100 * row[name] for name in percent} for row in shown]
    print_table(
        f"Against {found.names[0]} (targets: {targets}; paired over models; below 0: the method "
        "is better; t: Nadeau and Bengio's, over splits)",
        ["method", "difference", "low", "high", "in %", "low %", "high %", "t low", "t high"],
        _cells(rows, "method difference low high relative relative_low relative_high t_low t_high"),
    )


def _print_pairs(found: Assessment) -> None:
    first = found.pairwise[found.pairwise["method"] == found.names[0]].to_dict("records")
    shares = found.pairwise.groupby("method", sort=False)["accuracy"]
    print_table(
        "Pairs of models in the right order (%), by how far apart they truly are (in standard "
        "deviations of the mean score)",
        ["method", *(f"{row['low']:g} to {row['high']:g}" for row in first)],
        ([str(name), *(100 * share)] for name, share in shares),
    )


def _print_columns(found: Assessment) -> None:
    first = found.columns[found.columns["method"] == found.names[0]].to_dict("records")
    print_table(
        f"{found.names[0]}: mean absolute error where predicted, in each column's own measure",
        ["column", "error", "in the subset (% of splits)"],
        ([row["column"], row["mae"], 100 * row["chosen"]] for row in first),
    )


def _print_gap(found: Assessment) -> None:
    rows = found.gap.to_dict("records")
    print_table(
        "From search loss to held-out loss (means over splits): + optimism + training",
        ["method", "search loss", "optimism", "beyond random", "low", "high", "training", "loss"],
        _cells(
            rows,
            "method search_loss optimism selection selection_low selection_high training_size loss",
        ),
    )
    print_line(
        f"optimism: the same fits, on {rows[0]['n_inner']:.0f} models, judged on held-out models "
        "instead of those that the search looked at; beyond random: what exceeds that of random "
        "subsets, so is due to selection (interval: Nadeau and Bengio's). training: fitted on "
        f"{rows[0]['n_train']:.0f} models instead."
    )


def _print_words(found: Assessment, fixed: bool) -> None:
    first = found.methods.iloc[0]
    if found.settings["procedure"] is not None:
        print_line(
            f"{first['method']}: the subsets of two splits share {100 * first['jaccard']:.0f} % of "
            f"their benchmarks (Jaccard); Kuncheva index {number(first['kuncheva'])} (0: as random "
            "subsets do)"
        )
        print_line("An assessed loss belongs to the procedure: each split has a subset of its own.")
    if fixed:
        print_line(
            "Given lists were not searched for here. If one was found on this table, its search "
            "saw the held-out models, and its loss is too good."
        )
