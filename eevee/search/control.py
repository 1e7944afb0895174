"""`Watch`: how whoever runs a search follows it, keeps its state and stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from eevee.search.checkpoint import Checkpoints
from eevee.search.result import ProgressHook


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True)
class Watch:
    """What goes between a running search and its surroundings; nothing of it changes a result.

    Attributes
    ----------
    checkpoints : Checkpoints or None
        Where states are kept, and taken up again.
    stop : callable
        Asked between generations; true ends the search with what is best so far.
    progress : callable or None
        Told of a `Progress` as subsets are scored.
    """

    checkpoints: Checkpoints | None = None
    stop: Callable[[], bool] = never
    progress: ProgressHook | None = None

    def within(self, name: str) -> Watch:
        """Return the same for one part of a job, whose checkpoints are its own."""
        kept = self.checkpoints
        return self if kept is None else replace(self, checkpoints=kept.within(name))


ALONE = Watch()
