"""`adapt` and `run --adaptive`: what is measured, what that costs, and why it ends."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV

from eevee.base.errors import EeveeError
from eevee.completion.advice import Advisor
from eevee.readers import read_table
from eevee.running.adaptive import Adapted, Choice, Rule, adapt, mean_of
from eevee.tables.results_table import ResultsTable
from tests.running.conftest import planned

_of = Advisor.of


@pytest.fixture(autouse=True)
def _one_advisor_per_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly all of the time goes into it, and it depends on nothing but the table."""

    def of(table: ResultsTable) -> Advisor:
        key = (table.scores.to_csv(), str(table.costs))
        if key not in ADVISORS:
            ADVISORS[key] = _of(table)
        return ADVISORS[key]

    monkeypatch.setattr(Advisor, "of", of)


ADVISORS: dict[tuple[str, str], Advisor] = {}
COSTS = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0, "e": 1.0}


def shares(n_models: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(n_models, 1)) + rng.normal(size=(n_models, 5)) * [0.1, 0.3, 0.4, 1, 2]
    names = [f"m{i}" for i in range(n_models)]
    return pd.DataFrame(1 / (1 + np.exp(-logits)), columns=list(COSTS), index=names)


@pytest.fixture(scope="module")
def row() -> pd.Series:
    return shares().loc["m0"]


@pytest.fixture(scope="module")
def table() -> ResultsTable:
    costs = pd.DataFrame({"benchmark": list(COSTS), "cost": list(COSTS.values())})
    return read_table(shares().drop("m0").rename_axis("model").reset_index(), costs=costs)


def adapted(table: ResultsTable, row: pd.Series, rule: Rule, **more: object) -> Adapted:
    return adapt(table, lambda name: {name: row[name]}, rule, **more)  # type: ignore[arg-type]


def test_it_takes_what_fits_and_counts_its_cost(table, row) -> None:
    told: list[Choice] = []
    found = adapted(table, row, Rule("25%", track=False), report=told.append)
    names = [choice.benchmark for choice in found.choices]
    assert tuple(told) == found.choices
    assert found.budget == 4.0
    assert found.spent == sum(COSTS[name] for name in names) <= 4.0
    assert len(set(names)) == len(names)
    assert found.end == "budget"
    assert all(COSTS[name] + found.spent > 4.0 for name in set(COSTS) - set(names))
    assert found.scores.dropna().to_dict() == {name: row[name] for name in names}
    assert [choice.mean for choice in found.choices] == [None] * len(names)
    assert found.mean == mean_of(table, found.scores)


def test_results_from_before_are_counted_and_not_measured_again(table, row) -> None:
    whole = adapted(table, row, Rule("50%"))
    first = whole.choices[0].benchmark
    again = adapted(table, row, Rule("50%"), known={first: row[first]})
    assert again.choices == whole.choices[1:]
    assert (again.begun, again.mean) == (whole.choices[0].mean, whole.mean)
    assert again.spent == whole.spent


def test_it_ends_as_soon_as_the_interval_is_narrow(table, row) -> None:
    whole = adapted(table, row, Rule("100%"))
    widths = [choice.mean.width for choice in whole.choices if choice.mean]
    assert whole.end == "nothing left"
    assert whole.mean is not None
    assert widths[-1] == 0
    assert whole.mean.predicted == pytest.approx(row.mean())
    until = widths[1] + 1e-9
    found = adapted(table, row, Rule("100%", until=until))
    assert found.end == "narrow"
    n = next(i for i, width in enumerate(widths, 1) if width < until)
    assert found.choices == whole.choices[:n]


def test_the_mean_is_that_of_a_ridge_regression(table, row) -> None:
    known = pd.Series({name: row[name] if name in "ac" else math.nan for name in COSTS}, name="m0")
    found = mean_of(table, known)
    assert found is not None
    inputs, targets = table.scores[["a", "c"]], table.scores[["b", "d", "e"]]
    centred = (inputs - inputs.mean()) / inputs.std(ddof=0)
    units = targets.std(ddof=0)
    ridge = RidgeCV(np.logspace(-3, 3, 13)).fit(centred, (targets - targets.mean()) / units)
    asked = (known[["a", "c"]] - inputs.mean()) / inputs.std(ddof=0)
    rest = ridge.predict(asked.to_frame().T)[0] * units + targets.mean()
    assert found.predicted == pytest.approx((known.sum() + rest.sum()) / 5, abs=0.02)
    assert found.lower < found.predicted < found.upper


def test_what_fails_costs_nothing_and_is_not_tried_again(table, row) -> None:
    asked: list[str] = []

    def fails(name: str) -> None:
        asked.append(name)

    found = adapt(table, fails, Rule("100%"))
    assert sorted(asked) == sorted(COSTS)
    assert (found.spent, found.mean, found.end) == (0.0, None, "nothing left")
    assert not any(choice.measured for choice in found.choices)


