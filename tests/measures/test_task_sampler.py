from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import labellings as labellings_module
from eevee.measures import task_sampler
from eevee.measures.labellings import SampledTasks, task_alignments
from eevee.measures.task_kernels import Kernel, feature_kernel, matrix_kernel
from eevee.measures.task_sampler import sample_tasks, task_log_probs
from tests.measures.task_fixture import reference

N = 6


def prior(seed: int = 0, n: int = N) -> Kernel:
    return feature_kernel(np.random.default_rng(seed).normal(size=(n, 3)), "linear", normalize=None)


def labellings(q: int, n: int = N) -> np.ndarray:
    return np.array(list(product(range(q), repeat=n)))


def potts(kernel: np.ndarray, labels: np.ndarray, heat: float) -> np.ndarray:
    same = labels[:, :, None] == labels[:, None]
    energies = (same * kernel).sum(axis=(1, 2)) / heat
    likely = np.exp(energies - energies.max())
    return likely / likely.sum()


def one_by_one(z: np.ndarray, q: int, heat: float, uniform: np.ndarray) -> np.ndarray:
    """The paper's Algorithm 1, a sample at a time."""
    sums, labels = np.zeros((z.shape[1], q)), []
    for row, draw in zip(z, uniform, strict=True):
        likely = np.exp(row @ sums / heat)
        label = int(np.searchsorted(np.cumsum(likely / likely.sum()), draw, side="right"))
        labels.append(label)
        sums[:, label] += row
    return np.array(labels)


@pytest.mark.parametrize("coupling", [1, 2])
@pytest.mark.parametrize("q", [2, 3])
def test_probabilities_of_all_labellings_sum_to_one_in_any_order(q: int, coupling: int):
    for order in ("index", [3, 1, 5, 0, 2, 4]):
        logs = task_log_probs(
            prior(), labellings(q), q, temperature=2.0, coupling=coupling, order=order
        )
        assert np.exp(logs).sum() == pytest.approx(1)


