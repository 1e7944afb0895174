"""Verbs that look: `describe`, `rank`, `plot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import DetailOptions, JsonOption, LongOptions, Out, ScorerOptions, settings
from eevee.cli.printing import print_json, print_line, print_table, print_written
from eevee.cli.progress import progress_bar
from eevee.cli.subset_options import TierFile, TierName, named_subsets
from eevee.cli.table_file import write_table_file
from eevee.cli.table_options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20
"""Rows, and notes, without --verbose."""
_WORDS = ("metric", "direction", "role")
"""What is said once where it is the same for all columns."""


@app.command(
    epilog="Example: eevee describe data/helm/scores.csv --costs data/helm/costs.csv "
    "--cost-unit seconds"
)
@verb
def describe(
    context: typer.Context,
    table: TableOptions,
    output: DetailOptions,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the reading options to FILE.toml, for --table."),
    ] = None,
) -> None:
    """Show what was read, and everything that was dropped, guessed, ignored or converted."""
    from eevee.analysis.describe import describe as describe_table
    from eevee.analysis.describe import gaps_as_json, summary
    from eevee.completion.gap_pattern import gap_pattern

    read = table.read(silent=True)
    if save is not None:
        write_table_file(context, save)
    columns, about = describe_table(read), summary(read)
    if output.as_json:
        gaps = gaps_as_json(gap_pattern(read))
        print_json({**about, "gaps": gaps, "table": columns.to_dict("records")})
    else:
        _print_description(columns, about, verbose=output.verbose)


def _print_description(columns: pd.DataFrame, about: dict[str, Any], *, verbose: bool) -> None:
    from eevee.analysis.describe import bounds_sentence
    from eevee.readers.asides import proxy_sentence

    print_line(
        f"{about['source']}: {about['models']} models x {about['benchmarks']} benchmarks "
        f"({about['columns']} columns), {about['coverage']:.1%} measured; "
        f"everything costs {about['total_cost']:.4g} {about['cost_unit']}"
    )
    print_line(f"models: {', '.join(about['model_names'])}{', ...' * (about['models'] > 5)}")
    proxies = proxy_sentence(about["proxies"], most=None if verbose else SHOWN)
    if proxies:
        print_line(proxies)
    for finding in about["findings"]:
        print_line(f"{finding['severity']}: {finding['said']} -> {finding['do']}")
    print_line(bounds_sentence(columns))
    print_line(f"read as: {about['layout']}")
    print_line(f"SHA-256: {about['sha256']}")
    said = _what_was_done(about)
    most = len(said) if verbose else SHOWN
    for line in said[:most]:
        print_line(line)
    if len(said) > most:
        print_line(f"... and {len(said) - most} more columns and notes: --verbose has all")
    print_line()
    _print_columns(columns, most=None if verbose else SHOWN)


def _what_was_done(about: dict[str, Any]) -> list[str]:
    """Say what was set aside, dropped, guessed or converted, a line each."""
    aside = {column["name"] for column in about["set_aside"]}
    columns = about["source_columns"]
    scores = [column for column in columns if column["role"] in {"score", "proxy"}]
    said = [f"columns of the file: {len(scores)} scores, and those below"] if columns else []
    said += [
        f"column {column['name'] or '(no name)'}: {column['role']}: {column['why']}"
        for column in columns
        if column not in scores and column["name"] not in aside
    ]
    said += [
        f"set aside column {column['name']}: {column['role']}: {column['why']}"
        for column in about["set_aside"]
    ]
    return said + [
        f"{note['action']} {note['kind']} {note['name']}: {note['why']}"
        for note in about["notes"]
        if note["kind"] != "column" or note["name"] not in aside  # said above
    ]


def _print_columns(columns: pd.DataFrame, most: int | None) -> None:
    shown = columns.assign(
        direction=columns["direction"] + " (" + columns["direction_source"] + ")"
    )
    if (columns["benchmark"] == columns["column"]).all():
        shown = shown.drop(columns="benchmark")
    hidden = ["direction_source", "bounds", "low", "high"]
    shown = shown.drop(columns=hidden).dropna(axis=1, how="all")
    alike = [name for name in _WORDS if most and name in shown and len(set(shown[name])) == 1]
    said = ", ".join(f"{name} {shown[name].iloc[0]}" for name in alike)
    rows = shown.drop(columns=alike)
    title = f"Columns (all: {said})" if said else "Columns"
    print_table(title, rows.columns, rows.itertuples(index=False), most=most)


@app.command(epilog="Example: eevee rank data/vtab/scores.csv")
@verb
def rank(table: TableOptions, scorer: ScorerOptions, output: LongOptions, out: Out = None) -> None:
    """Rank benchmarks by how well each alone predicts all of them (paper, Fig. 3)."""
    from eevee.analysis.ranking import rank
    from eevee.report.out import claimed
    from eevee.report.searches import save_ranking

    with claimed(out):
        made = scorer.make(table.read(), quiet=output.quiet)
        with progress_bar(output.quiet) as bar:
            ranking = rank(made, advance=bar.advance)
        bound = float(made.mean_predictor().mean())
        if out is not None:
            save_ranking(out, made, ranking, bound, settings(table, scorer))
    if output.as_json:
        print_json({"mean_predictor": bound, "ranking": ranking.to_dict("records")})
        return
    rows = ([i, *row] for i, row in enumerate(ranking.itertuples(index=False), start=1))
    most = None if output.verbose else SHOWN
    print_table(
        f"Search loss of each benchmark alone (targets: {made.targets})",
        ["rank", *ranking.columns],
        rows,
        most=most,
    )
    print_line(f"predicting each column's mean: {bound:.4g}")
    print_written(out)


@app.command(
    epilog="Example: eevee plot data/vtab/scores.csv --by Caltech101 --figure runs/heatmap.png"
)
@verb
def plot(
    table: TableOptions,
    output: JsonOption,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Order benchmarks by their correlation with this one."),
    ] = None,
    tiers: TierFile = None,
    tier: TierName = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            "-f",
            help="Where to draw: a PNG, PDF or SVG file (default: heatmap.png).",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            "--width",
            help="Inches: 3.3 fits one column of a paper, 7 two (default: what the figure needs).",
            min=2.5,
            max=40,
        ),
    ] = None,
) -> None:
    """Draw a run folder's figures again, or the heat map of ranks of a score file.

    With a run folder in place of scores, every figure is drawn again from the CSV beside it.
    """
    from eevee.report.searches import redraw, save_heatmap

    if tier is not None and tiers is None:
        raise typer.BadParameter("--tier goes with --tier-file")
    if table.scores.is_dir():
        if any(option is not None for option in (by, tiers, figure)):
            raise typer.BadParameter(
                "--by, --tier-file and --figure go with scores, not with a run"
            )
        written = redraw(table.scores, width)
    else:
        chosen = None if tiers is None else named_subsets(None, tiers, tier)
        names = None if chosen is None else [name for subset in chosen.values() for name in subset]
        target = figure or Path("heatmap.png")
        written = [save_heatmap(target, table.read(), by, names, width)]
    if output.as_json:
        print_json({"written": [str(path) for path in written]})
        return
    for path in written:
        print_line(str(path))
