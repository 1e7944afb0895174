"""Running a plan: every command whose result does not count yet, one at a time per slot."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from eevee.base.errors import EeveeError
from eevee.running.command import Ended, run_command
from eevee.running.devices import Slot
from eevee.running.energy import EnergyMeter
from eevee.running.measured import (
    Measured,
    Missing,
    NotMeasured,
    Record,
    begin,
    find_measured,
    finish,
    hash_of,
    read_result,
)
from eevee.running.plan import Job, Plan


@dataclass(frozen=True)
class Failure:
    """A command that gave no result, and why; the log has what it printed."""

    job: Job
    why: str
    log: Path
    attempts: int


@dataclass(frozen=True)
class Standing:
    """What a plan has to show.

    Attributes
    ----------
    done : tuple of Measured
    missing : tuple of Job
        Without any result.
    elsewhere : tuple of Measured
        Whole, but made by something else: they count if the user says so.
    refused : mapping of Job to str
        With a result that does not count, and why.
    """

    done: tuple[Measured, ...]
    missing: tuple[Job, ...]
    elsewhere: tuple[Measured, ...]
    refused: dict[Job, str]

    @property
    def to_run(self) -> tuple[Job, ...]:
        """Commands without a result, or with one that does not count."""
        return (*self.refused, *self.missing)

    def refuse_elsewhere(self) -> None:
        """Raise an `EeveeError` where results of something else are in the way."""
        if self.elsewhere:
            raise EeveeError(
                f"{self.elsewhere[0].job.out}: is one of {len(self.elsewhere)} results that were "
                "not made by eevee run; --accept-found counts them, or remove them"
            )


@dataclass(frozen=True)
class Step:
    """News of a run: a command has begun on a slot, or has ended."""

    slot: Slot
    job: Job
    ended: Measured | Failure | None = None


@dataclass(frozen=True)
class RunSettings:
    """How commands are run.

    Attributes
    ----------
    time_limit : float or None
        Seconds for each.
    retries : int
        How often a command that failed is run again; one that ran into the time limit is not.

    accept : bool
        Whether results count that something else made.
    """

    time_limit: float | None = None
    retries: int = 0
    accept: bool = False


@dataclass
class _Run:
    plan: Plan
    settings: RunSettings
    stop: threading.Event
    report: Callable[[Step], None]
    meter: EnergyMeter
    jobs: queue.SimpleQueue[Job] = field(default_factory=queue.SimpleQueue)


def standing_of(plan: Plan, *, accept: bool = False) -> Standing:
    """Look at what there is of a plan's results.

    Parameters
    ----------
    plan : Plan
    accept : bool
        Whether results count that something else made.
    """
    done: list[Measured] = []
    elsewhere: list[Measured] = []
    missing: list[Job] = []
    refused: dict[Job, str] = {}
    for job in plan.jobs:
        try:
            found = find_measured(plan, job)
            (done if accept or found.record else elsewhere).append(found)
        except Missing:
            missing.append(job)
        except NotMeasured as why:
            refused[job] = str(why)
    return Standing(tuple(done), tuple(missing), tuple(elsewhere), refused)


def run_plan(
    plan: Plan,
    slots: Sequence[Slot],
    settings: RunSettings,
    *,
    stop: threading.Event,
    report: Callable[[Step], None] = lambda step: None,
) -> list[Failure]:
    """Run what has no result that counts; return what failed.

    Parameters
    ----------
    plan : Plan
    slots : sequence of Slot
        As many commands run at a time.
    settings : RunSettings
    stop : Event
        Ends the run when it is set: commands under way are ended, and lost.
    report : callable
        Takes the news, in the thread of the slot.

    Raises
    ------
    EeveeError
        If another process runs the same plan, or results of something else are in the way.
    """
    if os.name != "posix":
        raise EeveeError("running needs Linux or macOS; elsewhere: eevee plan --format text")
    with _alone(plan):
        run = _Run(plan, settings, stop, report, EnergyMeter())
        for job in _to_run(plan, settings):
            run.jobs.put(job)
        with ThreadPoolExecutor(len(slots)) as pool:
            try:
                working = [pool.submit(_work, run, slot) for slot in slots]
                wait(working, return_when=FIRST_EXCEPTION)
            except BaseException:
                stop.set()
                raise
            if any(one.done() and one.exception() for one in working):
                stop.set()
        failed = {failure.job: failure for one in working for failure in one.result()}
        return [failed[job] for job in plan.jobs if job in failed]


def _to_run(plan: Plan, settings: RunSettings) -> Sequence[Job]:
    standing = standing_of(plan, accept=settings.accept)
    standing.refuse_elsewhere()
    return standing.to_run


@contextmanager
def _alone(plan: Plan) -> Iterator[None]:
    """Keep a lock, which ends with this process however it ends."""
    import fcntl

    plan.folder.mkdir(parents=True, exist_ok=True)
    with (plan.folder / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EeveeError(f"{plan.folder}: another process is running this plan") from None
        except OSError:
            pass  # a file system without locks
        yield


def _work(run: _Run, slot: Slot) -> list[Failure]:
    failed = []
    while not run.stop.is_set():
        try:
            job = run.jobs.get_nowait()
        except queue.Empty:
            break
        run.report(Step(slot, job))
        ended = _run_job(run, slot, job)
        if isinstance(ended, Failure):
            failed.append(ended)
        run.report(Step(slot, job, ended))
    return failed


def _run_job(run: _Run, slot: Slot, job: Job) -> Measured | Failure:
    log = run.plan.beside(job, "logs", ".log")
    for path in (log, Path(job.out)):
        path.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        for attempt in range(1, run.settings.retries + 2):
            begin(run.plan, job)
            found = _attempt(run, slot, job, attempt, file)
            if isinstance(found, Measured):
                return found
            failure = Failure(job, found.why, log, attempt)
            if found.code is None or run.stop.is_set():
                break
    return failure


def _attempt(run: _Run, slot: Slot, job: Job, attempt: int, log: IO[bytes]) -> Measured | Ended:
    """Run a command once; what it wrote counts if it succeeded and the file is whole."""
    head = f"--- attempt {attempt}, {time.strftime('%Y-%m-%d %H:%M:%S')}, {slot.name}\n"
    log.write(f"{head}$ {job.command}\n".encode())
    log.flush()
    before = run.meter.joules(slot.nvml)
    ended = run_command(
        job.command,
        log,
        environment=slot.environment,
        stop=run.stop,
        time_limit=run.settings.time_limit,
    )
    after = run.meter.joules(slot.nvml)
    if ended.why:
        return ended
    try:
        result = read_result(Path(job.out))
    except EeveeError as why:
        return Ended(ended.code, ended.seconds, f"succeeded, but {why}")
    joules = None if before is None or after is None else round(after - before, 3)
    seconds = float(f"{ended.seconds:.6g}")
    made = Record(job.hash, hash_of(Path(job.out)), seconds, slot.hardware, joules, attempt)
    measured = Measured(job, result, made)
    finish(run.plan, measured)
    return measured