def test_draws_have_the_probabilities_that_are_returned(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(task_sampler, "STEPS", 4)
    for kernel in (prior(), matrix_kernel(prior().dense())):
        tasks = sample_tasks(kernel, 2, n_tasks=20000, temperature=3.0, coupling=1, seed=5)
        logs = task_log_probs(
            kernel, tasks.labels, 2, temperature=3.0, coupling=1, order=tasks.order
        )
        np.testing.assert_allclose(tasks.log_probs, logs, atol=1e-12)
        found = np.bincount(tasks.labels @ 2 ** np.arange(N), minlength=64) / 20000
        given = labellings(2)
        expected = np.zeros(64)
        expected[given @ 2 ** np.arange(N)] = np.exp(
            task_log_probs(kernel, given, 2, temperature=3.0, coupling=1, order=tasks.order)
        )
        assert np.abs(found - expected).sum() / 2 < 0.03


def test_algorithm_1_is_reproduced_label_by_label(monkeypatch: pytest.MonkeyPatch):
    kernel = prior(n=150)
    assert kernel.factor is not None
    uniform = np.random.default_rng(3).random((5, 150))
    expected = [one_by_one(kernel.factor, 3, 20.0, one) for one in uniform]
    for one in (kernel, matrix_kernel(kernel.dense())):
        for steps, at_once in ((64, 256), (7, 6)):
            monkeypatch.setattr(task_sampler, "STEPS", steps)
            monkeypatch.setattr(labellings_module, "AT_ONCE", at_once)
            tasks = sample_tasks(
                one, 3, n_tasks=5, temperature=20.0, coupling=1, order="index", seed=3
            )
            np.testing.assert_array_equal(tasks.labels, expected)


def test_coupling_two_is_exact_for_two_samples_and_one_is_not():
    kernel, given = np.array([[1.0, 0.7], [0.7, 2.0]]), labellings(2, 2)
    exact = potts(kernel, given, 0.9)
    found = [
        np.exp(task_log_probs(matrix_kernel(kernel), given, 2, temperature=0.9, coupling=c))
        for c in (2, 1)
    ]
    np.testing.assert_allclose(found[0], exact, atol=1e-14)
    hotter = potts(kernel, given, 1.8)
    np.testing.assert_allclose(found[1], hotter, atol=1e-14)


def test_names_of_classes_mean_nothing():
    given = labellings(3)
    logs = task_log_probs(prior(), given, 3, temperature=1.0)
    renamed = np.array([2, 0, 1])[given]
    np.testing.assert_allclose(task_log_probs(prior(), renamed, 3, temperature=1.0), logs)


@pytest.mark.parametrize("coupling", [1, 2])
def test_weighted_means_are_those_of_the_prior(coupling: int):
    kernel, model, q, heat = prior(1), prior(2), 3, 4.0
    given = labellings(q)
    exact = potts(kernel.dense(), given, heat) @ task_alignments(model, given)
    tasks = sample_tasks(kernel, q, n_tasks=6000, temperature=heat, coupling=coupling, seed=1)
    values = task_alignments(model, tasks.labels)
    error = values.std() / np.sqrt(tasks.effective_size)
    assert abs(tasks.weights @ values - exact) < 4 * error
    assert abs(values.mean() - exact) > abs(tasks.weights @ values - exact)
    assert 1 < tasks.effective_size < 6000
    np.testing.assert_allclose(tasks.energies, task_alignments(kernel, tasks.labels), atol=1e-9)


def test_sweeps_bring_draws_to_the_prior_and_keep_weights_right():
    kernel, q, heat = matrix_kernel(prior(1).dense()), 2, 2.0
    given = labellings(q)
    exact = potts(kernel.dense(), given, heat)
    apart = []
    for sweeps in (0, 8):
        tasks = sample_tasks(
            kernel, q, n_tasks=8000, temperature=heat, coupling=1, n_sweeps=sweeps, seed=2
        )
        found = np.zeros(64)
        np.add.at(found, tasks.labels @ 2 ** np.arange(N)[::-1], 1 / 8000)
        apart.append(np.abs(found - exact).sum() / 2)
        weighted = np.zeros(64)
        np.add.at(weighted, tasks.labels @ 2 ** np.arange(N)[::-1], tasks.weights)
        assert np.abs(weighted - exact).sum() / 2 < 0.1
    assert apart[1] < 0.05 < apart[0]


def test_sweeps_with_a_factor_are_those_without(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(task_sampler, "STEPS", 5)
    kernel = prior(n=23)
    both = [
        sample_tasks(one, 3, n_tasks=9, temperature=3.0, n_sweeps=2, seed=4).labels
        for one in (kernel, matrix_kernel(kernel.dense()))
    ]
    np.testing.assert_array_equal(*both)


def test_tasks_that_differ_by_names_of_classes_are_one():
    tasks = sample_tasks(prior(), 3, n_tasks=60, temperature=5.0)
    same = (tasks.labels[:, :, None] == tasks.labels[:, None]).reshape(60, -1)
    assert tasks.n_different == len(np.unique(same, axis=0)) < 60
    by_default = sample_tasks(prior(), 3)
    assert by_default.temperature == pytest.approx(0.02 * np.linalg.norm(prior().dense()))


def test_more_tasks_begin_with_the_same_ones():
    for n_sweeps in (0, 3):
        few, many = (
            sample_tasks(prior(), 2, n_tasks=n, seed=9, temperature=5.0, n_sweeps=n_sweeps)
            for n in (140, 200)
        )
        np.testing.assert_array_equal(few.labels, many.labels[:140])
        other = sample_tasks(prior(), 2, n_tasks=200, seed=8, temperature=5.0, n_sweeps=n_sweeps)
        assert (other.labels != many.labels).any()


def test_weights_sum_to_one_and_collapsed_ones_are_noted():
    def drawn(log_weights: list[float]) -> SampledTasks:
        n = len(log_weights)
        labels, order = np.zeros((n, 2), dtype=np.int64), np.arange(2)
        return SampledTasks(labels, -np.array(log_weights), np.zeros(n), order, 2, 1.0, 2)

    equal = drawn([1e300] * 20)
    np.testing.assert_allclose(equal.weights, 1 / 20)
    assert equal.effective_size == pytest.approx(20)
    assert equal.notes == ()
    two = drawn([0.0, 0.0, *[-1e4] * 18])
    assert two.effective_size == pytest.approx(2)
    assert "effective size of 2.0 of 20 tasks" in two.notes[0]
    assert drawn([0.0, np.log(2)]).notes == ()  # 1.8 of 2: few tasks, but no collapse


def test_weights_work_for_few_samples_or_at_high_temperature_only():
    """The range that docs/task-priors.md gives."""
    rows = np.random.default_rng(0).normal(size=(400, 8))
    sizes = {}
    for n, heat in ((10, 0.2), (400, 0.2), (400, 2.0)):
        kernel = feature_kernel(rows[:n])
        tasks = sample_tasks(kernel, 2, n_tasks=200, temperature=heat)
        sizes[n, heat] = tasks.effective_size
        assert bool(tasks.notes) == (tasks.effective_size < 10)
    assert sizes[10, 0.2] > 50
    assert sizes[400, 0.2] < 2
    assert sizes[400, 2.0] > 180


def test_alignments_are_traces():
    model, given = prior(3), labellings(3)[::17]
    expected = [
        np.trace(model.dense() @ (one[:, None] == one[None]).astype(float)) for one in given
    ]
    for kernel in (model, matrix_kernel(model.dense())):
        np.testing.assert_allclose(task_alignments(kernel, given), expected, atol=1e-10)


def test_labels_may_be_any_numbers_and_many_classes_take_no_more_memory():
    given = np.arange(200)[None].repeat(3, axis=0) // 2 * 10**12  # a class per pair
    kernel = feature_kernel(np.random.default_rng(0).normal(size=(200, 3)))
    matrix = kernel.dense()
    expected = np.trace(matrix @ (given[0][:, None] == given[0]))
    np.testing.assert_allclose(task_alignments(kernel, given), expected)
    drawn = sample_tasks(kernel, 100, n_tasks=3, temperature=1.0)
    assert drawn.labels.max() < 100
    for part in labellings_module.parts_of(1000, 100):
        assert (part.stop - part.start) * 100 <= 256


def tasks_of(kernel: Kernel) -> Any:
    return lambda labels: task_alignments(kernel, labels)


def test_invalid_settings_and_labels_are_refused():
    kernel = prior()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"n_tasks": 0}, "at least 2 classes"),
        ({"n_sweeps": -1}, "sweeps"),
        ({"coupling": 3}, "coupling"),
        ({"order": "random"}, "order"),
        ({"order": [0, 1, 2, 3, 4, 4]}, "each once"),
        ({"temperature": 0.0}, "temperature"),
        ({"seed": -1}, "seed must not be negative"),
        ({"temperature": 1e-320}, "too small"),
        ({"order": [[0, 1], [2]]}, "different lengths"),
    ]
    for options, words in cases:
        with pytest.raises(EeveeError, match=words):
            sample_tasks(kernel, 2, **options)
    with pytest.raises(EeveeError, match="at least 2 classes"):
        sample_tasks(kernel, 1)
    with pytest.raises(EeveeError, match=r"0\.\.1"):
        task_log_probs(kernel, [[0, 1, 2, 0, 0, 0]], 2)
    for function in (lambda labels: task_log_probs(kernel, labels, 2), tasks_of(kernel)):
        for labels, words in (
            ([0, 1, 1, 0, 0, 0], "tasks x 6 samples"),
            ([[0, 1, 1]], "tasks x 6 samples"),
            (np.zeros((0, 6), dtype=int), "at least one task"),
            ([[0, 1, 1, 0, 0, -1]], "below 0"),
            (np.zeros((1, 6)), "whole numbers"),
            ([[0, 1, 1, 0, 0, 0], [0]], "different lengths"),
        ):
            with pytest.raises(EeveeError, match=words):
                function(labels)
    with pytest.raises(EeveeError, match="order of the draw"):
        task_log_probs(kernel, [[0, 1, 1, 0, 0, 0]], 2, order="permutation")


