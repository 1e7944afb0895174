from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score

from eevee.base.errors import EeveeError
from eevee.measures.task_kernels import feature_kernel
from eevee.measures.task_priors import task_prior_moments
from eevee.measures.task_probes import (
    RIDGES,
    probe_accuracies,
    rank_correlation,
    task_prior_table,
)
from eevee.measures.task_sampler import sample_tasks
from tests.measures.conftest import made


def plain(x: np.ndarray, labels: np.ndarray, seed: int, balanced: bool) -> float:
    """The same probe by scikit-learn; the penalty by generalised cross-validation, spelled out."""
    held = np.zeros(len(x), dtype=bool)
    held[np.random.default_rng(seed).permutation(len(x))[: round(len(x) / 2)]] = True
    train, y = x[~held], np.eye(labels.max() + 1)[labels[~held]]
    centred = train - train.mean(axis=0)
    gram = centred.T @ centred
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    rank = (squares > 1e-10 * squares[0]).sum()
    n, best, model = len(train), np.inf, None
    for ridge in RIDGES * squares.sum() / rank:
        fit = Ridge(alpha=ridge, solver="cholesky").fit(train, y)
        size = np.trace(np.linalg.solve(gram + ridge * np.eye(x.shape[1]), gram)) + 1
        error = np.square(fit.predict(train) - y).sum() / (1 - size / n) ** 2
        if error < best:
            best, model = error, fit
    assert model is not None
    guessed = model.predict(x[held]).argmax(axis=1)
    if balanced:
        return float(balanced_accuracy_score(labels[held], guessed))
    return float((guessed == labels[held]).mean())


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize(("n", "d"), [(60, 7), (40, 50)])
def test_accuracies_are_those_of_ridge_probes(n: int, d: int, balanced: bool):
    data = made(n, d, 3)
    tasks = np.array([data.labels, np.arange(n) % 3, (data.features[:, 0] > 0).astype(int)])
    found = probe_accuracies(data.features, tasks, seed=3, balanced=balanced)
    expected = [plain(data.features, one, 3, balanced) for one in tasks]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_task_is_scored_as_it_is_alone_and_held_out():
    rng = np.random.default_rng(0)
    x, tasks = rng.normal(size=(50, 200)), rng.integers(0, 2, size=(200, 50))
    found = probe_accuracies(x, tasks)
    assert found[7] == probe_accuracies(x, tasks[7:8])[0]
    assert abs(found.mean() - 0.5) < 0.02  # on training samples it would be 1


def test_the_table_has_moments_accuracies_and_their_agreement():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 6))
    models = {f"m{i}": x + scale * rng.normal(size=x.shape) for i, scale in enumerate((0, 1, 2, 3))}
    prior = feature_kernel(x)
    tasks = sample_tasks(prior, 2, n_tasks=30)
    table = task_prior_table(models, prior, tasks, graph="undirected")
    assert list(table.models.index) == list(models)
    for name, features in models.items():
        kernel, heat = feature_kernel(features), tasks.temperature
        moments = task_prior_moments(prior, kernel, temperature=heat, graph="undirected")
        row, own = table.models.loc[name], probe_accuracies(features, tasks.labels)
        assert (row["mean"], row["variance"]) == (moments.mean, moments.variance)
        assert row["accuracy"] == pytest.approx(own.mean())
        assert row["accuracy_variance"] == pytest.approx(own.var())
        assert (row["lowest"], row["highest"]) == (own.min(), own.max())
    m = table.models
    expected = spearmanr(m["variance"], m["accuracy_variance"]).statistic
    assert table.agreement["variance with accuracy_variance"].value == pytest.approx(expected)
    weighted = task_prior_table(models, prior, tasks, weighted=True).models
    own = probe_accuracies(models["m1"], tasks.labels)
    assert weighted.loc["m1", "accuracy"] == pytest.approx(tasks.weights @ own)


def test_rank_correlation_is_spearmans_with_ties_and_its_error_falls_with_models():
    rng = np.random.default_rng(0)
    a = np.round(rng.normal(size=12), 0)
    b = a + rng.normal(size=12)
    assert rank_correlation(a, b).value == pytest.approx(spearmanr(a, b).statistic)
    errors = []
    for n in (20, 320):
        x = rng.normal(size=n)
        errors.append(rank_correlation(x, x + rng.normal(size=n)).stderr)
    assert 2 < errors[0] / errors[1] < 8
    assert np.isnan(rank_correlation(a[:3], b[:3]).stderr)


def test_collapsed_weights_are_noted_where_the_table_is_read():
    x = np.random.default_rng(0).normal(size=(300, 6))
    prior = feature_kernel(x)
    tasks = sample_tasks(prior, 2, n_tasks=50)
    assert tasks.effective_size < 10
    assert task_prior_table({"a": x}, prior, tasks).notes == ()
    assert "effective size" in task_prior_table({"a": x}, prior, tasks, weighted=True).notes[0]


def test_invalid_input_is_refused():
    x = np.random.default_rng(0).normal(size=(10, 2))
    for labels, words in (
        (np.zeros((2, 9), int), "10 samples"),
        (np.zeros((0, 10), int), "at least one task"),
        (np.full((1, 10), -1), "below 0"),
        (np.zeros((1, 10)), "whole numbers"),
    ):
        with pytest.raises(EeveeError, match=words):
            probe_accuracies(x, labels)
    with pytest.raises(EeveeError, match="seed must not be negative"):
        probe_accuracies(x, np.zeros((1, 10), int), seed=-1)
    with pytest.raises(EeveeError, match="test_size"):
        probe_accuracies(x, np.zeros((1, 10), int), test_size=1.5)
    prior = feature_kernel(x)
    tasks = sample_tasks(prior, 2, n_tasks=2)
    with pytest.raises(EeveeError, match="at least one"):
        task_prior_table({}, prior, tasks)
    with pytest.raises(EeveeError, match="9 samples, but the prior has 10"):
        task_prior_table({"a": x[:9]}, prior, tasks)
    for scores in (np.zeros(3), np.full(2, np.nan), "ab", [[1], [2, 3]]):
        with pytest.raises(EeveeError, match="probes: "):
            task_prior_table({"a": x}, prior, tasks, probes=lambda _, __, s=scores: s)
    with pytest.raises(EeveeError, match="4 and 5 values"):
        rank_correlation(np.arange(4.0), np.arange(5.0))
    far_apart = np.array([np.arange(10) % 2 * 2**40])
    np.testing.assert_array_equal(
        probe_accuracies(x, far_apart), probe_accuracies(x, far_apart // 2**40)
    )
