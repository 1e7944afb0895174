"""The paper's evolutionary search (Algorithms 2 and 3), with a better end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial

import numpy as np

from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.evolution.generations import Evolution, Generations
from eevee.search.evolution.screen import check_screen
from eevee.search.goal import Budget, Goal, inside
from eevee.search.greedy import swapped
from eevee.search.result import Ledger, SearchResult
from eevee.search.space import members


@takes_control
def evolve(
    scorer: Scorer,
    k: int | None = None,
    *,
    budget: float | str | Budget | None = None,
    constraints: Constraints | None = None,
    seed: int = 0,
    evolution: Evolution | None = None,
    screen: Scorer | None = None,
    exhaustive: bool = True,
    n_rescore: int = 8,
    include: Iterable[Iterable[str]] = (),
    label: str = "search",
    control: RunControl = UNATTENDED,
) -> SearchResult:
    """Search for the subset with the lowest loss, of one size or under a budget.

    Random subsets, then generations in which the best 50 stay and each makes 10 children, one
    benchmark swapped for another (under a budget also added or dropped); then the best
    subset moves to its best neighbour until none is better, and what greedy search with swaps
    finds joins: by the loss that ranks, the result is never above that of `greedy_swaps`
    (which in wide spaces leaves out some steps; then ``settings["note"]`` says which).
    Where the whole space holds at most `evolution.max_exhaustive` subsets, all of them
    are scored instead and the result is exact. ``Evolution.paper()`` is the paper's algorithm,
    without that end.

    Parameters
    ----------
    scorer : Scorer
    k : int, optional
        Size of the subset.
    budget : float, str or Budget, optional
        Instead of k: the total cost allowed, in the table's cost unit or such as ``"25%"``.
    constraints : Constraints, optional
        Rules that every subset must keep.
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
        Also start from these (they are not part of the random baseline).
    label : str
        Name in progress reports, and of the checkpoint.
    control : RunControl
        Where the state is kept after each generation (and continued from, if it is there: the
        result is then that of an uninterrupted search), who follows it, and when it stops: with
        what is best so far, under ``settings["interrupted"]`` and without scoring it again.

    Returns
    -------
    SearchResult

    Raises
    ------
    EeveeError
        If k, the budget or a rule cannot be met, a budget comes with ``targets="unseen"``, or
        a checkpoint is of another table, configuration or version.

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
    space = Goal.of(k, budget, constraints).space_for(scorer)
    if screen is not None:
        check_screen(screen, scorer)
    every = members(space, evolution.max_exhaustive) if exhaustive else None
    exact = every is not None
    also = [inside(space, scorer.table.subset(subset)) for subset in include]
    settings = {
        "method": "exhaustive" if exact else "evolution",
        **space.describe(),
        **asdict(evolution),
        "seed": seed,
        "n_rescore": n_rescore,
        **({} if exact or screen is None else {"screen": screen.describe()}),
    }
    most = evolution.most if every is None else len(every)
    ledger = Ledger(scorer, label, most, control.progress)
    rng = np.random.default_rng(seed)
    first = ledger.count_draws(space.draws(rng, evolution.population))
    if every is not None:
        ledger.add(every, 0)
        logbook = ledger.one_line()
    else:
        kept = None
        if control.checkpoints is not None:
            kept = control.checkpoints.of(label, scorer, {**settings, "include": also})
        search = Generations(
            space,
            ledger,
            evolution,
            rng,
            first,
            rival=partial(swapped, scorer, space, control, label),
            screen=screen,
            saved=kept,
            stop=control.stop,
        )
        logbook = search.run(also)
        if search.joined is not None:
            also.append(search.joined.best)
            note = search.joined.note
            settings |= {"note": f"greedy search with swaps was cut short: {note}"} if note else {}
        if not search.done:
            settings |= {"interrupted": True, "n_rescore": 0}
    return ledger.result(
        n_rescore=settings["n_rescore"], also=also, exact=exact, settings=settings, logbook=logbook
    )
