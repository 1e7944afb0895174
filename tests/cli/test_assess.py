"""`eevee assess`, and `eevee tiers --assess`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eevee.report.out import RUN_NAMES
from tests.cli.conftest import Run, words

ReadJson = Callable[..., Any]
FAST = (
    "--scorer",
    "ridge",
    "--n-splits",
    2,
    "--n-folds",
    3,
    "--n-repeats",
    1,
    "--n-random",
    5,
    "-q",
)
GREEDY = ("--search", "greedy")


def test_json_holds_every_frame(read_json: ReadJson, here: Path) -> None:
    found = read_json("assess", "small.csv", "-k", 2, *GREEDY, *FAST)
    methods = [row["method"] for row in found["methods"]]
    assert methods[:2] == ["greedy", "random"]
    assert methods[-2:] == ["all benchmarks", "mean predictor"]
    assert len(found["folds"]) == 3 * len(methods)
    assert len(found["models"]) == 16 * len(methods)
    assert {row["held_out"] for row in found["models"]} == {1}
    assert found["methods"][-2]["loss_unseen"] is None
    assert found["settings"]["scorer"]["name"] == "ridge"


@pytest.mark.slow
def test_the_run_folder_holds_the_frames_and_replaces_itself(run: Run, here: Path) -> None:
    for _ in range(2):
        run("assess", "small.csv", "-k", 2, *GREEDY, *FAST, "--out", "run")
    names = {path.name for path in Path("run").iterdir()}
    assert {"assessment.csv", "folds.csv", "models.csv", "config.json"} <= names <= RUN_NAMES
    methods = pd.read_csv("run/assessment.csv")
    assert (methods["low"] <= methods["loss"]).all()
    config = json.loads(Path("run/config.json").read_text())
    assert config["command"] == "assess"
    assert config["assessment"]["goal"] == "k = 2"


@pytest.mark.slow
def test_the_verdict_comes_first(run: Run, read_json: ReadJson, here: Path) -> None:
    args = ("assess", "small.csv", "-k", 2, *GREEDY, *FAST)
    shown = run(*args, "--out", "run").stdout
    assert shown.startswith("verdict: ")
    said = read_json(*args)["verdict"]
    assert said["words"][0] in words(shown)
    assert json.loads(Path("run/verdict.json").read_text()) == said


def test_words_say_what_a_loss_is(run: Run, here: Path) -> None:
    shown = words(run("assess", "small.csv", "-k", 2, *GREEDY, *FAST).stdout)
    assert "Assessed loss, k = 2, ridge scorer (3 folds, once; about 11 models" in shown
    assert "An assessed loss belongs to the procedure" in shown
    assert "given lists" not in shown.lower()


def test_given_lists_alone_search_nothing(run: Run, read_json: ReadJson, here: Path) -> None:
    args = ("assess", "small.csv", "--subset", "b00,b03", *FAST)
    assert "Given lists were not searched for here." in words(run(*args).stdout)
    found = read_json(*args)
    assert [row["method"] for row in found["methods"]] == [
        "list",
        "all benchmarks",
        "mean predictor",
    ]
    chosen = [row["benchmarks"] for row in found["folds"] if row["method"] == "list"]
    assert chosen == [["b00", "b03"]] * 3


@pytest.mark.slow
def test_tiers_are_judged_beside_a_search(read_json: ReadJson, here: Path, run: Run) -> None:
    costs = ("--costs", "costs.csv")
    few = ("--scorer", "ridge", "--n-splits", 2, "-q", "--no-baselines")
    run("tiers", "small.csv", *costs, "--budget", "s=3", *GREEDY, *few, "--out", "run")
    found = read_json(
        "assess",
        "small.csv",
        *costs,
        "--tier-file",
        "run/tiers.yaml",
        "--budget",
        3,
        *GREEDY,
        *FAST,
    )
    rows = {row["method"]: row for row in found["methods"]}
    assert rows["greedy"]["cost"] <= 3
    assert rows["s"]["cost"] <= 3


def test_tiers_assess_fills_the_assessed_loss(read_json: ReadJson, here: Path) -> None:
    args = ("tiers", "small.csv", "--size", "two=2", *GREEDY, "--scorer", "ridge", "--n-splits", 2)
    more = ("-q", "--no-baselines")
    assert read_json(*args, *more)["tiers"][0]["assessed_loss"] is None
    loss = read_json(*args, *more, "--assess")["tiers"][0]["assessed_loss"]
    assert loss["low"] < loss["mean"] < loss["high"]
    assert loss["of"] == "greedy, k = 2, ridge"
    assert (loss["outer_splits"], loss["train_models"]) == (10, 13)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "give -k, --budget, --subset or --tier-file"),
        (("-k", 2, "--tier", "s"), "--tier goes with --tier-file"),
        (("-k", 2, "--n-folds", 1), "--n-folds"),
        (("-s", "b00", "--stability"), "--stability goes with -k or --budget"),
        (("--budget", "x"), "budget"),
        (("--budget", "3", "--targets", "unseen"), "a budget compares subsets"),
    ],
)
def test_wrong_usage_is_said(misused: Callable[..., str], here: Path, args: Any, message: str):
    assert message in misused("assess", "small.csv", *args)


def test_what_the_data_do_not_allow_is_said(fails: Callable[..., str], here: Path) -> None:
    assert "n_folds must lie between 2 and the 4 models" in fails("assess", "four.csv", "-k", 1)
    assert "no attribute 'maker'" in fails(
        "assess", "small.csv", "-k", 1, "--families", "maker", *GREEDY, *FAST
    )


@pytest.mark.slow
def test_stability_is_printed_and_written(run: Run, read_json: ReadJson, here: Path) -> None:
    args = ("assess", "small.csv", "-k", 2, "--stability", *GREEDY, *FAST)
    shown = words(run(*args, "-v", "--out", "run").stdout)
    assert "in 3 searches on other models; in 5 on all models with other seeds" in shown
    assert "Noise floor" in shown
    found = read_json(*args)["stability"]
    assert json.loads(Path("run/stability.json").read_text()) == found
    assert sum(row["over_models"] for row in found["benchmarks"]) == pytest.approx(2)


@pytest.mark.figures
@pytest.mark.slow
def test_the_learning_curve_is_printed_kept_and_in_the_json(
    run: Run, read_json: ReadJson, here: Path
) -> None:
    asked = ("assess", "small.csv", "-k", 2, *GREEDY, *FAST, "--learning-curve")
    found = read_json(*asked, "--out", "run")["learning_curve"]
    shown = words(run(*asked, "-v").stdout)
    assert "Held-out loss by the number of models" in shown
    assert "models the held-out loss is" in shown
    saved = pd.read_csv("run/learning.csv")
    assert (Path("run/figures/learning.png")).stat().st_size > 1000
    assert [row["n_models"] for row in found["sizes"]] == saved["n_models"].tolist()
    run("plot", "run")


def test_a_learning_curve_is_of_a_search(run: Run, here: Path) -> None:
    done = run("assess", "small.csv", "--subset", "b00,b03", "--learning-curve", code=2)
    assert "--learning-curve goes with -k or --budget" in words(done.stderr)
