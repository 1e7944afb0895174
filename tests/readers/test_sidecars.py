from __future__ import annotations

import pandas as pd
import pytest

from tests.readers.conftest import BASE, Fails, Read, notes_of

DOTTED = BASE.replace("model,a,b,c", "model,a.acc,a.loss,c")


def facts(text: str) -> pd.DataFrame:
    head, *rows = (line.split(",") for line in text.strip().splitlines())
    return pd.DataFrame(rows, columns=head)


def test_benchmarks_give_task_direction_cost_role_and_metric(read: Read):
    given = facts(
        "benchmark,task,direction,cost,role,metric\na,t,lower,2,,\nb,,,1,proxy,auc\nc,t,,3,score,"
    )
    table = read(BASE, benchmarks=given)
    assert table.benchmarks["task"].to_dict() == {"a": "t", "b": None, "c": "t"}
    assert list(table.columns["direction"]) == ["lower", "higher", "higher"]
    assert list(table.columns["direction_source"]) == ["read", "guessed", "guessed"]
    assert list(table.columns["role"]) == ["score", "proxy", "score"]
    assert list(table.columns["metric"]) == ["score", "auc", "score"]
    assert table.costs == {"a": 2.0, "b": 1.0, "c": 3.0}


def test_rows_by_column_speak_of_that_column_only(read: Read):
    table = read(DOTTED, benchmarks=facts("column,role,direction\na.acc,proxy,\na.loss,,higher"))
    assert list(table.columns["role"]) == ["proxy", "score", "score"]
    assert list(table.columns["direction"]) == ["higher", "higher", "higher"]


def test_rows_by_benchmark_speak_of_all_its_columns_or_of_one_metric(read: Read, fails: Fails):
    assert list(read(DOTTED, benchmarks=facts("benchmark,role\na,proxy")).columns["role"]) == [
        "proxy", "proxy", "score",
    ]  # fmt: skip
    one = facts("benchmark,metric,role\na,loss,proxy")
    assert list(read(DOTTED, benchmarks=one).columns["role"]) == ["score", "proxy", "score"]
    assert "'acc', 'loss'" in fails(DOTTED, benchmarks=facts("benchmark,metric,role\na,f1,proxy"))


def test_a_file_by_column_may_name_the_benchmarks(read: Read):
    given = facts("column,benchmark,metric\na,x,acc\nb,x,loss")
    table = read(BASE, benchmarks=given)
    assert table.benchmark_names == ("c", "x")
    assert table.columns.loc["b", ["benchmark", "metric", "direction"]].tolist() == [
        "x", "loss", "lower",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ("benchmark,task\nA,t", ["row 1", "'A'", "did you mean 'a'"]),
        ("benchmark,direction\na,sideways", ["row 1", "'direction'", "sideways"]),
        ("benchmark,role\na,king", ["row 1", "'role'", "king", "proxy"]),
        ("benchmark,cost\na,0\nb,1\nc,1", ["row 1", "positive"]),
        ("benchmark,cost\na,1\nb,1", ["no cost of benchmark 'c'"]),
        ("benchmark,colour\na,red", ["task, direction, cost"]),
        ("benchmark,task\na,t\na,u", ["row 2", "another task"]),
        ("benchmark,role\na,proxy\nb,proxy\nc,proxy", ["all columns are proxies"]),
    ],
)
def test_wrong_benchmarks_are_refused(fails: Fails, given: str, parts: list[str]):
    message = fails(BASE, benchmarks=facts(given))
    assert all(part in message for part in parts), message


def test_costs_are_given_once(fails: Fails):
    given = facts("benchmark,cost\na,1\nb,1\nc,1")
    assert "twice" in fails(BASE, benchmarks=given, costs={"a": 1, "b": 1, "c": 1})


def test_models_get_attributes(read: Read):
    given = facts("model,family,size\nm4,f,7\nm1,g,\nzz,h,9")
    table = read("model,company,a\nm1,C,1\nm2,D,2\nm3,C,5\nm4,D,3\n", models=given)
    assert list(table.models) == ["company", "family", "size"]
    assert table.models["family"].fillna("?").tolist() == ["g", "?", "?", "f"]
    assert table.models["size"].sum() == 7.0
    assert notes_of(table) == ["ignored column company", "ignored model zz"]


def test_models_may_be_keyed_by_the_same_columns_as_scores(read: Read):
    text = "name,tag,a,b\n" + "".join(f"n{i // 2},t{i % 2},{i},{i * i % 5}\n" for i in range(4))
    given = facts("name,tag,family\nn0,t1,f\nn1,t0,g")
    table = read(text, models=given, model_column="name,tag")
    assert table.models.loc["n0|t1", "family"] == "f"


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ("model,family\nM1,f", ["none of the models", "did you mean 'm1'"]),
        ("model,family", ["empty"]),
        ("model,family\nm1,f\nm1,g", ["'m1'", "rows 1 and 2"]),
    ],
)
def test_wrong_models_are_refused(fails: Fails, given: str, parts: list[str]):
    message = fails(BASE, models=facts(given))
    assert all(part in message for part in parts), message
