"""Reader of what harnesses wrote: a file or folder, told by its content."""

from __future__ import annotations

import os

from eevee.readers.delimited import read as read_delimited
from eevee.readers.harness.files import Files
from eevee.readers.harness.formats import find_format, harvest, unknown
from eevee.readers.harness.settle import mismatches, settle
from eevee.readers.harness.tabulate import tabulate
from eevee.readers.measured import Measured, Options
from eevee.readers.overrides import apply_overrides

SHAPE = (
    *("layout", "model_column", "benchmark_column", "metric_column", "score_column"),
    *("gpu_column", "missing"),
)
"""Options of delimited files: where one is given, a file is read as one."""


def sniff(source: object) -> bool:
    """Tell whether a source is a folder, or a file that a harness wrote."""
    if not isinstance(source, str | os.PathLike) or not os.path.exists(source):
        return False
    return os.path.isdir(source) or find_format(Files(source)) is not None


def read(source: str | os.PathLike[str], options: Options, wanted: frozenset[str]) -> Measured:
    """Read results of a harness (see `eevee.read_table`).

    A delimited file for which columns or a layout are named is read as the options say.
    """
    files = Files(source)
    plain = all(getattr(options, name) == getattr(Options(), name) for name in SHAPE)
    chosen = find_format(files) if plain or files.root.is_dir() else None
    if chosen is None and files.root.is_file():
        return read_delimited(source, options, wanted)
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
    return apply_overrides(measured, options)
