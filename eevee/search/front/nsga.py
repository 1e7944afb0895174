"""`FrontSearch`: NSGA-II over subsets of any size, one generation after another."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from deap import base, tools

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError
from eevee.search.checkpoint import Saved, State
from eevee.search.control import never
from eevee.search.evolution.selection import Individual
from eevee.search.front.chains import cheapest_chain, greedy_chain
from eevee.search.front.front import front_of, hypervolume
from eevee.search.result import Ledger
from eevee.search.space import MAX_DRAWS, Space


@dataclass(frozen=True)
class Nsga:
    """Numbers of the search for a front.

    Attributes
    ----------
    evaluations : int
        Subsets to score, at most (beside those that the caller begins with).
    greedy : int
        At most how many of them greedy search may take at the start, and half of them; 0 leaves
        it out.
    initial : int
        Subsets to start from beside those: chains of the cheapest, the others random.
    population : int
        Subsets kept per generation.
    children : int
        New subsets per generation.
    crossover : float
        Share of the children that have two parents; the others are one move from one.
    max_exhaustive : int
        Score everything where there are at most this many subsets.
    """

    evaluations: int = 6000
    greedy: int = 2000
    initial: int = 300
    population: int = 100
    children: int = 100
    crossover: float = 0.5
    max_exhaustive: int = 6000

    def __post_init__(self) -> None:
        for name in ("evaluations", "initial", "population", "children"):
            if getattr(self, name) < 1:
                raise EeveeError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0.0 <= self.crossover <= 1.0:
            raise EeveeError(f"crossover lies between 0 and 1, got {self.crossover:g}")


class FrontSearch:
    """One run of NSGA-II; the front itself is that of everything that was scored.

    Parameters
    ----------
    space : Space
    ledger : Ledger
    nsga : Nsga
    seed : int
    saved : Saved or None
        Where the state is kept after each generation, to resume from.
    stop : callable
        Asked before each generation; true ends the search there.

    Notes
    -----
    Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II" (IEEE
    Transactions on Evolutionary Computation 6, 2002).
    """

    def __init__(
        self,
        space: Space,
        ledger: Ledger,
        nsga: Nsga,
        seed: int,
        *,
        saved: Saved | None = None,
        stop: Callable[[], bool] = never,
    ) -> None:
        self._space = space
        self._ledger = ledger
        self._nsga = nsga
        self._rng = np.random.default_rng(seed)
        self._saved = saved
        self._stop = stop
        self._born: set[Subset] = set()
        self._logbook: list[dict[str, Any]] = []
        self.population: list[Subset] = []
        self.stopped = False

    def run(self, include: Iterable[Subset] = ()) -> pd.DataFrame:
        """Search, from the kept state if there is one, and return the logbook.

        `include` are subsets to start from.
        """
        if not self._take_up():
            self._begin(include)
        while self._left > 0 and not self.stopped:
            self.stopped = self._stop()
            brood = [] if self.stopped else list(self._brood())
            if not brood:
                break
            self._take(brood)
            self._keep()
        return pd.DataFrame(self._logbook)

    def _begin(self, include: Iterable[Subset]) -> None:
        if self._nsga.greedy:
            most = min(self._nsga.greedy, self._nsga.evaluations // 2)
            greedy_chain(self._space, self._ledger, most, self._stop)
            self.stopped = self._stop()  # a chain that was cut short is nothing to go on from
        self._take([*self._ledger.rows, *include, *self._first()])
        if not self.stopped:
            self._keep()

    @property
    def _left(self) -> int:
        return self._nsga.evaluations - len(self._ledger)

    def _take(self, brood: Sequence[Subset]) -> None:
        """Score a generation in one batch, and keep the best of it and of the one before."""
        generation = len(self._logbook)
        self._born.update(brood)
        self._ledger.add(brood, generation)
        self.population = self._selected(dict.fromkeys([*self.population, *brood]))
        self._logbook.append(log_line(self._ledger, generation))

    def _keep(self) -> None:
        if self._saved is not None:
            rng = self._rng.bit_generator.state
            rows = self._ledger.rows
            self._saved.save(State("evolving", self.population, self._logbook, rng, rows))

    def _take_up(self) -> bool:
        """Go on from the kept state, if there is one."""
        state = None if self._saved is None else self._saved.load()
        if state is None:
            return False
        self._ledger.restore(state.rows)
        self._born = set(state.rows)
        self.population = list(state.population)
        self._logbook = list(state.logbook)
        self._rng.bit_generator.state = state.rng
        return True

    def _first(self) -> list[Subset]:
        """Chains of the cheapest, then random subsets: half by size, half by the log of cost."""
        count = min(self._nsga.initial, self._left)
        first = dict.fromkeys(cheapest_chain(self._space)[:count])
        while len(first) < count:
            drawn = self._unseen(self._random, first)
            if drawn is None:
                break
            first[drawn] = None
        return list(first)

    def _random(self) -> Subset:
        space = self._space
        if self._rng.random() < 0.5:
            space = replace(space, budget=float(np.exp(self._rng.uniform(*self._log_costs))))
        return space.random(self._rng)

    @cached_property
    def _log_costs(self) -> tuple[float, float]:
        """Log of the lowest cost of a benchmark, and of the cost of everything."""
        costs = [cost for cost in self._space.costs.values() if cost > 0] or [1.0]
        return float(np.log(min(costs))), float(np.log(sum(costs)))

    def _brood(self) -> Iterator[Subset]:
        for _ in range(min(self._nsga.children, self._left)):
            child = self._unseen(self._child)
            if child is not None:
                self._born.add(child)
                yield child

    def _child(self) -> Subset | None:
        if self._rng.random() < self._nsga.crossover:
            return crossed(self._space, self._parent(), self._parent(), self._rng)
        return self._space.neighbour(self._parent(), self._rng)

    def _parent(self) -> Subset:
        return self.population[self._rng.integers(len(self.population))]

    def _unseen(
        self, draw: Callable[[], Subset | None], also: Container[Subset] = ()
    ) -> Subset | None:
        for _ in range(MAX_DRAWS):
            subset = draw()
            if subset is None or subset in self._born or subset in also:
                continue
            if subset in self._space:
                return subset
        return None

    def _selected(self, subsets: Iterable[Subset]) -> list[Subset]:
        """Keep the first fronts, and of the last one the least crowded; blank losses go."""
        losses = {subset: round6(self._ledger.loss(subset)) for subset in subsets}
        cost_of = self._ledger.scorer.table.cost_of
        individuals = [
            Individual(subset, LossAndCost((loss, cost_of(subset))))
            for subset, loss in losses.items()
            if np.isfinite(loss)
        ]
        count = min(self._nsga.population, len(individuals))
        return [tuple(one) for one in tools.selNSGA2(individuals, count, nd="log")]


def crossed(space: Space, one: Subset, other: Subset, rng: np.random.Generator) -> Subset | None:
    """Return what both hold and each of the rest with probability 1/2, repaired to be a member.

    Examples
    --------
    >>> space = Space({"a": 1.0, "b": 1.0, "c": 1.0}, smallest=1, largest=2)
    >>> crossed(space, ("a", "b"), ("a", "b"), np.random.default_rng(0))
    ('a', 'b')
    """
    both, rest = set(one) & set(other), sorted(set(one) ^ set(other))
    child = tuple(sorted(both | {name for name in rest if rng.random() < 0.5}))
    return child if child in space else _repaired(space, child, rng)


def _repaired(space: Space, child: Subset, rng: np.random.Generator) -> Subset | None:
    """Take its benchmarks in random order, each if it fits; then the cheapest missing ones."""
    taken = list(space.fixed)
    for i in rng.permutation(len(child)):
        if child[i] not in taken and space.may_join(taken, child[i]):
            taken.append(child[i])
    repaired = tuple(sorted(taken))
    return repaired if repaired in space else space.completion(repaired)


def log_line(ledger: Ledger, generation: int) -> dict[str, Any]:
    """Return a line of the logbook: what was scored so far, and how good its front is."""
    front = front_of(ledger)
    points = pd.DataFrame(front, columns=["cost", "loss", "benchmarks"])
    scorer = ledger.scorer
    volume = hypervolume(points, float(scorer.mean_predictor().mean()), scorer.table.total_cost)
    return {
        "generation": generation,
        "evaluated": len(ledger),
        "front": len(front),
        "hypervolume": volume,
    }


class LossAndCost(base.Fitness):  # type: ignore[misc]
    """Both are minimised."""

    weights = (-1.0, -1.0)
