"""The run folder: everything that a job leaves behind, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.base.errors import EeveeError
from eevee.base.files import (
    clear_leftovers,
    file_mode,
    leftovers,
    new_temporary_folder,
    temporary_folder,
)
from eevee.search.checkpoint import Checkpoints
from eevee.search.result import SearchResult

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
_EARLIER = "earlier"
"""Where an earlier run waits, inside a temporary folder, until the new one is in its place."""
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VERSIONS = ("numpy", "pandas", "scipy", "scikit-learn", "torch", "deap", "matplotlib")


def check_name(name: str) -> str:
    """Return a name that may become part of a file name.

    Raises
    ------
    EeveeError
        If it holds anything but letters, digits, dots, underscores and hyphens.

    Examples
    --------
    >>> check_name("small-1")
    'small-1'
    """
    if not _SAFE_NAME.fullmatch(name):
        raise EeveeError(
            f"{name!r} cannot name a tier here: use up to 64 letters, digits, '.', '_', '-', "
            "starting with a letter or digit"
        )
    return name


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
        raise _unwritable(path, error) from None
    return path


def _check_place(path: Path, target: Path, mode: int) -> None:
    """Refuse what is no folder, and folders that cannot be renamed."""
    if not stat.S_ISDIR(mode):
        raise EeveeError(f"{path}: is a file; give another --out")
    if target in (here := Path(os.path.realpath("."))).parents or target == here:
        raise EeveeError(f"{path}: holds the folder that you are in; give another --out")
    if os.path.ismount(target):
        raise EeveeError(f"{path}: is a mount point; give a folder inside it as --out")


def open_checkpoints(out: str | os.PathLike[str], *, resume: bool) -> Checkpoints:
    """Return where a run keeps its checkpoints: a folder beside its own.

    Raises
    ------
    EeveeError
        If an interrupted run left some there, and it is not to be resumed.
    """
    path = Path(os.path.abspath(out)) if Path(out).name in ("", "..") else Path(out)
    folder = path.with_name(f"{path.name}.checkpoint")
    if not resume and folder.is_dir() and any(folder.glob("search-*.json")):
        raise EeveeError(
            f"{folder}: holds an interrupted run; add --resume to go on with it, or remove the "
            "folder to start again"
        )
    return Checkpoints(folder)


@contextlib.contextmanager
def run_folder(out: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary folder beside `out` and rename it to `out` if all goes well.

    An earlier run at `out` is replaced. On an error nothing is left behind and what was there
    stays as it was.

    Raises
    ------
    EeveeError
        If something else is at `out`, or the folder cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with run_folder(Path(home) / "run") as folder:
    ...         _ = (folder / "config.json").write_text("{}")
    ...     sorted(path.name for path in (Path(home) / "run").iterdir())
    ['config.json']
    """
    path = check_out(out)
    target = Path(os.path.realpath(path))
    made = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(target) as temporary:
            yield temporary
            _list_files(temporary)
            temporary.chmod(0o777 & ~_umask())
            _replace(temporary, target)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        for parent in made:
            with contextlib.suppress(OSError):  # it holds the run, if all went well
                parent.rmdir()


def hash_files(paths: Mapping[str, Path]) -> dict[str, dict[str, str | None]]:
    """Return path and SHA-256 of each file; None for what can be read only once, as a pipe."""
    hashes: dict[str, dict[str, str | None]] = {}
    for name, path in paths.items():
        digest = None
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        hashes[name] = {"file": str(path), "sha256": digest}
    return hashes


def write_config(folder: Path, command: str, settings: Mapping[str, Any]) -> None:
    """Write `config.json`: every setting, the versions, and what was read."""
    content = {
        "schema": FORMAT,
        "created_with": f"eevee {__version__}",
        "command": command,
        **settings,
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in _VERSIONS},
        },
        "platform": {"system": sys.platform, "machine": platform.machine()},
    }
    write_json(folder / CONFIG, content)


def write_json(path: Path, content: object) -> None:
    """Write JSON; NaN becomes null."""
    text = json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a CSV: losses with 6 significant digits, costs with 12, subsets as JSON lists."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    for row in frame.itertuples(index=False):
        writer.writerow(
            [_cell(name, value) for name, value in zip(frame.columns, row, strict=True)]
        )
    path.write_text(text.getvalue(), encoding="utf-8")


