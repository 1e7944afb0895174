"""The verb `sweep`: searches at several sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import RunOptions, ScorerOptions
from eevee.cli.print_search import (
    minimised,
    print_agreement,
)
from eevee.cli.printing import print_json, print_line, print_table, print_written
from eevee.cli.search_options import (
    RuleOptions,
    SearchOptions,
)
from eevee.cli.session import session
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    from eevee.search.sweep import SweepResult

MOST = 100_000
"""No table has more benchmarks; a slip such as 1:1000000000 would fill the memory."""


@app.command(
    epilog="Example: eevee sweep data/vtab/scores.csv --sizes 1:6 --paper --n-splits 3 "
    "--out runs/sweep"
)
@verb
def sweep(
    table: TableOptions,
    scorer: ScorerOptions,
    search: SearchOptions,
    rules: RuleOptions,
    run: RunOptions,
    ks: Annotated[
        str, typer.Option("--sizes", help="Sizes: 1:26 (both included), 2:20:3 or 1,4,8.")
    ],
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", help="A search loss: say the smallest size that reaches it.", min=0
        ),
    ] = None,
) -> None:
    """Search at several sizes, and show the loss over k for both kinds of target (Fig. 5)."""
    from eevee.analysis.ablation import ablate_subsets
    from eevee.report.searches import save_sweep
    from eevee.search.sweep import sweep as search_sizes

    sizes, epsilon = parse_sizes(ks), checked_loss(epsilon)
    procedure, kept = search.make(scorer.paper), rules.make()
    with session(run, len(sizes) * search.searches) as job:
        read = rules.pay(table.read())
        made = scorer.make(read, quiet=run.quiet)
        result = search_sizes(
            made, sizes, seed=scorer.search_seed, constraints=kept, procedure=procedure,
            control=job.control, elsewhere=scorer.elsewhere(made, read, search.restarts - 1),
        )  # fmt: skip
        if run.out is not None:
            best = {str(len(one.best)): one.best for one in result}
            counting = job.bar.counting("ablating the best subset of each size")
            without = ablate_subsets(made, best, advance=counting)
            asked = job.settings(table, scorer, search, rules, k=sizes)
            job.bar.begin("writing the run folder")
            save_sweep(run.out, made, result, without, asked)
    if run.as_json:
        print_json(_as_json(result, epsilon))
    else:
        _print_sweep(result, made.targets, epsilon, verbose=run.verbose)
        print_written(run.out)
    job.finish()


def _as_json(result: SweepResult, epsilon: float | None) -> dict[str, object]:
    from eevee.search.enough import sizes_that_reach

    verdicts = {str(k): one.as_dict() for k, one in result.verdicts.items()}
    about = {"minimised": result[0].targets, "objective": result[0].objective}
    found: dict[str, object] = {
        "verdicts": verdicts,
        **about,
        "curve": result.curve.to_dict("records"),
    }
    if epsilon is None:
        return found
    sizes = sizes_that_reach(result.curve, epsilon)
    reached = {key: int(one.value) if one.observed else None for key, one in sizes.items()}
    return {**found, "epsilon": epsilon, "smallest_size": reached}


def _print_sweep(
    result: SweepResult, targets: str, epsilon: float | None, *, verbose: bool
) -> None:
    from eevee.search.enough import reach_in_words
    from eevee.search.verdict import sizes_in_words

    print_line(sizes_in_words(result.verdicts))
    _print_curve(result, targets)
    for line in [] if epsilon is None else reach_in_words(result.curve, epsilon):
        print_line(line)
    if verbose:
        _print_subsets(result)
    else:
        print_line("Which benchmarks: --verbose, --json, or subsets.csv with --out")
    for one in result:
        print_agreement(one, f"k={len(one.best)}", verbose=verbose)


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
            f"--sizes is 1:26, 2:20:3 or 1,4,8 (sizes from 1), not {text!r}"
        ) from None
    return sorted(sizes)


def checked_loss(epsilon: float | None) -> float | None:
    """Return a loss to reach that is a number; wrong usage if it is none.

    Examples
    --------
    >>> checked_loss(0.25)
    0.25
    """
    if epsilon is not None and not 0 <= epsilon < math.inf:
        raise typer.BadParameter(f"--epsilon is a loss, not below 0; not {epsilon:g}")
    return epsilon


def _print_curve(results: SweepResult, targets: str) -> None:
    first = results[0]
    what = f"targets {targets}" if first.objective == "loss" else minimised(first)
    print_table(
        f"Search loss over k (minimised: {what}; that of all targets falls with k by arithmetic)",
        [
            *("k", "exact", "first (all)", "random (all)", "first (unseen)", "random (unseen)"),
            "different random subsets",
        ],
        results.curve.itertuples(index=False),
    )


def _print_subsets(results: SweepResult) -> None:
    for result in results:
        print_line(f"k={len(result.best)}: {', '.join(result.best)}")
    print_line(
        f"first: the subset ranked first by its {minimised(results[0])}, under fresh "
        "initialisations where the scorer has any."
    )
