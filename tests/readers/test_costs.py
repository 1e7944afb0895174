from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eevee
from eevee.readers.asides import unit_sentence
from tests.readers.conftest import BASE, Fails, Read, notes_of

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
    table = read(BASE, costs=cells, cost_unit="GPU-hours")
    assert table.costs == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert table.cell_costs is not None
    assert list(table.cell_costs.index) == list(table.model_names)
    assert list(table.cell_costs.columns) == list(table.benchmark_names)
    assert np.isnan(table.cell_costs.loc["m2"]).all()
    assert notes_of(table) == ["ignored model stranger"]


def test_a_unit_that_nobody_names_is_a_guess_and_noted(read: Read, tmp_path: Path):
    costs = costs_file(tmp_path, "benchmark,cost\na,1\nb,2\nc,3.5\n")
    table = read(BASE, costs=costs)
    assert (table.cost_unit, notes_of(table)) == ("GPU-hours", ["guessed unit GPU-hours"])
    assert unit_sentence(table) == (
        "costs are taken as GPU-hours: costs.csv names no unit (cost_unit, --cost-unit)"
    )
    (tmp_path / "seconds.csv").write_text("benchmark,cost\na,1\nb,2\nc,3.5\n")
    by_name = read(BASE, costs=tmp_path / "seconds.csv")
    assert by_name.cost_unit == "seconds"
    assert unit_sentence(by_name) == (
        "costs are taken as seconds: by the name of seconds.csv (cost_unit, --cost-unit)"
    )
    hours = costs_file(tmp_path, "benchmark,cpu_hours\na,1\nb,2\nc,3.5\n")
    for named in (
        read(BASE, costs=costs, cost_unit="GPU-hours"),
        read(BASE, costs=hours),
        read(BASE),
    ):
        assert unit_sentence(named) == ""
        assert "unit" not in {note.kind for note in named.provenance.notes}
    assert read(BASE, costs=hours).cost_unit == "CPU-hours"
    assert read(BASE, costs=hours, cost_unit="GPU-hours").cost_unit == "GPU-hours"


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
    assert table.cost_unit == "benchmarks"
    assert table.total_cost == 3.0


def test_cost_frames_are_not_changed(read: Read):
    frame = pd.DataFrame({"cost": COSTS.values()}, index=list(COSTS))
    before = frame.copy()
    read(BASE, costs=frame)
    pd.testing.assert_frame_equal(frame, before)
    assert eevee.read_table(pd.DataFrame(
        [[1.0, 2.0], [2.0, 1.0], [5.0, 4.0], [3.0, 3.0]], columns=["a", "b"], index=list("wxyz")
    ), costs={"a": 1, "b": 1}).cost_unit != "benchmarks"  # fmt: skip


CELLS = "model,a,b,c\nm1,1,2,3\nm2,2,,5\nm3,3,4,10\nm4,10,6,2\n"


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("median", {"a": 2.5, "b": 4.0, "c": 4.0}),
        ("mean", {"a": 4.0, "b": 4.0, "c": 5.0}),
        ("max", {"a": 10.0, "b": 6.0, "c": 10.0}),
        ("min", {"a": 1.0, "b": 2.0, "c": 2.0}),
        ("q50", {"a": 2.5, "b": 4.0, "c": 4.0}),
        ("q0", {"a": 1.0, "b": 2.0, "c": 2.0}),
        ("q100", {"a": 10.0, "b": 6.0, "c": 10.0}),
        ("q75", {"a": 4.75, "b": 5.0, "c": 6.25}),
    ],
)
def test_costs_per_cell_count_by_the_chosen_statistic(
    read: Read, tmp_path: Path, statistic: str, expected: dict[str, float]
):
    (tmp_path / "costs.csv").write_text(CELLS)
    table = read(BASE, costs=tmp_path / "costs.csv", cost_statistic=statistic)
    assert table.costs == pytest.approx(expected)


def test_the_statistic_also_counts_costs_in_a_long_score_file(read: Read):
    rows = "".join(f"m{i},{b},{i * i % 7},{i}\n" for i in range(1, 6) for b in "ab")
    text = "model,benchmark,score,cost\n" + rows
    assert read(text, cost_statistic="max").costs == {"a": 5.0, "b": 5.0}


