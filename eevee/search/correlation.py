"""How much benchmarks have in common: rank correlations of the scores that models got."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray
from eevee.stats.metrics import mean_of_known
from eevee.tables.averages import loss_weights, mean_scores
from eevee.tables.results_table import ResultsTable

FEWEST_SHARED = 3
"""Two benchmarks with fewer models in common have a correlation of 0: nothing is known of it."""


def in_units(table: ResultsTable) -> pd.DataFrame:
    """Return one number per model and benchmark: the mean of its columns in units.

    Score columns, turned so that higher is better, around their means; proxy columns only for
    benchmarks that have no others. NaN where a model has none of them.

    Returns
    -------
    DataFrame, shape (n_models, n_benchmarks)

    Examples
    --------
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 3.0], "b": [5.0, 5.5]}))
    >>> in_units(table)["a"].tolist()
    [-1.0, 1.0]
    """
    values = pd.DataFrame(table.oriented, table.scores.index, table.scores.columns)
    values = (values - values.mean()) / table.units
    means = {}
    scores = set(table.columns.index[table.is_target])
    for name in table.benchmark_names:
        columns = sorted(table.columns_of(name))
        kept = [column for column in columns if column in scores]
        means[name] = values[kept or columns].mean(axis=1)
    return pd.DataFrame(means)


def correlations(table: ResultsTable) -> FloatArray:
    """Return |Spearman| of each two benchmarks over the models that have both.

    Returns
    -------
    array of float64, shape (n_benchmarks, n_benchmarks)
        In the order of `benchmark_names`; 0 where it is not defined, 1 on the diagonal.
    """
    strength = _spearman(in_units(table))
    np.fill_diagonal(strength, 1.0)
    return strength


def correlations_with_mean(
    table: ResultsTable, weights: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return |Spearman| of each benchmark with the mean score over the others.

    The mean score is that of `eevee.tables.averages.mean_scores`, with the weights of the loss; 0
    where a correlation is not defined.
    """
    values, average = in_units(table), loss_weights(table, weights)
    units = np.asarray(table.units, dtype=np.float64)
    centre = mean_of_known(table.oriented, axis=0)
    found = {}
    for position, name in enumerate(table.benchmark_names):
        others = np.where(table.column_owner == position, np.nan, table.oriented)
        rest = mean_scores(others, centre, units, average)
        both = pd.DataFrame({"one": values[name].to_numpy(), "rest": rest})
        found[name] = float(_spearman(both)[0, 1])
    return found


def _spearman(values: pd.DataFrame) -> FloatArray:
    """Absolute rank correlations of columns, 0 where they are not defined."""
    rho = values.corr(method="spearman", min_periods=FEWEST_SHARED).to_numpy(np.float64)
    return np.asarray(np.nan_to_num(np.abs(rho)))
