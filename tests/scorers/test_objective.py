"""Objectives against scipy and plain arithmetic; the same whatever is scored beside."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge

import eevee
from eevee.base.arrays import FloatArray, Subset
from eevee.scorers.base import Scorer
from eevee.scorers.objective import kendall_tau, objective_scorer, plain_scorer
from eevee.tables.results_table import ResultsTable
from tests.averages import average_by_loops
from tests.scorers.tables import rich_table, with_scores

SCORERS = ("ridge", "factor", "mlp", "estimator")
CPU: dict[str, Any] = {"device": "cpu", "epochs": 10}


def scorers(table: ResultsTable, **options: Any) -> dict[str, Scorer]:
    splits = eevee.shuffle_splits(table, n_splits=3, test_size=0.3)
    return {
        "ridge": eevee.RidgeScorer(table, splits, **options),
        "factor": eevee.FactorScorer(table, splits, **options),
        "mlp": eevee.MLPScorer(table, splits, **CPU, **options),
        "estimator": eevee.EstimatorScorer(Ridge(2.0), table, splits, **options),
    }


def some_subsets(table: ResultsTable) -> list[Subset]:
    names = table.benchmark_names
    return [names[:1], names[1:3], names[2:], names, names[::2]]


Shown = tuple[FloatArray, FloatArray, FloatArray]


def tau_by_pairs(seen: FloatArray, true: FloatArray, others: FloatArray) -> float:
    """Kendall's tau-b over the pairs with at least one member of `seen`, counted one by one."""
    agree = said = truly = 0.0
    pairs = [((a, b), (c, d)) for (a, c), (b, d) in combinations(zip(seen, true, strict=True), 2)]
    pairs += [((a, o), (c, o)) for a, c in zip(seen, true, strict=True) for o in others]
    for shown, real in pairs:
        one, other = np.sign(shown[0] - shown[1]), np.sign(real[0] - real[1])
        agree, said, truly = agree + one * other, said + abs(one), truly + abs(other)
    return float(agree / np.sqrt(said * truly)) if said * truly else 0.0


def mean_scores_shown(
    scorer: Any, subset: Subset, table: ResultsTable, weights: Mapping[str, float] | None = None
) -> list[Shown]:
    """Seen and true mean scores of the test models of each split, from published predictions.

    And those of the models that it was fitted on.
    """
    unseen = scorer.with_targets("unseen")
    signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    units = table.units.to_numpy()
    own = table.columns["benchmark"].isin(subset).to_numpy()
    found = []
    for fit, test, predicted in zip(
        scorer.splits.fit, scorer.splits.test, unseen.predict(subset), strict=True
    ):
        true = table.oriented[test]
        fitted = table.oriented[fit]
        usable = (np.isfinite(fitted).sum(axis=0) >= 2) & table.is_target
        there = np.isfinite(true) & usable
        shown = np.where(own, true, predicted[test] * signs)
        centre = np.nanmean(fitted, axis=0)
        seen, truth, others = (
            np.array(
                [
                    average_by_loops(table, row, weights)
                    for row in np.where(known, (one - centre) / units, np.nan)
                ]
            )
            for one, known in ((shown, there), (true, there), (fitted, usable & ~np.isnan(fitted)))
        )
        found.append((seen, truth, others))
    return found


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.slow
def test_kendall_is_that_of_the_mean_scores_that_a_user_sees(name: str, weighted: bool) -> None:
    table = rich_table(24, seed=1)
    weights = {b: float(i) for i, b in enumerate(table.benchmark_names)} if weighted else None
    scorer = scorers(table, weights=weights)[name]
    values = objective_scorer(scorer, "kendall").split_losses(some_subsets(table))
    for subset, row in zip(some_subsets(table), values, strict=True):
        pairs = mean_scores_shown(scorer, subset, table, weights)
        expected = [1 - tau_by_pairs(*shown) for shown in pairs]
        np.testing.assert_allclose(row, expected, atol=1e-9)


@pytest.mark.parametrize("name", SCORERS)
def test_models_that_are_told_apart_by_nothing_tie(name: str) -> None:
    """With a pass or fail as the only input there are two predictions, and two mean scores."""
    table = rich_table(30, seed=9, missing=0.0, proxies=False)
    column = table.columns_of("ant")[0]
    values = table.scores.copy()
    values[column] = (values[column] > values[column].median()).astype(float)
    coarse = with_scores(table, values.to_numpy())
    scorer = scorers(coarse)[name]
    row = objective_scorer(scorer, "kendall").split_losses([("ant",)])[0]
    pairs = mean_scores_shown(scorer, ("ant",), coarse)
    rounded = [(seen.round(9), true.round(9), others.round(9)) for seen, true, others in pairs]
    assert all(len(set(seen)) == 2 for seen, _, _ in rounded)
    expected = [1 - tau_by_pairs(*shown) for shown in rounded]
    np.testing.assert_allclose(row, expected, atol=1e-9)


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_r2_is_the_unseen_loss_over_that_of_means(name: str, weighted: bool) -> None:
    table = rich_table(24, seed=2)
    weights = {b: 1.0 + i for i, b in enumerate(table.benchmark_names)} if weighted else None
    scorer = scorers(table, weights=weights)[name]
    subset = table.benchmark_names[:2]
    value = float(objective_scorer(scorer, "r2").losses([subset])[0])
    unseen = scorer.with_targets("unseen")
    blind = eevee.RidgeScorer(
        table,
        scorer.splits,
        targets="unseen",
        weights=weights,
        alpha=1e12,  # predicts each column's mean
    )
    expected = float(unseen.losses([subset])[0]) / float(blind.losses([subset])[0])
    assert value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("objective", ["kendall", "r2"])
