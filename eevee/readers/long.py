"""Long tables: one row per score, or one row per (model, benchmark) with metrics as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.aliases import LONG_MODEL_NAMES, find_alias, plain, unit_in
from eevee.readers.cells import is_missing
from eevee.readers.cost_rows import CostRows, Paid
from eevee.readers.directions import read_direction
from eevee.readers.gpus import gpu_place
from eevee.readers.grid import Grid
from eevee.readers.measured import (
    Cell,
    Measured,
    Options,
    check_name,
    column_frame,
    note_duplicates,
    note_splits,
    pivot,
    unique,
)
from eevee.readers.model_column import fill_down
from eevee.readers.parts import is_part, note_uneven
from eevee.readers.roles import decide, read_role, says_roles
from eevee.readers.said import said_of_columns
from eevee.readers.wide import model_columns, model_keys, unique_with
from eevee.tables.column_names import LONE_METRIC, split_names
from eevee.tables.results_table import Note, SourceColumn

_TASKS = ("task", "task type", "category", "group", "domain")

Owner = tuple[str, str]


@dataclass(frozen=True)
class _Roles:
    """Places of the columns of a long grid, by the part that they play."""

    models: list[int]
    benchmark: int
    metric: int | None
    score: int | None
    stderr: int | None
    cost: int | None
    direction: int | None
    role: int | None
    gpu: int | None
    metrics: dict[int, int | None]
    """Where metrics are columns: place of each, with that of its standard errors."""

    @property
    def costs_know_gpus(self) -> bool:
        """Whether costs and the GPU types that they were measured on stand side by side."""
        return self.cost is not None and self.gpu is not None

    @property
    def others(self) -> set[int]:
        """Places that have a part."""
        single = (self.benchmark, self.metric, self.score, self.stderr, self.cost)
        said = (self.direction, self.role)
        errors = self.metrics.values()
        return {j for j in (*self.models, *single, *said, *self.metrics, *errors) if j is not None}


@dataclass(frozen=True)
class _Entry:
    """One score of a long grid: its row, the places of score and standard error, its column."""

    row: int
    score: int
    stderr: int | None
    column: str
    owner: Owner


def looks_long(grid: Grid, options: Options) -> bool:
    """Tell whether options or header say that a grid is long.

    The header does where it names model, benchmark and score, or model and benchmark while
    models repeat.
    """
    if options.benchmark_column or options.metric_column or options.score_column:
        return True
    has_model = any(plain(name) in LONG_MODEL_NAMES for name in grid.header)
    benchmark = find_alias(grid, "benchmark")
    if not (has_model or options.model_column) or benchmark is None:
        return False
    if find_alias(grid, "score") is not None:
        return True
    models = [
        tuple(row[j] for j in model_columns(grid, options, LONG_MODEL_NAMES)) for row in grid.rows
    ]
    return len(set(models)) < len(models) and grid.is_text(benchmark)


def read_long(grid: Grid, options: Options) -> Measured:
    """Read a grid with several rows per model."""
    roles = _roles(grid, options)
    grid = fill_down(grid, roles.models)
    models = model_keys(grid, roles.models)
    entries = _rows_as_scores(grid, roles) if roles.score is not None else _wide_rows(grid, roles)
    owners = _owners(grid, entries)
    order = unique(models)
    names = list(owners)
    sources = _sources(grid, roles)
    hint = _hint_unique(grid, roles) if options.duplicates == "error" else ""

    def measured(places: Sequence[tuple[_Entry, int]]) -> list[Cell]:
        cells = (
            Cell(models[e.row], e.column, grid.number(e.row, j), grid.lines[e.row])
            for e, j in places
        )
        return [cell for cell in cells if not math.isnan(cell.value)]

    def laid_out(cells: Sequence[Cell]) -> pd.DataFrame:
        return pivot(cells, order, names, grid.source, options.duplicates, hint)

    scores = measured([(e, e.score) for e in entries])
    errors = measured([(e, e.stderr) for e in entries if e.stderr is not None])
    benchmark_of = {e.row: e.owner[0] for e in entries}
    tasks, attributes, notes = _sort_rest(grid, roles, models, benchmark_of)
    notes += _note_splits(entries, roles)
    notes += note_duplicates(scores, grid.source, options.duplicates)
    if options.duplicates == "mean":
        notes += note_uneven(
            scores, grid, [j for j in range(grid.width) if sources[j].role == "part"]
        )
    columns = column_frame(names, list(owners.values()))
    for said, place, read in (
        ("direction", roles.direction, read_direction),
        ("role", roles.role, read_role),
    ):
        found = said_of_columns(grid, place, read, [(e.column, e.row) for e in entries])
        columns[said] = pd.Series([found.get(name) for name in names], names, dtype=object)
    shape = "one row per score" if roles.score is not None else "one column per metric"
    return Measured(
        source=grid.source,
        sha256=grid.sha256,
        layout=f"long ({shape}), {grid.words}",
        scores=laid_out(scores),
        columns=columns,
        models=attributes,
        tasks=tasks,
        stderrs=laid_out(errors) if errors else None,
        costs=_costs(grid, roles, models, benchmark_of),
        cell_gpus=_gpus(grid, roles, models, benchmark_of),
        notes=(*grid.notes, *_note_roles(grid, roles), *notes),
        sources=(*grid.aside, *sources),
    )


def _roles(grid: Grid, options: Options) -> _Roles:
    models = model_columns(grid, options, LONG_MODEL_NAMES)
    taken = list(models)

    def place(part: str, name: str | None = None) -> int | None:
        found = grid.find(name) if name else find_alias(grid, part, taken)
        taken.extend([] if found is None else [found])
        return found

    benchmark = place("benchmark", options.benchmark_column)
    if benchmark is None:
        raise EeveeError(
            f"{grid.source}: no column of benchmarks in the header; name it "
            "(benchmark_column, --benchmark-column)"
        )
    metric = place("metric", options.metric_column)
    score = place("score", options.score_column)
    stderr = None if score is None else place("stderr", _error_of(grid, score))
    cost, direction = place("cost"), place("direction")
    role = _role_place(grid, taken)
    taken.extend([] if role is None else [role])
    gpu = gpu_place(grid, options.gpu_column)
    taken.extend([] if gpu is None else [gpu])
    metrics = {} if score is not None else _metric_columns(grid, taken, options)
    if score is None and metric is not None:
        if len(metrics) != 1:
            could = ", ".join(repr(grid.header[j]) for j in list(metrics)[:4])
            raise EeveeError(
                f"{grid.source}: no column of scores in the header, and several could "
                f"be ({could}); name "
                "it (score_column, --score-column)"
            )
        ((score, stderr),) = metrics.items()
        metrics = {}
    return _Roles(models, benchmark, metric, score, stderr, cost, direction, role, gpu, metrics)


def _role_place(grid: Grid, taken: Sequence[int]) -> int | None:
    found = find_alias(grid, "role", taken)
    return None if found is None or not says_roles(grid.column(found)) else found


def _error_of(grid: Grid, score: int) -> str | None:
    """Return the column of errors that bears the name of the scores."""
    name = f"{grid.header[score]}_stderr"
    return name if name in grid.header else None


def _hint_unique(grid: Grid, roles: _Roles) -> str:
    """Name a column that tells apart the rows of one model on one benchmark, if there is one.

    Not one of parts, such as splits or languages: it would turn them into models.
    """
    keys = [roles.benchmark, *([] if roles.metric is None else [roles.metric]), *roles.models]
    others = [j for j in range(grid.width) if j not in roles.others and grid.is_text(j)]
    others = [j for j in others if not is_part(grid, j, roles.models)]
    more = unique_with(grid, keys, others)
    model = ",".join(grid.header[j] for j in roles.models)
    return "" if more is None else f" such as '{model},{more}'"


def _metric_columns(grid: Grid, taken: Sequence[int], options: Options) -> dict[int, int | None]:
    found = decide(grid, taken, options.roles)
    scores = {s.name: j for j, s in enumerate(found) if s.role in {"score", "proxy"}}
    error_of = {s.of: j for j, s in enumerate(found) if s.role == "error" and s.of in scores}
    metrics = {j: error_of.get(name) for name, j in scores.items()}
    if not any(not all(map(is_missing, grid.column(j))) for j in metrics):
        raise EeveeError(f"{grid.source}: no numeric column: nothing that could be a score")
    return metrics


def _sources(grid: Grid, roles: _Roles) -> list[SourceColumn]:
    """Say what each column is to this layout."""
    said = {roles.benchmark: ("benchmark", "names the benchmarks")}
    parts = (
        (roles.metric, "metric", "names the metrics"),
        (roles.score, "score", "holds the scores"),
        (roles.stderr, "error", "holds standard errors of the scores"),
        (roles.cost, "cost", "holds costs"),
        (roles.direction, "direction", "holds directions"),
        (roles.role, "role", "says which columns are proxies"),
    )
    said |= {j: (role, why) for j, role, why in parts if j is not None}
    said |= dict.fromkeys(roles.models, ("model", "names the models"))
    for j, error in roles.metrics.items():
        said[j] = ("score", "holds the scores of a metric")
        if error is not None:
            said[error] = ("error", f"holds standard errors of {grid.header[j]!r}")
    for j, source in enumerate(decide(grid, list(said))):
        if j in said:
            continue
        role = "attribute" if source.role == "score" else source.role
        said[j] = (role, source.why)
        if is_part(grid, j, roles.models):
            said[j] = ("part", "tells parts of a benchmark apart")
    return [SourceColumn(grid.header[j], *said[j]) for j in range(grid.width)]


def _benchmark(grid: Grid, roles: _Roles, i: int) -> str:
    where = f"{grid.source}: row {grid.lines[i]}"
    return check_name(grid.rows[i][roles.benchmark], "the benchmark", where)


def _rows_as_scores(grid: Grid, roles: _Roles) -> list[_Entry]:
    assert roles.score is not None
    rows = range(len(grid.rows))
    benchmarks = [_benchmark(grid, roles, i) for i in rows]
    if roles.metric is None:
        split = split_names(unique(benchmarks))
        names, owners = benchmarks, [split[name] for name in benchmarks]
    else:
        metrics = ["" if is_missing(m) else m for m in grid.column(roles.metric)]
        names = [_column_name(b, m) for b, m in zip(benchmarks, metrics, strict=True)]
        owners = [(b, m or LONE_METRIC) for b, m in zip(benchmarks, metrics, strict=True)]
    return [_Entry(i, roles.score, roles.stderr, names[i], owners[i]) for i in rows]


def _wide_rows(grid: Grid, roles: _Roles) -> list[_Entry]:
    entries = []
    for i in range(len(grid.rows)):
        benchmark = _benchmark(grid, roles, i)
        for j, stderr in roles.metrics.items():
            if not is_missing(grid.rows[i][j]):
                owner = (benchmark, grid.header[j])
                entries.append(_Entry(i, j, stderr, _column_name(*owner), owner))
    return entries


def _column_name(benchmark: str, metric: str) -> str:
    return f"{benchmark}.{metric}" if metric else benchmark


def _owners(grid: Grid, entries: Sequence[_Entry]) -> dict[str, Owner]:
    owners: dict[str, Owner] = {}
    for entry in entries:
        check_name(entry.column, "the column", f"{grid.source}: row {grid.lines[entry.row]}")
        if owners.setdefault(entry.column, entry.owner) != entry.owner:
            raise EeveeError(
                f"{grid.source}: row {grid.lines[entry.row]}: benchmark and metric "
                f"{entry.owner} make the same column name as {owners[entry.column]}: "
                f"{entry.column!r}; rename one"
            )
    return owners


def _costs(
    grid: Grid, roles: _Roles, models: Sequence[str], benchmark_of: dict[int, str]
) -> CostRows | None:
    if roles.cost is None:
        return None
    rows = []
    for i, benchmark in benchmark_of.items():
        cost = grid.number(i, roles.cost)
        if cost <= 0:
            raise grid.error(i, roles.cost, f"{grid.rows[i][roles.cost]!r} is no cost; costs are "
                             "positive, or left empty if they were not measured")  # fmt: skip
        gpu = "" if roles.gpu is None else grid.rows[i][roles.gpu]
        rows.append(Paid(benchmark, cost, grid.lines[i], models[i], gpu))
    header = None if roles.gpu is None else grid.header[roles.gpu]
    unit = unit_in(grid.header[roles.cost])
    return CostRows(grid.source, tuple(rows), gpu_column=header, unit=unit)


def _gpus(
    grid: Grid, roles: _Roles, models: Sequence[str], benchmark_of: dict[int, str]
) -> dict[tuple[str, str], tuple[str, ...]] | None:
    """Return the GPU types that each model ran on, per benchmark."""
    if roles.gpu is None:
        return None
    found: dict[tuple[str, str], dict[str, None]] = {}
    for i, benchmark in benchmark_of.items():
        gpu = grid.rows[i][roles.gpu]
        if not is_missing(gpu):
            found.setdefault((models[i], benchmark), {})[gpu.casefold()] = None
    return {cell: tuple(types) for cell, types in found.items()}


def _note_splits(entries: Sequence[_Entry], roles: _Roles) -> list[Note]:
    by_name = roles.score is not None and roles.metric is None
    return note_splits(unique([e.column for e in entries])) if by_name else []


def _note_roles(grid: Grid, roles: _Roles) -> list[Note]:
    if roles.cost is None or plain(grid.header[roles.cost]) == "cost":
        return []
    return [Note("guessed", "column", grid.header[roles.cost], "holds costs, by its name")]


def _sort_rest(
    grid: Grid, roles: _Roles, models: Sequence[str], benchmark_of: dict[int, str]
) -> tuple[dict[str, str], pd.DataFrame, list[Note]]:
    """Use the other columns: a task per benchmark, attributes per model, else nothing."""
    tasks: dict[str, str] = {}
    attributes: dict[str, dict[str, object]] = {}
    notes = []
    benchmarks = [benchmark_of.get(i, "") for i in range(len(grid.rows))]
    for j in sorted(set(range(grid.width)) - roles.others):
        name, values = grid.header[j], grid.values(j)
        per_benchmark = _constant_within(benchmarks, values)
        per_model = _constant_within(models, values)
        if plain(name) in _TASKS and per_benchmark is not None and not tasks:
            tasks = {key: str(value) for key, value in per_benchmark.items() if key}
            why, action = "is the same in all rows of a benchmark: read as its task", "guessed"
        elif per_model is not None:
            attributes[name] = per_model
            why, action = "is the same in all rows of a model: kept as its attribute", "ignored"
        elif j == roles.gpu and roles.costs_know_gpus:
            continue  # what becomes of it is said where costs are counted
        else:
            why, action = "is no part of this layout", "ignored"
        notes.append(Note("guessed" if action == "guessed" else "ignored", "column", name, why))
    order = unique(models)
    frame = pd.DataFrame(
        {name: [found.get(model) for model in order] for name, found in attributes.items()},
        index=pd.Index(order, dtype=object),
    )
    return tasks, frame, notes


def _constant_within(keys: Sequence[str], values: Sequence[object]) -> dict[str, object] | None:
    """Return the one value of each key, None if a key has two."""
    found: dict[str, object] = {}
    for key, value in zip(keys, values, strict=True):
        missing = value is None or value != value  # noqa: PLR0124
        if not missing and found.setdefault(key, value) != value:
            return None
    return found
