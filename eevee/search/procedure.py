"""`Procedure`: a search with all of its settings, before it meets a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.base import Objective, Scorer
from eevee.scorers.objective import check_objective, objective_scorer, plain_scorer
from eevee.search.agreement import agreement
from eevee.search.compare import SEARCHES
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.evolution.generations import Evolution
from eevee.search.goal import Limits
from eevee.search.near_ties import NearTies, check_near_ties, settle
from eevee.search.result import SearchResult

EVOLVING = ("evolution", "paper")
"""Methods that take the settings of an evolution, checkpoints and subsets to start from."""
ELSEWHERE = 1000
"""Which child of the seed searches on other splits get; restarts have those below."""
UNSCORED = ("cheapest", "correlated", "medoids")
"""Methods that choose without a look at what is minimised."""


@dataclass(frozen=True)
class Procedure:
    """What is done to find a subset; an assessed loss belongs to one of these.

    Attributes
    ----------
    method : str
        One of `eevee.search.compare.SEARCHES`.
    evolution : Evolution or None
        For the methods that evolve; their own by default.
    screen : callable or None
        Makes a cheap scorer from the scorer, to choose among children.
    exhaustive : bool
        Whether an evolution may score everything instead, where that is little.
    n_rescore : int
        Initialisations under which the best are scored again.
    restarts : int
        Searches on the same splits, each with a seed of its own; the best of them counts.
    objective : {"loss", "kendall", "r2"}
        What is minimised (`eevee.scorers.objective_scorer`).
    near_ties : {"auto", "covariance", "diversity", "loss"}
        What "evolution" proposes of the subsets that the loss does not tell apart
        (`eevee.search.near_ties.settle`); the other methods propose what they say.

    Raises
    ------
    EeveeError
        If there is no such method or objective, or less than one search.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> len(Procedure("greedy").run(scorer, k=2).best)
    2
    """

    method: str = "evolution"
    evolution: Evolution | None = None
    screen: Callable[[Scorer], Scorer] | None = None
    exhaustive: bool = True
    n_rescore: int = 8
    restarts: int = 1
    objective: Objective = "loss"
    near_ties: NearTies = "auto"

    def __post_init__(self) -> None:
        if self.method not in SEARCHES:
            hint = did_you_mean(self.method, tuple(SEARCHES))
            raise EeveeError(f"no search {self.method!r}{hint}; there are {', '.join(SEARCHES)}")
        if self.restarts < 1:
            raise EeveeError(f"restarts must be at least 1, got {self.restarts}")
        check_objective(self.objective)
        check_near_ties(self.near_ties)

    @property
    def evolves(self) -> bool:
        """Whether the search takes checkpoints and subsets to start from."""
        return self.method in EVOLVING

    @property
    def title(self) -> str:
        """The method, and the objective where that is not the loss.

        The best of random subsets is named so: it is not what random subsets are on average.
        """
        name = "best of random" if self.method == "random" else self.method
        plain = self.objective == "loss" or self.method in UNSCORED
        return name if plain else f"{name} ({self.objective})"

    def judge(self, scorer: Scorer) -> Scorer:
        """Return what the search minimises; it can be searched with again and again."""
        return objective_scorer(scorer, self.objective)

    @takes_control
    @shares_keywords(Limits)
    def run(
        self,
        scorer: Scorer,
        k: int | None = None,
        *,
        seed: int = 0,
        include: Iterable[Iterable[str]] = (),
        label: str = "search",
        control: RunControl = UNATTENDED,
        elsewhere: Sequence[Scorer] = (),
        **limits: Unpack[Limits],
    ) -> SearchResult:
        """Search, as often as there are restarts; parameters as in `eevee.select`.

        The scorer may be one of losses, or what `judge` made of it.

        Parameters
        ----------
        elsewhere : sequence of Scorer
            The same scorer on other splits, with other initialisations (`ScorerSpec.elsewhere`):
            one search each, which only say how far what is found depends on these. Their losses
            do not compare with those of `scorer`, so that none of them can win.

        Returns
        -------
        SearchResult
            The best of the restarts, with their `agreement` and, over `elsewhere`, its
            `split_agreement`.
        """
        begin = [tuple(subset) for subset in include]

        def search(judge: Scorer, start: list[tuple[str, ...]], **own: Any) -> SearchResult:
            options: dict[str, Any] = {"progress": control.progress}
            if self.evolves:
                options = {**self._evolving(judge), "control": control, "include": start}
            options["n_rescore"] = self.n_rescore
            return SEARCHES[self.method](judge, k, **limits, **options, **own)

        scorer = self.judge(scorer)
        results = [search(scorer, begin, seed=seed, label=label)]
        for i in range(1, self.restarts):
            if results[-1].exact or control.stop():
                break
            again = f"{label}, search {i + 1}"
            results.append(search(scorer, begin, seed=child_seed(seed, i), label=again))
        best = best_of_restarts(results, scorer.table.benchmark_names)
        found = self._settled(scorer, best, begin)
        others: list[SearchResult] = []
        for i, other in enumerate(elsewhere, start=1):
            if not control.stop():
                own, name = child_seed(seed, ELSEWHERE, i), f"{label}, other splits {i}"
                judge = self.judge(other)
                once = search(judge, [], seed=own, label=name)
                others.append(self._settled(judge, once, []))
        return found if control.stop() else with_elsewhere(found, others)

    def _settled(
        self, scorer: Scorer, found: SearchResult, begin: list[tuple[str, ...]]
    ) -> SearchResult:
        settles = self.method == "evolution"
        return settle(scorer, found, self.near_ties, begin) if settles else found

    def _evolving(self, scorer: Scorer) -> dict[str, Any]:
        return {
            "evolution": self.evolution,
            "screen": self.screen and self.judge(self.screen(plain_scorer(scorer))),
            "exhaustive": self.exhaustive,
        }


def best_of_restarts(results: list[SearchResult], names: Subset) -> SearchResult:
    """Return the best of several searches of one space, with how far they agree.

    The settings are those of the best one, and tell how many there were.
    """
    # A stopped search has no losses under fresh initialisations: then none counts by those.
    fair = all(not result.settings.get("interrupted") for result in results)
    best = min(results, key=partial(_order, rescored=fair))
    ranked = [_own_top(result) for result in results]
    more = {"restarts": len(results)} if len(results) > 1 else {}
    return replace(best, agreement=agreement(ranked, names), settings=best.settings | more)


def with_elsewhere(found: SearchResult, others: Sequence[SearchResult]) -> SearchResult:
    """Say how far a result agrees with searches on other splits, where there were any."""
    if not others:
        return found
    ranked = [[tuple(one) for one in result.ranked["benchmarks"]] for result in (found, *others)]
    names = tuple(found.agreement.benchmarks["benchmark"].sort_values()) if found.agreement else ()
    return replace(
        found,
        split_agreement=agreement(ranked, names),
        settings={**found.settings, "searches_on_other_splits": len(others)},
    )


def _own_top(result: SearchResult) -> list[Subset]:
    """The top of a search without the greedy rival, which is the same for every seed."""
    top = [tuple(subset) for subset in result.ranked["benchmarks"]]
    if result.exact or not result.settings.get("rival") or result.settings.get("interrupted"):
        return top
    last = result.evaluated["generation"] == result.logbook["generation"].iloc[-1]
    rivals = {tuple(subset) for subset in result.evaluated.loc[last, "benchmarks"]}
    return [subset for subset in top if subset not in rivals] or top


def _order(result: SearchResult, *, rescored: bool) -> tuple[float, float, Subset]:
    row = result.best_row
    again = float(row["rescored_mean"]) if rescored else float("nan")
    return round6(float(row["loss"]) if again != again else again), row["cost"], result.best  # noqa: PLR0124
