"""HELM: main metrics, perturbations, splits, times; leaderboards."""

from __future__ import annotations

from typing import Any

from tests.readers.harness.conftest import Write, read_as, scores


def stat(name: str, mean: float, split: str = "test", **more: Any) -> dict[str, Any]:
    return {"name": {"name": name, "split": split, **more}, "count": 1, "mean": mean}


STATS = [
    stat("exact_match", 0.1, perturbation={"name": "robustness"}),
    stat("exact_match", 0.9, "valid"),
    stat("exact_match", 0.5),
    stat("f1_score", 0.7),
    stat("num_instances", 10),
    stat("inference_runtime", 1.5),
    stat("inference_runtime", 9.0, perturbation={"name": "fairness"}),
    {"name": {"name": "quasi_exact_match", "split": "test"}, "count": 0},
]
SPEC = {
    "name": "mmlu:subject=philosophy,method=joint,model=openai_gpt-4",
    "adapter_spec": {"model": "openai/gpt-4"},
    "groups": ["mmlu"],
}


def test_the_main_metric_on_the_test_split_without_perturbation(write: Write):
    write("runs/v1/mmlu:x/stats.json", STATS)
    found = read_as(write("runs/v1/mmlu:x/run_spec.json", SPEC), "helm")
    key = ("openai/gpt-4", "mmlu:subject=philosophy,method=joint", "exact_match")
    assert scores(found) == {key: 0.5}
    assert found.rows[0].cost == 15.0
    assert "exact_match" in found.notes[0].why


def test_the_schema_of_a_release_says_which_metric_is_the_main_one(write: Write):
    write("runs/v1/mmlu:x/stats.json", STATS)
    main = {"main_name": "f1_score", "main_split": "test"}
    write("runs/v1/schema.json", {"run_groups": [{"name": "mmlu", "environment": main}]})
    found = read_as(write("runs/v1/mmlu:x/run_spec.json", SPEC), "helm")
    assert [row.metric for row in found.rows] == ["f1_score"]


def test_a_run_without_a_known_metric_is_named(write: Write):
    write("runs/v1/a/stats.json", STATS)
    write("runs/v1/a/run_spec.json", SPEC)
    write("runs/v1/b/stats.json", [stat("num_instances", 3)])
    found = read_as(write("runs/v1/b/run_spec.json", SPEC), "helm")
    assert len(found.rows) == 1
    assert "1 runs have no main metric" in found.notes[-1].why


def test_tables_of_helm_summarize(write: Write):
    header = [
        {"value": "Model", "metadata": {}},
        {"value": "Mean win rate", "lower_is_better": False},
        {"value": "MMLU - EM", "lower_is_better": False, "metadata": {"run_group": "MMLU"}},
        {"value": "ICE - BPB", "lower_is_better": True, "metadata": {"run_group": "ICE"}},
        {"value": "# eval"},
    ]
    rows = [[{"value": "GPT"}, {"value": 0.9}, {"value": 0.5}, {"value": None}, {"value": 7}]]
    table = {"title": "Accuracy", "header": header, "rows": rows}
    other = table | {"title": "Calibration", "rows": [[{"value": "GPT"}, {}, {"value": 0.1}]]}
    found = read_as(write("groups/core.json", [table, other]), "helm-table")
    assert scores(found) == {("GPT", "MMLU - EM", ""): 0.5}
    assert found.rows[0].direction == "higher"


def test_an_export_with_models_as_columns(write: Write):
    text = "Metric,GPT,ada\nMMLU - EM,0.5,0.2\nBoolQ - EM,0.7,-\nMean win rate,1,0\n"
    found = read_as(write("core.csv", text), "helm-table")
    assert scores(found) == {
        ("GPT", "MMLU - EM", ""): 0.5,
        ("ada", "MMLU - EM", ""): 0.2,
        ("GPT", "BoolQ - EM", ""): 0.7,
    }
