"""Plans of quick commands, run from an empty folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from eevee.running import command as running_command
from eevee.running.devices import make_slots
from eevee.running.plan import Plan, dump_plan, make_plan
from eevee.running.runner import Failure, RunSettings, Step, run_plan
from eevee.tiers.file import SearchLoss, Tier, TierBenchmark
from tests.cli.conftest import fails, misused, read_json, run  # noqa: F401

WRITE = """printf '{{"score": 0.5}}' > {out}"""
"""A command that writes a score."""


def tier_of(*names: str) -> Tier:
    benchmarks = tuple(TierBenchmark(name, (name,), 1.0) for name in names)
    return Tier("small", None, float(len(names)), benchmarks, SearchLoss(0.2, 0.1, "all"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return tmp_path


@pytest.fixture
def quick_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_command, "GRACE", 0.1)


def planned(
    command: str = WRITE, *, models: Sequence[str] = ("m",), benchmarks: Sequence[str] = ("a",)
) -> Plan:
    """Write plan.json in the working folder."""
    plan = make_plan(tier_of(*benchmarks), models, command, Path("plan.json"))
    dump_plan(plan, Path("plan.json"))
    return plan


def ran(plan: Plan, jobs: int = 1, **settings: float) -> tuple[list[Failure], list[Step]]:
    """Run a plan; return what failed, and the news."""
    steps: list[Step] = []
    failed = run_plan(
        plan,
        make_slots(jobs, []),
        RunSettings(**settings),  # type: ignore[arg-type]
        stop=threading.Event(),
        report=steps.append,
    )
    return failed, steps
