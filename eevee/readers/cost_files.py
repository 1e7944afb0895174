"""Files of costs: ``benchmark,cost``, models x benchmarks, or ``model,benchmark,cost``."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence

import pandas as pd

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.aliases import ALIASES, LONG_MODEL_NAMES, find_alias, plain, unit_in
from eevee.readers.cost_rows import CostRows, Paid
from eevee.readers.gpus import gpu_place, is_gpu
from eevee.readers.grid import Grid
from eevee.readers.measured import Measured, Options, check_name, unique
from eevee.readers.model_column import MODEL_NAMES
from eevee.readers.sidecars import BenchmarkFacts, sidecar_grid
from eevee.readers.wide import model_columns, model_keys, named_here

CostSource = str | os.PathLike[str] | Mapping[str, float] | pd.Series | pd.DataFrame

_HINTED = 30
"""Names that are compared with all of the table's: near misses of more take too long."""
_COST_WORDS = re.compile(r"\b(?:costs?|price|seconds|secs?|minutes|hours|time|runtime|gpu s)\b")


def read_costs(
    source: CostSource, known: Sequence[str], options: Options, *, by_gpu: bool = False
) -> CostRows:
    """Read costs per benchmark or per cell.

    Parameters
    ----------
    source : path, mapping, Series or DataFrame
    known : sequence of str
        Benchmarks of the score file; whether they are rows or columns here tells the layout.
    options : Options
        Names of columns count where the source has them.
    by_gpu : bool
        Whether speeds of GPU types are given: then a column of types may be numbers (4090).

    Examples
    --------
    >>> rows = read_costs({"mmlu": 2, "arc": 0.5}, ["mmlu"], Options()).rows
    >>> [(row.benchmark, row.cost) for row in rows]
    [('mmlu', 2.0), ('arc', 0.5)]
    """
    if isinstance(source, Mapping | pd.Series):
        frame = pd.DataFrame({"cost": pd.Series(dict(source.items()), dtype=object)})
        grid = sidecar_grid(frame, "costs")
    else:
        grid = sidecar_grid(source, "costs", options.max_mb)
    if not grid.rows:
        raise EeveeError(f"{grid.source}: is empty; give a cost for each benchmark")
    options = named_here(grid, options)
    gpu = gpu_place(grid, options.gpu_column, known)
    key = _name_column(grid, options, gpu)
    across = sum(name in set(known) for name in grid.header)
    down = sum(name in set(known) for name in grid.column(key))
    if not across and not down:
        raise _names_nothing(grid, key, known)
    if across > down:
        return _per_cell(grid, options, gpu, known)
    if gpu is not None and not (by_gpu or grid.is_text(gpu)):
        gpu = None  # hours on a GPU, perhaps
    if _is_long(grid, options, key):
        return _long(grid, options, key, gpu)
    return _per_benchmark(grid, key, gpu)


def costs_of_facts(
    facts: BenchmarkFacts, measured: Measured, gpu_column: str | None = None
) -> CostRows | None:
    """Return the costs of a benchmarks file, None where it has none."""
    grid, j = facts.grid, facts.place("cost")
    if j is None or not facts.cells("cost"):
        return None
    gpu = gpu_place(grid, gpu_column)
    found: dict[str, Paid] = {}
    owner = measured.columns["benchmark"]
    for i, name in enumerate(grid.column(facts.key)):
        benchmark = str(owner[name]) if name in owner.index else name
        paid = _paid(grid, i, j, facts.key, benchmark, gpu=gpu)
        if math.isnan(paid.cost):
            continue
        known = found.setdefault(benchmark, paid)
        if (known.cost, known.gpu) != (paid.cost, paid.gpu):
            raise grid.error(i, j, f"{benchmark!r} has another cost in a row above; keep one")
    return CostRows(grid.source, tuple(found.values()), _header(grid, gpu))


def _names_nothing(grid: Grid, key: int, known: Sequence[str]) -> EeveeError:
    """Make the error about a file that names no benchmark of the table, with a near miss."""
    names = [*grid.column(key)[:_HINTED], *grid.header[1 : 1 + _HINTED]]
    hints = ((name, did_you_mean(name, known)) for name in names)
    name, hint = next((found for found in hints if found[1]), (names[0], ""))
    return EeveeError(
        f"{grid.source}: neither rows nor columns are benchmarks of the score file: "
        f"{name!r}{hint}; costs need exactly the benchmarks' names"
    )


def _name_column(grid: Grid, options: Options, gpu: int | None) -> int:
    if options.benchmark_column is not None:
        return grid.find(options.benchmark_column)
    found = find_alias(grid, "benchmark")
    if found is not None:
        return found
    return 1 if gpu == 0 and grid.width > 2 else 0


