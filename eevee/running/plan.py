"""The plan file, `eevee.plan/1`: the commands of a tier, one per model and benchmark.

What belongs to a plan lies beside it, in a folder of its name: of ``new.json`` in ``new/``. A plan
comes from anywhere: the reader trusts nothing in it, and lets no result lie outside that folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from eevee._version import __version__
from eevee.base.commands import Template
from eevee.base.errors import EeveeError
from eevee.base.file_names import file_name
from eevee.base.files import replacing
from eevee.base.parsing import mapping, read_checked, record, refuse, text, tuple_of
from eevee.tiers.file import Tier

SCHEMA = "eevee.plan/1"
"""The name and version of the format; the value of the key `schema` in every file."""
_NAMES = ("model", "benchmark", "out")
"""What may stand in braces."""


@dataclass(frozen=True)
class Job:
    """One command: it measures one model on one benchmark and writes the score to a file.

    Attributes
    ----------
    model, benchmark, command : str
    out : str
        Path from the working folder.
    """

    model: str
    benchmark: str
    command: str
    out: str

    @property
    def hash(self) -> str:
        """SHA-256 of the command."""
        return hashlib.sha256(self.command.encode()).hexdigest()


@dataclass(frozen=True)
class Plan:
    """The commands of a tier, and the folder that takes what they leave.

    Attributes
    ----------
    created_with, tier : str
    jobs : tuple of Job
    folder : Path
    """

    created_with: str
    tier: str
    jobs: tuple[Job, ...]
    folder: Path

    def beside(self, job: Job, kind: str, suffix: str) -> Path:
        """Return the path of what goes with a result, such as its log."""
        inside = Path(os.path.relpath(job.out, self.folder / "results"))
        return self.folder / kind / inside.with_suffix(suffix)


def folder_of(path: Path) -> Path:
    """Return the folder of a plan file."""
    if path.suffix.lower() != ".json":
        raise EeveeError(f"{path}: the name of a plan must end in .json")
    return path.with_suffix("")


def make_plan(tier: Tier, models: Sequence[str], command: str, path: Path) -> Plan:
    """Fill in the command for every model and every benchmark of a tier.

    Parameters
    ----------
    tier : Tier
    models : sequence of str
    command : str
        Shell, with ``{model}``, ``{benchmark}`` and ``{out}``; a brace itself is written twice.
    path : Path
        Of the plan file, from the working folder; nothing is written.

    Raises
    ------
    EeveeError
        If the command or a name cannot be used, or two results would be one file.

    Examples
    --------
    >>> from eevee.tiers.file import SearchLoss, TierBenchmark
    >>> tier = Tier("small", 1, 1, (TierBenchmark("a b", ("a b",), 1),), SearchLoss(0, 0, "all"))
    >>> plan = make_plan(tier, ["m/1"], "eval {model} {benchmark} {out}", Path("new.json"))
    >>> plan.jobs[0].command
    "eval m/1 'a b' new/results/m_1/a_b.json"
    """
    folder = folder_of(path)
    template = _template(command)
    for name in (*models, *tier.benchmark_names):
        if any(unicodedata.category(letter) == "Cc" for letter in name):
            raise EeveeError(f"the name {name!r} has a control character; rename it")
    twice = [name for name, count in Counter(models).items() if count > 1]
    if twice:
        raise EeveeError(f"model {twice[0]!r} is given twice; keep one")
    jobs = []
    for model in models:
        for benchmark in tier.benchmark_names:
            name = f"{file_name(model)}/{file_name(benchmark)}.json"
            out = (folder / "results" / name).as_posix()
            values = {"model": model, "benchmark": benchmark, "out": out}
            jobs.append(
                Job(
                    model,
                    benchmark,
                    template.fill(values),
                    out,
                )
            )
    _check_distinct(jobs)
    return Plan(f"eevee {__version__}", tier.name, tuple(jobs), folder)


def _template(command: str) -> Template:
    """Check a command of a plan."""
    template = Template(command)
    wrong = template.unknown(_NAMES)
    if wrong:
        raise EeveeError(wrong)
    if "out" not in template.names:
        raise EeveeError("the command lacks {out}, the file that it writes the score to")
    return template


def _check_distinct(jobs: Sequence[Job]) -> None:
    """Refuse two results in one file, also where case does not count in names of files."""
    taken: dict[str, Job] = {}
    for job in jobs:
        other = taken.setdefault(os.path.normpath(job.out).casefold(), job)
        if other is not job:
            raise EeveeError(
                f"{other.model!r} on {other.benchmark!r} and {job.model!r} on {job.benchmark!r} "
                f"would write the same file, {job.out}; rename one"
            )


# --- files -------------------------------------------------------------------------------------


def dump_plan(plan: Plan, path: Path) -> None:
    """Write a plan file; never leaves half a file."""
    content = {
        "schema": SCHEMA,
        "created_with": plan.created_with,
        "tier": plan.tier,
        "jobs": [asdict(job) for job in plan.jobs],
    }
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def results_left_behind(path: Path, plan: Plan) -> int:
    """Count results of the plan that stands at a path, if any, which another plan lacks."""
    try:
        before = load_plan(path)
    except EeveeError:
        return 0
    kept = {job.out for job in plan.jobs}
    return sum(job.out not in kept and Path(job.out).exists() for job in before.jobs)


def load_plan(path: Path) -> Plan:
    """Read a plan file; from the folder that it was planned in.

    Raises
    ------
    EeveeError
        If the file is no plan of this version, or a result would lie outside the plan's folder.
    """
    folder = folder_of(path)

    def parse(value: object, at: str) -> Plan:
        members = dict(mapping(value, at))
        if members.pop("schema", None) != SCHEMA:
            raise EeveeError(f"no plan: it has no key 'schema' with the value {SCHEMA!r}")
        created_with, tier, jobs = _file(members, at)
        for i, job in enumerate(jobs):
            _check_inside(job.out, folder / "results", f"jobs[{i}].out")
        _check_distinct(jobs)
        return Plan(created_with, tier, jobs, folder)

    return read_checked(path, parse)


def _check_inside(out: str, results: Path, at: str) -> None:
    """Follow links, too: a result goes nowhere but into the plan's own folder."""
    inside = Path(os.path.realpath(results)) in Path(os.path.realpath(out)).parents
    if not inside or ".." in Path(out).parts or not out.endswith(".json"):
        raise EeveeError(
            f"{at}: {out!r} is no .json file in {results} (run a plan from the folder that it was "
            "planned in, and plan again rather than rename it)"
        )


def _line(value: object, at: str) -> str:
    line = text(value, at)
    if any(unicodedata.category(letter) == "Cc" and letter != "\t" for letter in line):
        raise refuse(at, "text in one line", value)
    return line


_job = record(Job, {"model": _line, "benchmark": _line, "command": _line, "out": _line})
_file = record(
    lambda created_with, tier, jobs: (created_with, tier, jobs),
    {
        "created_with": text,
        "tier": text,
        "jobs": tuple_of(_job, name=lambda job: f"{job.model} on {job.benchmark}"),
    },
)
