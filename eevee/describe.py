"""What is in a results table: a row per column, and a summary fit for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pandas as pd

from eevee.duplicates import find_duplicates
from eevee.gap_pattern import GapPattern
from eevee.table import ResultsTable


def describe(table: ResultsTable) -> pd.DataFrame:
    """Return one row per column of a table, in table order.

    Parameters
    ----------
    table : ResultsTable

    Returns
    -------
    DataFrame
        ``column, benchmark, metric, direction, direction_source, role, task, cost`` (of its
        benchmark, in ``table.cost_unit``), ``coverage`` (share of the models, 0 to 1), ``min``
        and ``max`` (as published), ``unit`` (population standard deviation).

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, None], "b.loss": [0.1, 0.3, 0.2]}, list("xyz"))
    >>> describe(ResultsTable.from_scores(frame))[["column", "coverage", "min", "max"]].round(2)
       column  coverage  min  max
    0       a      0.67  1.0  2.0
    1  b.loss      1.00  0.1  0.3
    """
    benchmarks = table.benchmarks.loc[table.columns["benchmark"].tolist()]
    scores = table.scores
    described = table.columns.assign(
        task=benchmarks["task"].tolist(),
        cost=benchmarks["cost"].tolist(),
        coverage=scores.notna().mean(axis=0),
        min=scores.min(axis=0),
        max=scores.max(axis=0),
        unit=table.units,
    )
    return described.rename_axis("column").reset_index()


def gaps_as_json(pattern: GapPattern) -> dict[str, Any]:
    """Return how gaps go with strength, as plain JSON values.

    Examples
    --------
    >>> from eevee.gap_pattern import gap_pattern
    >>> found = gaps_as_json(gap_pattern(pd.DataFrame({"a": [1.0, 2.0], "b": [0.1, 0.3]})))
    >>> found["sentence"], found["columns"]
    ('', [])
    """
    tested = pattern.columns[pattern.columns["p"].notna()].rename_axis("column").reset_index()
    return {
        "correlation": pattern.correlation,
        "p": pattern.p,
        "sentence": pattern.sentence,
        "columns": tested.to_dict("records"),
    }


def summary(table: ResultsTable) -> dict[str, Any]:
    """Return what a table is and what was dropped, guessed or ignored, as plain JSON values.

    ``near_duplicates`` is None, or how many ``models`` are nearly equal to another, in how many
    ``groups``, an ``example`` and this in words (``said``).

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2.0], "b": [0.1, 0.3]}, index=["x", "y"])
    >>> found = summary(ResultsTable.from_scores(frame))
    >>> found["models"], found["benchmarks"], found["cost_unit"], found["notes"]
    (2, 2, 'benchmarks', [])
    """
    provenance, copies = table.provenance, find_duplicates(table)
    return {
        "source": provenance.source,
        "sha256": provenance.sha256,
        "layout": provenance.layout,
        "models": table.n_models,
        "benchmarks": table.n_benchmarks,
        "columns": table.n_columns,
        "coverage": table.coverage,
        "cost_unit": table.cost_unit,
        "total_cost": table.total_cost,
        "near_duplicates": None if copies is None else asdict(copies) | {"said": copies.words},
        "model_attributes": [str(name) for name in table.models.columns],
        "notes": [asdict(note) for note in provenance.notes],
    }
