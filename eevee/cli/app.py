"""`app`: the command line that verbs register with."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from eevee._version import __version__
from eevee.base.stopping import exit_code, raising, stopped_by
from eevee.cli.old_names import App, Group
from eevee.cli.printing import say

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
    code: int | str | None = 1
    with raising():
        try:
            app()
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            code = _end_of(error)
    _flush()
    sys.exit(code)


def _end_of(error: BaseException) -> int:
    """Say in one line what ended the command line before, or after, a verb; return the code."""
    number = stopped_by(error)
    if number is not None:
        say("interrupted")
        return exit_code(number)
    if not isinstance(error, OSError):
        raise error
    say(f"eevee: error: {error.filename or 'output'}: {error.strerror or error}")
    return 1


def _flush() -> None:
    """Write what is left; where nobody can read it, Python must not try again at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed_streams() -> None:
    """Print into nothing where the shell has closed standard output or error (``>&-``)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
