"""`eevee assess --held-out random,family,…`, and near-duplicates on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eevee.report.out import RUN_NAMES
from tests.cli.conftest import Run, words
from tests.conftest import made_table

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
    3,
    "-q",
)
GREEDY = ("--search", "greedy")
ASSESS = ("assess", "small.csv", "-k", 2, *GREEDY, *FAST)
KINDS = ("--models-file", "makers.csv", "--held-out", "random,family,frontier")


@pytest.fixture
def makers(here: Path) -> Path:
    """A file of attributes for small.csv, and copies.csv with near-duplicates in it."""
    scores = made_table(16, 8).scores.rename_axis("model")
    made = {"family": [f"f{i % 4}" for i in range(16)], "year": [2010 + i for i in range(16)]}
    pd.DataFrame(made, scores.index).to_csv("makers.csv")
    twins = scores.iloc[:6] + 0.001 * np.arange(6)[:, None]
    copies = pd.concat([scores, twins.set_axis([f"t{i}" for i in range(6)])])
    copies.rename_axis("model").to_csv("copies.csv")
    return here


@pytest.mark.slow
def test_kinds_stand_side_by_side_and_details_are_of_the_first(run: Run, makers: Path) -> None:
    shown = words(run(*ASSESS, *KINDS, "-v").stdout)
    assert "Assessed loss by what was held out, k = 2, ridge scorer (targets: all)" in shown
    assert "method ┃ random ┃ family ┃ frontier" in shown
    assert "family: 3 folds of whole families, once" in shown
    assert "frontier: 3 times, the models with the highest mean scores held out" in shown
    assert "In detail, with random splits: Assessed loss, k = 2, ridge scorer (3 folds" in shown
    assert shown.count("Pairs of models in the right order") == 1


@pytest.mark.slow
def test_without_kinds_everything_is_as_it_was(read_json: ReadJson, makers: Path) -> None:
    plain, kinds = read_json(*ASSESS), read_json(*ASSESS, *KINDS)
    assert plain["splits"] is None
    for frame in ("methods", "folds", "models", "differences", "gap"):
        assert plain[frame] == kinds[frame]


@pytest.mark.slow
def test_json_and_the_run_folder_hold_a_row_per_method_and_kind(
    run: Run, read_json: ReadJson, makers: Path
) -> None:
    found = read_json(*ASSESS, *KINDS, "--out", "run")["splits"]
    methods = pd.read_csv("run/assessment.csv")["method"]
    written = pd.read_csv("run/splits.csv")
    assert len(found["side_by_side"]) == len(written) == 3 * len(methods)
    assert list(written.columns) == list(found["side_by_side"][0])
    assert {path.name for path in Path("run").iterdir()} <= RUN_NAMES
    config = json.loads(Path("run/config.json").read_text())
    assert list(config["splits"]) == ["random", "family", "frontier"]
    assert config["options"]["held_out"] == "random,family,frontier"
    run(*ASSESS, "--out", "run")
    assert not Path("run/splits.csv").exists()


def test_time_goes_by_the_date_that_is_named(read_json: ReadJson, makers: Path) -> None:
    more = ("--models-file", "makers.csv", "--held-out", "time", "--date", "year")
    found = read_json(*ASSESS, *more)
    tested = {row["model"] for row in found["models"] if row["error"] is not None}
    assert tested == {f"m{i:02d}" for i in range(11, 16)}


@pytest.mark.slow
def test_a_number_in_place_of_kinds_is_how_many_splits_a_search_has(
    read_json: ReadJson, makers: Path
) -> None:
    found = read_json(*ASSESS, "--n-splits", 4)
    assert found["settings"]["scorer"]["n_splits"] == 4
    assert found["splits"] is None
    assert read_json(*ASSESS, *KINDS)["settings"]["scorer"]["n_splits"] == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--held-out", "random,familly"), "--held-out: no splits of kind 'familly'"),
        (("--n-splits", "0"), "--n-splits"),
        (("--held-out", "random,family", "--stability"), "run them without --held-out"),
        (("--held-out", "random,random"), "--held-out: name each kind of splits once"),
        (("--held-out", " , "), "--held-out names none"),
        (("--held-out", "random,family", "--date", "year"), "--date goes with --held-out time"),
    ],
)
def test_wrong_usage_is_said(misused: Callable[..., str], makers: Path, args: Any, message: str):
    assert message in misused(*ASSESS, *args)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--held-out", "family"), "kind family: no attribute 'family': the models have none"),
        (
            ("--held-out", "time", "--models-file", "makers.csv"),
            "kind time: models have no attribute 'date'; there are: family, year",
        ),
        (
            (*KINDS, "--families", "lab"),
            "kind family: models have no attribute 'lab'; there are: family, year",
        ),
    ],
)
def test_attributes_that_are_missing_are_named(
    fails: Callable[..., str], makers: Path, args: Any, message: str
) -> None:
    assert message in fails(*ASSESS, *args)


# --- near-duplicates -----------------------------------------------------------------------------

QUICK = ("--scorer", "ridge", "--n-splits", 3, "-q")
VERBS = {
    "select": ("-k", 2, *GREEDY, "--no-baselines"),
    "sweep": ("--sizes", "1:2", *GREEDY),
    "tiers": ("--size", "two=2", *GREEDY, "--no-baselines"),
    "pareto": ("--n-evaluations", 60),
    "rank": (),
    "rate": ("-s", "b00,b01", "--n-random", 5),
    "ablate": ("-s", "b00,b01"),
    "assess": ("-k", 2, *GREEDY, "--n-folds", 3, "--n-repeats", 4, "--n-random", 3),
}
WARNING = (
    "warning: 12 models are nearly equal to another (in 6 groups, such as 'm00' and 't0') and on "
    "two sides of a split, so that losses are too good; keep them together: --group-duplicates\n"
)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.slow
def test_near_duplicates_that_splits_part_are_told_of_until_they_are_grouped(
    run: Run, makers: Path, verb: str
) -> None:
    args = (verb, "copies.csv", *VERBS[verb], *QUICK)
    loud = run(*args, "--json")
    assert loud.stderr.count("nearly equal") == 1
    assert loud.stderr == WARNING
    json.loads(loud.stdout)
    grouped = run(*args, "--json", "--group-duplicates", "--out", "run")
    assert grouped.stderr == ""
    assert json.loads(grouped.stdout) != json.loads(loud.stdout)
    config = json.loads(Path("run/config.json").read_text())
    assert config["options"]["group_duplicates"] is True
    assert "nearly equal" not in run(verb, "small.csv", *VERBS[verb], *QUICK).stderr


@pytest.mark.parametrize("verb", ["select", "sweep", "tiers", "pareto"])
def test_groups_by_an_attribute_stay_together_and_are_written_down(
    run: Run, makers: Path, verb: str
) -> None:
    args = (verb, "small.csv", "--models-file", "makers.csv", *VERBS[verb], *QUICK, "--json")
    apart = run(*args)
    together = ("--groups", "family", "--group-duplicates")
    grouped = run(*args, *together, "--out", "grouped")
    assert json.loads(grouped.stdout) != json.loads(apart.stdout)
    config = json.loads(Path("grouped/config.json").read_text())
    assert config["options"]["groups"] == "family"
    if verb == "tiers":
        scorer = json.loads(Path("grouped/tiers.json").read_text())["scorer"]
        assert (scorer["groups"], scorer["group_duplicates"]) == ("family", True)


def test_groups_that_are_no_attribute_are_named(fails, makers: Path) -> None:
    args = ("select", "small.csv", "--models-file", "makers.csv", *VERBS["select"], *QUICK)
    assert "no attribute 'famly' (did you mean 'family'?)" in fails(*args, "--groups", "famly")


def test_describe_tells_of_near_duplicates(run: Run, read_json: ReadJson, makers: Path) -> None:
    said = "12 models are nearly equal to another (in 6 groups, such as 'm00' and 't0')"
    assert said in words(run("describe", "copies.csv").stdout)
    assert read_json("describe", "copies.csv")["near_duplicates"] == {
        "models": 12, "groups": 6, "example": ["m00", "t0"], "said": said,
    }  # fmt: skip
    assert read_json("describe", "small.csv")["near_duplicates"] is None
    assert "nearly equal" not in run("describe", "small.csv").stdout
