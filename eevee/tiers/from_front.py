"""Tiers read from a front, never worse than those of a search under each budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from eevee.base.arrays import Subset
from eevee.scorers.base import Scorer
from eevee.search.baselines import N_RANDOM
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.front.pareto import ParetoResult, within_one_se
from eevee.search.goal import Budget, Goal
from eevee.search.procedure import Procedure
from eevee.search.result import Ledger, ProgressHook, SearchResult
from eevee.search.space import Space
from eevee.tiers.goals import make_goals, search_tiers

MOST_NEIGHBOURS = 6000
"""Local search goes no further where a subset has more neighbours."""


def read_tier(
    scorer: Scorer,
    result: ParetoResult,
    budget: float | str,
    *,
    constraints: Constraints | None = None,
    n_rescore: int = 8,
    label: str = "tier",
    control: RunControl = UNATTENDED,
) -> SearchResult:
    """Read the best subset under a budget from a front, and move it on while a neighbour is better.

    Parameters
    ----------
    scorer : Scorer
        The one that the front was searched with.
    result : ParetoResult
    budget : float or str
        In the table's cost unit, or a percentage such as ``"25%"``.
    constraints : Constraints, optional
        Those of the front.
    n_rescore : int
        Initialisations under which the best 50 are scored again; 0 skips it.
    label : str
        Name in progress reports.
    control : RunControl

    Returns
    -------
    SearchResult
        `evaluated` holds what the front's search scored under the budget, and the neighbours.

    Raises
    ------
    EeveeError
        If the budget is no number or below what the rules cost.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> scores = np.random.default_rng(0).normal(size=(20, 6))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdef")))
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> bool(read_tier(scorer, eevee.pareto(scorer), "50%").best_row["cost"] <= 3)
    True
    """
    space = Goal.of(budget=budget, constraints=constraints).space_for(scorer)
    ledger = _polished(scorer, result, space, label, control)
    settings = {
        **result.settings,
        "budget": space.budget,
        "method": "front",
        "n_rescore": n_rescore,
    }
    return ledger.result(n_rescore=n_rescore, settings=settings, logbook=ledger.one_line())


def tiers_from_front(
    scorer: Scorer,
    result: ParetoResult,
    budgets: Mapping[str, float | str],
    *,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    seed: int = 0,
    control: RunControl = UNATTENDED,
) -> dict[str, SearchResult]:
    """Take under each budget the better of the front's subset and that of its own search.

    The searches are those of `eevee.tiers.goals.search_tiers` with this seed: a tier is never worse
    than theirs, by the loss that ranks them.

    Parameters
    ----------
    scorer : Scorer
    result : ParetoResult
    budgets : mapping of tier name to budget
    constraints : Constraints, optional
        Those of the front.
    procedure : Procedure, optional
        Of the searches under each budget, and their `seed`.
    seed : int
    control : RunControl

    Returns
    -------
    dict of tier name to SearchResult, by rising budget

    Raises
    ------
    EeveeError
        If a budget is no number or below what the rules cost (before anything is scored).
    """
    goals = make_goals(scorer, budgets, None, constraints)
    lowest = replace(procedure or Procedure(), near_ties="loss")  # as the front itself goes
    alone = search_tiers(scorer, goals, procedure=lowest, seed=seed, control=control)
    tiers: dict[str, SearchResult] = {}
    for name in alone:
        space = goals[name].space_for(scorer)
        also = [alone[name].best, *(tier.best for tier in tiers.values())]
        tiers[name] = _better(scorer, alone[name], result, space, also, control)
    return tiers


def one_se_tier(
    scorer: Scorer, result: ParetoResult, *, constraints: Constraints | None = None
) -> SearchResult:
    """Return the cheapest subset within one standard error of the lowest unseen loss, as a tier.

    Its random subsets are filled at random up to its own cost.

    Parameters
    ----------
    scorer : Scorer
        The one that the front was searched with.
    result : ParetoResult
    constraints : Constraints, optional
        Those of the front.

    Raises
    ------
    EeveeError
        As `within_one_se`.
    """
    chosen = within_one_se(result)
    ranked = result.front[result.front["cost"] == chosen["cost"]].drop(
        columns=["unseen", "unseen_spread"]
    )
    space = Goal(None, Budget(float(chosen["cost"])), constraints).space_for(scorer)
    ledger = _seen(scorer, result, replace(space, budget=None), "one standard error")
    ledger.add(ledger.count_draws(_random(space, result)), 0)
    return SearchResult(
        best=tuple(chosen["benchmarks"]),
        ranked=ranked.reset_index(drop=True),
        evaluated=ledger.evaluated,
        logbook=result.logbook,
        targets=result.targets,
        exact=result.exact,
        mean_predictor=result.mean_predictor,
        settings={**result.settings, "method": "one standard error"},
    )


def _better(
    scorer: Scorer,
    alone: SearchResult,
    front: ParetoResult,
    space: Space,
    also: list[Subset],
    control: RunControl,
) -> SearchResult:
    """Rank what both searches scored under a budget together."""
    if alone.exact:
        return alone
    read = _polished(scorer, front, space, "front", RunControl(stop=control.stop)).rows
    rows = dict(read)
    own = alone.evaluated[["benchmarks", "loss", "spread", "generation"]]
    rows |= {subset: tuple(row) for subset, *row in own.itertuples(index=False)}
    ledger = Ledger(scorer, "front", len(rows))
    ledger.restore(rows)
    ledger.count_draws(alone.random_draws)
    ledger.add(also, 1)
    return ledger.result(
        n_rescore=alone.settings["n_rescore"],
        settings={**alone.settings, "method": "front and evolution"},
        logbook=alone.logbook,
        also=also,
    )


def _polished(
    scorer: Scorer,
    result: ParetoResult,
    space: Space,
    label: str,
    control: RunControl,
) -> Ledger:
    """Begin with what the front's search scored, and score neighbours until none is better."""
    ledger = _seen(scorer, result, space, label, control.progress)
    ledger.add(ledger.count_draws(_random(space, result)), 0)
    generation = int(result.evaluated["generation"].max()) + 1
    while True:
        before = ledger.best()
        near = space.neighbours(before)
        if result.exact or len(near) > MOST_NEIGHBOURS or control.stop():
            return ledger
        ledger.add(near, generation)
        if ledger.best() == before:
            return ledger


def _seen(
    scorer: Scorer,
    result: ParetoResult,
    space: Space,
    label: str,
    progress: ProgressHook | None = None,
) -> Ledger:
    """Begin with what the front's search scored in a space."""
    ledger = Ledger(scorer, label, len(result.evaluated), progress)
    seen = result.evaluated[["benchmarks", "loss", "spread", "generation"]]
    rows = {subset: tuple(row) for subset, *row in seen.itertuples(index=False)}
    ledger.restore({subset: row for subset, row in rows.items() if subset in space})
    return ledger


def _random(space: Space, result: ParetoResult) -> list[Subset]:
    """Draw what a search of this space would begin with."""
    return space.draws(np.random.default_rng(result.settings["seed"]), N_RANDOM)
