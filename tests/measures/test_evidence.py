from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from eevee.base.errors import EeveeError
from eevee.measures import logme
from tests.measures.conftest import Fixture, made, one_hot


def log_density(features: np.ndarray, y: np.ndarray, alpha: float, beta: float) -> float:
    """Per row, of a Gaussian with the covariance FF'/alpha + I/beta."""
    covariance = features @ features.T / alpha + np.eye(len(y)) / beta
    rest = y @ np.linalg.solve(covariance, y) + len(y) * np.log(2 * np.pi)
    return float(-0.5 * (np.linalg.slogdet(covariance)[1] + rest)) / len(y)


def plain_logme(features: np.ndarray, labels: np.ndarray) -> float:
    """Maximise the density by a general optimiser, from several starts."""
    found = []
    for y in one_hot(labels, labels.max() + 1).T:

        def cost(logs: np.ndarray, y: np.ndarray = y) -> float:
            return -log_density(features, y, *np.exp(logs))

        starts = ([0.0, 0.0], [4.0, 2.0], [7.0, 4.0])
        options = {"xatol": 1e-7, "fatol": 1e-13, "maxiter": 2000}
        runs = [
            optimize.minimize(cost, start, method="Nelder-Mead", options=options)
            for start in starts
        ]
        found.append(-min(run.fun for run in runs))
    return float(np.mean(found))


def test_the_value_is_the_exact_maximum_of_the_evidence(known: Fixture):
    value = logme(known.features, known.labels).value
    numbers = known.numbers
    assert value == pytest.approx(numbers["exact_max_log_evidence"], abs=1e-9)
    hyper = zip(numbers["exact_max_alpha"], numbers["exact_max_beta"], strict=True)
    columns = one_hot(known.labels, known.labels.max() + 1).T
    at = [log_density(known.features, y, *ab) for y, ab in zip(columns, hyper, strict=True)]
    assert value == pytest.approx(np.mean(at), abs=1e-9)
    assert value == pytest.approx(numbers["thuml_logme_icml"], abs=1e-3)
    assert value > numbers["thuml_logme_icml"]


@pytest.mark.parametrize(("n", "d"), [(24, 3), (14, 30)])
def test_a_general_optimiser_of_the_density_finds_the_same(n: int, d: int):
    data = made(n, d, 2, seed=n)
    value = logme(data.features, data.labels).value
    assert value == pytest.approx(plain_logme(data.features, data.labels), abs=1e-8)


def test_no_hyperparameters_give_a_higher_density():
    data = made(40, 6, 3, seed=3)
    value = logme(data.features, data.labels).value
    tried = [
        np.mean([log_density(data.features, y, a, b) for y in one_hot(data.labels, 3).T])
        for a in np.geomspace(0.1, 1e5, 9)
        for b in np.geomspace(0.1, 1e3, 9)
    ]
    assert value > max(tried)


@pytest.mark.parametrize(("n", "d"), [(60, 8), (20, 50)])
def test_a_rotation_of_the_features_changes_nothing_nor_does_their_scale(n: int, d: int):
    data = made(n, d, 3, seed=d)
    rotation = stats.ortho_group.rvs(d, random_state=0)
    expected = logme(data.features, data.labels).value
    turned = 1e3 * data.features @ rotation
    assert logme(turned, data.labels).value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("n", [20, 60])
def test_columns_of_zeros_lead_from_one_side_to_the_other_and_change_nothing(n: int):
    data = made(n, 30, 3, seed=n)
    expected = logme(data.features, data.labels).value
    wider = np.hstack([data.features, np.zeros((n, 50))])
    assert logme(wider, data.labels).value == pytest.approx(expected, abs=1e-10)


def test_features_of_very_different_scales_give_the_exact_density():
    data = made(40, 5, 2, seed=9)
    features = data.features * [1e-5, 1e-3, 1, 10, 1e2]
    value = logme(features, data.labels).value
    tried = [
        np.mean([log_density(features, y, a, b) for y in one_hot(data.labels, 2).T])
        for a in np.geomspace(1e-2, 1e8, 11)
        for b in np.geomspace(0.1, 1e3, 9)
    ]
    assert value > max(tried)


def test_labels_among_the_features_are_refused_since_the_evidence_has_no_maximum():
    data = made(40, 5, 2)
    copies = np.column_stack([data.features, one_hot(data.labels, 2)])
    with pytest.raises(EeveeError, match="fit a class without error"):
        logme(copies, data.labels)