@pytest.mark.parametrize("statistic", ["", "mode", "Median", "q", "q101", "q-1", "90", "q1e1"])
def test_other_statistics_are_refused_with_the_choices(fails: Fails, statistic: str):
    message = fails(BASE, cost_statistic=statistic)
    assert all(part in message for part in ("median, mean, max, min", "q90", repr(statistic)))


LONG = "model,benchmark,cost\nm1,a,1\nm1,b,2\nm1,c,3\nm2,a,2\nm2,b,\nm2,c,5\n"


def costs_file(tmp_path: Path, text: str, name: str = "costs.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_costs_per_cell_may_stand_in_rows(read: Read, tmp_path: Path):
    table = read(BASE, costs=costs_file(tmp_path, LONG))
    assert table.costs == {"a": 1.5, "b": 2.0, "c": 4.0}
    assert table.cell_costs is not None
    assert table.cell_costs.loc["m2", "c"] == 5.0
    assert np.isnan(table.cell_costs.loc["m2", "b"])
    other = LONG.replace("model", "checkpoint").replace("benchmark,cost", "dataset,gpu_hours")
    assert read(BASE, costs=costs_file(tmp_path, other)).costs == table.costs
    named = LONG.replace("model,benchmark", "who,what")
    scores = BASE.replace("model", "who")
    options = {"model_column": "who", "layout": "wide", "benchmark_column": "what"}
    assert read(scores, costs=costs_file(tmp_path, named), **options).costs == table.costs


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (LONG + "m1,b,2\n", ["row 8", "'m1' on 'b'", "row 3", "keep one"]),
        (LONG + "m2,b,2\n", ["row 8", "'m2' on 'b'", "row 6"]),
        (LONG + "m3,b,0\n", ["row 8, column 'cost'", "positive"]),
        (LONG + "m3,b,x\n", ["row 8, column 'cost'", "not a number"]),
        (LONG + ",b,1\n", ["row 8", "the model has no name"]),
        (LONG + "m3,,1\n", ["row 8", "the benchmark has no name"]),
        (LONG + "m3,bb,1\n", ["'bb'", "not in the score file"]),
        (LONG.replace("model", "who"), ["row 5", "'a' has a cost", "column 'model'"]),
    ],
)
def test_wrong_costs_in_rows_are_refused(fails: Fails, tmp_path: Path, text: str, parts: list[str]):
    message = fails(BASE, costs=costs_file(tmp_path, text))
    assert all(part in message for part in ["costs.csv", *parts]), message


def test_a_count_of_models_beside_costs_makes_no_cells(read: Read, tmp_path: Path):
    text = "benchmark,cost,models\na,1,20\nb,2,20\nc,3.5,19\n"
    table = read(BASE, costs=costs_file(tmp_path, text))
    assert (table.costs, table.cell_costs) == (COSTS, None)


def test_a_model_column_that_names_benchmarks_here_makes_no_cells(read: Read, tmp_path: Path):
    costs = costs_file(tmp_path, "name,cost\na,1\nb,2\nc,3.5\n")
    scores = BASE.replace("model", "name")
    assert read(scores, costs=costs, model_column="name").costs == COSTS


SPEEDS = {"A100": 1.0, "H100": 2.0, "4090": 0.5}
TYPED = "model,benchmark,cost,gpu\n" + (
    "m1,a,3,a100\nm2,a,2,H100\nm3,a,4,4090\n"  # 3, 4, 2 hours of an A100: median 3
    "m1,b,1,a100\nm2,b,1,h100\n"  # 1, 2: 1.5
    "m1,c,8,4090\nm2,c,,\nm4,c,5,h100\n"  # 4, 10: 7
)


def test_costs_on_several_gpu_types_count_in_hours_of_one(read: Read, tmp_path: Path):
    costs = costs_file(tmp_path, TYPED)
    table = read(BASE, costs=costs, gpu_speeds=SPEEDS, cost_unit="GPU-hours")
    assert table.costs == {"a": 3.0, "b": 1.5, "c": 7.0}
    assert table.cell_costs is not None
    assert table.cell_costs["a"].tolist()[:3] == [3.0, 4.0, 2.0]
    (note,) = table.provenance.notes
    assert (note.action, note.kind, note.name) == ("converted", "cost", "costs.csv")
    assert note.why == "to GPU-hours of a100, by column 'gpu': a100 x 1, h100 x 2, 4090 x 0.5"
    assert read(BASE, costs=costs, gpu_speeds=SPEEDS, cost_statistic="max").costs["c"] == 10.0