def ranked_subsets(found: Mapping[str, SearchResult], by: str) -> pd.DataFrame:
    """Return the ranked subsets of several searches as one frame, named in column `by`."""
    parts = []
    for name, result in found.items():
        ranked = result.ranked.copy()
        ranked.insert(0, "rank", np.arange(1, len(ranked) + 1))
        ranked.insert(0, by, name)
        about = {"targets": result.targets, "objective": result.objective, "exact": result.exact}
        parts.append(ranked.assign(**about))
    return pd.concat(parts, ignore_index=True)


def logbooks(found: Mapping[str, SearchResult], by: str) -> pd.DataFrame:
    """Return the logbooks of several searches as one frame, named in column `by`."""
    parts = [
        result.logbook.assign(**{by: name, "objective": result.objective})
        for name, result in found.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame[[by, *(name for name in frame.columns if name != by)]]


def agreements(found: Mapping[str, SearchResult], by: str, what: str) -> pd.DataFrame:
    """Return the frame `what` of the agreements of several searches as one, named in `by`.

    ``varied`` says over what: "seeds" (on the same splits) or "splits".
    """
    parts: list[pd.DataFrame] = [
        getattr(one, what).assign(**{by: name, "varied": varied})
        for name, result in found.items()
        for varied, one in (("seeds", result.agreement), ("splits", result.split_agreement))
        if one is not None and one.jaccard is not None
    ]
    frame = pd.concat(parts, ignore_index=True)
    first = [by, "varied"]
    return frame[[*first, *(name for name in frame.columns if name not in first)]]


def plain(value: Any) -> Any:
    """Turn numpy and pandas values into what JSON can hold; NaN becomes None.

    Examples
    --------
    >>> plain({"a": np.float64("nan"), "b": (1, np.int64(2))})
    {'a': None, 'b': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(member) for member in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, str):  # a path or an option that is no UTF-8
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def _cell(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        return f"{value:.12g}" if name == "cost" else f"{value:.6g}"
    return "" if value is None else str(value)


def _check_replaceable(folder: Path, path: Path) -> None:
    """Refuse to replace a folder that holds anything but an earlier run."""
    names = sorted(entry.name for entry in folder.iterdir())
    if not names:
        return
    content = _config(folder)
    if content is None:
        raise EeveeError(f"{path}: holds files that are no earlier run; give another --out")
    written = content.get("files")
    if not isinstance(written, list):  # written before runs listed their files
        written = [name for name in RUN_NAMES if (folder / name).is_file()]
    foreign = sorted(set(_files_in(folder)) - set(map(str, written)))
    if foreign:
        raise EeveeError(
            f"{path}: holds {foreign[0]!r}, which would be lost with the earlier run; move it or "
            "give another --out"
        )


def _config(folder: Path) -> dict[str, Any] | None:
    """Return what a run says of itself, None where a folder holds none."""
    try:
        content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    is_run = isinstance(content, dict) and content.get("schema") == FORMAT
    return content if is_run else None


def _files_in(folder: Path) -> list[str]:
    """Return the files of a folder, and empty folders in it, relative to it."""
    found = []
    for entry in sorted(folder.iterdir()):
        inner = _files_in(entry) if entry.is_dir() and not entry.is_symlink() else []
        found += [f"{entry.name}/{name}" for name in inner] or [entry.name]
    return found


def _list_files(folder: Path) -> None:
    """Write into `config.json` which files the run consists of: only they are ever replaced."""
    content = _config(folder)
    if content is not None:
        write_json(folder / CONFIG, {**content, "files": _files_in(folder)})


def _replace(temporary: Path, target: Path) -> None:
    """Rename over `target`; the earlier run goes only when the new one is in place."""
    if not target.exists():
        temporary.rename(target)
        return
    aside = new_temporary_folder(target)
    earlier = aside / _EARLIER
    try:
        target.rename(earlier)
        temporary.rename(target)
    except BaseException:  # Ctrl-C too
        if earlier.exists() and not target.exists():
            earlier.rename(target)
        raise
    finally:
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _restore(target: Path) -> None:
    """Put an earlier run back that a run, killed between two renames, had put aside."""
    for left in leftovers(target):
        if (left / _EARLIER).is_dir():
            (left / _EARLIER).rename(target)
            return


def _unwritable(path: Path, error: OSError) -> EeveeError:
    return EeveeError(f"{path}: cannot be written: {error.strerror or error}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
