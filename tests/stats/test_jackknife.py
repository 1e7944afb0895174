from __future__ import annotations

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.stats.jackknife import check_level, folds_of, models_needed, plus_interval


@pytest.mark.parametrize(
    ("level", "needed"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99)]
)
def test_an_interval_needs_one_over_alpha_minus_one_models(level: float, needed: int) -> None:
    assert models_needed(level) == needed
    rng = np.random.default_rng(0)
    left_out, residuals = rng.normal(size=(2, needed))
    assert np.isfinite(plus_interval(left_out, residuals, level)).all()
    if needed > 1:
        assert np.isnan(plus_interval(left_out[1:], residuals[1:], level)).all()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("n", [30, 39, 200])
def test_ends_are_the_order_statistics_that_the_paper_names(level: float, n: int) -> None:
    rng = np.random.default_rng(n)
    left_out, residuals = rng.normal(size=(2, n))
    alpha = round(1 - level, 6)
    low = sorted(m - abs(r) for m, r in zip(left_out, residuals, strict=True))
    high = sorted(m + abs(r) for m, r in zip(left_out, residuals, strict=True))
    down = int(round(alpha * (n + 1), 9) // 1)
    up = -int(round(-(1 - alpha) * (n + 1), 9) // 1)
    assert plus_interval(left_out, residuals, level) == (low[down - 1], high[up - 1])


def test_models_that_were_not_measured_have_no_part() -> None:
    rng = np.random.default_rng(1)
    left_out, residuals = rng.normal(size=(2, 40, 3))
    residuals[::3, 1] = np.nan
    residuals[:, 2] = np.nan
    ends = np.stack(plus_interval(left_out, residuals, 0.9))
    seen = np.isfinite(residuals[:, 1])
    alone = plus_interval(left_out[seen, 1], residuals[seen, 1], 0.9)
    np.testing.assert_array_equal(ends[:, 1], alone)
    assert np.isnan(ends[:, 2]).all()


def test_turning_every_sign_turns_the_interval() -> None:
    left_out, residuals = np.random.default_rng(2).normal(size=(2, 37))
    low, high = plus_interval(left_out, residuals, 0.9)
    assert plus_interval(-left_out, -residuals, 0.9) == (-high, -low)


def test_a_higher_level_never_narrows_an_interval() -> None:
    left_out, residuals = np.random.default_rng(3).normal(size=(2, 150))
    ends = [plus_interval(left_out, residuals, level) for level in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)]
    lows, highs = zip(*ends, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)


def test_up_to_200_models_are_left_out_alone_and_more_in_ten_even_folds() -> None:
    assert folds_of(np.arange(200), 0).tolist() == list(range(200))
    alone = np.arange(1_001)
    folds = folds_of(alone, 0)
    assert sorted(np.bincount(folds)) == [100] * 9 + [101]
    assert (folds == folds_of(alone, 0)).all()
    assert (folds != folds_of(alone, 1)).any()


def test_groups_are_left_out_whole_and_those_beyond_200_in_ten_even_folds() -> None:
    labels = np.repeat(np.arange(250), 3)
    folds = folds_of(labels, 0)
    assert (folds.reshape(250, 3) == folds[::3, None]).all()
    assert sorted(np.bincount(folds)) == [75] * 10


def test_a_group_counts_once_however_many_models_it_has() -> None:
    """Copies of a model change nothing; they would narrow the interval if they counted."""
    rng = np.random.default_rng(5)
    left_out, residuals = rng.normal(size=(2, 25, 4))
    copies = rng.integers(1, 6, size=25)
    copies[np.argsort(np.abs(residuals[:, 0]))[:8]] += 20
    labels = np.repeat(np.arange(25), copies)
    for level in (0.5, 0.8, 0.9, 0.95):
        alone = plus_interval(left_out, residuals, level)
        grouped = plus_interval(left_out[labels], residuals[labels], level, labels)
        np.testing.assert_array_equal(alone, grouped)
    assert (plus_interval(left_out[labels], residuals[labels], 0.9)[0] != alone[0]).any()


def test_an_interval_needs_so_many_groups_not_models() -> None:
    left_out, residuals = np.random.default_rng(0).normal(size=(2, 16))
    labels = np.repeat(np.arange(8), 2)
    assert np.isfinite(plus_interval(left_out, residuals, 0.9)).all()
    assert np.isnan(plus_interval(left_out, residuals, 0.9, labels)).all()


@pytest.mark.parametrize("level", [0.0, 0.49, 1.0, 1.5, float("nan")])
def test_a_level_out_of_range_is_refused(level: float) -> None:
    with pytest.raises(EeveeError, match="level must lie"):
        check_level(level)
