"""Which subsets a search may visit: all of one size, or all that fit a budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Protocol

import numpy as np

from eevee.errors import EeveeError
from eevee.table import ResultsTable, Subset, round_cost, total_cost


class Space(Protocol):
    """Subsets that a search may visit, and how it moves among them."""

    def random(self, rng: np.random.Generator) -> Subset:
        """Draw a subset."""

    def neighbour(self, subset: Subset, rng: np.random.Generator) -> Subset | None:
        """Propose one random move; None where it leaves the space."""

    def __iter__(self) -> Iterator[Subset]:
        """Go through all subsets, in a fixed order."""

    def __contains__(self, subset: object) -> bool:
        """Whether a checked subset may be visited."""

    def describe(self) -> dict[str, float]:
        """Return what defines the space, as plain values."""


def at_most(space: Space, limit: int) -> bool:
    """Whether a space holds at most `limit` subsets, without going through more of them."""
    return sum(1 for _ in islice(iter(space), limit + 1)) <= limit


@dataclass(frozen=True)
class FixedSize:
    """All subsets of k benchmarks; a move swaps one of them for another (paper, Algorithm 2).

    Examples
    --------
    >>> list(FixedSize(("a", "b", "c"), 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    names: Subset
    k: int

    def random(self, rng: np.random.Generator) -> Subset:
        """Draw k names without replacement."""
        chosen = rng.choice(len(self.names), self.k, replace=False)
        return tuple(sorted(self.names[i] for i in chosen))

    def neighbour(self, subset: Subset, rng: np.random.Generator) -> Subset | None:
        """Swap one benchmark for one that is not in the subset; None at k = n."""
        return _swap(subset, self.names, rng)

    def __iter__(self) -> Iterator[Subset]:
        return combinations(self.names, self.k)

    def __contains__(self, subset: object) -> bool:
        return isinstance(subset, tuple) and len(subset) == self.k

    def describe(self) -> dict[str, float]:
        """Return what defines the space, as plain values."""
        return {"k": self.k}


@dataclass(frozen=True, eq=False)
class WithinBudget:
    """All subsets whose total cost is at most a budget; moves are swap, add and drop.

    Examples
    --------
    >>> space = WithinBudget({"a": 1.0, "b": 2.0, "c": 4.0}, budget=5.0)
    >>> list(space)
    [('a',), ('a', 'b'), ('a', 'c'), ('b',), ('c',)]
    """

    costs: dict[str, float]
    budget: float

    def random(self, rng: np.random.Generator) -> Subset:
        """Go through the benchmarks in random order and take each that still fits."""
        names = sorted(self.costs)
        taken: list[str] = []
        for i in rng.permutation(len(names)):
            if self._fits([*taken, names[i]]):
                taken.append(names[i])
        return tuple(sorted(taken))

    def neighbour(self, subset: Subset, rng: np.random.Generator) -> Subset | None:
        """Swap, add or drop, each with the same chance; None where that does not fit."""
        names = tuple(sorted(self.costs))
        move = rng.integers(3)
        if move == 0:
            moved = _swap(subset, names, rng)
        elif move == 1:
            moved = _add(subset, names, rng)
        else:
            moved = _drop(subset, rng)
        return moved if moved is not None and self._fits(moved) else None

    def __iter__(self) -> Iterator[Subset]:
        return self._extensions((), sorted(self.costs))

    def __contains__(self, subset: object) -> bool:
        return isinstance(subset, tuple) and self._fits(subset)

    def describe(self) -> dict[str, float]:
        """Return what defines the space, as plain values."""
        return {"budget": self.budget}

    def _extensions(self, taken: Subset, rest: list[str]) -> Iterator[Subset]:
        for i, name in enumerate(rest):
            longer = (*taken, name)
            if self._fits(longer):
                yield longer
                yield from self._extensions(longer, rest[i + 1 :])

    def _fits(self, subset: list[str] | Subset) -> bool:
        return total_cost(self.costs[name] for name in subset) <= round_cost(self.budget)


def make_space(table: ResultsTable, k: int | None, budget: float | None) -> Space:
    """Return the space that a size or a budget describes.

    Raises
    ------
    EeveeError
        If neither or both are given, k is out of range, or nothing fits the budget.
    """
    if (k is None) == (budget is None):
        raise EeveeError("give either a size k or a budget")
    if k is not None:
        if not 1 <= k <= table.n_benchmarks:
            raise EeveeError(
                f"k = {k} is not between 1 and the pool's {table.n_benchmarks} benchmarks"
            )
        return FixedSize(table.benchmark_names, k)
    assert budget is not None
    cheapest = min(table.costs, key=lambda name: (table.costs[name], name))
    if not round_cost(budget) >= round_cost(table.costs[cheapest]):
        raise EeveeError(
            f"a budget of {budget:g} {table.cost_unit} is below the cheapest benchmark: "
            f"{cheapest!r} costs {table.costs[cheapest]:g}"
        )
    return WithinBudget(table.costs, budget)


def _swap(subset: Subset, names: Subset, rng: np.random.Generator) -> Subset | None:
    dropped = _drop(subset, rng)
    outside = [name for name in names if name not in subset]
    if not outside:
        return None
    return tuple(sorted([*(dropped or ()), outside[rng.integers(len(outside))]]))


def _add(subset: Subset, names: Subset, rng: np.random.Generator) -> Subset | None:
    outside = [name for name in names if name not in subset]
    if not outside:
        return None
    return tuple(sorted([*subset, outside[rng.integers(len(outside))]]))


def _drop(subset: Subset, rng: np.random.Generator) -> Subset | None:
    gone = rng.integers(len(subset))
    return tuple(name for i, name in enumerate(subset) if i != gone) or None
