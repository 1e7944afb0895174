"""What our readers make of a file is what the harness's own package makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.readers.harness.conftest import read_as
from tests.readers.harness.test_mteb import task

pytestmark = pytest.mark.harness
RAW = Path(__file__).parents[3].parent / "shared" / "data" / "raw"


def test_lm_eval_writes_what_we_read(tmp_path: Path):
    tracker = pytest.importorskip("lm_eval.loggers.evaluation_tracker").EvaluationTracker
    results = {
        "results": {
            "arc": {"alias": "arc", "acc,none": 0.25, "acc_stderr,none": 0.01},
            "all": {"alias": "all", "acc,none": 0.25},
        },
        "groups": {"all": {"acc,none": 0.25}},
        "group_subtasks": {"all": ["arc"]},
        "configs": {},
        "versions": {"arc": 1.0},
        "n-shot": {"arc": 0},
        "higher_is_better": {"arc": {"acc": True}},
        "config": {"model": "hf", "model_args": "pretrained=org/a,dtype=auto", "limit": None},
        "date": 1.0,
    }
    one = tracker(output_path=str(tmp_path))
    one.general_config_tracker.log_experiment_args(
        model_source="hf",
        model_args="pretrained=org/a,dtype=auto",
        system_instruction="",
        chat_template="",
        fewshot_as_multiturn=False,
    )
    one.save_results_aggregated(results, samples={})
    (path,) = tmp_path.rglob("results_*.json")
    assert json.loads(path.read_text())["model_name"] == "org/a"
    (row,) = read_as(tmp_path, "lm-eval").rows
    assert (row.cell, row.score, row.stderr) == (("org/a", "arc", "acc"), 0.25, 0.01)
    assert row.direction == "higher"
    assert row.cost > 0


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_writes_what_we_read(tmp_path: Path, suffix: str):
    log = pytest.importorskip("inspect_ai.log")
    made = log.EvalLog(
        status="success",
        eval=log.EvalSpec(
            created="2025-01-01T00:00:00+00:00",
            task="arc",
            dataset=log.EvalDataset(),
            model="openai/gpt",
            config=log.EvalConfig(),
        ),
        results=log.EvalResults(
            total_samples=4,
            completed_samples=4,
            scores=[
                log.EvalScore(
                    name="choice",
                    scorer="choice",
                    metrics={
                        "accuracy": log.EvalMetric(name="accuracy", value=0.5),
                        "stderr": log.EvalMetric(name="stderr", value=0.1),
                    },
                )
            ],
        ),
        stats=log.EvalStats(
            started_at="2025-01-01T00:00:00+00:00", completed_at="2025-01-01T00:02:00+00:00"
        ),
    )
    path = tmp_path / f"log.{suffix}"
    log.write_eval_log(made, str(path))
    theirs = log.read_eval_log(str(path), header_only=True)
    (row,) = read_as(tmp_path, "inspect").rows
    assert row.cell == (theirs.eval.model, theirs.eval.task, "accuracy")
    assert row.score == theirs.results.scores[0].metrics["accuracy"].value
    assert row.stderr == theirs.results.scores[0].metrics["stderr"].value
    assert row.cost == 120.0


def test_mteb_reads_the_same_scores(tmp_path: Path):
    mteb = pytest.importorskip("mteb")
    made = task("STS12", {"default": 0.5})
    for entry in made["scores"]["test"]:
        entry["languages"] = ["eng-Latn"]
    path = tmp_path / "org__a" / "rev1" / "STS12.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(made))
    folders = [tmp_path, *([RAW / "mteb_results"] if RAW.is_dir() else [])]
    results = getattr(mteb, "TaskResult", None) or mteb.results.TaskResult
    for folder in folders:
        for row in read_as(folder, "mteb").rows:
            theirs = results.from_disk(folder / row.where)
            split = "test" if "test" in theirs.scores else None
            score = theirs.get_score(splits=[split] if split else None)
            assert row.benchmark == theirs.task_name
            assert row.score == pytest.approx(score, rel=1e-12)
