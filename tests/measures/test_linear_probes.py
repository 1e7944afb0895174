from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from eevee.base.errors import EeveeError
from eevee.measures import (
    Sample,
    best_pair,
    gaussian_grid,
    linear,
    linear_valid,
    pactran_gaussian,
)
from eevee.measures.linear_probes import LINEAR_VALID, PAPER_GRID, RELEASED_GRID
from eevee.measures.softmax_regression import SoftmaxRegression, _Problem
from tests.measures.conftest import Fixture, made, one_hot


def plain_loss(features: np.ndarray, labels: np.ndarray, beta: float, theta: np.ndarray) -> float:
    """Mean cross-entropy and ridge of centred features, weights and biases in one vector."""
    k = labels.max() + 1
    weights, bias = theta[:-k].reshape(-1, k), theta[-k:]
    logits = (features - features.mean(axis=0)) @ weights + bias
    own = log_softmax(logits, axis=1)[np.arange(len(labels)), labels]
    return float(-own.mean() + (weights**2).sum() / (2 * beta))


def plain_fit(features: np.ndarray, labels: np.ndarray, beta: float) -> Any:
    n, d = features.shape
    k = labels.max() + 1
    centred, y = features - features.mean(axis=0), one_hot(labels, k)

    def slope(theta: np.ndarray) -> np.ndarray:
        weights, bias = theta[:-k].reshape(-1, k), theta[-k:]
        errors = (softmax(centred @ weights + bias, axis=1) - y) / n
        return np.concatenate([(centred.T @ errors + weights / beta).ravel(), errors.sum(axis=0)])

    def loss(theta: np.ndarray) -> float:
        return plain_loss(features, labels, beta, theta)

    options = {"gtol": 1e-9, "ftol": 1e-16, "maxiter": 5000}
    return optimize.minimize(
        loss, np.zeros(d * k + k), jac=slope, method="L-BFGS-B", options=options
    )


def test_linear_is_the_exact_minimum(known: Fixture):
    for numbers in known.numbers["pactran_gauss"]:
        value = linear(known.features, known.labels, a=numbers["a"]).value
        assert value == pytest.approx(numbers["rer_exact"], rel=1e-7)


def test_pactran_gaussian_agrees_with_both_conventions_and_with_the_released_code(known: Fixture):
    given = known.features, known.labels
    for numbers in known.numbers["pactran_gauss"]:
        a = numbers["a"]
        released = [value for value in numbers["ref_seeds0-4_mean"] if value]
        for name in (name for name in numbers if name[0] == "b" and name != "beta"):
            b, exact = float(name[1:]), list(numbers[name].items())
            for (words, expected), convention in zip(exact, ("reference", "paper"), strict=True):
                assert ("summed" in words) == (convention == "reference")
                value = pactran_gaussian(*given, a=a, b=b, convention=convention).value
                assert value == pytest.approx(expected, rel=3e-5)
            summed = pactran_gaussian(*given, a=a, b=b, convention="reference").value
            assert min(abs(summed / one - 1) for one in released) < 2e-3


@pytest.mark.parametrize(("n", "d", "k"), [(60, 5, 3), (20, 40, 2), (45, 44, 4)])
def test_the_fit_is_that_of_a_general_optimiser(n: int, d: int, k: int):
    data = made(n, d, k, seed=n)
    for a in (0.1, 1.0, 10.0):
        fit = SoftmaxRegression(Sample.of(data.labels, features=data.features)).fit(a * n)
        expected = plain_fit(data.features, data.labels, a * n)
        assert fit.loss == pytest.approx(expected.fun, rel=1e-7)
        theta = np.concatenate([fit.weights.ravel(), fit.bias])
        assert plain_loss(data.features, data.labels, a * n, theta) == pytest.approx(fit.loss)


