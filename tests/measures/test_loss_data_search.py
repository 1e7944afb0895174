from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from eevee.base.errors import EeveeError
from eevee.measures.loss_data_mlp import MLPProbe
from eevee.measures.loss_data_search import (
    estimate_sdl,
    search_sample_complexity,
    subset_losses,
    subset_runs,
)
from tests.measures.conftest import made


def of_mean(loss: Any) -> Any:
    """Losses of 0 and 1 whose mean is that of a curve."""

    def draw(n: int, count: int, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(count) < loss(n)).astype(float)

    return draw


def test_a_certified_size_has_a_loss_of_at_most_epsilon_nearly_always():
    def loss(n: float) -> float:
        return min(1.0, 5 / n**0.8)

    right = 0
    for seed in range(40):
        found = search_sample_complexity(of_mean(loss), 0.2, 1000, delta=0.1, n_rounds=2, seed=seed)
        assert found.measure.certified
        assert found.measure.bound == "upper"
        right += loss(found.measure.value) <= 0.2
    assert right >= 36


def test_the_search_narrows_down_to_where_the_loss_is_half_of_epsilon():
    steep = search_sample_complexity(
        lambda n, c, _: np.full(c, float(n < 737)), 0.5, 5000, n_rounds=6
    )
    assert steep.measure.value == 737
    assert (steep.measure.low, steep.measure.high, steep.measure.certified_n) == (736, 737, 737)
    assert len(steep.losses) <= 60
    coarse = search_sample_complexity(
        lambda n, c, _: np.full(c, float(n < 737)), 0.5, 5000, n_rounds=1
    )
    assert (coarse.measure.low, coarse.measure.value) == (500, 1000)


def test_every_small_interval_ends_at_the_answer():
    for largest in range(1, 25):
        for answer in range(1, largest + 1):
            found = search_sample_complexity(
                lambda n, c, _, at=answer: np.full(c, float(n < at)), 0.9, largest, n_rounds=4
            )
            assert found.measure.value == answer
            assert found.measure.certified


def test_draws_are_as_many_as_theorem_5_asks():
    found = search_sample_complexity(of_mean(lambda n: 0.0), 0.3, 10, delta=0.05, n_rounds=2)
    assert found.n_draws == math.ceil(2 * math.log(20 * 2 / 0.05) / 0.3**2)
    wide = search_sample_complexity(of_mean(lambda n: 0.0), 0.3, 10, n_rounds=2, ceiling=2)
    assert wide.n_draws == math.ceil(4 * 2 * math.log(20 * 2 / 0.05) / 0.3**2)


def test_what_is_not_reached_is_a_lower_bound_and_not_certified():
    never = search_sample_complexity(lambda n, c, _: np.full(c, 0.9), 0.2, 500)
    one = never.measure
    assert (one.bound, one.observed, one.certified, one.value) == ("lower", False, False, 500)
    assert str(one) == "> 500"
    assert one.certified_n is None
    almost = search_sample_complexity(
        lambda n, c, _: np.full(c, 0.15 if n >= 200 else 0.9), 0.2, 500
    ).measure
    assert (almost.bound, almost.observed, almost.certified) == ("exact", True, False)
    assert (almost.low, almost.value) == (199, 200)
    coarse = search_sample_complexity(
        lambda n, c, _: np.full(c, 0.15 if n >= 190 else 0.9), 0.2, 500, n_rounds=1
    ).measure
    assert (coarse.low, coarse.value) == (150, 200)


def test_a_loss_of_half_of_epsilon_that_is_met_later_is_certified():
    found = search_sample_complexity(
        lambda n, c, _: np.full(c, 0.05 if n in (67, 68) else 0.15 if n >= 66 else 0.9), 0.2, 100
    )
    assert found.measure.certified
    assert (found.measure.low, found.measure.value) == (66, 67)
    assert len(found.losses) <= 30


def test_losses_are_cut_off_at_the_ceiling():
    found = search_sample_complexity(lambda n, c, _: np.full(c, 50.0), 0.5, 4, ceiling=0.7)
    assert found.losses[4] == pytest.approx(0.7)


def parity_run(d: int) -> Any:
    """Losses of section 3.1's learner on one test sample: 0 in the span of what it saw."""

    def run(largest: int, rng: np.random.Generator) -> np.ndarray:
        ranks, rank = [], 0
        for _ in range(largest):
            rank += rng.random() < 1 - 2.0 ** (rank - d)
            ranks.append(rank)
        known = rng.random() < 2.0 ** (np.array(ranks) - d)
        return np.where(known, 0, math.log(2))

    return run


