"""What a command measured: the score that it wrote, and the record that the runner keeps of it.

A result counts if it is whole and its record, written after the command had succeeded, is of the
same command and of the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.parsing import (
    mapping,
    number,
    or_none,
    read_checked,
    record,
    refuse,
    sha256,
    text,
    whole,
)
from eevee.running.plan import Job, Plan


@dataclass(frozen=True)
class Result:
    """What a command wrote.

    Attributes
    ----------
    scores : mapping of metric to score
        The metric is empty where the file names none.
    seconds : float or None
        That the command measured itself.
    """

    scores: Mapping[str, float]
    seconds: float | None


@dataclass(frozen=True)
class Record:
    """What the runner knows of a result.

    Attributes
    ----------
    command, result : str
        SHA-256 of the command and of the result file.
    seconds : float
        Wall time of the command.
    hardware : str
    energy_joules : float or None
        Of its GPU, from start to end.
    attempts : int
    """

    command: str
    result: str
    seconds: float
    hardware: str
    energy_joules: float | None
    attempts: int


@dataclass(frozen=True)
class Measured:
    """A result with its record; None where the result was made elsewhere."""

    job: Job
    result: Result
    record: Record | None


class NotMeasured(EeveeError):
    """There is no result that counts."""


class Missing(NotMeasured):
    """There is no result at all."""


def read_result(path: Path) -> Result:
    """Read a result: ``{"score": 0.7}``, or a score by metric; perhaps "metric" and "seconds".

    Raises
    ------
    EeveeError
        If it is no JSON, or a score is no finite number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     file = Path(home, "result.json")
    ...     _ = file.write_text('{"score": {"acc": 0.7, "f1": 0.6}, "seconds": 12}')
    ...     read_result(file)
    Result(scores={'acc': 0.7, 'f1': 0.6}, seconds=12.0)
    """
    return read_checked(path, _result)


_finite, _share = number(17), number(17, at_least=0)


def _result(value: object, at: str) -> Result:
    found = mapping(value, at)
    if "score" not in found:
        raise EeveeError('no result: it has no key "score"')
    score, metric = found["score"], found.get("metric")
    if isinstance(score, Mapping):
        if not score or metric is not None:
            raise refuse("score", 'a number, or numbers by metric without a key "metric"', score)
        scores = {text(name, "score"): _finite(one, f"score.{name}") for name, one in score.items()}
    else:
        scores = {"" if metric is None else text(metric, "metric"): _finite(score, "score")}
    seconds = or_none(_share)(found.get("seconds"), "seconds")
    return Result(scores, seconds or None)  # 0: too quick to be measured


_record = record(
    Record,
    {
        "command": sha256,
        "result": sha256,
        "seconds": number(6, at_least=0),
        "hardware": text,
        "energy_joules": or_none(_share),
        "attempts": whole(1),
    },
)


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def find_measured(plan: Plan, job: Job) -> Measured:
    """Return what a command measured before.

    A whole result that the runner knows nothing of was made by something else: it has no record.

    Raises
    ------
    NotMeasured
        If there is nothing that counts; the message says why.
    """
    path = Path(job.out)
    if not path.exists():
        raise Missing(f"{path}: no result")
    try:
        result = read_result(path)
        kept = plan.beside(job, "records", ".json")
        if plan.beside(job, "records", ".begun").exists():
            raise EeveeError(f"{path}: its command failed or was cut off")
        if not kept.exists():
            return Measured(job, result, None)
        known = read_checked(kept, _record)
        if known.command != job.hash:
            raise EeveeError(f"{path}: is the result of another command")
        if known.result != hash_of(path):
            raise EeveeError(f"{path}: has changed since it was measured")
    except (EeveeError, OSError) as why:
        raise NotMeasured(str(why)) from None
    return Measured(job, result, known)


def begin(plan: Plan, job: Job) -> None:
    """Remove a result that does not count, and mark that its command is under way."""
    mark = plan.beside(job, "records", ".begun")
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    for path in (plan.beside(job, "records", ".json"), Path(job.out)):
        path.unlink(missing_ok=True)


def finish(plan: Plan, measured: Measured) -> None:
    """Write the record of a result, whole or not at all: from then on it counts."""
    assert measured.record is not None
    path = plan.beside(measured.job, "records", ".json")
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(asdict(measured.record)) + "\n", "utf-8")
    plan.beside(measured.job, "records", ".begun").unlink(missing_ok=True)


def as_json(measured: Measured) -> dict[str, Any]:
    """Return a result for machines."""
    job, known = measured.job, measured.record
    return {
        "model": job.model,
        "benchmark": job.benchmark,
        "scores": [{"metric": m or None, "score": s} for m, s in measured.result.scores.items()],
        "seconds": seconds_of(measured),
        "hardware": None if known is None else known.hardware,
        "energy_joules": None if known is None else known.energy_joules,
    }


def seconds_of(measured: Measured) -> float:
    """Return the seconds that count as cost: what the command says, else its wall time.

    NaN where neither is known.
    """
    if measured.result.seconds is not None:
        return measured.result.seconds
    known = measured.record
    return math.nan if known is None else known.seconds
