"""`Steps`: greedy walks through a space, one benchmark at a time, by any loss of subsets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from eevee.base.arrays import Subset, round6, total_cost
from eevee.search.control import never
from eevee.search.space import Space

SINGLES = 1500
"""A walk up that has asked for this many losses adds two benchmarks a step, after twice as many
three, and so on. With up to 54 benchmarks each is added alone."""
WIDE = 3000
"""Where a subset has more swaps, a climb tries only those of its least needed benchmarks."""
LEAST_NEEDED = 4

Losses = Callable[[Sequence[Subset]], Sequence[float]]
"""Losses of subsets that were not asked for before; infinite where there is none."""


class Steps:
    """Walks that always take the best next step; ties go to the cheaper, then by name.

    Parameters
    ----------
    space : Space
    losses : callable
        Asked for each subset once, all candidates of a step together.
    empty : float
        Loss of a subset without benchmarks, where a walk up may begin.

    Examples
    --------
    >>> space = Space({"a": 1.0, "b": 3.0, "c": 1.0}, smallest=2, largest=2)
    >>> worth = {"a": 1.0, "b": 4.0, "c": 2.0}
    >>> steps = Steps(space, lambda new: [-sum(map(worth.get, s)) for s in new], empty=0.0)
    >>> steps.up()
    [('b',), ('b', 'c')]
    >>> steps.up(per_cost=True)
    [('c',), ('b', 'c')]
    >>> steps.down()
    [('a', 'b', 'c'), ('b', 'c')]
    """

    def __init__(self, space: Space, losses: Losses, empty: float) -> None:
        self._space = space
        self._losses = losses
        self._known: dict[Subset, float] = {(): empty}
        self._left_out: dict[str, None] = {}

    @property
    def note(self) -> str:
        """What was left out on the way, since the space is wide; empty if nothing was."""
        return ", ".join(self._left_out)

    def ordered(self, subsets: Iterable[Subset]) -> list[Subset]:
        """Sort by (rounded loss, cost, names); a cost is added up only where it decides."""
        losses = {one: round6(self._known[one]) for one in subsets}
        times = Counter(losses.values())

        def order(one: Subset) -> tuple[float, float, Subset]:
            loss = losses[one]
            costs = (self._space.costs[name] for name in one) if times[loss] > 1 else ()
            return loss, total_cost(costs), one

        return sorted(losses, key=order)

    def best(self, subsets: Iterable[Subset]) -> Subset:
        """Return the best of the members among some subsets."""
        members = [one for one in subsets if one in self._space]
        self._learn(members)
        return self.ordered(members)[0]

    def up(self, *, per_cost: bool = False) -> list[Subset]:
        """Add to the fixed benchmarks until nothing fits; return the subsets on the way.

        Each time the one that gives the lowest loss, or the largest drop of the loss per cost;
        several at a time where there are very many (`SINGLES`).
        """
        path = [self._space.fixed] if self._space.fixed else []
        subset, asked = self._space.fixed, 0
        self._learn(path)
        while True:
            outside = [name for name in self._space.free if name not in subset]
            joins = [name for name in outside if self._space.may_join(subset, name)]
            if not joins:
                return path
            after = {tuple(sorted((*subset, name))): name for name in joins}
            asked += len(after)
            most = 1 + asked // SINGLES
            longer = self._joined(subset, self._steps(subset, after, per_cost), most)
            if len(longer) > len(subset) + 1:
                self._left_out["several benchmarks added at a time"] = None
            subset = longer
            self._learn([subset])
            path.append(subset)

    def _joined(self, subset: Subset, names: Sequence[str], most: int) -> Subset:
        """Add the first `most` of some benchmarks that may still join."""
        size = len(subset) + most
        for name in names:
            if len(subset) == size:
                break
            if self._space.may_join(subset, name):
                subset = tuple(sorted((*subset, name)))
        return subset

    def down(self, *, per_cost: bool = False) -> list[Subset]:
        """Drop from everything until the rest is a member; return the subsets on the way.

        Each time what leaves the lowest loss, or costs the least loss per cost saved.
        """
        subset = self._space.everything
        path = [subset]
        self._learn(path)
        while subset not in self._space:
            leaves = [name for name in subset if self._space.may_leave(subset, name)]
            after = {tuple(one for one in subset if one != name): name for name in leaves}
            leaves = self._steps(subset, after, per_cost)[:1]
            subset = tuple(one for one in subset if one not in leaves)
            path.append(subset)
        return path

    def climb(
        self, subset: Subset, *, most: float = math.inf, stop: Callable[[], bool] = never
    ) -> Subset:
        """Move a member to its best neighbour until none is better, or `most` were tried."""
        self._learn([subset])
        limit = most
        while not stop():
            wide = self._space.n_swaps(subset) > WIDE
            near = self._near(subset) if wide else self._space.neighbours(subset)
            most -= len(near)
            if wide:
                self._left_out["not all swaps tried"] = None
            if most < 0:
                self._left_out[f"at most {limit:,} swaps tried"] = None
                break
            self._learn(near)
            better = self.ordered([subset, *near])[0]
            if better == subset:
                break
            subset = better
        return subset

    def _near(self, subset: Subset) -> list[Subset]:
        """Some neighbours of a member that has very many: what it needs least may leave."""
        inside = [name for name in subset if name not in self._space.fixed]
        without = {tuple(one for one in subset if one != name): name for name in inside}
        self._learn(without)
        rest = self.ordered(without)[:LEAST_NEEDED]
        outside = [name for name in self._space.free if name not in subset]
        bases = rest if self._space.one_size else [*rest, subset]
        longer = [tuple(sorted((*base, name))) for base in bases for name in outside]
        shorter = [] if self._space.one_size else list(without)
        return [one for one in [*longer, *shorter] if one in self._space]

    def _steps(self, subset: Subset, after: dict[Subset, str], per_cost: bool) -> list[str]:
        """Order benchmarks by the subsets after each change of one, the best first."""
        self._learn(after)
        by_loss = self.ordered(after)
        if not per_cost:
            return [after[one] for one in by_loss]
        before, joins = round6(self._known[subset]), len(next(iter(after))) > len(subset)

        def worth(one: Subset) -> float:
            change, cost = round6(self._known[one]) - before, self._space.costs[after[one]]
            return -worth_per_cost(-change, cost) if joins else worth_per_cost(change, cost)

        return [after[one] for one in sorted(by_loss, key=worth)]  # ties stay in order

    def _learn(self, subsets: Iterable[Subset]) -> None:
        new = [one for one in dict.fromkeys(subsets) if one not in self._known]
        if new:
            self._known.update(zip(new, self._losses(new), strict=True))


def worth_per_cost(change: float, cost: float) -> float:
    """Divide by the cost; but a step in the wrong direction is no better for costing more."""
    if change <= 0:
        return change
    return change / cost if cost else float("inf")
