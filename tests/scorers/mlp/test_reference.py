"""The batched scorer does the same maths as one plain network at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch

import eevee
from eevee.scorers.loss import LossRule, standardise
from eevee.scorers.mlp import networks as batched
from eevee.scorers.mlp.stage import Stage
from eevee.tables.results_table import ResultsTable
from tests.benchmarks.reference import reference_losses
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table

TABLES = {
    "complete": made_table(14, 6),
    "gappy": made_table(16, 6, missing=0.25, seed=1),
    "several columns and tasks": rich_table(missing=0.0, proxies=False),
    "everything": rich_table(missing=0.2, seed=3),
    "mostly missing": rich_table(24, missing=0.6, seed=4),
}


@pytest.mark.parametrize("targets", ["all", "unseen"])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_losses_equal_one_network_at_a_time(name: str, targets: str) -> None:
    table = TABLES[name]
    splits = few_splits(table, seed=2)
    names = table.benchmark_names
    subsets = [names[:1], names[-1:], names[1:3], names[2:6], names[:-1]]
    if targets == "all":
        subsets.append(names)
    found = eevee.MLPScorer(table, splits, epochs=20, targets=targets, seed=7).split_losses(subsets)
    wanted = reference_losses(table, splits, subsets, epochs=20, seed=7, targets=targets)
    np.testing.assert_allclose(found, wanted, rtol=2e-5)


@pytest.mark.slow
def test_rescored_losses_equal_one_network_at_a_time_with_the_next_initialisations() -> None:
    table = TABLES["everything"]
    splits = few_splits(table)
    subsets = [("ant", "dog"), ("gnu",)]
    found = eevee.MLPScorer(table, splits, epochs=10).rescore(subsets, 2)
    wanted = [
        reference_losses(table, splits, subsets, epochs=10, init=init).mean(axis=1)
        for init in (1, 2)
    ]
    np.testing.assert_allclose(found.T, wanted, rtol=2e-5)


def test_proxy_columns_are_inputs() -> None:
    table = rich_table(missing=0.0)
    splits = few_splits(table)
    subsets = [("cat", "gnu"), ("ant",)]
    values = table.scores.to_numpy().copy()
    proxies = np.flatnonzero(~table.is_target)
    values[:, proxies] = values[::-1, proxies]
    changed = ResultsTable.from_scores(
        table.scores.iloc[:, :].mask(np.ones(table.scores.shape, bool), values),
        columns=table.columns,
        benchmarks=table.benchmarks,
    )
    before, after = (
        eevee.MLPScorer(t, splits, epochs=5).losses(subsets).tolist() for t in (table, changed)
    )
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_the_optimizer_step_equals_torch_adamw() -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(7, 16, generator=generator)
    weights, gradients = start.clone(), torch.zeros_like(start)
    parameter = torch.nn.Parameter(start.clone())
    training = batched.Training(learning_rate=0.02, weight_decay=0.1)
    step = batched._adamw(weights, gradients, training)
    theirs = torch.optim.AdamW([parameter], lr=0.02, weight_decay=0.1, fused=False)
    for _ in range(30):
        gradients.copy_(torch.randn(7, 16, generator=generator))
        parameter.grad = gradients.clone()
        step()
        theirs.step()
    torch.testing.assert_close(weights, parameter.detach(), rtol=1e-5, atol=1e-6)


def test_gradients_written_by_hand_equal_autograd() -> None:
    """One step of plain descent: the first moment after one AdamW step is the gradient's sign."""
    table = TABLES["gappy"]
    splits = few_splits(table, 2)
    data = standardise(table, splits.fit)
    stage = Stage(
        table, splits, data, LossRule(table, splits, data, "all", None), torch.device("cpu")
    )
    scorer = eevee.MLPScorer(table, splits, epochs=1)
    batch = stage.batch([("b00", "b03"), ("b01", "b02")])
    start = scorer._initial_weights(0)
    before = batched.train(batch, stage.fit, start, batched.Training(), 0)
    rate = batched.Training(learning_rate=1e-3, weight_decay=0.0)
    after = batched.train(batch, stage.fit, start, rate, 1)
    first, second = (w.clone().requires_grad_() for w in (before.first, before.second))
    inputs = batched._inputs(batch, stage.fit).transpose(1, 2)
    hidden = torch.relu(inputs @ first)
    hidden = torch.cat(
        [hidden[..., :100], torch.ones_like(hidden[..., :1]), hidden[..., 101:]], dim=-1
    )
    errors = (hidden @ second).view(2, *stage.fit.targets.shape) - stage.fit.targets
    weights = torch.from_numpy(batch.cell_weights)[:, :, None, :] * stage.fit.observed
    (weights * errors**2).sum().backward()
    for moved, old, gradient in (
        (after.first, before.first, first.grad),
        (after.second, before.second, second.grad),
    ):
        step = 1e-3 * gradient / (gradient.abs() + 1e-8)
        keep = gradient.abs() > 1e-6
        torch.testing.assert_close((moved - old)[keep], -step[keep], rtol=1e-3, atol=1e-6)


def test_padding_never_learns() -> None:
    table = TABLES["gappy"]
    splits = few_splits(table, 2)
    scorer = eevee.MLPScorer(table, splits, epochs=1)
    stage = scorer._stage
    subset = ("b00", "b03")
    live = sum(len(stage._features[name]) for name in subset) + 1
    layers = batched.train(
        stage.batch([subset]), stage.fit, scorer._initial_weights(0), scorer.training, 20
    )
    assert not layers.first[:, live:, :].any()
    assert not layers.first[:, :, 101:].any()
    assert not layers.second[:, 101:, :].any()
    assert not layers.second[:, :, table.n_columns :].any()


def test_averaging_initialisations_averages_predictions_not_losses() -> None:
    table = TABLES["complete"]
    splits = few_splits(table)
    subsets = list(combinations(table.benchmark_names, 2))
    one = eevee.MLPScorer(table, splits, epochs=20)
    singles = np.stack([one.losses(subsets), *one.rescore(subsets, 2).T])
    averaged = eevee.MLPScorer(table, splits, epochs=20, n_init=3).losses(subsets)
    assert (averaged < singles.mean(axis=0)).all()
