"""What names do to a terminal: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from eevee.base.visible import visible
from eevee.cli import printing
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


def test_numbers_are_never_broken_and_what_has_no_place_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "PIPE_WIDTH", 60)
    numbers = [-1234.5 * 1.1**i for i in range(8)]
    names = [f"loss {i}" for i in range(8)]
    printing.print_table("T", ["model", *names], [["数据" * 20, *numbers], ["b" * 50, *numbers]])
    _, *lines = capsys.readouterr().out.splitlines()
    assert all(cell_len(line) <= 60 for line in lines[:-1])
    words = {word for line in lines for word in line.split()}
    shown = [f"{x:.4g}" in words for x in numbers]
    assert shown == sorted(shown, reverse=True)  # the first ones, whole
    assert 2 < sum(shown) < 8
    left = ", ".join(name for name, there in zip(names, shown, strict=True) if not there)
    assert lines[-1] == f"(too narrow for: {left}; --json has all)"


def test_a_table_that_fits_has_all_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "PIPE_WIDTH", 60)
    printing.print_table("T", ["[red]model", "loss"], [["[bold]a" * 20, 0.12345], ["b", None]])
    shown = capsys.readouterr().out
    assert "[red]model" in shown
    assert shown.count("[bold]a") >= 5
    assert "0.1235" in shown
    assert "too narrow" not in shown


@pytest.mark.parametrize("odd", ["\u3164", "\u2800", "\u115f", "\u00ad", "\U000e0041"])
def test_letters_that_print_as_nothing_are_shown(odd: str) -> None:
    assert visible(f"a{odd}b") == f"a{odd.encode('unicode_escape').decode()}b"
    assert visible("한국어 ﬁ e\u0301 ❤\ufe0f") == "한국어 ﬁ e\u0301 ❤\ufe0f"


def test_the_line_of_what_was_set_aside_cannot_act(run: Run, here: Path) -> None:
    rows = [f"m{i},{i * 7 % 5},{i * 3 % 7},note {i} {'abcdef'[i % 6]}" for i in range(8)]
    Path("odd.csv").write_text("\n".join(["model,a,b,remark\u202e\u200b", *rows]))
    said = run("rank", "odd.csv", "--scorer", "ridge", "-q").stderr
    assert r"remark\u202e\u200b" in said


@pytest.mark.parametrize("verb", ["--help", "--version", "describe small.csv", "select --help"])
@pytest.mark.slow
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
@pytest.mark.slow
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
