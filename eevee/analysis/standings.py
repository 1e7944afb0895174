"""Models by mean score, on everything, by task and on each tier; groups of models; correlations.

Mean scores are those of `eevee.tables.averages.mean_scores`: in units above the mean of the table's
models, averaged over columns, benchmarks and tasks as the loss is.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from eevee.base.arrays import FloatArray
from eevee.stats.metrics import ranking_agreement
from eevee.tables.averages import loss_weights, mean_scores
from eevee.tables.results_table import ResultsTable

EVERYTHING = "all benchmarks"
MOST_GROUPS = 12
"""Values of an attribute of models beyond which it makes no groups."""
Weights = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Standings:
    """How models stand (the paper's Tables 2 and 3).

    Attributes
    ----------
    means : DataFrame, models x (all benchmarks, then each subset)
        Mean scores in units; NaN for a model that was not measured there.
    ranks : DataFrame of the same shape
        1 for the best; models with equal means share the best of their ranks.
    tasks : DataFrame, models x tasks
        Mean scores by task; no columns where the table has fewer than two.
    kendall : Series indexed by subset
        Kendall's tau-b of the orders of models, by the subset and by everything; of the very
        models that the subset was chosen on.
    """

    means: pd.DataFrame
    ranks: pd.DataFrame
    tasks: pd.DataFrame
    kendall: pd.Series[float]


def standings(
    table: ResultsTable,
    subsets: Mapping[str, Iterable[str]],
    *,
    weights: Weights | None = None,
) -> Standings:
    """Rank the models of a table by mean score on all benchmarks and on each subset.

    Parameters
    ----------
    table : ResultsTable
    subsets : mapping of name to benchmarks
    weights : mapping of benchmark to weight, optional

    Returns
    -------
    Standings
        Models in the order of their mean over all benchmarks, the best first.

    Raises
    ------
    EeveeError
        If a benchmark is not in the table.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 3.0, 2.0], "b": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    >>> found = standings(ResultsTable.from_scores(scores), {"small": ["a"]})
    >>> found.ranks
       all benchmarks  small
    y               1      1
    z               1      2
    x               3      3
    """
    parts = {EVERYTHING: table.benchmark_names}
    parts |= {name: table.subset(given) for name, given in subsets.items()}
    means = _means(table, parts, weights)
    order = means[EVERYTHING].sort_values(ascending=False, kind="stable").index
    means = means.loc[order]
    ranks = means.rank(ascending=False, method="min").astype("Int64")
    names = [name for name in means.columns if name != EVERYTHING]
    true = means[EVERYTHING].to_numpy(np.float64)
    tau = [ranking_agreement(means[name].to_numpy(np.float64), true).kendall for name in names]
    tasks = _means(table, _tasks(table), weights).loc[order]
    return Standings(means, ranks, tasks, pd.Series(tau, index=names, dtype=np.float64))


def group_means(
    table: ResultsTable, attribute: str, *, weights: Weights | None = None
) -> pd.DataFrame:
    """Average the mean scores of the models of each group (the paper's Figs. 12 to 15).

    Parameters
    ----------
    table : ResultsTable
    attribute : str
        A column of ``table.models``.
    weights : mapping of benchmark to weight, optional

    Returns
    -------
    DataFrame, (all benchmarks, then tasks) x groups
        Benchmarks stand in place of tasks where there are fewer than two of those. Groups in the
        order of their mean over everything, the best first; models without the attribute are in
        none.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 3.0, 2.0], "b": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    >>> models = pd.DataFrame({"family": ["old", "new", "new"]}, index=scores.index)
    >>> table = ResultsTable.from_scores(scores, models=models)
    >>> group_means(table, "family").round(2)
    family           new   old
    all benchmarks  0.61 -1.22
    a               0.61 -1.22
    b               0.61 -1.22
    """
    parts = {EVERYTHING: table.benchmark_names}
    parts |= _tasks(table) or {name: (name,) for name in table.benchmark_names}
    labels = table.models[attribute].map(str).where(table.models[attribute].notna())
    means = _means(table, parts, weights).groupby(labels).mean().T
    overall = means.loc[EVERYTHING].to_numpy(np.float64)
    return means.iloc[:, np.argsort(-overall, kind="stable")]


def grouping_attributes(table: ResultsTable) -> list[str]:
    """Return the attributes of models that make from 2 to 12 groups, fewer than models."""
    counts = {str(name): column.nunique() for name, column in table.models.items()}
    return [name for name, n in counts.items() if 2 <= n <= min(MOST_GROUPS, table.n_models - 1)]


def correlation_map(table: ResultsTable) -> pd.DataFrame:
    """Correlate the benchmarks by the order of the models, like ones side by side.

    Returns
    -------
    DataFrame, benchmarks x benchmarks
        Spearman's rho over the models that were measured on both; NaN with fewer than three, or
        without an order. In the order of the leaves of average linkage (distance 1 - rho) that
        puts the most similar beside each other.

    Notes
    -----
    Bar-Joseph, Gifford and Jaakkola, "Fast optimal leaf ordering for hierarchical clustering"
    (Bioinformatics 17, 2001).

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 3, 1, 2], "c": [1.0, 2, 4, 3]})
    >>> correlation_map(ResultsTable.from_scores(scores)).loc["a"].round(1).to_dict()
    {'b': -0.8, 'a': 1.0, 'c': 0.8}
    """
    scored = _alone(table).dropna(axis=1, how="all")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column has no correlation: NaN
        found = scored.corr(method="spearman", min_periods=3)
    if len(found) < 3:
        return found
    apart = np.clip(1.0 - found.fillna(0.0).to_numpy(np.float64), 0.0, None)
    np.fill_diagonal(apart, 0.0)
    near = squareform((apart + apart.T) / 2, checks=False)
    order = leaves_list(linkage(near, "average", optimal_ordering=True))
    return found.iloc[order, order]


def _alone(table: ResultsTable) -> pd.DataFrame:
    """Return the mean scores of all models on each benchmark alone, (models, benchmarks)."""
    units: FloatArray = np.array(table.units.tolist())
    values = pd.DataFrame((table.oriented / units)[:, table.is_target])
    owners = table.column_owner[table.is_target]
    means = (values - values.mean(axis=0)).T.groupby(owners).mean().T
    means = means.reindex(columns=range(table.n_benchmarks))
    return means.set_axis(table.benchmark_names, axis=1).set_axis(table.scores.index, axis=0)


def _tasks(table: ResultsTable) -> dict[str, tuple[str, ...]]:
    """Benchmarks by task, where there are at least two tasks."""
    tasks = table.benchmarks["task"]
    named = {str(task): tuple(tasks.index[tasks == task]) for task in sorted(set(tasks.dropna()))}
    return named if len(named) > 1 else {}


def _means(
    table: ResultsTable, parts: Mapping[str, Iterable[str]], weights: Weights | None
) -> pd.DataFrame:
    """Return the mean scores of all models over the columns of each part, (models, parts)."""
    prepared = loss_weights(table, weights)
    units: FloatArray = np.array(table.units.tolist())
    values = table.oriented
    centre: FloatArray = np.array(pd.DataFrame(values).mean(axis=0).tolist())
    owners = np.array(table.benchmark_names, dtype=object)[table.column_owner]

    def of(names: Iterable[str]) -> FloatArray:
        inside = np.isin(owners, list(names))
        return mean_scores(np.where(inside, values, np.nan), centre, units, prepared)

    found = {name: of(names) for name, names in parts.items()}
    return pd.DataFrame(found, index=table.scores.index)
