"""What a run says while it works: which phase, how far, how long yet; and before a wide search."""

from __future__ import annotations

import itertools
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from eevee.base.stopping import raising
from eevee.cli import progress
from eevee.search.result import Progress
from tests.cli.conftest import Run
from tests.conftest import made_table

TIERS = (
    "tiers", "small.csv", "--budget", "small=3", "--scorer", "ridge", "--n-splits", "2",
    "--n-generations", "1", "--no-exhaustive",
)  # fmt: skip


class Clock:
    """A clock that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(progress, "_LOOK_EVERY", 3600.0)


def test_before_anything_is_scored_nothing_is_said_of_losses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False) as bar:
        bar.search(Progress("s", 0, 6000, None))
        clock.now = 10.0
        bar.search(Progress("s", 20, 6000, None))
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "s: 20 of at most 6000 subsets, 2 subsets/s, at most 49.8 min left in this phase"


def test_a_phase_that_is_through_or_has_no_known_end_names_no_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False, searches=2) as bar:
        bar.search(Progress("s", 0, 60, None))
        clock.now = 6.0
        bar.search(Progress("s", 60, 60, 0.5, 0.6))
        bar.search(Progress("s", 0, None, None, phase="greedy"))
        clock.now = 16.0
        bar.search(Progress("s", 50, None, 0.25, 0.5, phase="greedy"))
        bar.search(Progress("t", 90, 100, None, before=90))
        clock.now = 26.0
        bar.search(Progress("t", 95, 100, None, before=90))
    assert capsys.readouterr().err.splitlines() == [
        "s (1 of 2 searches): 60 of at most 60 subsets, best 0.5, mean 0.6, 10 subsets/s",
        "s (1 of 2 searches), greedy: 50 subsets, best 0.25, mean 0.5, 5 subsets/s",
        "t (2 of 2 searches): 95 of at most 100 subsets, 0.5 subsets/s, at most 10 s left in this "
        "phase",
    ]


def test_a_phase_that_comes_again_is_timed_from_its_own_beginning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False) as bar:
        for begun in (0.0, 20.0):
            for second in range(6):
                clock.now = begun + second
                bar.search(Progress("s", 10 * second, 100, 0.5, phase="swaps"))
    lines = capsys.readouterr().err.splitlines()
    said = "s, swaps: 50 of at most 100 subsets, best 0.5, 10 subsets/s, at most 5 s left"
    assert [lines[0], lines[-1]] == [f"{said} in this phase"] * 2


def test_less_than_a_second_is_no_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False) as bar:
        bar.search(Progress("s", 0, 100, 0.5))
        clock.now = 20.0
        bar.search(Progress("s", 98, 100, 0.5))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("4.9 subsets/s")


def test_fast_phases_say_whole_numbers_of_subsets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False) as bar:
        bar.search(Progress("s", 0, None, None))
        clock.now = 5.0
        bar.search(Progress("s", 18515, None, None))
    assert capsys.readouterr().err == "s: 18515 subsets, 3703 subsets/s\n"


def test_what_is_done_beside_the_searches_is_said_and_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with progress.progress_bar(quiet=False) as bar:
        count = bar.counting("ranking")
        for now in range(1, 13):
            clock.now = float(now)
            count(2)
        bar.begin("writing")
        clock.now = 20.0
        bar.write_if_due()
    assert capsys.readouterr().err.splitlines() == [
        "ranking: 10 subsets, 2 subsets/s",
        "ranking: 20 subsets, 2 subsets/s",
        "writing: 8 s so far",
    ]


def test_a_phase_that_reports_nothing_is_still_said_every_few_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.1)
    monkeypatch.setattr(progress, "_LOOK_EVERY", 0.01)
    with progress.progress_bar(quiet=False) as bar:
        bar.begin("thinking")
        time.sleep(1.0)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 10
    assert {line.split(":")[0] for line in lines} == {"thinking"}
    with progress.progress_bar(quiet=True) as bar:
        bar.begin("thinking")
        time.sleep(0.3)
    assert not capsys.readouterr().err


def test_every_phase_of_tiers_says_what_it_does(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if a second had passed at each look at the clock, and every line were due."""
    clock = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.0)
    monkeypatch.setattr(progress, "_LOOK_EVERY", 3600.0)
    said = run(*TIERS, "--out", "run", "--report").stderr.splitlines()
    names = list(dict.fromkeys(line.split(":")[0] for line in said))
    wanted = [
        "small",
        "small, greedy search with swaps",
        "small, ranking the best 50",
        "simple search greedy-swaps",
        "judging beside random subsets",
        "measuring how diverse the tiers are",
        "scoring the tiers for both kinds of target",
        "ranking all benchmarks and ablating the tiers",
        "writing the run folder and the report",
    ]
    assert [name for name in names if name in wanted] == wanted


def test_a_budget_that_admits_very_many_benchmarks_is_said_before_the_search(
    run: Run, here: Path
) -> None:
    table = made_table(12, 80)
    table.scores.rename_axis("model").to_csv("wide.csv")
    costs = np.where(np.arange(80) < 60, 1.0, 1000.0)
    rows = [f"{name},{cost}" for name, cost in zip(table.benchmark_names, costs, strict=True)]
    Path("costs.csv").write_text("\n".join(["benchmark,cost", *rows]))
    base = ("wide.csv", "--scorer", "ridge", "--search", "cheapest", "--no-baselines")
    paid = (*base, "--costs", "costs.csv", "--cost-unit", "seconds")
    tail = "benchmarks; --max-size makes tiers smaller and the search faster"
    said = run("tiers", *paid, "--budget", "s=5%", "--budget", "t=45").stderr
    assert f"s: 5 % of the cost admits up to 60 of 80 {tail}\n" in said
    assert "t: " not in said  # 45 benchmarks are not that many
    said = run("tiers", *paid, "--budget", "t=60").stderr
    assert f"t: a budget of 60 seconds admits up to 60 of 80 {tail}\n" in said
    assert f"\n5 % of the cost admits up to 60 of 80 {tail}\n" in "\n" + (
        run("select", *paid, "--budget", "5%").stderr
    )
    for silent in (
        ("tiers", *paid, "--budget", "s=5%", "-q"),
        ("tiers", *paid, "--budget", "s=5%", "--max-size", "60"),
        ("tiers", *base, "--budget", "s=70"),
    ):
        assert "admits up to" not in run(*silent).stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("times", [1, 2])
def test_a_stop_in_the_greedy_search_in_the_end_says_how_to_go_on_and_leaves_no_lock(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, number: int, times: int
) -> None:
    from eevee.search import greedy

    forward = greedy.forward

    def stopped(steps: greedy.Steps, space: greedy.Space) -> greedy.Subset:
        for _ in range(times):
            os.kill(os.getpid(), number)
        return forward(steps, space)

    asked = (*TIERS, "--out", "run")
    with monkeypatch.context() as patch, raising():
        patch.setattr(greedy, "forward", stopped)
        said = run(*asked, code=128 + number).stderr
    kept = "a checkpoint is kept: --resume --out run goes on from it\n"
    assert f"Ctrl-C again stops at once; {kept}" in said
    last = f"interrupted; {kept}" if times == 2 else "--resume --out run goes on from here\n"
    assert said.endswith(last)
    assert Path("run.checkpoint").is_dir()
    assert not list(here.glob(".*"))
    whole = run(*TIERS, "--out", "whole").stdout
    assert run(*asked, "--resume").stdout == whole.replace("whole", "run")
    assert not Path("run.checkpoint").exists()
