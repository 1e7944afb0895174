"""The verb that shows: `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import print_json, print_line


@app.command(epilog="Example: eevee report data/bbh/run --out runs/report.html")
@verb
def report(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders about one table, merged; the first leads.")
    ],
    output: JsonOption,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The HTML file (default: report.html in the first)."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option("--models-file", help="Attributes of models, such as family: for groups."),
    ] = None,
) -> None:
    """Write what run folders hold as one HTML page that opens anywhere."""
    from eevee.report.html.page import write_report

    written = write_report(runs, out, models_file=models)
    if output.as_json:
        print_json({"written": str(written)})
    else:
        print_line(f"written to {written}")
