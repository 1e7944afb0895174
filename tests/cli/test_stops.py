"""Ctrl-C, SIGTERM and a second run with the same --out: one line, the right code, nothing half."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eevee.report.searches
from eevee.base.stopping import STOPS, raising
from eevee.cli.table_options import TableOptions
from tests.cli.conftest import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
SELECT = ("select", "small.csv", "-k", "2", "--scorer", "ridge", "--n-splits", "2")


@pytest.fixture
def heard() -> Iterator[None]:
    """Signals as `eevee` hears them; in the end as they were before."""
    before, hook = {one: signal.getsignal(one) for one in STOPS}, sys.unraisablehook
    with raising():
        yield
    with raising():
        pass  # forgets what came
    sys.unraisablehook = hook
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_verb_that_does_not_search_ends_with_one_line(
    run: Run, here: Path, heard: None, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(TableOptions, "read", lambda *a, **o: os.kill(os.getpid(), number))
    done = run("describe", "small.csv", code=128 + number)
    assert (done.stdout, done.stderr) == ("", "interrupted\n")


def test_an_import_that_fails_for_it_is_no_other_error(
    run: Run, here: Path, heard: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("numpy failed to import") from None

    monkeypatch.setattr(TableOptions, "read", broken)
    assert run("describe", "small.csv", code=130).stderr == "interrupted\n"


def test_ctrl_c_while_a_whole_run_is_written_changes_nothing(
    run: Run, here: Path, heard: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = eevee.report.searches.save_selection

    def late(*args: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        written(*args)

    monkeypatch.setattr(eevee.report.searches, "save_selection", late)
    monkeypatch.setattr(eevee.report.searches, "save_figure", lambda *a, **o: None)
    done = run(*SELECT, "--no-exhaustive", "--n-generations", "1", "--no-baselines", "--out", "run")
    assert "best so far" not in done.stderr
    assert Path("run/subsets.csv").exists()
    assert not Path("run.checkpoint").exists()
    assert not list(here.glob(".*"))


@pytest.mark.parametrize("job", [SELECT, ("rank", "small.csv"), ("impute", "sparse.csv")])
def test_a_second_run_with_the_same_out_is_refused_before_its_work(
    run: Run, here: Path, job: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(TableOptions, "read", lambda *a, **o: pytest.fail("worked"))
    with Path(".run.eevee-lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        said = run(*job, "--out", "run", code=1).stderr
    assert "run: another run writes it now (another process); wait" in said
    assert said.count("\n") == 1
    assert not Path("run").exists()
