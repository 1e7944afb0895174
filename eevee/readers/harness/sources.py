"""Several sources as one long table: names made one, conflicts settled, versions compared."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eevee.base.errors import EeveeError
from eevee.readers.delimited import read as read_delimited
from eevee.readers.harness.canonical import write
from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import find_format, harvest, unknown
from eevee.readers.harness.rows import SECONDS, Harvest, Row
from eevee.readers.harness.settle import mismatches, settle
from eevee.readers.measured import Measured, Options
from eevee.tables.column_names import LONE_METRIC, is_aggregate
from eevee.tables.results_table import Note

RULES = ("error", "first", "mean")
"""What is done with scores of one cell that differ."""

Source = str | os.PathLike[str]


@dataclass(frozen=True)
class Gathered:
    """One score per cell, from all sources.

    Attributes
    ----------
    rows : tuple of Row
    notes : tuple of Note
        What was dropped, guessed, ignored or converted, in all sources.
    models : mapping of model to attributes
    formats : tuple of str
        One per source.
    """

    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    models: Mapping[str, Mapping[str, object]]
    formats: tuple[str, ...]

    @property
    def n_models(self) -> int:
        """How many models have a score."""
        return len({row.model for row in self.rows})

    @property
    def n_benchmarks(self) -> int:
        """How many benchmarks have a score."""
        return len({row.benchmark for row in self.rows})

    def summary(self) -> dict[str, object]:
        """Return what was gathered, in numbers and notes."""
        return {
            "formats": list(self.formats),
            "models": self.n_models,
            "benchmarks": self.n_benchmarks,
            "scores": len(self.rows),
            "notes": [vars(note) for note in self.notes],
        }

    def write_csv(self, path: Path) -> None:
        """Write the long table, which every verb reads."""
        write(path, self.rows, self.models)


def gather(
    sources: Sequence[Source],
    *,
    format: str = "auto",
    aliases: Mapping[str, str] | None = None,
    on_conflict: str = "error",
) -> Gathered:
    """Read sources, tables or results of harnesses, as one long table.

    Parameters
    ----------
    sources : sequence of paths
    format : str
        That of all sources, ``"auto"`` to tell it from their content.
    aliases : mapping of name to name, optional
        Other names of models, and what they are called in the result.
    on_conflict : {"error", "first", "mean"}
        What is done with scores of one cell that differ; ``"first"`` is by the order of sources.

    Raises
    ------
    EeveeError
        If a source cannot be read, an alias names no model, or scores conflict.
    """
    if on_conflict not in RULES:
        raise EeveeError(f"on_conflict must be one of {', '.join(RULES)}, not {on_conflict!r}")
    found = [_read(source, format) for source in sources]
    several = len(found) > 1
    rows = [
        replace(row, where=f"{name}: {row.where}") if several and row.where != name else row
        for name, _, one in found
        for row in one.rows
    ]
    rows = _renamed(rows, aliases or {})
    called = ", ".join(name for name, _, _ in found)
    settled, notes = settle(rows, called if len(called) < 80 else "the sources", on_conflict)
    models: dict[str, dict[str, object]] = {}
    for _, _, one in reversed(found):
        for model, about in one.models.items():
            models.setdefault((aliases or {}).get(model, model), {}).update(about)
    every = [note for _, _, one in found for note in one.notes]
    notes = [*every, *notes, *mismatches(settled), *_note_metrics(settled)]
    return Gathered(tuple(settled), tuple(notes), models, tuple(chosen for _, chosen, _ in found))


def read_aliases(path: Source) -> dict[str, str]:
    """Read other names of models: a CSV with columns alias and model.

    Raises
    ------
    EeveeError
        If the file cannot be read, or an alias stands for two models.
    """
    where = Path(path).name
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        reason = getattr(why, "strerror", None) or "it is not a CSV file in UTF-8"
        raise EeveeError(f"{where}: cannot be read ({reason})") from None
    if not rows or [cell.strip().casefold() for cell in rows[0]] != ["alias", "model"]:
        raise EeveeError(f"{where}: needs a header row 'alias,model'")
    aliases: dict[str, str] = {}
    for line, row in enumerate(rows[1:], start=2):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            raise EeveeError(f"{where}: row {line} needs two names, an alias and a model")
        if aliases.setdefault(cells[0], cells[1]) != cells[1]:
            raise EeveeError(f"{where}: row {line}: {cells[0]!r} is {aliases[cells[0]]!r} already")
    return aliases


def _read(source: Source, format: str) -> tuple[str, str, Harvest]:
    if not os.path.exists(source):
        raise EeveeError(f"{os.fspath(source)}: no such file or folder")
    files = Files(source)
    chosen = find_format(files, format)
    if chosen is not None:
        return files.name, chosen.NAME, harvest(files, chosen)
    if files.root.is_dir():
        raise unknown(files)
    try:
        measured = read_delimited(source, Options(), frozenset())
    except EeveeError as wrong:
        if "looks like JSON" in str(wrong):
            raise unknown(files) from None
        raise
    return files.name, "table", _as_harvest(measured)


def _as_harvest(measured: Measured) -> Harvest:
    """Return the cells of a plain table as rows; aggregates are no benchmarks."""
    rows = []
    dropped = [str(name) for name in measured.scores if is_aggregate(str(name))]
    for name in measured.scores.columns:
        about = measured.columns.loc[name]
        metric = "" if about["metric"] == LONE_METRIC else str(about["metric"])
        for model, score in measured.scores[name].dropna().items():
            if str(name) in dropped:
                continue
            errors = measured.stderrs
            error = math.nan if errors is None else errors[name].astype(float)[str(model)]
            rows.append(
                Row(
                    model=str(model),
                    benchmark=str(about["benchmark"]),
                    metric=metric,
                    score=float(score),
                    direction=None if about["direction"] is None else str(about["direction"]),
                    stderr=float(error),
                    where=measured.source,
                )
            )
    why = "is an aggregate of other columns, by its name"
    notes = [*measured.notes, *(Note("dropped", "column", name, why) for name in dropped)]
    if measured.costs is not None and measured.costs.unit != SECONDS:
        why = "has costs in a unit that is not told: left out of the long table"
        notes.append(Note("ignored", "cost", measured.source, why))
    attributes = {
        str(model): {str(key): value for key, value in about.items()}
        for model, about in measured.models.to_dict("index").items()
    }
    return Harvest(tuple(rows), tuple(notes), attributes)


def _renamed(rows: Sequence[Row], aliases: Mapping[str, str]) -> list[Row]:
    known = {row.model for row in rows}
    for alias in aliases:
        if alias not in known:
            raise EeveeError(f"aliases: {alias!r} is no model of the sources; take the row out")
    return [replace(row, model=aliases.get(row.model, row.model)) for row in rows]


def _note_metrics(rows: Sequence[Row]) -> list[Note]:
    """Name benchmarks that no model is compared on: each of their metrics has other models."""
    models: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        models.setdefault(row.benchmark, {}).setdefault(row.metric, set()).add(row.model)
    return [
        Note("guessed", "benchmark", benchmark, "has other models in each of its metrics "
             f"({', '.join(metric or 'no name' for metric in by_metric)}): kept as columns")
        for benchmark, by_metric in models.items()
        if len(by_metric) > 1 and not set.intersection(*by_metric.values())
    ]  # fmt: skip
