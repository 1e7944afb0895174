"""Wide tables: one row per model, one column per score; one header row or two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.cells import is_missing
from eevee.readers.doubts import check_commas
from eevee.readers.gpus import is_gpu
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
from eevee.readers.model_column import MODEL_NAMES, fallback_model, fill_down
from eevee.readers.parts import names_parts
from eevee.readers.roles import NOT_KEPT, decide
from eevee.tables.column_names import LONE_METRIC, is_metric, split_names
from eevee.tables.results_table import Note, SourceColumn

_METRIC_ROW = ("metric", "metrics", "measure", "measures", "")

Owner = tuple[str, str]


@dataclass(frozen=True)
class _Kinds:
    """Places of the columns of a grid, by what they hold."""

    sources: list[SourceColumn]
    scores: list[int]
    attributes: list[int]
    stderrs: dict[int, str]
    notes: list[Note]


def read_wide(
    grid: Grid, options: Options, wanted: frozenset[str], owners: Mapping[str, Owner] | None = None
) -> Measured:
    """Read a grid with one row per model.

    Parameters
    ----------
    grid : Grid
    options : Options
    wanted : frozenset of str
        Columns that the benchmarks file names: scores, whatever their names suggest.
    owners : mapping of column to (benchmark, metric), optional
        Where two header rows say so.
    """
    keys = model_columns(grid, options)
    grid = fill_down(grid, keys)
    models = model_keys(grid, keys)
    kinds = _sort_columns(grid, keys, wanted, options)
    _check_header(grid, kinds, options)
    if options.duplicates == "error":
        _check_models(grid, models, keys, kinds)
    names = unique([grid.header[j] for j in kinds.scores])
    order = unique(models)

    for j in kinds.scores:
        check_commas(grid, j)
    once = len(order) == len(models) and len(names) == len(kinds.scores)
    places = {j: grid.header[j] for j in kinds.scores}
    scores = [] if once else _cells(grid, models, places)
    errors = _cells(grid, models, kinds.stderrs)
    notes = [
        *note_duplicates(scores, grid.source, options.duplicates),
        *_note_void(grid, kinds.scores),
        *([] if owners else note_splits(names)),
    ]

    def laid_out(cells: list[Cell]) -> pd.DataFrame:
        return pivot(cells, order, names, grid.source, options.duplicates)

    by_name = owners or split_names(names)
    columns = column_frame(names, [by_name[name] for name in names])
    for said, known in (("direction", grid.directions), ("role", grid.roles)):
        columns[said] = pd.Series([known.get(name) for name in names], names, dtype=object)
    shape = "two header rows" if owners else "wide"
    splits = not owners and any(metric != LONE_METRIC for _, metric in by_name.values())
    return Measured(
        source=grid.source,
        sha256=grid.sha256,
        layout=f"{shape} (one row per model), {grid.words}"
        + (", columns named benchmark.metric" if splits else ""),
        scores=_as_it_stands(grid, order, places) if once else laid_out(scores),
        columns=columns,
        models=_attributes(grid, kinds.attributes, models, options.duplicates),
        stderrs=laid_out(errors) if errors else None,
        notes=(*grid.notes, *_note_model(grid, keys, options), *kinds.notes, *notes),
        sources=(*grid.aside, *kinds.sources),
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


def are_groups(owners: Sequence[Owner]) -> bool:
    """Tell whether the upper of two header rows groups benchmarks, rather than naming them.

    It does where the names below are all different, and none is a metric.

    Examples
    --------
    >>> are_groups([("", "model"), ("Law", "bar"), ("Law", "lsat"), ("Maths", "sums")])
    True
    >>> are_groups([("", "model"), ("a", "acc"), ("a", "loss"), ("b", "acc")])
    False
    """
    names = [name for _, name in owners[1:]]
    if len(set(names)) < len(names) or LONE_METRIC in names:
        return False
    return len({group for group, _ in owners[1:]}) < len(names) and not any(map(is_metric, names))


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
    return [fallback_model(grid, options)]


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


def _as_it_stands(grid: Grid, models: Sequence[str], places: Mapping[int, str]) -> pd.DataFrame:
    """Return the scores of a grid in which each cell has one."""
    values = np.column_stack([grid.numbers(j) for j in places])
    return pd.DataFrame(values, index=pd.Index(models), columns=pd.Index(list(places.values())))


def _note_void(grid: Grid, places: Sequence[int]) -> list[Note]:
    """Count the cells whose numbers the user calls missing."""
    notes = []
    for j in places:
        values = grid.parsed(j)
        count = 0 if values is None else int(np.isin(values, list(grid.void)).sum())
        if count:
            why = f"{count} cell{'s' * (count > 1)} as --missing says: read as missing"
            notes.append(Note("guessed", "column", grid.header[j], why))
    return notes


def _note_model(grid: Grid, keys: list[int], options: Options) -> list[Note]:
    if options.model_column is not None or keys == [0]:
        return []
    return [Note("guessed", "column", grid.header[keys[0]], "names the models")]


def _check_header(grid: Grid, kinds: _Kinds, options: Options) -> None:
    seen: dict[str, int] = {}
    for j in (*kinds.scores, *kinds.attributes, *kinds.stderrs):
        name = check_name(grid.header[j], f"column {j + 1}", f"{grid.source}: header row")
        if name in seen and options.duplicates == "error" and j in kinds.scores:
            raise EeveeError(
                f"{grid.source}: columns {seen[name] + 1} and {j + 1} are both named {name!r}; "
                "rename one, or choose duplicates = mean, first or last"
            )
        seen.setdefault(name, j)


def _sort_columns(
    grid: Grid, keys: Sequence[int], wanted: frozenset[str], options: Options
) -> _Kinds:
    """Sort columns by their roles, with a note on each that is no score."""
    given = {**options.roles, **({options.gpu_column: "attribute"} if options.gpu_column else {})}
    kinds = _Kinds(decide(grid, keys, given, wanted), [], [], {}, [])
    names = {s.name for s in kinds.sources if s.role in {"score", "proxy"}}
    for j, source in enumerate(kinds.sources):
        if source.role == "model":
            continue
        if source.role in {"score", "proxy"}:
            kinds.scores.append(j)
            if "though" in source.why:
                kinds.notes.append(_note(source, "guessed", f"{source.why}: kept as a score"))
        elif source.role == "error" and source.of in names and grid.parsed(j) is not None:
            kinds.stderrs[j] = str(source.of)
            why = source.why.replace("is the error of", "holds standard errors of")
            kinds.notes.append(_note(source, "guessed", why))
        elif source.role in NOT_KEPT or not source.name:
            kinds.notes.append(_note(source, "ignored", source.why))
        else:
            kinds.attributes.append(j)
            kinds.notes.append(_note(source, *_kept(source)))
    if not any(not all(map(is_missing, grid.column(j))) for j in kinds.scores):
        raise EeveeError(f"{grid.source}: no numeric column of scores{_list_notes(kinds.notes)}")
    return kinds


def _kept(source: SourceColumn) -> tuple[Literal["guessed", "ignored"], str]:
    """Return the action and reason of a column that becomes an attribute of the models."""
    if source.role == "text":
        return "ignored", "holds text: kept as an attribute of the models"
    if source.role == "attribute":
        return "guessed", f"{source.why}: kept as an attribute"
    return "guessed", f"{source.why}: no score, kept as an attribute"


def _note(source: SourceColumn, action: Literal["guessed", "ignored"], why: str) -> Note:
    return Note(action, "column", source.name or "(no name)", why)


def _list_notes(notes: Sequence[Note]) -> str:
    return "".join(f"; column {n.name!r} {n.why.partition(':')[0]}" for n in notes[:2])


def _check_models(grid: Grid, models: Sequence[str], keys: Sequence[int], kinds: _Kinds) -> None:
    seen: dict[str, int] = {}
    for name, line in zip(models, grid.lines, strict=True):
        if name in seen:
            among = [j for j in kinds.attributes if not names_parts(grid.header[j])]
            more = unique_with(grid, keys, among)
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
