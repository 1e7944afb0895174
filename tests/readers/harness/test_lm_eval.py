"""lm-evaluation-harness: groups, filters, errors of text, limits, several runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import eevee
from tests.readers.harness.conftest import Write, read_as, said, scores


def run(model: str = "org/a", value: float = 0.5, **more: Any) -> dict[str, Any]:
    return {
        "results": {
            "arc": {
                "alias": "arc",
                "acc,none": value,
                "acc_stderr,none": 0.01,
                "acc_norm,none": value + 0.1,
                "acc_norm_stderr,none": "N/A",
                "sample_len": 100,
            },
            "gsm8k": {"exact_match,strict-match": value, "exact_match_stderr,strict-match": 0.02},
            "wiki": {"alias": "wiki", "word_perplexity,none": 20 - value},
        },
        "config": {"model": "hf", "model_args": f"pretrained={model},dtype=auto", "limit": None},
        "configs": {},
        "versions": {"arc": 1.0},
        "n-shot": {"arc": 25},
        "higher_is_better": {"wiki": {"word_perplexity": False}, "arc": {"acc": True}},
        "date": 1.0,
        "lm_eval_version": "0.4.9",
    } | more


def test_metrics_keep_their_filters_and_what_is_no_number_is_no_score(write: Write):
    found = read_as(write("org__a/results_1.json", run()), "lm-eval")
    assert scores(found) == {
        ("org/a", "arc", "acc"): 0.5,
        ("org/a", "arc", "acc_norm"): 0.6,
        ("org/a", "gsm8k", "exact_match,strict-match"): 0.5,
        ("org/a", "wiki", "word_perplexity"): 19.5,
    }
    rows = {row.metric: row for row in found.rows}
    assert rows["acc"].stderr == 0.01
    assert math.isnan(rows["acc_norm"].stderr)
    assert rows["exact_match,strict-match"].stderr == 0.02
    assert rows["word_perplexity"].direction == "lower"
    assert (rows["acc"].harness, rows["acc"].version) == ("lm-eval 0.4.9", "1.0, 25-shot")


def test_a_group_beside_its_subtasks_is_left_out_and_one_alone_stays(write: Write):
    one = run()
    one["results"] |= {"group": {"acc,none": 0.5}, "lone": {"acc,none": 0.7}}
    one["groups"] = {"group": {"acc,none": 0.5}, "lone": {"acc,none": 0.7}}
    one["group_subtasks"] = {"group": ["arc", "gsm8k"], "lone": ["not_logged"]}
    found = read_as(write("results_1.json", one), "lm-eval")
    assert {row.benchmark for row in found.rows} == {"arc", "gsm8k", "wiki", "lone"}
    assert [note.name for note in found.notes] == ["group"]


def test_the_time_of_a_run_is_the_cost_of_its_only_task_and_of_none_of_several(write: Write):
    single = run(total_evaluation_time_seconds="12.5")
    single["results"] = {"arc": single["results"]["arc"]}
    root = write("results_1.json", single)
    assert {row.cost for row in read_as(root, "lm-eval").rows} == {12.5}
    write("results_2.json", run(total_evaluation_time_seconds="99", model="org/b"))
    found = read_as(root, "lm-eval")
    assert all(math.isnan(row.cost) for row in found.rows if row.model == "org/b")
    assert [note.action for note in found.notes] == ["ignored"]


def test_a_revision_or_adapter_makes_another_model(write: Write):
    config = {"model_args": {"pretrained": "org/a", "revision": "step100", "peft": "org/lora"}}
    found = read_as(write("results_1.json", run(config=config)), "lm-eval")
    assert {row.model for row in found.rows} == {"org/a|revision=step100|peft=org/lora"}


def four_models(write: Write) -> Path:
    for i, name in enumerate("abcd"):
        root = write(f"org__{name}/results_1.json", run(f"org/{name}", 0.2 + 0.1 * i * i))
    return root


def test_every_reader_of_tables_takes_the_folder(write: Write):
    table = eevee.read_table(four_models(write))
    assert list(table.scores.index) == ["org/a", "org/b", "org/c", "org/d"]
    assert table.columns.loc["wiki.word_perplexity", "direction"] == "lower"
    assert table.columns.loc["arc.acc", "direction_source"] == "read"
    assert table.stderrs is not None
    assert table.stderrs.loc["org/a", "arc.acc"] == 0.01


def test_two_runs_that_differ_are_an_error_that_names_both_files(write: Write):
    root = four_models(write)
    write("org__a/results_2.json", run("org/a", 0.9, date=2.0))
    with pytest.raises(eevee.EeveeError, match=r"results_1\.json.*results_2\.json.*mean, first"):
        eevee.read_table(root)
    assert eevee.read_table(root, duplicates="last").scores.loc["org/a", "arc.acc"] == 0.9
    assert eevee.read_table(root, duplicates="mean").scores.loc["org/a", "arc.acc"] == 0.55


def test_a_run_with_a_limit_gives_way_to_a_whole_one(write: Write):
    root = four_models(write)
    limited = run("org/a", 0.9)
    limited["config"] |= {"limit": 10}
    write("org__a/results_0.json", limited)
    table = eevee.read_table(root)
    assert table.scores.loc["org/a", "arc.acc"] == 0.2
    assert "--limit 10" in said(table)


def test_another_version_of_a_task_is_named(write: Write):
    root = four_models(write)
    write("org__e/results_1.json", run("org/e", 0.95, versions={"arc": 2.0}))
    assert "2.0, 25-shot (1 model: org/e)" in said(eevee.read_table(root))
