"""Gaussian benchmarks: what is drawn, and how diverse it is."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from eevee.base.errors import EeveeError
from eevee.measures.diversity_coefficient import diversity
from eevee.measures.fisher import HeadFit
from eevee.measures.synthetic_tasks import TABLE_3, GaussianBenchmark, random_probe
from eevee.measures.task_distances import task2vec_distances
from eevee.measures.task_embedding import task2vec


def test_classes_are_drawn_as_the_benchmark_says():
    made = GaussianBenchmark(mean_sd=3, sd_mean=0.5, sd_sd=1, n_classes=20_000)
    means, sds = made.classes
    assert stats.kstest(means, stats.norm(0, 3).cdf).pvalue > 0.01
    assert stats.kstest(sds, stats.foldnorm(0.5).cdf).pvalue > 0.01


def test_a_task_holds_samples_of_its_classes():
    made = GaussianBenchmark(mean_sd=100, seed=2)
    task = made.task(np.random.default_rng(0), n_ways=3, n_shots=4000)
    assert task.inputs.shape == (12_000, 1)
    means, sds = made.classes
    found = task.inputs.reshape(3, 4000)
    nearest = np.abs(found.mean(axis=1)[:, None] - means).argmin(axis=1)
    assert len(set(nearest)) == 3
    np.testing.assert_allclose(found.mean(axis=1), means[nearest], atol=0.1)
    np.testing.assert_allclose(found.std(axis=1), sds[nearest], rtol=0.05)
    assert np.bincount(task.labels).tolist() == [4000] * 3


def test_seeds_are_all_that_counts():
    tasks = [GaussianBenchmark(3, seed=1).task(np.random.default_rng(5)) for _ in range(2)]
    assert np.array_equal(tasks[0].inputs, tasks[1].inputs)
    other = GaussianBenchmark(3, seed=2).task(np.random.default_rng(5))
    assert not np.array_equal(tasks[0].inputs, other.inputs)
    before = torch.random.get_rng_state()
    one, again = random_probe(seed=1), random_probe(seed=1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.equal(one[0].weight, again[0].weight)
    assert not torch.equal(one[0].weight, random_probe(seed=2)[0].weight)


def test_the_mean_distance_of_drawn_classes_is_about_the_hellinger_diversity():
    for one in TABLE_3[1:4]:
        made = GaussianBenchmark(one.mean_sd, n_classes=1000)
        means, sds = made.classes
        total = sds[:, None] ** 2 + sds**2
        apart = (means[:, None] - means) ** 2 / (4 * total)
        rows = 1 - np.sqrt(2 * sds[:, None] * sds / total) * np.exp(-apart)
        assert abs(rows.sum() / (1000 * 999) - made.hellinger_diversity) < 0.02


def test_the_benchmarks_of_table_3_become_more_diverse():
    found = [made.hellinger_diversity for made in TABLE_3]
    assert found == sorted(found)
    assert len(found) == 7


def test_benchmarks_and_tasks_that_cannot_be_are_errors():
    for given in ({"mean_sd": -1}, {"mean_sd": np.nan}, {"mean_sd": 1, "sd_mean": 0, "sd_sd": 0}):
        with pytest.raises(EeveeError, match="standard deviations"):
            GaussianBenchmark(**given)
    for n in (1, 2.5, np.nan):
        with pytest.raises(EeveeError, match="at least 2 are needed"):
            GaussianBenchmark(1, n_classes=n)  # type: ignore[arg-type]
    for wrong in ({"n_hidden": 0}, {"n_ways": 1}):
        with pytest.raises(EeveeError, match="random_probe"):
            random_probe(**wrong)
    with pytest.raises(EeveeError, match="seed"):
        GaussianBenchmark(1, seed=-1).classes  # noqa: B018
    for more in ({"n_ways": 1}, {"n_ways": 101}, {"n_shots": 0}, {"n_shots": 2.5}):
        with pytest.raises(EeveeError, match="a task of"):
            GaussianBenchmark(1).task(np.random.default_rng(0), **more)


@pytest.mark.slow
def test_task2vec_diversity_is_in_the_order_of_table_3_and_roughly_at_its_level():
    """Few tasks and short fits; `bench_similarity table3` has more."""
    printed = {0.01: 0.247, 3.0: 0.393, 1000.0: 0.546}
    probe = random_probe(batch_norm=True)
    fit = HeadFit(epochs=2, draws=3200)
    found = []
    for mean_sd, paper in printed.items():
        rng = np.random.default_rng(0)
        tasks = [GaussianBenchmark(mean_sd).task(rng) for _ in range(6)]
        rows = [
            task2vec(probe, one.inputs, one.labels, method="reference", fit=fit, seed=i)
            for i, one in enumerate(tasks)
        ]
        value = diversity(task2vec_distances(rows)).value
        assert 0.6 * paper < value < 1.5 * paper
        found.append(value)
    assert found == sorted(found)
    assert found[-1] > 1.2 * found[0]
