"""The tables from benchbench: shapes, gaps, and that the script writes the same bytes again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DATA = Path(__file__).resolve().parents[2] / "data"
FOLDERS = ["bbh", "helm", "vtab"]
INSTALL = "pip install --no-deps benchbench==1.0.1"


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"{name}.csv", index_col=0)


def has_benchbench() -> bool:
    try:
        return version("benchbench") == "1.0.1"
    except PackageNotFoundError:
        return False


@pytest.mark.parametrize(
    ("folder", "shape", "missing"),
    [("bbh", (107, 27), 0), ("helm", (67, 16), 196), ("vtab", (16, 19), 0)],
)
def test_scores_have_their_shape_and_their_gaps(folder, shape, missing):
    scores = read(f"{folder}/scores")
    assert scores.shape == shape
    assert scores.index.name == "model"
    assert scores.isna().sum().sum() == missing
    assert all(dtype.kind in "fi" for dtype in scores.dtypes)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_are_unique_and_no_aggregate_is_left(folder):
    header = pd.read_csv(DATA / folder / "scores.csv", header=None, nrows=1).iloc[0]
    assert header.is_unique
    assert not header.str.contains("mean|average|rank", case=False).any()
    assert read(f"{folder}/scores").index.is_unique


@pytest.mark.parametrize("folder", ["bbh", "helm"])
def test_models_tables_list_the_scored_models(folder):
    assert read(f"{folder}/models").index.equals(read(f"{folder}/scores").index)


@pytest.mark.parametrize("folder", ["helm", "vtab"])
def test_benchmarks_tables_list_the_scored_benchmarks(folder):
    assert list(read(f"{folder}/benchmarks").index) == list(read(f"{folder}/scores").columns)


def test_helm_seconds_use_the_names_of_the_scores():
    scores, seconds = read("helm/scores"), read("helm/seconds")
    assert seconds.shape == (26, 16)
    assert seconds.columns.equals(scores.columns)
    assert seconds.index.isin(scores.index).all()


def test_helm_costs_are_the_medians_of_the_seconds():
    costs, medians = read("helm/costs")["cost"], read("helm/seconds").median()
    assert list(costs.index) == list(medians.index)
    np.testing.assert_allclose(costs, medians, rtol=1e-5)


def test_vtab_cell_below_one_percent_is_part_of_the_published_mean():
    row = read("vtab/scores").loc["Cond-BigGAN"]
    assert row["Caltech101"] == 0.148
    assert row.mean() == pytest.approx(51.4, abs=0.05)


@pytest.mark.skipif(not has_benchbench(), reason=f"needs benchbench 1.0.1: {INSTALL}")
def test_script_writes_the_committed_bytes(tmp_path):
    shutil.copy(DATA / "benchbench.py", tmp_path)
    for folder in FOLDERS:
        (tmp_path / folder).mkdir()
    subprocess.run([sys.executable, "benchbench.py"], cwd=tmp_path, check=True)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.glob("*/*.csv"))
    kept = sorted(path.relative_to(DATA) for name in FOLDERS for path in DATA.glob(f"{name}/*.csv"))
    assert made == kept
    assert all((tmp_path / path).read_bytes() == (DATA / path).read_bytes() for path in made)
