"""Greedy searches: one benchmark at a time, forward, backward, or forward and then by swaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import Scorer
from eevee.search.control import UNATTENDED, RunControl, never
from eevee.search.proposal import proposing
from eevee.search.result import Ledger
from eevee.search.space import Space
from eevee.search.steps import SINGLES, Steps

MAX_BACKWARD = 6000
"""Most subsets that a greedy search backward may score."""
CHUNK = 100
"""Most subsets that are scored between two looks at whether to stop."""
MAX_SWAPS = 6000
"""Most neighbours that greedy search with swaps tries; only wide tables have as many."""


@dataclass(frozen=True)
class Swapped:
    """What greedy search with swaps finds in a space.

    Attributes
    ----------
    best : Subset
    by_size : list of subsets
        One of each size that was scored: the scorer has met these sizes.
    note : str
        What was left out of the search; empty if nothing was.
    """

    best: Subset
    by_size: list[Subset]
    note: str = ""

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Swapped:
        """Make it again from its fields as JSON holds them."""
        by_size = [tuple(subset) for subset in kept["by_size"]]
        return cls(tuple(kept["best"]), by_size, kept["note"])


def swapped(
    scorer: Scorer, space: Space, control: RunControl = UNATTENDED, label: str = "greedy"
) -> Swapped | None:
    """Search as `greedy_swaps`, without a result to rank; None if it was stopped before.

    Progress is reported as a phase of the search called `label`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> from eevee.search.goal import Goal
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> len(swapped(scorer, Goal(k=2).space(table)).best)
    2
    """
    ledger = Ledger(scorer, label, None, control.progress, "greedy search with swaps")
    steps = scored_steps(ledger, space, control.stop)
    try:
        found = steps.climb(forward(steps, space), most=MAX_SWAPS, stop=control.stop)
    except _Stopped:
        return None
    sizes = {len(subset): subset for subset in ledger.rows}
    return None if control.stop() else Swapped(found, list(sizes.values()), steps.note)


def forward(steps: Steps, space: Space) -> Subset:
    """Add one benchmark at a time; where costs count, also by the drop of the loss per cost.

    Returns the best member on the way: with free sizes the last is not always that.

    Notes
    -----
    Each of the two orders alone can be arbitrarily bad under a budget; for a monotone and
    submodular gain the better one reaches (1 - 1/e) / 2 of the optimum. Leskovec et al.,
    "Cost-effective outbreak detection in networks", KDD 2007, section 3.
    """
    path = steps.up()
    return steps.best(path if space.one_size else [*path, *steps.up(per_cost=True)])


class _Stopped(Exception):
    """A walk was stopped between two steps, or in one."""


def scored_steps(ledger: Ledger, space: Space, stop: Callable[[], bool] = never) -> Steps:
    """Return steps by the loss of a scorer; the first of them is generation 1."""
    number = count(1)

    def losses(new: Sequence[Subset]) -> list[float]:
        step = next(number)
        for start in range(0, len(new), CHUNK):
            if stop():
                raise _Stopped
            ledger.add(new[start : start + CHUNK], step)
        return [ledger.loss(subset) for subset in new]

    return Steps(space, losses, float(ledger.scorer.mean_predictor().mean()))


def n_backward(space: Space) -> int:
    """Return how many subsets greedy search backward may have to score, by either order."""
    return len(space.free) * (len(space.free) + 1) // 2


def _n_forward(space: Space) -> int | None:
    """Return how many subsets a walk up may score, where it takes one benchmark at a time."""
    most = len(space.free) * space.largest
    return most if space.one_size and most <= SINGLES else None


@proposing("greedy", _n_forward)
def greedy(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Search forward: add the benchmark that lowers the loss most, from the fixed ones up.

    Under a budget until nothing fits, once by the lowest loss and once by the largest drop per
    cost, and the best subset on either way is the result. Parameters as in `eevee.search.evolve`.

    Notes
    -----
    Leskovec et al., "Cost-effective outbreak detection in networks", KDD 2007, section 3.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> found = greedy(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=2)
    >>> len(found.best), len(found.evaluated), found.settings["method"]
    (2, 9, 'greedy')
    """
    steps = scored_steps(ledger, space)
    found = forward(steps, space)
    ledger.note = steps.note
    return [found]


@proposing("greedy-backward", n_backward)
def greedy_backward(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Search backward: from everything, drop the benchmark whose loss hurts least.

    Until size, budget and rules are met. Under a budget once by the lowest loss and once by the
    least loss per cost saved; the better end is the result. Parameters as in `eevee.search.evolve`.

    Raises
    ------
    EeveeError
        Also if it could take more than `MAX_BACKWARD` subsets.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> found = greedy_backward(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=3)
    >>> len(found.best), len(found.evaluated)
    (3, 10)
    """
    if n_backward(space) > MAX_BACKWARD:
        raise EeveeError(
            f"greedy search backward from {len(space.everything)} benchmarks may score "
            f"{n_backward(space):,} subsets, more than {MAX_BACKWARD:,}; search forward instead"
        )
    steps = scored_steps(ledger, space)
    ends = [steps.down()[-1]]
    if not space.one_size:
        ends.append(steps.down(per_cost=True)[-1])
    return [steps.best(ends)]


@proposing("greedy-swaps", lambda space: None)
def greedy_swaps(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Search forward, then swap one benchmark for another as long as that helps.

    Each time the best of all swaps (under a budget also additions and drops), until none helps.
    Wide spaces are searched in part, and the note in the settings says how: several benchmarks
    are added at a time, only those that the subset needs least are swapped, and no more than
    `MAX_SWAPS` neighbours are tried. Parameters as in `eevee.search.evolve`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 6)), columns=list("abcdef"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> swapped, plain = greedy_swaps(scorer, k=2), greedy(scorer, k=2)
    >>> bool(swapped.best_row["loss"] <= plain.best_row["loss"])
    True
    """
    steps = scored_steps(ledger, space)
    found = steps.climb(forward(steps, space), most=MAX_SWAPS)
    ledger.note = steps.note
    return [found]
