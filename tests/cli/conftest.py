"""Run the command line in this process, on small made tables, from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.text import Text
from typer.testing import CliRunner, Result

from eevee.cli import app
from eevee.search.evolution import generations
from tests.conftest import made_table

ROOT = Path(__file__).parents[2]
FAST = ("--paper", "--n-splits", "2", "--n-generations", "1")
FAST_SCORER = ("--paper", "--n-splits", "2")

Run = Callable[..., Result]


@dataclass(frozen=True)
class Small(generations.Evolution):
    """An evolution of few subsets."""

    population: int = 30
    winners: int = 5
    children: int = 2


def words(shown: str) -> str:
    """What a framed text says, in one line."""
    return " ".join(Text.from_ansi(shown).plain.replace("│", " ").split())


def run_in_process(*args: str | Path, code: int = 0) -> Result:
    """Run `eevee ARGS`; it ends with this exit code and never with a traceback."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(autouse=True)
def _blank_figures(blank_figures: None) -> None:
    """Draw no figures, but where a test is marked so."""


@pytest.fixture
def run() -> Run:
    return run_in_process


@pytest.fixture
def read_json(run: Run) -> Callable[..., Any]:
    """Run with --json; what is printed is JSON, without the NaN that JSON does not know."""

    def read(*args: str | Path) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(constant)

        return json.loads(run(*args, "--json").stdout, parse_constant=refuse)

    return read


@pytest.fixture
def fails(run: Run) -> Callable[..., str]:
    """Run what must fail on its data: exit code 1, and one line on standard error alone."""

    def fail(*args: str | Path) -> str:
        result = run(*args, code=1)
        assert result.stdout == ""
        assert result.stderr.startswith("eevee: error: ")
        assert result.stderr.count("\n") == 1
        assert result.stderr.endswith("\n")
        return result.stderr

    return fail


@pytest.fixture
def misused(run: Run) -> Callable[..., str]:
    """Run what is wrong usage: exit code 2; return what it says, without the frame around it."""

    def misuse(*args: str | Path) -> str:
        result = run(*args, code=2)
        assert result.stdout == ""
        return words(result.stderr)

    return misuse


def command(*args: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start `python -m eevee ARGS` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "eevee", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        **options,
    )


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **more}


def write_tables(folder: Path) -> None:
    """small.csv (16 models x 8 benchmarks), sparse.csv (the same with gaps), and others."""
    scores = made_table(16, 8).scores.rename_axis("model")
    scores.to_csv(folder / "small.csv")
    sparse = scores.mask(np.random.default_rng(0).random(scores.shape) < 0.3)
    sparse.to_csv(folder / "sparse.csv")
    costs = pd.DataFrame({"benchmark": scores.columns, "cost": np.arange(1, 9) / 2})
    costs.to_csv(folder / "costs.csv", index=False)
    weights = pd.DataFrame({"benchmark": scores.columns, "weight": [0, 1, 1, 1, 1, 1, 1, 5]})
    weights.to_csv(folder / "weights.csv", index=False)
    odd = made_table(10, len(ODD)).scores.rename_axis("model").set_axis(ODD, axis=1)
    odd.to_csv(folder / "odd.csv")
    made_table(4, 5).scores.rename_axis("model").to_csv(folder / "four.csv")
    made_table(6, 2).scores.rename_axis("model").to_csv(folder / "two.csv")


ODD = ["[red]x[/red]", "$a_b$", "a, b", "long" * 40, "üñî 数据 😀", 'quo"te', "--help", "<b>&amp;"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with the made tables."""
    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TIERS_JOB = (
    "tiers", "small.csv", "--costs", "costs.csv", "--budget", "small=20%", "--budget", "v1.5-big=9",
    *FAST, "--no-exhaustive",
)  # fmt: skip


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the made tables and a finished run of `TIERS_JOB` in `done`; read only."""
    folder = tmp_path_factory.mktemp("finished")
    write_tables(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_in_process(*TIERS_JOB, "--out", "done")
    return folder
