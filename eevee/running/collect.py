"""What a plan measured, as a results table and a cost file that every verb reads."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eevee.base.files import replacing
from eevee.running.measured import Measured, seconds_of
from eevee.running.plan import Plan

COST_HEADER = ("model", "benchmark", "cost", "hardware", "wall_seconds", "energy_joules")
"""Costs are in seconds."""


@dataclass(frozen=True)
class Collected:
    """The files that were written, None where there is nothing to write.

    Attributes
    ----------
    results, costs : Path or None
    n_told : int
        Costs that are seconds of the commands' own; all others are wall time.
    unknown : tuple of Measured
        Results whose seconds nobody measured: they are not in the costs.
    """

    results: Path | None
    costs: Path | None
    n_told: int
    unknown: tuple[Measured, ...]


def collect(plan: Plan, done: Sequence[Measured], *, hardware: str | None = None) -> Collected:
    """Write ``results.csv``, a row per score, and ``costs.csv``, a row per command.

    Earlier files are replaced; without any result they stay as they are.

    Parameters
    ----------
    plan : Plan
    done : sequence of Measured
    hardware : str, optional
        What those ran on that something else ran.
    """
    known = [one for one in done if not math.isnan(seconds_of(one))]
    return Collected(
        _write_results(plan, done) if done else None,
        _write_costs(plan, known, hardware or "") if known else None,
        sum(one.result.seconds is not None for one in known),
        tuple(one for one in done if math.isnan(seconds_of(one))),
    )


def _write_results(plan: Plan, done: Sequence[Measured]) -> Path:
    from eevee.readers.harness.canonical import write
    from eevee.readers.harness.rows import Row

    path = plan.folder / "results.csv"
    rows = [
        Row(
            model=one.job.model,
            benchmark=one.job.benchmark,
            metric=metric,
            score=score,
            cost=seconds_of(one),
            where=one.job.out,
        )
        for one in done
        for metric, score in one.result.scores.items()
    ]
    write(path, rows, {}, {})
    return path


def _write_costs(plan: Plan, known: Sequence[Measured], hardware: str) -> Path:
    path = plan.folder / "costs.csv"
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COST_HEADER)
        writer.writerows(_cost_row(one, hardware) for one in known)
    return path


def _cost_row(one: Measured, hardware: str) -> list[str]:
    record = one.record
    about = (
        (hardware, "", "")
        if record is None
        else (
            record.hardware,
            f"{record.seconds:g}",
            "" if record.energy_joules is None else f"{record.energy_joules:g}",
        )
    )
    return [one.job.model, one.job.benchmark, repr(seconds_of(one)), *about]
