from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import eevee
from eevee.splits.near_duplicates import separated_groups
from tests.averages import average_by_loops
from tests.conftest import made_table
from tests.scorers.tables import rich_table

FAMILIES = st.lists(st.sampled_from(["", None, *"abcdefg"]), min_size=6, max_size=30)


def with_attribute(name: str, values: list[Any], n_benchmarks: int = 3) -> eevee.ResultsTable:
    scores = made_table(len(values), n_benchmarks).scores
    models = pd.DataFrame({name: pd.Series(values, dtype=object)})
    return eevee.ResultsTable.from_scores(scores, models=models.set_index(scores.index))


def sizes_of(families: list[str | None]) -> list[int]:
    named = [family for family in families if family]
    return [named.count(f) for f in set(named)] + [1] * (len(families) - len(named))


def nearest(sizes: list[int], target: int, least: int, most: int) -> int:
    """How near to the target any choice of families comes, by trying all of them."""
    sums = {sum(c) for n in range(1, len(sizes) + 1) for c in combinations(sizes, n)}
    return min(abs(total - target) for total in sums if least <= total <= most)


@given(families=FAMILIES, test=st.floats(0.1, 0.6), seed=st.integers(0, 9))
@pytest.mark.slow
def test_a_family_is_never_on_two_sides(families: list[str | None], test: float, seed: int) -> None:
    assume(max(sizes_of(families)) <= len(families) - 2)
    table = with_attribute("family", families)
    splits = eevee.splits.family_splits(table, n_splits=4, test_size=test, seed=seed)
    assert (np.sum(splits.sides, axis=0) == 1).all()
    for family in {family for family in families if family}:
        members = np.array([one == family for one in families])
        present = np.sum([side[:, members].any(axis=1) for side in splits.sides], axis=0)
        assert (present == 1).all()


@given(families=st.lists(st.sampled_from("abcdefg"), min_size=6, max_size=30))
def test_the_test_share_is_as_near_as_whole_families_can_come(families: list[str]) -> None:
    sizes = sizes_of(families)
    n = len(families)
    assume(max(sizes) <= n - 2)
    splits = eevee.splits.family_splits(with_attribute("family", families), n_splits=3)
    wanted = max(2, round(0.2 * n))
    best = nearest(sizes, wanted, 2, n - 2)
    assert (np.abs(splits.test.sum(axis=1) - wanted) == best).all()


def test_families_of_one_size_are_held_out_about_equally_often() -> None:
    table = with_attribute("family", [f for f in "abcdefghij" for _ in range(2)])
    held_out = eevee.splits.family_splits(table, n_splits=400).test.mean(axis=0)
    assert np.abs(held_out - 0.2).max() < 0.08  # four standard errors


def test_models_without_a_family_are_families_of_their_own() -> None:
    table = with_attribute("family", ["a"] * 4 + [None, "", float("nan")] * 4)
    test = eevee.splits.family_splits(table, n_splits=50).test
    assert len(np.unique(test[:, 4:], axis=0)) > 10


def test_families_linked_by_duplicates_stay_together() -> None:
    families = [f for f in "abcdef" for _ in range(3)]
    twins = list(range(18))
    twins[3] = twins[0]  # of families a and b
    splits = eevee.splits.family_splits(
        with_attribute("family", families), test_size=0.3, groups=twins
    )
    assert separated_groups(splits, ["ab" if f in "ab" else f for f in families]).empty


