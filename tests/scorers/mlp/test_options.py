from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import eevee
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs must be 'auto' or from 1 to 100000, got 0"),
        ({"epochs": "20"}, "epochs must be 'auto' or from 1 to 100000, got '20'"),
        ({"epochs": 2.5}, "epochs must be"),
        ({"hidden": 0}, "hidden must be at least 1"),
        ({"n_init": 0}, "n_init must be at least 1"),
        ({"chunk_size": -1}, "chunk_size must be at least 1"),
        ({"n_threads": -2}, "n_threads must be at least 1"),
        ({"chunk_size": 0}, "chunk_size must be at least 1"),
        ({"n_threads": 0}, "n_threads must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"learning_rate": float("nan")}, "learning_rate must be positive"),
        ({"learning_rate": float("inf")}, "learning_rate must be"),
        ({"weight_decay": -0.1}, "weight_decay must not be negative"),
        ({"weight_decay": float("nan")}, "weight_decay must"),
        ({"targets": "some"}, "targets must be 'all' or 'unseen', got 'some'"),
        ({"device": "tpu9"}, "device 'tpu9' is not one of auto, cpu, cuda"),
        ({"device": "meta"}, "device 'meta' is not one of auto, cpu, cuda"),
        ({"weights": {"b00": 1.0}}, "weights: benchmark 'b01' has none"),
    ],
)
def test_wrong_options_are_refused_where_they_come_in(options, message: str) -> None:
    table = made_table()
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.MLPScorer(table, few_splits(table), **options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="speaks of machines without CUDA")
def test_a_device_that_is_not_there_is_refused() -> None:
    table = made_table()
    with pytest.raises(eevee.EeveeError, match="has no CUDA"):
        eevee.MLPScorer(table, few_splits(table), device="cuda")


def test_every_option_of_the_network_changes_the_loss() -> None:
    table = made_table()
    splits = few_splits(table)
    base = {"epochs": 5}
    changes = ({}, {"epochs": 6}, {"hidden": 50}, {"learning_rate": 0.02}, {"weight_decay": 0.5})
    changes += ({"n_init": 2}, {"seed": 1}, {"targets": "unseen"})
    losses = [
        float(eevee.MLPScorer(table, splits, **(base | change)).losses([("b00", "b01")])[0])
        for change in changes
    ]
    assert len(set(losses)) == len(losses)


def test_the_same_scorer_for_other_targets_keeps_every_other_option() -> None:
    table = rich_table()
    options = {
        "epochs": 3,
        "hidden": 20,
        "learning_rate": 0.02,
        "weight_decay": 0.1,
        "n_init": 2,
        "seed": 4,
        "weights": dict.fromkeys(table.benchmark_names, 1.0) | {"ant": 3.0},
    }
    scorer = eevee.MLPScorer(table, few_splits(table), **options)
    other = scorer.with_targets("unseen")
    assert other.describe() == scorer.describe() | {"targets": "unseen"}
    back = other.with_targets("all")
    np.testing.assert_array_equal(back.losses([("bee",)]), scorer.losses([("bee",)]))


def test_the_description_is_plain_json() -> None:
    table = rich_table()
    weights = dict.fromkeys(table.benchmark_names, 1.0)
    scorer = eevee.MLPScorer(table, few_splits(table), epochs="auto", weights=weights)
    assert json.loads(json.dumps(scorer.describe())) == scorer.describe()
    assert scorer.describe()["name"] == "mlp"


def test_equal_user_weights_are_the_default_where_no_benchmark_has_a_task() -> None:
    table = made_table()
    weights = dict.fromkeys(table.benchmark_names, 2.0)
    losses = [
        eevee.MLPScorer(table, few_splits(table), epochs=5, weights=w).losses([("b00", "b04")])
        for w in (None, weights)
    ]
    np.testing.assert_allclose(*losses, rtol=1e-6)


def test_a_benchmark_that_predicts_nothing_scores_worse_than_one_that_predicts_all() -> None:
    rng = np.random.default_rng(0)
    table = made_table(40, 6, seed=3)
    scores = table.scores.copy()
    scores["b05"] = rng.normal(size=40)
    scores["b00"] = scores[["b01", "b02", "b03", "b04"]].mean(axis=1)
    noisy = eevee.ResultsTable.from_scores(scores)
    good, bad = eevee.MLPScorer(noisy, few_splits(noisy, 5), epochs=20).losses([("b00",), ("b05",)])
    assert good < bad
