"""One command, run to its end in a guard, with a log and a time limit."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from eevee.running import guard

GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""
_POLL = 0.1


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes
    ----------
    code : int or None
        Exit status (negative: the signal); None if it was ended before.
    seconds : float
        From start to exit.
    why : str
        What went wrong, empty if nothing did.
    """

    code: int | None
    seconds: float
    why: str


def run_command(
    command: str,
    log: IO[bytes],
    *,
    environment: Mapping[str, str],
    stop: threading.Event,
    time_limit: float | None = None,
) -> Ended:
    """Run a command in the shell; afterwards nothing is left of what it started.

    Parameters
    ----------
    command : str
    log : binary file
        Takes its standard output and error.
    environment : mapping
        Set besides what this process has.
    stop : Event
        Ends the command when it is set.
    time_limit : float, optional
        Seconds.
    """
    begun = time.monotonic()
    limit = math.inf if time_limit is None else time_limit
    guarded = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, str(GRACE), str(limit), command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **environment},
        start_new_session=True,  # Ctrl-C comes here alone
    )
    _wait(guarded, stop)
    with guarded:  # closes the pipe, which ends what still runs, and waits
        assert guarded.stdin is not None
        guarded.stdin.close()
        told = _read(guarded)
    seconds = float(told.get("seconds", time.monotonic() - begun))
    code = told.get("code")
    if told.get("late"):
        return Ended(None, seconds, f"ended at the time limit, {limit:g} s")
    if stop.is_set() and code is None:
        return Ended(None, seconds, "stopped")
    if code is None:
        _end_group(told)
        return Ended(None, seconds, "ended from outside")
    return Ended(code, seconds, _words(code))


def _wait(guarded: subprocess.Popen[bytes], stop: threading.Event) -> None:
    """Wait until the command has ended, or shall."""
    while guarded.poll() is None and not stop.is_set():
        with suppress(subprocess.TimeoutExpired):
            guarded.wait(_POLL)


def _read(guarded: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert guarded.stdout is not None
    told: dict[str, Any] = {}
    for line in guarded.stdout:
        with suppress(ValueError):
            told |= json.loads(line)
    return told


def _end_group(told: Mapping[str, Any]) -> None:
    """End the command whose guard was killed."""
    with suppress(OSError, KeyError):
        os.killpg(int(told["group"]), signal.SIGKILL)


def _words(code: int) -> str:
    if code == 0:
        return ""
    if code > 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"
