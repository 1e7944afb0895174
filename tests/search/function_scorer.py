"""A scorer that is a function of the subset: quick, exact, and it counts what it is asked."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

import eevee
from eevee.base.arrays import FloatArray, Subset
from eevee.scorers.base import Advance, Objective
from eevee.scorers.loss import Targets
from eevee.tables.results_table import ResultsTable

Function = Callable[[Subset], float]


class FunctionScorer:
    """Losses from `loss`; losses under other initialisations from `again`, where it is given."""

    objective: Objective = "loss"
    weights = None

    def __init__(
        self,
        table: ResultsTable,
        loss: Function,
        *,
        again: Function | None = None,
        targets: Targets = "all",
    ) -> None:
        self.table = table
        self.splits = eevee.shuffle_splits(table, n_splits=2)
        self.targets = targets
        self.asked: Counter[Subset] = Counter()
        self.batches: list[list[Subset]] = []
        self.rescored: list[list[Subset]] = []
        self._loss = loss
        self._again = again

    def losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        return self.split_losses(subsets, advance=advance).mean(axis=1)

    def split_losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        checked = [self.table.subset(subset) for subset in subsets]
        self.asked.update(checked)
        self.batches.append(checked)
        if advance is not None:
            advance(len(checked))
        losses = np.array([self._loss(subset) for subset in checked])
        return np.repeat(losses.reshape(-1, 1), 2, axis=1)

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray | None:
        checked = [self.table.subset(subset) for subset in subsets]
        self.rescored.append(checked)
        if self._again is None:
            return None
        losses = np.array([self._again(subset) for subset in checked])
        return np.repeat(losses.reshape(-1, 1), n_init, axis=1)

    def mean_predictor(self) -> FloatArray:
        return np.ones(2)

    def with_targets(self, targets: Targets) -> FunctionScorer:
        return FunctionScorer(self.table, self._loss, again=self._again, targets=targets)

    def describe(self) -> dict[str, Any]:
        return {"name": "function"}


def table_with(costs: Sequence[float] | int, *, cost_unit: str = "h") -> ResultsTable:
    """Any table with benchmarks b00, b01, ... of these costs (a number: that many, of cost 1)."""
    if isinstance(costs, int):
        costs = [1.0] * costs
    names = [f"b{i:02d}" for i in range(len(costs))]
    scores = np.random.default_rng(0).normal(size=(12, len(names)))
    benchmarks = pd.DataFrame(
        {"task": None, "cost": [float(c) for c in costs]}, index=pd.Index(names)
    )
    frame = pd.DataFrame(scores, columns=names)
    return ResultsTable.from_scores(frame, benchmarks=benchmarks, cost_unit=cost_unit)


def noise(subset: Subset, salt: object = 0) -> float:
    """A number between 0 and 1 that is fixed for a subset and tells nothing of its neighbours."""
    text = repr((salt, subset)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") / 2**64


def smooth(subset: Subset, salt: object = 0) -> float:
    """More benchmarks are better, each by its own worth, with a little noise on top."""
    worth = sum(0.2 + noise((name,), salt) for name in subset)
    return 1.0 / (1.0 + worth) + 0.01 * noise(subset, salt)
