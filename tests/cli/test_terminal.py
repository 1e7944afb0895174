"""What names do to a terminal: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eevee.base.visible import visible
from tests.cli.conftest import Run, environment


@pytest.mark.parametrize("odd", ["\x1b[31m", "\x9b2J", "\u202e", "\u200b", "\x07", "\u2066"])
def test_letters_that_act_are_shown_as_escapes(odd: str) -> None:
    assert visible(f"a{odd}b").isprintable()
    assert visible("👩\u200d💻 naïve 数据") == "👩\u200d💻 naïve 数据"


def test_cells_and_headers_of_long_tables_cannot_act(run: Run, here: Path) -> None:
    rows = [f"m{i},b{j},{(i * 7 + j * 3) % 11},t\x1b[31m{j}" for i in range(6) for j in range(3)]
    Path("long.csv").write_text("\n".join(["model,benchmark,score,task", *rows]))
    shown = run("describe", "long.csv").output
    assert "\x1b" not in shown
    assert r"\x1b[31m" in shown


@pytest.mark.parametrize("verb", ["--help", "--version", "describe small.csv", "select --help"])
def test_a_full_disk_is_one_line(here: Path, verb: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs a device that is always full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "eevee", *verb.split()],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment(),
        )  # fmt: skip
    assert done.stderr == "eevee: error: output: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("end", [">&-", "2>&-", "| head -1"])
def test_closed_streams_end_quietly(here: Path, end: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m eevee describe small.csv {end}",
        shell=True, capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def test_predict_does_not_write_over_what_it_reads(misused, here: Path) -> None:
    before = Path("small.csv").read_bytes()
    said = misused(
        "predict", "four.csv", "--scores", "small.csv", "-s", "b00,b01", "--csv", "small.csv"
    )
    assert "is a file that is read" in said
    assert Path("small.csv").read_bytes() == before
