from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import eevee
from eevee.splits.near_duplicates import separated_groups
from tests.conftest import made_table

SHARES = st.floats(0.02, 0.6)


def _none(n_splits: int, n_models: int) -> np.ndarray:
    return np.zeros((n_splits, n_models), dtype=bool)


@given(n=st.integers(5, 60), test=SHARES, validation=SHARES, seed=st.integers(0, 9))
def test_every_model_is_on_exactly_one_side_and_the_sides_have_their_sizes(
    n: int, test: float, validation: float, seed: int
) -> None:
    table = made_table(n, 2)
    splits = eevee.shuffle_splits(
        table, n_splits=4, test_size=test, validation_size=validation, seed=seed
    )
    n_test = max(2, round(test * n))
    n_validation = max(1, round(validation * (n - n_test)))
    assert (splits.train.astype(int) + splits.validation + splits.test == 1).all()
    assert (splits.test.sum(axis=1) == n_test).all()
    assert (splits.validation.sum(axis=1) == n_validation).all()
    assert splits.train.shape == (4, n)


def test_by_default_there_are_ten_splits_with_a_fifth_of_the_models_to_test() -> None:
    splits = eevee.shuffle_splits(made_table(40, 2))
    assert splits.n_splits == 10
    assert set(splits.test.sum(axis=1)) == {8}
    assert set(splits.validation.sum(axis=1)) == {6}


def test_at_least_two_models_test() -> None:
    assert set(eevee.shuffle_splits(made_table(5, 2)).test.sum(axis=1)) == {2}


def test_the_same_seed_gives_the_same_masks_whatever_the_scores() -> None:
    one = eevee.shuffle_splits(made_table(seed=1), seed=3)
    other = eevee.shuffle_splits(made_table(seed=2, missing=0.3), seed=3)
    for side in ("train", "validation", "test"):
        np.testing.assert_array_equal(getattr(one, side), getattr(other, side))


def test_another_seed_gives_other_masks_and_splits_differ_among_themselves() -> None:
    table = made_table()
    one, other = (eevee.shuffle_splits(table, seed=seed) for seed in (0, 1))
    assert (one.test != other.test).any()
    assert len(np.unique(one.test, axis=0)) > 1


def test_more_splits_begin_with_the_same_splits() -> None:
    table = made_table()
    few, many = (eevee.shuffle_splits(table, n_splits=n, seed=5) for n in (3, 9))
    np.testing.assert_array_equal(few.test, many.test[:3])


def test_drawing_leaves_the_global_random_state_alone() -> None:
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    eevee.shuffle_splits(made_table(), seed=1)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_training_and_validation_models_fit_together() -> None:
    splits = eevee.shuffle_splits(made_table())
    np.testing.assert_array_equal(splits.fit, ~splits.test)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_splits": 0}, "n_splits must be at least 1, got 0"),
        ({"test_size": 0.0}, "test_size must lie between 0 and 1"),
        ({"test_size": 1.0}, "test_size must lie between 0 and 1"),
        ({"validation_size": 1.5}, "validation_size must lie between 0 and 1"),
        ({"validation_size": float("nan")}, "validation_size must lie between 0 and 1"),
        ({"test_size": 0.99}, "leave none to train on"),
    ],
)
def test_sizes_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.shuffle_splits(made_table(20, 2), **options)


def test_two_models_are_too_few() -> None:
    with pytest.raises(eevee.EeveeError, match="leave none to train on"):
        eevee.shuffle_splits(made_table(2, 2))


def test_a_model_on_two_sides_is_refused_by_name_of_split_and_model() -> None:
    test = np.eye(3, dtype=bool)
    train = ~test
    train[1, 1] = True
    with pytest.raises(eevee.EeveeError, match="split 1: model 1 is on two sides"):
        eevee.splits.Splits(train=train, validation=_none(3, 3), test=test)


@pytest.mark.parametrize("side", ["train", "test"])
def test_a_split_without_a_training_or_a_test_model_is_refused(side: str) -> None:
    masks = {"train": ~np.eye(3, dtype=bool), "test": np.eye(3, dtype=bool)}
    masks[side] = masks[side].copy()
    masks[side][2] = False
    with pytest.raises(eevee.EeveeError, match=f"split 2 has no {side}"):
        eevee.splits.Splits(validation=_none(3, 3), **masks)


def test_masks_of_different_shapes_are_refused() -> None:
    test = np.eye(3, dtype=bool)
    with pytest.raises(eevee.EeveeError, match="share one shape"):
        eevee.splits.Splits(train=~test, validation=_none(2, 3), test=test)
    with pytest.raises(eevee.EeveeError, match="share one shape"):
        eevee.splits.Splits(train=~test[0], validation=_none(1, 3)[0], test=test[0])


