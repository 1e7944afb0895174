"""What benchmarks cost: one number each, or one per model and benchmark."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.errors import EeveeError, did_you_mean
from eevee.readers.grid import Grid
from eevee.readers.long import ALIASES, find_alias, plain
from eevee.readers.measured import Measured, Options, unique
from eevee.readers.sidecars import BenchmarkFacts, sidecar_grid
from eevee.readers.wide import model_columns, model_keys
from eevee.table import Note

CostSource = str | os.PathLike[str] | Mapping[str, float] | pd.Series | pd.DataFrame

_COST_WORDS = re.compile(r"\b(?:costs?|price|seconds|secs?|minutes|hours|time|runtime|gpu s)\b")


@dataclass(frozen=True)
class Costs:
    """Costs as read: checked to be positive, names not yet compared with a table.

    Attributes
    ----------
    source : str
    benchmarks : dict of benchmark to cost; NaN where the source has no number
    cells : DataFrame, models x benchmarks, or None
    guessed : str or None
        Column that was taken for the costs though it is not named so.
    """

    source: str
    benchmarks: dict[str, float]
    cells: pd.DataFrame | None = None
    guessed: str | None = None


def read_costs(source: CostSource, known: Sequence[str]) -> Costs:
    """Read costs per benchmark or per cell.

    Parameters
    ----------
    source : path, mapping, Series or DataFrame
    known : sequence of str
        Benchmarks of the score file; whether they are rows or columns here tells the layout.

    Examples
    --------
    >>> read_costs({"mmlu": 2, "arc": 0.5}, ["mmlu"]).benchmarks
    {'mmlu': 2.0, 'arc': 0.5}
    """
    if isinstance(source, Mapping | pd.Series):
        frame = pd.DataFrame({"cost": pd.Series(dict(source.items()), dtype=object)})
        grid = sidecar_grid(frame, "costs")
    else:
        grid = sidecar_grid(source, "costs")
    if not grid.rows:
        raise EeveeError(f"{grid.source}: is empty; give a cost for each benchmark")
    across = sum(name in set(known) for name in grid.header)
    down = sum(name in set(known) for name in grid.column(_name_column(grid)))
    if not across and not down:
        raise _names_nothing(grid, known)
    return _per_cell(grid) if across > down else _per_benchmark(grid)


def costs_of_cells(source: str, cells: pd.DataFrame) -> Costs:
    """Return the median over the models that have a cost, per benchmark."""
    return Costs(source, {str(name): float(c.median()) for name, c in cells.items()}, cells)


def costs_of_facts(facts: BenchmarkFacts, measured: Measured) -> Costs | None:
    """Return the costs of a benchmarks file, None where it has none."""
    j = facts.place("cost")
    if j is None or not facts.cells("cost"):
        return None
    found: dict[str, float] = {}
    owner = measured.columns["benchmark"]
    for i, name in enumerate(facts.grid.column(facts.key)):
        benchmark = str(owner[name]) if name in owner.index else name
        cost = _positive(facts.grid, i, j, facts.key)
        if not math.isnan(cost) and found.setdefault(benchmark, cost) != cost:
            raise facts.grid.error(i, j, f"{benchmark!r} has another cost in a row above; keep one")
    return Costs(facts.grid.source, found)


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
    """Return notes on the column that was taken, and on costs of benchmarks that were dropped."""
    taken = [] if costs.guessed is None else [costs.guessed]
    guesses = [Note("guessed", "cost", name, f"holds the costs, taken as {unit}") for name in taken]
    why = "its benchmark is not in the table (dropped, or no benchmark)"
    dropped = [name for name in costs.benchmarks if name not in benchmarks]
    return guesses + [Note("ignored", "cost", name, why) for name in dropped]


def _names_nothing(grid: Grid, known: Sequence[str]) -> EeveeError:
    """Make the error about a file that names no benchmark of the table, with a near miss."""
    names = [*grid.column(_name_column(grid)), *grid.header[1:]]
    hints = ((name, did_you_mean(name, known)) for name in names)
    name, hint = next((found for found in hints if found[1]), (names[0], ""))
    return EeveeError(
        f"{grid.source}: neither rows nor columns are benchmarks of the score file: "
        f"{name!r}{hint}; costs need exactly the benchmarks' names"
    )


def _name_column(grid: Grid) -> int:
    return find_alias(grid, "benchmark") or 0


def _per_benchmark(grid: Grid) -> Costs:
    key = _name_column(grid)
    j, guessed = _cost_column(grid, key)
    found: dict[str, float] = {}
    for i, name in enumerate(grid.column(key)):
        if name in found:
            raise grid.error(i, key, f"{name!r} has a cost in a row above; keep one")
        found[name] = _positive(grid, i, j, key)
    return Costs(grid.source, found, guessed=guessed)


def _cost_column(grid: Grid, key: int) -> tuple[int, str | None]:
    """Choose the column of costs: named cost, or the only one that could be."""
    headers = [plain(name) for name in grid.header]
    if "cost" in headers and headers.index("cost") != key:
        return headers.index("cost"), None
    numeric = [j for j in range(grid.width) if j != key and not grid.is_text(j)]
    likely = [j for j in numeric if _COST_WORDS.search(headers[j]) or headers[j] in ALIASES["cost"]]
    chosen = likely if len(likely) == 1 else numeric
    if len(chosen) != 1:
        names = ", ".join(repr(grid.header[j]) for j in (likely or numeric)[:6])
        found = f"several columns could be the cost ({names})" if numeric else "no numeric column"
        raise EeveeError(f"{grid.source}: {found}; name the one to use 'cost'")
    return chosen[0], grid.header[chosen[0]]


def _per_cell(grid: Grid) -> Costs:
    keys = model_columns(grid, Options())
    models = model_keys(grid, keys)
    places = [j for j in range(grid.width) if j not in keys and not grid.is_text(j)]
    for what, names in (("model", models), ("column", [grid.header[j] for j in places])):
        repeated = [name for name in unique(names) if names.count(name) > 1]
        if repeated:
            raise EeveeError(f"{grid.source}: {what} {repeated[0]!r} is there twice; keep one")
    cells = pd.DataFrame(
        {
            grid.header[j]: [_positive(grid, i, j, keys[0]) for i in range(len(models))]
            for j in places
        },
        index=pd.Index(models, dtype=object),
        dtype=np.float64,
    )
    return costs_of_cells(grid.source, cells)


def _positive(grid: Grid, i: int, j: int, key: int) -> float:
    cost = grid.number(i, j)
    if cost <= 0:
        what = f"the cost of {grid.rows[i][key]!r} is {grid.rows[i][j]}"
        raise grid.error(i, j, f"{what}; costs must be positive (empty where not measured)")
    return cost
