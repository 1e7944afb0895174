"""The verb that fills: `complete`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import DetailOptions, Out, settings
from eevee.cli.panels import MOST_SEED
from eevee.cli.predict import parse_level
from eevee.cli.printing import print_json, print_line, print_table, print_written, say
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from eevee.completion.complete import Completion
    from eevee.tables.results_table import ResultsTable

SHOWN = 10
"""Rows without --verbose."""


@app.command(
    epilog="Example: eevee impute data/helm/scores.csv --costs data/helm/costs.csv "
    '--cost-unit seconds --for-model "Llama 2 (70B)"'
)
@verb
def impute(
    table: TableOptions,
    output: DetailOptions,
    model: Annotated[
        str | None, typer.Option("--for-model", help="Also say what this model should run next.")
    ] = None,
    level: Annotated[str, typer.Option("--level", help="Of the intervals: 90% or 0.9.")] = "90%",
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            help="Of the folds of scores that are hidden.",
            min=0,
            max=MOST_SEED,
            metavar="N",
        ),
    ] = 0,
    out: Out = None,
) -> None:
    """Fill the gaps of a sparse table, each with an interval and what it rests on."""
    from eevee.completion.advice import next_benchmark
    from eevee.completion.complete import impute as complete_table
    from eevee.completion.complete import is_large
    from eevee.completion.filling import silent
    from eevee.report.completion import save_completion
    from eevee.report.out import claimed

    share = parse_level(level)
    with claimed(out):
        read = table.read()
        found = complete_table(read, level=share, seed=seed, tell=say if is_large(read) else silent)
        advice = None if model is None else next_benchmark(found, model)
        if out is not None:
            asked = settings(table, seed=seed, level=level, model=model)
            save_completion(out, read, found, asked, advice=advice)
    if output.as_json:
        print_json(_as_json(read, found, model, advice))
        return
    most = None if output.verbose else SHOWN
    _print(read, found, most)
    if advice is not None:
        _print_advice(found, str(model), advice, most)
    if len(found.basis) and out is None:
        print_line()
        print_line("--out DIR or --json has every filled cell, and what it rests on")
    print_written(out)


def _as_json(
    read: ResultsTable, found: Completion, model: str | None, advice: pd.DataFrame | None
) -> dict[str, Any]:
    from eevee.analysis.describe import gaps_as_json, summary
    from eevee.completion.gap_pattern import gap_pattern

    content = {
        "table": summary(read),
        "gaps": gaps_as_json(gap_pattern(read)),
        "level": found.level,
        "completion": {"logit": found.logit, "rank": found.rank, "penalty": found.penalty},
        "columns": found.by_column.to_dict("records"),
        "filled": found.basis.to_dict("records"),
    }
    if advice is not None:
        content["next"] = {"model": model, "benchmarks": advice.to_dict("records")}
    return content


def _print(read: ResultsTable, found: Completion, most: int | None) -> None:
    from eevee.completion.gap_pattern import gap_pattern

    print_line(
        f"{read.n_models} models x {len(found.by_column)} columns, {read.coverage:.1%} measured; "
        f"{len(found.basis)} cells filled, none of them measured"
    )
    scale = "percentages logit-transformed" if found.logit else "no logit"
    print_line(
        f"each is the mean of a factor model's prediction (rank {found.rank}, penalty "
        f"{found.penalty:g}, {scale}) and of regressions on the columns that tell most"
    )
    print_line(f"intervals: {100 * found.level:g} %, from measured cells that were hidden")
    pattern = gap_pattern(read)
    if pattern.sentence:
        print_line(pattern.sentence)
    print_line()
    columns = found.by_column
    print_table(
        "Columns (width: the median interval, in standard deviations of the column)",
        columns.columns,
        columns.itertuples(index=False),
        most=most,
    )
    for why, count in found.basis["why"].value_counts(sort=False).items():
        if why:
            print_line(f"no interval for {count} cells: {why}")


def _print_advice(found: Completion, model: str, advice: pd.DataFrame, most: int | None) -> None:
    cells = found.basis[found.basis["model"] == model]
    print_line()
    if advice.empty:
        print_line(f"{model} lacks nothing that any model has")
        return
    shown = ["column", "predicted", "lower", "upper"]
    print_table(
        f"Filled cells of {model} (scores: {cells['n_scores'].iloc[0]})",
        [*shown, *([] if most else ["rests on"])],
        (
            [*row, *([] if most else [_words(pairs)])]
            for row, pairs in zip(
                cells[shown].itertuples(index=False), cells["rests_on"], strict=True
            )
        ),
        most=most,
    )
    print_line()
    print_table(
        f"What {model} should run next: expected drop of its uncertainty, cost in "
        f"{found.cost_unit}",
        advice.columns,
        advice.itertuples(index=False),
        most=most,
    )
    gains = found.gains
    print_line(
        f"of what a score would tell of others {gains.come_true:.2f} (standard error "
        f"{gains.error:.2f}) came true on hidden scores; the drops are multiplied by it"
    )


def _words(pairs: tuple[tuple[str, float], ...]) -> str:
    """Names and shares of what a cell's regressions listen to.

    Examples
    --------
    >>> _words((("a", 0.75), ("b", 0.25))), _words(())
    ('a 75 %, b 25 %', 'the factor model alone')
    """
    return ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, share in pairs) or (
        "the factor model alone"
    )
