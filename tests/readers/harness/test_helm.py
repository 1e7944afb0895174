"""HELM: main metrics, perturbations, splits, times; leaderboards."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("groups", "has", "metric", "direction"),
    [
        # Run groups and main metrics as in the schema files of crfm-helm 0.5.16.
        (["mmlu"], ["quasi_exact_match", "exact_match"], "exact_match", "higher"),
        (["legalbench"], ["exact_match", "quasi_exact_match"], "quasi_exact_match", "higher"),
        (["narrative_qa"], ["exact_match", "rouge_l", "f1_score"], "f1_score", "higher"),
        (["gsm"], ["exact_match_indicator", "final_number_exact_match"],
         "final_number_exact_match", "higher"),
        (["gsm"], ["exact_match_indicator"], "exact_match_indicator", "higher"),
        (["bbq"], ["bbq_accuracy"], "bbq_accuracy", "higher"),
        (["librispeech"], ["quasi_exact_match", "wer_score"], "wer_score", "lower"),
        (["the_pile"], ["perplexity", "bits_per_byte"], "bits_per_byte", "lower"),
        (["czech_bank_qa"], ["error_rate"], "error_rate", "lower"),
        (["my_own"], ["f1_score", "exact_match"], "exact_match", "higher"),
    ],
)  # fmt: skip
def test_without_a_schema_main_metrics_are_those_of_helm(
    groups: list[str], has: list[str], metric: str, direction: str, write: Write
):
    write("runs/v1/x/stats.json", [stat(name, 0.5) for name in has])
    found = read_as(write("runs/v1/x/run_spec.json", SPEC | {"groups": groups}), "helm")
    assert [(row.metric, row.direction) for row in found.rows] == [(metric, direction)]


def test_the_schema_of_a_release_says_which_way_is_better(write: Write):
    write("runs/v1/x/stats.json", [stat("regret", 0.5), stat("exact_match", 0.5)])
    group = {"name": "mine", "environment": {"main_name": "regret", "main_split": "test"}}
    metrics = [{"name": "regret", "lower_is_better": True}]
    write("runs/v1/schema.json", {"run_groups": [group], "metrics": metrics})
    found = read_as(write("runs/v1/x/run_spec.json", SPEC | {"groups": ["mine"]}), "helm")
    assert [(row.metric, row.direction) for row in found.rows] == [("regret", "lower")]


def test_what_adapts_a_run_to_its_model_makes_no_other_benchmark(write: Write):
    for name, more in (("a", ",stop=hash"), ("b", "")):
        spec = {"name": f"boolq:model={name}{more},data_augmentation=canonical"}
        write(f"runs/v1/{name}/stats.json", [stat("exact_match", 0.5)])
        root = write(f"runs/v1/{name}/run_spec.json", spec)
    assert {row.benchmark for row in read_as(root, "helm").rows} == {"boolq"}


def test_a_run_without_a_known_metric_is_named(write: Write):
    write("runs/v1/a/stats.json", STATS)
    write("runs/v1/a/run_spec.json", SPEC)
    write("runs/v1/b/stats.json", [stat("num_instances", 3)])
    found = read_as(write("runs/v1/b/run_spec.json", SPEC), "helm")
    assert len(found.rows) == 1
    assert "1 runs without a main metric" in found.notes[-1].why


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
