"""The verb that runs a plan: `run`."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.base.errors import EeveeError
from eevee.base.stopping import exit_code, handle, put_back
from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import OutputOptions
from eevee.cli.printing import print_json, print_line, say
from eevee.cli.run_adaptive import (
    AdaptiveOptions,
    OthersOptions,
    adapted_as_json,
    choice_words,
    print_ahead,
    verdict,
)
from eevee.cli.run_progress import run_progress

if TYPE_CHECKING:
    from eevee.running.adaptive import Choice
    from eevee.running.adaptive_plan import AdaptivePlan
    from eevee.running.collect import Collected
    from eevee.running.devices import Slot
    from eevee.running.plan import Plan
    from eevee.running.runner import Failure, RunSettings, Standing

SHOWN = 20


@dataclass(frozen=True)
class HowOptions:
    """How commands are run."""

    jobs: Annotated[
        str,
        typer.Option("--jobs", "-j", help="Commands at a time; auto: one per visible GPU, else 1."),
    ] = "auto"
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", help="Of each command: seconds, or 30m, 2h.")
    ] = None
    retries: Annotated[
        int,
        typer.Option("--retries", help="Runs of a command again after it failed.", min=0, max=100),
    ] = 0
    hardware: Annotated[
        str | None,
        typer.Option("--hardware", help="What costs.csv calls this machine (default: its GPU)."),
    ] = None

    def check(self) -> None:
        """Refuse what is no number or time as wrong usage."""
        from eevee.running.devices import read_jobs

        try:
            read_jobs(self.jobs)
            self.settings(accept=False)
        except EeveeError as wrong:
            raise typer.BadParameter(str(wrong)) from None

    def settings(self, *, accept: bool) -> RunSettings:
        """Return what the runner takes of this."""
        from eevee.running.duration import read_duration
        from eevee.running.runner import RunSettings

        limit = None if self.time_limit is None else read_duration(self.time_limit)
        return RunSettings(limit, self.retries, accept)

    def slots(self) -> tuple[Slot, ...]:
        """Return what commands run on."""
        from eevee.running.devices import make_slots, read_jobs, visible_gpus

        return make_slots(read_jobs(self.jobs), visible_gpus(), hardware=self.hardware)


@app.command(
    epilog="Example: eevee run data/zoo/adaptive.json --dry-run --adaptive --scores "
    "data/zoo/scores.csv --drop-models knn-5 --costs data/zoo/costs.csv --budget 25% --until 0.02"
)
@verb
def run(
    path: Annotated[Path, typer.Argument(metavar="PLAN", help="What `eevee plan` wrote.")],
    how: HowOptions,
    adaptive: AdaptiveOptions,
    others: OthersOptions,
    output: OutputOptions,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be run, and run nothing.")
    ] = False,
    accept_found: Annotated[
        bool,
        typer.Option("--accept-found", help="Results that something else made count, too."),
    ] = False,
    collect_only: Annotated[
        bool,
        typer.Option("--collect-only", help="Run nothing; collect results, whatever made them."),
    ] = False,
) -> None:
    """Run the commands of a plan that have no result yet, and collect scores and costs."""
    from eevee.running.collect import collect
    from eevee.running.plan import load_plan
    from eevee.running.runner import standing_of

    adaptive.check_with(others, how.jobs, collect_only=collect_only)
    plan, accept = load_plan(path), accept_found or collect_only
    before = standing_of(plan, accept=accept)
    slots = how.slots()
    if adaptive.adaptive:
        adapting = adaptive.of(plan, others, how.settings(accept=accept))
        _run_adaptively(path, adapting, slots, how, output, dry_run=dry_run)
        return
    if dry_run:
        _print_dry(plan, before, slots, as_json=output.as_json)
        return
    stop = Stopping()
    failed = [] if collect_only else _run(plan, before, slots, how, output, stop, accept=accept)
    after = standing_of(plan, accept=accept)
    collected = collect(plan, after.done, hardware=how.hardware)
    _print(plan, after, failed, collected, as_json=output.as_json)
    _end(path, stop, failed=bool(after.to_run))


def _end(path: Path, stop: Stopping, *, failed: bool) -> None:
    if stop.is_set():
        say(f"interrupted: eevee run {path} goes on from here")
        raise typer.Exit(exit_code(stop.number))
    if failed:
        raise typer.Exit(1)


def _run_adaptively(
    path: Path,
    run: AdaptivePlan,
    slots: tuple[Slot, ...],
    how: HowOptions,
    output: OutputOptions,
    *,
    dry_run: bool,
) -> None:
    from eevee.running.collect import collect
    from eevee.running.runner import standing_of

    if dry_run:
        print_ahead(run, as_json=output.as_json)
        return
    plan, accept, stop = run.plan, run.settings.accept, Stopping()
    before = standing_of(plan, accept=accept)

    def chosen(choice: Choice) -> None:
        if not output.quiet:
            say(choice_words(choice, run))

    with stop.heard(), run_progress(plan, before, slots[:1], quiet=output.quiet) as report:
        found, failed = run.run(slots[0], stop=stop, report=report, chosen=chosen)
    after = standing_of(plan, accept=accept)
    collected = collect(plan, after.done, hardware=how.hardware)
    if output.as_json:
        parts = _as_json(plan, after, failed, collected)
        print_json(parts | {"adaptive": adapted_as_json(found)})
    else:
        _print(plan, after, failed, collected, as_json=False)
        print_line(verdict(found, run))
    _end(path, stop, failed=bool(failed))


def _run(
    plan: Plan,
    before: Standing,
    slots: tuple[Slot, ...],
    how: HowOptions,
    output: OutputOptions,
    stop: Stopping,
    *,
    accept: bool,
) -> list[Failure]:
    from eevee.running.runner import run_plan

    if not output.quiet:
        for line in _reasons(before):
            say(line)
    settings = how.settings(accept=accept)
    with stop.heard(), run_progress(plan, before, slots, quiet=output.quiet) as report:
        return run_plan(plan, slots, settings, stop=stop, report=report)


class Stopping(threading.Event):
    """Set by Ctrl-C, and by what schedulers send: ends the commands under way, then this."""

    number: int = signal.SIGINT

    def note(self, number: int, frame: object) -> None:
        """Take a signal."""
        self.number = number
        self.set()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Take signals inside."""
        before = handle(self.note)
        try:
            yield
        finally:
            put_back(before)


