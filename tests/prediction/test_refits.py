"""The batch of refits against fits made one at a time, by other code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.prediction.meta_model import MetaModel
from eevee.prediction.refits import Refits, refit
from eevee.splits.splits import Splits
from tests.scorers.tables import rich_table, with_scores

RIDGE = MetaModel("ridge", None, None, 0)
MLP = MetaModel("mlp", 20, 2, 0)
MODELS = [RIDGE, MLP]
SUBSET = ("ant", "bee")


def _new(table: eevee.ResultsTable, n: int = 3) -> np.ndarray:
    return table.scores.mean().to_numpy() + table.units.to_numpy() * np.random.default_rng(
        7
    ).normal(size=(n, table.n_columns))


@pytest.mark.parametrize("folds", [np.arange(18), np.arange(18) % 4])
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("model", MODELS)
def test_each_refit_is_the_scorer_on_the_rest_alone(
    model: MetaModel, missing: float, folds: np.ndarray
) -> None:
    table = rich_table(missing=missing)
    new = _new(table)
    found = refit(table, new, SUBSET, model, folds)
    # The networks of the first split share their initial weights with those of a single split.
    for fold in {0} if model is MLP else {0, 3}:
        gone = folds == fold
        predicted, held_out = _alone(table, new, gone, model)
        residuals = table.scores.to_numpy()[gone] - held_out
        units = table.units.to_numpy()
        near = {"rtol": 0.0, "atol": 1e-8 if model is RIDGE else 1e-4}
        np.testing.assert_allclose(found.left_out[fold] / units, predicted / units, **near)
        np.testing.assert_allclose(found.residuals[gone] / units, residuals / units, **near)


def _alone(
    table: eevee.ResultsTable, new: np.ndarray, gone: np.ndarray, model: MetaModel
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions by a table of its own, in another order of rows, with one split."""
    scores = table.scores.to_numpy()
    rows = pd.DataFrame(np.concatenate([new, scores[gone], scores[~gone]]))
    own = eevee.ResultsTable(
        scores=rows.set_axis(table.scores.columns, axis=1),
        columns=table.columns,
        benchmarks=table.benchmarks,
        models=pd.DataFrame(index=rows.index),
        units=table.units,
    )
    test = (np.arange(len(rows)) < len(new) + gone.sum())[None]
    splits = Splits(train=~test, validation=np.zeros_like(test), test=test)
    if model is RIDGE:
        scorer = eevee.RidgeScorer(own, splits, targets="unseen")
    else:
        scorer = eevee.MLPScorer(own, splits, targets="unseen", epochs=20, n_init=2)
    predicted = scorer.predict(SUBSET)[0]
    return predicted[: len(new)], predicted[len(new) :][: gone.sum()]


def _same(one: Refits, other: Refits) -> None:
    for name in ("full", "left_out", "residuals"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_what_is_no_input_of_a_new_model_is_never_read(model: MetaModel) -> None:
    table = rich_table()
    new = _new(table)
    inputs = table.columns["benchmark"].isin(SUBSET).to_numpy()
    blank = np.where(inputs, new, np.nan)
    one, other = (refit(table, n, SUBSET, model, np.arange(18)) for n in (new, blank))
    for name in ("full", "left_out", "residuals"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("model", MODELS)
def test_new_models_change_neither_each_other_nor_the_residuals(model: MetaModel) -> None:
    table = rich_table()
    new = _new(table)
    both = refit(table, new, SUBSET, model, np.arange(18))
    alone = refit(table, new[1:2], SUBSET, model, np.arange(18))
    _same(alone, replace(both, full=both.full[1:2], left_out=both.left_out[:, 1:2]))


@pytest.mark.parametrize("model", MODELS)
def test_a_left_out_model_does_not_reach_the_fit_that_leaves_it_out(model: MetaModel) -> None:
    table = rich_table(missing=0.0)
    values = table.scores.to_numpy().copy()
    values[4] += 3 * table.units.to_numpy()
    new = _new(table)
    before, after = (
        refit(t, new, SUBSET, model, np.arange(18)) for t in (table, with_scores(table, values))
    )
    targets = table.is_target
    np.testing.assert_array_equal(before.left_out[4], after.left_out[4])
    assert (before.left_out[5] != after.left_out[5])[:, targets].any()
    assert (before.full != after.full)[:, targets].any()