@pytest.mark.parametrize("header", ["gpu", "GPU_type", "hardware", "Accelerator", "box"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("benchmark,cost,gpu\na,3,a100\nb,2,h100\nc,4,4090\n", {"a": 3, "b": 4, "c": 2}),
        ("gpu,cost,benchmark\n4090,3,a\n4090,2,b\n4090,4,c\n", {"a": 1.5, "b": 1, "c": 2}),
        ("gpu,dataset,cost\n4090,a,3\n4090,b,2\n4090,c,4\n", {"a": 1.5, "b": 1, "c": 2}),
        ("gpu,called,cost\na100,a,3\n4090,b,2\n4090,c,4\n", {"a": 3, "b": 1, "c": 2}),
        ("model,gpu,a,b,c\nm1,4090,2,4,6\nm2,4090,2,4,6\n", {"a": 1, "b": 2, "c": 3}),
        ("gpu,name,a,b,c\na100,m1,2,4,6\na100,m2,2,4,6\n", {"a": 2, "b": 4, "c": 6}),
        ("gpu,name,a,b,c\n4090,m1,2,4,6\nh100,m2,2,4,6\n", {"a": 2.5, "b": 5, "c": 7.5}),
        ("gpu,model,benchmark,cost\n4090,m1,a,2\n4090,m1,b,4\n4090,m1,c,6\n",
         {"a": 1, "b": 2, "c": 3}),
        (TYPED, {"a": 3, "b": 1.5, "c": 7}),
    ],
)  # fmt: skip
def test_gpu_types_beside_costs_are_found_in_every_layout(
    read: Read, tmp_path: Path, header: str, text: str, expected: dict[str, float]
):
    costs = costs_file(tmp_path, text.replace("gpu", header))
    named = {"gpu_column": "box"} if header == "box" else {}
    table = read(BASE, costs=costs, gpu_speeds=SPEEDS, cost_unit="GPU-hours", **named)
    assert table.costs == expected
    if table.cell_costs is not None:
        assert set(table.cell_costs.index) == {"m1", "m2", "m3", "m4"}
    assert [note.action for note in table.provenance.notes] == ["converted"]


def test_gpu_types_may_be_attributes_of_the_models(read: Read, tmp_path: Path):
    models = costs_file(tmp_path, "gpu,name\n4090,m1\nH100,m2\n", "models.csv")
    costs = costs_file(tmp_path, LONG + "stranger,a,99\n")
    table = read(BASE, costs=costs, models=models, gpu_speeds=SPEEDS, cost_unit="GPU-hours")
    assert table.costs == {"a": 2.25, "b": 1.0, "c": 5.75}  # 0.5, 4; 1; 1.5, 10
    assert notes_of(table) == ["ignored model stranger", "converted cost costs.csv"]
    assert table.models.loc["m2", "gpu"] == "H100"
    numbers = costs_file(tmp_path, "name,box\nm1,4090\nm2,4090\n", "models.csv")
    options = {"models": numbers, "gpu_speeds": SPEEDS, "gpu_column": "box"}
    assert read(BASE, costs=costs, **options).costs == {"a": 0.75, "b": 1.0, "c": 2.0}


def test_gpu_types_may_be_attributes_in_a_wide_score_file(read: Read, tmp_path: Path):
    text = "gpu,name,a,b,c\n4090,m1,1,2,3\n4090,m2,2,3,5\n4090,m3,4,1,2\n4090,m4,3,3,3.5\n"
    table = read(text, costs=costs_file(tmp_path, CELLS), gpu_speeds=SPEEDS)
    assert table.model_names == ("m1", "m2", "m3", "m4")
    assert table.benchmark_names == ("a", "b", "c")
    assert table.costs == {"a": 1.25, "b": 2.0, "c": 2.0}


def long_scores(second: str = "h100") -> str:
    rows = "".join(
        f"m{i},{b},{i * i % 7},{i},{gpu}\n"
        for i in range(1, 6)
        for b, gpu in zip("ab", ("a100", second), strict=True)
    )
    return "model,benchmark,score,cost,gpu\n" + rows


