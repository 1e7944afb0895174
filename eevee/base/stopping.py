"""Ctrl-C, SIGTERM and a closed terminal: at any moment one line, and 128 and the signal's number.

A signal that comes while a library is loaded may come out of it as any other error, so that what
has come is remembered, too.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], None]
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # no SIGHUP on Windows
STOPS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_come: list[int] = []


class Stop(KeyboardInterrupt):
    """A signal came: raised in place of what the program was doing."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def exit_code(number: int) -> int:
    """Return what a shell says of a program that a signal ended.

    Examples
    --------
    >>> exit_code(signal.SIGINT)
    130
    """
    return 128 + int(number)


def stopped_by(error: BaseException) -> int | None:
    """Return the signal behind an error: its own, or one that came before; None without any."""
    if isinstance(error, KeyboardInterrupt):
        return getattr(error, "number", signal.SIGINT)
    return _come[0] if _come else None


def handle(handler: Handler) -> Mapping[int, Any]:
    """Set the handler of all stops, but not where they are ignored (``nohup``, ``&``).

    Returns
    -------
    mapping of signal to handler
        What was there before, to be put back.
    """
    heard = [one for one in STOPS if signal.getsignal(one) is not signal.SIG_IGN]
    return {one: signal.signal(one, handler) for one in heard}


def put_back(handlers: Mapping[int, Any]) -> None:
    """Set the handlers that `handle` returned."""
    for one, handler in handlers.items():
        signal.signal(one, handler)


def end_at_once() -> None:
    """Let a stop end the program on the spot: for while nothing but imports is going on."""
    handle(_end)


@contextmanager
def raising() -> Iterator[None]:
    """Let a stop raise `Stop` inside, and be ignored after it: the work is done then."""
    _come.clear()
    handle(_raise)
    sys.unraisablehook = _not_lost
    try:
        yield
    finally:
        handle(_ignore)


def _end(number: int, frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(exit_code(number))


def _raise(number: int, frame: FrameType | None) -> None:
    _come.append(number)
    raise Stop(number)


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing."""


def _not_lost(unraisable: Any) -> None:
    """End where Python can raise nothing, as in a destructor, and would forget the stop."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _end(stopped_by(unraisable.exc_value) or signal.SIGINT, None)
    sys.__unraisablehook__(unraisable)
