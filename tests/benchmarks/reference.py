"""The meta-model one network at a time, as anyone would write it: fixed, slow, independent.

Nothing here is shared with `eevee.scorers` but the data, the splits and the initial weights,
so that agreement means something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from eevee.scorers.mlp.initial import keyed_uniform
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

HIDDEN = 100


def reference_losses(
    table: ResultsTable,
    splits: Splits,
    subsets: Sequence[Sequence[str]],
    *,
    epochs: int = 20,
    seed: int = 0,
    init: int = 0,
    targets: str = "all",
) -> np.ndarray:
    """Loss of each subset in each split, (n_subsets, n_splits)."""
    losses = np.empty((len(subsets), splits.n_splits))
    for i, subset in enumerate(subsets):
        for split in range(splits.n_splits):
            network = prepare(table, splits, subset, split, key=(seed, init), targets=targets)
            train(network, epochs)
            losses[i, split] = judge(network)
    return losses


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that one network needs, made before its training: so that training can be timed."""

    net: nn.Sequential
    inputs: torch.Tensor
    goal: torch.Tensor
    cell_weights: torch.Tensor
    test_inputs: torch.Tensor
    test_goal: np.ndarray
    test_seen: np.ndarray
    test_weights: np.ndarray


def prepare(
    table: ResultsTable,
    splits: Splits,
    subset: Sequence[str],
    split: int,
    *,
    key: tuple[int, int] = (0, 0),
    targets: str = "all",
) -> Prepared:
    """Standardise, weigh and initialise one subset in one split; `key` is (seed, init)."""
    fit, test = splits.fit[split], splits.test[split]
    y, seen = _targets(table, fit)
    names = list(table.scores.columns)
    usable = _usable(table, fit)
    tested = [ok and bool(seen[test, i].any()) for i, ok in enumerate(usable)]
    weight_fit = _column_weights(table, subset, targets, seen_columns=usable)
    weight_test = _column_weights(table, subset, targets, seen_columns=tested)
    x, net = _inputs_and_net(table, subset, split, splits.n_splits, fit, key, len(names))
    mask, counts = seen[fit], seen[fit].sum(0)
    cell = np.where(mask, weight_fit / np.maximum(counts, 1), 0)
    return Prepared(
        net=net,
        inputs=torch.tensor(x[fit]),
        goal=torch.tensor(y[fit], dtype=torch.float32),
        cell_weights=torch.tensor(cell, dtype=torch.float32),
        test_inputs=torch.tensor(x[test]),
        test_goal=y[test],
        test_seen=seen[test],
        test_weights=weight_test,
    )


def train(prepared: Prepared, epochs: int) -> None:
    """Train one network: plain PyTorch, nothing else in the loop."""
    net, inputs, goal = prepared.net, prepared.inputs, prepared.goal
    cell_weights = prepared.cell_weights
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01, fused=True)
    for _ in range(epochs):
        optimizer.zero_grad()
        (cell_weights * (net(inputs) - goal) ** 2).sum().backward()
        optimizer.step()


def judge(prepared: Prepared) -> float:
    """Loss on the test models; blank where nothing is left to predict."""
    with torch.no_grad():
        predictions = prepared.net(prepared.test_inputs).double().numpy()
    errors = np.where(prepared.test_seen, (predictions - prepared.test_goal) ** 2, 0.0)
    means = errors.sum(axis=0) / np.maximum(prepared.test_seen.sum(axis=0), 1)
    if not prepared.test_weights.any():
        return float("nan")
    return float(prepared.test_weights @ means)


def _usable(table, fit):
    return [int(np.isfinite(table.oriented[fit, i]).sum()) >= 2 for i in range(table.n_columns)]


def _targets(table, fit):
    values = table.oriented
    seen = np.isfinite(values)
    units = table.units.to_numpy()
    y = np.zeros(values.shape)
    for i in range(values.shape[1]):
        rows = fit & seen[:, i]
        if rows.sum() >= 2:
            y[seen[:, i], i] = (values[seen[:, i], i] - values[rows, i].mean()) / units[i]
    return y, seen


def _column_weights(table, subset, targets, seen_columns):
    """Columns -> benchmark -> task -> total, one plain mean after the other."""
    columns = list(table.scores.columns)
    tasks: dict[str, dict[str, list[int]]] = {}
    for i, name in enumerate(columns):
        benchmark = table.columns.loc[name, "benchmark"]
        if not seen_columns[i] or table.columns.loc[name, "role"] != "score":
            continue
        if targets == "unseen" and benchmark in subset:
            continue
        task = table.benchmarks.loc[benchmark, "task"]
        group = tasks.setdefault(task if isinstance(task, str) else "", {})
        group.setdefault(benchmark, []).append(i)
    weights = np.zeros(len(columns))
    for group in tasks.values():
        for members in group.values():
            weights[members] = 1 / len(tasks) / len(group) / len(members)
    return weights


def _inputs_and_net(table, subset, split, n_splits, fit, key, n_outputs):
    values, units = table.oriented, table.units.to_numpy()
    names = list(table.scores.columns)
    mine = [i for i, name in enumerate(names) if table.columns.loc[name, "benchmark"] in subset]
    draws = {
        layer: keyed_uniform((*key, layer), names, n_splits, HIDDEN)[split]
        for layer in ("input", "flag", "output")
    }
    parts, rows = [], []
    for i in mine:
        seen = np.isfinite(values[:, i])
        usable = (fit & seen).sum() >= 2
        mean = values[fit & seen, i].mean() if usable else 0.0
        sd = values[fit & seen, i].std() if usable else 1.0
        column = np.zeros(len(values))
        if usable:
            column[seen] = np.clip((values[seen, i] - mean) / max(sd, 0.1 * units[i]), -6, 6)
        parts.append(column)
        rows.append(draws["input"][i])
    for i in mine:
        seen = np.isfinite(values[:, i])
        if (fit & ~seen).any():
            parts.append(1.0 - seen)
            rows.append(draws["flag"][i])
    x = np.stack(parts, axis=1).astype(np.float32)
    net = nn.Sequential(nn.Linear(x.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, n_outputs))
    with torch.no_grad():
        net[0].weight.copy_(torch.tensor(np.stack(rows, axis=1) / np.sqrt(len(rows))))
        net[2].weight.copy_(torch.tensor(draws["output"] / np.sqrt(HIDDEN)))
        net[0].bias.zero_()
        net[2].bias.zero_()
    return x, net
