"""`plan`, `run` and `costs` on the command line, and that every verb reads what they leave."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from eevee.cli import run_progress
from eevee.cli.run_progress import RunProgress
from eevee.readers import read_table
from eevee.running.devices import make_slots
from eevee.running.measured import read_result
from eevee.running.plan import load_plan
from eevee.running.runner import Failure, Step, standing_of
from eevee.tiers.file import TableInfo, TierSet, dump_tiers
from tests.cli.conftest import ROOT
from tests.running.conftest import WRITE, planned, tier_of

PLAN_FILE = Path("plan.json")
HOSTILE = "x; touch pwned"


def write_tiers(*benchmarks: str) -> None:
    table = TableInfo("scores.csv", "", models=6, benchmarks=9)
    tiers = TierSet("eevee", "GPU-hours", table, {}, {}, 0, (tier_of(*benchmarks),))
    dump_tiers(tiers, "tiers.yaml")


PLAN = ("plan", "tiers.yaml", "--models")


def test_a_plan_is_written_and_run_and_collected(here: Path, run, read_json):
    write_tiers("a", HOSTILE)
    done = run(*PLAN, "m/1,n", "--command", WRITE, "--tier", "small")
    assert "tier small: 4 commands (2 models x 2 benchmarks), 4 GPU-hours" in done.stdout
    dry = run("run", "plan.json", "--dry-run").stdout
    assert "4 commands: 0 done, 4 to run, 1 at a time" in dry
    assert "printf '{\"score\": 0.5}' > plan/results/m_1/a.json\n" in dry
    assert not Path("plan").exists()
    done = run("run", "plan.json", "--jobs", "2", "--hardware", "mine")
    assert "4 of 4 commands have a result" in done.stdout
    assert done.stderr.count(": 0.5 in ") == 0  # the next line after 5 seconds without one
    scores = pd.read_csv("plan/results.csv")
    assert scores[["model", "benchmark", "score"]].to_numpy().tolist() == [
        [m, b, 0.5] for m in ("m/1", "n") for b in ("a", HOSTILE)
    ]
    costs = pd.read_csv("plan/costs.csv")
    assert (costs["cost"] == costs["wall_seconds"]).all()
    assert (costs["cost"] > 0).all()
    assert set(costs["hardware"]) == {"mine"}
    assert not Path("pwned").exists()
    before = Path("plan/results.csv").read_bytes(), Path("plan/costs.csv").read_bytes()
    found = read_json("run", "plan.json")
    assert (found["commands"], found["to_run"], len(found["results"])) == (4, 0, 4)
    assert before == (Path("plan/results.csv").read_bytes(), Path("plan/costs.csv").read_bytes())


@pytest.mark.parametrize("format", ["text", "gate", "slurm"])
def test_what_a_hostile_benchmark_is_called_runs_nothing_in_any_format(here, run, format):
    write_tiers(HOSTILE, "$(touch pwned)", "a")
    shown = run(*PLAN, "`touch pwned`,m", "--command", WRITE, "--format", format).stdout
    for i in range(6):
        script = "\n".join(json.loads(shown).values()) if format == "gate" else shown
        subprocess.run(["bash", "-c", script], env={"SLURM_ARRAY_TASK_ID": str(i)}, check=True)
        if format != "slurm":
            break
    assert not Path("pwned").exists()
    # Something else ran them: they count when they are asked for, at costs that nobody knows.
    done = run("run", "plan.json", "--collect-only")
    assert "6 of 6 commands have a result" in done.stdout
    assert done.stdout.count("unknown cost: ") == 6
    assert not Path("plan/costs.csv").exists()
    assert pd.read_csv("plan/results.csv")["score"].tolist() == [0.5] * 6


def test_failures_are_named_with_their_log_and_end_in_exit_code_1(here: Path, run):
    write_tiers("a", "b")
    run(*PLAN, "m", "--command", f"test {{benchmark}} = a && {WRITE}")
    done = run("run", "plan.json", code=1)
    assert "failed: m on b: exit status 1; see plan/logs/m/b.log" in done.stdout
    assert "1 of 2 commands have a result" in done.stdout
    Path("plan/results/m/a.json").write_text("{")
    again = run("run", "plan.json", "--json", code=1)
    assert again.stderr.startswith("runs again: plan/results/m/a.json: ")
    found = json.loads(again.stdout)
    assert found["failed"][0]["why"] == "exit status 1"
    assert [one["benchmark"] for one in found["results"]] == ["a"]


def test_a_plan_in_place_of_another_says_whose_results_it_leaves_behind(here: Path, run):
    write_tiers("a")
    run(*PLAN, "m", "--command", WRITE)
    run("run", "plan.json")
    assert run(*PLAN, "m,n", "--command", WRITE).stderr == ""
    said = run(*PLAN, "n", "--command", WRITE).stderr
    assert "1 of its results are not in this one" in said


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--models", "m", "--command", "run {model}"], "lacks {out}"),
        (["--models", "m", "--command", "run {modle} {out}"], "did you mean 'model'?"),
        (["--models", "a/b,a b", "--command", WRITE], "would write the same file"),
        (["--models", "m", "--command", WRITE, "--tier", "big"], "no tier 'big'"),
        (["--models", "m", "--command", WRITE, "--out", "p.yaml"], "must end in .json"),
    ],
)
def test_a_plan_that_cannot_be_made_is_one_line(here: Path, fails, args, said):
    write_tiers("a")
    assert said in fails("plan", "tiers.yaml", *args)
    assert [path.name for path in here.iterdir()] == ["tiers.yaml"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "plan.json", "--jobs", "x"], "jobs are a number"),
        (["run", "plan.json", "--time-limit", "soon"], "a time is a number of seconds"),
        ([*PLAN, "m", "--command", WRITE, "--format", "text", "--json"], "either --json or"),
        (["costs", "tiers.yaml", "--out", "tiers.yaml"], "--out is one of the files"),
    ],
)
def test_wrong_usage_is_said(here: Path, misused, args, said):
    write_tiers("a")
    planned()
    assert said in misused(*args)


# --- what other verbs read -----------------------------------------------------------------------


@pytest.fixture
def measured(here: Path, run) -> pd.DataFrame:
    """Results of 8 models on 4 benchmarks, whose commands measured their own seconds."""
    rng = np.random.default_rng(0)
    names = [f"b{i}" for i in range(4)]
    models = [f"m{i}" for i in range(8)]
    scores = pd.DataFrame(rng.random((8, 4)).round(3), models, names).rename_axis("model")
    plan = planned(models=models, benchmarks=names)
    for job in plan.jobs:
        path = Path(job.out)
        path.parent.mkdir(parents=True, exist_ok=True)
        score = scores.loc[job.model, job.benchmark]
        seconds = names.index(job.benchmark) + 1
        path.write_text(json.dumps({"score": score, "seconds": seconds}))
    run("run", "plan.json", "--collect-only")
    return scores


def test_tiers_impute_predict_and_import_take_results_and_costs_as_they_are(
    here: Path, measured: pd.DataFrame, run, read_json
):
    table = read_table("plan/results.csv", costs="plan/costs.csv")
    pd.testing.assert_frame_equal(table.scores, measured, check_names=False)
    assert table.benchmarks["cost"].tolist() == [1, 2, 3, 4]
    of = ("--costs", "plan/costs.csv", "--cost-unit", "seconds")
    ridge = ("--scorer", "ridge", "--n-splits", "2", "--no-baselines", "--search", "greedy")
    run("tiers", "plan/results.csv", *of, "--budget", "small=3", *ridge)
    measured.iloc[:, :3].to_csv("three.csv")
    long = pd.read_csv("plan/results.csv")
    long[~((long["model"] == "m0") & (long["benchmark"] == "b3"))].to_csv("gap.csv", index=False)
    advice = read_json("impute", "gap.csv", *of, "--for-model", "m0")["next"]["benchmarks"]
    assert [one["benchmark"] for one in advice] == ["b3"]
    measured.iloc[:6].to_csv("six.csv")
    new = ("--scores", "six.csv", "--subset", "b0,b1,b2,b3", "--scorer", "ridge")
    found = read_json("predict", "plan/results.csv", *new)
    assert {one["model"] for one in found["scores"]} == {f"m{i}" for i in range(8)}
    run("import", "six.csv", "plan/results.csv", "--out", "all.csv", "--on-conflict", "first")
    assert len(pd.read_csv("all.csv")) == 32


def test_costs_of_two_machines_are_merged_and_what_is_unknown_is_named(
    here: Path, measured: pd.DataFrame, run, read_json
):
    run("run", "plan.json", "--collect-only", "--hardware", "fast")
    Path("other.csv").write_text(
        "model,benchmark,cost,hardware\nm0,b0,2,slow\nm0,b1,4,slow\nm9,b0,10,slow\nm0,c,1,far\n"
    )
    args = ("costs", "plan/costs.csv", "other.csv", "--out", "costs.csv")
    shown = run(*args).stdout
    assert "left out: 1 costs of far: " in shown
    assert "unknown cost: c\n" in shown
    found = read_json(*args)
    assert (found["reference"], found["unknown"], found["costs"]) == ("fast", ["c"], 33)
    assert {name: one["speed"] for name, one in found["machines"].items()} == {
        "fast": 1, "slow": 0.5, "far": None,
    }  # fmt: skip
    table = read_table("plan/results.csv", costs="costs.csv")
    assert table.benchmarks["cost"].tolist() == [1, 2, 3, 4]


def test_metrics_of_a_result_become_columns(here: Path, run):
    plan = planned(models=[f"m{i}" for i in range(4)])
    for i, job in enumerate(plan.jobs):
        Path(job.out).parent.mkdir(parents=True)
        Path(job.out).write_text(json.dumps({"score": {"acc": i / 10, "f1": i / 20}}))
    run("run", "plan.json", "--collect-only")
    scores = read_table("plan/results.csv").scores
    assert scores.to_dict("list") == {"a.acc": [0, 0.1, 0.2, 0.3], "a.f1": [0, 0.05, 0.1, 0.15]}
    Path(plan.jobs[0].out).write_text('{"score": 1, "metric": "acc"}')
    assert read_result(Path(plan.jobs[0].out)).scores == {"acc": 1.0}


# --- on a terminal -------------------------------------------------------------------------------


def test_the_live_table_has_a_row_per_running_command(here: Path):
    plan = planned(models=["m[red]", "n"])
    slots = make_slots(2, [])
    progress = RunProgress(plan, standing_of(plan), slots)
    first, second = plan.jobs
    assert progress.take(Step(slots[0], first)) == ""
    progress.take(Step(slots[1], second))
    line = progress.take(Step(slots[1], second, Failure(second, "exit status 2", Path("l"), 1)))
    assert line.startswith("0/2 n on a: failed after ")
    shown = io.StringIO()
    Console(file=shown, width=80, force_terminal=True).print(progress)
    assert "m[red]" in shown.getvalue()
    assert "0 of 2 done, 1 failed" in shown.getvalue()
    assert "exit status" not in shown.getvalue()


def test_plain_lines_come_now_and_then_and_failures_always(
    here: Path, monkeypatch: pytest.MonkeyPatch
):
    clock = [0.0]
    monkeypatch.setattr(run_progress, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    plan = planned(models=[f"m{i}" for i in range(30)])
    (slot,) = make_slots(1, [])
    progress = run_progress.RunProgress(plan, standing_of(plan), (slot,))
    said: dict[float, str] = {}
    for i, job in enumerate(plan.jobs):
        progress.take(Step(slot, job), 5.0)
        clock[0] = i + 1.0
        fails = i in (6, 7)
        done = SimpleNamespace(result=SimpleNamespace(scores={"": 0.5}))
        ended: Any = Failure(job, "exit status 2", Path("l"), 1) if fails else done
        line = progress.take(Step(slot, job, ended), 5.0)
        if line:
            said[clock[0]] = line
    assert list(said) == [5, 7, 8, 13, 18, 23, 28]
    assert said[5] == f"5/30 m4 on {plan.jobs[4].benchmark}: 0.5 in 1 s"
    assert said[8].endswith("failed after 1 s: exit status 2")
    assert said[28].startswith("26/30 ")


def test_the_shipped_plan_is_what_its_command_writes(here: Path, run):
    (here / "data").symlink_to(ROOT / "data")
    shipped = load_plan(Path("data/zoo/plan.json"))
    command = "python data/zoo/evaluate.py --model {model} --benchmark {benchmark} --out {out}"
    args = ("--tier", "small", "--models", "knn-5,logistic-c10", "--command", command)
    run("plan", "data/zoo/tiers.yaml", *args)
    made = [job.command.replace(" plan/", " data/zoo/plan/") for job in load_plan(PLAN_FILE).jobs]
    assert made == [job.command for job in shipped.jobs]


def test_the_shipped_adaptive_plan_has_every_benchmark_of_the_table():
    shipped, table = (
        load_plan(ROOT / "data/zoo/adaptive.json"),
        read_table(ROOT / "data/zoo/scores.csv"),
    )
    assert tuple(job.benchmark for job in shipped.jobs) == table.benchmark_names
    assert {job.model for job in shipped.jobs} == {"knn-5"}
