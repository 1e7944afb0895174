from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee

from .conftest import BASE, Fails, Read, notes_of

COSTS = {"a": 1.0, "b": 2.0, "c": 3.5}


def forms(tmp_path: Path) -> list[object]:
    path = tmp_path / "costs.tsv"
    path.write_text("benchmark\tgpu_hours\tn\nc\t3.5\t1\na\t1\t1\nb\t2\t1\n")
    frame = pd.DataFrame({"benchmark": list(COSTS), "cost": COSTS.values()})
    return [path, str(path), COSTS, pd.Series(COSTS), frame, frame.set_index("benchmark")]


@pytest.mark.parametrize("form", range(6))
def test_every_form_of_costs_gives_the_same_costs(read: Read, tmp_path: Path, form: int):
    table = read(BASE, costs=forms(tmp_path)[form], cost_unit="euros")
    assert table.costs == COSTS
    assert (table.cost_unit, table.total_cost) == ("euros", 6.5)


def test_costs_per_cell_count_by_their_median(read: Read):
    cells = pd.DataFrame(
        {"b": [1, 2, 9, np.nan], "a": [1.0, 1, 1, 5], "c": [np.nan, 4, np.nan, 2]},
        index=["m1", "m3", "m4", "stranger"],
    )
    table = read(BASE, costs=cells)
    assert table.costs == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert table.cell_costs is not None
    assert list(table.cell_costs.index) == list(table.model_names)
    assert list(table.cell_costs.columns) == list(table.benchmark_names)
    assert np.isnan(table.cell_costs.loc["m2"]).all()
    assert notes_of(table) == ["ignored model stranger"]


def test_the_column_that_is_taken_for_the_costs_is_noted(read: Read, fails: Fails):
    one = pd.DataFrame({"benchmark": list("abc"), "median_seconds": [1, 2, 3], "n": [9, 9, 9]})
    table = read(BASE, costs=one, cost_unit="seconds")
    assert table.costs == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert table.provenance.notes[0].why == "holds the costs, taken as seconds"
    two = one.assign(gpu_hours=1.0)
    assert "'median_seconds', 'gpu_hours'" in fails(BASE, costs=two)
    assert read(BASE, costs=two.assign(cost=[3, 2, 1])).costs == {"a": 3.0, "b": 2.0, "c": 1.0}


@pytest.mark.parametrize(
    ("costs", "parts"),
    [
        ({"a": 1, "b": 2}, ["no cost of benchmark 'c'"]),
        ({**COSTS, "d": 1}, ["'d'", "not in the score file"]),
        ({"A": 1, "b": 2, "c": 3}, ["'A'", "did you mean 'a'"]),
        ({"a": 0, "b": 2, "c": 3}, ["'a'", "positive"]),
        ({"a": -1, "b": 2, "c": 3}, ["'a'", "positive"]),
        ({"a": float("inf"), "b": 2, "c": 3}, ["row 1", "infinite"]),
        ({"a": float("nan"), "b": 2, "c": 3}, ["no cost of benchmark 'a'"]),
        ({"a": "x", "b": 2, "c": 3}, ["row 1", "not a number"]),
        ({"A": 1, "B": 2}, ["'A'", "did you mean 'a'"]),
        ({}, ["empty"]),
        (pd.DataFrame({"benchmark": list("aabc"), "cost": [1, 1, 2, 3]}), ["row 2", "above"]),
        (pd.DataFrame({"a": [1, -2], "b": [1, 1], "c": [1, 1]}, index=["m1", "m2"]), ["'m2'"]),
        (pd.DataFrame({"a": [1, 0], "b": [1, 1], "c": [1, 1]}, index=["m1", "m2"]), ["'m2'"]),
        (pd.DataFrame({"a": [1], "b": [1]}, index=["m1"]), ["no cost of benchmark 'c'"]),
        (3, ["costs", "int"]),
        ("/no/such/file.csv", ["file.csv: no such file"]),
    ],
)
def test_wrong_costs_are_refused(fails: Fails, costs: object, parts: list[str]):
    message = fails(BASE, costs=costs)
    assert all(part in message for part in parts), message


def test_costs_of_dropped_columns_are_ignored_and_listed(read: Read):
    text = "model,family,average,flat,a,b\n" + "".join(
        f"m{i},f,{i},1,{i * i},{i % 3}\n" for i in range(5)
    )
    costs = {"a": 1, "b": 2, "average": 3, "flat": 4, "family": 1}
    table = read(text, costs=costs)
    assert table.costs == {"a": 1.0, "b": 2.0}
    ignored = {note.name for note in table.provenance.notes if note.kind == "cost"}
    assert ignored == {"average", "flat", "family"}


def test_costs_belong_to_benchmarks_not_to_their_columns(read: Read, fails: Fails):
    text = BASE.replace("model,a,b", "model,a.acc,a.loss")
    assert read(text, costs={"a": 2, "c": 1}).costs == {"a": 2.0, "c": 1.0}
    assert "'a'" in fails(text, costs={"c": 1})


def test_costs_given_win_over_costs_in_a_long_file(read: Read, fails: Fails):
    rows = "".join(f"m{i},{b},{i * i % 7},{i}\n" for i in range(1, 6) for b in "ab")
    text = "model,benchmark,score,cost\n" + rows
    assert read(text).costs == {"a": 3.0, "b": 3.0}
    assert read(text, costs={"a": 1, "b": 2}).costs == {"a": 1.0, "b": 2.0}
    assert "row 2, column 'cost'" in fails(text.replace("m1,a,1,1", "m1,a,1,0"))


def test_without_costs_budgets_are_counts(read: Read):
    table = read(BASE, cost_unit="euros")
    assert not table.has_costs
    assert table.total_cost == 3.0


def test_cost_frames_are_not_changed(read: Read):
    frame = pd.DataFrame({"cost": COSTS.values()}, index=list(COSTS))
    before = frame.copy()
    read(BASE, costs=frame)
    pd.testing.assert_frame_equal(frame, before)
    assert eevee.read_table(pd.DataFrame(
        [[1.0, 2.0], [2.0, 1.0], [5.0, 4.0], [3.0, 3.0]], columns=["a", "b"], index=list("wxyz")
    ), costs={"a": 1, "b": 1}).has_costs  # fmt: skip
