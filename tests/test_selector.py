from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import eevee
from eevee import BenchmarkSelector, MLPScorer, RidgeScorer
from eevee.base.seeds import child_seed
from eevee.search import Evolution
from tests.conftest import made_table

TINY = Evolution(population=20, winners=5, children=3, generations=2, max_exhaustive=20)
QUICK = {"n_splits": 2, "evolution": TINY, "n_rescore": 1}
ridge = partial(BenchmarkSelector, scorer="ridge", n_splits=3)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return made_table(20, 9).scores


def _cannot_hold(selector: BenchmarkSelector) -> dict[str, str]:
    """Checks that fail, and why they must."""
    if selector.budget is None:
        return {}
    return {"check_fit2d_1feature": "half of what one column costs does not buy it"}


@parametrize_with_checks(
    [
        BenchmarkSelector(scorer="ridge", **QUICK),
        BenchmarkSelector(scorer=partial(MLPScorer, epochs=2), **QUICK),
        BenchmarkSelector(scorer="ridge", budget="50%", **QUICK),
    ],
    expected_failed_checks=_cannot_hold,
)
def test_scikit_learns_estimator_checks_hold(estimator, check) -> None:
    check(estimator)


def test_the_selection_is_that_of_the_same_search_by_hand(frame) -> None:
    table = eevee.ResultsTable.from_scores(frame)
    splits = eevee.shuffle_splits(table, n_splits=3, seed=child_seed(7, 0))
    scorer = MLPScorer(table, splits, epochs=3, seed=child_seed(7, 1))
    wanted = eevee.search.evolve(scorer, 3, seed=child_seed(7, 2), n_rescore=2)
    factory = partial(MLPScorer, epochs=3, seed=child_seed(7, 1))
    selector = BenchmarkSelector(3, scorer=factory, n_splits=3, n_rescore=2, random_state=7)
    found = selector.fit(frame).search_result_
    pd.testing.assert_frame_equal(found.ranked, wanted.ranked)
    assert selector.benchmarks_ == wanted.best


def test_by_default_the_scorer_is_the_mlp(frame) -> None:
    selector = BenchmarkSelector(1, n_splits=2).fit(frame.iloc[:, :3])
    assert np.isfinite(selector.search_result_.best_row["rescored_mean"])


def test_support_names_and_transform_agree_in_the_order_of_the_columns(frame) -> None:
    shuffled = frame[frame.columns[::-1]]
    selector = ridge(k=4).fit(shuffled)
    names = list(selector.get_feature_names_out())
    assert names == [name for name in shuffled.columns if name in selector.benchmarks_]
    assert selector.get_support().tolist() == shuffled.columns.isin(names).tolist()
    assert selector.get_support(indices=True).tolist() == np.flatnonzero(selector.support_).tolist()
    np.testing.assert_array_equal(selector.transform(shuffled), shuffled[names])
    assert list(selector.set_output(transform="pandas").transform(shuffled).columns) == names


def test_inverse_transform_puts_columns_back_and_zeros_elsewhere(frame) -> None:
    selector = ridge(k=4).fit(frame)
    back = selector.inverse_transform(selector.transform(frame))
    np.testing.assert_array_equal(back, frame.to_numpy() * selector.support_)


def test_the_order_of_the_columns_does_not_matter(frame) -> None:
    assert ridge(k=3).fit(frame).benchmarks_ == ridge(k=3).fit(frame.iloc[:, ::-1]).benchmarks_


def test_scale_shift_and_direction_of_columns_do_not_matter(frame) -> None:
    turned = frame * np.where(np.arange(9) % 2, -1.0, 4.0) + 3.0
    assert ridge(k=3).fit(frame).benchmarks_ == ridge(k=3).fit(turned).benchmarks_


def test_an_array_gives_the_selection_of_its_frame_with_made_up_names(frame) -> None:
    selector = ridge(k=3).fit(frame.to_numpy())
    assert not hasattr(selector, "feature_names_in_")
    assert selector.benchmarks_ == tuple(f"x{i}" for i in np.flatnonzero(selector.support_))
    np.testing.assert_array_equal(selector.support_, ridge(k=3).fit(frame).support_)
    assert list(selector.get_feature_names_out()) == list(selector.benchmarks_)