@pytest.mark.parametrize(
    ("families", "options", "message"),
    [
        (list("aaaaaa"), {}, "all models have one family: at least two"),
        (list("aaaabb"), {"groups": [0] * 6}, "have one family once groups are joined"),
        (list("aaaaab"), {}, "that of model 'm00'.* has 5 of 6 models"),
        (
            list("aabbcc"),
            {"by": "famly"},
            r"no attribute 'famly' \(did you mean 'family'\?\); there",
        ),
        (list("aabbcc"), {"by": "lab"}, "no attribute 'lab'; there are: family"),
    ],
)
def test_families_that_cannot_be_split_are_refused(
    families: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.splits.family_splits(with_attribute("family", families), **options)


def test_a_table_without_attributes_says_so() -> None:
    with pytest.raises(eevee.EeveeError, match="the models have none"):
        eevee.splits.family_splits(made_table())


def standing(table: eevee.ResultsTable) -> np.ndarray:
    """Mean score by another route: pandas and loops, directions by hand."""
    turned = table.scores * table.columns["direction"].map({"higher": 1, "lower": -1})
    z = (turned - turned.mean()) / table.units
    return np.array([average_by_loops(table, row) for row in z.to_numpy()])


@given(missing=st.floats(0, 0.4), test=st.floats(0.1, 0.6), seed=st.integers(0, 99))
@pytest.mark.slow
def test_every_frontier_test_model_is_above_every_other_model(
    missing: float, test: float, seed: int
) -> None:
    table = rich_table(25, missing=missing, seed=seed)
    mean = standing(table)
    assume(not np.isnan(mean).any())
    splits = eevee.splits.frontier_splits(table, n_splits=3, test_size=test, seed=seed)
    for tests in splits.test:
        assert tests.sum() == max(2, round(test * 25))
        assert mean[tests].min() > mean[~tests].max()


def test_frontier_splits_test_the_same_models_and_train_on_different_ones() -> None:
    splits = eevee.splits.frontier_splits(made_table(40), n_splits=5)
    assert len(np.unique(splits.test, axis=0)) == 1
    assert len(np.unique(splits.fit, axis=0)) == 5
    assert set(splits.fit.sum(axis=1)) == {26}  # of the 32 lower models
    assert set(splits.validation.sum(axis=1)) == {5}
    everyone = eevee.splits.frontier_splits(made_table(40), n_splits=1, train_share=1)
    assert everyone.fit.sum() == 32


ORDERED = [eevee.splits.frontier_splits, eevee.splits.time_splits]


@pytest.mark.parametrize("make", ORDERED)
@given(labels=st.lists(st.integers(0, 15), min_size=30, max_size=30))
@pytest.mark.slow
def test_groups_are_not_straddled_and_a_relative_of_a_test_model_does_not_train(
    make: Callable[..., eevee.splits.Splits], labels: list[int]
) -> None:
    table = with_attribute("date", list(range(30)))
    plain = make(table, n_splits=1)
    left = ~np.isin(labels, np.array(labels)[plain.test[0]])
    assume(len(set(np.array(labels)[left])) >= 2)
    splits = make(table, groups=labels)
    np.testing.assert_array_equal(splits.test[0], plain.test[0])
    assert separated_groups(splits, labels).empty
    assert not (splits.fit & ~left).any()


@pytest.mark.parametrize("make", ORDERED)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_share": 0.0}, "train_share must lie above 0 and be at most 1, got 0.0"),
        ({"test_size": 0.95}, "leave none to train on"),
        ({"groups": [0] * 20}, "0 models are left to train on, and two are needed"),
        ({"n_splits": 0}, "n_splits must be at least 1"),
    ],
)
def test_ordered_splits_that_cannot_be_are_refused(
    make: Callable[..., eevee.splits.Splits], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        make(with_attribute("date", list(range(20))), **options)


def test_a_model_without_a_score_has_no_place_by_mean_score() -> None:
    table = made_table(12)
    blank = table.scores.copy()
    blank.iloc[3] = np.nan
    with pytest.raises(eevee.EeveeError, match="model 'm03' has no score"):
        eevee.splits.frontier_splits(eevee.ResultsTable.from_scores(blank))


@given(years=st.lists(st.integers(2010, 2020), min_size=8, max_size=40), test=st.floats(0.1, 0.5))
def test_every_time_test_model_is_later_than_every_other_model(
    years: list[int], test: float
) -> None:
    dates = np.sort(years)
    n = len(dates)
    counts = [k for k in range(2, n - 1) if dates[n - k] > dates[n - k - 1]]
    assume(counts)
    splits = eevee.splits.time_splits(with_attribute("date", years), test_size=test, n_splits=3)
    wanted = max(2, round(test * n))
    for tests in splits.test:
        assert min(np.array(years)[tests]) > max(np.array(years)[~tests])
        assert abs(tests.sum() - wanted) == min(abs(k - wanted) for k in counts)


@pytest.mark.parametrize(
    "dates",
    [
        ["2019", "2020-01", "2020-01-15", "20200301", "2020-03-02T10:00:00Z", "2021"],
        [2019, 2020, 2020, 2020, 2021, 2021],
        [2019.0, 2020.1, 2020.2, 2020.3, 2021.0, 2022.0],
        [3, 5, 7, 20, 100, 1000],
        list(
            pd.to_datetime(["2019-01-01", "2019-02-01"] + ["2019-02-02"] * 2 + ["2020-01-01"] * 2)
        ),
    ],
)
def test_dates_years_and_numbers_are_put_in_order(dates: list[Any]) -> None:
    order = [4, 0, 5, 2, 1, 3]
    table = with_attribute("released", [dates[i] for i in order])
    test = eevee.splits.time_splits(table, by="released", test_size=0.34).test[0]
    assert [order[i] for i in np.flatnonzero(test)] == [4, 5]


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        (
            ["2020-01-01"] * 5 + ["May 2021"],
            "model 'm05': date 'May 2021' cannot be read; write 20",
        ),
        (["2020", "2021", "2022-13-01"] * 2, "model 'm02': date '2022-13-01' cannot be read"),
        ([2020, 2021, None, 2020, " ", 2021], "2 models have no date, the first is 'm02'"),
        (["2020"] * 6, "too many models share one date"),
    ],
)
def test_dates_that_cannot_be_ordered_are_refused(dates: list[Any], message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.splits.time_splits(with_attribute("date", dates))


@pytest.mark.parametrize(
    "make", [eevee.splits.frontier_splits, eevee.splits.time_splits, eevee.splits.family_splits]
)
def test_the_seed_decides_and_more_splits_begin_with_the_same(
    make: Callable[..., eevee.splits.Splits],
) -> None:
    table = with_attribute("date", list(range(24)))
    table.models["family"] = [i // 2 for i in range(24)]
    few, many = (make(table, n_splits=n, seed=3) for n in (3, 8))
    np.testing.assert_array_equal(few.fit, many.fit[:3])
    assert (make(table, n_splits=3, seed=4).fit != few.fit).any()


def test_harder_splits_are_scored_like_any_others() -> None:
    table = with_attribute("date", list(range(24)))
    for make in ORDERED:
        scorer = eevee.RidgeScorer(table, make(table, n_splits=3))
        assert np.isfinite(scorer.losses([("b00",)])).all()
