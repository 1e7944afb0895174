"""From settled rows to `Measured`, by way of the reader of long tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from eevee.readers.grid import Grid
from eevee.readers.harness.rows import SECONDS, Row
from eevee.readers.long import read_long
from eevee.readers.measured import Measured, Options
from eevee.tables.results_table import Note

_HEADER = ("model", "benchmark", "metric", "score", "stderr", "direction", "role", "cost")


def tabulate(
    rows: Sequence[Row],
    *,
    source: str,
    sha256: str,
    layout: str,
    models: Mapping[str, Mapping[str, object]],
    tasks: Mapping[str, str],
    notes: Sequence[Note],
) -> Measured:
    """Lay settled rows out as models x columns."""
    unpaid = _unpaid(rows)
    paid = any(not math.isnan(row.cost) for row in rows)
    costs = paid and not unpaid
    notes = [*notes, *_note_costs(source, unpaid if paid else [])]
    said = {"role": any(row.role for row in rows), "cost": costs}
    kept = [j for j, name in enumerate(_HEADER) if said.get(name, True)]
    directions = _directions(rows)
    cells = tuple(_cells(row, directions) for row in rows)
    lines = tuple(range(1, len(cells) + 1))
    measured = read_long(Grid(source, _HEADER, cells, lines).take(kept), Options())
    return replace(
        measured,
        sha256=sha256,
        layout=layout,
        tasks=tasks,
        models=_attributes(measured.models.index, models),
        costs=None if measured.costs is None else replace(measured.costs, unit=SECONDS),
        notes=(*notes, *measured.notes),
    )


def _cells(row: Row, directions: Mapping[str, str]) -> tuple[str, ...]:
    return (
        row.model,
        row.benchmark,
        row.metric,
        repr(row.score),
        "" if math.isnan(row.stderr) else repr(row.stderr),
        directions.get(row.column, ""),
        row.role or "",
        "" if math.isnan(row.cost) else repr(row.cost),
    )


def _directions(rows: Sequence[Row]) -> dict[str, str]:
    """Return the direction of each column whose rows say one, all the same."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.direction:
            found.setdefault(row.column, set()).add(row.direction)
    return {name: said.pop() for name, said in found.items() if len(said) == 1}


def _unpaid(rows: Sequence[Row]) -> list[str]:
    """Return benchmarks that have no cost on any model; of a single model they are of no use."""
    models: dict[str, set[str]] = {}
    for row in rows:
        models.setdefault(row.benchmark, set()).add(row.model)
    paid = {row.benchmark for row in rows if not math.isnan(row.cost)}
    return [name for name, found in models.items() if name not in paid and len(found) > 1]


def _note_costs(source: str, unpaid: Sequence[str]) -> list[Note]:
    if not unpaid:
        return []
    names = ", ".join(map(repr, unpaid[:3])) + (", ..." if len(unpaid) > 3 else "")
    why = f"has no cost of {len(unpaid)} benchmarks ({names}): its costs are left out"
    return [Note("ignored", "cost", source, why)]


def _attributes(order: pd.Index[str], models: Mapping[str, Mapping[str, object]]) -> pd.DataFrame:
    names = dict.fromkeys(name for model in order for name in models.get(str(model), {}))
    return pd.DataFrame(
        {name: [models.get(str(model), {}).get(name) for model in order] for name in names},
        index=order,
    )
