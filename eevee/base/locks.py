"""A lock beside a path, so that two processes do not write it at the same time."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eevee.base.errors import EeveeError

try:
    import fcntl
except ImportError:  # Windows has none: nothing is locked there
    fcntl = None  # type: ignore[assignment]

_SUFFIX = ".eevee-lock"
_held: set[Path] = set()


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a path, whose folder exists; nested in this process, it is held already.

    The system lets go of the lock of a process that ends, however it ends. Where a file system
    knows no locks, there is none.

    Raises
    ------
    EeveeError
        If another process holds it; the message says which.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with locked(Path(home) / "run"), locked(Path(home) / "run"):
    ...         pass
    ...     os.listdir(home)
    []
    """
    if target in _held or fcntl is None:
        yield
        return
    path = target.with_name(f".{target.name[:100]}{_SUFFIX}")
    file = _take(path, target)
    _held.add(target)
    try:
        yield
    finally:
        _held.discard(target)
        with suppress(OSError):
            path.unlink()
        os.close(file)


def _take(path: Path, target: Path) -> int:
    """Open and lock a file that is still at its path: whoever had it may just have removed it."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            _lock(file, target)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), os.stat(path)):
                    os.ftruncate(file, 0)
                    os.write(file, f"process {os.getpid()} on {socket.gethostname()}".encode())
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _lock(file: int, target: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = os.pread(file, 200, 0).decode("utf-8", "replace") or "another process"
        raise EeveeError(
            f"{target}: another run writes it now ({who}); wait until it ends, or give another "
            "--out"
        ) from None
    except OSError:  # network file systems without locks
        return
