"""What is printed, and where: results on standard output, progress on standard error."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eevee.cli import progress
from eevee.search.result import Progress
from tests.cli.conftest import FAST, FAST_SCORER, ODD, TIERS_JOB, Run, command, environment
from tests.conftest import made_table

ReadJson = Callable[..., Any]


@pytest.mark.parametrize(
    ("args", "keys"),
    [
        (["describe", "small.csv"], {"source", "sha256", "models", "notes", "table"}),
        (["rank", "small.csv", *FAST_SCORER], {"mean_predictor", "ranking"}),
        (["select", "small.csv", "-k", 2, *FAST], {"best", "ranked", "exact", "random_median"}),
        (["sweep", "small.csv", "--sizes", "7:8", *FAST], {"minimised", "curve"}),
        (["tiers", "small.csv", "--budget", "s=2", *FAST], {"schema", "table", "tiers"}),
        (["ablate", "small.csv", "-s", "b00,b01", *FAST_SCORER], {"targets", "subsets"}),
        (["rate", "small.csv", "-s", "b00", *FAST_SCORER], {"targets", "subsets"}),
        (["plot", "small.csv", "--figure", "h.svg"], {"written"}),
        (["impute", "sparse.csv", "--for-model", "m03"], {"table", "columns", "filled", "next"}),
    ],
)
def test_json_is_json_without_nan(read_json: ReadJson, here: Path, args: list[Any], keys: set[str]):
    assert keys <= set(read_json(*args))


def test_blank_losses_are_null(read_json: ReadJson, here: Path):
    """At k = n nothing is unseen."""
    unseen = ("two.csv", "--targets", "unseen", "--n-splits", "2", "--epochs", "5")
    found = read_json("select", *unseen, "-k", 2)
    assert found["best"] == ["b00", "b01"]
    assert found["ranked"][0]["loss"] is None
    rating = read_json("rate", *unseen, "-s", "b00,b01")["subsets"]["list"]
    assert rating["loss"] is None
    assert rating["swap"] is None


@pytest.mark.slow
def test_json_of_tiers_is_the_tier_file(read_json: ReadJson, finished: Path, here: Path):
    assert read_json(*TIERS_JOB) == json.loads((finished / "done/tiers.json").read_text())


def test_describe_says_how_costs_were_converted(run: Run, read_json: ReadJson, here: Path):
    scores = pd.read_csv("small.csv", index_col="model")
    cells = pd.DataFrame(2.0, index=scores.index[:3], columns=scores.columns)
    cells.assign(box=["A100", "h100", "H100"]).to_csv("cells.csv")
    args = ("describe", "small.csv", "--costs", "cells.csv", "--gpu-column", "box",
            "--gpu-speed", "a100=1", "--gpu-speed", "h100=2.1")  # fmt: skip
    assert read_json(*args)["total_cost"] == 8 * 4.2  # the median of 2, 4.2 and 4.2
    assert read_json(*args, "--cost-statistic", "min")["total_cost"] == 8 * 2
    assert read_json(*args, "--cost-statistic", "q25")["total_cost"] == 8 * 3.1
    shown = " ".join(run(*args).stdout.split())
    assert (
        "converted cost cells.csv: to GPU-hours of a100, by column 'box': a100 x 1, h100 x 2.1"
        in shown
    )


def test_names_are_shown_as_they_are(run: Run, read_json: ReadJson, here: Path):
    shown = run("describe", "odd.csv").stdout
    assert all(name in shown for name in ODD if len(name) < 40)
    assert [row["column"] for row in read_json("describe", "odd.csv")["table"]] == ODD


def test_lists_of_odd_names_are_taken_as_they_are(read_json: ReadJson, here: Path):
    names = '[red]x[/red],"a, b", $a_b$ ,üñî 数据 😀,"quo""te",--help'
    found = read_json("rate", "odd.csv", "-s", names, "--n-random", 5, *FAST_SCORER)
    assert set(found["subsets"]["list"]["subset"]) == set(ODD) - {ODD[3], ODD[7]}


@pytest.mark.figures
@pytest.mark.slow
def test_odd_names_survive_a_run_folder(run: Run, read_json: ReadJson, here: Path):
    run("select", "odd.csv", "-k", len(ODD), *FAST, "--out", "run", "--quiet")
    subsets = pd.read_csv("run/subsets.csv")["benchmarks"]
    assert sorted(json.loads(subsets[0])) == sorted(ODD)
    assert set(pd.read_csv("run/figures/ablation.csv")["benchmark"]) == set(ODD)


def test_odd_names_survive_a_tier_file(read_json: ReadJson, here: Path):
    written = read_json("tiers", "odd.csv", "--budget", "most=7", *FAST)
    Path("tiers.json").write_text(json.dumps(written))
    chosen = {benchmark["name"] for benchmark in written["tiers"][0]["benchmarks"]}
    assert chosen < set(ODD)
    again = read_json("rate", "odd.csv", "--tier-file", "tiers.json", "--n-random", 5, *FAST_SCORER)
    assert set(again["subsets"]["most"]["subset"]) == chosen


def test_a_pipe_gets_whole_lines_and_no_colours(run: Run, here: Path):
    """A list of names stays on one line, however long, so that it can be cut and searched."""
    shown = run("sweep", "odd.csv", "--sizes", len(ODD), *FAST, "-v").stdout
    assert f"k={len(ODD)}: {', '.join(sorted(ODD))}\n" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("width", ["30", "250"])
@pytest.mark.slow
def test_a_terminal_is_filled_and_not_overrun(here: Path, width: str):
    status, shown = in_terminal(["describe", "odd.csv"], width)
    assert status == 0
    lines = shown.replace("\r", "").split("\n")
    assert max(map(len, lines)) <= int(width)
    assert ("long" * 40 in shown) == (width == "250")


@pytest.mark.slow
def test_progress_goes_to_standard_error_alone(here: Path):
    args = ("rank", "small.csv", *FAST_SCORER, "--json")
    status, shown = in_terminal(args, "100", stdout="out.json")
    assert status == 0
    assert "subsets" in shown
    assert json.loads(Path("out.json").read_text())["ranking"]
    status, shown = in_terminal([*args, "--quiet"], "100", stdout="out.json")
    assert (status, shown) == (0, "")


def in_terminal(args: Any, width: str, stdout: str | None = None) -> tuple[int, str]:
    """Run with standard error (and output, unless it goes to a file) on a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    out = theirs if stdout is None else os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    process = subprocess.Popen(
        [sys.executable, "-m", "eevee", *args],
        stdout=out,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env=environment(COLUMNS=width, TERM="xterm", NO_COLOR="1"),
    )
    os.close(theirs)
    if stdout is not None:
        os.close(out)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux: the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), plain(shown.decode())


