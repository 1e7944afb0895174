"""`predict` of the scorers: the predictions behind their losses, and nothing else."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import eevee
from eevee.tables.averages import loss_weights
from eevee.tables.results_table import ResultsTable
from tests.scorers.tables import few_splits, rich_table, with_scores

MLP = partial(eevee.MLPScorer, epochs=20, n_init=2)
SCORERS = [eevee.RidgeScorer, MLP]
SUBSET = ("ant", "bee", "gnu")


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("make", [*SCORERS, eevee.FactorScorer])
def test_the_loss_is_the_error_of_the_predictions(make, missing: float) -> None:
    table = rich_table(missing=missing)
    splits = few_splits(table)
    scorer = make(table, splits)
    scores, units = table.scores.to_numpy(), table.units.to_numpy()
    squared = ((scorer.predict(SUBSET) - scores) / units) ** 2
    known = np.isfinite(squared)
    errors = np.where(known, squared, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    losses = (errors * loss_weights(table, None).of(known.any(axis=1))).sum(axis=1)
    np.testing.assert_allclose(losses, scorer.split_losses([SUBSET])[0], rtol=1e-6)


def test_the_factor_model_bends_percentages_and_predicts_only_what_was_measured() -> None:
    table = rich_table()
    splits = few_splits(table)
    shares = with_scores(table, 1 / (1 + np.exp(-table.scores.to_numpy() / 50)))
    found = eevee.FactorScorer(shares, splits, logit=True).predict(SUBSET)
    known = table.scores.notna().to_numpy() & splits.test[:, :, None] & table.is_target
    np.testing.assert_array_equal(np.isfinite(found), known)
    assert ((found[known] > 0) & (found[known] < 1)).all()


@pytest.mark.parametrize("make", SCORERS)
def test_only_test_models_and_targets_are_predicted(make) -> None:
    table = rich_table()
    splits = few_splits(table)
    known = np.isfinite(make(table, splits).predict(SUBSET))
    np.testing.assert_array_equal(known, splits.test[:, :, None] & table.is_target)


def test_ridge_predicts_what_scikit_learn_does() -> None:
    table = rich_table(missing=0.0, proxies=False)
    splits = few_splits(table, 1)
    fit, test = splits.fit[0], splits.test[0]
    found = eevee.RidgeScorer(table, splits, alpha=2.0).predict(["ant", "dog"])[0][test]
    x = table.scores[["ant.m0", "dog.m0"]].to_numpy()
    x = (x - x[fit].mean(axis=0)) / x[fit].std(axis=0)
    y = table.scores.to_numpy() / table.units.to_numpy()
    expected = Ridge(alpha=2.0).fit(x[fit], y[fit]).predict(x[test]) * table.units.to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("make", SCORERS)
def test_scores_of_a_test_model_change_no_prediction_of_another(make) -> None:
    table = rich_table(missing=0.1)
    splits = few_splits(table, 1)
    mine, *others = np.flatnonzero(splits.test[0])
    values = table.scores.to_numpy().copy()
    values[mine, np.isfinite(values[mine])] = -1e4
    before, after = (
        make(t, splits).predict(SUBSET)[0] for t in (table, with_scores(table, values))
    )
    np.testing.assert_array_equal(before[others], after[others])
    assert (before[mine] != after[mine])[table.is_target].any()


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("make", SCORERS)
def test_bits_do_not_depend_on_threads(make, n_threads: int) -> None:
    table: ResultsTable = rich_table()
    splits = few_splits(table)
    expected = make(table, splits).predict(SUBSET)
    found = make(table, splits, n_threads=n_threads).predict(reversed(SUBSET))
    np.testing.assert_array_equal(found, expected)


def test_an_unknown_benchmark_is_refused() -> None:
    table = rich_table()
    with pytest.raises(eevee.EeveeError, match="no benchmark 'ent'"):
        eevee.RidgeScorer(table, few_splits(table)).predict(["ent"])
