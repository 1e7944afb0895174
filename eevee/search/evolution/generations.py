"""`Generations`: the evolution itself, one generation after another, from a state that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from deap import base

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError
from eevee.scorers.base import Scorer
from eevee.search.checkpoint import Saved, State
from eevee.search.control import never
from eevee.search.evolution.screen import SCREEN_FACTOR, best_of
from eevee.search.evolution.selection import Individual, Selection, selection
from eevee.search.greedy import Swapped
from eevee.search.result import Ledger
from eevee.search.space import MAX_DRAWS, Space

Phase = Literal["evolving", "polishing", "ending", "done"]


@dataclass(frozen=True)
class Evolution:
    """Numbers of the search; those of `paper` are the paper's, where it gives them.

    Attributes
    ----------
    population : int
        Random subsets to start from.
    winners, children : int
        Subsets kept per generation, and moves made from each.
    generations : int
        At most; the paper does not say.
    patience : int or None
        Stop after this many generations without a better subset; None never stops early.
    selection : {"best", "tournament"}
        The top winners are kept, as the paper does under the name of a tournament, or
        DEAP's `selTournament` draws them.
    polish : bool
        After the generations, move the best subset to its best neighbour until none is better.
    rival : bool
        In the end also take what greedy search with swaps finds. (In the first population it
        does harm: its children soon replace all others.)
    max_exhaustive : int
        Score everything where there are at most this many subsets; polish no further where a
        subset has more neighbours.
    """

    population: int = 1000
    winners: int = 50
    children: int = 10
    generations: int = 10
    patience: int | None = 3
    selection: Selection = "best"
    polish: bool = True
    rival: bool = True
    max_exhaustive: int = 6000

    def __post_init__(self) -> None:
        for name in ("population", "winners", "children", "generations"):
            if getattr(self, name) < 1:
                raise EeveeError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.patience is not None and self.patience < 1:
            raise EeveeError(f"patience must be at least 1 or None, got {self.patience}")
        if self.selection not in ("best", "tournament"):
            raise EeveeError(f"selection must be 'best' or 'tournament', got {self.selection!r}")

    @classmethod
    def paper(cls, **changes: Any) -> Evolution:
        """Return the paper's algorithm: all generations, and nothing after them.

        Examples
        --------
        >>> Evolution.paper(generations=3).patience is None
        True
        """
        return cls(**{"patience": None, "rival": False, "polish": False} | changes)

    @property
    def most(self) -> int:
        """The most subsets that the generations can score."""
        return self.population + self.generations * self.winners * self.children


class Generations:
    """One run of Algorithm 3; DEAP's toolbox holds its operators.

    Parameters
    ----------
    space : Space
    ledger : Ledger
    evolution : Evolution
    rng : Generator
    first : sequence of subsets
        The random ones to start from.
    rival : callable
        Gives what joins in the end; None if it was stopped before.
    screen : Scorer or None
    saved : Saved or None
        Where the state is kept after each generation, to resume from.
    stop : callable
        Asked before each generation; true ends the search there.
    """

    def __init__(
        self,
        space: Space,
        ledger: Ledger,
        evolution: Evolution,
        rng: np.random.Generator,
        first: Sequence[Subset],
        *,
        rival: Callable[[], Swapped | None] = lambda: None,
        screen: Scorer | None = None,
        saved: Saved | None = None,
        stop: Callable[[], bool] = never,
    ) -> None:
        self._space = space
        self._ledger = ledger
        self._evolution = evolution
        self._rng = rng
        self._first = first
        self._rival = rival
        self._screen = screen
        self._saved = saved
        self._stop = stop
        self._born: set[Subset] = set()
        self._population: list[Subset] = []
        self._logbook: list[dict[str, Any]] = []
        self._phase: Phase = "evolving"
        self.joined: Swapped | None = None
        self._toolbox = base.Toolbox()
        self._toolbox.register("mutate", self._child)
        self._toolbox.register("select", selection(evolution.selection, self._rng))
        self._toolbox.register("evaluate", self._losses)
        self._toolbox.register("map", _whole_batch)

    @property
    def done(self) -> bool:
        """Whether the search came to its end, and was not stopped before."""
        return self._phase == "done"

    def run(self, include: Sequence[Subset]) -> pd.DataFrame:
        """Evolve, then polish, from the kept state if there is one; return the logbook.

        `include` are subsets to start from beside the random ones.
        """
        if not self._take_up():
            self._begin(include)
        while not self.done and not self._stop():
            step = {"evolving": self._evolve, "ending": self._end, "polishing": self._polish}
            step[self._phase]()
            self._keep()
        return pd.DataFrame(self._logbook)

    def _begin(self, include: Sequence[Subset]) -> None:
        self._population = self._evaluated(self._first, 0)
        also = [one for one in include if one not in self._born]
        if also:
            self._population += self._evaluated(also, 1)
        self._record(0)
        self._keep()

    def _evolve(self) -> None:
        """Keep the winners, let each make its children, score the new ones in one batch."""
        before = self._ledger.best()
        winners = self._toolbox.select(self._individuals(), self._evolution.winners)
        parents = [tuple(one) for one in winners]
        brood = self._brood(parents) if self._screen is None else self._screened_brood(parents)
        self._population = self._evaluated(dict.fromkeys([*parents, *brood]), self._next)
        self._close(before)

    def _polish(self) -> None:
        """Score every neighbour of the best subset: move on, or it is the best of them all."""
        before = self._ledger.best()
        near = self._space.neighbours(before)
        if len(near) <= self._evolution.max_exhaustive:
            self._ledger.begin("neighbours of the best subset", len(near))
            self._population = self._evaluated([before, *near], self._next)
        self._record(self._unchanged_since(before))
        if self._ledger.best() == before:
            self._phase = self._last_phase

    def _end(self) -> None:
        """Let the rival join: polished itself, so that nothing need follow."""
        before = self._ledger.best()
        rival = self._rival()
        if rival is None:
            return
        self.joined = rival
        self._population = self._evaluated([before, rival.best], self._next)
        self._record(self._unchanged_since(before))
        self._phase = "done"

    @property
    def _last_phase(self) -> Phase:
        return "ending" if self._evolution.rival else "done"

    def _close(self, before: Subset) -> None:
        """Write the logbook's line, and see whether the generations are used up."""
        unchanged = self._unchanged_since(before)
        self._record(unchanged)
        patience = self._evolution.patience
        spent = patience is not None and unchanged >= patience
        if spent or self._next > self._evolution.generations:
            self._phase = "polishing" if self._evolution.polish else self._last_phase

    @property
    def _next(self) -> int:
        """The generation that comes next; the random subsets are generation 0."""
        return len(self._logbook)

    def _unchanged_since(self, before: Subset) -> int:
        """Generations since the best last changed, with the one that is being closed."""
        unchanged = int(self._logbook[-1]["unchanged"])
        return unchanged + 1 if self._ledger.best() == before else 0

    def _brood(self, parents: list[Subset]) -> list[Subset]:
        times = range(self._evolution.children)
        return [self._toolbox.mutate(parent) for parent in parents for _ in times]

    def _screened_brood(self, parents: list[Subset]) -> list[Subset]:
        """Make more children, keep as many as without a screen; the others may come again."""
        assert self._screen is not None
        born = [child for parent in parents for child in self._many_children(parent)]
        kept = best_of(self._screen, born, len(parents) * self._evolution.children)
        self._born.difference_update(set(born) - set(kept))
        return kept

    def _many_children(self, parent: Subset) -> Iterator[Subset]:
        """Stop where the operator gives up: the parent has hardly an unseen neighbour left."""
        for _ in range(SCREEN_FACTOR * self._evolution.children):
            child = self._toolbox.mutate(parent)
            if child == parent:
                return
            yield child

    def _child(self, parent: Subset) -> Subset:
        """Move to an unseen neighbour; the parent itself where none is found."""
        for _ in range(MAX_DRAWS):
            child = self._space.neighbour(parent, self._rng)
            if child is not None and child not in self._born:
                self._born.add(child)
                return child
        return parent

    def _evaluated(self, subsets: Iterable[Subset], generation: int) -> list[Subset]:
        evaluate = partial(self._toolbox.evaluate, generation=generation)
        return self._toolbox.map(evaluate, list(subsets))  # type: ignore[no-any-return]

    def _losses(self, subsets: list[Subset], generation: int) -> list[Subset]:
        self._born.update(subsets)
        self._ledger.add(subsets, generation)
        return subsets

    def _individuals(self) -> list[Individual]:
        """The population with its fitness, best first."""
        ordered = sorted(self._population, key=self._ledger.order)
        losses = (round6(self._ledger.loss(subset)) for subset in ordered)
        return [
            Individual(subset, _Loss((loss,))) for subset, loss in zip(ordered, losses, strict=True)
        ]

    def _record(self, unchanged: int) -> None:
        top = sorted(self._population, key=self._ledger.order)[: self._evolution.winners]
        losses = [self._ledger.loss(subset) for subset in top]
        self._logbook.append(
            {
                "generation": self._next,
                "evaluated": len(self._ledger),
                "best": losses[0],
                "mean": float(np.mean(losses)),
                "worst": losses[-1],
                "unchanged": unchanged,
            }
        )

    def _keep(self) -> None:
        if self._saved is None:
            return
        rng, rows = self._rng.bit_generator.state, self._ledger.rows
        rival = None if self.joined is None else asdict(self.joined)
        self._saved.save(State(self._phase, self._population, self._logbook, rng, rows, rival))

    def _take_up(self) -> bool:
        """Go on from the kept state, if there is one."""
        state = None if self._saved is None else self._saved.load()
        if state is None:
            return False
        self._ledger.restore(state.rows)
        self._born = set(state.rows)
        self._phase = state.phase  # type: ignore[assignment]
        self._population = list(state.population)
        self._logbook = list(state.logbook)
        self._rng.bit_generator.state = state.rng
        if state.rival is not None:
            self.joined = Swapped.of(state.rival)
            self._ledger.scorer.losses(self.joined.by_size)  # it tells which sizes it met
        return True


class _Loss(base.Fitness):  # type: ignore[misc]
    weights = (-1.0,)


def _whole_batch(
    evaluate: Callable[[list[Subset]], list[Subset]], subsets: list[Subset]
) -> list[Subset]:
    """Stand in for `map`: the scorer takes a whole generation at once."""
    return evaluate(subsets)
