from __future__ import annotations

import pytest

import eevee
from eevee.scorers.outlook import longest_seconds, outlook
from tests.conftest import made_table


def test_a_long_search_is_announced_and_a_quick_one_is_not() -> None:
    quick, wide = made_table(20, 12), made_table(12, 4000)
    for table, long in ((quick, False), (wide, True)):
        scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), device="cpu", n_threads=1)
        assert bool(outlook(scorer)) == long
        assert not outlook(eevee.RidgeScorer(table, eevee.shuffle_splits(table)))


def test_the_estimate_grows_with_splits_and_epochs_and_falls_with_threads() -> None:
    table = made_table(20, 12)

    def seconds(n_splits: int = 4, epochs: int = 20, n_threads: int = 1) -> float:
        splits = eevee.shuffle_splits(table, n_splits=n_splits)
        return longest_seconds(
            eevee.MLPScorer(table, splits, epochs=epochs, n_threads=n_threads, device="cpu")
        )

    assert seconds(n_splits=8) == pytest.approx(2 * seconds())
    assert seconds(epochs=40) == pytest.approx(2 * seconds())
    assert seconds(n_threads=2) == pytest.approx(seconds() / 2)