def test_gpu_types_may_be_in_a_long_score_file(read: Read, tmp_path: Path):
    table = read(long_scores(), gpu_speeds=SPEEDS, cost_unit="GPU-hours")
    assert table.costs == {"a": 3.0, "b": 6.0}
    assert [note.action for note in table.provenance.notes] == ["converted"]
    costs = costs_file(tmp_path, "model,benchmark,cost\nm1,a,1\nm1,b,1\nm2,b,2\n")
    assert read(long_scores(), costs=costs, gpu_speeds=SPEEDS).costs == {"a": 1.0, "b": 3.0}


def test_types_beside_the_costs_win_over_those_of_the_models(read: Read, tmp_path: Path):
    models = costs_file(tmp_path, "model,gpu\nm1,tpu\nm2,tpu\n", "models.csv")
    table = read(BASE, costs=costs_file(tmp_path, TYPED), models=models, gpu_speeds=SPEEDS)
    assert table.costs == {"a": 3.0, "b": 1.5, "c": 7.0}


def test_costs_in_a_benchmarks_file_are_converted_too(read: Read, tmp_path: Path):
    facts = costs_file(tmp_path, "benchmark,cost,gpu\na,3,a100\nb,2,h100\nc,4,4090\n")
    assert read(BASE, benchmarks=facts, gpu_speeds=SPEEDS).costs == {"a": 3.0, "b": 4.0, "c": 2.0}


def test_a_numeric_gpu_column_in_scores_is_no_benchmark(read: Read):
    rows = "".join(f"m{i},{b},{i * i % 7},40{i}0\n" for i in range(1, 6) for b in "ab")
    table = read("model,benchmark,acc,gpu\n" + rows)
    assert list(table.columns.index) == ["a.acc", "b.acc"]
    wide = BASE.replace("b", "gpu")
    assert read(wide).benchmark_names == ("a", "c")


def test_two_runs_on_two_types_are_not_told_apart_by_their_type(fails: Fails):
    twice = "model,gpu,a\nm1,a100,1\nm1,h100,2\nm2,a100,3\n"
    assert "model,gpu" not in fails(twice)
    assert "model,tag" in fails(twice.replace("gpu", "tag"))


def test_a_benchmark_may_be_named_like_a_gpu_column(read: Read, tmp_path: Path):
    facts = pd.DataFrame({"benchmark": ["hardware"], "task": ["qa"]})
    scores = BASE.replace("c\n", "hardware\n", 1)
    costs = costs_file(tmp_path, CELLS.replace("c\n", "hardware\n", 1))
    assert read(scores, benchmarks=facts, costs=costs).costs["hardware"] == 4.0


def test_several_types_without_speeds_are_noted(read: Read, tmp_path: Path):
    table = read(BASE, costs=costs_file(tmp_path, TYPED), cost_unit="GPU-hours")
    assert table.costs == {"a": 3.0, "b": 1.0, "c": 6.5}
    assert notes_of(table) == ["ignored column gpu"]
    assert "4090, a100, h100" in table.provenance.notes[0].why
    one = TYPED.replace("H100", "a100").replace("h100", "a100").replace("4090", "a100")
    assert not read(BASE, costs=costs_file(tmp_path, one), cost_unit="GPU-hours").provenance.notes
    hours = costs_file(tmp_path, "benchmark,gpu\na,1\nb,2\nc,3.5\n")
    assert read(BASE, costs=hours).costs == COSTS


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (TYPED + "m3,c,1,V100\n", ["row 10, column 'gpu'", "'V100' has no speed", "--gpu-speed"]),
        (TYPED + "m3,c,1,\n", ["row 10, column 'gpu'", "no GPU type", "name the type"]),
        (TYPED + "m3,c,1,-\n", ["row 10, column 'gpu'", "no GPU type"]),
        ("model,gpu,a,b,c\nm1,,1,1,1\n", ["row 2, column 'gpu'", "no GPU type"]),
        ("benchmark,cost,gpu\na,1,a100\nb,1,v\nc,1,v\n", ["row 3, column 'gpu'", "'v'"]),
        ("benchmark,cost\na,1\nb,1\nc,1\n", ["no column here", "--gpu-column"]),
        (LONG, ["no column of the costs, the models or the scores", "--gpu-column"]),
        (CELLS, ["no column of the costs, the models or the scores", "--gpu-column"]),
    ],
)
def test_wrong_gpu_types_are_refused(fails: Fails, tmp_path: Path, text: str, parts: list[str]):
    message = fails(BASE, costs=costs_file(tmp_path, text), gpu_speeds=SPEEDS)
    assert all(part in message for part in ["costs.csv", *parts]), message


