"""The formats that are known, and which of them a source has."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from eevee.base.errors import EeveeError, did_you_mean
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
from eevee.readers.harness.rows import Harvest
from eevee.tables.results_table import Note


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
    return replace(found, notes=(*_note_unread(files), *_note_others(files, chosen), *found.notes))


def _note_unread(files: Files) -> list[Note]:
    unread = [f"{where}: {why}" for where, why in files.unread.items()]
    more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
    why = f"holds a file that cannot be read, {unread[0]}{more}" if unread else ""
    return [Note("dropped", "file", files.name, why)] if unread else []


def _note_others(files: Files, chosen: Format) -> list[Note]:
    """Name what else a folder holds: one format is read at a time."""
    if not files.root.is_dir():
        return []
    others = [one for one in FORMATS if one is not chosen and one.fits(files)]
    names = ", ".join(one.NAME for one in others)
    why = f"holds results of {names} too, which are not read: eevee import --from NAME reads them"
    return [Note("dropped", "file", files.name, why)] if others else []


def unknown(files: Files) -> EeveeError:
    """Make the error about a source that has no known format."""
    what = "a folder" if files.root.is_dir() else "a file"
    unread = next((f"; {where} {why}" for where, why in files.unread.items()), "")
    return EeveeError(
        f"{files.name}: is {what} without scores in a known format; known are CSV and TSV files, "
        f"and results of {', '.join(NAMES)}{unread}"
    )
