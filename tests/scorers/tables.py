"""Tables with everything that a table can have, and splits for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

import eevee
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable


def rich_table(
    n_models: int = 18,
    *,
    missing: float = 0.15,
    tasks: bool = True,
    proxies: bool = True,
    seed: int = 0,
) -> ResultsTable:
    """Seven benchmarks with one to three columns each, both directions, tasks, proxies, gaps."""
    rng = np.random.default_rng(seed)
    metrics = {"ant": 1, "bee": 3, "cat": 2, "dog": 1, "eel": 2, "fox": 1, "gnu": 3}
    rows = [
        {
            "benchmark": name,
            "metric": f"m{i}",
            "direction": "lower" if (j + i) % 3 == 0 else "higher",
            "direction_source": "read",
            "role": "proxy" if proxies and name in ("cat", "gnu") and i == 1 else "score",
        }
        for j, (name, count) in enumerate(metrics.items())
        for i in range(count)
    ]
    columns = pd.DataFrame(rows)
    columns.index = pd.Index(columns["benchmark"] + "." + columns["metric"])
    columns = columns.iloc[rng.permutation(len(columns))]
    skills = rng.normal(size=(n_models, 2))
    mix = rng.normal(size=(2, len(columns)))
    values = skills @ mix + 0.3 * rng.normal(size=(n_models, len(columns)))
    values = 50 + 10 ** rng.uniform(-2, 2, len(columns)) * values
    values[rng.random(values.shape) < missing] = np.nan
    labels = dict(zip(metrics, ["see", "see", "read", None, "read", "see", "count"], strict=True))
    benchmarks = pd.DataFrame(
        {
            "task": [labels[name] if tasks else None for name in metrics],
            "cost": [3.0, 1.0, 2.0, 0.5, 4.0, 1.5, 2.5],
        },
        index=pd.Index(list(metrics)),
    )
    names = [f"m{i:02d}" for i in range(n_models)]
    scores = pd.DataFrame(values, index=names, columns=columns.index)
    return ResultsTable.from_scores(scores, columns=columns, benchmarks=benchmarks, cost_unit="h")


def with_scores(table: ResultsTable, values: np.ndarray) -> ResultsTable:
    """Return the table with other scores and the units that it had."""
    return replace(table, scores=pd.DataFrame(values, table.scores.index, table.scores.columns))


def few_splits(table: ResultsTable, n_splits: int = 3, seed: int = 0) -> Splits:
    return eevee.shuffle_splits(table, n_splits=n_splits, seed=seed)
