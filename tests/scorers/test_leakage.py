"""Nothing of a held-out model reaches the fit, once the units are fixed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import eevee
from eevee.scorers.loss import LossRule, standardise
from eevee.scorers.mlp import networks as batched
from eevee.scorers.mlp.stage import Stage, predictions_of
from eevee.tables.results_table import ResultsTable
from tests.scorers.tables import few_splits, rich_table, with_scores

SUBSETS = [("ant", "bee"), ("cat", "gnu")]


def _fit(table: ResultsTable, splits: eevee.splits.Splits) -> tuple[batched.Layers, np.ndarray]:
    """Weights after 20 epochs, and predictions of the test models, padding cut off."""
    data = standardise(table, splits.fit)
    rule = LossRule(table, splits, data, "all", None)
    stage = Stage(table, splits, data, rule, torch.device("cpu"))
    start = eevee.MLPScorer(table, splits, epochs=1)._initial_weights(0)
    batch = stage.batch(SUBSETS)
    layers = batched.train(batch, stage.fit, start, batched.Training(), 20)
    n_test = splits.test[0].sum()
    shown = predictions_of(batch, stage.judged, layers)[:, :, :n_test, : len(stage.outputs)]
    return layers, shown


@pytest.fixture
def one_split() -> tuple[ResultsTable, eevee.splits.Splits, np.ndarray]:
    table = rich_table(missing=0.1)
    splits = few_splits(table, 1)
    return table, splits, np.flatnonzero(splits.test[0])


@pytest.mark.parametrize("value", [0.0, -1e4, 1e6])
def test_scores_of_a_held_out_model_move_no_fitted_weight_and_only_its_own_predictions(
    one_split: tuple[ResultsTable, eevee.splits.Splits, np.ndarray], value: float
) -> None:
    table, splits, tested = one_split
    values = table.scores.to_numpy().copy()
    values[tested[0], np.isfinite(values[tested[0]])] = value
    changed = with_scores(table, values)
    (before, shown), (after, shown_after) = _fit(table, splits), _fit(changed, splits)
    assert torch.equal(before.first, after.first)
    assert torch.equal(before.second, after.second)
    np.testing.assert_array_equal(shown[:, :, 1:], shown_after[:, :, 1:])
    assert (shown[:, :, 0] != shown_after[:, :, 0]).any()
    one, other = (eevee.MLPScorer(t, splits, epochs=20).losses(SUBSETS) for t in (table, changed))
    assert (one != other).all()


def test_gaps_of_a_held_out_model_change_no_prediction_of_another(
    one_split: tuple[ResultsTable, eevee.splits.Splits, np.ndarray],
) -> None:
    table = rich_table(missing=0.0)
    _, splits, tested = one_split
    values = table.scores.to_numpy().copy()
    values[tested[0], ::2] = np.nan
    shown, shown_after = (_fit(t, splits)[1] for t in (table, with_scores(table, values)))
    np.testing.assert_allclose(shown[:, :, 1:], shown_after[:, :, 1:], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_calibrated_epochs_do_not_depend_on_held_out_models() -> None:
    table = rich_table(24, missing=0.0)
    splits = few_splits(table, 1)
    values = table.scores.to_numpy().copy()
    values[splits.test[0]] = np.random.default_rng(0).normal(size=values[splits.test[0]].shape)
    epochs = []
    for scored in (table, with_scores(table, values)):
        scorer = eevee.MLPScorer(scored, splits)
        epochs.append([scorer.epochs_for(size) for size in range(1, 8)])
    assert epochs[0] == epochs[1]


def test_a_fitting_model_does_move_the_weights(
    one_split: tuple[ResultsTable, eevee.splits.Splits, np.ndarray],
) -> None:
    table, splits, _ = one_split
    values = table.scores.to_numpy().copy()
    values[np.flatnonzero(splits.validation[0])[0]] += 1.0
    before, after = (_fit(t, splits)[0] for t in (table, with_scores(table, values)))
    assert not torch.equal(before.second, after.second)
