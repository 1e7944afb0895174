from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eevee.base.arrays import round_cost
from eevee.base.errors import EeveeError
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import rich_table
from tests.search.spaces import make_space


def _frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=[f"m{i}" for i in range(len(next(iter(columns.values()))))])


def test_a_unit_is_the_population_sd_of_the_observed_scores() -> None:
    table = ResultsTable.from_scores(_frame(a=[1.0, 2.0, np.nan, 6.0]))
    assert table.units["a"] == pytest.approx(np.std([1.0, 2.0, 6.0]))


def test_units_stay_those_of_the_whole_table_when_models_are_taken() -> None:
    table = rich_table()
    part = table.take_models(np.arange(table.n_models) < 5)
    pd.testing.assert_series_equal(part.units, table.units)
    assert part.model_names == table.model_names[:5]
    pd.testing.assert_frame_equal(part.columns, table.columns)


def test_taking_models_may_leave_a_column_constant() -> None:
    table = ResultsTable.from_scores(_frame(a=[1.0, 1.0, 2.0], b=[1.0, 2.0, 3.0]))
    assert table.take_models([True, True, False]).n_models == 2


def test_oriented_scores_are_higher_when_better_and_cannot_be_changed() -> None:
    table = rich_table()
    for i, name in enumerate(table.scores.columns):
        sign = 1 if table.columns.loc[name, "direction"] == "higher" else -1
        np.testing.assert_array_equal(table.oriented[:, i], sign * table.scores[name])
    with pytest.raises(ValueError, match="read-only"):
        table.oriented[0, 0] = 0.0


def test_columns_belong_to_their_benchmarks_whatever_their_order() -> None:
    table = rich_table()
    for i, name in enumerate(table.scores.columns):
        owner = table.benchmark_names[table.column_owner[i]]
        assert owner == name.split(".")[0]
        assert name in table.columns_of(owner)
    assert sum(len(table.columns_of(name)) for name in table.benchmark_names) == table.n_columns


def test_a_benchmark_is_never_matched_by_a_part_of_its_name() -> None:
    table = ResultsTable.from_scores(_frame(clevr=[1.0, 2.0], **{"clevr-math": [2.0, 1.0]}))
    assert table.columns_of("clevr") == ["clevr"]


def test_without_costs_each_benchmark_costs_one() -> None:
    table = made_table(n_benchmarks=7)
    assert table.cost_unit == "benchmarks"
    assert table.total_cost == 7
    assert rich_table().cost_unit != "benchmarks"


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=12), st.randoms())
def test_the_cost_of_a_subset_is_the_exact_sum_to_12_digits_in_any_order(
    costs: list[float], random: Random
) -> None:
    names = [f"b{i:02d}" for i in range(len(costs))]
    frame = pd.DataFrame([[0.0] * len(names), [1.0] * len(names)], columns=names)
    benchmarks = pd.DataFrame({"task": None, "cost": costs}, index=pd.Index(names))
    table = ResultsTable.from_scores(frame, benchmarks=benchmarks, cost_unit="h")
    exact = float(sum(map(Fraction, costs)))
    random.shuffle(names)
    assert table.cost_of(names) == round_cost(exact)


def test_a_subset_is_sorted_and_free_of_repeats() -> None:
    assert made_table().subset(["b03", "b01", "b03"]) == ("b01", "b03")


def test_an_unknown_benchmark_gets_a_hint() -> None:
    with pytest.raises(EeveeError, match=r"no benchmark 'B01'.*did you mean 'b01'"):
        made_table().subset(["B01"])


def test_an_empty_subset_is_refused() -> None:
    with pytest.raises(EeveeError, match="at least one"):
        made_table().subset([])


def test_coverage_is_the_share_of_measured_cells() -> None:
    table = ResultsTable.from_scores(_frame(a=[1.0, 2.0, np.nan], b=[1.0, 2.0, 3.0]))
    assert table.coverage == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (_frame(a=[1.0, 1.0]), "column 'a' is constant or empty"),
        (_frame(a=[0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2]), "column 'a' is constant or empty"),
        (_frame(a=[np.nan, np.nan]), "column 'a' is constant or empty"),
        (_frame(a=[1.0, np.inf]), "infinite score of model 'm1' in column 'a'"),
        (pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "x"]), "duplicated model name 'x'"),
        (pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]), "duplicated"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(EeveeError, match=message):
        ResultsTable.from_scores(frame)


@pytest.mark.parametrize("cost", [0.0, -1.0, np.nan, np.inf])
def test_costs_must_be_positive_numbers(cost: float) -> None:
    table = rich_table()
    benchmarks = table.benchmarks.assign(cost=cost)
    with pytest.raises(EeveeError, match="cost of benchmark 'ant' must be a positive number"):
        replace(table, benchmarks=benchmarks)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: {"columns": t.columns.iloc[::-1]}, "`columns` must describe"),
        (lambda t: {"models": t.models.iloc[::-1]}, "`models` must describe"),
        (lambda t: {"benchmarks": t.benchmarks.iloc[1:]}, "name different benchmarks"),
        (lambda t: {"benchmarks": t.benchmarks.iloc[::-1]}, "must be sorted by name"),
    ],
)
def test_frames_that_disagree_are_refused(change, message: str) -> None:
    table = rich_table()
    with pytest.raises(EeveeError, match=message):
        replace(table, **change(table))


def test_a_cost_does_not_show_binary_fractions() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [0.0, 1.0]})
    benchmarks = pd.DataFrame({"task": None, "cost": [0.1, 0.2, 0.4]}, index=["a", "b", "c"])
    table = ResultsTable.from_scores(frame, benchmarks=benchmarks, cost_unit="hours")
    assert table.cost_of(("b", "a")) == 0.3
    space = make_space(table, None, 0.3)
    assert ("a", "b") in space
    assert ("a", "c") not in space