def plain(shown: str) -> str:
    """Drop what moves the cursor or sets a style."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.slow
def test_an_ascii_terminal_gets_escapes_and_valid_json(here: Path):
    processes = [
        command("describe", "odd.csv", *more, env=environment(PYTHONIOENCODING="ascii"))
        for more in ([], ["--json"])
    ]
    (shown, wrong), (text, also_wrong) = (process.communicate() for process in processes)
    assert wrong == also_wrong == ""
    assert "\\u6570" in shown
    assert [row["column"] for row in json.loads(text)["table"]] == ODD


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.slow
def test_output_that_cannot_be_written_is_one_line(here: Path):
    with open("/dev/full", "w") as full:
        for more in ([], ["--json"]):
            done = subprocess.run(
                [sys.executable, "-m", "eevee", "describe", "small.csv", *more],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                env=environment(),
                check=False,
            )
            assert done.returncode == 1
            assert done.stderr == "eevee: error: output: No space left on device\n"


@pytest.mark.slow
def test_a_reader_that_leaves_early_sees_no_traceback(here: Path):
    process = command("describe", "small.csv", env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 1
    process.stderr.close()


SEARCHES = {
    "tiers": ("--budget", "s=2", "--budget", "m=4"),
    "select": ("-k", 3),
    "assess": ("-k", 2, "--n-folds", 2, "--n-repeats", 1, "--n-random", 3),
    "pareto": ("--n-evaluations", 60),
}
SETTINGS = ("--scorer", "ridge", "--n-splits", "2", "-q")


@pytest.mark.parametrize("verb", SEARCHES)
def test_by_default_the_verdict_and_what_was_chosen_fit_one_screen(
    run: Run, here: Path, verb: str
) -> None:
    quick = () if verb == "pareto" else ("--search", "cheapest")
    asked = (verb, "small.csv", *SEARCHES[verb], *SETTINGS, *quick)
    brief, whole = (run(*asked, *more).stdout.splitlines() for more in ([], ["--verbose"]))
    assert len(brief) < min(24, len(whole))
    assert "--verbose" in "".join(brief)
    assert "--verbose" not in "".join(whole)
    assert verb == "pareto" or "verdict: " in brief[0]


def test_each_tier_stands_beside_its_best_simple_search(
    run: Run, read_json: ReadJson, here: Path
) -> None:
    asked = ("select", "small.csv", "-k", 3, *SETTINGS, "--search", "random")
    rows = pd.DataFrame(read_json(*asked)["baselines"]).iloc[1:].dropna(subset=["benchmarks"])
    best = rows.loc[rows["loss"].idxmin()]
    assert f" {best['method']} " in run(*asked).stdout
    assert f"{best['loss']:.4g}" in run(*asked).stdout
    assert "not asked for" in run(*asked, "--no-baselines").stdout


def test_long_tables_are_cut_short_and_say_so(run: Run, here: Path) -> None:
    made_table(5, 50).scores.rename_axis("model").to_csv("wide.csv")
    brief, whole = (run("describe", "wide.csv", *more).stdout for more in ([], ["-v"]))
    assert "... and 30 more rows: --verbose has all" in brief
    assert [name in brief for name in ("b00", "b19", "b20")] == [True, True, False]
    assert "b49" in whole
    assert "more rows" not in whole


def test_without_a_terminal_progress_is_a_line_every_few_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress.progress_bar(quiet=False) as bar:
        for step in range(201):  # 20 seconds
            now = step / 10
            bar.search(Progress("s", step, 200, 0.5, 0.6, step // 10))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[0] == (
        "s: generation 5, 50 of at most 200 subsets, best 0.5, mean 0.6, 10 subsets/s, at most "
        "15 s left in this phase"
    )
