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
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.base.dates import today
from eevee.base.errors import EeveeError
from eevee.base.files import new_temporary_folder, temporary_folder
from eevee.report.out import CONFIG, EARLIER, FORMAT, claimed, config_of, files_in, unwritable
from eevee.search.checkpoint import Checkpoints
from eevee.search.result import SearchResult

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_STATES = "checkpoint_sha256"
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


def open_checkpoints(out: str | os.PathLike[str], *, resume: bool) -> Checkpoints:
    """Return where a run keeps its checkpoints: a folder beside its own.

    What a run left that was killed when its results were written already (`states_of`) is removed.

    Raises
    ------
    EeveeError
        If an interrupted run left some there, and it is not to be resumed.
    """
    path = Path(os.path.abspath(out)) if Path(out).name in ("", "..") else Path(out)
    checkpoints = Checkpoints(path.with_name(f"{path.name}.checkpoint"))
    left = None if resume else checkpoints.digest()
    if left is None:
        return checkpoints
    if (config_of(path) or {}).get(_STATES) != left:
        raise EeveeError(
            f"{checkpoints.folder}: holds an interrupted run; add --resume to go on with it, or "
            "remove the folder to start again"
        )
    checkpoints.remove()
    return checkpoints


def states_of(checkpoints: Checkpoints | None) -> dict[str, str]:
    """Return what a finished run says in its `config.json` of the states that led to it.

    The results are renamed into place before the states are removed: a kill between the two
    leaves states of a run that is whole.
    """
    digest = None if checkpoints is None else checkpoints.digest()
    return {} if digest is None else {_STATES: digest}


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
    with claimed(out) as target:
        try:
            with temporary_folder(target) as temporary:
                yield temporary
                _list_files(temporary)
                temporary.chmod(0o777 & ~_umask())
                _replace(temporary, target)
        except OSError as error:
            raise unwritable(Path(out), error) from None


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
        "date": today(),
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
    return "" if value is None or value is pd.NA else str(value)


def _list_files(folder: Path) -> None:
    """Write into `config.json` which files the run consists of: only they are ever replaced."""
    content = config_of(folder)
    if content is not None:
        write_json(folder / CONFIG, {**content, "files": files_in(folder)})


def _replace(temporary: Path, target: Path) -> None:
    """Rename over `target`; the earlier run goes only when the new one is in place."""
    if not target.exists():
        temporary.rename(target)
        return
    aside = new_temporary_folder(target)
    earlier = aside / EARLIER
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
