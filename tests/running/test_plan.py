"""Plans: what is in them, what is refused, and that nothing in one from elsewhere is trusted."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.running.handover import FORMATS, make_folders
from eevee.running.plan import load_plan, make_plan
from tests.running.conftest import WRITE, planned, tier_of

HOSTILE = "x; touch pwned"


def test_there_is_one_command_per_model_and_benchmark(here: Path):
    plan = planned(
        "run {benchmark} --model={model} > {out}", models=["a/1", "b"], benchmarks=["x", "y z"]
    )
    assert [job.command for job in plan.jobs] == [
        "run x --model=a/1 > plan/results/a_1/x.json",
        "run 'y z' --model=a/1 > plan/results/a_1/y_z.json",
        "run x --model=b > plan/results/b/x.json",
        "run 'y z' --model=b > plan/results/b/y_z.json",
    ]
    assert load_plan(Path("plan.json")) == plan


@pytest.mark.parametrize(
    ("models", "benchmarks", "said"),
    [
        (["a/b", "a b"], ["x"], "would write the same file, plan/results/a_b/x.json"),
        (["m"], ["A", "a"], "would write the same file"),  # one file where case does not count
        (["m", "m"], ["x"], "'m' is given twice"),
        (["m\n"], ["x"], "control character"),
        (["m"], ["x\x1b[31m"], "control character"),
    ],
)
def test_names_that_cannot_be_told_apart_or_shown_are_refused(here, models, benchmarks, said):
    with pytest.raises(EeveeError, match=r"^[^\n]*$") as caught:
        make_plan(tier_of(*benchmarks), models, WRITE, Path("plan.json"))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run {model}", "lacks {out}"),
        ("run {modle} {out}", "unknown placeholder {modle} (did you mean 'model'?)"),
        (
            "awk '{print}' {out}",
            "{print} in quotes; leave that out: values are quoted already, and braces",
        ),
    ],
)
def test_a_command_names_what_a_plan_has(here: Path, command: str, said: str):
    with pytest.raises(EeveeError, match=r"^[^\n]*$") as caught:
        make_plan(tier_of("a"), ["m"], command, Path("plan.json"))
    assert said in str(caught.value)


def test_a_plan_must_be_called_json(here: Path):
    with pytest.raises(EeveeError, match=r"must end in \.json"):
        make_plan(tier_of("a"), ["m"], WRITE, Path("plan.yaml"))


# --- plans from elsewhere ------------------------------------------------------------------------


def write(**changes: object) -> None:
    job = {"model": "m", "benchmark": "a", "command": "x", "out": "plan/results/m/a.json"}
    changed = {key: value for key, value in changes.items() if key in job}
    content = {"schema": "eevee.plan/1", "created_with": "x", "tier": "t", "jobs": [job | changed]}
    rest = {key: value for key, value in changes.items() if key not in job}
    Path("plan.json").write_text(json.dumps(content | rest))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"out": "/etc/passwd.json"}, "jobs[0].out"),
        ({"out": "plan/results/../../x.json"}, "jobs[0].out"),
        ({"out": "plan/logs/x.json"}, "jobs[0].out"),
        ({"out": "plan/results/x"}, "jobs[0].out"),
        ({"out": "results/m/a.json"}, "run a plan from the folder that it was planned in"),
        ({"out": "plan/results/link/a.json"}, "jobs[0].out"),
        ({"command": ""}, "jobs[0].command"),
        ({"command": "a\nb"}, "text in one line"),
        ({"command": ["rm", "x"]}, "jobs[0].command"),
        ({"model": 3}, "jobs[0].model"),
        ({"schema": "eevee.plan/2"}, "eevee.plan/1"),
        ({"jobs": []}, "a list, not empty"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_a_plan_from_elsewhere_is_checked(here: Path, changes, said):
    (here / "plan/results").mkdir(parents=True)
    (here / "elsewhere").mkdir()
    (here / "plan/results/link").symlink_to(here / "elsewhere")
    write(**changes)
    with pytest.raises(EeveeError) as caught:
        load_plan(Path("plan.json"))
    assert str(caught.value).startswith("plan.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_plan_from_elsewhere_names_each_result_once(here: Path):
    one = {"model": "m", "benchmark": "a", "command": "x", "out": "plan/results/m/a.json"}
    write(jobs=[one, one | {"benchmark": "b", "out": "plan/results/m/./a.json"}])
    with pytest.raises(EeveeError, match="would write the same file"):
        load_plan(Path("plan.json"))


# --- handing over --------------------------------------------------------------------------------


def test_text_is_one_command_a_line(here: Path):
    plan = planned(models=["a", "b"], benchmarks=[HOSTILE])
    assert FORMATS["text"](plan).splitlines() == [job.command for job in plan.jobs]


def test_gate_takes_names_and_commands(here: Path):
    plan = planned("run {model} {benchmark} {out}", models=["m 1"], benchmarks=[HOSTILE, "b"])
    named = json.loads(FORMATS["gate"](plan))
    assert list(named) == ["small-x__touch_pwned-m_1", "small-b-m_1"]
    # As GATE takes a command apart.
    assert shlex.split(named["small-x__touch_pwned-m_1"])[:3] == ["run", "m 1", HOSTILE]


def test_gate_refuses_two_experiments_of_one_name(here: Path):
    plan = planned(models=["b-c", "c"], benchmarks=["a", "a-b"])
    with pytest.raises(EeveeError, match="small-a-b-c"):
        FORMATS["gate"](plan)


def test_each_task_of_the_slurm_array_runs_its_command(here: Path):
    plan = planned("echo {model} {benchmark} > {out}", models=["m"], benchmarks=["b's", HOSTILE])
    make_folders(plan)
    script = FORMATS["slurm"](plan)
    assert "#SBATCH --array=0-1\n" in script
    Path("job.sh").write_text(script)
    codes = [
        subprocess.run(
            ["bash", "job.sh"],
            env={"SLURM_ARRAY_TASK_ID": str(i)},
            check=False,
            capture_output=True,
        ).returncode
        for i in range(3)
    ]
    assert codes == [0, 0, 2]
    assert [Path(job.out).read_text() for job in plan.jobs] == ["m b's\n", f"m {HOSTILE}\n"]
    assert not Path("pwned").exists()
