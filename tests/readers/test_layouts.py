from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import eevee
from tests.readers.conftest import BASE, Fails, Read, notes_of

LONG = "model,benchmark,metric,score,stderr,seconds,lower_is_better,family\n" + "".join(
    f"m{i},{b},{m},{(7 * i + q * i**2 + i**p) % 11}.5,0.{i + 1},{i + 1},{m == 'gap'},f{i % 2}\n"
    for i in range(5)
    for b, q in (("x", 1), ("yy", 3))
    for m, p in (("acc", 1), ("gap", 5))
)
TWO = "Model,cs,cs,x\nMetric,mIoU,loss,acc\nm1,1,2,3\nm2,2,3,5\nm3,4,1,2\nm4,3,3,3.5\n"
SCORES = [[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [4.0, 1.0, 2.0], [3.0, 3.0, 3.5]]


def test_wide_keeps_the_order_of_models_and_columns(read: Read):
    table = read("model,c,a,b\nz,1,2,3\ny,2,3,5\nx,4,1,2\nw,3,3,3.5\n")
    assert table.model_names == ("z", "y", "x", "w")
    assert list(table.scores.columns) == ["c", "a", "b"]
    assert table.benchmark_names == ("a", "b", "c")
    assert table.scores.to_numpy().tolist() == SCORES
    assert table.provenance.source == "scores.csv"
    assert table.cost_unit == "benchmarks"


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        ",cs,,x\n,mIoU,loss,acc\nm1,1,2,3\nm2,2,3,5\nm3,4,1,2\nm4,3,3,3.5\n",
        TWO.replace("Model", "dataset").replace("m1", "model,,,\nm1"),
        "model,cs.mIoU,cs.loss,x.acc\nm1,1,2,3\nm2,2,3,5\nm3,4,1,2\nm4,3,3,3.5\n",
        TWO.replace(",", "\t"),
    ],
    ids=["repeated", "merged", "pandas", "dotted", "tabs"],
)
def test_two_header_rows_and_dotted_names_give_the_same_table(read: Read, text: str):
    table = read(text)
    assert list(table.scores.columns) == ["cs.mIoU", "cs.loss", "x.acc"]
    assert list(table.columns["benchmark"]) == ["cs", "cs", "x"]
    assert list(table.columns["direction"]) == ["higher", "lower", "higher"]
    assert table.scores.to_numpy().tolist() == SCORES


def test_long_reads_directions_costs_errors_and_attributes(read: Read):
    table = read(LONG)
    assert list(table.scores.columns) == ["x.acc", "x.gap", "yy.acc", "yy.gap"]
    assert list(table.columns["direction"]) == ["higher", "lower"] * 2
    assert set(table.columns["direction_source"]) == {"read"}
    assert table.costs == {"x": 3.0, "yy": 3.0}
    assert table.cost_unit == "seconds"
    assert table.cell_costs is not None
    assert table.cell_costs.loc["m4", "x"] == 5.0
    assert table.stderrs is not None
    assert table.stderrs.loc["m1", "x.acc"] == 0.2
    assert table.models["family"].tolist() == ["f0", "f1", "f0", "f1", "f0"]


def test_long_in_any_row_order_gives_the_same_numbers(read: Read):
    head, *rows = LONG.splitlines()
    one = read(LONG)
    other = read("\n".join([head, *reversed(rows)]))
    pd.testing.assert_frame_equal(
        one.scores, other.scores.loc[one.scores.index, one.scores.columns]
    )


def test_long_with_metrics_as_columns_makes_no_column_of_what_is_empty(read: Read):
    rows = "".join(f"{i},m{i},a,{i},,t1,u{i}\n,m{i},b,,{i * i},t2,u{i}\n" for i in range(4))
    table = read("acc,model,dataset,dummy,loss,task,user\n" + rows)
    assert "a.acc" in table.scores
    assert "b.loss" in table.scores
    assert "b.acc" not in table.scores
    assert table.benchmarks["task"].to_dict() == {"a": "t1", "b": "t2"}
    assert list(table.models["user"]) == ["u0", "u1", "u2", "u3"]


