"""The encoders: their tables fit together, and their proxies are read as proxies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eevee.readers import read_table

ENCODERS = Path(__file__).resolve().parents[2] / "data" / "encoders"
FOLDER_BYTES = 1_500_000
MEASURES = {
    "linear-probe", "leep", "nce", "logme", "h-score-regularised", "transrate",
    "pactran-dirichlet", "pactran-gamma", "n-leep", "linear", "linear-valid", "pactran-gaussian",
}  # fmt: skip
OF_PROBABILITIES = {"leep", "nce", "pactran-dirichlet", "pactran-gamma"}


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(ENCODERS / f"{name}.csv", index_col=0)


@pytest.fixture(scope="module")
def proxies() -> pd.DataFrame:
    table = pd.read_csv(ENCODERS / "proxies.csv")
    table[["task", "measure"]] = table["benchmark"].str.split(":", expand=True)
    return table


def test_tables_have_the_same_models_and_benchmarks():
    scores = read("scores")
    assert scores.shape[0] >= 20
    assert scores.shape[1] >= 6
    for name in ("seconds", "probes"):
        assert read(name).index.equals(scores.index)
        assert read(name).columns.equals(scores.columns)
    assert read("models").index.equals(scores.index)
    assert list(read("benchmarks").index) == list(scores.columns)


def test_accuracies_are_in_range_and_models_differ():
    scores, probes, seconds = read("scores"), read("probes"), read("seconds")
    for table in (scores, probes):
        assert ((table >= 0) & (table <= 1)).all(axis=None)
        assert not table.duplicated().any()
    assert (seconds > 0).all(axis=None)
    assert (scores.max() > read("benchmarks")["commonest"] + 0.05).all()
    assert (scores.max() - scores.min()).min() > 0.05


def test_costs_are_the_medians_of_the_seconds():
    np.testing.assert_allclose(read("costs")["cost"], read("seconds").median(), rtol=1e-5)


def test_every_task_has_every_measure(proxies):
    scores = read("scores")
    assert set(proxies["task"]) == set(scores.columns)
    assert all(set(rows["measure"]) == MEASURES for _, rows in proxies.groupby("task"))
    assert not proxies.duplicated(["model", "benchmark"]).any()
    assert (proxies["cost_seconds"] > 0).all()
    assert (proxies["role"] == "proxy").all()
    assert np.isfinite(proxies["score"]).all()


def test_measures_of_probabilities_are_of_networks_with_source_classes(proxies):
    models = read("models")
    trained = set(models.index[models["family"].isin(["ImageNet network", "small network"])])
    for name, rows in proxies[proxies["measure"].isin(OF_PROBABILITIES)].groupby("benchmark"):
        assert set(rows["model"]) == trained, name


def test_the_linear_probe_of_the_proxies_is_that_of_the_wide_table(proxies):
    long = proxies[proxies["measure"] == "linear-probe"]
    wide = long.pivot(index="model", columns="task", values="score")
    probes = read("probes")
    pd.testing.assert_frame_equal(
        wide.loc[probes.index, probes.columns], probes, check_names=False, atol=1e-6
    )


def test_a_probe_takes_part_of_the_seconds_of_fine_tuning(proxies):
    families = read("models")["family"]
    lite = families.index[families == "ImageNet network"]
    logme = proxies[(proxies["measure"] == "logme") & proxies["model"].isin(lite)]
    assert logme["cost_seconds"].median() < 0.5 * read("seconds").loc[lite].median(axis=None)


def test_proxies_are_read_with_their_role_and_cost():
    table = read_table(ENCODERS / "proxies.csv")
    assert set(table.columns["role"]) == {"proxy"}


def test_the_folder_is_small():
    assert sum(path.stat().st_size for path in ENCODERS.glob("*.*")) < FOLDER_BYTES
