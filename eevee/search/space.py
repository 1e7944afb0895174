"""`Space`: which subsets a search may visit, and how it moves among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from eevee.search.constraints import Constraints
from eevee.table import Subset, round_cost, total_cost

NO_RULES = Constraints()


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
            if not self._reaches_up(longer) or self.completion(longer, (*longer, *later)) is None:
                continue
            if self._reaches_down(longer):
                yield tuple(sorted(longer))
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

    def neighbour(self, subset: Subset, rng: np.random.Generator) -> Subset | None:
        """Propose one random move; None where it leaves the space."""
        move = 0 if self.one_size else rng.integers(3)
        inside = [name for name in subset if name not in self.fixed]
        outside = [name for name in self.free if name not in subset]
        if (move != 1 and not inside) or (move != 2 and not outside):
            return None
        leaves = None if move == 1 else inside[rng.integers(len(inside))]
        enters = None if move == 2 else outside[rng.integers(len(outside))]
        moved = _moved(subset, enters, leaves)
        return moved if moved in self else None

    def neighbours(self, subset: Subset) -> list[Subset]:
        """Return every subset that is one move away."""
        inside = [name for name in subset if name not in self.fixed]
        outside = [name for name in self.free if name not in subset]
        moves: list[tuple[str | None, str | None]] = []
        if not self.one_size:
            moves += [(name, None) for name in outside] + [(None, name) for name in inside]
        moves += [(enters, leaves) for leaves in inside for enters in outside]
        moved = (_moved(subset, enters, leaves) for enters, leaves in moves)
        return [one for one in moved if one in self]

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
        return total_cost(self.costs[name] for name in names) <= round_cost(self.budget)

    def _reaches_down(self, names: Iterable[str]) -> bool:
        """Whether every lower limit is reached: size, at least per task."""
        names = tuple(names)
        if len(names) < max(self.smallest, 1):
            return False
        least, counts = self.rules.min_per_task, self._counts(names)
        return least is None or all(counts[task] >= least for task in set(self.tasks.values()))

    def _counts(self, names: Iterable[str]) -> Counter[str]:
        return Counter(self.tasks[name] for name in names if name in self.tasks)

    @cached_property
    def _by_cost(self) -> list[str]:
        return sorted(self.costs, key=lambda name: (self.costs[name], name))


def at_most(space: Space, limit: int) -> bool:
    """Whether a space holds at most `limit` subsets, without going through more of them."""
    return sum(1 for _ in islice(iter(space), limit + 1)) <= limit


def _moved(subset: Subset, enters: str | None, leaves: str | None) -> Subset:
    kept = [name for name in subset if name != leaves]
    return tuple(sorted(kept if enters is None else [*kept, enters]))
