"""`--objective` and `--objectives`: named wherever a number is not a loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eevee
from tests.cli.conftest import Run, words

ReadJson = Callable[..., Any]
Misused = Callable[..., str]
FAST = ("--scorer", "ridge", "--n-splits", 2, "-q")
FOLDS = ("--n-folds", 3, "--n-repeats", 1, "--n-random", 5)


@pytest.mark.slow
def test_select_names_what_it_minimised(run: Run, here: Path) -> None:
    asked = ("select", "small.csv", "-k", 2, *FAST)
    shown = words(run(*asked, "--objective", "kendall", "--out", "run", "--verbose").stdout)
    assert "Best subsets by 1 - Kendall" in shown
    assert "The 1 - Kendall is biased downward" in shown
    assert "same 1 - Kendall, same splits" in shown
    assert "search loss of the first subset" in shown
    for name in ("subsets", "baselines", "logbook"):
        assert set(pd.read_csv(f"run/{name}.csv")["objective"]) == {"kendall"}
    assert "Kendall" not in run(*asked, "--verbose").stdout


def test_the_json_of_select_holds_the_objective(read_json: ReadJson, here: Path) -> None:
    found = read_json("select", "small.csv", "-k", 2, *FAST, "--objective", "r2")
    assert found["objective"] == "r2"
    assert found["targets"] == "unseen"
    assert found["mean_predictor"] == 1
    plain = read_json("select", "small.csv", "-k", 2, *FAST)
    assert plain["objective"] == "loss"


@pytest.mark.slow
def test_a_tier_by_order_holds_its_loss(run: Run, here: Path) -> None:
    run("tiers", "small.csv", "--budget", "a=2", *FAST, "--objective", "kendall", "--out", "run")
    tiers = eevee.load_tiers(Path("run/tiers.yaml"))
    assert tiers.search["objective"] == "kendall"
    names = ",".join(tiers["a"].benchmark_names)
    judged = json.loads(run("rate", "small.csv", "--subset", names, *FAST, "--json").stdout)
    loss = judged["subsets"]["list"]["loss"]
    assert tiers["a"].search_loss.mean == pytest.approx(loss, rel=1e-5)
    costs = pd.read_csv("run/figures/cost.csv")
    tier = costs[costs["kind"] == "tier"]
    assert tier["loss"].iloc[0] == pytest.approx(tiers["a"].search_loss.mean, rel=1e-5)


@pytest.mark.slow
def test_assess_prints_how_far_objectives_agree(run: Run, here: Path) -> None:
    asked = (
        "assess",
        "small.csv",
        "-k",
        2,
        *FAST,
        *FOLDS,
        "--compare-objectives",
        "loss,kendall,r2",
    )
    shown = words(run(*asked, "--out", "run").stdout)
    assert "How far the subsets of different objectives agree" in shown
    assert "evolution (kendall)" in shown
    run(*asked, "--out", "run")  # replaces itself
    saved = pd.read_csv("run/objectives.csv")
    assert len(saved) == 3


def test_what_makes_no_sense_is_wrong_usage(misused: Misused, here: Path) -> None:
    budget = ("--budget", "2", "--objective", "r2")
    assert "give a size, or another objective" in misused("select", "small.csv", *budget)
    assert "some of loss, kendall, r2" in misused(
        "assess", "small.csv", "-k", 2, "--compare-objectives", "tau"
    )
    given = ("--subset", "b00,b01", "--compare-objectives", "r2")
    assert "--compare-objectives goes with -k or --budget" in misused("assess", "small.csv", *given)
    same = ("-k", 2, "--search", "medoids", "--compare-objectives", "r2")
    assert "the same by every objective" in misused("assess", "small.csv", *same)


def test_sweep_says_what_it_minimised(run: Run, read_json: ReadJson, here: Path) -> None:
    asked = ("sweep", "small.csv", "--sizes", "1:2", *FAST, "--objective", "kendall")
    found = read_json(*asked)
    assert found["objective"] == "kendall"
    shown = words(run(*asked, "-v").stdout)
    assert "minimised: 1 - Kendall" in shown
    assert "ranked first by its 1 - Kendall" in shown
