"""`eevee export`: what is asked, what is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eevee.exporters.registry import NAMES
from eevee.tiers.file import dump_tiers
from tests.cli.conftest import Run, words
from tests.exporters.conftest import tiers_of

Text = Callable[..., str]


@pytest.fixture
def tiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    dump_tiers(tiers_of(small=["gsm8k"], base=["gsm8k", "arc"]), "tiers.yaml")
    return "tiers.yaml"


def test_help_lists_every_format(run: Run) -> None:
    shown = words(run("export", "--help").stdout)
    assert all(f"{name}: " in shown for name in NAMES)


def test_it_says_what_was_written_and_how_to_run_it(run: Run, tiers: str) -> None:
    shown = run("export", tiers, "--to", "lm-eval", "--out", "a b").stdout
    assert "written a b/eevee_small.yaml\n" in shown
    assert "--tasks eevee_small --include_path 'a b'\n" in shown


def test_json_says_the_same(read_json: Callable[..., Any], tiers: str) -> None:
    shown = read_json("export", tiers, "--to", "helm", "--out", "out")
    assert shown["files"] == ["out/run_entries.conf", "out/eevee-helm.json"]
    assert shown["notes"] == ["priorities: small=1, base=2"]
    assert "--priority 2" in shown["run"][1]


def test_a_command_is_taken(run: Run, tiers: str) -> None:
    run("export", tiers, "--to", "slurm", "--out", "out", "--command", "run --task {task}")
    assert 'run --task "${eevee_task[' in Path("out/base.sbatch").read_text()


def test_a_problem_is_one_line(fails: Text, tiers: str) -> None:
    said = fails("export", tiers, "--to", "opencompass", "--out", "out")
    assert "'gsm8k', 'arc': each is no list of data sets of OpenCompass" in said


def test_wrong_usage(misused: Text, tiers: str) -> None:
    assert "did you mean 'lm-eval'?" in misused("export", tiers, "--to", "lmeval", "--out", "out")
    assert "give either --out DIR or --draft-mapping" in misused("export", tiers, "--to", "text")
    said = misused("export", tiers, "--to", "text", "--out", "o", "--harness-python", "x")
    assert "--harness-python goes with --draft-mapping" in said
    drafted = ("export", tiers, "--to", "text", "--draft-mapping", "m.yaml", "--mapping", "x.yaml")
    assert "takes neither --mapping nor --command" in misused(*drafted)


def test_a_draft_says_what_is_left_to_fill_in(
    run: Run, tiers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eevee.exporters import draft

    monkeypatch.setattr(draft, "list_tasks", lambda *_: ["gsm8k", "ai2_arc"])
    done = run("export", tiers, "--to", "lm-eval", "--draft-mapping", "m.yaml")
    assert done.stdout == "written m.yaml\narc: proposed ai2_arc\n"
    assert "1 benchmarks have no task yet" in done.stderr
