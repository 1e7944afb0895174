"""Averages over columns, benchmarks and tasks: one definition, for losses and mean scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class LossWeights:
    """Averages columns -> benchmark -> task -> total over whatever is present.

    Attributes
    ----------
    benchmark_of : bool, shape (n_columns, n_benchmarks)
        Score columns only; proxies belong to no benchmark here.
    task_of : bool, shape (n_benchmarks, n_tasks)
        Benchmarks without a task share one where others have one.
    user : shape (n_benchmarks,) or None
        Replaces the equal weights of tasks and benchmarks.
    """

    benchmark_of: FloatArray
    task_of: FloatArray
    user: FloatArray | None

    def of(self, present: BoolArray) -> FloatArray:
        """Weight of each column, shape of `present` (..., n_columns); each row sums to 1.

        A row in which nothing is present gets zeros.
        """
        here = present.astype(np.float64)
        columns = here @ self.benchmark_of
        benchmarks = (columns > 0).astype(np.float64)
        if self.user is None:
            members = benchmarks @ self.task_of
            tasks = (members > 0).sum(axis=-1, keepdims=True)
            weight = benchmarks * ((1.0 / np.maximum(members, 1)) @ self.task_of.T)
            weight = weight / np.maximum(tasks, 1)
        else:
            weight = benchmarks * self.user
            total = weight.sum(axis=-1, keepdims=True)
            weight = weight / np.where(total > 0, total, 1.0)
        share = weight / np.maximum(columns, 1)
        return np.asarray(here * (share @ self.benchmark_of.T))


def loss_weights(table: ResultsTable, weights: Mapping[str, float] | None) -> LossWeights:
    """Prepare the averaging for a table and optional per-benchmark weights.

    Raises
    ------
    EeveeError
        If `weights` names an unknown benchmark, lacks one, or holds no positive number.
    """
    n = table.n_benchmarks
    benchmark_of = (table.column_owner[:, None] == np.arange(n)) & table.is_target[:, None]
    labels = [str(task) if isinstance(task, str) else "" for task in table.benchmarks["task"]]
    names = sorted(set(labels))
    task_of = np.array([[label == name for name in names] for label in labels])
    user = None if weights is None else _user_weights(table, weights)
    return LossWeights(benchmark_of.astype(np.float64), task_of.astype(np.float64), user)


def _user_weights(table: ResultsTable, weights: Mapping[str, float]) -> FloatArray:
    for name in weights:
        if name not in table.costs:
            hint = did_you_mean(name, table.benchmark_names)
            raise EeveeError(f"weights: no benchmark {name!r} in the table{hint}")
    missing = [name for name in table.target_benchmarks if name not in weights]
    if missing:
        raise EeveeError(f"weights: benchmark {missing[0]!r} has none (0 leaves it out)")
    targets = set(table.target_benchmarks)  # what a proxy weighs has no part in any mean
    names = [name if name in targets else None for name in table.benchmark_names]
    values = np.array([0.0 if name is None else float(weights[name]) for name in names])
    if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
        raise EeveeError("weights: must be finite, not negative, and not all zero")
    return values


def target_weights(table: ResultsTable, weights: Mapping[str, float] | None) -> FloatArray:
    """Return the weight of each column in an average over all score columns, (n_columns,).

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> target_weights(table, {"a": 3, "b": 1}).tolist()
    [0.75, 0.25]
    """
    return loss_weights(table, weights).of(table.is_target)


def averaged(values: FloatArray, weights: LossWeights) -> FloatArray:
    """Average over columns, benchmarks and tasks, over what is there.

    Parameters
    ----------
    values : array, shape (..., n_columns)
        Such as squared errors or scores in units; NaN where there is nothing.
    weights : LossWeights

    Returns
    -------
    array, shape (...)
        NaN where a row holds nothing that has a weight.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> averaged(np.array([[1.0, 3.0], [1.0, np.nan]]), loss_weights(table, None)).tolist()
    [2.0, 1.0]
    """
    share = weights.of(np.isfinite(values))
    total = np.where(share > 0, values * share, 0.0).sum(axis=-1)
    return np.where(share.sum(axis=-1) > 0, total, np.nan)


def mean_scores(
    values: FloatArray, centre: FloatArray, units: FloatArray, weights: LossWeights
) -> FloatArray:
    """Return each model's mean score: (value - centre) / unit, averaged as the loss is.

    Over what the model was measured on. Centring makes means over different columns comparable:
    a model is not judged by how hard the columns are that it happens to have. To compare
    predicted with true means, blank the predicted cells whose truth is missing.

    Parameters
    ----------
    values : array, shape (..., n_columns)
        Directions turned; NaN where missing.
    centre, units : arrays, shape (n_columns,)
        Mean of each column over some reference models, and ``table.units``.
    weights : LossWeights

    Returns
    -------
    array, shape (...), in units
        NaN for a model without a score that has a weight.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [2.0, 1.0, 3.0], "b": [4.0, np.nan, 1.0]})
    >>> table = ResultsTable.from_scores(frame)
    >>> weights = loss_weights(table, {"a": 3, "b": 1})
    >>> mean_scores(table.oriented, np.ones(2), np.array([1.0, 2.0]), weights).tolist()
    [1.125, 0.0, 1.5]
    """
    return averaged((values - centre) / units, weights)