def _reasons(standing: Standing) -> list[str]:
    """Say which results do not count, and why."""
    why = list(standing.refused.values())
    more = [f"... and {len(why) - SHOWN} more"] if len(why) > SHOWN else []
    return [f"runs again: {one}" for one in why[:SHOWN]] + more


def _print_dry(plan: Plan, standing: Standing, slots: tuple[Slot, ...], *, as_json: bool) -> None:
    if as_json:
        commands = [vars(job) for job in standing.to_run]
        names = [slot.name for slot in slots]
        print_json({"done": len(standing.done), "to_run": commands, "slots": names})
        return
    n_found = len(standing.elsewhere)
    print_line(
        f"{len(plan.jobs)} commands: {len(standing.done)} done, {len(standing.to_run)} to run, "
        f"{len(slots)} at a time ({', '.join(dict.fromkeys(slot.hardware for slot in slots))})"
    )
    if n_found:
        print_line(f"{n_found} results were not made by eevee run: --accept-found counts them")
    for line in _reasons(standing):
        print_line(line)
    for job in standing.to_run:
        print_line(job.command)


def _print(
    plan: Plan,
    after: Standing,
    failed: list[Failure],
    collected: Collected,
    *,
    as_json: bool,
) -> None:
    if as_json:
        print_json(_as_json(plan, after, failed, collected))
        return
    for one in failed[:SHOWN]:
        print_line(f"failed: {one.job.model} on {one.job.benchmark}: {one.why}; see {one.log}")
    if len(failed) > SHOWN:
        print_line(f"... and {len(failed) - SHOWN} more failed")
    print_line(f"{len(after.done)} of {len(plan.jobs)} commands have a result")
    if collected.results is not None:
        print_line(f"scores: {collected.results}")
    if collected.costs is not None:
        told = collected.n_told
        rest = len(after.done) - len(collected.unknown) - told
        parts = [f"{told} as the commands say"] * bool(told) + [f"{rest} wall time"] * bool(rest)
        print_line(f"costs in seconds ({', '.join(parts)}): {collected.costs}")
    for lacking in collected.unknown[:SHOWN]:
        print_line(f"unknown cost: {lacking.job.model} on {lacking.job.benchmark}")
    if len(collected.unknown) > SHOWN:
        print_line(f"... and {len(collected.unknown) - SHOWN} more unknown costs")


def _as_json(
    plan: Plan, after: Standing, failed: list[Failure], collected: Collected
) -> dict[str, Any]:
    from eevee.running.measured import as_json

    return {
        "commands": len(plan.jobs),
        "results": [as_json(one) for one in after.done],
        "failed": [
            {"model": one.job.model, "benchmark": one.job.benchmark, "why": one.why}
            | {"log": str(one.log), "attempts": one.attempts}
            for one in failed
        ],
        "to_run": len(after.to_run),
        "unknown_costs": [[one.job.model, one.job.benchmark] for one in collected.unknown],
        "scores": None if collected.results is None else str(collected.results),
        "costs": None if collected.costs is None else str(collected.costs),
    }