def test_missing_cells_are_missing_and_pass_through(frame) -> None:
    gaps = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2)
    selector = ridge(k=3).fit(gaps)
    table = eevee.ResultsTable.from_scores(gaps)
    scorer = RidgeScorer(table, eevee.shuffle_splits(table, n_splits=3, seed=child_seed(0, 0)))
    assert selector.benchmarks_ == eevee.search.evolve(scorer, 3).best
    np.testing.assert_array_equal(selector.transform(gaps), gaps.loc[:, selector.support_])


def test_constant_and_empty_columns_are_never_selected_and_change_nothing(frame) -> None:
    wider = frame.assign(a0=1.0, b03x=np.nan, z=[1.0, *[np.nan] * 19])
    selector = ridge(k=3).fit(wider)
    assert selector.benchmarks_ == ridge(k=3).fit(frame).benchmarks_
    assert selector.n_features_in_ == len(selector.support_) == 12
    assert ridge(k=9).fit(wider).benchmarks_ == tuple(frame.columns)
    with pytest.raises(eevee.EeveeError, match="between 1 and the pool's 9 benchmarks"):
        ridge(k=10).fit(wider)


def test_without_k_and_budget_half_of_what_varies_is_selected(frame) -> None:
    assert ridge().fit(frame.assign(a0=1.0)).support_.sum() == 4
    assert ridge().fit(frame.iloc[:, :1]).support_.sum() == 1


@pytest.mark.parametrize("as_mapping", [True, False])
def test_a_budget_in_costs_is_kept(frame, as_mapping: bool) -> None:
    costs = np.arange(1.0, 10.0)
    given = dict(zip(frame.columns, costs, strict=True)) if as_mapping else costs
    selector = ridge(budget=7, costs=given).fit(frame)
    assert 0 < costs[selector.support_].sum() <= 7
    share = ridge(budget="50%", costs=given).fit(frame)
    assert share.search_result_.settings["budget"] == 22.5


def test_another_random_state_draws_other_splits(frame) -> None:
    losses = [ridge(k=2, random_state=s).fit(frame).search_result_.best_row["loss"] for s in (0, 1)]
    assert losses[0] != losses[1]


def test_targets_reach_the_scorer_whatever_makes_it(frame) -> None:
    for scorer in ("ridge", RidgeScorer):
        selector = ridge(k=2, targets="unseen").set_params(scorer=scorer)
        assert selector.fit(frame).search_result_.targets == "unseen"


def test_the_constructor_stores_and_a_clone_has_the_same_parameters() -> None:
    selector = BenchmarkSelector(-1, scorer="nonsense", costs={"a": 1.0}, evolution=TINY)
    copied = clone(selector)
    assert copied.get_params() == selector.get_params()


def test_it_works_in_a_pipeline_under_cross_validation(frame) -> None:
    pipeline = make_pipeline(ridge(k=2), LinearRegression())
    assert np.isfinite(cross_val_score(pipeline, frame, frame, cv=2, scoring="r2")).all()
    grid = GridSearchCV(pipeline, {"benchmarkselector__k": [1, 3]}, cv=2, scoring="r2")
    assert grid.fit(frame, frame).best_params_["benchmarkselector__k"] in (1, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k = 0 is not between"),
        ({"k": 2, "budget": 2}, "either a size k or a budget"),
        ({"budget": "lots"}, "positive number or percentage"),
        ({"scorer": "knn"}, "scorer must be 'mlp', 'ridge' or a callable"),
        ({"random_state": None}, "random_state must be an int"),
        ({"random_state": -1}, "random_state must be an int"),
        ({"costs": {"b00": 1.0}}, "no cost of 'b01'"),
        ({"costs": [1.0, 2.0]}, "costs: .* for 9 columns"),
        ({"costs": [-1.0] * 9}, "must be a positive number"),
        ({"n_splits": 0}, "n_splits must be at least 1"),
    ],
)
def test_options_out_of_range_are_refused_by_fit(frame, options: dict, message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        ridge().set_params(**options).fit(frame)


def test_too_few_models_and_infinite_or_constant_scores_are_refused(frame) -> None:
    for X, message in (
        (frame.iloc[:3], "minimum of 4"),
        (frame.replace(frame.iloc[0, 0], np.inf), "infinity"),
        (frame * 0, "no column of X varies"),
    ):
        with pytest.raises(ValueError, match=message):
            ridge().fit(X)