def _is_long(grid: Grid, options: Options, key: int) -> bool:
    """Tell whether rows are cells: the header names models, or it may and benchmarks repeat."""
    if options.model_column is not None and key not in model_columns(grid, options):
        return True
    repeats = len(set(grid.column(key))) < len(grid.rows)
    if repeats:
        return any(plain(name) in LONG_MODEL_NAMES for name in _but(grid, key))
    models = [j for j, name in enumerate(grid.header) if plain(name) in MODEL_NAMES and j != key]
    return bool(models) and grid.is_text(models[0])  # else it may be how many models there were


def _but(grid: Grid, key: int) -> list[str]:
    return [name for j, name in enumerate(grid.header) if j != key]


def _per_benchmark(grid: Grid, key: int, gpu: int | None) -> CostRows:
    j, guessed = _cost_column(grid, [key, gpu])
    found: dict[str, Paid] = {}
    for i, name in enumerate(grid.column(key)):
        if name in found:
            raise grid.error(
                i, key, f"{name!r} has a cost in a row above; keep one, or name the models, if "
                "these are costs per model, in a column 'model'"
            )  # fmt: skip
        found[name] = _paid(grid, i, j, key, name, gpu=gpu)
    unit = unit_in(grid.header[j])
    return CostRows(grid.source, tuple(found.values()), _header(grid, gpu), guessed, unit=unit)


def _long(grid: Grid, options: Options, key: int, gpu: int | None) -> CostRows:
    keys = model_columns(grid, options, LONG_MODEL_NAMES)
    j, guessed = _cost_column(grid, [*keys, key, gpu])
    found: dict[tuple[str, str], Paid] = {}
    for i, model in enumerate(model_keys(grid, keys)):
        where = f"{grid.source}: row {grid.lines[i]}"
        benchmark = check_name(grid.rows[i][key], "the benchmark", where)
        if (model, benchmark) in found:
            above = found[model, benchmark].line
            raise EeveeError(
                f"{where}: {model!r} on {benchmark!r} has a cost in row {above}; keep one"
            )
        found[model, benchmark] = _paid(grid, i, j, key, benchmark, model, gpu)
    unit = unit_in(grid.header[j])
    return CostRows(grid.source, tuple(found.values()), _header(grid, gpu), guessed, unit=unit)


def _per_cell(grid: Grid, options: Options, gpu: int | None, known: Sequence[str]) -> CostRows:
    keys = model_columns(grid, options)
    models = model_keys(grid, keys)
    others = [j for j in range(grid.width) if j not in keys and j != gpu and not grid.is_text(j)]
    places = [j for j in others if grid.header[j] in known or not is_gpu(grid.header[j])]
    for what, names in (("model", models), ("column", [grid.header[j] for j in places])):
        repeated = [name for name in unique(names) if names.count(name) > 1]
        if repeated:
            raise EeveeError(f"{grid.source}: {what} {repeated[0]!r} appears twice; keep one")
    rows = [
        _paid(grid, i, j, keys[0], grid.header[j], model, gpu)
        for i, model in enumerate(models)
        for j in places
    ]
    return CostRows(grid.source, tuple(rows), _header(grid, gpu))


def _cost_column(grid: Grid, taken: Sequence[int | None]) -> tuple[int, str | None]:
    """Choose the column of costs: named cost, or the only one that could be."""
    headers = [plain(name) for name in grid.header]
    if "cost" in headers and headers.index("cost") not in taken:
        return headers.index("cost"), None
    numeric = [j for j in range(grid.width) if j not in taken and not grid.is_text(j)]
    likely = [j for j in numeric if _COST_WORDS.search(headers[j]) or headers[j] in ALIASES["cost"]]
    chosen = likely if len(likely) == 1 else numeric
    if len(chosen) != 1:
        names = ", ".join(repr(grid.header[j]) for j in (likely or numeric)[:6])
        found = f"several columns could be the cost ({names})" if numeric else "no numeric column"
        raise EeveeError(f"{grid.source}: {found}; name the one to use 'cost'")
    return chosen[0], grid.header[chosen[0]]


def _paid(
    grid: Grid,
    i: int,
    j: int,
    key: int,
    benchmark: str,
    model: str | None = None,
    gpu: int | None = None,
) -> Paid:
    cost = grid.number(i, j)
    if cost <= 0:
        what = f"the cost of {grid.rows[i][key]!r} is {grid.rows[i][j]}"
        raise grid.error(i, j, f"{what}; costs must be positive (empty where not measured)")
    return Paid(benchmark, cost, grid.lines[i], model, "" if gpu is None else grid.rows[i][gpu])


def _header(grid: Grid, j: int | None) -> str | None:
    return None if j is None else grid.header[j]
