from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import eevee
from eevee.intervals import Interval, bootstrap_interval, nadeau_bengio_interval

RNG = np.random.default_rng


def covers(found: Interval, truth: float) -> bool:
    return bool(found.low <= truth <= found.high)


def test_bootstrap_limits_are_those_of_scipy_up_to_the_luck_of_drawing() -> None:
    values = RNG(0).exponential(size=40)
    found = bootstrap_interval(values, n_draws=20_000, level=0.9)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=0.9,
        n_resamples=20_000,
        rng=RNG(1),
    ).confidence_interval
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(theirs.low, abs=0.01)
    assert found.high == pytest.approx(theirs.high, abs=0.01)


def test_each_series_has_the_interval_that_it_has_alone() -> None:
    values = RNG(0).normal(size=(12, 3, 2))
    values[2, 1, 0] = np.nan
    together = bootstrap_interval(values, seed=4)
    assert together.mean.shape == together.low.shape == together.high.shape == (3, 2)
    for place in np.ndindex(3, 2):
        alone = bootstrap_interval(values[(slice(None), *place)], seed=4)
        for part in ("mean", "low", "high"):
            assert getattr(together, part)[place] == pytest.approx(float(getattr(alone, part)))


def test_families_that_repeat_one_model_give_the_interval_over_families() -> None:
    values = RNG(0).normal(size=15)
    once = bootstrap_interval(values, seed=2)
    fourfold = bootstrap_interval(np.repeat(values, 4), groups=np.repeat(range(15), 4), seed=2)
    assert fourfold.low == pytest.approx(float(once.low))
    assert fourfold.high == pytest.approx(float(once.high))


def test_a_missing_value_is_left_out_of_the_mean_over_models() -> None:
    values = np.array([1.0, np.nan, 2.0, 6.0])
    assert bootstrap_interval(values).mean == pytest.approx(3.0)
    assert bootstrap_interval(values, groups=[0, 0, 1, 1]).mean == pytest.approx(3.0)
    blank = bootstrap_interval(np.full((4, 1), np.nan))
    assert np.isnan([blank.mean, blank.low, blank.high]).all()


def test_bootstrap_intervals_cover_a_known_mean() -> None:
    rng = RNG(0)
    values = rng.exponential(size=(40, 2000))  # 2,000 tables of 40 models, mean 1
    found = bootstrap_interval(values, n_draws=400)
    coverage = np.mean((found.low <= 1) & (found.high >= 1))
    assert 0.90 < coverage < 0.96


def test_only_intervals_over_families_cover_when_families_share_their_luck() -> None:
    rng = RNG(1)
    families = np.repeat(np.arange(40), 5)
    values = rng.normal(size=(40, 1000))[families] + 0.3 * rng.normal(size=(200, 1000))
    over_families = bootstrap_interval(values, groups=families, n_draws=400)
    over_models = bootstrap_interval(values, n_draws=400)
    covered = [np.mean((x.low <= 0) & (x.high >= 0)) for x in (over_families, over_models)]
    assert covered[0] > 0.90
    assert covered[1] < 0.75


def test_the_corrected_t_is_the_plain_one_where_nothing_is_shared() -> None:
    values = RNG(0).normal(size=20)
    found = nadeau_bengio_interval(values, n_train=1e12, n_test=1, level=0.9)
    plain = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert (float(found.low), float(found.high)) == pytest.approx((plain.low, plain.high))


def test_the_correction_widens_by_the_square_root_of_its_factor() -> None:
    values = RNG(0).normal(size=(10, 3))
    plain = nadeau_bengio_interval(values, n_train=1e12, n_test=1)
    found = nadeau_bengio_interval(values, n_train=80, n_test=20)
    widened = (found.high - found.low) / (plain.high - plain.low)
    np.testing.assert_allclose(widened, np.sqrt((0.1 + 0.25) / 0.1), rtol=1e-6)


def test_only_the_corrected_t_covers_over_splits_that_share_models() -> None:
    rng = RNG(0)
    hits = []
    for _ in range(400):
        models = rng.normal(size=50)
        tests = [rng.permutation(50)[:10] for _ in range(15)]
        # A mean predictor: its expected squared error on a new model is known.
        squared = [np.mean((models[one] - np.delete(models, one).mean()) ** 2) for one in tests]
        truth = 1 + 1 / 40
        corrected = nadeau_bengio_interval(squared, n_train=40, n_test=10)
        naive = nadeau_bengio_interval(squared, n_train=1e12, n_test=10)
        hits.append((covers(corrected, truth), covers(naive, truth)))
    coverage = np.mean(hits, axis=0)
    assert coverage[0] > 0.88
    assert coverage[1] < coverage[0] - 0.1


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1.0], {}, "1 model or family: an interval needs at least two"),
        ([1.0, 2.0], {"groups": [0, 0]}, "1 model or family"),
        ([1.0, 2.0], {"groups": [0]}, "1 group labels for 2 models"),
        ([1.0, 2.0], {"level": 95}, "level must lie between 0 and 1, got 95"),
        ([1.0, 2.0], {"n_draws": 0}, "n_draws must be at least 1"),
    ],
)
def test_bootstraps_that_cannot_be_are_refused(
    values: list[float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        bootstrap_interval(values, **options)


@pytest.mark.parametrize(
    ("values", "sizes", "message"),
    [
        ([1.0], (8, 2), "at least two splits"),
        ([1.0, 2.0], (0, 2), "n_train and n_test must be above 0"),
    ],
)
def test_corrected_t_intervals_that_cannot_be_are_refused(
    values: list[float], sizes: tuple[int, int], message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        nadeau_bengio_interval(values, n_train=sizes[0], n_test=sizes[1])
