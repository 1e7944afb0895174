"""A process around one command, which ends all that the command started, however that began.

    python -I -S guard.py GRACE LIMIT COMMAND < a pipe of the runner > another

It ends everything when the command exits, at its time limit (LIMIT seconds; inf: none), when the
runner closes the pipe, and when the runner is gone, since that closes the pipe, too: even SIGKILL
of the runner leaves nothing behind. The process group of the command gets SIGTERM, and SIGKILL
after GRACE seconds. On Linux what left the group (daemons, `setsid`) becomes a child of this
process and is ended as well; elsewhere it is not. If this process itself gets SIGKILL, the shell
of the command ends, too, on Linux, but what it started may not.

A script of its own that needs the standard library alone, so that it starts in hundredths of a
second. It prints the number of the group, then the exit status, the seconds taken and whether the
time was up.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PAUSE, _LONGEST = 0.01, 3600.0


def main(grace: float, limit: float, command: str) -> None:
    """Run a command to its end, or to that of the runner."""
    wake = _wake_on_signals()
    prctl = _prctl()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    here = os.getpid()

    def die_with_guard() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != here:
            os._exit(1)

    begun = time.monotonic()
    child = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        stderr=sys.stderr,
        start_new_session=True,
        preexec_fn=die_with_guard,  # noqa: PLW1509 - this process has one thread
    )
    _tell({"group": child.pid})
    code = _wait(child, wake, begun + limit)
    seconds = time.monotonic() - begun
    end_all(child.pid, grace)
    _tell({"code": code, "seconds": seconds, "late": code is None and seconds >= limit})


def _wake_on_signals() -> int:
    """Return what can be read from after a signal; the usual ones end the command, then this."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return read


def _prctl() -> Callable[[int, int], object]:
    if LINUX:
        with suppress(OSError, AttributeError, ImportError):
            import ctypes

            found: Callable[[int, int], object] = ctypes.CDLL(None).prctl
            return found
    return lambda option, value: None


def _wait(child: subprocess.Popen[bytes], wake: int, end: float) -> int | None:
    """Return the exit status of the command, None if it shall end before."""
    runner = sys.stdin.fileno()
    while (code := child.poll()) is None:
        left = min(end - time.monotonic(), _LONGEST)
        if left <= 0:
            return None
        ready, _, _ = select.select([runner, wake], [], [], left)
        if runner in ready:
            return None
        if wake in ready and set(os.read(wake, 512)) - {signal.SIGCHLD}:
            return None
    return code


def end_all(group: int, grace: float) -> None:
    """End a process group and all children of this process, gently first."""
    deadline = time.monotonic() + grace
    asked: set[int] = set()
    while _left(group) and time.monotonic() < deadline:
        for process in {-group, *_children()} - asked:
            asked.add(process)
            _send(process, signal.SIGTERM)
        time.sleep(_PAUSE)
    while _left(group):
        for process in (-group, *_children()):
            _send(process, signal.SIGKILL)
        time.sleep(_PAUSE)


def _left(group: int) -> bool:
    """Reap what has ended; tell whether anything has not."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        if LINUX:
            return False  # no child: nobody is in the group either
        return _send(-group, 0)
    return True


def _children() -> list[int]:
    """Children of this process, on Linux: their numbers cannot be taken before they are reaped."""
    found = []
    here = str(os.getpid())
    for folder in Path("/proc").glob("[0-9]*") if LINUX else ():
        with suppress(OSError, IndexError):
            if (folder / "stat").read_text("latin-1").rpartition(")")[2].split()[1] == here:
                found.append(int(folder.name))
    return found


def _send(process: int, number: int) -> bool:
    """Send a signal to a process, or to a group (negative); tell whether there was any."""
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _tell(what: dict[str, object]) -> None:
    with suppress(OSError):  # nobody listens any more
        print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
