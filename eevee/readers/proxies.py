"""Proxy columns from a file of their own: they join a table, each at its own cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.cleaning import useless_columns
from eevee.readers.costs import Costs, match_costs, note_costs
from eevee.readers.measured import Measured
from eevee.tables.column_names import guess_direction
from eevee.tables.results_table import COLUMN_FIELDS, NO_COSTS, Note, ResultsTable

SHOWN = 3
"""Models that a note names."""


def join_proxies(table: ResultsTable, found: Measured, costs: Costs | None) -> ResultsTable:
    """Add the proxy columns of a source to a table.

    Parameters
    ----------
    table : ResultsTable
    found : Measured
        Columns whose role is proxy; all that are not called scores where no role is said.
    costs : Costs or None
        Of the columns of `found`. Left out, with a note, where the table has none.

    Returns
    -------
    ResultsTable
        Of the same models: those without proxies have not been measured there.

    Raises
    ------
    EeveeError
        If there is no proxy, none of its models is in the table, a name is taken or a proxy has no
        cost of its own.

    Examples
    --------
    >>> from eevee.readers import read_table
    >>> frame = pd.DataFrame({"a": [1.5, 2, 3, 1], "b": [2.0, 1, 3, 4]}, index=list("wxyz"))
    >>> cheap = pd.DataFrame({"a:10%": [1.2, 2.1, 2.8]}, index=list("wxy"))
    >>> table = read_table(frame, proxies=cheap)
    >>> table.columns["role"].to_dict(), table.provenance.notes[-1].why
    ({'a': 'score', 'b': 'score', 'a:10%': 'proxy'}, "has no proxies of 1 model ('z'): counted as \
not measured there")
    """
    notes = list(found.notes)
    scores = _of_proxies(found, notes)
    scores = _of_models(table, found, scores, notes)
    useless = useless_columns(scores)
    notes += [Note("dropped", "column", name, why) for name, why in useless.items()]
    scores = scores.drop(columns=list(useless))
    if not scores.shape[1]:
        raise EeveeError(f"{found.source}: no proxy column differs between the models of the table")
    columns = _described(found, list(scores.columns))
    _check_names(table, found, columns)
    names = sorted(set(columns["benchmark"]))
    prices, cells = _costs(table, found, costs, names, notes)
    return _joined(table, found, scores, columns, prices, cells, notes)


def check_paid(table: ResultsTable) -> None:
    """Refuse proxies where nothing has a cost: they are chosen at their cost.

    Raises
    ------
    EeveeError
    """
    if table.cost_unit == NO_COSTS and not table.is_target.all():
        raise EeveeError(
            f"{table.provenance.source}: has no costs, and proxies are chosen at their cost: give "
            "those of the benchmarks in the same unit (--costs)"
        )


def check_unit(source: str, unit: str | None, table: ResultsTable) -> None:
    """Refuse costs in another unit than those of a table.

    Raises
    ------
    EeveeError
    """
    if unit is None or table.cost_unit == NO_COSTS or _same_unit(unit, table.cost_unit):
        return
    raise EeveeError(
        f"{source}: costs are in {unit}, those of {table.provenance.source} in {table.cost_unit}; "
        "count both in one unit (--cost-unit says that of the table)"
    )


def _same_unit(one: str, other: str) -> bool:
    """Tell whether two units agree; "seconds" are those of any device.

    Examples
    --------
    >>> _same_unit("seconds", "CPU-seconds"), _same_unit("GPU-seconds", "CPU-seconds")
    (True, False)
    >>> _same_unit("seconds", "GPU-hours")
    False
    """
    (kind, _, what), (other_kind, _, other_what) = (
        unit.casefold().rpartition("-") for unit in (one, other)
    )
    return what == other_what and (kind == other_kind or not kind or not other_kind)


def _of_proxies(found: Measured, notes: list[Note]) -> pd.DataFrame:
    roles = found.columns["role"]
    is_proxy = (roles == "proxy") if (roles == "proxy").any() else (roles != "score")
    if not is_proxy.any():
        raise EeveeError(f"{found.source}: no column is a proxy; leave --proxies out")
    scores = [str(name) for name in roles.index[~is_proxy]]
    if scores:
        why = f"holds {len(scores)} columns that are no proxies ({_some(scores)}): left out"
        notes.append(Note("dropped", "file", found.source, why))
    return found.scores.loc[:, is_proxy.to_numpy()]


def _of_models(
    table: ResultsTable, found: Measured, scores: pd.DataFrame, notes: list[Note]
) -> pd.DataFrame:
    known = set(table.model_names)
    strangers = [str(name) for name in scores.index if name not in known]
    if len(strangers) == len(scores):
        hint = did_you_mean(strangers[0], table.model_names)
        raise EeveeError(
            f"{found.source}: names none of the models in {table.provenance.source}: "
            f"{strangers[0]!r}{hint}"
        )
    why = f"has proxies in {found.source} but no scores"
    notes += [Note("ignored", "model", name, why) for name in strangers]
    scores = scores.reindex(index=table.scores.index)
    lacking = [str(name) for name in scores.index[scores.isna().all(axis=1)]]
    if lacking:
        models = f"{len(lacking)} model{'s' * (len(lacking) > 1)}"
        why = f"has no proxies of {models} ({_some(lacking)}): counted as not measured there"
        notes.append(Note("guessed", "file", found.source, why))
    return scores


def _described(found: Measured, names: Sequence[str]) -> pd.DataFrame:
    columns = found.columns.loc[list(names)]
    guesses = [guess_direction(str(c), m) for c, m in columns["metric"].items()]
    read = columns["direction"].notna()
    return columns.assign(
        direction=columns["direction"].where(read, guesses),
        direction_source=read.map({True: "read", False: "guessed"}),
        role="proxy",
        bounds=columns["bounds"].fillna("guessed"),
    )[list(COLUMN_FIELDS)]


def _check_names(table: ResultsTable, found: Measured, columns: pd.DataFrame) -> None:
    for name, benchmark in columns["benchmark"].items():
        if name in table.scores.columns or benchmark in table.costs:
            raise EeveeError(
                f"{found.source}: proxy {name!r} has the name of a benchmark of "
                f"{table.provenance.source}, whose cost is another: call it otherwise, such as "
                f"'{benchmark}:proxy'"
            )


def _costs(
    table: ResultsTable,
    found: Measured,
    costs: Costs | None,
    names: list[str],
    notes: list[Note],
) -> tuple[pd.Series[float], pd.DataFrame | None]:
    if table.cost_unit == NO_COSTS:
        return pd.Series(1.0, index=names), None
    if costs is None:
        raise EeveeError(
            f"{found.source}: has no costs, and proxies are chosen at their cost; add a column "
            f"'cost' (in {table.cost_unit}) to a long table: model,benchmark,score,cost,role"
        )
    notes += note_costs(costs, names, table.cost_unit)
    prices = match_costs(costs, names, list(costs.benchmarks))
    return pd.Series(prices, names, dtype=float), costs.cells


def _joined(
    table: ResultsTable,
    found: Measured,
    scores: pd.DataFrame,
    columns: pd.DataFrame,
    prices: pd.Series[float],
    cells: pd.DataFrame | None,
    notes: Sequence[Note],
) -> ResultsTable:
    new = pd.DataFrame({"task": None, "cost": prices}, index=prices.index)
    models = table.scores.index
    stderrs = table.stderrs
    if stderrs is not None or found.stderrs is not None:
        old = stderrs if stderrs is not None else pd.DataFrame(index=models)
        more = found.stderrs if found.stderrs is not None else pd.DataFrame(index=models)
        both = [*table.scores.columns, *scores.columns]
        stderrs = old.join(more.reindex(index=models)).reindex(columns=both)
    if table.cell_costs is not None or cells is not None:
        old = table.cell_costs if table.cell_costs is not None else pd.DataFrame(index=models)
        more = pd.DataFrame(index=models) if cells is None else cells.reindex(index=models)
        everything = sorted([*table.benchmark_names, *prices.index])
        cells = old.join(more).reindex(columns=everything)
    benchmarks = pd.concat([one.astype({"task": object}) for one in (table.benchmarks, new)])
    return replace(
        table,
        scores=table.scores.join(scores),
        columns=pd.concat([table.columns, columns]),
        benchmarks=benchmarks.sort_index(),
        units=pd.concat([table.units, scores.std(axis=0, ddof=0)]),
        stderrs=stderrs,
        cell_costs=cells,
        provenance=replace(table.provenance, notes=(*table.provenance.notes, *notes)),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:SHOWN])) + ", ..." * (len(names) > SHOWN)
