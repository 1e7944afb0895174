"""`eevee predict` from new scores to printed rows, and everything that can be wrong with them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Run, words

TABLE = ("--scores", "small.csv", "--scorer", "ridge")
TWO = ("--subset", "b01,b04")


@pytest.fixture
def tiers(here: Path, finished: Path) -> Path:
    """A folder with new.csv: two models of the law of small.csv, with all tier benchmarks."""
    (here / "tiers.yaml").write_bytes((finished / "done/tiers.yaml").read_bytes())
    scores = pd.read_csv("small.csv", index_col=0)
    new = (scores.iloc[[2, 5]] * 0.9).set_axis(["x", "y"], axis=0).rename_axis("model")
    new.to_csv("full.csv")
    new[["b01", "b04"]].to_csv("new.csv")
    return here


def test_a_tier_file_names_the_inputs(tiers: Path, read_json):
    found = read_json("predict", "tiers.yaml", "--tier", "small", "full.csv", *TABLE)
    (tier,) = (t for t in json.loads(_tiers_json()) if t["name"] == "small")
    assert found["benchmarks"] == [one["name"] for one in tier["benchmarks"]]
    assert found["meta_model"]["name"] == "ridge"
    assert [row["model"] for row in found["mean_in_units"]] == ["x", "y"]


def _tiers_json() -> str:
    from eevee.tiers.file import load_tiers, tiers_to_json

    return json.dumps(json.loads(tiers_to_json(load_tiers("tiers.yaml")))["tiers"])


def test_what_it_prints_is_what_it_writes(tiers: Path, run: Run, read_json):
    shown = run("predict", "new.csv", *TABLE, *TWO, "--csv", "rows.csv").stdout
    assert "meta-model: ridge, from b01, b04" in shown
    assert "intervals: 90 %, jackknife+ over 16 training models" in shown
    assert "written to rows.csv" in shown
    with open("rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["model", "column", "predicted", "lower", "upper", "measured"]
    found = read_json("predict", "new.csv", *TABLE, *TWO)["scores"]
    assert len(rows) == len(found) == 2 * 8
    for row, same in zip(rows, found, strict=True):
        assert (row["model"], row["column"]) == (same["model"], same["column"])
        assert float(row["lower"]) == pytest.approx(same["lower"], rel=1e-5)
        assert row["measured"] == str(same["measured"])
    measured = pd.read_csv("new.csv", index_col=0)
    for row in rows:
        if row["measured"] == "True":
            assert float(row["predicted"]) == measured.loc[row["model"], row["column"]]
            assert row["lower"] == row["upper"] == row["predicted"]


def test_a_saved_predictor_gives_the_same_bytes(tiers: Path, run: Run):
    fit = ("--scores", "small.csv", "--scorer", "mlp", "--epochs", "20", "--n-init", "2")
    run("predict", "new.csv", *fit, *TWO, "--save-predictor", "p.npz", "--csv", "one.csv")
    first = run("predict", "new.csv", "--predictor", "p.npz", "--json").stdout
    run("predict", "new.csv", "--predictor", "p.npz", "--csv", "two.csv")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    assert first == run("predict", "new.csv", *fit, *TWO, "--json").stdout


def test_a_higher_level_widens(tiers: Path, read_json):
    widths = []
    for level in ("80%", "0.9"):
        found = read_json("predict", "new.csv", *TABLE, *TWO, "--level", level)
        assert found["level"] == pytest.approx(0.8 if level == "80%" else 0.9)
        widths.append(sum(row["upper"] - row["lower"] for row in found["scores"]))
    assert widths[0] < widths[1]


def test_too_few_models_leave_intervals_blank_and_say_why(here: Path, read_json, run: Run):
    Path("new.csv").write_text("model,b01\nx,0.3\n")
    args = ("predict", "new.csv", "--scores", "four.csv", "--scorer", "ridge", "-s", "b01")
    found = read_json(*args)
    assert [row["lower"] for row in found["scores"] if not row["measured"]] == [None] * 4
    assert "an interval of 90 % needs 9 training models" in found["no_interval"]["b00"]
    assert "no interval for b00: an interval of 90 % needs 9" in words(run(*args).stdout)


def test_other_scores_than_those_of_the_tier_file_are_warned_of(tiers: Path, run: Run):
    args = ("predict", "tiers.yaml", "full.csv", "--tier", "small", *TABLE)
    assert run(*args).stderr == ""
    Path("small.csv").write_text(Path("small.csv").read_text() + "z,1,1,1,1,1,1,1,1\n")
    assert "another SHA-256 than small.csv" in run(*args).stderr


def test_warnings_go_to_standard_error(tiers: Path, run: Run):
    new = pd.read_csv("new.csv", index_col=0)
    new.assign(zzz=1.0, b01=[1e3, None]).to_csv("new.csv")
    said = run("predict", "new.csv", *TABLE, *TWO).stderr.splitlines()
    assert said[0] == "warning: not in the training table, ignored: zzz"
    assert said[1] == "warning: y: predicted without b01, which it lacks"
    assert said[2].startswith("warning: x: outside of what the training models show")
    assert "b01 (1000, seen" in said[2]


def test_families_and_near_duplicates_are_left_out_together(tiers: Path, run: Run, read_json):
    scores = pd.read_csv("small.csv", index_col=0)
    copies = scores.iloc[:4].rename(index=lambda name: f"{name}-again")
    pd.concat([scores, copies]).rename_axis("model").to_csv("copies.csv")
    told = run("predict", "new.csv", "--scores", "copies.csv", "--scorer", "ridge", *TWO)
    assert told.stderr.startswith("warning: 8 models are nearly equal to another (in 4 groups")
    assert "over 20 training models in 16 groups" in told.stdout
    family = pd.DataFrame({"family": [f"f{i // 2}" for i in range(16)]}, scores.index)
    family.rename_axis("model").to_csv("families.csv")
    args = ("predict", "new.csv", *TABLE, *TWO, "--models-file", "families.csv")
    found = read_json(*args, "--groups", "family", "--level", "80%", "--save-predictor", "p.npz")
    assert found["method"] == "jackknife+ over 16 training models in 8 groups"
    again = read_json("predict", "new.csv", "--predictor", "p.npz", "--level", "80%")
    assert again == found
    why = read_json(*args, "--groups", "family")["no_interval"]["b00"]
    assert "needs 9 groups of training models with a score there, there are 8" in why


@pytest.mark.slow
def test_a_model_outside_is_reported_and_has_no_interval_where_too_few_were_held_out(
    tiers: Path, run, read_json
):
    scores = pd.read_csv("small.csv", index_col=0)
    best = scores.loc[[scores.mean(axis=1).idxmax()], ["b01", "b04"]] + 1
    best.set_axis(["better"]).rename_axis("model").to_csv("better.csv")
    args = ("predict", "better.csv", *TABLE, *TWO)
    (row,) = read_json(*args, "--level", "80%")["outside"]
    assert (row["model"], row["side"], row["passed"]) == ("better", "above", 1)
    start = "better: by its mean score (predicted where not measured) stronger than all of the"
    assert start in run(*args, "--level", "80%").stderr
    assert f"no interval, for only {row['held_out']} of them" in run(*args).stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("new.csv", *TABLE), "give TIERS and NEW, not 1 files"),
        (("tiers.yaml", "new.csv", *TABLE, *TWO), "with --subset, NEW alone"),
        (("tiers.yaml", "new.csv", *TABLE), "name one tier: --tier small, --tier v1.5-big"),
        (("new.csv", *TWO), "give either --scores (of the training models) or --predictor"),
        (("new.csv", *TABLE, "--predictor", "p.npz"), "give either --scores"),
        (("new.csv", *TABLE, *TWO, "--predictor", "p.npz"), "remove --subset"),
        (("new.csv", "--predictor", "p.npz", "--groups", "family"), "drop --groups"),
        (("new.csv", *TABLE, *TWO, "--tier", "small"), "--tier goes with a tier file"),
        (("new.csv", *TABLE, *TWO, "--level", "90"), "--level is at least 50%"),
        (("new.csv", *TABLE, *TWO, "--level", "x%"), "--level is at least 50%"),
        (("new.csv", *TABLE, *TWO, "--epochs", "few"), "--epochs is a number or 'auto'"),
    ],
)
def test_wrong_usage(tiers: Path, misused, args: tuple[str, ...], message: str):
    assert message in misused("predict", *args)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--weights", "w.csv"),
        ("--scorer", "ridge"),
        ("--scorer", "auto"),  # the default, but said
        ("--seed", "0"),
        ("--epochs", "20"),
        ("--n-init", "8"),
        ("--models-file", "models.csv"),
        ("--min-coverage", "0.5"),
    ],
)
def test_a_fitted_predictor_takes_no_options_of_a_fit(here, misused, option: str, value: str):
    said = misused("predict", "new.csv", "--predictor", "p.npz", option, value)
    assert f"--predictor is fitted already; drop {option}" in said


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("new.csv", *TABLE, "-s", "b01,b99"), "no benchmark 'b99'"),
        (("new.csv", *TABLE, "-s", "b02"), "model 'x' has a score on none of b02"),
        (("nothing.csv", *TABLE, *TWO), "nothing.csv"),
        (("new.csv", "--predictor", "nothing.npz"), "nothing.npz: cannot be read"),
        (("new.csv", "--predictor", "new.csv"), "must end in .npz"),
        (("tiers.yaml", "new.csv", "--tier", "smal", *TABLE), "did you mean 'small'?"),
        (("new.csv", *TABLE, *TWO, "--save-predictor", "p.pkl"), "must end in .npz"),
        (("new.csv", *TABLE, *TWO, "--csv", "no/rows.csv"), "cannot be written"),
    ],
)
def test_bad_data(tiers: Path, fails, args: tuple[str, ...], message: str):
    assert message in fails("predict", *args)
