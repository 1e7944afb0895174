"""MTEB: subsets, splits, revisions, self-reported scores, times as costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eevee
from tests.readers.harness.conftest import Write, read_as, said


def task(
    name: str, parts: dict[str, float], seconds: float | None = 3.0, version: str = "d1"
) -> dict[str, Any]:
    entries = [{"hf_subset": subset, "main_score": score} for subset, score in parts.items()]
    return {
        "task_name": name,
        "dataset_revision": version,
        "mteb_version": "2.0.0",
        "evaluation_time": seconds,
        "scores": {"test": entries},
    }


def four_models(write: Write) -> Path:
    for i, model in enumerate("abcd"):
        for j, name in enumerate(("STS", "Bank.v2")):
            one = task(name, {"en": 0.2 + 0.1 * i, "de": 0.3 + 0.1 * i * j}, 2.0 + j + i)
            root = write(f"org__{model}/rev1/{name}.json", one)
        write(f"org__{model}/rev1/model_meta.json", {"name": f"org/{model}", "revision": "rev1"})
    return root


def test_a_score_is_the_mean_over_subsets_and_times_are_costs_in_seconds(write: Write):
    table = eevee.read_table(four_models(write))
    assert table.scores.loc["org/b", "STS"] == pytest.approx((0.3 + 0.3) / 2)
    assert list(table.columns["benchmark"]) == ["Bank.v2", "STS"]
    assert table.cost_unit == "seconds"
    assert table.benchmarks.loc["STS", "cost"] == 3.5
    assert eevee.read_table(four_models(write), cost_unit="CPU-seconds").cost_unit == "CPU-seconds"


def test_a_model_with_fewer_subsets_is_named(write: Write):
    root = four_models(write)
    write("org__a/rev1/STS.json", task("STS", {"en": 0.2}))
    assert "2 subsets, of fewer for org/a (1)" in said(eevee.read_table(root))


def test_only_the_test_split_counts_where_there_is_one(write: Write):
    one = task("STS", {"en": 0.2})
    one["scores"]["train"] = [{"hf_subset": "en", "main_score": 0.9}]
    found = read_as(write("org__a/rev1/STS.json", one), "mteb")
    assert [(row.model, row.score) for row in found.rows] == [("org/a", 0.2)]
    assert "train" in found.notes[0].why


def test_what_authors_report_gives_way_to_what_was_measured(write: Write):
    root = four_models(write)
    write("org__a/external/STS.json", task("STS", {"en": 0.99}, None))
    write("org__a/external/model_meta.json", {"name": "org/a", "revision": "external"})
    assert eevee.read_table(root).scores.loc["org/a", "STS"] == 0.25


def test_another_revision_of_a_data_set_is_named(write: Write):
    root = four_models(write)
    write("org__a/rev1/STS.json", task("STS", {"en": 0.2, "de": 0.3}, version="d2"))
    assert "d2 (1 model: org/a)" in said(eevee.read_table(root))


def test_costs_that_a_benchmark_lacks_everywhere_are_left_out_with_a_note(write: Write):
    root = four_models(write)
    for model in "abcd":
        write(f"org__{model}/rev1/STS.json", task("STS", {"en": ord(model) / 200}, None))
    table = eevee.read_table(root)
    assert table.cost_unit == "benchmarks"
    assert "no cost of 1 benchmarks ('STS')" in said(table)


def test_results_of_mteb_before_its_present_layout_are_named(write: Write):
    write("org__a/rev1/Old.json", {"mteb_dataset_name": "Old", "test": {"main_score": 0.1}})
    found = read_as(write("org__a/rev1/STS.json", task("STS", {"en": 0.2})), "mteb")
    assert [(note.action, note.name) for note in found.notes] == [
        ("dropped", "org__a/rev1/Old.json")
    ]
