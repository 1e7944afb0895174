from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.covariance import LedoitWolf

from eevee.measures import hscore, transrate
from tests.measures.conftest import Fixture, made, one_hot


def plain_hscore(features: np.ndarray, labels: np.ndarray) -> float:
    means = np.array([features[labels == k].mean(axis=0) for k in labels])
    return float(np.trace(np.linalg.pinv(np.cov(features.T)) @ np.cov(means.T)))


def canonical_correlations(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Singular values of the product of two orthonormal bases."""
    f = linalg.orth(features - features.mean(axis=0))
    y = one_hot(labels, labels.max() + 1)
    return np.asarray(linalg.svdvals(f.T @ linalg.orth(y - y.mean(axis=0))))


def plain_regularised(features: np.ndarray, labels: np.ndarray) -> float:
    fitted = LedoitWolf().fit(features)
    means = np.array([features[labels == k].mean(axis=0) for k in labels])
    between = np.cov(means.T) * (1 - fitted.shrinkage_)
    return float(np.trace(np.linalg.solve(fitted.covariance_, between)))


def plain_transrate(features: np.ndarray, labels: np.ndarray, distortion: float = 1e-4) -> float:
    def rate(rows: np.ndarray) -> float:
        inner = np.eye(rows.shape[1]) + rows.T @ rows / (len(rows) * distortion)
        return float(0.5 * np.linalg.slogdet(inner)[1])

    rows = features - features.mean(axis=0)
    return rate(rows) - float(np.mean([rate(rows[labels == k]) for k in np.unique(labels)]))


def test_scores_agree_with_the_references(known: Fixture):
    numbers = known.numbers
    given = known.features, known.labels
    assert hscore(*given).value == pytest.approx(numbers["tllib_hscore"], rel=1e-9)
    assert hscore(*given, regularised=True).value == pytest.approx(
        numbers["tllib_regularized_hscore"], rel=1e-9
    )
    assert transrate(*given).value == pytest.approx(numbers["tllib_transrate"], rel=1e-9)


@pytest.mark.parametrize(("n", "d", "k"), [(60, 5, 3), (200, 30, 7), (31, 30, 4)])
def test_hscore_is_the_sum_of_squared_canonical_correlations(n: int, d: int, k: int):
    data = made(n, d, k, seed=n)
    value = hscore(data.features, data.labels).value
    assert value == pytest.approx(plain_hscore(data.features, data.labels), rel=1e-9)
    correlations = canonical_correlations(data.features, data.labels)
    assert value == pytest.approx((correlations**2).sum(), rel=1e-9)
    assert 0 <= value <= min(k - 1, d) + 1e-9


@pytest.mark.parametrize("d", [39, 40, 300])
def test_hscore_of_no_more_rows_than_features_says_nothing(d: int):
    data = made(40, d, 4, apart=0)
    assert hscore(data.features, data.labels).value == pytest.approx(3, abs=1e-9)


def test_hscore_does_not_depend_on_an_invertible_map_or_on_dead_and_repeated_columns():
    data = made(90, 6, 3)
    rng = np.random.default_rng(1)
    expected = hscore(data.features, data.labels).value
    mapped = data.features @ rng.normal(size=(6, 6)) + rng.normal(size=6)
    assert hscore(mapped, data.labels).value == pytest.approx(expected, rel=1e-9)
    scaled = data.features * [1e-6, 1, 1e6, 1, 1, 1e3]
    assert hscore(scaled, data.labels).value == pytest.approx(expected, rel=1e-9)
    more = np.column_stack([data.features, np.full(90, 3.0), data.features[:, 0]])
    assert hscore(more, data.labels).value == pytest.approx(expected, rel=1e-9)


def test_hscore_holds_where_the_covariance_is_ill_conditioned():
    data = made(90, 6, 3)
    near = data.features.copy()
    near[:, 1] = near[:, 0] + 1e-5 * near[:, 1]
    expected = (canonical_correlations(near, data.labels) ** 2).sum()
    assert hscore(near, data.labels).value == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("n", "d"), [(80, 6), (30, 70)])
def test_regularised_hscore_uses_the_ledoit_wolf_covariance(n: int, d: int):
    data = made(n, d, 3, seed=d)
    value = hscore(data.features, data.labels, regularised=True).value
    assert value == pytest.approx(plain_regularised(data.features, data.labels), rel=1e-9)


@pytest.mark.parametrize("d", [2, 30])
def test_regularised_hscore_where_nothing_is_shrunk_takes_the_pseudoinverse(d: int):
    """Opposite rows: the estimated noise is 0, and so is the weight of the identity."""
    rng = np.random.default_rng(0)
    features = np.where(np.arange(12)[:, None] % 2, 1.0, -1.0) * rng.normal(size=(1, d))
    labels = np.array([0, 1] * 4 + [1, 1, 0, 0])
    means = np.array([features[labels == k].mean(axis=0) for k in labels])
    expected = np.trace(np.linalg.pinv(features.T @ features / 12) @ np.cov(means.T))
    value = hscore(features, labels, regularised=True).value
    assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "d"), [(80, 6), (30, 70)])
def test_regularised_hscore_does_not_depend_on_scale(n: int, d: int):
    data = made(n, d, 3, seed=d)
    expected = hscore(data.features, data.labels, regularised=True).value
    for scale in (1e-90, 1e90):
        value = hscore(scale * data.features, data.labels, regularised=True).value
        assert value == pytest.approx(expected, rel=1e-9)


def test_transrate_of_large_features_counts_directions():
    """Beyond the distortion each direction of more rank than in a class adds a logarithm."""
    data = made(12, 30, 3, seed=1)
    one, ten = (transrate(s * data.features, data.labels).value for s in (1e30, 1e31))
    more = np.linalg.matrix_rank(data.features - data.features.mean(axis=0)) - 4
    assert ten - one == pytest.approx(more * np.log(10), rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(80, 6), (30, 70)])
def test_transrate_is_the_difference_of_coding_rates(n: int, d: int):
    data = made(n, d, 3, seed=d)
    value = transrate(data.features, data.labels).value
    assert value == pytest.approx(plain_transrate(data.features, data.labels), rel=1e-9)
