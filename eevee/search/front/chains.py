"""Chains of subsets, one benchmark more each: where a search for a front begins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eevee.base.arrays import Subset
from eevee.search.control import never
from eevee.search.result import Ledger
from eevee.search.space import Space, moved
from eevee.search.steps import worth_per_cost


def cheapest_chain(space: Space) -> list[Subset]:
    """Return the subsets of the cheapest benchmarks, one after another.

    Examples
    --------
    >>> cheapest_chain(Space({"a": 4.0, "b": 1.0, "c": 2.0}, smallest=1, largest=3))
    [('b',), ('b', 'c'), ('a', 'b', 'c')]
    """
    taken = _start(space)
    chain = [taken]
    for name in sorted(space.free, key=lambda name: (space.costs[name], name)):
        if name not in taken and space.may_join(taken, name):
            taken = moved(taken, name, None)
            chain.append(taken)
    return [subset for subset in chain if subset in space]


def greedy_chain(space: Space, ledger: Ledger, most: int, stop: Callable[[], bool] = never) -> None:
    """Score what greedy search sees that takes the largest fall of the loss per cost each time.

    No more than `most` subsets: where scoring every candidate would take more, a step scores
    only those that were best when they were last seen, as lazy greedy does.

    Notes
    -----
    Minoux, "Accelerated greedy algorithms for maximizing submodular set functions" (1978). The
    loss is not submodular, so that here the short list is a guess.
    """
    taken = _start(space)
    if taken:
        ledger.add([taken], 0)
    loss = ledger.loss(taken) if taken else float(ledger.scorer.mean_predictor().mean())
    worth = {name: np.inf for name in space.free if name not in taken}
    width = max(1, most // max(1, len(worth)) - 1)
    seen_all = False
    while not stop():
        joining = sorted(
            (name for name in worth if moved(taken, name, None) in space),
            key=lambda name: (-worth[name], space.costs[name], name),
        )
        candidates = {
            name: moved(taken, name, None) for name in joining[: width if seen_all else None]
        }
        if not candidates or len(ledger) + len(candidates) > most:
            return
        ledger.add(candidates.values(), 0)
        seen_all = True
        for name, subset in candidates.items():
            worth[name] = worth_per_cost(loss - ledger.loss(subset), space.costs[name])
        best = min(candidates, key=lambda name: (-worth[name], space.costs[name], name))
        taken, loss = candidates[best], ledger.loss(candidates[best])
        del worth[best]


def _start(space: Space) -> Subset:
    """Return what is always in, or the cheapest member where that is too little."""
    if space.fixed in space or (not space.fixed and space.smallest == 1 and not space.tasks):
        return space.fixed
    return space.completion(space.fixed) or space.fixed
