"""`select`: one search, judged and set beside simple ones: all of `eevee select`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from eevee.scorers.base import Scorer
from eevee.search.compare import compare
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.curve import best_losses
from eevee.search.goal import Budget
from eevee.search.judging import search_verdict
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection(SearchResult):
    """What a search found, and how good it is.

    Attributes
    ----------
    losses : DataFrame
        Search loss of `best` for both kinds of target: ``all, unseen``, one row.
    verdict : SearchVerdict
        Whether this is more than luck, as far as a search can know.
    baselines : DataFrame or None
        Simple searches for the same (`eevee.search.compare.compare`); None if they were not asked
        for, or the search was stopped.
    """

    losses: pd.DataFrame
    verdict: SearchVerdict
    baselines: pd.DataFrame | None = None


def select(
    scorer: Scorer,
    k: int | None = None,
    *,
    budget: float | str | Budget | None = None,
    constraints: Constraints | None = None,
    method: str | Procedure = "evolution",
    seed: int = 0,
    include: Iterable[Iterable[str]] = (),
    baselines: bool = True,
    elsewhere: Sequence[Scorer] = (),
    control: RunControl = UNATTENDED,
) -> Selection:
    """Search for the best subset of one size, or under a budget, and say how good it is.

    Parameters
    ----------
    scorer : Scorer
    k : int, optional
        Number of benchmarks.
    budget : float, str or Budget, optional
        Instead of k: the total cost allowed, in the table's cost unit or such as ``"25%"``.
    constraints : Constraints, optional
        Rules that every subset must keep.
    method : str or Procedure
        A search by its name: "evolution", "paper", "greedy", "greedy-backward", "greedy-swaps",
        "random", "cheapest", "medoids" or "correlated"; or one with settings of its own.
    seed : int
        Of the search alone; the scorer and the splits have their own.
    include : iterable of subsets
        Subsets that an evolution also starts from.
    baselines : bool
        Whether to search by the simple methods as well, to compare.
    elsewhere : sequence of Scorer
        The same scorer on other splits (`Procedure.run`), to say how far the result depends on
        these.
    control : RunControl
        After a stop the best so far is returned, without baselines.

    Returns
    -------
    Selection
        A `SearchResult` with `losses`, `verdict` and `baselines`.

    Raises
    ------
    EeveeError
        If there is no such method, k, the budget or a rule cannot be met, a budget comes with
        ``targets="unseen"``, or a checkpoint is of another table, configuration or version.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 5))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5, 0.5] * noise, columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> found = select(scorer, k=2)
    >>> len(found.best), found.exact, found.baselines["method"].tolist()[:3]
    (2, True, ['exhaustive', 'random', 'cheapest'])
    >>> len(select(scorer, budget="40%", method="greedy", baselines=False).best)
    2
    """
    procedure = method if isinstance(method, Procedure) else Procedure(method)
    judge = procedure.judge(scorer)
    goal: dict[str, Any] = {"k": k, "budget": budget, "constraints": constraints, "seed": seed}
    found = procedure.run(judge, **goal, include=include, control=control, elsewhere=elsewhere)
    control.begin("scoring the best subset for both kinds of target")
    losses = best_losses(scorer, {"selected": found}, advance=control.advance)
    control.begin("judging beside random subsets")
    verdict = search_verdict(judge, found, **goal, control=control)
    beside = None
    if baselines and not control.stop():
        beside = compare(judge, found, **goal, control=control.without_generations())
    return Selection(**vars(found), losses=losses, verdict=verdict, baselines=beside)
