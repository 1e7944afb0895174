"""The verb that gathers: `import`."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import print_json, print_line


class OnConflict(StrEnum):
    """What to do with scores of one cell that differ."""

    error = "error"
    first = "first"
    mean = "mean"


@app.command(
    name="import",
    epilog="Example: eevee import data/helm/scores.csv data/vtab/scores.csv --out all.csv",
)
@verb
def import_(
    sources: Annotated[
        list[Path], typer.Argument(help="Results of harnesses (files, folders) and score tables.")
    ],
    output: JsonOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file to write: one row per score.")],
    from_: Annotated[
        str, typer.Option("--from", help="Format of the sources; auto tells it from the content.")
    ] = "auto",
    aliases: Annotated[
        Path | None, typer.Option("--aliases", help="CSV 'alias,model': other names of models.")
    ] = None,
    on_conflict: Annotated[
        OnConflict, typer.Option("--on-conflict", help="Scores of one cell that differ.")
    ] = OnConflict.error,
) -> None:
    """Write results of harnesses and score tables as one long table, which every verb reads."""
    from eevee.readers.harness.sources import gather, read_aliases

    names = None if aliases is None else read_aliases(aliases)
    found = gather(sources, format=from_, aliases=names, on_conflict=on_conflict.value)
    found.write_csv(out)
    if output.as_json:
        print_json({"written": str(out), **found.summary()})
        return
    counts = ", ".join(f"{n} {name}" for name, n in Counter(found.formats).items())
    print_line(f"sources: {counts}")
    print_line(
        f"{found.n_models} models, {found.n_benchmarks} benchmarks, {len(found.rows)} scores"
    )
    for note in found.notes:
        print_line(f"{note.action} {note.kind} {note.name}: {note.why}")
    print_line(f"wrote {out}")
