"""Verbs that judge a given list: `ablate`, `rate`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import Out, OutputOptions, ScorerOptions, settings
from eevee.cli.panels import MOST_SUBSETS
from eevee.cli.printing import (
    number,
    print_json,
    print_line,
    print_table,
    print_written,
)
from eevee.cli.progress import progress_bar
from eevee.cli.subset_options import ListOptions
from eevee.cli.table_options import JudgedTableOptions

if TYPE_CHECKING:
    from eevee.analysis.ablation import Ablation
    from eevee.analysis.rating import Rating, Swap
    from eevee.tables.results_table import ResultsTable


@app.command(epilog="Example: eevee ablate data/vtab/scores.csv --subset Caltech101,DMLab,SVHN")
@verb
def ablate(
    table: JudgedTableOptions,
    scorer: ScorerOptions,
    output: OutputOptions,
    lists: ListOptions,
    out: Out = None,
) -> None:
    """Show what the loss does when each benchmark leaves a subset (paper, Fig. 4)."""
    from eevee.analysis.ablation import ablate_subsets
    from eevee.report.out import claimed
    from eevee.report.run_folder import check_name
    from eevee.report.searches import save_ablation

    named = lists.subsets()
    for name in named if out is not None else ():
        check_name(name)
    with claimed(out):
        made = scorer.make(table.read(), quiet=output.quiet)
        with progress_bar(output.quiet) as bar:
            done = ablate_subsets(made, named, advance=bar.advance)
        if out is not None:
            asked = settings(table, scorer, lists)
            save_ablation(out, made, done, asked)
    if output.as_json:
        print_json(_ablations_as_json(done, made.targets))
    else:
        _print_ablations(done, made.targets)
        print_written(out)


def _ablations_as_json(done: dict[str, Ablation], targets: str) -> dict[str, object]:
    content = {
        name: {"loss": one.loss, "ablation": one.frame.to_dict("records")}
        for name, one in done.items()
    }
    return {"targets": targets, "subsets": content}


def _print_ablations(done: dict[str, Ablation], targets: str) -> None:
    for name, one in done.items():
        print_table(
            f"{name}: search loss {one.loss:.4g} with all {len(one.subset)} (targets: {targets})",
            ["benchmark", "loss without", "increase", "spread of increase"],
            one.frame.itertuples(index=False),
        )


@app.command(epilog="Example: eevee rate data/vtab/scores.csv --subset Caltech101,DMLab,SVHN")
@verb
def rate(
    table: JudgedTableOptions,
    scorer: ScorerOptions,
    output: OutputOptions,
    lists: ListOptions,
    n_random: Annotated[
        int,
        typer.Option(
            "--n-random",
            help="Random subsets to compare with.",
            min=1,
            max=MOST_SUBSETS,
            metavar="N",
        ),
    ] = 1000,
    out: Out = None,
) -> None:
    """Say how good a given list is, next to random lists of equal size and of equal cost."""
    from eevee.analysis.rating import rate as rate_subset
    from eevee.report.out import claimed
    from eevee.report.searches import save_ratings

    named = lists.subsets()
    with claimed(out):
        read = table.read()
        made = scorer.make(read, quiet=output.quiet)
        with progress_bar(output.quiet) as bar:
            ratings = {
                name: rate_subset(
                    made, subset, seed=scorer.search_seed, n_random=n_random, advance=bar.advance
                )
                for name, subset in named.items()
            }
        content = {name: asdict(rating) for name, rating in ratings.items()}
        if out is not None:
            asked = settings(table, scorer, lists, random=n_random)
            save_ratings(out, made, content, asked)
    if output.as_json:
        about = {"targets": made.targets, "cost_unit": read.cost_unit}
        print_json({**about, "subsets": content})
        return
    _print_ratings(ratings, read, made.targets)
    print_written(out)


def _print_ratings(ratings: dict[str, Rating], table: ResultsTable, targets: str) -> None:
    first = next(iter(ratings.values()))
    print_table(
        f"Search loss of given lists (targets: {targets})",
        [
            "list",
            "k",
            f"cost ({table.cost_unit})",
            "search loss",
            "spread",
            "better than random of equal size (%)",
            "of equal cost (%)",
        ],
        (
            [
                name,
                len(rating.subset),
                rating.cost,
                rating.loss,
                rating.spread,
                rating.percentile_of_size,
                rating.percentile_of_cost,
            ]
            for name, rating in ratings.items()
        ),
    )
    print_line(
        f"bounds: all {len(table.target_benchmarks)} benchmarks {number(first.everything)}, "
        f"predicting each column's mean {number(first.mean_predictor)}"
    )
    for name, rating in ratings.items():
        print_line(
            f"{name}: compared with {rating.different_of_size:,} different random lists of equal "
            f"size and {rating.different_of_cost:,} filled at random up to its cost"
        )
        _print_swap(f"{name}: best single swap", rating.swap, rating, table)
        if rating.cheap_swap != rating.swap:
            _print_swap(f"{name}: at no extra cost", rating.cheap_swap, rating, table)
    print_line(
        "A swap's gain is biased upward: it is the best of many on the same models. So is the "
        "percentile of a list that was searched for on this table."
    )


def _print_swap(what: str, swap: Swap | None, rating: Rating, table: ResultsTable) -> None:
    if swap is None:
        print_line(f"{what}: there is none")
        return
    if swap.rescored_gain is None:
        verdict = ""
    elif swap.rescored_gain > 0:
        verdict = f"; still {swap.rescored_gain:.4g} better under fresh initialisations"
    else:
        verdict = "; not better under fresh initialisations, so keep your list"
    tried = ""
    if rating.swaps_tried < rating.swaps_possible:
        tried = f" (of {rating.swaps_tried} tried at random out of {rating.swaps_possible})"
    print_line(
        f"{what}{tried}: {swap.out} -> {swap.into}, search loss {swap.loss:.4g}, cost "
        f"{swap.cost:.4g} {table.cost_unit}{verdict}"
    )
