"""What benchmarks cost: one number each, added up from what was paid, compared with a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import MAX_COST
from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.cost_rows import CostRows
from eevee.readers.measured import unique
from eevee.readers.statistic import Statistic
from eevee.tables.results_table import Note


@dataclass(frozen=True)
class Costs:
    """Costs per benchmark, names not yet compared with a table.

    Attributes
    ----------
    source : str
    benchmarks : dict of benchmark to cost; NaN where the source has no number
    cells : DataFrame, models x benchmarks, or None
    guessed : str or None
        Column that was taken for the costs though it is not named so.
    notes : tuple of Note
    """

    source: str
    benchmarks: dict[str, float]
    cells: pd.DataFrame | None = None
    guessed: str | None = None
    notes: tuple[Note, ...] = ()


def count_costs(paid: CostRows, statistic: Statistic) -> Costs:
    """Return the cost of each benchmark: costs of cells by their statistic over models.

    Examples
    --------
    >>> from eevee.readers.cost_rows import Paid
    >>> rows = (Paid("arc", 1.0, 2, "x"), Paid("arc", 2.0, 3, "y"), Paid("arc", 6.0, 4, "z"))
    >>> count_costs(CostRows("costs.csv", rows), np.median).benchmarks
    {'arc': 2.0}
    """
    for row in paid.rows:
        if row.cost > MAX_COST:
            raise EeveeError(
                f"{paid.source}: row {row.line}: the cost of {row.benchmark!r} is {row.cost:g}; "
                f"costs are at most {MAX_COST:g}: count in a larger unit"
            )
    if not paid.per_cell:
        found = {row.benchmark: row.cost for row in paid.rows}
        return Costs(paid.source, found, guessed=paid.guessed, notes=paid.notes)
    cells = _cells(paid)
    found = {str(name): float(statistic(column.to_numpy())) for name, column in cells.items()}
    return Costs(paid.source, found, cells, paid.guessed, paid.notes)


def match_costs(costs: Costs, benchmarks: Sequence[str], known: Sequence[str]) -> dict[str, float]:
    """Return the cost of each benchmark of a table.

    Parameters
    ----------
    costs : Costs
    benchmarks : sequence of str
        Those of the table.
    known : sequence of str
        All names of the score file, dropped ones among them.

    Raises
    ------
    EeveeError
        If a benchmark has no cost, or a cost no benchmark.
    """
    for name in costs.benchmarks:
        if name not in known:
            hint = did_you_mean(name, benchmarks)
            raise EeveeError(
                f"{costs.source}: has a cost of {name!r}, which is not in the score file{hint}; "
                "costs need exactly the benchmarks' names"
            )
    lacking = [b for b in benchmarks if math.isnan(costs.benchmarks.get(b, math.nan))]
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        hint = did_you_mean(lacking[0], [n for n in costs.benchmarks if n not in benchmarks])
        raise EeveeError(f"{costs.source}: no cost of benchmark {lacking[0]!r}{more}{hint}; add it")
    return {name: costs.benchmarks[name] for name in benchmarks}


def note_costs(costs: Costs, benchmarks: Sequence[str], unit: str) -> list[Note]:
    """Return notes on how costs were read, and on costs of benchmarks that were dropped."""
    taken = [] if costs.guessed is None else [costs.guessed]
    guesses = [Note("guessed", "cost", name, f"holds the costs, taken as {unit}") for name in taken]
    why = "its benchmark is not in the table (dropped, or no benchmark)"
    dropped = [
        name
        for name, cost in costs.benchmarks.items()
        if name not in benchmarks and not math.isnan(cost)
    ]
    return [*guesses, *costs.notes, *(Note("ignored", "cost", name, why) for name in dropped)]


def _cells(paid: CostRows) -> pd.DataFrame:
    """Lay costs out as models x benchmarks: rows of one run (of its metrics) repeat its cost."""
    models = [str(row.model) for row in paid.rows]
    benchmarks = [row.benchmark for row in paid.rows]
    costs = np.array([row.cost for row in paid.rows], dtype=np.float64)
    cells = pd.DataFrame({"model": models, "benchmark": benchmarks, "cost": costs}).pivot_table(
        index="model", columns="benchmark", values="cost", aggfunc="median"
    )
    order = pd.Index(unique(models), dtype=object)
    names = pd.Index(unique(benchmarks), dtype=object)
    return cells.reindex(index=order, columns=names).astype(np.float64)
