"""Hellinger distances by integration, and the column of the paper's Table 3."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import integrate, stats

from eevee.base.errors import EeveeError
from eevee.measures.gaussian_distance import hellinger, hellinger_diversity
from tests.measures.conftest import FIXTURES

TABLE_3 = {0.01: (7.475e-5, 4.891e-7), 1: (0.183, 1.24e-3), 3: (0.574, 2.28e-3),
           10: (0.860, 1.75e-3), 20: (0.929, 1.31e-3), 30: (0.952, 1.10e-3),
           1000: (0.998, 2.07e-4)}  # fmt: skip
"""Standard deviation of class means: diversity and half the interval, as printed."""


@pytest.mark.parametrize(("mean_sd", "printed"), TABLE_3.items())
def test_all_seven_values_of_table_3_lie_in_the_printed_intervals(
    mean_sd: float, printed: tuple[float, float]
):
    value, half = printed
    rounding = 0 if value < 1e-3 else 5e-4
    assert abs(hellinger_diversity(mean_sd, 1, 0.01) - value) < half + rounding


def test_exact_values_of_the_fixture_are_reproduced():
    path = FIXTURES / "diversity.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    known = json.loads(path.read_text())
    for mean_sd, row in known["hellinger_table3"].items():
        assert hellinger_diversity(float(mean_sd), 1, 0.01) == pytest.approx(row["exact"], rel=1e-9)
    assert hellinger(0, 1, 1, 4) == pytest.approx(
        known["hellinger_point_mu(0,1)_sigma(1,2)"], rel=1e-12
    )


@pytest.mark.parametrize(("m", "s", "t"), [(0.0, 1.0, 1.0), (1.0, 1.0, 2.0), (5.0, 0.3, 4.0)])
def test_the_distance_is_one_less_the_integral_of_the_root_of_both_densities(m, s, t):
    def root(x: float) -> float:
        return float(np.sqrt(stats.norm.pdf(x, 0, s) * stats.norm.pdf(x, m, t)))

    overlap, _ = integrate.quad(root, -40, 40, points=[0, m], limit=200)
    assert hellinger(0, s**2, m, t**2) == pytest.approx(1 - overlap, abs=1e-9)


def test_in_several_dimensions_the_affinities_of_independent_ones_multiply():
    rng = np.random.default_rng(0)
    means, variances = rng.normal(size=(2, 3)), rng.uniform(0.5, 2, size=(2, 3))
    apart = [
        hellinger(means[0, i], variances[0, i], means[1, i], variances[1, i]) for i in range(3)
    ]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    spreads = [turn @ np.diag(one) @ turn.T for one in variances]
    found = hellinger(turn @ means[0], spreads[0], turn @ means[1], spreads[1])
    assert found == pytest.approx(1 - np.prod(1 - np.array(apart)), rel=1e-10)


@pytest.mark.parametrize(
    "given", [(1.0, 0.0, 1.0), (0.0, 0.0, 1.0), (2.0, 0.5, 1.0), (0.1, 1.0, 0.5), (3.0, -1.0, 0.2)]
)
def test_the_integral_is_that_of_simulated_classes(given: tuple[float, float, float]):
    mean_sd, sd_mean, sd_sd = given
    rng = np.random.default_rng(0)
    n = 100_000
    mean = rng.normal(0, mean_sd, size=(2, n)) if mean_sd else np.zeros((2, n))
    sd = np.abs(rng.normal(sd_mean, sd_sd, size=(2, n)))
    total = (sd**2).sum(axis=0)
    one = np.sqrt(2 * sd.prod(axis=0) / total) * np.exp(-((mean[0] - mean[1]) ** 2) / (4 * total))
    error = one.std() / np.sqrt(n)
    assert abs(hellinger_diversity(*given) - (1 - one.mean())) < 4 * error


def test_limits_are_exact():
    assert hellinger_diversity(0, 2, 0) == 0
    assert hellinger_diversity(3, 1, 0) == pytest.approx(1 - 1 / np.sqrt(1 + 9 / 2), rel=1e-12)
    assert hellinger_diversity(1e9, 1, 0.1) == pytest.approx(1, abs=1e-8)
    assert hellinger_diversity(1e200, 1, 0.1) == 1
    assert hellinger_diversity(3e-200, 1e-200, 0) == pytest.approx(1 - 1 / np.sqrt(1 + 9 / 2))
    scaled = hellinger_diversity(30, 10, 4)
    assert hellinger_diversity(3, 1, 0.4) == pytest.approx(scaled, rel=1e-12)
    assert hellinger([0, 0], np.eye(2), [0, 0], np.eye(2)) == 0


def test_bad_input_is_an_error():
    for given, said in (
        ((-1, 1, 1), "mean_sd must be 0 or more"),
        ((1, 0, 0), "not all 0"),
        ((1, np.nan, 1), "must be finite"),
        ((np.inf, 1, 1), "mean_sd must be"),
        (("wide", 1, 1), "mean_sd must be"),
    ):
        with pytest.raises(EeveeError, match=said):
            hellinger_diversity(*given)
    for point, said in (
        ((0, 1, [0, 0], 1), "means of one length"),
        ((0, -1, 0, 1), "not positive definite"),
        ((np.nan, 1, 0, 1), "a mean must be finite"),
        ((0, np.inf, 0, 1), "a covariance must be finite"),
        (("a", 1, 0, 1), "numbers"),
        (([0, 0], [[1], [0, 1]], [0, 0], np.eye(2)), "lengths"),
        (([0, 0], [[1, 2], [0, 1]], [0, 0], np.eye(2)), "symmetric"),
    ):
        with pytest.raises(EeveeError, match=said):
            hellinger(*point)
