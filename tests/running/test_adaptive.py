"""`adapt`: what is measured, what that costs, and why it ends."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV

from eevee.base.errors import EeveeError
from eevee.readers import read_table
from eevee.running.adaptive import Adapted, Choice, Rule, adapt, mean_of
from eevee.tables.results_table import ResultsTable

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
