from __future__ import annotations

import numpy as np
import pytest

import eevee
from eevee.scorers.mlp.epochs import (
    CALIBRATION_SUBSETS,
    MAX_EPOCHS,
    PAPER_EPOCHS,
    EpochSchedule,
    best_epoch,
    calibration_sizes,
    random_index_sets,
)
from tests.conftest import made_table
from tests.scorers.tables import few_splits


def test_the_best_epoch_is_judged_by_the_geometric_mean_over_splits() -> None:
    by_split = np.array([[1.0, 100.0], [0.1, 110.0], [2.0, 90.0]])
    assert np.argmin(by_split.mean(axis=1)) + 1 == 3
    assert best_epoch(by_split[:, None, :]) == 2


def test_subsets_are_averaged_before_the_geometric_mean() -> None:
    losses = np.array([[[1.0], [9.0]], [[4.0], [4.0]]])
    assert best_epoch(losses) == 2


def test_blank_splits_have_no_say_and_all_blank_is_the_papers_number() -> None:
    losses = np.array([[[3.0, np.nan]], [[1.0, np.nan]], [[2.0, 0.1]]])
    assert best_epoch(losses) == 2
    assert best_epoch(np.full((5, 2, 2), np.nan)) == PAPER_EPOCHS


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(1, [1]), (2, [1, 2]), (9, [1, 2, 4, 8, 9]), (32, [1, 2, 4, 8, 16, 32]), (33, None)],
)
def test_epochs_are_measured_at_powers_of_two_up_to_32_and_n(n: int, sizes) -> None:
    assert calibration_sizes(n) == (sizes or [1, 2, 4, 8, 16, 32, 33])


def test_between_measured_sizes_epochs_are_interpolated_in_log_size() -> None:
    table = {1: 30, 2: 24, 4: 50, 8: 90, 10: 100}
    schedule = EpochSchedule(10, table.__getitem__)
    assert [schedule(size) for size in (1, 2, 4, 8, 10)] == [30, 24, 50, 90, 100]
    assert schedule(3) == round(24 + (50 - 24) * np.log(3 / 2) / np.log(2))
    assert schedule(6) == round(50 + 40 * np.log2(6 / 4))
    assert schedule(9) == round(90 + 10 * np.log(9 / 8) / np.log(10 / 8))


def test_a_size_is_measured_once_and_only_when_it_is_needed() -> None:
    asked: list[int] = []

    def measure(size: int) -> int:
        asked.append(size)
        return 10 * size

    schedule = EpochSchedule(40, measure)
    for size in (3, 3, 2, 4, 3):
        schedule(size)
    assert sorted(asked) == [2, 4]


def test_drawn_index_sets_are_distinct_sorted_and_all_there_are_where_few() -> None:
    drawn = random_index_sets(9, 3, 64, np.random.default_rng(0))
    assert len(drawn) == 64
    assert len({tuple(chosen) for chosen in drawn}) == 64
    assert all(chosen == sorted(set(chosen)) and len(chosen) == 3 for chosen in drawn)
    assert len(random_index_sets(5, 1, 64, np.random.default_rng(0))) == 5


TABLE = made_table(24, 9)
SPLITS = few_splits(TABLE)
SMALL = made_table(12, 20, missing=0.1)


def _auto(**options) -> eevee.MLPScorer:
    return eevee.MLPScorer(TABLE, SPLITS, **options)


@pytest.mark.slow
def test_calibration_depends_on_neither_history_nor_chunks_nor_threads() -> None:
    names = SMALL.benchmark_names
    subsets = [names[:size] for size in (1, 2, 3, 5, 8)] + [("b02", "b05")]

    def fresh(**options) -> eevee.MLPScorer:
        return eevee.MLPScorer(SMALL, few_splits(SMALL, 2), **options)

    first = fresh()
    wanted = first.split_losses(subsets)
    backwards = fresh(chunk_size=5, n_threads=2)
    for subset in reversed(subsets):
        backwards.losses([subset])
    backwards.rescore(subsets[:1], 2)
    np.testing.assert_array_equal(backwards.split_losses(subsets), wanted)
    assert backwards.calibrated_epochs == first.calibrated_epochs


def test_auto_is_the_fixed_scorer_at_the_epochs_it_says() -> None:
    auto = _auto()
    for size in (1, 3, 9):
        subset = TABLE.benchmark_names[:size]
        fixed = _auto(epochs=auto.epochs_for(size))
        np.testing.assert_array_equal(auto.split_losses([subset]), fixed.split_losses([subset]))
        np.testing.assert_array_equal(auto.rescore([subset], 2), fixed.rescore([subset], 2))


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.slow
def test_the_calibrated_epoch_has_the_lowest_geometric_mean_of_validation_losses(size) -> None:
    best = _auto(seed=3).epochs_for(size)
    drawn = random_index_sets(9, size, CALIBRATION_SUBSETS, np.random.default_rng([3, size]))
    subsets = [[TABLE.benchmark_names[i] for i in chosen] for chosen in drawn]
    inner = eevee.splits.Splits(
        train=SPLITS.train, validation=np.zeros_like(SPLITS.train), test=SPLITS.validation
    )

    def judged(epochs: int) -> float:
        scorer = eevee.MLPScorer(TABLE, inner, epochs=epochs, seed=3)
        return float(np.log(scorer.split_losses(subsets).mean(axis=0)).mean())

    others = {1, 5, 20, 60, MAX_EPOCHS, best - 1, best + 1} - {0, best, MAX_EPOCHS + 1}
    assert all(judged(best) <= judged(other) for other in others)


@pytest.mark.slow
def test_the_calibration_follows_the_seed() -> None:
    splits = few_splits(SMALL, 2)
    found = {eevee.MLPScorer(SMALL, splits, seed=seed).epochs_for(2) for seed in range(5)}
    assert len(found) > 1
    assert all(1 <= epochs <= MAX_EPOCHS for epochs in found)


def test_fixed_epochs_train_on_training_and_validation_models_alike() -> None:
    masks = {"train": SPLITS.fit, "validation": np.zeros_like(SPLITS.fit), "test": SPLITS.test}
    subsets = [("b00",), ("b01", "b05", "b07")]
    one = eevee.MLPScorer(TABLE, SPLITS, epochs=10).split_losses(subsets)
    other = eevee.MLPScorer(TABLE, eevee.splits.Splits(**masks), epochs=10).split_losses(subsets)
    np.testing.assert_array_equal(one, other)


def test_without_validation_models_auto_is_the_papers_twenty() -> None:
    masks = {"train": SPLITS.fit, "validation": np.zeros_like(SPLITS.fit), "test": SPLITS.test}
    scorer = eevee.MLPScorer(TABLE, eevee.splits.Splits(**masks))
    assert {scorer.epochs_for(size) for size in range(1, 10)} == {PAPER_EPOCHS}


def test_a_table_too_small_to_calibrate_on_trains_for_the_papers_twenty() -> None:
    table = made_table(4, 3)
    splits = few_splits(table)
    auto, fixed = eevee.MLPScorer(table, splits), eevee.MLPScorer(table, splits, epochs=20)
    subsets = [("b00",), ("b00", "b01", "b02")]
    np.testing.assert_array_equal(auto.split_losses(subsets), fixed.split_losses(subsets))
    assert np.isfinite(auto.losses(subsets)).all()


@pytest.mark.slow
def test_unseen_targets_calibrate_by_their_own_loss() -> None:
    epochs = {t: _auto(targets=t).epochs_for(4) for t in ("all", "unseen")}
    assert _auto().with_targets("unseen").epochs_for(4) == epochs["unseen"]
