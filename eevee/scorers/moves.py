"""`Moves`: what one more, one less or one other benchmark would do to a subset's loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import FloatArray, Subset
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class Moves:
    """Every single-benchmark change of a subset: additions, then drops, then swaps.

    Attributes
    ----------
    subset : tuple of benchmark names
    enters, leaves : tuple of names or None, (n_moves,)
        A swap has both. The only benchmark of a subset does not leave without another.
    split_losses : shape (n_moves, n_splits)
        After the move.
    """

    subset: Subset
    enters: tuple[str | None, ...]
    leaves: tuple[str | None, ...]
    split_losses: FloatArray

    @property
    def losses(self) -> FloatArray:
        """Loss after each move: the mean over splits, (n_moves,)."""
        return np.asarray(self.split_losses.mean(axis=1))

    @property
    def subsets(self) -> list[Subset]:
        """The subset after each move."""
        changes = zip(self.enters, self.leaves, strict=True)
        return [moved(self.subset, enters, leaves) for enters, leaves in changes]


def moved(subset: Subset, enters: str | None, leaves: str | None) -> Subset:
    """Return the subset after one move.

    Examples
    --------
    >>> moved(("a", "c"), "b", "c")
    ('a', 'b')
    """
    kept = [name for name in subset if name != leaves]
    return tuple(sorted(kept if enters is None else [*kept, enters]))


def single_moves(
    table: ResultsTable, subset: Subset
) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """List the moves of a subset: who enters, and who leaves, in the order of `Moves`."""
    outside = [name for name in table.benchmark_names if name not in subset]
    drops = subset if len(subset) > 1 else ()
    moves: list[tuple[str | None, str | None]] = [(name, None) for name in outside]
    moves += [(None, name) for name in drops]
    moves += [(new, old) for old in subset for new in outside]
    return tuple(enters for enters, _ in moves), tuple(leaves for _, leaves in moves)
