"""Reader of what harnesses wrote: a file or folder, told by its content."""

from __future__ import annotations

import os
from dataclasses import replace

from eevee.base.errors import EeveeError
from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import find_format, harvest, unknown
from eevee.readers.harness.plain import read_plain
from eevee.readers.harness.settle import mismatches, settle
from eevee.readers.harness.tabulate import tabulate
from eevee.readers.measured import Measured, Options
from eevee.readers.overrides import apply_overrides
from eevee.tables.results_table import SourceColumn

SHAPE = (
    *("layout", "model_column", "benchmark_column", "metric_column", "score_column"),
    "gpu_column",
)
"""Options of delimited files: where one is given, a file is read as one."""


def sniff(source: object) -> bool:
    """Tell whether a source is a file or folder; `read` tells who wrote it, and looks once."""
    return isinstance(source, str | os.PathLike) and os.path.exists(source)


def read(source: str | os.PathLike[str], options: Options, wanted: frozenset[str]) -> Measured:
    """Read results of a harness (see `eevee.read_table`).

    A delimited file for which columns or a layout are named is read as the options say.
    """
    files = Files(source, options.max_mb, options.missing)
    plain = all(getattr(options, name) == getattr(Options(), name) for name in SHAPE)
    if files.root.is_dir() and not plain:
        raise EeveeError(
            f"{files.name}: is a folder; options that name columns or a layout are for one table: "
            "leave them out, or give the table"
        )
    chosen = find_format(files) if plain else None
    if chosen is None and not files.root.is_dir():
        return read_plain(files, options, wanted)
    if chosen is None:
        raise unknown(files)
    found = harvest(files, chosen)
    rows, notes = settle(found.rows, files.name, options.duplicates)
    measured = tabulate(
        rows,
        source=files.name,
        sha256=files.digest({row.where for row in found.rows}),
        layout=f"{chosen.WHAT} (--from {chosen.NAME})",
        models=found.models,
        tasks=found.tasks,
        notes=[*found.notes, *notes, *mismatches(rows)],
    )
    return apply_overrides(replace(measured, sources=_sources(measured)), options)


def _sources(measured: Measured) -> tuple[SourceColumn, ...]:
    """Say what each column is: a score, or what the format's reader says of it."""
    scores = {str(name): SourceColumn(str(name), "score", "") for name in measured.scores}
    known = {*scores, *measured.benchmarks}
    aside = {
        note.name: SourceColumn(
            note.name, "aggregate" if note.action == "dropped" else "ignored", note.why
        )
        for note in measured.notes
        if note.kind in {"column", "benchmark"}
        and note.action in {"dropped", "ignored"}
        and note.name not in known
    }
    return (*scores.values(), *aside.values())
