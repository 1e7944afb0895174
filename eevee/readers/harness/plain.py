"""Score tables as rows of one shape, to be merged with results of harnesses."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.delimited import read as read_delimited
from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import unknown
from eevee.readers.harness.rows import SECONDS, Harvest, Row
from eevee.readers.measured import Measured, Options
from eevee.tables.column_names import LONE_METRIC, is_aggregate
from eevee.tables.results_table import Note

UNITS = {SECONDS: 1.0, "minutes": 60.0, "hours": 3600.0}
"""Units of costs that become seconds, and how many."""


def read_plain(files: Files, options: Options, wanted: frozenset[str]) -> Measured:
    """Read a score table.

    Raises
    ------
    EeveeError
        If it cannot be read; of JSON in no known format, all formats are named.
    """
    try:
        return read_delimited(files.root, options, wanted)
    except EeveeError as wrong:
        if "looks like JSON" in str(wrong):
            raise unknown(files) from None
        raise


def as_harvest(measured: Measured, cost_unit: str | None = None) -> Harvest:
    """Return the cells of a plain table as rows; aggregates are no benchmarks.

    Parameters
    ----------
    measured : Measured
    cost_unit : str, optional
        What its costs are counted in, one of `UNITS`; they are left out where nobody says.
    """
    dropped = [str(name) for name in measured.scores if is_aggregate(str(name))]
    why = "is an aggregate of other columns, by its name"
    notes = [*measured.notes, *(Note("dropped", "column", name, why) for name in dropped)]
    costs, left_out = _costs(measured, cost_unit)
    attributes = {
        str(model): {str(key): value for key, value in about.items()}
        for model, about in measured.models.to_dict("index").items()
    }
    rows = tuple(_rows(measured, dropped, costs))
    return Harvest(rows, (*notes, *left_out), attributes, measured.tasks)


def _rows(
    measured: Measured, dropped: list[str], costs: dict[tuple[str | None, str], float]
) -> Iterator[Row]:
    for name in measured.scores.columns:
        if str(name) in dropped:
            continue
        about = measured.columns.loc[name]
        benchmark = str(about["benchmark"])
        errors = None if measured.stderrs is None else measured.stderrs[name].astype(float)
        for model, score in measured.scores[name].dropna().items():
            yield Row(
                model=str(model),
                benchmark=benchmark,
                metric="" if about["metric"] == LONE_METRIC else str(about["metric"]),
                score=float(score),
                direction=None if pd.isna(about["direction"]) else str(about["direction"]),
                stderr=math.nan if errors is None else float(errors[str(model)]),
                cost=costs.get((str(model), benchmark), costs.get((None, benchmark), math.nan)),
                where=measured.source,
                role=None if pd.isna(about["role"]) else str(about["role"]),
            )


def _costs(
    measured: Measured, unit: str | None
) -> tuple[dict[tuple[str | None, str], float], list[Note]]:
    """Return seconds by model (None: of any) and benchmark, and what was left out."""
    if measured.costs is None:
        return {}, []
    said = measured.costs.unit or unit or ""
    seconds = UNITS.get(said.rpartition("-")[2])  # GPU-seconds are seconds
    if seconds is None:
        why = f"has costs: left out, as nobody says in what unit (--cost-unit: {', '.join(UNITS)})"
    elif any(row.gpu for row in measured.costs.rows):
        why = "has costs on several types of GPU: left out; give them to the verbs (--costs)"
    else:
        paid = measured.costs.rows
        return {(row.model, row.benchmark): seconds * row.cost for row in paid}, []
    return {}, [Note("ignored", "cost", measured.source, why)]
