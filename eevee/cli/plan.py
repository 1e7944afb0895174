"""The verb that writes down what to run: `plan`."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import JsonOption
from eevee.cli.printing import number, print_json, print_line, say
from eevee.cli.subset_options import TierName, split_names

if TYPE_CHECKING:
    from eevee.running.plan import Plan
    from eevee.tiers.file import Tier, TierSet


class Format(StrEnum):
    """What commands are printed as."""

    text = "text"
    gate = "gate"
    slurm = "slurm"


@app.command(
    epilog="Example: eevee plan data/zoo/tiers.yaml --tier small --models knn-5,logistic-c10 "
    "--command 'python data/zoo/evaluate.py --model {model} --benchmark {benchmark} --out {out}' "
    "--out runs/plan.json"
)
@verb
def plan(
    tiers: Annotated[Path, typer.Argument(help="A tier file.")],
    output: JsonOption,
    models: Annotated[
        str, typer.Option("--models", help="Names, separated by commas (quote one with commas).")
    ],
    command: Annotated[
        str,
        typer.Option(
            "--command",
            help='Shell with {model}, {benchmark} and {out}; it writes {"score": ...} to {out}.',
        ),
    ],
    tier: TierName = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The plan; results go into a folder of its name."),
    ] = Path("plan.json"),
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="Also print the commands: lines, GATE's JSON, or a SLURM array script.",
        ),
    ] = None,
) -> None:
    """Write the commands that measure models on a tier, for `eevee run` or another scheduler."""
    from eevee.running.handover import FORMATS, make_folders
    from eevee.running.plan import dump_plan, make_plan, results_left_behind
    from eevee.tiers.file import load_tiers

    if output.as_json and format is not None:
        raise typer.BadParameter("give either --json or --format")
    loaded = load_tiers(tiers)
    chosen = loaded[_only(loaded) if tier is None else tier]
    made = make_plan(chosen, split_names("--models", models), command, out)
    text = "" if format is None else FORMATS[format.value](made)
    if out.exists() and out.samefile(tiers):
        raise typer.BadParameter("--out is the tier file; give another name")
    lost = results_left_behind(out, made)
    if lost:
        say(
            f"note: {out} was another plan; {lost} of its results are not in this one: they stay "
            "where they are, and are not collected any more"
        )
    dump_plan(made, out)
    if format is not None:
        make_folders(made)
        sys.stdout.write(text)
    if output.as_json:
        jobs = [vars(job) for job in made.jobs]
        print_json({"written": str(out), "tier": made.tier, "jobs": jobs})
        return
    write = print_line if format is None else say  # standard output has the commands
    for line in _lines(made, chosen, loaded.cost_unit, out):
        write(line)


def _only(tiers: TierSet) -> str:
    """Return the name of the only tier; wrong usage if there are several."""
    if len(tiers) > 1:
        raise typer.BadParameter(f"--tier names one of {', '.join(tiers.names)}")
    return tiers.names[0]


def _lines(made: Plan, tier: Tier, unit: str, out: Path) -> list[str]:
    n_models = len(made.jobs) // len(tier.benchmarks)
    return [
        f"tier {made.tier}: {len(made.jobs)} commands ({n_models} models x {len(tier.benchmarks)} "
        f"benchmarks), {number(n_models * tier.cost)} {unit} by the tier file",
        f"first: {made.jobs[0].command}",
        f"written to {out}; next: eevee run {shlex.quote(str(out))}",
    ]