@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.slow
def test_a_value_does_not_depend_on_what_is_scored_beside(name: str, objective: Any) -> None:
    table = rich_table(20, seed=3)
    subsets = some_subsets(table)
    together = objective_scorer(scorers(table)[name], objective).split_losses(subsets)
    alone = [objective_scorer(scorers(table)[name], objective).split_losses([s]) for s in subsets]
    np.testing.assert_array_equal(together, np.concatenate(alone))
    turned = objective_scorer(scorers(table)[name], objective)
    np.testing.assert_array_equal(together[::-1], turned.split_losses(subsets[::-1]))


def test_small_chunks_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    table = rich_table(20, seed=3)
    subsets = some_subsets(table)
    whole = objective_scorer(scorers(table)["mlp"], "kendall")
    again = whole.rescore(subsets, 2)
    monkeypatch.setattr("eevee.scorers.objective.CHUNK_BYTES", 1)
    small = objective_scorer(scorers(table)["mlp"], "kendall")
    np.testing.assert_array_equal(whole.losses(subsets), small.losses(subsets))
    assert again is not None
    np.testing.assert_array_equal(again, small.rescore(subsets, 2))


def test_fresh_initialisations_are_other_ones_and_only_where_there_are_any() -> None:
    table = rich_table(20, seed=4)
    for name, scorer in scorers(table).items():
        for objective in ("kendall", "r2"):
            judge = objective_scorer(scorer, objective)
            again = judge.rescore([table.benchmark_names[:2]], 3)
            assert (again is None) == (name != "mlp")
            if again is not None:
                assert again.shape == (1, 3)
                assert len({float(judge.losses([table.benchmark_names[:2]])[0]), *again[0]}) > 1


def test_everything_measured_is_in_order_and_leaves_no_r2() -> None:
    table = rich_table(20, seed=5)
    scorer = scorers(table)["ridge"]
    everything = [table.benchmark_names]
    assert objective_scorer(scorer, "kendall").losses(everything).tolist() == [0.0]
    assert np.isnan(objective_scorer(scorer, "r2").losses(everything)).all()


@pytest.mark.parametrize("name", SCORERS)
def test_what_a_test_model_truly_scored_changes_no_prediction(name: str) -> None:
    table = rich_table(20, seed=6)
    scorer = scorers(table)[name]
    subset = table.benchmark_names[:2]
    outside = ~table.columns["benchmark"].isin(subset).to_numpy()
    values = table.scores.to_numpy().copy()
    values[np.ix_(scorer.splits.test[0], outside)] *= 3
    changed = scorers(with_scores(table, values))[name]
    before, after = (
        s.predict_targets([subset])[0, 0]  # type: ignore[attr-defined]
        for s in (scorer, changed)
    )
    np.testing.assert_array_equal(before, after)


def test_tau_has_ties_and_rows_that_do_not_count() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, size=(3, 12)).astype(float)
    true[1, 9:] = np.nan
    true[2] = 1.0
    predicted = rng.integers(0, 5, size=(6, 3, 12)).astype(float)
    predicted[5] = 2.0
    nobody = [np.empty(0)] * 3
    found = kendall_tau(predicted, true, nobody)
    for i, splits in enumerate(predicted):
        for j, row in enumerate(splits):
            known = np.isfinite(true[j])
            expected = stats.kendalltau(row[known], true[j][known]).statistic
            assert found[i, j] == pytest.approx(np.nan_to_num(expected))


def test_tau_against_known_values_counts_every_pair_once() -> None:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 6, size=(2, 9)).astype(float)
    true[1, 6:] = np.nan
    predicted = rng.integers(0, 6, size=(20, 2, 9)).astype(float)
    others = [rng.integers(0, 6, size=n).astype(float) for n in (11, 4)]
    found = kendall_tau(predicted, true, others)
    for i, splits in enumerate(predicted):
        for j, row in enumerate(splits):
            known = np.isfinite(true[j])
            expected = tau_by_pairs(row[known], true[j][known], others[j])
            assert found[i, j] == pytest.approx(expected)


def test_objectives_are_checked_and_do_not_stack() -> None:
    scorer = scorers(rich_table(20, seed=7))["ridge"]
    by_order = objective_scorer(scorer, "kendall")
    assert objective_scorer(by_order, "kendall") is by_order
    assert objective_scorer(scorer, "loss") is scorer
    assert plain_scorer(by_order) is scorer
    with pytest.raises(eevee.EeveeError, match="kendall, not r2"):
        objective_scorer(by_order, "r2")
    with pytest.raises(eevee.EeveeError, match="did you mean 'kendall'"):
        objective_scorer(scorer, "kendal")  # type: ignore[arg-type]
