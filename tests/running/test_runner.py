"""Running plans: what counts, what is run again, and that nothing outlives the runner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.running.command import run_command
from eevee.running.devices import Gpu, make_slots
from eevee.running.measured import Measured
from eevee.running.plan import load_plan
from eevee.running.runner import Failure, RunSettings, run_plan, standing_of
from tests.cli.conftest import environment, run_in_process
from tests.running.conftest import WRITE, planned, ran

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

COUNTED = "echo x >> count; " + WRITE
"""Leaves a line for each time that it is run."""


def times_run() -> int:
    return len(Path("count").read_text().split()) if Path("count").exists() else 0


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(true, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# --- stateless -----------------------------------------------------------------------------------


def test_what_has_a_result_is_not_run_again(here: Path):
    plan = planned(COUNTED, models=["m", "n"])
    failed, steps = ran(plan)
    assert failed == []
    assert [type(step.ended) for step in steps] == [type(None), Measured] * 2
    assert times_run() == 2
    assert ran(plan) == ([], [])
    assert times_run() == 2


RESULT = Path("plan/results/m/a.json")
RECORD = Path("plan/records/m/a.json")


NO_RESULTS = (
    "", '{"score": 0.', "0.5", "[]", "{}", '{"score": NaN}', '{"score": 1e999}',
    '{"score": true}', '{"score": "0.5"}', '{"score": null}', '{"score": {}}',
    '{"score": {"acc": NaN}}', '{"score": 0.5, "seconds": -1}', '{"score": 1, "seconds": NaN}',
    '{"score": 0.5, "metric": 3}', '{"score": {"acc": 1}, "metric": "acc"}',
)  # fmt: skip
CHANGED = '{"score": 0.6}'
NO_RECORDS = ("", "{}", "[]", '{"command": "' + "0" * 64 + '"}')


def test_a_result_that_is_damaged_or_changed_is_measured_again(here: Path):
    plan = planned(COUNTED)
    ran(plan)
    for content in (*NO_RESULTS, CHANGED):
        RESULT.write_text(content)
        assert len(standing_of(plan).refused) == 1, content
    assert ran(plan)[0] == []
    assert times_run() == 2
    assert json.loads(RESULT.read_text()) == {"score": 0.5}


def test_a_result_with_a_damaged_record_is_measured_again(here: Path):
    plan = planned(COUNTED)
    ran(plan)
    for content in NO_RECORDS:
        RECORD.write_text(content)
        assert len(standing_of(plan).refused) == 1, content
    ran(plan)
    assert times_run() == 2


def test_the_result_of_another_command_does_not_count(here: Path):
    ran(planned(COUNTED))
    other = planned("true; " + COUNTED)
    (why,) = standing_of(other).refused.values()
    assert why == "plan/results/m/a.json: is the result of another command"
    ran(other)
    assert times_run() == 2


def test_a_result_of_something_else_stops_the_run_unless_it_is_accepted(here: Path):
    plan = planned(COUNTED, models=["m", "n"])
    RESULT.parent.mkdir(parents=True)
    RESULT.write_text('{"score": 0.9}')
    with pytest.raises(EeveeError, match=r"m/a.json: is one of 1 results .*--accept-found"):
        ran(plan)
    assert times_run() == 0
    ran(plan, accept=True)
    assert times_run() == 1
    assert json.loads(RESULT.read_text()) == {"score": 0.9}


def test_two_processes_do_not_run_one_plan(here: Path):
    plan = planned(COUNTED)
    hold = "import fcntl; f = open('plan/lock', 'a'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"  # noqa: E501
    Path("plan").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(EeveeError, match="another process is running this plan"):
            ran(plan)
        other.kill()
    assert ran(plan)[0] == []


# --- failures ------------------------------------------------------------------------------------


def only(failed: list[Failure]) -> Failure:
    (one,) = failed
    return one


def test_a_failure_has_its_reason_and_its_log(here: Path):
    failure = only(ran(planned("echo oh {model}; echo no >&2; exit 3 {out}"))[0])
    assert (failure.why, failure.attempts) == ("exit status 3", 1)
    log = failure.log.read_text().splitlines()
    assert log[0].startswith("--- attempt 1")
    assert log[1:] == ["$ echo oh m; echo no >&2; exit 3 plan/results/m/a.json", "oh m", "no"]


def test_a_failure_does_not_keep_others_from_running(here: Path):
    plan = planned(f"test {{model}} != n && {WRITE}", models=["m", "n", "o"])
    assert only(ran(plan)[0]).job.model == "n"
    assert [one.job.model for one in standing_of(plan).done] == ["m", "o"]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("true {out}", "succeeded, but plan/results/m/a.json: cannot be read: No such file"),
        ("echo '{{' > {out}", "succeeded, but plan/results/m/a.json: "),
        (f"{WRITE}; exit 1", "exit status 1"),  # a whole result of a command that failed
        ("kill -9 $$ {out}", "ended by SIGKILL"),
    ],
)
def test_a_command_has_succeeded_only_with_a_result(here: Path, command: str, why: str):
    plan = planned(command)
    assert only(ran(plan)[0]).why.startswith(why)
    assert standing_of(plan).done == ()


def test_a_result_from_before_is_not_taken_for_that_of_a_command_that_wrote_none(here: Path):
    ran(planned(WRITE))
    plan = planned("true {out}")
    assert only(ran(plan)[0]).why.startswith("succeeded, but")
    assert standing_of(plan).done == ()


def test_a_command_is_run_again_until_it_succeeds_or_retries_are_used_up(here: Path):
    third = "echo x >> count; test -e 2 || {{ test -e 1 && touch 2; touch 1; exit 1; }}; "
    plan = planned(third + WRITE)
    assert only(ran(plan, retries=1)[0]).attempts == 2
    Path("1").unlink()
    Path("2").unlink()
    assert ran(plan, retries=2)[0] == []
    (done,) = standing_of(plan).done
    assert done.record is not None
    assert done.record.attempts == 3
    assert times_run() == 5


def test_the_time_limit_ends_a_command_and_all_that_it_started(here: Path, quick_grace: None):
    plan = planned(f"setsid sleep 300 & echo $! > daemon; sleep 300; {WRITE}")
    failure = only(ran(plan, time_limit=1, retries=3)[0])
    assert failure.why == "ended at the time limit, 1 s"
    assert failure.attempts == 1
    assert not alive(int(Path("daemon").read_text()))


# --- processes -----------------------------------------------------------------------------------


def run_shell(command: str, **options: float) -> str:
    with Path("log").open("wb") as log:
        ended = run_command(
            command, log, environment={}, stop=threading.Event(), time_limit=options.get("limit")
        )
    return ended.why


def test_what_a_command_leaves_in_the_background_is_ended(here: Path, quick_grace: None):
    assert run_shell("sleep 300 & echo $! > 1; setsid sleep 300 & echo $! > 2; wait & exit 0") == ""
    assert not any(alive(int(Path(name).read_text())) for name in "12")


def test_what_ignores_sigterm_is_killed(here: Path, quick_grace: None):
    stubborn = "trap '' TERM; echo $$ > 1; while true; do sleep 0.05; done"
    assert run_shell(stubborn, limit=1).startswith("ended at the time limit")
    assert not alive(int(Path("1").read_text()))


def test_a_command_may_clean_up_at_sigterm(here: Path):
    run_shell("trap 'echo bye; exit' TERM; while true; do sleep 0.02; done", limit=1)
    assert Path("log").read_text().endswith("bye\n")


def test_a_command_has_no_input_and_keeps_the_signals_of_a_shell(here: Path):
    assert run_shell("cat; yes | head -1") == ""
    assert Path("log").read_text() == "y\n"


def test_a_command_ends_with_its_guard(here: Path):
    assert run_shell("echo $$ > 1; kill -9 $PPID; sleep 300") == "ended from outside"
    assert eventually(lambda: not alive(int(Path("1").read_text())))


LONG = "echo $$ >> pids; setsid sh -c 'echo $$ >> pids; sleep 300' & sleep 300; wait"
QUICK_AND_LONG = f"case {{model}} in q*) {WRITE};; *) {LONG};; esac"


def check_what_is_lost() -> None:
    standing = standing_of(load_plan(Path("plan.json")))
    assert [one.job.model for one in standing.done] == ["q1", "q2"]
    assert [job.model for job in standing.to_run] == ["slow"]


def test_sigkill_of_the_runner_loses_and_leaves_nothing_but_the_command_under_way(here: Path):
    planned(QUICK_AND_LONG, models=["q1", "q2", "slow"])
    runner = subprocess.Popen([sys.executable, "-c", RUN], env=environment(), cwd=here)
    pids = here / "pids"
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    running = [int(one) for one in pids.read_text().split()]
    assert all(map(alive, running))
    runner.kill()
    runner.wait()
    assert eventually(lambda: not any(map(alive, running)))
    check_what_is_lost()


@pytest.mark.parametrize("name", ["INT", "TERM"])
@pytest.mark.slow
def test_ctrl_c_and_sigterm_end_what_is_under_way_and_collect_the_rest(here: Path, name: str):
    """The last command sends the signal to this process, which runs the verb."""
    planned(
        QUICK_AND_LONG.replace("sleep 300; wait", f"sleep 0.2; kill -{name} {os.getpid()}; wait"),
        models=["q1", "q2", "slow"],
    )
    result = run_in_process("run", "plan.json", code={"INT": 130, "TERM": 143}[name])
    assert "2 of 3 commands have a result" in result.stdout
    assert "interrupted: eevee run plan.json goes on from here" in result.stderr
    assert not any(alive(int(one)) for one in Path("pids").read_text().split())
    assert Path("plan/results.csv").read_text().count("\n") == 3
    check_what_is_lost()


def test_a_result_that_was_written_when_the_runner_was_killed_does_not_count(here: Path):
    """The command had written a whole file, but had not ended: it might have written more."""
    plan = planned(f"{WRITE}; touch there; sleep 300")
    runner = subprocess.Popen([sys.executable, "-c", RUN], env=environment(), cwd=here)
    assert eventually((here / "there").exists)
    runner.kill()
    runner.wait()
    (why,) = standing_of(plan).refused.values()
    assert why == "plan/results/m/a.json: its command failed or was cut off"


RUN = """
import threading
from pathlib import Path
from eevee.running.devices import make_slots
from eevee.running.plan import load_plan
from eevee.running.runner import RunSettings, run_plan
plan = load_plan(Path("plan.json"))
run_plan(plan, make_slots(1, []), RunSettings(), stop=threading.Event())
"""


def test_a_fault_of_the_runner_itself_ends_all_commands(here: Path, quick_grace: None):
    plan = planned(f"test {{model}} = n && sleep 300; {WRITE}", models=["n", "m"])

    def full(step: object) -> None:
        if step.ended is not None:  # type: ignore[attr-defined]
            raise OSError(28, "No space left on device")

    begun = time.monotonic()
    with pytest.raises(OSError, match="No space"):
        run_plan(plan, make_slots(2, []), RunSettings(), stop=threading.Event(), report=full)
    assert time.monotonic() - begun < 30


# --- several at a time ---------------------------------------------------------------------------


def test_each_slot_runs_one_command_at_a_time_on_its_gpu(here: Path):
    both = "touch $CUDA_VISIBLE_DEVICES; while [ ! -e 0 ] || [ ! -e 1 ]; do sleep 0.01; done; "
    plan = planned(both + WRITE, models=["m", "n"])
    gpus = [Gpu("0", "A100", "0"), Gpu("1", "H100", "1")]
    slots = make_slots(None, gpus)
    assert run_plan(plan, slots, RunSettings(time_limit=20), stop=threading.Event()) == []
    hardware = {one.record.hardware for one in standing_of(plan).done if one.record}
    assert hardware == {"A100", "H100"}


def test_the_environment_is_that_of_the_runner(here: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EEVEE_TEST", "kept")
    assert run_shell('test "$EEVEE_TEST" = kept') == ""
    assert os.environ.get("CUDA_VISIBLE_DEVICES") is None
