"""`Space`: which subsets a search may visit, and how it moves among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import ceil, comb
from typing import Any

import numpy as np

from eevee.base.arrays import Subset, round_cost, total_cost
from eevee.search.constraints import Constraints

NO_RULES = Constraints()
MAX_DRAWS = 100
"""Drawing stops after this many draws in a row without a new subset."""
ROUGH = 1e-6
"""Sums of costs within this share of a budget are added up exactly."""
PARTS = 512
"""Of a budget, in which costs are counted to tell that a space holds many subsets."""


@dataclass(frozen=True, eq=False)
class Space:
    """All subsets of `smallest` to `largest` benchmarks within a budget that keep the rules.

    A move swaps one benchmark for another (paper, Algorithm 2); where sizes are free it may
    also add or drop one.

    Attributes
    ----------
    costs : dict of benchmark to cost
        Those to choose from; the fixed ones among them.
    smallest, largest : int
        Sizes, the fixed ones counted.
    fixed : tuple of names
        Always in.
    budget : float or None
        Most that a subset may cost in total.
    tasks : dict of benchmark to task
    rules : Constraints

    Examples
    --------
    >>> list(Space({"a": 1.0, "b": 1.0, "c": 1.0}, smallest=2, largest=2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> list(Space({"a": 1.0, "b": 2.0, "c": 4.0}, smallest=1, largest=3, budget=5.0))
    [('a',), ('a', 'b'), ('a', 'c'), ('b',), ('c',)]
    """

    costs: dict[str, float]
    smallest: int
    largest: int
    fixed: Subset = ()
    budget: float | None = None
    tasks: dict[str, str] = field(default_factory=dict)
    rules: Constraints = NO_RULES

    def __contains__(self, subset: object) -> bool:
        """Whether a checked subset may be visited."""
        if not isinstance(subset, tuple) or not set(self.fixed) <= set(subset) <= set(self.costs):
            return False
        return self._reaches_up(subset) and self._reaches_down(subset)

    def __iter__(self) -> Iterator[Subset]:
        """Go through all subsets, in a fixed order, down the tree of their prefixes.

        Only into branches that hold a member; without recursion, which a thousand benchmarks
        would exhaust.
        """
        if self.completion(self.fixed) is None:
            return
        if self.fixed and self._reaches_down(self.fixed):
            yield self.fixed
        branches = [(self.fixed, iter(range(len(self.free))))]
        while branches:
            taken, places = branches[-1]
            place = next(places, None)
            if place is None or len(taken) >= self.largest:
                branches.pop()
                continue
            longer = (*taken, self.free[place])
            later = self.free[place + 1 :]
            if not self._reaches_up(longer):
                continue
            if self._reaches_down(longer):
                yield tuple(sorted(longer))
            elif self.completion(longer, (*longer, *later)) is None:
                continue
            branches.append((longer, iter(range(place + 1, len(self.free)))))

    def describe(self) -> dict[str, Any]:
        """Return what defines the space, as plain values."""
        own: dict[str, Any] = {"k": self.largest} if self.one_size else {}
        if self.budget is not None:
            own = {"budget": self.budget}
        paid = [name for name in self.fixed if name not in self.rules.require]
        return own | self.rules.describe() | ({"have": paid} if paid else {})

    @property
    def one_size(self) -> bool:
        """Whether all subsets have the same size."""
        return self.smallest == self.largest

    @property
    def uniform(self) -> bool:
        """Whether a random order gives every subset equally often: the size alone limits."""
        return self.one_size and self.budget is None and not self.tasks

    @cached_property
    def free(self) -> Subset:
        """Benchmarks that may enter and leave, sorted."""
        return tuple(sorted(set(self.costs) - set(self.fixed)))

    @property
    def everything(self) -> Subset:
        """All benchmarks to choose from, sorted; itself not always a member."""
        return tuple(sorted(self.costs))

    def random(self, rng: np.random.Generator) -> Subset:
        """Take benchmarks in random order, each if it still fits.

        Up to the size; where neither size nor budget limits, up to a random one.
        """
        largest = self.largest
        if self.budget is None and not self.one_size:
            largest = int(rng.integers(self.smallest, self.largest + 1))
        taken = list(self.fixed)
        for i in rng.permutation(len(self.free)):
            if len(taken) >= largest:
                break
            if self.may_join(taken, self.free[i]):
                taken.append(self.free[i])
        drawn = tuple(sorted(taken))
        return drawn if self._reaches_down(drawn) else self.completion(drawn) or drawn

    def draws(self, rng: np.random.Generator, count: int) -> list[Subset]:
        """Draw random subsets until there are `count` different ones: all draws, in order.

        Where the space hardly holds as many, `count` draws or a few more. A subset that comes
        twice stands twice, so that shares of the draws are those of random orders; but where all
        subsets are equally likely, once, which has the same distribution and less noise.
        """
        drawn: list[Subset] = []
        seen: set[Subset] = set()
        misses = 0
        least = 0 if self.uniform else count
        while len(seen) < count and (misses < MAX_DRAWS or len(drawn) < least):
            subset = self.random(rng)
            misses = misses + 1 if subset in seen else 0
            if not (self.uniform and subset in seen):
                drawn.append(subset)
            seen.add(subset)
        return drawn

    def neighbour(self, subset: Subset, rng: np.random.Generator) -> Subset | None:
        """Propose one random move; None where it leaves the space."""
        move = 0 if self.one_size else rng.integers(3)
        inside = [name for name in subset if name not in self.fixed]
        outside = [name for name in self.free if name not in subset]
        if (move != 1 and not inside) or (move != 2 and not outside):
            return None
        leaves = None if move == 1 else inside[rng.integers(len(inside))]
        enters = None if move == 2 else outside[rng.integers(len(outside))]
        neighbour = moved(subset, enters, leaves)
        return neighbour if neighbour in self else None

    def n_swaps(self, subset: Subset) -> int:
        """Return the number of swaps; some may leave the space."""
        inside = len(subset) - len(self.fixed)
        return inside * (len(self.free) - inside)

    def neighbours(self, subset: Subset) -> list[Subset]:
        """Return every subset that is one move away."""
        inside = [name for name in subset if name not in self.fixed]
        outside = [name for name in self.free if name not in subset]
        moves: list[tuple[str | None, str | None]] = []
        if not self.one_size:
            moves += [(name, None) for name in outside] + [(None, name) for name in inside]
        moves += [(enters, leaves) for leaves in inside for enters in outside]
        near = (moved(subset, enters, leaves) for enters, leaves in moves)
        return [one for one in near if one in self]

    def may_join(self, taken: Iterable[str], name: str) -> bool:
        """Whether an unfinished subset with one more benchmark still leads to a member."""
        longer = [*taken, name]
        if not self._reaches_up(longer):
            return False
        return self.rules.min_per_task is None or self.completion(longer) is not None

    def may_leave(self, subset: Subset, name: str) -> bool:
        """Whether what is left after dropping a benchmark still holds a member."""
        rest = [other for other in subset if other != name]
        return name not in self.fixed and self.completion(self.fixed, rest) is not None

    def completion(self, taken: Iterable[str], pool: Iterable[str] | None = None) -> Subset | None:
        """Return the cheapest member between `taken` and `pool`; None where there is none.

        First what each task lacks, cheapest first, then the cheapest of the others up to the
        smallest size. Since tasks do not overlap, no other way is cheaper.
        """
        chosen = list(taken)
        have = set(chosen)
        allowed = set(self.costs if pool is None else pool)
        rest = [name for name in self._by_cost if name in allowed and name not in have]
        counts = Counter(self.tasks.get(name) for name in chosen)
        least, most = self.rules.min_per_task or 0, self.rules.max_per_task or len(self.costs)
        later = []
        for name in rest:
            task = self.tasks.get(name)
            if task is not None and counts[task] < least:
                counts[task] += 1
                chosen.append(name)
            else:
                later.append(name)
        for name in later:
            if len(chosen) >= max(self.smallest, 1):
                break
            task = self.tasks.get(name)
            if task is None or counts[task] < most:
                counts[task] += 1
                chosen.append(name)
        subset = tuple(sorted(chosen))
        return subset if self._reaches_up(subset) and self._reaches_down(subset) else None

    def _reaches_up(self, names: Iterable[str]) -> bool:
        """Whether no upper limit is passed: size, budget, at most per task."""
        names = tuple(names)
        if len(names) > self.largest:
            return False
        most = self.rules.max_per_task
        if most is not None and any(count > most for count in self._counts(names).values()):
            return False
        if self.budget is None:
            return True
        return self._fits(names)

    def _reaches_down(self, names: Iterable[str]) -> bool:
        """Whether every lower limit is reached: size, at least per task."""
        names = tuple(names)
        if len(names) < max(self.smallest, 1):
            return False
        least = self.rules.min_per_task
        if least is None:
            return True
        counts = self._counts(names)
        return all(counts[task] >= least for task in set(self.tasks.values()))

    def _fits(self, names: Subset) -> bool:
        """Whether the budget is kept; the exact sum only where a rough one does not tell."""
        assert self.budget is not None
        rough, slack = sum(map(self.costs.__getitem__, names)), ROUGH * self.budget
        if abs(rough - self.budget) > slack:
            return rough < self.budget
        return total_cost(self.costs[name] for name in names) <= round_cost(self.budget)

    def _counts(self, names: Iterable[str]) -> Counter[str]:
        return Counter(self.tasks[name] for name in names if name in self.tasks)

    @cached_property
    def _by_cost(self) -> list[str]:
        return sorted(self.costs, key=lambda name: (self.costs[name], name))


def members(space: Space, limit: int) -> list[Subset] | None:
    """Return all subsets of a space; None where there are more than `limit`.

    Without tasks they are counted before they are listed: exactly, or under a budget at least.

    Examples
    --------
    >>> space = Space({"a": 1.0, "b": 1.0, "c": 1.0}, smallest=2, largest=2)
    >>> members(space, 3), members(space, 2)
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], None)
    """
    if space.budget is None and not space.tasks:
        fixed, free = len(space.fixed), len(space.free)
        sizes = range(max(space.smallest, 1), space.largest + 1)
        if sum(comb(free, size - fixed) for size in sizes if size >= fixed) > limit:
            return None
    if space.budget is not None and not space.tasks and _at_least(space, limit + 1) > limit:
        return None
    listed = list(islice(space, limit + 1))
    return listed if len(listed) <= limit else None


def _at_least(space: Space, enough: int) -> float:
    """Return a number of members that there are at least, counted no further than `enough`.

    Costs are rounded up to parts of the budget; subsets are then counted by size and cost.
    """
    assert space.budget is not None
    paid = len(space.fixed)
    part = (space.budget - sum(map(space.costs.__getitem__, space.fixed))) / PARTS
    if part <= 0:
        return 0
    counts = np.zeros((space.largest - paid + 1, PARTS + 1))
    counts[0, 0] = 1
    least = max(space.smallest, 1, paid) - paid
    for cost in sorted(map(space.costs.__getitem__, space.free)):
        parts = ceil(cost / part * (1 + ROUGH))
        if parts > PARTS:
            break
        counts[1:, parts:] += counts[:-1, : PARTS + 1 - parts]
        np.minimum(counts, enough, out=counts)
        if counts[least:].sum() >= enough:
            break
    return float(counts[least:].sum())


def moved(subset: Subset, enters: str | None, leaves: str | None) -> Subset:
    """Return the subset after one move.

    Examples
    --------
    >>> moved(("a", "c"), "b", "c")
    ('a', 'b')
    """
    kept = [name for name in subset if name != leaves]
    return tuple(sorted(kept if enters is None else [*kept, enters]))
