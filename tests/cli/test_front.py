"""`eevee pareto`: what it prints and leaves behind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eevee.report.searches import redraw
from eevee.tiers.file import load_tiers
from tests.cli.conftest import ROOT, Run, words

ReadJson = Callable[..., Any]
RIDGE = ("--scorer", "ridge", "--n-splits", "3")
JOB = ("pareto", "small.csv", "--costs", "costs.csv", *RIDGE)


def test_json_holds_the_exact_front_of_a_small_table(read_json: ReadJson, here: Path):
    found = read_json(*JOB, "--one-se")
    assert (found["exact"], found["evaluated"], found["targets"]) == (True, 255, "all")
    costs = [row["cost"] for row in found["front"]]
    losses = [row["loss"] for row in found["front"]]
    assert costs == sorted(set(costs))
    assert losses == sorted(set(losses), reverse=True)
    assert found["front"][-1]["unseen"] is None
    (tier,) = found["tiers"]["tiers"]
    names = [benchmark["name"] for benchmark in tier["benchmarks"]]
    assert (tier["name"], tier["budget"]) == ("one-se", None)
    assert names in [row["benchmarks"] for row in found["front"]]
    assert 0 < found["hypervolume"] < 1


@pytest.mark.slow
def test_run_folder_holds_what_was_found(run: Run, here: Path):
    budgets = ("--budget", "small=20%", "--budget", "big=9")
    shown = run(*JOB, *budgets, "--one-se", "-v", "--out", "runs/x")
    files = {str(path.relative_to("runs/x")) for path in Path("runs/x").rglob("*.*")}
    assert files == {
        "config.json", "front.csv", "logbook.csv", "subsets.csv", "tiers.json", "tiers.yaml",
        "figures/pareto.csv", "figures/pareto.pdf", "figures/pareto.png",
    }  # fmt: skip
    tiers = load_tiers("runs/x/tiers.yaml")
    assert [tier.name for tier in tiers] == ["small", "big", "one-se"]
    front = pd.read_csv("runs/x/front.csv")
    for tier in list(tiers)[
        :2
    ]:  # exact, so that a tier is the front's last subset under its budget
        below = front[front["cost"] <= tier.budget].iloc[-1]
        assert json.loads(below["benchmarks"]) == list(tier.benchmark_names)
    assert len(pd.read_csv("runs/x/subsets.csv")) == 255
    config = json.loads(Path("runs/x/config.json").read_text())
    assert config["command"] == "pareto"
    assert config["searches"]["front"]["method"] == "exhaustive"
    assert set(config["searches"]) == {"front", "small", "big", "one-se"}
    assert "the cheapest within one standard error" in shown.stdout
    assert "written to runs/x" in shown.stdout
    run(*JOB, "--out", "runs/x")  # an earlier run is replaced
    assert not Path("runs/x/tiers.yaml").exists()
    assert {path.suffix for path in redraw("runs/x")} == {".png", ".pdf"}


@pytest.mark.slow
def test_tiers_are_not_worse_than_those_of_the_verb_tiers(read_json: ReadJson, here: Path):
    shared = ("--costs", "costs.csv", *RIDGE, "--budget", "b=40%", "--no-exhaustive")
    (mine,) = read_json("pareto", "small.csv", *shared, "--n-evaluations", 40)["tiers"]["tiers"]
    (other,) = read_json("tiers", "small.csv", *shared)["tiers"]
    assert mine["search_loss"]["mean"] <= other["search_loss"]["mean"]


def test_a_long_front_is_shown_in_part_and_says_so(run: Run):
    zoo = ROOT / "data" / "zoo"
    long = ("pareto", zoo / "scores.csv", "--costs", zoo / "costs.csv", *RIDGE)
    shown = run(*long, "--n-evaluations", 300, "-v").stdout
    assert re.search(r"of 300 subsets scored; \d+ shown, evenly over cost", words(shown))
    starts = [line for line in shown.splitlines() if re.match(r" +[0-9.]+ │", line)]
    assert 10 <= len(starts) <= 20
    assert "and 37 more" in words(shown)


def test_wrong_usage(misused: Callable[..., str], fails: Callable[..., str], here: Path):
    assert "No such option: --targets" in misused(*JOB, "--targets", "unseen")
    assert "NAME=COST" in misused(*JOB, "--budget", "10%")
    tiny = ("--budget", "tiny=0.01", "--cost-unit", "hours")
    assert "tier 'tiny': a budget of 0.01 hours" in fails(*JOB, *tiny)
    assert "at least two splits" in misused(*JOB, "--n-splits", "1", "--one-se")


@pytest.mark.parametrize("evaluations", [1, 30])
def test_few_evaluations_are_enough_for_a_front(read_json, here: Path, evaluations: int):
    found = read_json(*JOB, "--no-exhaustive", "--n-evaluations", evaluations)
    assert found["front"]
    assert (found["exact"], found["evaluated"]) == (False, evaluations)
