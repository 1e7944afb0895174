"""Writing a file whole or not at all: to a temporary file beside it, then renamed.

Temporary files and folders carry host and process in their names, so that what a killed run left
behind can be told from what another run is writing, and is removed by the next one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eevee.base.errors import EeveeError

_HOST = hashlib.blake2b(socket.gethostname().encode(), digest_size=4).hexdigest()
_TEMPORARY = re.compile(r"\.(?P<stem>.+)\.(?P<host>[0-9a-f]{8})-(?P<process>[0-9]+)\..*tmp", re.S)
_LIVE: set[Path] = set()
"""Temporaries of this process: after a restart another process may have its number."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path in the same folder and rename it to `path` if all goes well.

    A link is followed, and stays. What is no plain file (a device, a pipe) is written to, never
    replaced.

    Raises
    ------
    EeveeError
        If the file cannot be written. Nothing is left behind and what was there stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with replacing(Path(home) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [path.name for path in Path(home).iterdir()]
    ['a.txt']
    """
    try:
        mode = file_mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise EeveeError(f"{path}: cannot be written: is a folder; give a file")
        if mode is None or stat.S_ISREG(mode):
            with _renamed(Path(os.path.realpath(path))) as temporary:
                yield temporary
        else:
            with _copied(path) as temporary:
                yield temporary
    except OSError as error:
        raise EeveeError(f"{path}: cannot be written: {error.strerror or error}") from None


def file_mode(path: Path) -> int | None:
    """Return the mode of what is at a path, links followed; None where nothing is."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextmanager
def _renamed(target: Path) -> Iterator[Path]:
    clear_leftovers(target)
    temporary = target.with_name(temporary_name(target, ""))
    _LIVE.add(temporary)
    try:
        yield temporary
        _flush(temporary)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink()
        _LIVE.discard(temporary)


@contextmanager
def _copied(target: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "content"
        yield temporary
        with temporary.open("rb") as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)


def temporary_name(target: Path, unique: str) -> str:
    """Return a name for what will become `target`: hidden, with host and process."""
    return f".{target.name[:100]}.{_HOST}-{os.getpid()}.{unique}tmp"


@contextmanager
def temporary_folder(target: Path) -> Iterator[Path]:
    """Give a new folder beside `target`, gone in the end with what is still in it."""
    folder = new_temporary_folder(target)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_temporary_folder(target: Path) -> Path:
    """Return a new folder beside `target`; the caller removes it."""
    prefix = temporary_name(target, "").removesuffix("tmp")
    folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=".tmp", dir=target.parent))
    _LIVE.add(folder)
    return folder


def leftovers(target: Path) -> list[Path]:
    """Return the temporaries of `target` whose process, on this host, is no more."""
    with suppress(OSError):
        return [path for path in target.parent.iterdir() if _is_left(path, target.name[:100])]
    return []


def clear_leftovers(target: Path) -> None:
    """Remove what killed runs left of `target`."""
    for path in leftovers(target):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


def _is_left(path: Path, stem: str) -> bool:
    match = _TEMPORARY.fullmatch(path.name)
    if match is None or (match["stem"], match["host"]) != (stem, _HOST):
        return False
    process = int(match["process"])
    return path not in _LIVE if process == os.getpid() else not is_running(process)


def is_running(process: int) -> bool:
    """Tell whether a process runs on this host; where that cannot be told, it does."""
    if os.name == "nt":
        return True  # os.kill(process, 0) would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _flush(path: Path) -> None:
    """Put content on the disk before its name: a power cut may keep the later one alone."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