def test_wrong_gpu_types_of_models_are_refused(fails: Fails, tmp_path: Path):
    costs = costs_file(tmp_path, LONG)
    for text, parts in {
        "model,gpu\nm1,v100\nm2,v100\n": ["row 2, column 'gpu' of the models", "'m1'", "'v100'"],
        "model,gpu\nm1,a100\nm2,\n": ["row 5, column 'gpu' of the models", "'m2'"],
        "model,gpu\nm1,a100\n": ["row 5, column 'gpu' of the models", "'m2'"],
    }.items():
        models = costs_file(tmp_path, text, "models.csv")
        message = fails(BASE, costs=costs, models=models, gpu_speeds=SPEEDS)
        assert all(part in message for part in parts), message


def test_a_cell_that_ran_on_two_types_in_the_scores_has_no_speed(fails: Fails, tmp_path: Path):
    text = long_scores().replace(",a100\n", ",h100\n", 1) + "m1,a,1,1,a100\n"
    costs = costs_file(tmp_path, "model,benchmark,cost\nm1,a,1\nm1,b,1\n")
    message = fails(text, costs=costs, gpu_speeds=SPEEDS, duplicates="mean")
    assert "'m1' on 'a'" in message
    assert "'h100 and a100' has no speed" in message


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"gpu_speeds": {"a100": 0}}, "'a100' is 0"),
        ({"gpu_speeds": {"a100": -1.0}}, "positive"),
        ({"gpu_speeds": {"a100": float("nan")}}, "positive"),
        ({"gpu_speeds": {"a100": float("inf")}}, "positive"),
        ({"gpu_speeds": {"a100": "fast"}}, "positive"),
        ({"gpu_speeds": {" ": 1}}, "names no GPU type"),
        ({"gpu_speeds": {"a100": 1, "A100": 2}}, "two speeds"),
        ({"gpu_speeds": {}}, "no GPU speed"),
        ({"gpu_column": "gpu"}, "no speeds are given"),
        ({"gpu_speeds": {"a100": 1}, "costs": None}, "there are none"),
        ({"gpu_speeds": {"a100": 1}, "gpu_column": "box"}, "no column"),
    ],
)
def test_wrong_speeds_are_refused(fails: Fails, options: dict[str, object], part: str):
    assert part in fails(BASE, **{"costs": COSTS, **options})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    hours=st.lists(st.floats(0.01, 1e4), min_size=12, max_size=12),
    types=st.lists(st.sampled_from(["a100", "h100", "tpu"]), min_size=4, max_size=4),
    speeds=st.tuples(*[st.floats(0.1, 10.0)] * 3),
    statistic=st.sampled_from(["median", "mean", "max", "min", "q90"]),
)
@pytest.mark.slow
def test_rows_and_a_grid_of_cells_cost_the_same_and_speeds_are_factors(
    hours: list[float], types: list[str], speeds: tuple[float, ...], statistic: str
):
    scores = pd.DataFrame(
        {"a": [1, 2, 4, 3], "b": [2, 3, 1, 3], "c": [3, 5, 2, 3.5]}, index=["w", "x", "y", "z"]
    )
    cells = np.reshape(hours, (4, 3))
    factors = dict(zip(["a100", "h100", "tpu"], speeds, strict=True))
    wide = pd.DataFrame(cells, index=scores.index, columns=scores.columns).assign(gpu=types)
    rows = wide.rename_axis("model").reset_index()
    rows = rows.melt(["model", "gpu"], var_name="benchmark", value_name="cost")
    function = {"q90": lambda x: np.quantile(x, 0.9, axis=0)}.get(statistic)
    function = function or (lambda x: getattr(np, statistic)(x, axis=0))
    expected = function(cells * np.array([[factors[gpu]] for gpu in types]))
    for costs in (wide, rows):
        table = eevee.read_table(scores, costs=costs, gpu_speeds=factors, cost_statistic=statistic)
        assert list(table.costs.values()) == pytest.approx(list(expected), rel=1e-9)
