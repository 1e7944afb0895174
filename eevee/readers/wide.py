"""Wide tables: one row per model, one column per score; one header row or two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.cells import is_missing
from eevee.readers.gpus import gpu_place, is_gpu
from eevee.readers.grid import JOINT, Grid
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
from eevee.tables.column_names import LONE_METRIC, is_attribute, split_names, stderr_target
from eevee.tables.results_table import Note

MODEL_NAMES = ("model", "models", "model name", "model id", "model fullname", "model/adapter")
_SIDEWAYS = ("metric", "metrics", "benchmark", "benchmarks", "dataset", "datasets", "task", "tasks")
_METRIC_ROW = ("metric", "metrics", "measure", "measures", "")

Owner = tuple[str, str]


@dataclass(frozen=True)
class _Kinds:
    """Places of the columns of a grid, by what they hold."""

    scores: list[int]
    attributes: list[int]
    stderrs: dict[int, str]
    notes: list[Note]


def read_wide(
    grid: Grid, options: Options, wanted: frozenset[str], owners: Sequence[Owner] | None = None
) -> Measured:
    """Read a grid with one row per model.

    Parameters
    ----------
    grid : Grid
    options : Options
    wanted : frozenset of str
        Columns that the benchmarks file names: scores, whatever their names suggest.
    owners : sequence of (benchmark, metric), optional
        One per column of the grid, where two header rows say so.
    """
    keys = model_columns(grid, options)
    models = model_keys(grid, keys)
    _check_header(grid, keys, options, sideways=owners is None)
    kinds = _sort_columns(grid, keys, wanted, options.gpu_column)
    if options.duplicates == "error":
        _check_models(grid, models, keys, kinds)
    names = unique([grid.header[j] for j in kinds.scores])
    order = unique(models)

    scores = _cells(grid, models, {j: grid.header[j] for j in kinds.scores})
    errors = _cells(grid, models, kinds.stderrs)
    notes = [
        *note_duplicates(scores, grid.source, options.duplicates),
        *([] if owners else note_splits(names)),
    ]

    def laid_out(cells: list[Cell]) -> pd.DataFrame:
        return pivot(cells, order, names, grid.source, options.duplicates)

    by_name = dict(zip(grid.header, owners, strict=True)) if owners else split_names(names)
    shape = "two header rows" if owners else "wide"
    splits = not owners and any(metric != LONE_METRIC for _, metric in by_name.values())
    return Measured(
        source=grid.source,
        sha256=grid.sha256,
        layout=f"{shape} (one row per model), {grid.words}"
        + (", columns named benchmark.metric" if splits else ""),
        scores=laid_out(scores),
        columns=column_frame(names, [by_name[name] for name in names]),
        models=_attributes(grid, kinds.attributes, models, options.duplicates),
        stderrs=laid_out(errors) if errors else None,
        notes=(*grid.notes, *_note_model(grid, keys, options), *kinds.notes, *notes),
    )


def has_two_header_rows(grid: Grid) -> bool:
    """Tell whether the first row below the header goes on with it: metrics below benchmarks."""
    if len(grid.rows) < 2:
        return False
    second = [cell for cell in grid.rows[0][1:] if cell]
    if not second or not all(map(grid.holds_text, second)):
        return False
    below = replace(grid, rows=grid.rows[1:], lines=grid.lines[1:])
    numeric = [j for j in range(1, grid.width) if grid.rows[0][j] and not below.is_text(j)]
    named = [name for name in grid.header[1:] if name]
    repeats = len(named) < grid.width - 1 or len(set(named)) < len(named)
    says_metric = grid.rows[0][0].casefold() in _METRIC_ROW
    return (repeats or says_metric) and 2 * len(numeric) >= len(second)


def join_header_rows(grid: Grid) -> tuple[Grid, list[Owner]]:
    """Join benchmark row and metric row to ``benchmark.metric``; also return the pairs."""
    if not grid.rows:
        raise EeveeError(f"{grid.source}: needs a second header row (the metrics) and scores")
    second = grid.rows[0]
    if not any(map(grid.holds_text, second[1:])):
        raise EeveeError(f"{grid.source}: row {grid.lines[0]} is no header row: it has no text")
    owners: list[Owner] = []
    benchmark = ""
    for j in range(grid.width):
        # A merged cell of a spreadsheet leaves blanks behind its first column.
        benchmark = grid.header[j] or (benchmark if j > 1 else "")
        owners.append((benchmark, (second[j] if j else "") or LONE_METRIC))
    header = [grid.header[0]]
    header += [b if m == LONE_METRIC else f"{b}.{m}" for b, m in owners[1:]]
    # pandas writes the name of the index in a row of its own
    start = 2 if len(grid.rows) > 1 and not any(grid.rows[1][1:]) else 1
    rows, lines = grid.rows[start:], grid.lines[start:]
    return replace(grid, header=tuple(header), rows=rows, lines=lines), owners


def model_columns(grid: Grid, options: Options, aliases: Sequence[str] = MODEL_NAMES) -> list[int]:
    """Return the places of the columns that make a model's name, the first if none says so."""
    if options.model_column is not None:
        whole = options.model_column in grid.header
        parts = [options.model_column] if whole else options.model_column.split(",")
        return [grid.find(part.strip()) for part in parts]
    for name in aliases:
        for j, header in enumerate(grid.header):
            if header.casefold().replace("_", " ") == name:
                return [j]
    gpu = gpu_place(grid, options.gpu_column)
    return [1] if gpu == 0 and grid.width > 1 and grid.is_text(1) else [0]


