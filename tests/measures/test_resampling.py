from __future__ import annotations

import math

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import Sample, hscore, leep, logme, permutation_null
from eevee.measures.covariances import HSCORE
from eevee.measures.resampling import grouped_jackknife
from tests.measures.conftest import made


def _mean(sample: Sample) -> float:
    assert sample.features is not None
    return float(sample.features.mean())


def test_of_a_mean_with_a_group_per_row_it_is_the_textbook_standard_error():
    rows = np.random.default_rng(0).normal(size=(50, 1))
    sample = Sample.of(np.arange(50) % 2, features=rows)
    expected = rows.std(ddof=1) / math.sqrt(50)
    assert grouped_jackknife(_mean, sample, 50) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["h-score", "leep", "logme"])
def test_standard_errors_are_as_large_as_the_spread_over_samples(name: str):
    """60 samples of one population: their values spread as the errors say."""
    rng = np.random.default_rng(5)
    shift, logits = rng.normal(size=(3, 4)), 2 * rng.normal(size=(3, 5))
    found = []
    for _ in range(60):
        labels = np.arange(150) % 3
        if name == "leep":
            probs = np.exp(rng.normal(size=(150, 5)) + logits[labels])
            found.append(leep(probs / probs.sum(axis=1, keepdims=True), labels, n_groups=10))
        else:
            features = rng.normal(size=(150, 4)) + shift[labels]
            function = hscore if name == "h-score" else logme
            found.append(function(features, labels, n_groups=10))
    spread = np.std([one.value for one in found], ddof=1)
    error = math.sqrt(np.mean([one.stderr**2 for one in found]))
    assert 0.75 < error / spread < 1.35


def test_the_same_seed_gives_the_same_error_and_another_one_another():
    data = made(60, 4, 3)
    errors = [hscore(data.features, data.labels, n_groups=5, seed=s).stderr for s in (0, 0, 1)]
    assert errors[0] == errors[1] != errors[2]


def test_a_class_of_one_row_has_no_standard_error_and_one_group_is_refused():
    labels = [0] * 10 + [1] * 10 + [2]
    features = np.random.default_rng(0).normal(size=(21, 2))
    assert math.isnan(hscore(features, labels, n_groups=5).stderr)
    assert math.isnan(hscore(features, labels).stderr)
    with pytest.raises(EeveeError, match="at least 2 groups"):
        hscore(features, labels, n_groups=1)


def test_the_null_of_hscore_is_where_theory_puts_it():
    """Without any signal the expected sum of squared correlations is d (K - 1) / (n - 1)."""
    data = made(120, 6, 4, apart=1)
    sample = Sample.of(data.labels, features=data.features)
    null = permutation_null(HSCORE.value, sample, 200, seed=1)
    assert null.mean == pytest.approx(6 * 3 / 119, abs=4 * null.sd / math.sqrt(200))
    assert null.p == 1 / 201


def test_labels_that_mean_nothing_have_uniform_p_values():
    shares = []
    for seed in range(40):
        data = made(40, 3, 2, seed=seed, apart=0)
        sample = Sample.of(data.labels, features=data.features)
        shares.append(permutation_null(HSCORE.value, sample, 19, seed).p)
    assert 0.35 < np.mean(shares) < 0.7
    assert min(shares) >= 1 / 20


def test_a_null_needs_permutations():
    sample = Sample.of([0, 1, 0, 1], features=[[0.0], [1.0], [2.0], [3.0]])
    with pytest.raises(EeveeError, match="at least 2"):
        permutation_null(HSCORE.value, sample, 1)
