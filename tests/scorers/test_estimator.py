"""`EstimatorScorer`: any scikit-learn regressor, equal to fitting it by hand."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

import eevee
from eevee.scorers.estimator import EstimatorScorer
from eevee.scorers.loss import TARGETS
from tests.conftest import made_table
from tests.scorers.tables import with_scores

SUBSETS = [("b00",), ("b01", "b04"), ("b00", "b02", "b05", "b07")]


def by_hand(regressor, table, splits, subset, split):
    """One fit per column, on a complete table, in plain scikit-learn."""
    values, fit, test = table.oriented, splits.fit[split], splits.test[split]
    units = table.units.to_numpy()
    mine = [table.benchmark_names.index(name) for name in subset]
    sd = np.maximum(values[fit].std(axis=0), 0.1 * units)
    inputs = np.clip((values - values[fit].mean(axis=0)) / sd, -6, 6)[:, mine]
    errors = [
        np.mean((regressor.fit(inputs[fit], y[fit]).predict(inputs[test]) - y[test]) ** 2)
        for y in ((values - values[fit].mean(axis=0)) / units).T
    ]
    return float(np.mean(errors))


@pytest.mark.parametrize(
    "regressor", [Ridge(2.0), KNeighborsRegressor(3), SVR(tol=1e-9), LinearRegression()]
)
def test_equals_fitting_the_regressor_by_hand(regressor) -> None:
    table = made_table()
    splits = eevee.shuffle_splits(table, n_splits=3)
    scored = EstimatorScorer(regressor, table, splits).split_losses(SUBSETS)
    for subset, losses in zip(SUBSETS, scored, strict=True):
        expected = [by_hand(regressor, table, splits, subset, split) for split in range(3)]
        np.testing.assert_allclose(losses, expected, rtol=1e-9)


@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_one_output_at_a_time_equals_all_at_once(targets, missing) -> None:
    """A pipeline that ends in Ridge and a regressor of one output see the same problem."""

    class OneAtATime(Ridge):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.target_tags.multi_output = False
            return tags

    table = made_table(missing=missing, seed=2)
    splits = eevee.shuffle_splits(table, n_splits=2)
    together, alone = (
        EstimatorScorer(regressor, table, splits, targets=targets).split_losses(SUBSETS)
        for regressor in (Ridge(1.0), OneAtATime(1.0))
    )
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def test_a_pipeline_and_several_jobs_change_nothing() -> None:
    table = made_table(missing=0.1, seed=3)
    splits = eevee.shuffle_splits(table, n_splits=2)
    pipeline = make_pipeline(StandardScaler(), Ridge(1.0))
    one = EstimatorScorer(pipeline, table, splits).split_losses(SUBSETS)
    two = EstimatorScorer(pipeline, table, splits, n_jobs=2).split_losses(SUBSETS[::-1])
    assert one.tolist() == two[::-1].tolist()


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_every_fit_has_one_thread(backend: str) -> None:
    class Counting(Ridge):
        def fit(self, X, y):
            counts = {library["num_threads"] for library in threadpool_info()}
            assert counts == {1}
            return super().fit(X, y)

    table = made_table()
    splits = eevee.shuffle_splits(table, n_splits=2)
    with threadpool_limits(3):
        before = threadpool_info()
        with parallel_config(backend):
            EstimatorScorer(Counting(), table, splits, n_jobs=2).losses(SUBSETS * 3)
        assert threadpool_info() == before


def test_bits_do_not_depend_on_the_threads_of_the_linear_algebra() -> None:
    table = made_table(600, 60)
    splits = eevee.shuffle_splits(table, n_splits=1)
    subsets = [table.benchmark_names[:k] for k in range(1, 60, 7)]
    losses = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            losses.append(EstimatorScorer(Ridge(), table, splits).split_losses(subsets))
    assert losses[0].tolist() == losses[1].tolist()


def test_the_regressor_that_was_given_is_never_fitted() -> None:
    table = made_table()
    regressor = Ridge()
    EstimatorScorer(regressor, table, eevee.shuffle_splits(table, n_splits=2)).losses(SUBSETS)
    assert not hasattr(regressor, "coef_")


@pytest.mark.parametrize("regressor", [Ridge, SVR])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_held_out_models_scores_do_not_move_another_ones_prediction(regressor, missing) -> None:
    """Move one test model far away in every column: only its own predictions follow."""
    predictions = []

    class Recorded(regressor):
        def predict(self, X):
            predictions.append(super().predict(X))
            return predictions[-1]

    table = made_table(missing=missing)
    splits = eevee.shuffle_splits(table, n_splits=1)
    test = np.flatnonzero(splits.test[0])
    far = table.scores.to_numpy().copy()
    far[test[1]] += 50.0
    runs = []
    for scored in (table, with_scores(table, far)):
        predictions.clear()
        EstimatorScorer(Recorded(), scored, splits).losses(SUBSETS)
        runs.append([prediction.copy() for prediction in predictions])
    assert len(runs[0]) == len(runs[1]) > 0
    followed = [not np.array_equal(*both) for both in zip(*runs, strict=True)]
    assert any(followed)
    for before, after in zip(*runs, strict=True):
        assert len(before) == len(test)
        np.testing.assert_allclose(np.delete(after, 1, 0), np.delete(before, 1, 0), rtol=1e-12)


@pytest.mark.parametrize("wrong", [KMeans(), Ridge, "ridge", None])
def test_what_is_no_regressor_is_refused(wrong) -> None:
    table = made_table()
    with pytest.raises(eevee.EeveeError, match="needs a scikit-learn regressor"):
        EstimatorScorer(wrong, table, eevee.shuffle_splits(table))


def test_a_search_runs_on_it_and_has_nothing_to_rescore() -> None:
    table = made_table(n_benchmarks=5)
    scorer = EstimatorScorer(Ridge(), table, eevee.shuffle_splits(table, n_splits=2))
    found = eevee.search.evolve(scorer, k=2)
    assert found.exact
    assert found.ranked["rescored_mean"].isna().all()
    assert found.ranked["loss"].is_monotonic_increasing
