from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eevee
from eevee.assessment.resampling import draw_models
from eevee.stats.intervals import Interval, nadeau_bengio_interval, recentred_interval

RNG = np.random.default_rng


def covers(found: Interval, truth: float) -> bool:
    return bool(found.low <= truth <= found.high)


def means(values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Means over the models of each draw, (n_draws, ...)."""
    return (drawn @ values) / drawn.sum(axis=1).reshape(-1, *[1] * (values.ndim - 1))


def bootstrap(values: np.ndarray, labels: np.ndarray, n_draws: int, **options: Any) -> Interval:
    tested = np.ones(len(values), dtype=bool)
    drawn = draw_models(labels, tested, n_draws=n_draws, seed=3)
    return recentred_interval(float(values.mean()), means(values, drawn), **options)


def test_bootstrap_limits_are_those_of_scipy_moved_up_to_the_luck_of_drawing() -> None:
    values = RNG(0).exponential(size=40)
    found = bootstrap(values, np.arange(40), 20_000, level=0.9)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=0.9,
        n_resamples=20_000,
        rng=RNG(1),
    )
    moved = values.mean() - np.median(theirs.bootstrap_distribution)
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(theirs.confidence_interval.low + moved, abs=0.01)
    assert found.high == pytest.approx(theirs.confidence_interval.high + moved, abs=0.01)


@given(
    st.floats(-1e6, 1e6),
    st.lists(st.one_of(st.just(np.nan), st.floats(-1e6, 1e6)), min_size=1, max_size=30),
    st.floats(0.001, 0.999),
)
def test_an_estimate_always_lies_in_its_interval(
    estimate: float, draws: list[float], level: float
) -> None:
    for least in (-np.inf, 0.0):
        if estimate < least:
            continue
        found = recentred_interval(estimate, np.array(draws), level=level, least=least)
        if np.isnan(draws).all():
            assert np.isnan([found.low, found.high]).all()
        else:
            assert least <= found.low <= estimate <= found.high


def test_nothing_is_said_of_an_estimate_that_is_blank() -> None:
    found = recentred_interval(np.nan, np.ones(5))
    assert np.isnan([found.mean, found.low, found.high]).all()


def test_families_that_repeat_one_model_give_the_interval_over_families() -> None:
    values = RNG(0).normal(size=15)
    once = bootstrap(values, np.arange(15), 2000)
    fourfold = bootstrap(np.repeat(values, 4), np.repeat(np.arange(15), 4), 2000)
    assert fourfold.low == pytest.approx(float(once.low))
    assert fourfold.high == pytest.approx(float(once.high))


def coverage(values: np.ndarray, labels: np.ndarray, truth: float) -> float:
    """Share of the columns, each a table, whose interval covers the truth."""
    drawn = draw_models(labels, np.ones(len(values), dtype=bool), n_draws=400, seed=0)
    each = zip(values.mean(axis=0), means(values, drawn).T, strict=True)
    return float(np.mean([covers(recentred_interval(*pair), truth) for pair in each]))


def test_bootstrap_intervals_cover_a_known_mean() -> None:
    values = RNG(0).exponential(size=(40, 1000))  # tables of 40 models, mean 1
    assert 0.90 < coverage(values, np.arange(40), 1.0) < 0.96


def test_only_intervals_over_families_cover_when_families_share_their_luck() -> None:
    rng = RNG(1)
    families = np.repeat(np.arange(40), 5)
    values = rng.normal(size=(40, 500))[families] + 0.3 * rng.normal(size=(200, 500))
    assert coverage(values, families, 0.0) > 0.90
    assert coverage(values, np.arange(200), 0.0) < 0.75


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


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_that_cannot_be_are_refused(level: float) -> None:
    message = f"level must lie between 0 and 1, got {level}"
    with pytest.raises(eevee.EeveeError, match=message):
        recentred_interval(1.0, np.ones(3), level=level)
    with pytest.raises(eevee.EeveeError, match=message):
        nadeau_bengio_interval([1.0, 2.0], n_train=8, n_test=2, level=level)


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
