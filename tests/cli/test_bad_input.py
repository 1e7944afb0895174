"""Wrong data: one line, exit code 1. Wrong usage: exit code 2. Nothing half-written either way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import FAST, FAST_SCORER

Fails = Callable[..., str]

ROWS = "model,a,b\nw,1,2\nx,2,4\ny,3,1\nz,4,2\n"
BAD_SCORES: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["empty"]),
    "not a table": ("hello world\nand more\n", ["not a table"]),
    "no numeric column": ("model,a\nw,p\nx,q\ny,r\nz,s\n", ["no numeric column", "'a'"]),
    "models twice": (ROWS + "x,9,9\n", ["'x'", "rows 3 and 6"]),
    "columns twice": (ROWS.replace("b", "a"), ["columns 2 and 3", "'a'"]),
    "text for a number": (ROWS + "v,oops,1\n", ["row 6", "column 'a'", "'oops'"]),
    "two numbers": (ROWS + "v,1,2/3\n", ["row 6", "column 'b'", "two numbers"]),
    "infinite": (ROWS + "v,inf,1\n", ["row 6", "column 'a'", "infinite"]),
    "three models": (ROWS.replace("z,4,2\n", ""), ["3 models", "at least 4"]),
    "constant": ("model,a\nw,1\nx,1\ny,1\nz,1\n", ["'a'", "constant"]),
}
BAD_COSTS: dict[str, tuple[str, list[str]]] = {
    "one is missing": ("benchmark,cost\na,1\n", ["'b'", "add it"]),
    "one too many": ("benchmark,cost\na,1\nb,1\nqq,1\n", ["'qq'", "not in the score file"]),
    "negative": ("benchmark,cost\na,1\nb,-1\n", ["row 3", "column 'cost'", "positive"]),
    "zero": ("benchmark,cost\na,0\nb,1\n", ["row 2", "column 'cost'", "positive"]),
    "text": ("benchmark,cost\na,x\nb,1\n", ["row 2", "column 'cost'", "'x'"]),
}
BAD_WEIGHTS: dict[str, tuple[str, list[str]]] = {
    "one is missing": ("benchmark,weight\na,1\n", ["'b'"]),
    "one too many": ("benchmark,weight\na,1\nb,1\nqq,1\n", ["'qq'"]),
    "negative": ("benchmark,weight\na,1\nb,-1\n", ["row 3", "column 'weight'", "'-1'"]),
    "all zero": ("benchmark,weight\na,0\nb,0\n", ["all zero"]),
}


@pytest.mark.parametrize("kind", BAD_SCORES)
def test_bad_scores(fails: Fails, here: Path, kind: str):
    text, parts = BAD_SCORES[kind]
    Path("bad.csv").write_text(text)
    message = fails("select", "bad.csv", "-k", 1, *FAST, "--out", "run")
    assert "bad.csv: " in message
    assert all(part in message for part in parts), message
    assert not Path("run").exists()


@pytest.mark.parametrize("kind", BAD_COSTS)
def test_bad_costs(fails: Fails, here: Path, kind: str):
    text, parts = BAD_COSTS[kind]
    Path("scores.csv").write_text(ROWS)
    Path("bad.csv").write_text(text)
    message = fails("tiers", "scores.csv", "--costs", "bad.csv", "--budget", "s=50%", *FAST)
    assert all(part in message for part in ["bad.csv: ", *parts]), message


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_bad_weights(fails: Fails, here: Path, kind: str):
    text, parts = BAD_WEIGHTS[kind]
    Path("scores.csv").write_text(ROWS)
    Path("bad.csv").write_text(text)
    message = fails("select", "scores.csv", "--weights", "bad.csv", "-k", 1, *FAST)
    assert all(part in message for part in ["weight", *parts]), message


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["select", "nofile.csv", "-k", 1], ["nofile.csv", "no such file"]),
        (["select", ".", "-k", 1], ["is a folder"]),
        (["select", "small.csv", "-k", 9], ["k = 9", "8 benchmarks"]),
        (["sweep", "small.csv", "--sizes", "1:9"], ["k = 9", "8 benchmarks"]),
        (["select", "small.csv", "--budget", 0.5], ["0.5", "below the cheapest", "'b00'"]),
        (["tiers", "small.csv", "--budget", "s=1%"], ["'s'", "below the cheapest", "'b00'"]),
        (["select", "small.csv", "-k", 2, "--device", "tpu"], ["'tpu'", "cuda"]),
        (["select", "small.csv", "-k", 2, "--device", "cuda:99"], ["'cuda:99'"]),
        (["select", "small.csv", "-k", 2, "--costs", "nofile"], ["nofile", "no such file"]),
        (["select", "small.csv", "-k", 2, "--models-file", "nofile"], ["nofile", "no such file"]),
        (["select", "small.csv", "-k", 2, "--model-column", "qq"], ["'qq'", "header"]),
    ],
)
def test_bad_searches(fails: Fails, here: Path, args: list[str], parts: list[str]):
    message = fails(*args, *FAST, "--out", "run")
    assert all(part in message for part in parts), message
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["rate", "small.csv", "-s", "b00,b1"], ["no benchmark 'b1'", "'b01'"]),
        (["ablate", "small.csv", "-s", "zzz"], ["no benchmark 'zzz'", "eevee describe"]),
        (["rate", "small.csv", "--tier-file", "nofile.yaml"], ["nofile.yaml"]),
        (["rate", "small.csv", "--tier-file", "small.csv"], ["small.csv", ".yaml"]),
        (["rate", "small.csv", "--tier-file", "bad.yaml"], ["bad.yaml", "eevee.tiers/1"]),
        (["rate", "small.csv", "--tier-file", "done/tiers.yaml", "--tier", "smal"], ["'small'"]),
        (["rate", "odd.csv", "--tier-file", "done/tiers.yaml"], ["no benchmark 'b0"]),
    ],
)
@pytest.mark.slow
def test_bad_lists(fails: Fails, finished: Path, here: Path, args: list[str], parts: list[str]):
    Path("done").symlink_to(finished / "done")
    Path("bad.yaml").write_text("tiers: [{name: small, benchmarks: [b00]}]\n")
    message = fails(*args, *FAST_SCORER)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["plot", "nofile"], ["nofile"]),
        (["plot", "."], ["no run folder", "--out"]),
        (["plot", "small.csv", "--figure", "x.gif"], ["x.gif", ".png, .pdf or .svg"]),
        (["plot", "small.csv", "--figure", "no/x.png"], ["no/x.png", "cannot be written"]),
        (["plot", "small.csv", "--by", "b1"], ["no benchmark 'b1'"]),
    ],
)
def test_bad_plots(fails: Fails, here: Path, args: list[str], parts: list[str]):
    message = fails(*args)
    assert all(part in message for part in parts), message
    assert not list(here.glob("*.png"))


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["nosuch"], "No such command 'nosuch'"),
        (["select"], "Missing argument 'scores'"),
        (["select", "small.csv"], "give -k or --budget"),
        (["select", "small.csv", "-k", 2, "--require", " ,"], "--require names none"),
        (["select", "small.csv", "-k", 2, "--require", "a", "--exclude", "a"], "both required and"),
        (["select", "small.csv", "-k", 2, "--search", "greedy", "--patience", 2], "belongs to an"),
        (["select", "small.csv", "-k", 2, "--paper", "--search", "greedy"], "as the paper does"),
        (["tiers", "small.csv", "--size", "s=0"], "--size is NAME=K"),
        (
            ["tiers", "small.csv", "--size", "s=1", "--budget", "b=2", "--nested"],
            "not some of each",
        ),
        (["select", "small.csv", "-k", 0], "'-k'"),
        (["select", "small.csv", "-k", "two"], "'-k'"),
        (["select", "small.csv", "--budget", "abc"], "positive number or percentage, not 'abc'"),
        (["select", "small.csv", "--budget", -3], "positive number or percentage, not '-3'"),
        (["select", "small.csv", "--budget", "nan"], "positive number or percentage, not 'nan'"),
        (["select", "small.csv", "-k", 2, "--nosuch"], "No such option"),
        (["select", "small.csv", "-k", 2, "--seed", -1], "'--seed'"),
        (["select", "small.csv", "-k", 2, "--epochs", "many"], "not 'many'"),
        (["select", "small.csv", "-k", 2, "--epochs", 0], "not '0'"),
        (["select", "small.csv", "-k", 2, "--targets", "some"], "'--targets'"),
        (["select", "small.csv", "-k", 2, "--duplicates", "max"], "'--duplicates'"),
        (["select", "small.csv", "-k", 2, "--min-coverage", 2], "--min-coverage lies in 0..1"),
        (["select", "small.csv", "-k", 2, "--min-coverage", "nan"], "--min-coverage lies in"),
        (
            ["describe", "small.csv", "--cost-statistic", "mode"],
            "median, mean, max, min, or a quan",
        ),
        (["describe", "small.csv", "--cost-statistic", "q101"], "(q0 to q100), not 'q101'"),
        (["describe", "small.csv", "--gpu-speed", "a100"], "TYPE=NUMBER, such as h100=2.1"),
        (["describe", "small.csv", "--gpu-speed", "=2"], "TYPE=NUMBER, such as h100=2.1"),
        (["describe", "small.csv", "--gpu-speed", "a100=fast"], "not 'a100=fast'"),
        (["describe", "small.csv", "--gpu-speed", "a100=0"], "speeds are positive numbers"),
        (["describe", "small.csv", "--gpu-speed", "a100=-1"], "speeds are positive numbers"),
        (["describe", "small.csv", "--gpu-speed", "a=1", "--gpu-speed", "A=2"], "two speeds"),
        (["describe", "small.csv", "--gpu-column", "gpu"], "--gpu-column goes with --gpu-speed"),
        (["select", "small.csv", "-k", 2, "--test-size", 1], "--test-size lies between 0 and 1"),
        (["select", "small.csv", "-k", 2, "--paper", "--targets", "unseen"], "--paper means"),
        (["select", "small.csv", "-k", 2, "--paper", "--epochs", 30], "--paper means"),
        (["select", "small.csv", "-k", 2, "--paper", "--patience", 3], "--paper keeps"),
        (["select", "small.csv", "-k", 2, "--paper", "--selection", "tournament"], "--paper keeps"),
        (["sweep", "small.csv"], "Missing option '--sizes'"),
        (["sweep", "small.csv", "--sizes", "0:3"], "not '0:3'"),
        (["sweep", "small.csv", "--sizes", "3:1"], "not '3:1'"),
        (["sweep", "small.csv", "--sizes", "1:2:3:4"], "not '1:2:3:4'"),
        (["sweep", "small.csv", "--sizes", "1:1000000000000"], "not '1:1000000000000'"),
        (["tiers", "small.csv"], "give at least one --budget"),
        (["tiers", "small.csv", "--budget", "12"], "NAME=COST"),
        (["tiers", "small.csv", "--budget", "a="], "not ''"),
        (["tiers", "small.csv", "--budget", "../a=3"], "'../a' cannot name a tier"),
        (["tiers", "small.csv", "--budget", "a=3", "--budget", "a=4"], "names 'a' twice"),
        (["rate", "small.csv"], "give either --subset a,b,c or --tier-file FILE"),
        (["rate", "small.csv", "-s", "b00", "--tier-file", "t.yaml"], "give either --subset"),
        (["rate", "small.csv", "-s", "b00", "--tier", "a"], "--tier goes with --tier-file"),
        (["rate", "small.csv", "-s", " , "], "--subset names none"),
        (["ablate", "small.csv", "-s", 'b00,"b01'], "a name with commas in quotes"),
        (["ablate", "small.csv", "-s", "b00\nb01"], "in one line"),
        (["rate", "small.csv", "-s", "b00", "--n-random", 0], "'--n-random'"),
        (["plot", "small.csv", "--tier", "a"], "--tier goes with --tier-file"),
        (["plot", ".", "--by", "b00"], "go with scores, not with a run"),
        (["select", "small.csv", "-k", 2, "--n-init", 10**9], "'--n-init'"),
        (["select", "small.csv", "-k", 2, "--n-splits", 10**9], "'--n-splits'"),
        (["select", "small.csv", "-k", 2, "--n-restarts", 10**9], "'--n-restarts'"),
        (["select", "small.csv", "-k", 2, "--n-generations", 10**9], "'--n-generations'"),
        (["select", "small.csv", "-k", 2, "--patience", 10**9], "'--patience'"),
        (["select", "small.csv", "-k", 2, "--seed", 10**30], "'--seed'"),
        (["select", "small.csv", "-k", 2, "--epochs", "1" * 5000], "--epochs is a number or"),
        (["tiers", "small.csv", "--size", "s=" + "1" * 5000], "--size is NAME=K"),
        (["sweep", "small.csv", "--sizes", "1" * 5000], "--sizes is 1:26"),
        (["pareto", "small.csv", "--n-evaluations", 10**9], "'--n-evaluations'"),
        (["rate", "small.csv", "-s", "b00", "--n-random", 10**9], "'--n-random'"),
        (["assess", "small.csv", "-k", 2, "--n-random", 10**9], "'--n-random'"),
        (["assess", "small.csv", "-k", 2, "--n-folds", 10**9], "'--n-folds'"),
        (["assess", "small.csv", "-k", 2, "--n-repeats", 10**9], "'--n-repeats'"),
        (
            ["assess", "small.csv", "-k", 2, "--n-folds", 9999, "--n-repeats", 9999],
            "--n-folds times --n-repeats is at most 10000",
        ),
        (["predict", "a.csv", "-s", "b00", "--n-init", 10**9], "'--n-init'"),
        (["predict", "a.csv", "-s", "b00", "--seed", 10**30], "'--seed'"),
        (["impute", "small.csv", "--seed", 10**30], "'--seed'"),
        (["describe", "small.csv", "--max-mb", "inf"], "at most 1,000,000, not inf"),
        (["describe", "small.csv", "--max-mb", "nan"], "at most 1,000,000, not nan"),
        (["describe", "small.csv", "--column", "\x1b[31m"], r"not '\x1b[31m'"),
    ],
)
def test_wrong_usage(misused: Fails, here: Path, args: list[str], part: str):
    before = sorted(here.iterdir())
    assert part in misused(*args)
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("out", ["full", "full/a.txt", "full/a.txt/run", "x" * 300, "/proc/run"])
def test_out_is_checked_before_the_work(fails: Fails, here: Path, out: str):
    Path("full").mkdir()
    Path("full/a.txt").write_text("mine")
    # Were the scores read first, the message would be about them.
    message = fails("select", "nofile.csv", "-k", 2, "--out", out)
    assert "nofile" not in message
    assert "another --out" in message or "cannot be written" in message
    assert [path.name for path in Path("full").iterdir()] == ["a.txt"]
    assert Path("full/a.txt").read_text() == "mine"


def test_a_failure_leaves_an_earlier_run_as_it_was(fails: Fails, here: Path):
    Path("run").mkdir()
    Path("run/config.json").write_text('{"schema": "eevee.run/1"}')
    fails("select", "small.csv", "-k", 99, *FAST, "--out", "run")
    fails("select", "nofile.csv", "-k", 9, *FAST, "--out", "run")
    assert [path.name for path in Path("run").iterdir()] == ["config.json"]
    assert not list(here.glob(".*"))
