"""The verb that hands tiers over: `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eevee.base.errors import EeveeError
from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import print_json, print_line, say
from eevee.exporters.registry import FORMATS, find_format


def _known(name: str) -> str:
    """Refuse a format that there is not as wrong usage."""
    try:
        return find_format(name).name
    except EeveeError as error:
        raise typer.BadParameter(str(error)) from None


@app.command(
    epilog="Example: eevee export data/bbh/tiers.yaml --to lm-eval "
    "--mapping data/mappings/lm-eval.yaml --out runs/lm-eval"
)
@verb
def export(
    tiers: Annotated[Path, typer.Argument(help="A tier file.")],
    output: JsonOption,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="NAME",
            callback=_known,
            help=" ".join(f"{one.name}: {one.what}." for one in FORMATS),
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write to, and to nowhere else.")
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            help="YAML, JSON or TOML: benchmarks to the harness's task names and options.",
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", help="For gate and slurm: a command with {task} in it."),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option(
            "--draft-mapping",
            help="Write a mapping to complete by hand, from the installed harness's own task list.",
        ),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option("--harness-python", help="With --draft-mapping: the Python that has it."),
    ] = None,
) -> None:
    """Write tiers as the files that a harness loads."""
    _check(out, mapping, command, draft, python)
    if draft is not None:
        _draft(tiers, to, draft, python, output)
        return
    from eevee.exporters.exporting import export as write
    from eevee.tiers.file import load_tiers

    assert out is not None
    options = {} if command is None else {"command": command}
    done = write(load_tiers(tiers), to=to, out=out, mapping=mapping, options=options)
    if output.as_json:
        files = [str(path) for path in done.files]
        print_json({"files": files, "run": done.run, "notes": done.notes})
        return
    for path in done.files:
        print_line(f"written {path}")
    for note in done.notes:
        print_line(f"note: {note}")
    for line in done.run:
        print_line(f"run: {line}")


def _check(
    out: Path | None,
    mapping: Path | None,
    command: str | None,
    draft: Path | None,
    python: Path | None,
) -> None:
    """Refuse options that do not go together as wrong usage."""
    if (out is None) == (draft is None):
        raise typer.BadParameter("give either --out DIR or --draft-mapping FILE")
    if draft is not None and (mapping is not None or command is not None):
        raise typer.BadParameter("--draft-mapping takes neither --mapping nor --command")
    if draft is None and python is not None:
        raise typer.BadParameter("--harness-python goes with --draft-mapping")


def _draft(tiers: Path, to: str, draft: Path, python: Path | None, output: JsonOption) -> None:
    import sys

    from eevee.exporters.draft import draft_mapping
    from eevee.tiers.file import load_tiers

    asked = sys.executable if python is None else python
    left = draft_mapping(load_tiers(tiers), draft, to=to, python=asked)
    if output.as_json:
        print_json({"written": str(draft), "proposed": left})
        return
    print_line(f"written {draft}")
    for name, proposed in left.items():
        print_line(f"{name}: proposed {', '.join(proposed) or 'nothing: no name is near'}")
    if left:
        say(f"warning: {len(left)} benchmarks have no task yet; fill in 'task' in {draft}")