def test_labels_of_the_released_sampler_are_reproduced():
    arrays, numbers = reference("task_priors")
    kernel = feature_kernel(arrays["Zk"], "linear", normalize=None)
    for one in numbers["ref_sampler"]:
        tasks = sample_tasks(
            kernel, one["q"], n_tasks=1, temperature=one["T"], coupling=1, seed=one["seed"]
        )
        assert tasks.labels[0].tolist() == one["labels"]


def test_laws_agree_with_full_enumeration():
    arrays, numbers = reference("task_priors")
    kernel, model = matrix_kernel(arrays["potts_K"]), matrix_kernel(arrays["potts_M"])
    for one in numbers["exact_potts"]:
        q, heat = one["q"], one["T"]
        given = labellings(q)
        exact, values = potts(arrays["potts_K"], given, heat), task_alignments(model, given)
        assert exact @ values == pytest.approx(one["mean"], abs=1e-9)
        for coupling in (1, 2):
            likely = np.exp(task_log_probs(kernel, given, q, temperature=heat, coupling=coupling))
            expected = one[f"prefix_c{coupling}"]
            mean = likely @ values
            assert likely.sum() == pytest.approx(1)
            assert mean == pytest.approx(expected["mean"], abs=1e-9)
            assert likely @ (values - mean) ** 2 == pytest.approx(expected["var"], abs=1e-9)
            apart = np.abs(likely - exact).sum() / 2
            assert apart == pytest.approx(expected["tv_to_potts"], abs=1e-9)
