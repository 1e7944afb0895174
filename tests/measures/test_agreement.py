from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from eevee.base.errors import EeveeError
from eevee.measures import kendall


def plain_tau_a(first: np.ndarray, second: np.ndarray) -> float:
    pairs = list(combinations(range(len(first)), 2))
    signs = [np.sign((first[i] - first[j]) * (second[i] - second[j])) for i, j in pairs]
    return float(np.sum(signs) / len(pairs))


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_taus_are_those_of_the_definition_and_of_scipy(digits: int):
    rng = np.random.default_rng(digits)
    for _ in range(20):
        first, second = rng.normal(size=(2, 9)).round(digits)
        found = kendall(first, second)
        assert found.tau_a == pytest.approx(plain_tau_a(first, second), abs=1e-12)
        expected = stats.kendalltau(first, second).statistic
        assert found.tau_b == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_standard_error_is_the_spread_over_sets_of_checkpoints():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        truth = rng.normal(size=25)
        found.append(kendall(truth + rng.normal(size=25), truth))
    spread = np.std([one.tau_a for one in found], ddof=1)
    assert 0.85 < np.sqrt(np.mean([one.stderr**2 for one in found])) / spread < 1.25


def test_all_tied_has_no_tau_b_and_two_checkpoints_no_error():
    found = kendall([1, 1], [1, 2])
    assert found.tau_a == 0
    assert np.isnan([found.tau_b, found.stderr]).all()


@pytest.mark.parametrize(
    ("first", "second"), [([1, 2], [1, 2, 3]), ([1], [1]), ([1, np.nan], [1, 2]), ([[1]], [[1]])]
)
def test_what_cannot_be_compared_is_refused(first: list[float], second: list[float]):
    with pytest.raises(EeveeError, match=r"^kendall: "):
        kendall(first, second)
