"""The verb that keeps the ledger: `costs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import print_json, print_line, print_table

if TYPE_CHECKING:
    from eevee.running.ledger import Ledger


@app.command(
    epilog="Example: eevee costs data/zoo/seconds.csv data/zoo/costs-again.csv --out runs/costs.csv"
)
@verb
def costs(
    files: Annotated[
        list[Path],
        typer.Argument(help="Cost files, such as those of `eevee run`; each with its hardware."),
    ],
    output: JsonOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file of costs to write.")],
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="Hardware that costs are wanted of (default: the first)."),
    ] = None,
) -> None:
    """Merge costs measured on several machines, by what was run on more than one of them."""
    from eevee.running.ledger import merge_costs

    if any(out.exists() and file.exists() and out.samefile(file) for file in files):
        raise typer.BadParameter("--out is one of the files that are read; give another name")
    found = merge_costs(files, reference=reference)
    found.write_csv(out)
    if output.as_json:
        machines = {name: vars(one) for name, one in found.machines.items()}
        print_json(
            {"written": str(out), "costs": len(found.costs), "reference": found.reference}
            | {"machines": machines, "unknown": list(found.unknown), "notes": list(found.notes)}
        )
        return
    _print(found)
    print_line(f"{len(found.costs)} costs written to {out}")


def _print(found: Ledger) -> None:
    for note in found.notes:
        print_line(note)
    left_out = [name for name, one in found.machines.items() if one.speed is None]
    for name in left_out:
        print_line(
            f"left out: {found.machines[name].costs} costs of {name}: no model and benchmark was "
            f"run on it and on what {found.reference} is compared with"
        )
    if found.unknown:
        print_line(f"unknown cost: {', '.join(found.unknown)}")
    rows = [
        (name, one.costs, one.shared, one.speed, one.spread) for name, one in found.machines.items()
    ]
    header = ("hardware", "costs", "shared", "speed", "typically off by a factor of")
    print_table(f"costs of {found.reference}", header, rows)
