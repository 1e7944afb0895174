"""What is in a results table: a row per column, and a summary fit for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pandas as pd

from eevee.analysis.findings import effective_rank, findings
from eevee.completion.gap_pattern import GapPattern
from eevee.readers.asides import set_aside
from eevee.splits.near_duplicates import find_duplicates
from eevee.tables.bounds import GUESSED, bounds_in_words, column_bounds
from eevee.tables.results_table import ResultsTable

MODEL_NAMES_SHOWN = 5
"""Model names that a summary gives: enough to see that they are names."""


def describe(table: ResultsTable) -> pd.DataFrame:
    """Return one row per column of a table, in table order.

    Parameters
    ----------
    table : ResultsTable

    Returns
    -------
    DataFrame
        ``column, benchmark, metric, direction, direction_source, role, bounds, task, cost`` (of its
        benchmark, in ``table.cost_unit``), ``coverage`` (share of the models, 0 to 1), ``min``
        and ``max`` (as published), ``low`` and ``high`` (bounds of predictions, infinite where
        there are none), ``unit`` (population standard deviation).

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, None], "b.loss": [0.1, 0.3, 0.2]}, list("xyz"))
    >>> describe(ResultsTable.from_scores(frame))[["column", "coverage", "min", "max"]].round(2)
       column  coverage  min  max
    0       a      0.67  1.0  2.0
    1  b.loss      1.00  0.1  0.3
    """
    benchmarks = table.benchmarks.loc[table.columns["benchmark"].tolist()]
    scores, bounds = table.scores, column_bounds(table)
    described = table.columns.assign(
        task=benchmarks["task"].tolist(),
        cost=benchmarks["cost"].tolist(),
        coverage=scores.notna().mean(axis=0),
        min=scores.min(axis=0),
        max=scores.max(axis=0),
        low=bounds.low,
        high=bounds.high,
        unit=table.units,
    )
    return described.rename_axis("column").reset_index()


def bounds_sentence(described: pd.DataFrame) -> str:
    """Say between which bounds `predict` and `complete` keep scores, in one line.

    Parameters
    ----------
    described : DataFrame
        From `describe`.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [10.0, 20.0], "b": [0.1, 0.3], "elo": [12.0, 40.0]})
    >>> bounds_sentence(describe(ResultsTable.from_scores(frame.rename(index=str))))
    'predictions lie within (guessed): 0 to 100 in 1 column; 0 to 1 in 1 column; none in elo'
    """
    described = described[described["role"] == "score"]
    guessed = described["bounds"].eq(GUESSED)
    groups = []
    for own, rows in (("guessed", described[guessed]), ("given", described[~guessed])):
        by_ends: dict[str, list[str]] = {}
        for name, *ends in zip(rows["column"], rows["low"], rows["high"], strict=True):
            by_ends.setdefault(bounds_in_words(*ends), []).append(str(name))
        said = [f"{ends} in {_columns_in_words(ends, names)}" for ends, names in by_ends.items()]
        groups += [f"({own}): {'; '.join(said)}"] if said else []
    return f"predictions lie within {'; '.join(groups)}"


def _columns_in_words(ends: str, names: list[str]) -> str:
    """Name up to three columns without bounds; count others."""
    if ends == "none" and len(names) <= 3:
        return ", ".join(names)
    return f"{len(names)} column{'s' * (len(names) > 1)}"


def gaps_as_json(pattern: GapPattern) -> dict[str, Any]:
    """Return how gaps go with strength, as plain JSON values.

    Examples
    --------
    >>> from eevee.completion.gap_pattern import gap_pattern
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

    ``benchmarks`` and ``columns`` count those of scores; ``proxies`` names the columns that are
    inputs and no targets. ``near_duplicates`` is None, or how many ``models`` are nearly equal to
    another, in how many ``groups``, an ``example`` and this in words (``said``). ``findings`` come
    worst first; ``source_columns`` are all columns of the source with their roles.

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
        "benchmarks": len(table.target_benchmarks),
        "columns": int(table.is_target.sum()),
        "coverage": table.coverage,
        "cost_unit": table.cost_unit,
        "total_cost": table.total_cost,
        "near_duplicates": None if copies is None else asdict(copies) | {"said": copies.words},
        "model_names": list(table.model_names[:MODEL_NAMES_SHOWN]),
        "proxies": [str(name) for name in table.columns.index[~table.is_target]],
        "model_coverage": table.targets.notna().mean(axis=1).to_dict(),
        "effective_rank": effective_rank(table.targets),
        "findings": [asdict(finding) for finding in findings(table)],
        "source_columns": [asdict(column) for column in provenance.columns],
        "set_aside": [asdict(column) for column in set_aside(table)],
        "model_attributes": [str(name) for name in table.models.columns],
        "notes": [asdict(note) for note in provenance.notes],
    }
