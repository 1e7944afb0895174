"""`--scorer`: every verb runs with every meta-model, and contradictions are wrong usage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from eevee.cli.options import ScorerName
from tests.cli.conftest import FAST, Run

SPLIT = ("--n-splits", "2")
VERBS = {
    "rank": ("rank", "small.csv", *SPLIT),
    "select": ("select", "small.csv", "-k", "3", *SPLIT, "--n-generations", "1", "--no-exhaustive"),
    "sweep": ("sweep", "small.csv", "--sizes", "1,8", *SPLIT, "--n-generations", "1"),
    "tiers": ("tiers", "small.csv", "--budget", "half=4", *SPLIT, "--n-generations", "1"),
    "ablate": ("ablate", "small.csv", "-s", "b00,b01,b02", *SPLIT),
    "rate": ("rate", "small.csv", "-s", "b00,b01", "--n-random", "20", *SPLIT),
}
OTHERS = [name.value for name in ScorerName if name is not ScorerName.mlp]
CLOSED_FORM = ["ridge", "factor"]


def config(folder: str) -> Any:
    return json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scorer", CLOSED_FORM)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("here")
def test_every_verb_runs_with_every_scorer(run: Run, verb: str, scorer: str) -> None:
    result = run(*VERBS[verb], "--scorer", scorer, "--quiet")
    assert "nan" not in result.stdout.lower()
    assert result.stderr == ""


@pytest.mark.parametrize("scorer", CLOSED_FORM)
@pytest.mark.usefixtures("here")
@pytest.mark.slow
def test_a_run_folder_names_the_scorer(run: Run, scorer: str) -> None:
    run(*VERBS["tiers"], "--scorer", scorer, "--out", "out")
    assert config("out")["scorer"]["name"] == scorer
    assert config("out")["options"]["scorer"] == scorer


@pytest.mark.parametrize("scorer", CLOSED_FORM)
@pytest.mark.usefixtures("here")
def test_without_initialisations_rescored_is_blank(
    read_json: Callable[..., Any], scorer: str
) -> None:
    ranked = read_json(*VERBS["select"], "--scorer", scorer, "--near-ties", "loss")["ranked"]
    assert all(row["rescored_mean"] is None for row in ranked)
    assert [row["loss"] for row in ranked] == sorted(row["loss"] for row in ranked)


@pytest.mark.usefixtures("here")
def test_the_default_is_the_mlp(read_json: Callable[..., Any]) -> None:
    job = ("rate", "small.csv", "-s", "b00,b01", "--n-random", "5", *SPLIT, "--epochs", "5")
    assert read_json(*job) == read_json(*job, "--scorer", "mlp")


@pytest.mark.usefixtures("here")
@pytest.mark.slow
def test_auto_says_what_it_chose_and_why(run: Run) -> None:
    result = run(*VERBS["tiers"], "--scorer", "auto", "--out", "out")
    line, *progress = result.stderr.splitlines()
    assert all(line.endswith(" s left") for line in progress)
    described = config("out")["scorer"]
    assert line == f"scorer: {described['name']} ({described['auto']['reason']})"
    assert set(described["auto"]["losses"]) == {"mlp", "ridge", "factor"}
    tiers = yaml.safe_load(Path("out/tiers.yaml").read_text(encoding="utf-8"))
    assert tiers["scorer"]["auto"] == described["auto"]
    same = run(*VERBS["tiers"], "--scorer", "auto", "--quiet")
    assert same.stderr == ""
    assert same.stdout == result.stdout.replace("written to out\n", "")


@pytest.mark.parametrize("scorer", OTHERS)
@pytest.mark.parametrize(
    ("option", "value"),
    [("--epochs", "20"), ("--epochs", "auto"), ("--n-init", "2"), ("--device", "cpu")],
)
@pytest.mark.usefixtures("here")
def test_what_belongs_to_the_mlp_is_refused_elsewhere(
    misused: Callable[..., str], scorer: str, option: str, value: str
) -> None:
    if (scorer, option) == ("auto", "--device"):
        pytest.skip("auto trains the MLP too, on this device")
    said = misused("rank", "small.csv", "--scorer", scorer, option, value)
    assert f"{option} needs --scorer mlp, not --scorer {scorer}" in said


@pytest.mark.parametrize("scorer", OTHERS)
@pytest.mark.usefixtures("here")
def test_paper_means_the_mlp(misused: Callable[..., str], scorer: str) -> None:
    said = misused("select", "small.csv", "-k", "2", *FAST, "--n-init", "2", "--scorer", scorer)
    assert "--paper and --n-init need --scorer mlp" in said


@pytest.mark.usefixtures("here")
def test_another_scorer_is_wrong_usage(misused: Callable[..., str]) -> None:
    assert "'knn'" in misused("rank", "small.csv", "--scorer", "knn")


@pytest.mark.parametrize("scorer", [*CLOSED_FORM, "auto"])
@pytest.mark.usefixtures("here")
def test_two_benchmarks_are_enough(run: Run, scorer: str) -> None:
    run("rank", "two.csv", "--scorer", scorer, *SPLIT)
