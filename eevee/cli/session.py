"""One search job on the command line: its progress, its checkpoints, and Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

from eevee.cli.command import INTERRUPTED
from eevee.cli.options import RunOptions
from eevee.cli.printing import Reporter, progress_bar, say

if TYPE_CHECKING:
    from eevee.search.checkpoint import Checkpoints
    from eevee.search.control import RunControl


_STOPS = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and what schedulers send before they kill: the checkpoint and --resume are for both."""


class Session:
    """What a search needs from the shell that it runs in.

    Attributes
    ----------
    bar : Reporter
    checkpoints : Checkpoints or None
        Beside the run folder, where there is one.
    """

    def __init__(self, bar: Reporter, checkpoints: Checkpoints | None, out: Path | None) -> None:
        self.bar = bar
        self.checkpoints = checkpoints
        self._out = out
        self._asked = False

    def stop(self) -> bool:
        """Whether Ctrl-C has been pressed."""
        return self._asked

    @property
    def beside(self) -> RunControl:
        """What many quick searches take: they are no news, and keep no state."""
        from eevee.search.control import RunControl

        return RunControl(None, self.stop, self.bar.beside)

    @property
    def folds(self) -> RunControl:
        """What searches inside outer splits take: they are no news, and keep their states."""
        from eevee.search.control import RunControl

        return RunControl(self.checkpoints, self.stop, self.bar.beside)

    @property
    def control(self) -> RunControl:
        """What a search takes of this."""
        from eevee.search.control import RunControl

        return RunControl(self.checkpoints, self.stop, self.bar.search, self.bar.advance)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take note of the first Ctrl-C; the second one stops at once."""
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self.bar.say("interrupted: finishing this generation; Ctrl-C again stops at once")

    def finish(self, what: str = "this is the best so far") -> None:
        """Exit with 130 after an interrupted run, and say what there is."""
        if not self._asked:
            return
        on = "" if self._out is None else f"; --resume --out {self._out} goes on from here"
        say(f"interrupted: {what}{on}")
        raise typer.Exit(INTERRUPTED)


@contextmanager
def session(run: RunOptions, searches: int = 1) -> Iterator[Session]:
    """Run a search job; call `Session.finish` when its results are printed.

    Raises
    ------
    EeveeError
        If the run folder cannot be written, or holds an interrupted run that is not resumed.
    """
    from eevee.report.run_folder import check_out, open_checkpoints

    out = run.out
    if run.resume and out is None:
        raise typer.BadParameter("--resume needs --out")
    if out is not None:
        check_out(out)
    checkpoints = None if out is None else open_checkpoints(out, resume=run.resume)
    with progress_bar(run.quiet, searches) as bar:
        made = Session(bar, checkpoints, out)
        before = {one: signal.signal(one, made.interrupt) for one in _STOPS}
        try:
            yield made
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
    if checkpoints is not None and not made.stop():
        checkpoints.remove()  # the run is whole