def test_masks_cannot_be_changed_afterwards() -> None:
    splits = eevee.shuffle_splits(made_table())
    with pytest.raises(ValueError, match="read-only"):
        splits.test[0, 0] = True


def test_plain_random_splits_are_those_of_earlier_versions() -> None:
    splits = eevee.shuffle_splits(made_table(20, 2), n_splits=2, seed=3)
    assert np.flatnonzero(splits.test[1]).tolist() == [0, 6, 12, 17]
    assert np.flatnonzero(splits.validation[1]).tolist() == [4, 9, 10]


LABELS = st.lists(st.integers(0, 12), min_size=8, max_size=40)


@given(labels=LABELS, seed=st.integers(0, 9))
def test_grouped_models_are_on_one_side_together_in_random_splits(
    labels: list[int], seed: int
) -> None:
    assume(largest(labels) <= len(labels) - 2)
    splits = eevee.shuffle_splits(made_table(len(labels), 2), groups=labels, seed=seed)
    assert separated_groups(splits, labels).empty
    assert (np.sum(splits.sides, axis=0) == 1).all()


@given(labels=LABELS, folds=st.integers(2, 5), repeats=st.integers(1, 3), seed=st.integers(0, 9))
def test_folds_hold_out_every_model_equally_often_and_keep_groups_together(
    labels: list[int], folds: int, repeats: int, seed: int
) -> None:
    assume(len(set(labels)) >= folds and largest(labels) <= len(labels) - 2)
    splits = eevee.fold_splits(
        made_table(len(labels), 2), n_folds=folds, n_repeats=repeats, groups=labels, seed=seed
    )
    assert splits.n_splits == folds * repeats
    assert (splits.test.sum(axis=0) == repeats).all()
    for repeat in range(repeats):
        once = splits.take(range(repeat * folds, (repeat + 1) * folds))
        assert (once.test.sum(axis=0) == 1).all()
    assert separated_groups(splits, labels).empty
    assert (np.sum(splits.sides, axis=0) == 1).all()


def test_folds_differ_by_at_most_one_model_without_groups_and_repeats_differ() -> None:
    splits = eevee.fold_splits(made_table(23, 2), n_folds=5, n_repeats=2)
    assert set(splits.test.sum(axis=1)) == {4, 5}
    assert {row.tobytes() for row in splits.test[:5]} != {row.tobytes() for row in splits.test[5:]}


def test_more_repeats_begin_with_the_same_folds() -> None:
    few, many = (eevee.fold_splits(made_table(), n_repeats=n, seed=1) for n in (1, 3))
    for one, other in zip(few.sides, many.take(range(5)).sides, strict=True):
        np.testing.assert_array_equal(one, other)


def test_as_many_folds_as_models_leave_one_out() -> None:
    splits = eevee.fold_splits(made_table(6, 2), n_folds=6, n_repeats=1)
    assert sorted(map(tuple, splits.test)) == sorted(map(tuple, np.eye(6, dtype=bool)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 1}, "n_folds must lie between 2 and the 20 models, got 1"),
        ({"n_folds": 21}, "n_folds must lie between 2 and the 20 models"),
        ({"groups": [0, 1] * 10}, "between 2 and the 2 groups of models, got 5"),
        ({"groups": [0] * 19 + [1], "n_folds": 2}, "that of model 'm00'.* has 19 of 20 models"),
        ({"groups": [0, 1]}, "2 group labels for 20 models"),
        ({"groups": "family"}, "no attribute 'family'"),
        ({"n_repeats": 0}, "n_repeats must be at least 1, got 0"),
        ({"seed": -1}, "seed must not be negative"),
        ({"validation_size": 0.0}, "validation_size must lie between 0 and 1"),
    ],
)
def test_folds_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.fold_splits(made_table(20, 2), **options)


def test_take_gives_the_chosen_splits_in_the_order_asked_for() -> None:
    splits = eevee.shuffle_splits(made_table())
    taken = splits.take([7, 2])
    assert taken.n_splits == 2
    for one, other in zip(taken.sides, splits.sides, strict=True):
        np.testing.assert_array_equal(one, other[[7, 2]])


@pytest.mark.parametrize(("indices", "message"), [([], "at least one"), ([10], "no split 10")])
def test_taking_no_split_or_one_that_is_not_there_is_refused(
    indices: list[int], message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.shuffle_splits(made_table()).take(indices)


def largest(labels: list[int]) -> int:
    return int(np.bincount(labels).max())
