"""The averaging of the loss by loops over names: a reference that shares no code with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from eevee.tables.results_table import ResultsTable


def average_by_loops(
    table: ResultsTable, values: Sequence[float], weights: Mapping[str, float] | None = None
) -> float:
    """Average one value per column, NaN where there is none: columns, benchmarks, tasks, total."""
    columns: dict[str, list[float]] = defaultdict(list)
    for value, (_, facts) in zip(values, table.columns.iterrows(), strict=True):
        if facts["role"] == "score" and not np.isnan(value):
            columns[facts["benchmark"]].append(value)
    benchmarks = {name: sum(found) / len(found) for name, found in columns.items()}
    if weights is not None:
        total = sum(weights[name] for name in benchmarks)
        if total == 0:
            return float("nan")
        return sum(weights[name] * value for name, value in benchmarks.items()) / total
    tasks: dict[str, list[float]] = defaultdict(list)
    for name, value in benchmarks.items():
        tasks[str(table.benchmarks["task"][name] or "")].append(value)
    means = [sum(found) / len(found) for found in tasks.values()]
    return sum(means) / len(means) if means else float("nan")