def hard(kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    data = made(300, 20, 4, seed=1)
    features, labels = data.features, data.labels
    if kind == "scales":
        features = features * np.r_[1e4, 1e-5, np.ones(18)]
    elif kind == "copies":
        features = np.column_stack([features, 3 * features[:, :8], np.zeros(300)])
    elif kind == "far from zero":
        features = features + 1e5
    elif kind == "heavy tails":
        features = rng.standard_cauchy(size=(300, 10))
    elif kind == "rare class":
        labels = np.r_[np.ones(5, int), np.zeros(295, int)]
    elif kind == "many classes":
        labels = np.arange(300) % 120
    return features, labels


@pytest.mark.parametrize(
    "kind", ["scales", "copies", "far from zero", "heavy tails", "rare class", "many classes"]
)
def test_hard_features_and_labels_are_fitted_as_well(kind: str):
    features, labels = hard(kind)
    for a in (0.1, 10.0):
        value = linear(features, labels, a=a).value
        expected = plain_fit(features, labels, a * 300).fun
        assert expected * (1 - 1e-4) < value < expected * (1 + 1e-7)  # L-BFGS may stop above it


def test_the_fit_is_that_of_scikit_learn():
    data = made(80, 6, 3, seed=4)
    centred = data.features - data.features.mean(axis=0)
    fit = SoftmaxRegression(Sample.of(data.labels, features=data.features)).fit(80.0)
    other = LogisticRegression(C=1.0, tol=1e-10, max_iter=10000).fit(centred, data.labels)
    np.testing.assert_allclose(fit.weights, other.coef_.T, atol=3e-4)
    np.testing.assert_array_equal(fit.classes(data.features), other.predict(centred))


def test_the_gradient_is_that_of_finite_differences():
    data = made(30, 4, 3, seed=2)
    problem = _Problem(Sample.of(data.labels, features=data.features))
    ridge = problem.ridge(25.0)
    weights = np.random.default_rng(0).normal(size=(5, 3))

    def loss(vector: np.ndarray) -> float:
        moved = vector.reshape(5, 3)
        return problem.state(moved, problem.rows @ moved, ridge).loss

    gradient = problem.gradient(problem.state(weights, problem.rows @ weights, ridge), ridge)
    numeric = optimize.approx_fprime(weights.ravel(), loss, 1e-7)
    np.testing.assert_allclose(gradient.ravel(), numeric, atol=1e-6)


@pytest.mark.parametrize(("n", "d"), [(30, 4), (12, 20)])
def test_the_trace_is_that_of_a_finite_difference_hessian_of_the_mean_loss(n: int, d: int):
    """From the score itself: b enters in front of log(1 + beta / (K D) Tr H) alone."""
    data = made(n, d, 3, seed=n)
    flat = pactran_gaussian(data.features, data.labels, a=1, b=2).value
    rough = flat - pactran_gaussian(data.features, data.labels, a=1, b=1).value
    trace = np.expm1(rough * 2 * n / 3) * 3 * d / n
    fitted = plain_fit(data.features, data.labels, n).x

    def loss(theta: np.ndarray) -> float:  # without the ridge, whose Hessian is not meant
        return plain_loss(data.features, data.labels, np.inf, theta)

    at, step = loss(fitted), 1e-3
    moves = step * np.eye(len(fitted))
    second = [loss(fitted + move) + loss(fitted - move) - 2 * at for move in moves]
    assert trace == pytest.approx(np.sum(second) / step**2, rel=1e-4)


def test_the_reference_trace_is_larger_by_the_number_of_rows():
    data = made(40, 5, 2)
    loss = linear(data.features, data.labels, a=1).value
    rough = [
        pactran_gaussian(data.features, data.labels, a=1, b=1, convention=one).value - loss
        for one in ("paper", "reference")
    ]
    traces = np.expm1(np.array(rough) * 2 * 40 / 2)
    assert traces[1] / traces[0] == pytest.approx(40, rel=1e-3)


@pytest.mark.parametrize("pairs", [RELEASED_GRID, PAPER_GRID])
@pytest.mark.parametrize("convention", ["paper", "reference"])
def test_a_grid_holds_the_scores_of_its_pairs(pairs: Any, convention: str):
    data = made(40, 5, 3)
    grid = gaussian_grid(data.features, data.labels, pairs, convention=convention)
    assert list(grid) == list(pairs)
    for a, b in pairs:
        alone = pactran_gaussian(data.features, data.labels, a=a, b=b, convention=convention)
        assert grid[a, b] == pytest.approx(alone.value, rel=1e-4)


def test_the_best_pair_is_the_one_that_orders_checkpoints_like_linear_valid():
    errors = [0.1, 0.2, 0.3, 0.4]
    grids = [
        {(1.0, 1.0): -e, (1.0, 10.0): e + (0.15 if e == 0.2 else 0), (10.0, 1.0): e} for e in errors
    ]
    assert best_pair(grids, errors) == (10.0, 1.0)
    with pytest.raises(EeveeError, match="one per checkpoint"):
        best_pair(grids[:3], errors)
    with pytest.raises(EeveeError, match="tied"):
        best_pair([{(1.0, 1.0): 1.0}] * 4, errors)


def test_linear_valid_is_the_held_out_error_of_the_best_penalty():
    data = made(90, 4, 3, seed=8)
    sample = Sample.of(data.labels, features=data.features)
    first = sample.first_half
    errors = []
    for a in (0.1, 1.0, 10.0):
        mean = data.features[first].mean(axis=0)
        model = LogisticRegression(C=a, tol=1e-8, max_iter=10000)
        model.fit(data.features[first] - mean, data.labels[first])
        errors.append((model.predict(data.features[~first] - mean) != data.labels[~first]).mean())
    assert LINEAR_VALID.value(sample) == pytest.approx(min(errors), abs=1e-12)


def test_linear_valid_of_sorted_rows_sees_all_classes_and_never_the_held_out_ones():
    data = made(60, 4, 3, seed=3, apart=6)
    order = np.argsort(data.labels)
    assert linear_valid(data.features[order], data.labels[order]).value < 0.1
    noise = np.random.default_rng(0).normal(size=(60, 200))
    assert linear_valid(noise, data.labels).value > 0.4


def test_of_meaningless_settings_each_is_refused():
    data = made(20, 3, 2)
    for options in ({"a": 0}, {"b": -1}, {"a": float("inf")}, {"convention": "code"}):
        with pytest.raises(EeveeError):
            pactran_gaussian(data.features, data.labels, **options)  # type: ignore[arg-type]
    with pytest.raises(EeveeError, match="too few rows"):
        linear_valid([[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1])


def test_the_scale_of_features_may_be_any_as_far_as_numbers_go():
    data = made(40, 5, 2)
    small = linear(data.features * 1e-8, data.labels, a=1).value
    assert small == pytest.approx(np.log(2), rel=1e-6)
    large = linear(data.features * 1e8, data.labels, a=1)
    assert 0 <= large.value < 0.7
