"""Tiers read from a front, never worse than those of a search under each budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np

from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError
from eevee.base.keywords import shares_keywords
from eevee.scorers.base import Scorer
from eevee.search.baselines import N_RANDOM
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.front.nsga import Nsga
from eevee.search.front.pareto import ParetoResult, pareto, within_one_se
from eevee.search.goal import Budget, Goal
from eevee.search.judging import search_verdict
from eevee.search.procedure import Procedure
from eevee.search.result import Ledger, ProgressHook, SearchResult
from eevee.search.space import Space
from eevee.search.verdict import SearchVerdict
from eevee.tiers.build import make_tier_set
from eevee.tiers.file import TierSet
from eevee.tiers.goals import make_goals, search_tiers

MOST_NEIGHBOURS = 6000
"""Local search goes no further where a subset has more neighbours."""


class FrontSettings(TypedDict, total=False):
    """Keywords of `tiers_from_front`, which says what they mean."""

    constraints: Constraints | None
    procedure: Procedure | None
    seed: int
    control: RunControl


@dataclass(frozen=True, eq=False)
class FrontResult:
    """A front of loss and cost, and the tiers that were read from it.

    Attributes
    ----------
    front : ParetoResult
    searches : mapping of tier name to SearchResult
    verdicts : mapping of tier name to SearchVerdict
    tier_set : TierSet or None
        The content of the tier file; None without tiers.
    """

    front: ParetoResult
    searches: Mapping[str, SearchResult]
    verdicts: Mapping[str, SearchVerdict]
    tier_set: TierSet | None


@takes_control
def tiers_from_front(
    scorer: Scorer,
    result: ParetoResult,
    budgets: Mapping[str, float | str | Budget],
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

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> scores = np.random.default_rng(0).normal(size=(20, 6))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdef")))
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> found = tiers_from_front(scorer, eevee.pareto(scorer), {"small": 2, "half": "50%"})
    >>> {name: len(tier.best) for name, tier in found.items()}
    {'small': 2, 'half': 3}
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


@takes_control
@shares_keywords(FrontSettings, tiers_from_front)
def search_front(
    scorer: Scorer,
    budgets: Mapping[str, float | str | Budget] | None = None,
    *,
    one_se: bool = False,
    settings: Nsga | None = None,
    exhaustive: bool = True,
    file_seed: int | None = None,
    splits: Mapping[str, Any] | None = None,
    **rules: Unpack[FrontSettings],
) -> FrontResult:
    """Search for the front of loss and cost, and read tiers from it: all of `eevee pareto`.

    Parameters
    ----------
    scorer : Scorer
    budgets : mapping of tier name to budget, optional
        Also tiers, as `tiers_from_front`.
    one_se : bool
        Also a tier "one-se", as `one_se_tier`.
    settings : Nsga, optional
    exhaustive : bool
        Allow scoring everything.
    file_seed, splits
        As `eevee.build_tiers`.
    **rules
        ``constraints, procedure, seed, control`` of `tiers_from_front`.

    Returns
    -------
    FrontResult

    Raises
    ------
    EeveeError
        If a budget or a rule cannot be met (before the work).

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> scores = np.random.default_rng(0).normal(size=(20, 6))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdef")))
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> found = search_front(scorer, {"half": "50%"}, one_se=True)
    >>> found.tier_set.names, found.tier_set["half"].cost <= 3
    (('half', 'one-se'), True)
    """
    budgets = budgets or {}
    if one_se and "one-se" in budgets:
        raise EeveeError("one_se makes a tier 'one-se'; name the budget otherwise")
    constraints, seed = rules.get("constraints"), rules.get("seed", 0)
    control = rules.get("control", UNATTENDED)
    if budgets:
        make_goals(scorer, budgets, None, constraints)  # before the work
    about: dict[str, Any] = {"settings": settings, "exhaustive": exhaustive}
    result = pareto(scorer, constraints=constraints, seed=seed, control=control, **about)
    found: dict[str, SearchResult] = {}
    if budgets and not control.stop():
        found = tiers_from_front(scorer, result, budgets, **rules)
    if one_se:
        found["one-se"] = one_se_tier(scorer, result, constraints=constraints)
    judged = {name: search_verdict(scorer, one, control=control) for name, one in found.items()}
    own = seed if file_seed is None else file_seed
    more: dict[str, Any] = {"verdicts": judged, "splits": splits}
    tiers = make_tier_set(scorer, found, seed=own, **more) if found else None
    return FrontResult(result, found, judged, tiers)


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
        columns=["unseen", "unseen_spread", "kendall"]
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
    """Start from what the front's search scored, and score neighbours until none is better."""
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
    """Start from what the front's search scored in a space."""
    ledger = Ledger(scorer, label, len(result.evaluated), progress)
    seen = result.evaluated[["benchmarks", "loss", "spread", "generation"]]
    rows = {subset: tuple(row) for subset, *row in seen.itertuples(index=False)}
    ledger.restore({subset: row for subset, row in rows.items() if subset in space})
    return ledger


def _random(space: Space, result: ParetoResult) -> list[Subset]:
    """Draw what a search of this space would start from."""
    return space.draws(np.random.default_rng(result.settings["seed"]), N_RANDOM)