def test_the_surplus_of_the_parity_example_lies_in_its_interval():
    """The exact value by the chain over ranks, as in the tests of curves."""
    d, epsilon, largest = 4, 0.2, 12
    ranks, exact = np.eye(d + 1)[0], 0.0
    for _ in range(200):
        rise = 1 - 2.0 ** (np.arange(d + 1) - d)
        ranks = ranks * (1 - rise) + np.concatenate([[0], (ranks * rise)[:-1]])
        exact += max(math.log(2) * float(ranks @ rise) - epsilon, 0)
    inside = 0
    for seed in range(10):
        found = estimate_sdl(parity_run(d), epsilon, largest, 160, ceiling=math.log(2), seed=seed)
        assert found.certified
        inside += found.low <= exact <= found.high
        assert abs(found.value - exact) < 6 * found.stderr
    assert inside == 10


def test_tight_needs_enough_data_sets():
    def nothing(largest: int, rng: np.random.Generator) -> np.ndarray:
        return np.zeros(largest)

    needed = math.ceil(2 * math.log(1 / 0.05) / 0.5**2)
    assert estimate_sdl(nothing, 0.5, 3, needed).certified
    assert not estimate_sdl(nothing, 0.5, 3, needed - 1).certified
    assert needed - 1 > math.log(1 / 0.05) / (2 * 0.5**2)  # which the paper asks for


def test_a_surplus_without_end_is_a_lower_bound():
    found = estimate_sdl(lambda m, _: np.full(m, 0.4), 0.1, 7, 5)
    assert found.value == pytest.approx(7 * 0.3)
    assert found.high == math.inf
    assert (found.bound, found.observed, found.certified) == ("lower", False, False)


def test_subsets_of_samples_are_fitted_and_scored_on_another():
    data = made(40, 3, 2, apart=3)
    draw = subset_losses(data.features, data.labels, GaussianNB())
    few, many = (draw(n, 60, np.random.default_rng(0)).mean() for n in (3, 30))
    assert many < few
    rng = np.random.default_rng(5)
    at = np.random.default_rng(5).choice(40, 31, replace=False)
    probs = (
        GaussianNB()
        .fit(data.features[at[:30]], data.labels[at[:30]])
        .predict_proba(data.features[at[30:]])
    )
    expected = -math.log((30 * probs[0, data.labels[at[30]]] + 0.5) / 31)
    assert draw(30, 1, rng)[0] == pytest.approx(expected)
    with pytest.raises(EeveeError, match="all but one"):
        draw(40, 1, rng)


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0},
        {"epsilon": math.nan},
        {"delta": 0},
        {"delta": 1},
        {"ceiling": 0.4},
        {"largest": 0},
        {"largest": math.nan},
        {"largest": 10.5},
        {"n_rounds": 0},
        {"n_rounds": 1.5},
        {"seed": -1},
    ],
)
def test_settings_out_of_their_range_are_refused(options: dict[str, Any]):
    settings = {"epsilon": 0.5, "largest": 10, **options}
    with pytest.raises(EeveeError):
        search_sample_complexity(of_mean(lambda n: 0.1), **settings)
    if "n_rounds" not in options:
        with pytest.raises(EeveeError):
            estimate_sdl(lambda m, _: np.zeros(m), n_datasets=3, **settings)


def test_runs_of_subsets_fit_on_more_and_more_of_one_subset():
    data = made(40, 3, 2, apart=3)
    run = subset_runs(data.features, data.labels, GaussianNB())
    found = run(30, np.random.default_rng(5))
    at = np.random.default_rng(5).choice(40, 31, replace=False)
    for n in (10, 30):
        model = GaussianNB().fit(data.features[at[:n]], data.labels[at[:n]])
        probs = model.predict_proba(data.features[at[30:]])
        expected = -math.log((n * probs[0, data.labels[at[30]]] + 0.5) / (n + 1))
        assert found[n - 1] == pytest.approx(expected)
    surplus = estimate_sdl(run, 0.3, 12, 40, ceiling=1.0)
    assert surplus.value > 0
    with pytest.raises(EeveeError, match="all but one"):
        run(40, np.random.default_rng(0))


def test_probes_and_smoothings_of_subsets_that_cannot_be_are_refused():
    data = made(40, 3, 2)
    for probe, smoothing, words in (
        ("a", 1.0, "probe"),
        (MLPProbe(), 1.0, "classifier"),
        (None, -1.0, "smoothing"),
        (None, math.nan, "smoothing"),
    ):
        for make in (subset_losses, subset_runs):
            with pytest.raises(EeveeError, match=words):
                make(data.features, data.labels, probe, smoothing=smoothing)


def test_what_is_no_loss_is_refused():
    for given in (["a"], None, [[0.1], [0.1, 0.2]]):
        with pytest.raises(EeveeError, match="draw"):
            search_sample_complexity(lambda n, c, _, one=given: one, 0.5, 1)
    for losses in (np.zeros(2), np.array([np.nan]), np.array([-1.0])):
        with pytest.raises(EeveeError, match="draw"):
            estimate_sdl(lambda m, _, given=losses: given, 0.5, 1, 3)