def named_here(grid: Grid, options: Options) -> Options:
    """Forget the names of columns that a file beside the scores does not have."""
    model, benchmark = options.model_column, options.benchmark_column
    has_model = model is not None and all(
        part.strip() in grid.header
        for part in ([model] if model in grid.header else model.split(","))
    )
    return replace(
        options,
        model_column=model if has_model else None,
        benchmark_column=benchmark if benchmark in grid.header else None,
    )


def model_keys(grid: Grid, keys: Sequence[int]) -> list[str]:
    """Return the model of each row: the cells of the key columns, joined by ``|``."""
    return [
        check_name(
            JOINT.join(row[j] for j in keys if row[j]),
            "the model",
            f"{grid.source}: row {line}",
        )
        for row, line in zip(grid.rows, grid.lines, strict=True)
    ]


def unique_with(grid: Grid, keys: Sequence[int], among: Sequence[int]) -> str | None:
    """Return the name of the first column that makes rows unique, next to the keys."""
    for j in among:
        if is_gpu(grid.header[j]):
            continue  # where a model ran is no part of what it is
        made = [tuple(row[k] for k in (*keys, j)) for row in grid.rows]
        if len(set(made)) == len(made):
            return grid.header[j]
    return None


def _cells(grid: Grid, models: Sequence[str], places: Mapping[int, str]) -> list[Cell]:
    return [
        Cell(models[i], name, float(value), grid.lines[i])
        for j, name in places.items()
        for i, value in enumerate(grid.numbers(j))
        if not math.isnan(value)
    ]


def _note_model(grid: Grid, keys: list[int], options: Options) -> list[Note]:
    if options.model_column is not None or keys == [0]:
        return []
    return [Note("guessed", "column", grid.header[keys[0]], "names the models")]


def _check_header(grid: Grid, keys: Sequence[int], options: Options, *, sideways: bool) -> None:
    first = grid.header[0].casefold()
    sideways = sideways and options.model_column is None and list(keys) == [0]
    if sideways and first in _SIDEWAYS:
        raise EeveeError(
            f"{grid.source}: the first column is {grid.header[0]!r}: models seem to be columns; "
            "transpose the file, one row per model (or name the column of models: model_column, "
            "--model-column)"
        )
    seen: dict[str, int] = {}
    for j, name in enumerate(grid.header):
        if j in keys:
            continue
        check_name(name, f"column {j + 1}", f"{grid.source}: header row")
        if name in seen and options.duplicates == "error":
            raise EeveeError(
                f"{grid.source}: columns {seen[name] + 1} and {j + 1} are both named {name!r}; "
                "rename one, or choose duplicates = mean, first or last"
            )
        seen.setdefault(name, j)


def _sort_columns(
    grid: Grid, keys: Sequence[int], wanted: frozenset[str], gpu_column: str | None
) -> _Kinds:
    kinds = _Kinds([], [], {}, [])
    plain = [
        name
        for j, name in enumerate(grid.header)
        if j not in keys and (name in wanted or not (is_attribute(name) or grid.is_text(j)))
    ]
    for j, name in enumerate(grid.header):
        target = stderr_target(name, plain)
        if j in keys:
            continue
        if name in wanted:
            kinds.scores.append(j)
        elif is_attribute(name) or name == gpu_column:
            kinds.attributes.append(j)
            why = "describes the models, by its name: kept as an attribute"
            kinds.notes.append(Note("guessed", "column", name, why))
        elif grid.is_text(j):
            kinds.attributes.append(j)
            why = "holds text: kept as an attribute of the models"
            kinds.notes.append(Note("ignored", "column", name, why))
        elif target is not None:
            kinds.stderrs[j] = target
            why = f"holds standard errors of {target!r}, by its name"
            kinds.notes.append(Note("guessed", "column", name, why))
        else:
            kinds.scores.append(j)
    if not any(not all(map(is_missing, grid.column(j))) for j in kinds.scores):
        raise EeveeError(f"{grid.source}: no numeric column of scores{_list_notes(kinds.notes)}")
    return kinds


def _list_notes(notes: Sequence[Note]) -> str:
    return "".join(f"; column {n.name!r} {n.why.partition(':')[0]}" for n in notes[:2])


def _check_models(grid: Grid, models: Sequence[str], keys: Sequence[int], kinds: _Kinds) -> None:
    seen: dict[str, int] = {}
    for name, line in zip(models, grid.lines, strict=True):
        if name in seen:
            more = unique_with(grid, keys, kinds.attributes)
            model = ",".join(grid.header[j] for j in keys)
            hint = f" such as '{model},{more}'" if more else ""
            raise EeveeError(
                f"{grid.source}: model {name!r} is in rows {seen[name]} and {line}; name the "
                f"columns that make a model unique (model_column, --model-column){hint}, or "
                "choose duplicates = mean, first or last"
            )
        seen[name] = line


def _attributes(
    grid: Grid, places: Sequence[int], models: Sequence[str], rule: str
) -> pd.DataFrame:
    frame = pd.DataFrame({grid.header[j]: grid.values(j) for j in places}, index=list(models))
    return frame[~frame.index.duplicated(keep="last" if rule == "last" else "first")]
