"""The verb that gathers: `import`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.base.bounded import MAX_MB
from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import print_json, print_line
from eevee.cli.table_options import (
    ColumnOption,
    DropColumnsOption,
    DropModelsOption,
    MaxMbOption,
    MissingOption,
    check_reading,
)

if TYPE_CHECKING:
    from eevee.readers.measured import Options


SHOWN = 10
"""Notes that are printed."""


class OnConflict(StrEnum):
    """What to do with scores of one cell that differ."""

    error = "error"
    first = "first"
    mean = "mean"


class CostUnit(StrEnum):
    """What costs in score tables are counted in."""

    seconds = "seconds"
    minutes = "minutes"
    hours = "hours"


@dataclass(frozen=True)
class HowToRead:
    """How sources are read."""

    column: ColumnOption = None
    drop_columns: DropColumnsOption = None
    drop_models: DropModelsOption = None
    missing: MissingOption = None
    max_mb: MaxMbOption = MAX_MB

    def check(self) -> None:
        """Refuse roles and limits that are none as wrong usage."""
        check_reading(self.column, self.max_mb)

    def options(self) -> Options:
        """Return them as the readers take them."""
        from eevee.readers.from_options import roles_of
        from eevee.readers.measured import Options

        return Options(
            roles=roles_of(self.column),
            drop_columns=tuple(self.drop_columns or ()),
            drop_models=tuple(self.drop_models or ()),
            missing=tuple(self.missing or ()),
            max_mb=self.max_mb,
        )


@app.command(
    name="import",
    epilog="Example: eevee import data/helm/scores.csv data/vtab/scores.csv --out all.csv",
)
@verb
def import_(
    sources: Annotated[
        list[Path], typer.Argument(help="Results of harnesses (files, folders) and score tables.")
    ],
    reading: HowToRead,
    output: JsonOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file to write: one row per score.")],
    from_: Annotated[
        str, typer.Option("--from", help="Format of the sources; auto tells it from the content.")
    ] = "auto",
    aliases: Annotated[
        Path | None,
        typer.Option("--aliases", help="CSV 'alias,model': other names of models or benchmarks."),
    ] = None,
    on_conflict: Annotated[
        OnConflict, typer.Option("--on-conflict", help="Scores of one cell that differ.")
    ] = OnConflict.error,
    cost_unit: Annotated[
        CostUnit | None,
        typer.Option("--cost-unit", help="Unit of costs in score tables; else they are left out."),
    ] = None,
) -> None:
    """Write results of harnesses and score tables as one long table, which every verb reads."""
    from eevee.readers.harness.names import read_aliases
    from eevee.readers.harness.sources import gather

    found = gather(
        sources,
        format=from_,
        aliases=None if aliases is None else read_aliases(aliases, reading.max_mb),
        on_conflict=on_conflict.value,
        cost_unit=None if cost_unit is None else cost_unit.value,
        options=reading.options(),
    )
    found.write_csv(out)
    if output.as_json:
        print_json({"written": str(out), **found.summary()})
        return
    counts = ", ".join(f"{n} {name}" for name, n in Counter(found.formats).items())
    print_line(f"sources: {counts}")
    print_line(
        f"{found.n_models} models, {found.n_benchmarks} benchmarks, {len(found.rows)} scores"
    )
    for note in found.worst[:SHOWN]:
        print_line(f"{note.action} {note.kind} {note.name}: {note.why}")
    if len(found.notes) > SHOWN:
        print_line(f"... and {len(found.notes) - SHOWN} more notes: --json has all")
    print_line(f"wrote {out}")
