"""One search job on the command line: its progress, its checkpoints, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import typer

from eevee.base.stopping import Stop, exit_code, handle, put_back
from eevee.cli.options import RunOptions, settings
from eevee.cli.printing import say
from eevee.cli.progress import Reporter, progress_bar

if TYPE_CHECKING:
    from eevee.search.checkpoint import Checkpoints
    from eevee.search.control import RunControl


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
        self._asked: int | None = None
        self._cut_short = False

    def stop(self) -> bool:
        """Whether Ctrl-C has been pressed; whoever asks ends then."""
        self._cut_short = self._asked is not None
        return self._cut_short

    @property
    def whole(self) -> bool:
        """Whether nothing was left out: Ctrl-C may come when all is done."""
        return not self._cut_short

    @property
    def folds(self) -> RunControl:
        """What searches inside outer splits take: they keep their states."""
        from eevee.search.control import RunControl

        return RunControl(self.checkpoints, self.stop, self.bar.search, announce=self.bar.begin)

    @property
    def control(self) -> RunControl:
        """What a search takes of this."""
        from eevee.search.control import RunControl

        return RunControl(
            self.checkpoints, self.stop, self.bar.search, self.bar.advance, self.bar.begin
        )

    def settings(self, *groups: object, **more: Any) -> dict[str, Any]:
        """Return `eevee.cli.options.settings`, and of a job with nothing left out its states."""
        from eevee.report.run_folder import states_of

        return settings(*groups, **more) | states_of(self.checkpoints if self.whole else None)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take note of the first Ctrl-C or SIGTERM; the second one stops at once."""
        if self._asked is not None:
            raise Stop(number)
        self._asked = number
        self.bar.say(f"interrupted: finishing this step; Ctrl-C again stops at once{self.kept}")

    @property
    def kept(self) -> str:
        """Say how a run goes on whose state is kept; "" where none is."""
        if self.checkpoints is None or self.checkpoints.digest() is None:
            return ""
        return f"; a checkpoint is kept: --resume --out {self._out} goes on from it"

    def finish(self, what: str = "this is the best so far") -> None:
        """Exit with the signal's code after an interrupted run, and say what there is."""
        if self._asked is None or self.whole:
            return
        on = "" if self._out is None else f"; --resume --out {self._out} goes on from here"
        say(f"interrupted: {what}{on}")
        raise typer.Exit(exit_code(self._asked))


@contextmanager
def session(run: RunOptions, searches: int = 1) -> Iterator[Session]:
    """Run a search job; call `Session.finish` when its results are printed.

    Raises
    ------
    EeveeError
        If the run folder cannot be written, or holds an interrupted run that is not resumed.
    """
    from eevee.report.out import claimed
    from eevee.report.run_folder import open_checkpoints

    out = run.out
    if run.resume and out is None:
        raise typer.BadParameter("--resume needs --out")
    with claimed(out), progress_bar(run.quiet, searches) as bar:
        checkpoints = None if out is None else open_checkpoints(out, resume=run.resume)
        made = Session(bar, checkpoints, out)
        before = handle(made.interrupt)
        try:
            yield made
            if checkpoints is not None and made.whole:
                checkpoints.remove()
        except Stop as stop:
            if not made.kept:
                raise
            say(f"interrupted{made.kept}")
            raise typer.Exit(exit_code(stop.number)) from None
        finally:
            put_back(before)
