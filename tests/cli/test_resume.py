"""A run that is killed and resumed, as often as it takes, leaves the bytes of one that was not."""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eevee.search.checkpoint import Checkpoints
from tests.cli.conftest import Run
from tests.cli.forked import Forked

DATA = Path(__file__).parents[2] / "data"


SELECT = (
    "select", "small.csv", "-k", "3", "--scorer", "ridge", "--no-exhaustive", "--no-baselines",
    "--n-generations", "1", "--out", "run",
)  # fmt: skip


@contextmanager
def states_stay(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if a run were killed when its results are in place."""
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "remove", lambda self: None)
        yield


def states(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("search-*.npz")}


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "verb",
    [
        ("tiers", "--budget", "small=4", "--budget", "big=7", "--nested", "--n-generations", "2",
         "--n-restarts", "2", "--no-baselines"),
        ("pareto", "--budget", "small=4", "--n-evaluations", "1500", "--one-se"),
        ("assess", "--budget", "4", "--n-generations", "2", "--n-folds", "2", "--n-repeats", "1",
         "--n-random", "3", "--stability"),
        ("tiers", "--size", "small=4", "--n-generations", "1", "--no-baselines", "--assess"),
    ],
    ids=["tiers", "pareto", "assess", "tiers-assess"],
)  # fmt: skip
@pytest.mark.slow
def test_killed_at_random_moments_and_resumed_it_ends_with_the_same_bytes(
    tmp_path: Path, verb: tuple[str, ...]
) -> None:
    name, *options = verb
    asked = (
        name, str(DATA / "bbh/scores.csv"), *options, "--scorer", "ridge", "--n-splits", "3",
        "--out", "run",
    )  # fmt: skip
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    uninterrupted = Forked(*asked, cwd=whole)
    moments = random.Random(int(time.time()))
    kills = 0
    while kills < 2:
        before = states(killed / "run.checkpoint")
        process = Forked(*asked, "--resume", cwd=killed)
        begun = time.monotonic()
        while states(killed / "run.checkpoint") == before and process.poll() is None:
            assert time.monotonic() - begun < 120
            time.sleep(0.01)
        time.sleep(0.2 * moments.random())
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.communicate(60)
        kills += 1
    assert kills >= 1, "it was over too soon to be killed"
    last = Forked(*asked, "--resume", cwd=killed)
    shown, wrong = last.communicate(300)
    assert last.poll() == 0, wrong
    wanted, _ = uninterrupted.communicate(300)
    assert shown == wanted
    files = {path.relative_to(whole) for path in whole.rglob("*") if path.is_file()}
    assert {path.relative_to(killed) for path in killed.rglob("*") if path.is_file()} == files
    for path in files:
        assert (killed / path).read_bytes() == (whole / path).read_bytes(), path


def test_a_run_that_left_checkpoints_is_not_begun_anew_by_mistake(run: Run, here: Path) -> None:
    Path("run.checkpoint").mkdir()
    Path("run.checkpoint/search-0.json").write_text(json.dumps({}))
    done = run("tiers", "small.csv", "--budget", "s=2", "--out", "run", code=1)
    assert "add --resume to go on with it, or remove the folder" in done.stderr


@pytest.mark.parametrize("told", [False, True], ids=["again", "resumed"])
def test_a_run_killed_when_its_results_were_in_place_is_no_interrupted_one(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    with states_stay(monkeypatch):
        run(*SELECT)
    assert states(Path("run.checkpoint"))
    before = Path("run/config.json").read_bytes()
    run(*SELECT, *["--resume"] * told)
    assert not Path("run.checkpoint").exists()
    assert Path("run/config.json").read_bytes() == before


def test_states_of_another_run_than_the_one_in_place_are_kept(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with states_stay(monkeypatch):
        run(*SELECT, "--seed", "1")
    states_before = states(Path("run.checkpoint"))
    config = json.loads(Path("run/config.json").read_text())
    Path("run/config.json").write_text(json.dumps({**config, "checkpoint_sha256": "0" * 64}))
    assert "holds an interrupted run" in run(*SELECT, code=1).stderr
    assert states(Path("run.checkpoint")) == states_before


@pytest.mark.slow
def test_resume_without_an_earlier_run_begins_and_without_out_is_wrong_usage(
    run: Run, here: Path
) -> None:
    job = ("tiers", "small.csv", "--budget", "s=2", "--scorer", "ridge", "--resume")
    assert "--resume needs --out" in run(*job, code=2).stderr
    run(*job, "--out", "run")
    assert Path("run/tiers.yaml").exists()
    assert not Path("run.checkpoint").exists()


@pytest.mark.slow
def test_a_checkpoint_of_another_configuration_is_refused(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = ("select", "small.csv", "-k", "3", "--scorer", "ridge", "--no-exhaustive", "--out", "run")
    with states_stay(monkeypatch):
        run(*job)
    again = run(*job, "--resume", "--n-generations", "3", code=1)
    assert "of another run: search.generations was 10, and is 3 now" in again.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.slow
def test_ctrl_c_ends_an_assessment_without_an_estimate_and_resume_goes_on(tmp_path: Path) -> None:
    asked = (
        "assess", str(DATA / "bbh/scores.csv"), "-k", "4", "--scorer", "ridge", "--n-splits", "5",
        "--n-folds", "2", "--n-repeats", "1", "--n-random", "3", "--n-generations", "2",
        "--out", "run",
    )  # fmt: skip
    process = Forked(*asked, cwd=tmp_path)
    begun = time.monotonic()
    while not states(tmp_path / "run.checkpoint"):
        assert time.monotonic() - begun < 120
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(120)
    assert process.poll() == 130
    assert shown == ""
    assert "nothing is estimated before all folds are done; --resume --out run goes on" in said
    assert not (tmp_path / "run").exists()
    again = Forked(*asked, "--resume", cwd=tmp_path)
    shown, _ = again.communicate(300)
    assert again.poll() == 0
    assert "Assessed loss, k = 4" in shown
    assert not (tmp_path / "run.checkpoint").exists()
