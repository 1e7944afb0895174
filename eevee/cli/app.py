"""`app`: the command line that verbs register with."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from eevee._version import __version__
from eevee.cli.old_names import App, Group

app = App(
    name="eevee",
    cls=Group,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: eevee tiers data/zoo/scores.csv --costs data/zoo/costs.csv "
    "--cost-unit CPU-seconds --budget small=10% --paper --out runs/zoo",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eevee {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Find the few benchmarks that predict all the others, under a budget."""


def main() -> None:
    """Run the command line; what a terminal cannot show is escaped."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()


def _open_closed_streams() -> None:
    """Print into nothing where the shell has closed standard output or error (``>&-``)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
