"""The paper's evolutionary search (Algorithms 2 and 3) on DEAP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from deap import base, tools

from eevee.errors import EeveeError
from eevee.scoring.base import Scorer
from eevee.search.result import Ledger, ProgressHook, SearchResult, round6
from eevee.search.screen import SCREEN_FACTOR, best_of, check_screen
from eevee.search.selection import Selection, selection
from eevee.search.space import Space, at_most, make_space
from eevee.seeds import child_seed
from eevee.table import Subset

MAX_DRAWS = 100
"""An operator that finds no unseen subset in this many draws gives up."""


@dataclass(frozen=True)
class Evolution:
    """Numbers of the search; the defaults are the paper's (section 3), where it gives them.

    Attributes
    ----------
    population : int
        Random subsets to begin with.
    winners, children : int
        Subsets kept per generation, and moves made from each.
    generations : int
        At most; the paper does not say.
    patience : int or None
        Stop after this many generations without a better subset; None never stops early.
    selection : {"best", "tournament"}
        The top winners are kept, as the paper does under the name of a tournament, or
        DEAP's `selTournament` draws them.
    max_exhaustive : int
        Score everything where there are at most this many subsets.
    """

    population: int = 1000
    winners: int = 50
    children: int = 10
    generations: int = 10
    patience: int | None = 3
    selection: Selection = "best"
    max_exhaustive: int = 6000

    def __post_init__(self) -> None:
        for name in ("population", "winners", "children", "generations"):
            if getattr(self, name) < 1:
                raise EeveeError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.patience is not None and self.patience < 1:
            raise EeveeError(f"patience must be at least 1 or None, got {self.patience}")
        if self.selection not in ("best", "tournament"):
            raise EeveeError(f"selection must be 'best' or 'tournament', got {self.selection!r}")

    @property
    def most(self) -> int:
        """The most subsets that a search can score."""
        return self.population + self.generations * self.winners * self.children


def evolve(
    scorer: Scorer,
    k: int | None = None,
    *,
    budget: float | None = None,
    seed: int = 0,
    evolution: Evolution | None = None,
    screen: Scorer | None = None,
    exhaustive: bool = True,
    n_rescore: int = 8,
    include: Iterable[Iterable[str]] = (),
    label: str = "search",
    progress: ProgressHook | None = None,
) -> SearchResult:
    """Search for the subset with the lowest loss, of one size or under a budget.

    Random subsets, then generations in which the best 50 stay and each makes 10 children, one
    benchmark swapped for another (under a budget also added or dropped). Where the whole space
    holds at most `evolution.max_exhaustive` subsets, all of them are scored instead and the
    result is exact.

    Parameters
    ----------
    scorer : Scorer
    k : int, optional
        Size of the subset.
    budget : float, optional
        Instead of k: the total cost allowed, in the table's cost unit.
    seed : int
        Of the search alone; the scorer and the splits have their own.
    evolution : Evolution, optional
    screen : Scorer, optional
        A cheap scorer of the same table, such as `RidgeScorer`. Every generation then makes ten
        times the children, and only the best by the screen go to `scorer`, whose losses alone
        are reported. Random subsets are never screened: they are the baseline.
    exhaustive : bool
        Allow scoring everything where there are at most `evolution.max_exhaustive` subsets.
    n_rescore : int
        Initialisations under which the best 50 are scored again; 0 skips it.
    include : iterable of subsets
        Also begin with these (they are not part of the random baseline).
    label : str
        Name in progress reports.
    progress : callable, optional
        Told of a `Progress` as subsets are scored.

    Returns
    -------
    SearchResult

    Raises
    ------
    EeveeError
        If k or the budget is out of range, or a budget comes with ``targets="unseen"``: its
        losses cannot be compared across sizes.

    Notes
    -----
    Paper: "EEVEE and GATE", section 3, Algorithms 2 and 3.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 5))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5, 0.5] * noise, columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> found = evolve(scorer, k=2)
    >>> found.exact, len(found.ranked), "a" in found.best
    (True, 10, True)
    """
    evolution = evolution or Evolution()
    space = make_space(scorer.table, k, budget)
    if budget is not None and scorer.targets != "all":
        raise EeveeError(
            "a search under a budget compares subsets of different sizes, which with "
            "targets='unseen' predict different things; use targets='all', or a size k"
        )
    if screen is not None:
        check_screen(screen, scorer)
    exact = exhaustive and at_most(space, evolution.max_exhaustive)
    also = [_inside(space, scorer.table.subset(subset)) for subset in include]
    ledger = Ledger(scorer, label, evolution.most, progress)
    if exact:
        logbook = _score_everything(space, ledger)
    else:
        rng = np.random.default_rng(seed)
        logbook = _Search(space, ledger, evolution, rng, screen).run(also)
    settings = {
        "method": "exhaustive" if exact else "evolution",
        **space.describe(),
        **asdict(evolution),
        "seed": seed,
        "n_rescore": n_rescore,
        **({} if exact or screen is None else {"screen": screen.describe()}),
    }
    return ledger.result(
        n_rescore=n_rescore, also=also, exact=exact, settings=settings, logbook=logbook
    )


def sweep(
    scorer: Scorer,
    ks: Iterable[int],
    *,
    seed: int = 0,
    evolution: Evolution | None = None,
    screen: Scorer | None = None,
    exhaustive: bool = True,
    n_rescore: int = 8,
    progress: ProgressHook | None = None,
) -> list[SearchResult]:
    """Search at several sizes (paper, Fig. 5): one `SearchResult` per k, in order.

    Each size has a seed of its own, spawned from `seed`, so that a size's result does not
    depend on which others are in the sweep.

    Raises
    ------
    EeveeError
        If a k is out of range (before anything is scored).
    """
    sizes = list(ks)
    for k in sizes:
        make_space(scorer.table, k, None)
    return [
        evolve(
            scorer,
            k,
            seed=child_seed(seed, k),
            evolution=evolution,
            screen=screen,
            exhaustive=exhaustive,
            n_rescore=n_rescore,
            label=f"k={k}",
            progress=progress,
        )
        for k in sizes
    ]


class _Loss(base.Fitness):  # type: ignore[misc]
    weights = (-1.0,)


class _Individual(tuple[str, ...]):
    """A subset with a fitness, as DEAP wants it."""

    fitness: _Loss

    def __new__(cls, names: Subset) -> _Individual:
        individual = super().__new__(cls, names)
        individual.fitness = _Loss()
        return individual


class _Search:
    """One run of Algorithm 3; DEAP's toolbox holds its operators."""

    def __init__(
        self,
        space: Space,
        ledger: Ledger,
        evolution: Evolution,
        rng: np.random.Generator,
        screen: Scorer | None,
    ) -> None:
        self._space = space
        self._ledger = ledger
        self._evolution = evolution
        self._rng = rng
        self._screen = screen
        self._born: set[Subset] = set()
        self._toolbox = base.Toolbox()
        self._toolbox.register("mutate", self._child)
        self._toolbox.register("select", selection(evolution.selection, rng))
        self._toolbox.register("evaluate", self._losses)
        self._toolbox.register("map", _whole_batch)

    def run(self, include: Sequence[Subset]) -> pd.DataFrame:
        """Evolve until the generations or the patience are used up; return the logbook."""
        logbook = tools.Logbook()
        population = self._evaluated(self._first_population(), 0)
        population += self._evaluated([one for one in include if one not in self._born], 1)
        unchanged = 0
        for generation in range(self._evolution.generations + 1):
            if generation > 0:
                before = self._ledger.top(1)
                population = self._next(population, generation)
                unchanged = unchanged + 1 if self._ledger.top(1) == before else 0
            self._record(logbook, generation, population, unchanged)
            patience = self._evolution.patience
            if patience is not None and unchanged >= patience:
                break
        return pd.DataFrame(list(logbook))

    def _first_population(self) -> list[Subset]:
        draw = partial(self._space.random, self._rng)
        drawn: list[Subset] = []
        while len(drawn) < self._evolution.population:
            subset = self._unseen(draw)
            if subset is None:
                break
            drawn.append(subset)
        return drawn

    def _next(self, population: list[_Individual], generation: int) -> list[_Individual]:
        """Keep the winners, let each make its children, score the new ones in one batch."""
        ordered = sorted(population, key=self._ledger.order)
        parents = self._toolbox.select(ordered, self._evolution.winners)
        brood = self._brood(parents) if self._screen is None else self._screened_brood(parents)
        return self._evaluated(dict.fromkeys([*map(tuple, parents), *brood]), generation)

    def _brood(self, parents: list[_Individual]) -> list[Subset]:
        times = range(self._evolution.children)
        return [self._toolbox.mutate(parent) for parent in parents for _ in times]

    def _screened_brood(self, parents: list[_Individual]) -> list[Subset]:
        """Make more children, keep as many as without a screen; the others may come again."""
        assert self._screen is not None
        born = [child for parent in parents for child in self._many_children(parent)]
        kept = best_of(self._screen, born, len(parents) * self._evolution.children)
        self._born.difference_update(set(born) - set(kept))
        return kept

    def _many_children(self, parent: _Individual) -> Iterator[Subset]:
        """Stop where the operator gives up: the parent has hardly an unseen neighbour left."""
        for _ in range(SCREEN_FACTOR * self._evolution.children):
            child = self._toolbox.mutate(parent)
            if child == parent:
                return
            yield child

    def _child(self, parent: Subset) -> Subset:
        """Move to an unseen neighbour; the parent itself where none is found."""
        subset = tuple(parent)
        return self._unseen(partial(self._space.neighbour, subset, self._rng)) or subset

    def _unseen(self, draw: Callable[[], Subset | None]) -> Subset | None:
        for _ in range(MAX_DRAWS):
            subset = draw()
            if subset is not None and subset not in self._born:
                self._born.add(subset)
                return subset
        return None

    def _evaluated(self, subsets: Iterable[Subset], generation: int) -> list[_Individual]:
        individuals = [_Individual(subset) for subset in subsets]
        evaluate = partial(self._toolbox.evaluate, generation=generation)
        losses = self._toolbox.map(evaluate, individuals)
        for individual, loss in zip(individuals, losses, strict=True):
            individual.fitness.values = (round6(loss),)
        return individuals

    def _losses(self, individuals: list[_Individual], generation: int) -> list[float]:
        subsets = [tuple(individual) for individual in individuals]
        self._born.update(subsets)
        self._ledger.add(subsets, generation)
        return [self._ledger.loss(subset) for subset in subsets]

    def _record(
        self,
        logbook: Any,
        generation: int,
        population: list[_Individual],
        unchanged: int,
    ) -> None:
        top = sorted(population, key=self._ledger.order)[: self._evolution.winners]
        losses = [self._ledger.loss(tuple(individual)) for individual in top]
        logbook.record(
            generation=generation,
            evaluated=len(self._ledger),
            best=losses[0],
            mean=float(np.mean(losses)),
            worst=losses[-1],
            unchanged=unchanged,
        )


def _inside(space: Space, subset: Subset) -> Subset:
    if subset not in space:
        raise EeveeError(f"cannot begin with {', '.join(subset)}: it breaks {space.describe()}")
    return subset


def _score_everything(space: Space, ledger: Ledger) -> pd.DataFrame:
    ledger.add(space, 0)
    top = [ledger.loss(subset) for subset in ledger.top(len(ledger))]
    row = {
        "generation": 0,
        "evaluated": len(ledger),
        "best": top[0],
        "mean": float(np.mean(top)),
        "worst": top[-1],
        "unchanged": 0,
    }
    return pd.DataFrame([row])


def _whole_batch(
    evaluate: Callable[[list[_Individual]], list[float]], individuals: list[_Individual]
) -> list[float]:
    """Stand in for `map`: the scorer takes a whole generation at once."""
    return evaluate(individuals)
