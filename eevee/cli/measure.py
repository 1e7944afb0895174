"""The verb that scores checkpoints without training them: `measure`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.measure_pairs import (
    SimilarityOptions,
    compare,
    refuse_overwriting,
    refuse_unused,
)
from eevee.cli.options import JsonOption
from eevee.cli.panels import MANY, MOST_SEED
from eevee.cli.printing import print_json, print_line, print_table, say

if TYPE_CHECKING:
    from eevee.measures.columns import ProxyColumns

SHOWN = 40


@app.command(
    epilog="Example: eevee measure data/features/pixels__digits.npz data/features/pca__digits.npz "
    "--with logme,h-score --out runs/columns.csv"
)
@verb
def measure(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Features and labels, MODEL__TASK.npz (or .npy, .parquet, .safetensors)."
        ),
    ],
    output: JsonOption,
    similar: SimilarityOptions,
    names: Annotated[
        str | None,
        typer.Option("--with", help="Measures, with commas: logme,leep,pactran-gaussian ..."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file of proxy columns (or of pairs) to write."),
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Task of files whose names do not say one.")
    ] = None,
    convention: Annotated[
        str, typer.Option("--convention", help="Where they disagree: 'paper' or 'reference' code.")
    ] = "paper",
    groups: Annotated[
        int,
        typer.Option(
            "--n-groups", help="Of the jackknife of standard errors; 0: none.", min=0, max=MANY
        ),
    ] = 10,
    null: Annotated[
        int,
        typer.Option(
            "--null", help="Permutations of labels that scores are compared with.", min=0, max=MANY
        ),
    ] = 0,
    seed: Annotated[
        int,
        typer.Option("--seed", help="Of groups, permutations and halves.", min=0, max=MOST_SEED),
    ] = 0,
    prior: Annotated[
        Path | None,
        typer.Option("--prior", help="File of features that define the task prior."),
    ] = None,
    max_mb: Annotated[
        float, typer.Option("--max-mb", help="Megabytes that a file may have, unpacked.")
    ] = 1000.0,
) -> None:
    """Score checkpoints by their features, without fine-tuning: cheap proxy columns."""
    from eevee.measures.catalog import find_measures
    from eevee.measures.columns import measure_files

    read = [*files, *(one for one in (prior, similar.tiers) if one is not None)]
    refuse_overwriting(read, {"--out": out, "--groups-out": similar.groups_out})
    if not 0 < max_mb <= 1e6:
        raise typer.BadParameter(f"--max-mb lies in 0..1000000, not {max_mb:g}")
    if similar.similarity is not None or similar.diversity is not None:
        given = {"task": task, "convention": convention, "max_mb": max_mb}
        refuse_unused({"--with": names, "--prior": prior, "--null": null or None})
        resampling = {"n_groups": groups, "seed": seed}
        compare(files, similar, out, {**given, **resampling}, as_json=output.as_json)
        return
    if names is None or out is None:
        raise typer.BadParameter("give --with and --out, or --similarity, or --diversity")
    chosen = find_measures(names, convention=convention, seed=seed)
    found = measure_files(
        files, chosen, task=task, n_groups=groups, n_permutations=null, seed=seed, max_mb=max_mb,
        prior=prior,
    )  # fmt: skip
    found.write_csv(out)
    if output.as_json:
        rows = [one.as_json() for one in found.scores]
        print_json({"written": str(out), "scores": rows, "notes": list(found.notes)})
        return
    _print(found, with_null=null > 0)
    print_line(f"{len(found.scores)} scores written to {out}")


def _print(found: ProxyColumns, *, with_null: bool) -> None:
    for note in found.notes:
        say(note)
    header = ["task", "measure", "model", "score", "stderr", "seconds"]
    rows: list[list[object]] = []
    for one in found.scores:
        row = [one.task, one.name, one.model, one.measure.score, one.measure.stderr, one.cost]
        null = (math.nan,) * 3 if one.null is None else (one.null.mean, one.null.sd, one.null.p)
        rows.append([*row, *(null if with_null else ())])
    if with_null:
        header += ["null", "its sd", "p"]
    print_table(
        "Scores (higher is better)", header, rows, most=SHOWN, rest="--json and --out have all"
    )
