"""`eevee impute` from a sparse table to printed advice, and everything that can be wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.completion.gap_pattern import gap_pattern
from tests.cli.conftest import Run

JOB = ("impute", "sparse.csv", "--costs", "costs.csv", "--cost-unit", "hours")


@pytest.fixture
def sparse(here: Path) -> pd.DataFrame:
    """sparse.csv: small.csv with gaps, and one column that two models have."""
    scores = pd.read_csv("small.csv", index_col="model")
    shown = scores.mask(np.random.default_rng(0).random(scores.shape) < 0.3)
    shown.iloc[3, 2:] = np.nan
    shown.iloc[2:, 7] = np.nan
    shown.iloc[:2, 7] = scores.iloc[:2, 7]
    shown.to_csv("sparse.csv")
    return shown


def test_the_run_folder_holds_every_filled_cell_and_tells_it_from_the_measured(
    sparse: pd.DataFrame, run: Run
):
    shown = run(*JOB, "--for-model", sparse.index[3], "--out", "runs/x").stdout
    assert "written to runs/x" in shown
    assert {path.name for path in Path("runs/x").iterdir()} == {
        "columns.csv", "completed.csv", "config.json", "filled.csv", "mask.csv", "next.csv",
    }  # fmt: skip
    mask = pd.read_csv("runs/x/mask.csv", index_col="model")
    full = pd.read_csv("runs/x/completed.csv", index_col="model")
    pd.testing.assert_frame_equal(mask == 1, sparse.isna())
    pd.testing.assert_frame_equal(full.where(mask == 0), sparse)
    filled = pd.read_csv("runs/x/filled.csv", keep_default_na=False)
    assert len(filled) == sparse.isna().to_numpy().sum()
    for cell in filled.itertuples():
        assert float(cell.predicted) == pytest.approx(full.loc[cell.model, cell.column], rel=1e-5)
        assert sparse.loc[cell.model, [name for name, _ in json.loads(cell.rests_on)]].notna().all()
        assert (cell.lower == cell.upper == "") == (cell.why != "")
    assert set(filled["column"][filled["why"] != ""]) == {"b07"}
    config = json.loads(Path("runs/x/config.json").read_text())
    assert (config["command"], config["level"]) == ("impute", 0.9)


@pytest.mark.slow
def test_the_library_the_json_and_the_files_agree(sparse: pd.DataFrame, run: Run, read_json):
    table = eevee.read_table("sparse.csv", costs="costs.csv", cost_unit="hours")
    found = eevee.impute(table)
    run(*JOB, "--for-model", sparse.index[3], "--out", "x")
    printed = read_json(*JOB, "--for-model", sparse.index[3])
    written = pd.read_csv("x/filled.csv")
    for name in ("predicted", "lower", "upper"):
        said = [np.nan if row[name] is None else row[name] for row in printed["filled"]]
        np.testing.assert_array_equal(said, found.basis[name])
        np.testing.assert_allclose(written[name], found.basis[name], rtol=1e-5)
    told, expected = printed["gaps"], gap_pattern(table)
    assert (told["sentence"], told["p"]) == (expected.sentence, expected.p)
    tested = expected.columns["correlation"].dropna()
    assert {row["column"]: row["correlation"] for row in told["columns"]} == tested.to_dict()
    advice = eevee.completion.next_benchmark(found, sparse.index[3])
    assert printed["next"]["model"] == sparse.index[3]
    assert printed["next"]["benchmarks"] == advice.to_dict("records")
    assert pd.read_csv("x/next.csv")["benchmark"].tolist() == advice["benchmark"].tolist()


@pytest.mark.slow
def test_what_it_prints_says_what_was_filled_and_what_is_next(sparse: pd.DataFrame, run: Run):
    model = sparse.index[3]
    shown = run(*JOB, "--for-model", model).stdout
    gaps = int(sparse.isna().to_numpy().sum())
    assert f"{gaps} cells filled, none of them measured" in shown
    assert "intervals: 90 %" in shown
    assert "no interval for 14 cells: only 2 scores in the column, 3 are needed" in shown
    has = sparse.loc[model].notna().sum()
    assert f"Filled cells of {model} (scores: {has})" in shown
    assert f"What {model} should run next" in shown
    assert "cost in hours" in shown
    assert "--out DIR or --json has every filled cell" in shown
    plain = run("impute", "sparse.csv").stdout
    assert "should run next" not in plain


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_a_higher_level_widens(
    sparse: pd.DataFrame, run: Run
):
    for name, level in (("a", "90%"), ("b", "0.9"), ("c", "50%")):
        run(*JOB, "--level", level, "--out", name)
    assert Path("a/filled.csv").read_bytes() == Path("b/filled.csv").read_bytes()
    assert Path("a/completed.csv").read_bytes() == Path("c/completed.csv").read_bytes()
    wide, narrow = (pd.read_csv(f"{name}/filled.csv") for name in "ac")
    assert (wide["upper"] - wide["lower"]).sum() > (narrow["upper"] - narrow["lower"]).sum()


@pytest.mark.slow
def test_a_full_table_and_a_model_without_gaps_say_so(here: Path, run: Run, read_json):
    name = pd.read_csv("small.csv")["model"].iloc[0]
    shown = run("impute", "small.csv", "--for-model", name, "--out", "full").stdout
    assert "0 cells filled" in shown
    assert f"{name} lacks nothing" in shown
    assert pd.read_csv("full/filled.csv").empty
    assert read_json("impute", "small.csv")["filled"] == []


def test_what_is_wrong_is_named(
    sparse: pd.DataFrame, fails: Callable[..., str], misused: Callable[..., str]
):
    assert "no model 'nobody' in the table" in fails(*JOB, "--for-model", "nobody", "--out", "x")
    assert not Path("x").exists()
    assert "small.csv: is a file" in fails(*JOB, "--out", "small.csv")
    assert "--level is at least 50%" in misused(*JOB, "--level", "20%")
    assert "--seed" in misused(*JOB, "--seed", "-1")
