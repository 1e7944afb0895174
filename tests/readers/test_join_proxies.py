"""Proxy columns from a file of their own: units, costs, names and models have to fit."""

import re

import numpy as np
import pandas as pd
import pytest

from eevee.base.errors import EeveeError
from eevee.readers import read_table
from eevee.readers.asides import aside_sentence, unit_sentence
from eevee.readers.proxies import check_paid
from eevee.tables.results_table import ResultsTable

MODELS = list("stuvwxyz")
SCORES = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 3)), MODELS, list("abc"))
COSTS = {"a": 3.0, "b": 2.0, "c": 1.0}


def cheap(models: list[str] = MODELS, cost: str = "cost", name: str = "a:p", **more: str):
    values = np.random.default_rng(1).normal(size=len(models))
    rows = {"model": models, "benchmark": name, "score": values, cost: 0.5} | more
    return pd.DataFrame(rows)


def joined(proxies: pd.DataFrame, **options: object) -> ResultsTable:
    return read_table(SCORES, **({"costs": COSTS, "proxies": proxies} | options))


def test_proxies_join_at_their_cost_and_leave_the_rest_as_it_is() -> None:
    table, alone = joined(cheap(role="proxy", stderr="0.1")), read_table(SCORES, costs=COSTS)
    assert table.costs == {**COSTS, "a:p": 0.5}
    assert table.benchmark_names == ("a", "a:p", "b", "c")
    assert table.total_cost == alone.total_cost
    pd.testing.assert_frame_equal(table.targets, alone.scores)
    assert table.scores["a:p"].tolist() == cheap()["score"].tolist()
    assert table.units["a:p"] == pytest.approx(cheap()["score"].std(ddof=0))
    assert table.stderrs["a:p"].tolist() == [0.1] * 8
    assert table.columns.at["a:p", "role"] == "proxy"  # noqa: PD008


def test_models_without_proxies_are_named_and_others_left_out() -> None:
    table = joined(cheap([*MODELS[2:], "new"]))
    assert table.model_names == tuple(MODELS)
    assert table.scores["a:p"].isna().tolist() == [True, True] + 6 * [False]
    said = "has no proxies of 2 models ('s', 't'): counted as not measured there"
    assert said in aside_sentence(table)
    assert any(note.name == "new" and note.action == "ignored" for note in table.provenance.notes)


def test_scores_beside_the_proxies_stay_out() -> None:
    both = pd.concat([cheap(role="proxy"), cheap(name="d", role="")])
    table = joined(both)
    assert list(table.scores) == ["a", "b", "c", "a:p"]
    assert "holds 1 columns that are no proxies ('d')" in aside_sentence(table)


@pytest.mark.parametrize(
    ("proxies", "options", "words"),
    [
        (cheap(cost="cost_seconds"), {}, "costs are in seconds, those of DataFrame in GPU-hours"),
        (cheap(cost="cpu_seconds"), {"cost_unit": "GPU-seconds"}, "costs are in CPU-seconds"),
        (cheap().drop(columns="cost"), {}, "has no costs"),
        (cheap(["q", "r"]), {}, "names none of the models"),
        (cheap(name="a"), {}, "call it otherwise, such as 'a:proxy'"),
        (cheap().assign(score=1.0), {}, "no proxy column differs"),
        (cheap(role="score"), {}, "no column is a proxy"),
    ],
)
def test_what_does_not_fit_is_refused(proxies, options, words) -> None:
    with pytest.raises(EeveeError, match=re.escape(words)) as caught:
        joined(proxies, **options)
    assert "\n" not in str(caught.value)


def test_seconds_are_seconds_of_any_device() -> None:
    proxies = cheap(cost="cost_seconds")
    assert joined(proxies, cost_unit="CPU-seconds").costs["a:p"] == 0.5


def test_costs_that_name_no_unit_are_said_to_be_in_that_of_the_table() -> None:
    costs = pd.DataFrame({"benchmark": list("abc"), "cost_seconds": [3.0, 2.0, 1.0]})
    table = read_table(SCORES, costs=costs, proxies=cheap())
    assert table.cost_unit == "seconds"
    assert unit_sentence(table).startswith("costs are taken as seconds: DataFrame names no unit")
    assert unit_sentence(joined(cheap(), cost_unit="hours")) == ""


def test_a_table_without_costs_is_no_table_to_choose_proxies_in() -> None:
    table = joined(cheap(), costs=None)
    assert table.costs["a:p"] == 1.0
    with pytest.raises(EeveeError, match="proxies are chosen at their cost"):
        check_paid(table)
    check_paid(read_table(SCORES))
