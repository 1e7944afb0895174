"""Commands of a plan for whatever else runs commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType

from eevee.base.errors import EeveeError
from eevee.base.file_names import file_name
from eevee.running.plan import Job, Plan


def as_text(plan: Plan) -> str:
    """Return one command a line."""
    return "".join(f"{job.command}\n" for job in plan.jobs)


def as_gate(plan: Plan) -> str:
    """Return the JSON that GATE's `run_experiments.py` takes: names of experiments to commands."""
    named: dict[str, str] = {}
    for job in plan.jobs:
        name = "-".join(file_name(one) for one in (plan.tier, job.benchmark, job.model))
        if name in named:
            raise EeveeError(f"two commands would be called {name!r}; rename a model or benchmark")
        named[name] = job.command
    return json.dumps(named, indent=2, ensure_ascii=False) + "\n"


def as_slurm(plan: Plan) -> str:
    """Return a SLURM script of an array: one task per command."""
    lines = [
        "#!/bin/bash",
        f"#SBATCH --job-name=eevee-{file_name(plan.tier)}",
        f"#SBATCH --array=0-{len(plan.jobs) - 1}",
        "# Resources are yours to add: #SBATCH --gres=gpu:1 --time=...",
        'case "$SLURM_ARRAY_TASK_ID" in',
    ]
    lines += [_case(i, job) for i, job in enumerate(plan.jobs)]
    lines += [f'*) echo "no task $SLURM_ARRAY_TASK_ID in 0..{len(plan.jobs) - 1}" >&2; exit 2 ;;']
    return "\n".join([*lines, "esac", ""])


def _case(i: int, job: Job) -> str:
    return f"{i}) exec /bin/sh -c {shlex.quote(job.command)} ;;"


FORMATS: Mapping[str, Callable[[Plan], str]] = MappingProxyType(
    {"gate": as_gate, "text": as_text, "slurm": as_slurm}
)
"""By the name of the format."""


def make_folders(plan: Plan) -> None:
    """Make the folders of the results, for commands that something else will run."""
    for job in plan.jobs:
        plan.beside(job, "results", ".json").parent.mkdir(parents=True, exist_ok=True)
