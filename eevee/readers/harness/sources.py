"""Several sources as one long table: names made one, conflicts settled, versions compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.harness.canonical import write
from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import find_format, harvest, unknown
from eevee.readers.harness.names import note_alike, overrule, rename
from eevee.readers.harness.plain import UNITS, as_harvest, read_plain
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.settle import mismatches, settle
from eevee.readers.measured import Options
from eevee.readers.overrides import matches
from eevee.readers.roles import check_roles
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
    tasks : mapping of benchmark to task
    """

    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    models: Mapping[str, Mapping[str, object]]
    formats: tuple[str, ...]
    tasks: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_models(self) -> int:
        """How many models have a score."""
        return len({row.model for row in self.rows})

    @property
    def n_benchmarks(self) -> int:
        """How many benchmarks have a score."""
        return len({row.benchmark for row in self.rows})

    @property
    def worst(self) -> list[Note]:
        """The notes, what was guessed first, then what was dropped."""
        order = ("guessed", "dropped", "converted", "ignored")
        return sorted(self.notes, key=lambda note: order.index(note.action))

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
        write(path, self.rows, self.models, self.tasks)


def gather(
    sources: Sequence[Source],
    *,
    format: str = "auto",
    aliases: Mapping[str, str] | None = None,
    on_conflict: str = "error",
    cost_unit: str | None = None,
    options: Options | None = None,
) -> Gathered:
    """Read sources, tables or results of harnesses, as one long table.

    Parameters
    ----------
    sources : sequence of paths
    format : str
        That of all sources, ``"auto"`` to tell it from their content.
    aliases : mapping of name to name, optional
        Other names of models and benchmarks, and what they are called in the result.
    on_conflict : {"error", "first", "mean"}
        What is done with scores of one cell that differ; ``"first"`` is by the order of sources.
    cost_unit : {"seconds", "minutes", "hours"}, optional
        What costs in score tables are counted in; they are left out where nobody says.
    options : Options, optional
        How sources are read. What it names has to be in one of them.

    Raises
    ------
    EeveeError
        If a source cannot be read, an alias names no model and no benchmark, or scores conflict.
    """
    if on_conflict not in RULES:
        raise EeveeError(f"on_conflict must be one of {', '.join(RULES)}, not {on_conflict!r}")
    if cost_unit not in {None, *UNITS}:
        raise EeveeError(f"cost_unit must be one of {', '.join(UNITS)}, not {cost_unit!r}")
    options = replace(options or Options(), one_of_several=True)
    check_roles(options.roles)
    found = [_read(source, format, options, cost_unit) for source in sources]
    _check_known(options, [one.names for one in found])
    several = len(found) > 1
    rows = [
        row
        if not several or row.where.startswith(one.name)
        else replace(row, where=f"{one.name}: {row.where}")
        for one in found
        for row in one.harvest.rows
    ]
    aliases = aliases or {}
    alike = note_alike(
        [[row for row in one.harvest.rows if row.benchmark not in aliases] for one in found]
    )
    rows = rename(rows, aliases)
    called = ", ".join(one.name for one in found)
    settled, notes = settle(rows, called if len(called) < 80 else "the sources", on_conflict)
    models: dict[str, dict[str, object]] = {}
    tasks: dict[str, str] = {}
    for one in reversed(found):
        tasks |= {aliases.get(name, name): task for name, task in one.harvest.tasks.items()}
        for model, about in one.harvest.models.items():
            models.setdefault(aliases.get(model, model), {}).update(about)
    every = [note for one in found for note in one.harvest.notes]
    notes = [*alike, *every, *notes, *mismatches(settled), *_note_metrics(settled)]
    formats = tuple(one.format for one in found)
    return Gathered(tuple(settled), tuple(notes), models, formats, tasks)


@dataclass(frozen=True)
class _Found:
    """What one source holds, and all names in it that an option can mean."""

    name: str
    format: str
    harvest: Harvest
    names: frozenset[str]


def _read(source: Source, format: str, options: Options, cost_unit: str | None) -> _Found:
    if not os.path.exists(source):
        raise EeveeError(f"{os.fspath(source)}: no such file or folder")
    files = Files(source, options.max_mb, options.missing)
    chosen = find_format(files, format)
    if chosen is not None:
        found = harvest(files, chosen)
        names = _names(found.rows, found.notes)
        return _Found(files.name, chosen.NAME, overrule(found, options), names)
    if files.root.is_dir():
        raise unknown(files)
    measured = read_plain(files, options, frozenset())
    found = as_harvest(measured, cost_unit)
    names = _names(found.rows, found.notes) | {column.name for column in measured.sources}
    return _Found(files.name, "table", found, names)


def _names(rows: Sequence[Row], notes: Sequence[Note]) -> frozenset[str]:
    named = {name for row in rows for name in (row.model, row.benchmark, row.column)}
    return frozenset(named | {note.name for note in notes})


def _check_known(options: Options, names: Sequence[Collection[str]]) -> None:
    known = {name for some in names for name in some}
    given = (
        ("--drop-columns", options.drop_columns),
        ("--column", tuple(options.roles)),
        ("--drop-models", options.drop_models),
    )
    for option, patterns in given:
        for pattern in patterns:
            if not any(matches(name, [pattern]) for name in known):
                hint = did_you_mean(pattern, known)
                raise EeveeError(f"{option}: {pattern!r} is in none of the sources{hint}")


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