def test_the_options_name_the_columns_of_a_long_file(read: Read):
    text = LONG.replace("model,benchmark,metric,score", "who,what,how,number")
    named = {
        "model_column": "who",
        "benchmark_column": "what",
        "metric_column": "how",
        "score_column": "number",
    }
    pd.testing.assert_frame_equal(read(text, **named).scores, read(LONG).scores)


def test_several_columns_make_a_model(read: Read):
    text = "name,tag,a,b\n" + "".join(f"n{i // 2},t{i % 2},{i},{i * i % 5}\n" for i in range(4))
    assert read(text, model_column="name,tag").model_names == ("n0|t0", "n0|t1", "n1|t0", "n1|t1")


def test_a_model_column_that_is_not_the_first_is_found(read: Read):
    table = read("Rank,Model,a,b\n1,x,1,2\n2,y,2,5\n3,z,3,1\n4,w,4,4\n")
    assert table.model_names == ("x", "y", "z", "w")
    assert list(table.models) == ["Rank"]
    assert notes_of(table) == ["guessed column Model", "guessed column Rank"]


def test_row_numbers_without_a_name_are_no_models(read: Read):
    text = ",model,a\n0,x,1\n1,y,2\n2,z,5\n3,w,4\n"
    assert read(text).model_names == ("x", "y", "z", "w")
    assert read(",a,b\nx,1,2\ny,2,3\nz,3,5\nw,0,1\n").model_names == ("x", "y", "z", "w")


def test_text_columns_are_attributes_and_number_columns_by_their_name(read: Read):
    table = read("model,company,params (M),a\nx,C,7,1\ny,,8,2\nz,D,,3\nw,D,1,5\n")
    assert list(table.scores) == ["a"]
    assert table.models["company"].tolist()[0] == "C"
    assert table.models["params (M)"].sum() == 16.0
    assert notes_of(table) == ["ignored column company", "guessed column params (M)"]


def test_standard_errors_are_no_benchmarks(read: Read):
    table = read("model,a,a_stderr,b\nm1,1,.1,2\nm2,2,.1,1\nm3,3,.2,3\nm4,0,.2,5\n")
    assert table.benchmark_names == ("a", "b")
    assert table.stderrs is not None
    assert table.stderrs["a"].tolist() == [0.1, 0.1, 0.2, 0.2]


@pytest.mark.parametrize(("rule", "value"), [("mean", 2.5), ("first", 1.0), ("last", 4.0)])
def test_the_rule_for_duplicates_is_followed(read: Read, fails: Fails, rule: str, value: float):
    rows = "".join(f"m{i},x,{i * i % 7}\n" for i in range(2, 7))
    text = "model,benchmark,score\nm1,x,1\n" + rows + "m1,x,4\n"
    message = fails(text)
    assert "rows 2 and 8" in message
    assert "'m1'" in message
    table = read(text, duplicates=rule)
    assert table.scores.loc["m1", "x"] == value
    assert notes_of(table) == ["dropped file scores.csv"]


@pytest.mark.parametrize(("rule", "value"), [("mean", 5.0), ("first", 1.0), ("last", 9.0)])
def test_duplicated_models_and_columns_in_wide_files(
    read: Read, fails: Fails, rule: str, value: float
):
    rows = BASE + "m1,9,2,3\n"
    assert "model 'm1' is in rows 2 and 6" in fails(rows)
    assert read(rows, duplicates=rule).scores.loc["m1", "a"] == value
    columns = "model,a,b,a\nm1,1,2,9\nm2,2,3,5\nm3,4,1,2\nm4,3,3,3.5\n"
    assert "columns 2 and 4 are both named 'a'" in fails(columns)
    assert read(columns, duplicates=rule).scores.loc["m1", "a"] == value


