from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from eevee.base.errors import EeveeError
from eevee.measures import Measure, Sample, task_kernels, task_priors
from eevee.measures.task_kernels import (
    add_kernels,
    feature_kernel,
    group_kernel,
    matrix_kernel,
)
from eevee.measures.task_priors import (
    PRIOR_MEAN,
    PRIOR_VARIANCE,
    RELATIVE_TEMPERATURE,
    moments_of_models,
    probe_loss,
    task_prior_moments,
)
from eevee.measures.task_sampler import sample_tasks
from tests.measures.conftest import made
from tests.measures.task_fixture import reference


def symmetric(n: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).normal(size=(n, n))
    return half + half.T


def graphs(n: int, graph: str) -> list[np.ndarray]:
    """All graphs of n samples, edges to oneself among them."""
    if graph == "directed":
        return [np.array(one).reshape(n, n) for one in product((0, 1), repeat=n * n)]
    places = np.triu_indices(n)
    found = []
    for edges in product((0, 1), repeat=len(places[0])):
        one = np.zeros((n, n), dtype=int)
        one[places] = edges
        found.append(one | one.T)
    return found


def by_enumeration(k: np.ndarray, m: np.ndarray, heat: float, graph: str) -> tuple[float, float]:
    all_of_them = graphs(len(k), graph)
    likely = np.exp([np.trace(g @ k) / heat for g in all_of_them])
    likely /= likely.sum()
    values = np.array([np.trace(m @ g) for g in all_of_them])
    mean = float(likely @ values)
    return mean, float(likely @ (values - mean) ** 2)


@pytest.mark.parametrize("graph", ["directed", "undirected"])
@pytest.mark.parametrize("heat", [0.5, 3.0])
def test_moments_are_those_of_all_graphs(graph: Any, heat: float):
    k, m = symmetric(3, 0), symmetric(3, 1)
    found = task_prior_moments(matrix_kernel(k), matrix_kernel(m), temperature=heat, graph=graph)
    assert (found.mean, found.variance) == pytest.approx(by_enumeration(k, m, heat, graph))


@pytest.mark.parametrize("kind", ["cosine", "rbf"])
def test_blocks_change_nothing_and_neither_do_other_models(kind: Any):
    a, b = (np.random.default_rng(i).normal(size=(50, 4)) for i in range(2))
    prior, model = feature_kernel(a, kind), feature_kernel(b, kind)
    whole = task_prior_moments(prior, model, graph="undirected")
    edges = expit(2 * prior.dense() / whole.temperature)
    own = np.arange(50)
    edges[own, own] = expit(prior.dense()[own, own] / whole.temperature)
    assert whole.mean == pytest.approx(float((edges * model.dense()).sum()))
    both = moments_of_models(prior, [model, prior], graph="undirected")
    assert both[0] == whole
    assert both[1] == task_prior_moments(prior, prior, graph="undirected")


def test_small_blocks_give_the_same_moments(monkeypatch: pytest.MonkeyPatch):
    a, b = (feature_kernel(np.random.default_rng(i).normal(size=(50, 4))) for i in range(2))
    for graph in ("directed", "undirected"):
        whole = task_prior_moments(a, b, graph=graph)  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            patch.setattr(task_kernels.Kernel.upper_blocks, "__defaults__", (7,))
            parts = task_prior_moments(a, b, graph=graph)  # type: ignore[arg-type]
        assert parts.mean == pytest.approx(whole.mean, abs=1e-14)
        assert parts.variance == pytest.approx(whole.variance, rel=1e-12)


