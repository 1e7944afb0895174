"""The verb that says how far to trust a search: `assess`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
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
    from eevee.stability import Stability
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
    stability: Annotated[
        bool,
        typer.Option("--stability", help="Also search with other seeds, and at k + 1."),
    ] = False,
    out: Out = None,
) -> None:
    """Estimate a whole search's loss on models that it never sees: the loss to quote."""
    from eevee.assessment import assess as assess_search
    from eevee.jobs import save_assessment
    from eevee.runs import check_out
    from eevee.stability import assess_stability
    from eevee.tiers import budget_in_units

    fixed = _fixed(k, budget, benchmarks, tiers, tier)
    if stability and k is None and budget is None:
        raise typer.BadParameter("--stability goes with -k or --budget")
    if budget is not None:
        check_budget(budget)
        check_sizes_compare(scorer)
    if out is not None:
        check_out(out)
    procedure = search.make(scorer.paper)
    kept = rules.make(None if budget is None else k)
    read = rules.pay(table.read())
    asked: dict[str, Any] = {
        "k": k if budget is None else None,
        "budget": None if budget is None else budget_in_units(budget, read),
        "constraints": kept,
        "procedure": procedure,
        "scorer": scorer.plan(),
        "n_folds": folds,
        "n_repeats": repeats,
        "families": families,
        "seed": scorer.seed,
    }
    with progress_bar(output.quiet) as bar:
        found = assess_search(read, **asked, subsets=fixed, n_random=n_random, progress=bar.beside)
        stable = assess_stability(read, **asked, progress=bar.beside) if stability else None
    if out is not None:
        given = settings(
            table, scorer, search, rules, k=k, budget=budget, benchmarks=benchmarks, tiers=tiers,
            tier=tier, folds=folds, repeats=repeats, random=n_random, families=families,
            stability=stability,
        )  # fmt: skip
        save_assessment(out, read, found, given, stable)
    if output.as_json:
        print_json(_as_json(found, read, stable))
        return
    _print_methods(found, read)
    _print_differences(found)
    _print_pairs(found)
    _print_columns(found)
    _print_gap(found)
    if stable is not None:
        _print_stability(stable)
    _print_words(found, bool(fixed))
    print_written(out)


def _fixed(
    k: int | None, budget: str | None, benchmarks: str | None, tiers: Path | None, tier: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the given lists, if there are any; refuse to assess nothing as wrong usage."""
    if benchmarks is not None or tiers is not None:
        return named_subsets(benchmarks, tiers, tier)
    if tier is not None:
        raise typer.BadParameter("--tier goes with --tiers")
    if k is None and budget is None:
        raise typer.BadParameter("give -k, --budget, --benchmarks or --tiers")
    return {}


def _as_json(found: Assessment, table: ResultsTable, stable: Stability | None) -> dict[str, object]:
    frames = ("methods", "differences", "pairwise", "columns", "gap", "folds", "models")
    content = {name: getattr(found, name).to_dict("records") for name in frames}
    about = {"settings": found.settings, "cost_unit": table.cost_unit}
    return {**about, **content, "stability": None if stable is None else stable.as_dict()}


def _print_methods(found: Assessment, table: ResultsTable) -> None:
    about = found.settings
    rows = found.methods.to_dict("records")
    print_table(
        f"Assessed loss, {about['goal']}, {about['scorer']['name']} scorer ({about['splits']}; "
        f"about {about['n_train']:.0f} models to search on, {about['n_test']:.0f} held out)",
        ["method", "k", f"cost ({table.cost_unit})", "assessed loss", "low", "high", "t low",
         "t high"],
        _cells(rows, "method size cost loss low high t_low t_high"),
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
        "Loss of unseen benchmarks alone; variance that is predicted; and the ranking of models by "
        "mean score (what was run as measured, the rest predicted)",
        ["method", "unseen loss", "low", "high", "R2", "R2 unseen", "Spearman", "Kendall",
         "regret (units)"],
        _cells(
            rows,
            "method loss_unseen low_unseen high_unseen r2 r2_unseen spearman kendall regret",
        ),
    )  # fmt: skip


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


def _print_stability(stable: Stability) -> None:
    chosen = stable.benchmarks.to_dict("records")
    shown = [row for row in chosen if row["over_models"] or row["over_seeds"]]
    agreement = stable.agreement
    print_table(
        f"How often each benchmark is chosen (%): in {agreement['searches'].iloc[0]} searches on "
        f"other models; in {agreement['searches'].iloc[1]} on all models with other seeds",
        ["benchmark", "other models", "other seeds"],
        ([row["benchmark"], 100 * row["over_models"], 100 * row["over_seeds"]] for row in shown),
    )
    print_table(
        "How far two subsets agree (Jaccard; Kuncheva: 0 as random subsets do, 1 equal)",
        ["drawn anew", "searches", "Jaccard", "Kuncheva"],
        agreement.itertuples(),
    )
    print_table(
        f"Noise floor: search loss of one subset ({', '.join(stable.subset)})",
        ["drawn anew", "times", "mean", "spread"],
        stable.noise.itertuples(),
    )
    for sentence in stable.words:
        print_line(sentence)


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