def test_nothing_but_candidates_is_measured_and_a_stop_is_heard(table, row) -> None:
    rule = Rule("100%", candidates=("d", "b"), track=False)
    found = adapted(table, row, rule)
    assert {choice.benchmark for choice in found.choices} == {"b", "d"}
    stopped = adapted(table, row, rule, stop=lambda: True)
    assert (stopped.choices, stopped.end) == ((), "stopped")


@pytest.mark.parametrize(
    ("rule", "more", "says"),
    [
        (Rule(until=2.0), {}, "between 0 and 1, .* it is 2"),
        (Rule(until=math.nan), {}, "between 0 and 1"),
        (Rule("0%"), {}, "a budget is a positive"),
        (Rule(candidates=("x",)), {}, "'x'"),
        (Rule(), {"name": "m1"}, "'m1' is in the table"),
        (Rule(), {"known": {"x": 1.0}}, "'x', no column"),
        (Rule(), {"known": {"a": math.nan}}, "not finite"),
    ],
)
def test_what_cannot_be_is_refused(table, row, rule, more, says) -> None:
    with pytest.raises(EeveeError, match=says):
        adapted(table, row, rule, **more)


# --- on the command line ------------------------------------------------------------------------


@pytest.fixture
def folder(here: Path, row: pd.Series) -> Path:
    """Hold a table, costs, a plan of all benchmarks, and a script that looks the scores up."""
    shares().to_csv("scores.csv", index_label="model")
    pd.Series(COSTS, name="cost").to_csv("costs.csv", index_label="benchmark")
    for name, score in row.items():
        (here / f"{name}.json").write_text(json.dumps({"score": float(score)}))
    planned("cp {benchmark}.json {out}; : {model}", models=["m0"], benchmarks=list(COSTS))
    return here


ADAPTIVE = ("--adaptive", "--scores", "scores.csv", "--drop-models", "m0", "--costs", "costs.csv")
RUN = ("run", "plan.json", *ADAPTIVE, "--budget", "25%")


def test_a_plan_is_run_adaptively_and_resumed(folder, run, table, row, read_json) -> None:
    expected = adapted(table, row, Rule("25%"))
    names = [choice.benchmark for choice in expected.choices]
    assert len(names) > 1
    dry = run(*RUN, "--dry-run").stdout
    assert "now: mean unknown, spent 0 of 4" in dry
    assert f"next: {names[0]}, most for its cost, " in dry
    assert not Path("plan").exists()
    done = run(*RUN, "--until", "0.001")
    told = [line for line in done.stderr.splitlines() if "most for its cost" in line]
    assert [line.split(":")[0] for line in told] == names
    assert f"; spent {expected.spent:g} of 4 " in told[-1]
    mean = expected.mean
    assert mean is not None
    shown = f"mean {mean.predicted:.4g} ({mean.lower:.4g} to {mean.upper:.4g})"
    assert shown in told[-1]
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"budget spent: {shown}, not within 0.001, by {len(names)} of 5 ")
    assert set(pd.read_csv("plan/results.csv")["benchmark"]) == set(names)
    made = Path(f"plan/results/m0/{names[0]}.json")
    before = made.stat().st_mtime_ns
    Path(f"plan/results/m0/{names[-1]}.json").unlink()  # cut off before the last
    found = read_json(*RUN, "--quiet")["adaptive"]
    assert [choice["benchmark"] for choice in found["choices"]] == names[-1:]
    assert (found["spent"], found["end"]) == (expected.spent, "budget")
    assert found["mean"]["predicted"] == pytest.approx(mean.predicted)
    assert made.stat().st_mtime_ns == before


def test_a_failed_command_is_named_and_the_rest_goes_on(folder, run) -> None:
    Path("a.json").unlink()
    done = run(*RUN, code=1)
    assert "gave no result; spent" in done.stderr
    assert "failed: m0 on a: " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("budget spent: mean ")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--budget", "25%"), "--adaptive"),
        (("--scores", "scores.csv"), "--adaptive"),
        (("--adaptive",), "--scores"),
        ((*ADAPTIVE, "--collect-only"), "--collect-only"),
        ((*ADAPTIVE, "--jobs", "2"), "--jobs"),
    ],
)
def test_contradictions_are_wrong_usage(folder, misused, args, says) -> None:
    assert says in misused("run", "plan.json", *args)


def test_a_plan_that_does_not_fit_is_refused(folder, fails) -> None:
    plain = ("run", "plan.json", *ADAPTIVE[:3])
    assert "'m0' is in the table" in fails(*plain)
    planned(models=["m0", "n"], benchmarks=["a"])
    assert "this plan has 2" in fails(*plain)
    planned(models=["m0"], benchmarks=["x"])
    assert "'x'" in fails(*plain)
    planned(models=["m0"], benchmarks=["a"])
    Path("plan/results/m0").mkdir(parents=True)
    Path("plan/results/m0/a.json").write_text('{"score": 0.5}')
    assert "--accept-found" in fails(*plain)