@pytest.mark.parametrize("kind", ["cosine", "rbf", "groups", "sum"])
def test_memory_grows_with_the_number_of_samples_and_not_with_its_square(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(task_priors, "MOST_THREADS", 1)
    peaks = []
    for n in (1500, 3000):
        rows = np.random.default_rng(0).normal(size=(n, 3))
        tracemalloc.start()
        if kind == "groups":
            prior = group_kernel(np.arange(n) // 2)
        elif kind == "sum":
            prior = add_kernels([feature_kernel(rows), feature_kernel(rows, "rbf")])
        else:
            prior = feature_kernel(rows, kind)  # type: ignore[arg-type]
        task_prior_moments(prior, feature_kernel(rows))
        sample_tasks(prior, 2, n_tasks=20)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.6 * peaks[0]
    assert peaks[1] < 3000**2 * 8


def test_a_hot_prior_is_indifferent():
    a, b = (feature_kernel(np.random.default_rng(i).normal(size=(30, 4))) for i in range(2))
    for graph, factor in (("directed", 0.25), ("undirected", 0.5)):
        hot = task_prior_moments(a, b, temperature=1e9, graph=graph)  # type: ignore[arg-type]
        assert hot.mean == pytest.approx(0, abs=1e-9)  # half of the sum of a centred kernel
        diagonal = np.square(np.diag(b.dense())).sum() * (factor - 0.25)
        assert hot.variance == pytest.approx(factor * 1.0 - diagonal)


def test_the_product_of_two_priors_is_the_prior_of_the_sum():
    """Probabilities of all graphs under both, multiplied, against those of the sum."""
    k1, k2, m = (symmetric(3, i) for i in (1, 2, 3))
    both = graphs(3, "directed")
    likely = np.exp([np.trace(g @ k1) + np.trace(g @ k2) for g in both])
    expected = likely @ [np.trace(m @ g) for g in both] / likely.sum()
    prior = add_kernels([matrix_kernel(k1), matrix_kernel(k2)])
    found = task_prior_moments(prior, matrix_kernel(m), temperature=1.0)
    assert found.mean == pytest.approx(float(expected))


def test_the_variance_of_a_cold_prior_keeps_its_digits():
    """p (1 - p) from p loses them all where p is nearly 1."""
    k = np.diag([30.0, 36.0])
    found = task_prior_moments(matrix_kernel(k), matrix_kernel(np.eye(2)), temperature=1.0)
    assert found.variance == pytest.approx(np.exp(-30) + np.exp(-36), rel=1e-11)


def test_the_default_temperature_is_relative_to_the_kernel():
    x = np.random.default_rng(0).normal(size=(30, 4))
    one, ten = (feature_kernel(factor * x, "linear", normalize=None) for factor in (1, 10))
    first, second = (task_prior_moments(k, feature_kernel(x)) for k in (one, ten))
    assert second.temperature == pytest.approx(100 * first.temperature)
    assert second.mean == pytest.approx(first.mean)
    rms = np.sqrt(np.square(one.dense()).mean())
    assert first.temperature == pytest.approx(RELATIVE_TEMPERATURE * rms)
    assert pytest.approx(8192 * 1e-5) == RELATIVE_TEMPERATURE


@pytest.mark.parametrize(("n", "d"), [(60, 5), (20, 40), (30, 29)])
def test_the_probe_loss_is_that_of_least_squares(n: int, d: int):
    data = made(n, d, 3)
    y = np.eye(3)[data.labels]
    inputs = np.column_stack([data.features, np.ones(n)])
    weights = np.linalg.lstsq(inputs, y, rcond=None)[0]
    expected = np.square(inputs @ weights - y).sum() / n
    found = probe_loss(data.features, data.labels)
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert not found.higher_is_better
    assert np.copysign(1, Measure(0.0, 0.0, "exact", False, "", 0.0).score) == 1


def test_the_probe_loss_is_the_trace_of_theorem_2_3():
    data = made(40, 6, 3)
    centred = data.features - data.features.mean(axis=0)
    v = np.linalg.svd(centred.T, full_matrices=False)[2].T
    y = np.eye(3)[data.labels].T
    yh = y - y.mean(axis=1, keepdims=True)
    expected = (np.square(yh).sum() - np.trace(v.T @ y.T @ y @ v)) / 40
    assert probe_loss(data.features, data.labels).value == pytest.approx(expected)
    turned = data.features @ np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0] * 3 + 5
    assert probe_loss(turned, data.labels).value == pytest.approx(expected)


def test_features_that_follow_the_labels_do_better_under_the_prior_of_the_labels():
    means, variances = [], []
    for apart in (0.0, 0.5, 1.0, 3.0):
        data = made(90, 6, 3, apart=apart, seed=4)
        sample = Sample.of(data.labels, features=data.features)
        means.append(PRIOR_MEAN.value(sample))
        variances.append(PRIOR_VARIANCE.value(sample))
    assert means == sorted(means)
    assert min(variances) >= 0
    assert PRIOR_MEAN.measure(sample, n_groups=5).stderr > 0


@pytest.mark.parametrize("n", [100, 105])
def test_the_error_of_the_mean_is_its_spread_over_samples_for_groups_of_any_size(n: int):
    """The mean grows with the samples: groups of 10 and 11 must not look like a spread."""
    rng = np.random.default_rng(0)
    centres = 4 * rng.normal(size=(3, 6))
    found = []
    for _ in range(30):
        labels = np.arange(n) % 3
        rows = rng.normal(size=(n, 6)) + centres[labels]
        sample = Sample.of(labels, features=rows, prior=rows[:, :4])
        found.append(PRIOR_MEAN.measure(sample, n_groups=10))
    spread = np.std([one.value for one in found], ddof=1)
    error = np.sqrt(np.mean([one.stderr**2 for one in found]))
    assert 0.7 < error / spread < 1.4


def test_invalid_input_is_refused():
    a, b = matrix_kernel(np.eye(3)), matrix_kernel(np.eye(4))
    with pytest.raises(EeveeError, match="4 samples, but the prior has 3"):
        task_prior_moments(a, b)
    for heat in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(EeveeError, match="temperature"):
            task_prior_moments(a, a, temperature=heat)
    with pytest.raises(EeveeError, match="too small"):
        task_prior_moments(a, a, temperature=1e-310)
    with pytest.raises(EeveeError, match="at least one"):
        moments_of_models(a, [])
    with pytest.raises(EeveeError, match="graph"):
        task_prior_moments(a, a, graph="mixed")  # type: ignore[arg-type]


def test_moments_agree_with_the_released_code_and_with_enumeration():
    arrays, numbers = reference("task_priors")
    for normalize, end in ((None, ""), ("fro", "_fro")):
        k, m = (feature_kernel(arrays[z], normalize=normalize) for z in ("Zk", "Zm"))  # type: ignore[arg-type]
        for i, heat in enumerate(numbers["T" + end]):
            found = task_prior_moments(k, m, temperature=heat)
            assert found.mean == pytest.approx(numbers["ref_mean" + end][i], abs=1e-9)
            assert found.variance == pytest.approx(numbers["ref_var" + end][i], abs=1e-9)
            if not end:
                other = task_prior_moments(k, m, temperature=heat, graph="undirected")
                assert other.mean == pytest.approx(numbers["exact_undirected_mean"][i], abs=1e-9)
                assert other.variance == pytest.approx(numbers["exact_undirected_var"][i], abs=1e-9)
    corner = slice(0, 3)
    for graph in ("directed", "undirected"):
        expected = numbers[f"exact_enum_{graph}_n3"]
        k, m = (matrix_kernel(arrays[one][corner, corner]) for one in "KM")
        found = task_prior_moments(k, m, temperature=expected["T"], graph=graph)  # type: ignore[arg-type]
        assert found.mean == pytest.approx(expected["mean"], abs=1e-9)
        assert found.variance == pytest.approx(expected["var"], abs=1e-9)


def test_centring_before_the_cosine_is_another_kernel():
    arrays, numbers = reference("task_priors")
    k, m = (
        feature_kernel(arrays[z] - arrays[z].mean(axis=0), centre=False, normalize=None)
        for z in ("Zk", "Zm")
    )
    found = task_prior_moments(k, m, temperature=0.1).mean
    assert found == pytest.approx(numbers["alt_centered_then_cosine_mean_T0.1"], abs=1e-9)


def test_the_probe_loss_agrees_with_the_reference():
    arrays, numbers = reference("task_priors")
    expected = numbers["exact_thm23"]
    found = probe_loss(arrays["Zm"], expected["labels"]).value
    assert found == pytest.approx(expected["lstsq_loss"], abs=1e-9)
