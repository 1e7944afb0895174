"""The place of a run folder: what may be written, or replaced, at `--out`, and by whom."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eevee.base.errors import EeveeError
from eevee.base.files import clear_leftovers, file_mode, leftovers, temporary_folder
from eevee.base.locks import locked

CONFIG = "config.json"
FORMAT = "eevee.run/1"
RUN_NAMES = frozenset(
    {
        CONFIG,
        "ablation.csv",
        "agreement.csv",
        "assessment.csv",
        "baselines.csv",
        "columns.csv",
        "completed.csv",
        "differences.csv",
        "figures",
        "filled.csv",
        "folds.csv",
        "front.csv",
        "gap.csv",
        "learning.csv",
        "logbook.csv",
        "mask.csv",
        "models.csv",
        "next.csv",
        "objectives.csv",
        "pairs.csv",
        "pairwise.csv",
        "ranking.csv",
        "ratings.json",
        "report.html",
        "splits.csv",
        "stability.json",
        "subsets.csv",
        "sweep.csv",
        "tiers.json",
        "tiers.yaml",
        "verdict.json",
    }
)
"""What a run folder may hold: a folder with anything else is never replaced."""
EARLIER = "earlier"
"""Where an earlier run waits, inside a temporary folder, until the new one is in its place."""


def check_out(out: str | os.PathLike[str]) -> Path:
    """Check, before the work, that a run folder may be written (or replaced) at a path.

    Raises
    ------
    EeveeError
        If something else than a run folder or an empty folder is there, or nothing can be
        written there.
    """
    path = Path(out)
    try:
        mode = file_mode(path)
        target = Path(os.path.realpath(path))
        if mode is not None:
            _check_place(path, target, mode)
        else:
            _restore(target)
        if target.is_dir():
            _check_replaceable(target, path)
        home = next((parent for parent in target.parents if parent.exists()), target)
        if not home.is_dir():
            raise EeveeError(f"{home}: is a file; give another --out")
        clear_leftovers(target)
        with temporary_folder(home / target.name):
            pass
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def _check_place(path: Path, target: Path, mode: int) -> None:
    """Refuse what is no folder, and folders that cannot be renamed."""
    if not stat.S_ISDIR(mode):
        raise EeveeError(f"{path}: is a file; give another --out")
    if target in (here := Path(os.path.realpath("."))).parents or target == here:
        raise EeveeError(f"{path}: holds the folder that you are in; give another --out")
    if os.path.ismount(target):
        raise EeveeError(f"{path}: is a mount point; give a folder inside it as --out")


@contextlib.contextmanager
def claimed(out: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Check that a run folder may be written at a path, and keep other processes from it.

    Folders above it are made, and removed in the end if nothing is in them. Without a path
    (None) there is nothing to do.

    Yields
    ------
    Path
        Where it will be, links followed.

    Raises
    ------
    EeveeError
        As `check_out`, or if another process is at work there.
    """
    if out is None:
        yield Path()
        return
    path = check_out(out)
    target = Path(os.path.realpath(path))
    made = [parent for parent in target.parents if not parent.exists()]
    with contextlib.ExitStack() as stack:
        stack.callback(_remove_empty, made)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(target))
        except OSError as error:
            raise unwritable(path, error) from None
        yield target


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):  # it holds the run, if all went well
            folder.rmdir()


def _check_replaceable(folder: Path, path: Path) -> None:
    """Refuse to replace a folder that holds anything but an earlier run."""
    names = sorted(entry.name for entry in folder.iterdir())
    if not names:
        return
    content = config_of(folder)
    if content is None:
        raise EeveeError(f"{path}: holds files that are no earlier run; give another --out")
    written = content.get("files")
    if not isinstance(written, list):  # written before runs listed their files
        written = [name for name in RUN_NAMES if (folder / name).is_file()]
    foreign = sorted(set(files_in(folder)) - set(map(str, written)))
    if foreign:
        raise EeveeError(
            f"{path}: holds {foreign[0]!r}, which would be lost with the earlier run; move it or "
            "give another --out"
        )


def config_of(folder: Path) -> dict[str, Any] | None:
    """Return what a run says of itself, None where a folder holds none."""
    try:
        content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    is_run = isinstance(content, dict) and content.get("schema") == FORMAT
    return content if is_run else None


def files_in(folder: Path) -> list[str]:
    """Return the files of a folder, and empty folders in it, relative to it."""
    found = []
    for entry in sorted(folder.iterdir()):
        inner = files_in(entry) if entry.is_dir() and not entry.is_symlink() else []
        found += [f"{entry.name}/{name}" for name in inner] or [entry.name]
    return found


def _restore(target: Path) -> None:
    """Put an earlier run back that a run, killed between two renames, had put aside."""
    for left in leftovers(target):
        if (left / EARLIER).is_dir():
            (left / EARLIER).rename(target)
            return


def unwritable(path: Path, error: OSError) -> EeveeError:
    """Return the error that names a path and what the system says of it."""
    return EeveeError(f"{path}: cannot be written: {error.strerror or error}")
