"""Inspect, lighteval, VLMEvalKit, Every Eval Ever."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

from tests.readers.harness.conftest import Write, read_as, scores


def log(value: float = 0.5, status: str = "success", **about: Any) -> dict[str, Any]:
    metrics = {"accuracy": {"value": value}, "stderr": {"value": 0.02}}
    return {
        "version": 2,
        "status": status,
        "eval": {"task": "arc", "model": "openai/gpt", "packages": {"inspect_ai": "0.3"}} | about,
        "results": {
            "total_samples": 9,
            "completed_samples": 9,
            "scores": [{"name": "choice", "scorer": "choice", "metrics": metrics}],
        },
        "stats": {
            "started_at": "2025-01-01T10:00:00+00:00",
            "completed_at": "2025-01-01T10:01:00+00:00",
        },
    }


def test_inspect_counts_only_what_succeeded(write: Write):
    write("a.json", log())
    write("b.json", log(0.1, "error"))
    found = read_as(write("c.json", log(0.2, "cancelled")), "inspect")
    assert scores(found) == {("openai/gpt", "arc", "accuracy"): 0.5}
    assert (found.rows[0].stderr, found.rows[0].cost) == (0.02, 60.0)
    assert "1 error, 1 cancelled" in found.notes[0].why


def test_inspect_reads_the_header_of_a_packed_log(tmp_path: Path):
    for name, member in (("done.eval", "header.json"), ("begun.eval", "_journal/start.json")):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member, json.dumps(log()))
            archive.writestr("samples/1_epoch_1.json", "{}")
    found = read_as(tmp_path, "inspect")
    assert len(found.rows) == 1
    assert "1 started" in found.notes[0].why


def test_inspect_arguments_make_other_benchmarks(write: Write):
    write("a.json", log(0.5, task_args={"shots": 5}))
    found = read_as(write("b.json", log(0.2, task_args={"shots": 0})), "inspect")
    assert {row.benchmark for row in found.rows} == {"arc(shots=5)", "arc(shots=0)"}


def test_inspect_names_scorers_where_there_are_several(write: Write):
    one = log()
    one["results"]["scores"].append({"name": "f1", "metrics": {"mean": {"value": 0.7}}})
    found = read_as(write("a.json", one), "inspect")
    assert {row.metric for row in found.rows} == {"choice/accuracy", "f1/mean"}


LIGHTEVAL = {
    "config_general": {"model_name": "org/a", "total_evaluation_time_secondes": "9.5"},
    "results": {
        "gsm8k|0": {"em": 0.5, "em_stderr": 0.1},
        "leaderboard|mmlu:law|5|0": {"acc": 0.6},
        "leaderboard|mmlu:_average|5": {"acc": 0.6},
        "all": {"em": 0.5, "acc": 0.6},
    },
    "versions": {"gsm8k|0": 1},
    "config_tasks": {"gsm8k|0": {"metrics": [{"metric_name": "em", "higher_is_better": True}]}},
}


def test_lighteval_leaves_means_out_and_shortens_old_names(write: Write):
    found = read_as(write("results/org/a/results_1.json", LIGHTEVAL), "lighteval")
    assert scores(found) == {
        ("org/a", "gsm8k|0", "em"): 0.5,
        ("org/a", "mmlu:law|5", "acc"): 0.6,
    }
    assert found.rows[0].stderr == 0.1
    assert found.rows[0].direction == "higher"
    assert math.isnan(found.rows[0].cost)
    assert {"all", "leaderboard|mmlu:_average|5"} <= {note.name for note in found.notes}


def test_vlmevalkit_has_a_main_score_per_benchmark(write: Write):
    write("qwen/qwen_MMBench_acc.csv", "split,Overall,OCR\ndev,0.8,0.7\ntest,0.7,0.6\n")
    write("qwen/qwen_MMVet_gpt-4-turbo_score.csv", "Category,tot,acc\nocr,9,50\nOverall,20,60\n")
    write("qwen/T20250101_G1234/qwen_OCRBench_score.json", {"Final Score": 800, "Text": 50})
    write("qwen/qwen_Hallusion_score.csv", "split,aAcc,fAcc,qAcc\nVD,1,2,3\nOverall,60,30,40\n")
    found = read_as(write("qwen/qwen_X_score.csv", "a,b\nx,1\ny,2\n"), "vlmevalkit")
    assert scores(found) == {
        ("qwen", "MMBench", "Overall dev"): 0.8,
        ("qwen", "MMBench", "Overall test"): 0.7,
        ("qwen", "MMVet", "acc"): 60,
        ("qwen", "OCRBench", "Final Score"): 800,
        ("qwen", "Hallusion", "aAcc"): 60,
        ("qwen", "Hallusion", "fAcc"): 30,
        ("qwen", "Hallusion", "qAcc"): 40,
    }
    assert {row.version for row in found.rows} == {"", "judge gpt-4-turbo"}
    assert [note.name for note in found.notes] == ["qwen/qwen_X_score.csv"]


def test_vlmevalkit_says_primary_metrics_in_the_status_of_a_run(write: Write):
    # As vlmeval/smp/status_report.py writes it; values of older ones stand beside the name.
    datasets = {
        "MMBench": {
            "status": "done",
            "judge_model": "gpt-4-turbo",
            "primary_metric": "split=dev|Overall",
            "metrics": {"split=dev|Overall": 0.8, "split=dev|OCR": 0.3},
        },
        "MME": {
            "primary_metric": ["perception", "reasoning"],
            "metrics": {"perception": 1500, "reasoning": 300},
        },
        "OCRBench": {"primary_metric": "Final Score", "primary_metric_value": 700},
        "POPE": {"status": "infer"},
        "qwen_known": {"primary_metric": "acc", "metrics": {"acc": 1}},
    }
    status = {"schema_version": "1.0", "eval_id": "T1", "model_name": "qwen", "datasets": datasets}
    found = read_as(write("qwen/T20250101_Gabc/status.json", status), "vlmevalkit")
    assert scores(found) == {
        ("qwen", "MMBench", "split=dev|Overall"): 0.8,
        ("qwen", "MME", "perception"): 1500,
        ("qwen", "MME", "reasoning"): 300,
        ("qwen", "OCRBench", "Final Score"): 700,
        ("qwen", "qwen_known", "acc"): 1,
    }
    assert found.rows[0].version == "judge gpt-4-turbo"


def record(relation: str, score: float) -> dict[str, Any]:
    results = [
        {
            "evaluation_name": "MMLU",
            "source_data": {"dataset_name": "mmlu"},
            "metric_config": {"lower_is_better": True, "metric_name": "error"},
            "score_details": {
                "score": score,
                "uncertainty": {"standard_error": {"value": 0.01}},
            },
        },
        {"evaluation_name": "Mean score", "metric_config": {}, "score_details": {"score": 1}},
    ]
    return {
        "schema_version": "0.3.0",
        "source_metadata": {"evaluator_relationship": relation},
        "eval_library": {"name": "helm", "version": "0.5"},
        "model_info": {"name": "A", "id": "org/a"},
        "evaluation_results": results,
    }


def test_every_eval_ever_says_direction_error_and_who_measured(write: Write):
    write("mmlu/org/a/1.json", record("first_party", 0.9))
    found = read_as(write("mmlu/org/a/2.json", record("third_party", 0.5)), "every-eval-ever")
    own, other = found.rows
    assert other.cell == ("org/a", "MMLU", "error")
    assert (other.direction, other.stderr, other.harness) == ("lower", 0.01, "helm 0.5")
    assert own.lesser
    assert not other.lesser
    assert [note.name for note in found.notes] == ["Mean score"]


def test_records_of_older_schemas_name_metrics_by_a_word_and_the_last_is_the_latest(write: Write):
    for i, (time, score) in enumerate((("20.5", 0.5), ("10.5", 0.4))):
        one = record("third_party", score) | {"retrieved_timestamp": time}
        one["evaluation_results"][0]["metric_config"] = {"evaluation_description": "accuracy"}
        root = write(f"mmlu/org/a/{i}.json", one)
    found = read_as(root, "every-eval-ever")
    assert [(row.metric, row.score) for row in found.rows] == [("accuracy", 0.4), ("accuracy", 0.5)]


def test_a_revision_makes_another_model_of_lighteval(write: Write):
    general = {"model_config": {"model_name": "org/a", "revision": "step1"}, "lighteval_sha": "?"}
    found = read_as(write("r.json", LIGHTEVAL | {"config_general": general}), "lighteval")
    assert {(row.model, row.harness) for row in found.rows} == {
        ("org/a|revision=step1", "lighteval")
    }