def test_a_hint_names_the_column_that_makes_models_unique(fails: Fails):
    wide = "name,tag,a,b\n" + "".join(f"n{i // 2},t{i % 2},{i},{i * i % 5}\n" for i in range(6))
    assert "'name,tag'" in fails(wide)
    long = "model,tag,benchmark,score\n" + "".join(f"m{i % 4},t{i},x,{i}\n" for i in range(8))
    assert "'model,tag'" in fails(long)


def test_one_header_name_short_means_that_the_models_have_none(read: Read):
    table = read("a\tb\nm1\t1\t2\nm2\t2\t3\nm3\t3\t1\nm4\t4\t9\n", "scores.tsv")
    assert list(table.scores) == ["a", "b"]
    assert notes_of(table) == ["guessed column (first)"]


def test_an_error_of_a_column_that_is_no_score_is_a_score_itself(read: Read):
    table = read("a,a_stderr,b\nm1,1,2\nm2,2,1\nm3,3,3\nm4,0,5\n")
    assert table.benchmark_names == ("a_stderr", "b")


def test_benchmarks_split_by_their_repeated_head_are_noted(read: Read):
    table = read("model,x.en,x.de,y.v1,y.v2\nm1,1,2,3,4\nm2,2,3,1,5\nm3,5,1,2,7\nm4,0,1,9,1\n")
    assert list(table.columns["benchmark"]) == ["x", "x", "y.v1", "y.v2"]
    assert notes_of(table) == ["guessed benchmark x"]
    assert "benchmark.metric" in table.provenance.layout


def test_frames_take_models_from_the_index_and_two_levels_as_two_header_rows():
    frame = pd.DataFrame(SCORES, index=pd.Index(list("wxyz")), columns=["a", "b.loss", "c"])
    table = eevee.read_table(frame)
    assert table.model_names == ("w", "x", "y", "z")
    assert table.columns.loc["b.loss", "direction"] == "lower"
    assert table.provenance.source == "DataFrame"
    assert len(table.provenance.sha256) == 64
    levels = pd.MultiIndex.from_tuples([("cs", "mIoU"), ("cs", "loss"), ("x", "acc")])
    two = eevee.read_table(frame.set_axis(levels, axis=1))
    assert list(two.scores.columns) == ["cs.mIoU", "cs.loss", "x.acc"]
    plain = frame.rename_axis("model").reset_index()
    pd.testing.assert_frame_equal(eevee.read_table(plain).scores, table.scores)
    assert eevee.read_table(plain).provenance.notes == ()
    pairs = pd.MultiIndex.from_product([["p", "q"], ["1", "2"]])
    assert eevee.read_table(frame.set_axis(pairs)).model_names == ("p|1", "p|2", "q|1", "q|2")


def test_reading_a_frame_does_not_change_it():
    frame = pd.DataFrame(SCORES, index=list("wxyz"), columns=["a", "b", "average"])
    before = frame.copy()
    eevee.read_table(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_missing_values_of_frames_are_missing():
    frame = pd.DataFrame(
        {"a": [1, 2, 3, None, 5], "b": pd.array([1, None, 3, 4, 5], dtype="Int64")},
        index=list("vwxyz"),
    )
    assert np.isnan(eevee.read_table(frame).scores.to_numpy()).sum() == 2


def test_decimal_commas_in_files_separated_by_semicolons(read: Read):
    table = read("model;a;b\nm1;0,85;1.013,5\nm2;0,8;2\nm3;0,7;3\nm4;0,2;1,5\n")
    assert table.scores.loc["m1"].tolist() == [0.85, 1013.5]
    assert "decimal commas" in table.provenance.layout


def test_a_spreadsheets_separator_line_is_no_header(read: Read, fails: Fails):
    text = "sep=;\r\n" + BASE.replace(",", ";").replace("\n", "\r\n")
    assert read(text).scores.to_numpy().tolist() == SCORES
    assert "row 6" in fails(text.replace("m4;3", "m4;foo"))
