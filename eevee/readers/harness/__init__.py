"""Results of evaluation harnesses: one module per format, all with `fits` and `read`.

Each module reads a file or a folder (`Files`) as rows of one shape (`Row`); the rows go through
the reader of long tables. What a source holds is told from its content.
"""

from __future__ import annotations

import os
from typing import Protocol

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.delimited import read as read_delimited
from eevee.readers.harness import (
    canonical,
    clip_benchmark,
    every_eval_ever,
    helm,
    helm_tables,
    inspect_logs,
    lighteval,
    lm_eval,
    mteb,
    open_clip,
    opencompass,
    vlmevalkit,
    wandb,
)
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.settle import mismatches, settle
from eevee.readers.harness.tabulate import tabulate
from eevee.readers.measured import Measured, Options


class Format(Protocol):
    """What each module of a format is."""

    NAME: str
    WHAT: str

    def fits(self, files: Files) -> bool:
        """Tell from its content whether a source has this format."""
        ...

    def read(self, files: Files) -> Harvest:
        """Read its scores."""
        ...


FORMATS: tuple[Format, ...] = (
    canonical,
    lm_eval,
    mteb,
    helm,
    helm_tables,
    open_clip,
    clip_benchmark,
    opencompass,
    inspect_logs,
    lighteval,
    wandb,
    vlmevalkit,
    every_eval_ever,
)
NAMES = tuple(one.NAME for one in FORMATS)


def find_format(files: Files, name: str = "auto") -> Format | None:
    """Return the format of a source, by name or by content; None if no format fits.

    Raises
    ------
    EeveeError
        If there is no format of that name, or the source has not the format named.
    """
    if name == "auto":
        return next((one for one in FORMATS if one.fits(files)), None)
    chosen = next((one for one in FORMATS if name == one.NAME), None)
    if chosen is None:
        hint = did_you_mean(name, NAMES)
        raise EeveeError(f"{name!r} is no known format{hint}; known are {', '.join(NAMES)}")
    if not chosen.fits(files):
        raise EeveeError(
            f"{files.name}: holds no {chosen.WHAT}; leave --from out to let it be told"
        )
    return chosen


def harvest(files: Files, chosen: Format) -> Harvest:
    """Read the scores of a source.

    Raises
    ------
    EeveeError
        If there are none.
    """
    found = chosen.read(files)
    if not found.rows:
        why = "".join(f"; {note.name}: {note.why}" for note in found.notes[:1])
        raise EeveeError(f"{files.name}: {chosen.WHAT} without a single score{why}")
    return found


def unknown(files: Files) -> EeveeError:
    """Make the error about a source that has no known format."""
    known = "; ".join(f"{one.NAME} ({one.WHAT})" for one in FORMATS)
    what = "folder" if files.root.is_dir() else "file"
    return EeveeError(
        f"{files.name}: is no {what} of scores that is known; known are CSV and TSV files; {known}"
    )


def sniff(source: object) -> bool:
    """Tell whether a source is a folder, or a file that a harness wrote."""
    if not isinstance(source, str | os.PathLike) or not os.path.exists(source):
        return False
    return os.path.isdir(source) or _looks_foreign(Files(source))


def read(source: str | os.PathLike[str], options: Options, wanted: frozenset[str]) -> Measured:
    """Read results of a harness (see `eevee.read_table`).

    A delimited file for which columns or a layout are named is read as the options say.
    """
    files = Files(source)
    plain = options == Options(duplicates=options.duplicates)
    chosen = find_format(files) if plain or files.root.is_dir() else None
    if chosen is None and files.root.is_file():
        return read_delimited(source, options, wanted)
    if chosen is None:
        raise unknown(files)
    found = harvest(files, chosen)
    rows, notes = settle(found.rows, files.name, options.duplicates)
    return tabulate(
        rows,
        source=files.name,
        sha256=files.digest({row.where for row in found.rows}),
        layout=f"{chosen.WHAT} (--from {chosen.NAME})",
        models=found.models,
        notes=[*found.notes, *notes, *mismatches(rows)],
    )


def _looks_foreign(files: Files) -> bool:
    """Tell whether a single file has a format of a harness."""
    return find_format(files) is not None


__all__ = ["FORMATS", "NAMES", "Files", "Format", "Harvest", "Row", "find_format", "harvest"]
