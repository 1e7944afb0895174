"""Public tables of several shapes go through a search, from the folder beside the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eevee.search.evolution import evolve as evolution
from eevee.search.evolution import generations
from tests.cli.conftest import FAST, ROOT
from tests.cli.test_help import Small

DATA = ROOT.parent / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the public tables (shared/data beside the project) are not here"
)
ReadJson = Callable[..., Any]


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (evolution, generations):
        monkeypatch.setattr(module, "Evolution", Small)


@pytest.mark.slow
def test_tiers(read_json: ReadJson):
    budgets = ("--budget", "small=1", "--budget", "big=25%")
    found = read_json("tiers", DATA / "helm_accuracy.csv", *budgets, *FAST, "--no-exhaustive")
    assert (found["table"]["models"], found["table"]["benchmarks"]) == (67, 16)
    small, big = found["tiers"]
    assert (small["cost"], big["budget"]) == (1, 4)
    assert big["search_loss"]["rescored_mean"] < small["search_loss"]["rescored_mean"]


@pytest.mark.parametrize(
    ("name", "options", "unit"),
    [
        ("gate_eevee_59.csv", [], "benchmarks"),
        ("raw/gate_two_header_rows.csv", [], "benchmarks"),
        ("openclip_38.csv", [], "benchmarks"),
        (
            "mteb_eng_v2_sparse.csv",
            ["--costs", DATA / "mteb_eng_v2_sparse_seconds.csv", "--cost-unit", "seconds"],
            "seconds",
        ),
        ("raw/clip_benchmark_long.csv", ["--model-column", "model_fullname"], "benchmarks"),
    ],
)
@pytest.mark.slow
def test_select(read_json: ReadJson, name: str, options: list[Any], unit: str):
    quick = (*FAST, "--no-exhaustive", "--no-baselines")
    found = read_json("select", DATA / name, *options, "-k", 3, *quick)
    assert len(found["best"]) == 3
    assert found["cost_unit"] == unit
    assert found["ranked"][0]["loss"] < min(found["mean_predictor"], found["random_median"])


def test_gate_metrics_of_a_data_set_are_one_benchmark(read_json: ReadJson):
    found = read_json("describe", DATA / "raw/gate_two_header_rows.csv")
    assert (found["benchmarks"], found["columns"]) == (31, 59)
