"""One line on what a reader set aside, for those who do not ask."""

from __future__ import annotations

from collections.abc import Sequence

from eevee.tables.results_table import NO_COSTS, ResultsTable, SourceColumn

USED = frozenset(
    {"score", "proxy", "model", "benchmark", "metric", "direction", "role", "error", "part"}
)
"""Roles of columns that a table is made of."""


def set_aside(table: ResultsTable) -> list[SourceColumn]:
    """Return the columns of the source that are no part of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from eevee.readers import read_table
    >>> frame = pd.DataFrame({"a": [1.5, 2, 3, 1], "cost_usd": [1, 2, 1, 3.5]}, list("wxyz"))
    >>> [column.name for column in set_aside(read_table(frame))]
    ['cost_usd']
    """
    used = table.provenance.layout.startswith("long") and (table.cost_unit != NO_COSTS)
    skip = USED | ({"cost"} if used else set())
    return [column for column in table.provenance.columns if column.role not in skip]


def aside_sentence(table: ResultsTable) -> str:
    """Say in one line which columns, models and cells were set aside; "" if none was.

    Examples
    --------
    >>> import pandas as pd
    >>> from eevee.readers import read_table
    >>> frame = pd.DataFrame({"a": [1.5, 2, 3, 1], "cost_usd": [1, 2, 1, 3.5]}, list("wxyz"))
    >>> aside_sentence(read_table(frame))
    'set aside: 1 cost (cost_usd); `eevee describe` says why'
    """
    by_role: dict[str, list[str]] = {}
    for column in set_aside(table):
        by_role.setdefault(column.role, []).append(column.name or "without a name")
    parts = [f"{_count(names, role)} ({_some(names)})" for role, names in by_role.items()]
    notes = table.provenance.notes
    models = [note.name for note in notes if (note.action, note.kind) == ("dropped", "model")]
    if models:
        parts.append(f"{_count(models, 'model')} ({_some(models)})")
    files = [
        note
        for note in notes
        if note.kind == "file" and (note.action == "dropped" or "has no proxies" in note.why)
    ]
    parts += [f"{note.name}: {note.why}" for note in files[:2]]
    doubts = [note.name for note in notes if note.why.endswith(": read as missing")]
    if doubts:
        parts.append(f"words read as missing in {_some(doubts)}")
    return f"set aside: {'; '.join(parts)}; `eevee describe` says why" if parts else ""


def unit_sentence(table: ResultsTable) -> str:
    """Say in one line that the unit of costs was guessed; "" if it was named.

    Examples
    --------
    >>> import pandas as pd
    >>> from eevee.readers import read_table
    >>> frame = pd.DataFrame({"a": [1.5, 2, 3, 1], "b": [1, 2, 1, 3.5]}, list("wxyz"))
    >>> unit_sentence(read_table(frame, costs={"a": 1, "b": 2}))
    'costs are taken as GPU-hours: costs names no unit (cost_unit, --cost-unit)'
    """
    guessed = [note for note in table.provenance.notes if note.kind == "unit"]
    return "; ".join(f"costs are taken as {note.name}: {note.why}" for note in guessed)


def proxy_sentence(proxies: Sequence[str], most: int | None = 3) -> str:
    """Name the columns that are inputs and no targets in one line; "" if there is none.

    Parameters
    ----------
    proxies : sequence of str
    most : int or None
        Names that are given.

    Examples
    --------
    >>> proxy_sentence(["a:logme", "b:logme", "a:leep", "b:leep"])
    'proxies, inputs that are never targets: 4 (a:logme, b:logme, a:leep, ...)'
    """
    names = ", ".join(proxies[:most]) + ", ..." * (most is not None and len(proxies) > most)
    return f"proxies, inputs that are never targets: {len(proxies)} ({names})" if proxies else ""


def _count(names: Sequence[str], what: str) -> str:
    if what == "text":
        return f"{len(names)} text column{'s' * (len(names) > 1)}"
    if what in {"index", "ignored", "dropped", "rescaled"}:
        return f"{len(names)} {what}"
    return f"{len(names)} {what}{'s' * (len(names) > 1)}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
