"""Scores of new models, in the columns of a table that is there already: nothing is cleaned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from eevee.base.bounded import MAX_MB
from eevee.readers import Duplicates, Layout, Source, read_measured
from eevee.readers.measured import Measured, Options
from eevee.readers.roles import check_roles
from eevee.tables.column_names import LONE_METRIC
from eevee.tables.results_table import ResultsTable


def read_new_scores(
    source: Source,
    table: ResultsTable,
    *,
    layout: Layout = "auto",
    model_column: str | None = None,
    benchmark_column: str | None = None,
    duplicates: Duplicates = "error",
    column_roles: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    drop_models: Sequence[str] = (),
    missing: Sequence[str] = (),
    max_mb: float = MAX_MB,
) -> pd.DataFrame:
    """Read the scores of new models; any number of them, on any of the table's benchmarks.

    Parameters
    ----------
    source : path or DataFrame
        In any layout that `eevee.read_table` reads.
    table : ResultsTable
        Of the training models: its names tell what is a score, whatever a name suggests.
    layout, model_column, benchmark_column, duplicates, max_mb
        As in `eevee.read_table`.
    column_roles, drop_columns, drop_models, missing
        As in `eevee.read_table`; names may be those of the training table alone.

    Returns
    -------
    DataFrame, models x columns
        Columns are called as in the table where it has them, else as in the source.

    Raises
    ------
    EeveeError
        If the source cannot be read.

    Examples
    --------
    >>> from eevee.readers import read_table
    >>> table = read_table(pd.DataFrame({"a.acc": [1, 2, 4, 3], "c": [1, 3, 2, 2]}))
    >>> long = pd.DataFrame({"model": ["x", "x"], "benchmark": ["a", "b"], "score": [3, 4]})
    >>> read_new_scores(long, table)
       a.acc    b
    x    3.0  4.0
    """
    options = Options(
        layout, model_column, benchmark_column, duplicates=duplicates, max_mb=max_mb,
        roles=dict(column_roles or {}), drop_columns=tuple(drop_columns),
        drop_models=tuple(drop_models), missing=tuple(missing), one_of_several=True,
    )  # fmt: skip
    check_roles(options.roles)
    known = frozenset(map(str, table.scores.columns)) | frozenset(table.benchmark_names)
    measured = read_measured(source, options, known)
    return measured.scores.rename(columns=_names(measured, table))


def _names(measured: Measured, table: ResultsTable) -> dict[str, str]:
    """Names of the table for columns that are called otherwise: same benchmark, same metric.

    A score without a metric is that of a benchmark with one column.
    """
    by_owner: dict[tuple[str, str], str] = {}
    for benchmark in table.benchmark_names:
        owned = table.columns_of(benchmark)
        if len(owned) == 1:
            by_owner[benchmark, LONE_METRIC] = owned[0]
        by_owner |= {(benchmark, str(table.columns.loc[name, "metric"])): name for name in owned}
    pairs = zip(measured.columns["benchmark"], measured.columns["metric"], strict=True)
    found = {
        str(name): by_owner[pair]
        for name, pair in zip(measured.columns.index, pairs, strict=True)
        if name not in table.scores.columns and pair in by_owner
    }
    taken = set(measured.scores.columns)
    return {name: own for name, own in found.items() if own not in taken}
