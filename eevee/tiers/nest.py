"""Nested tiers: each holds the smaller ones, so that money spent on one is never lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Goal
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.tiers.goals import search_tiers


@dataclass(frozen=True, eq=False)
class Nested:
    """Nested tiers, and what nesting costs.

    Attributes
    ----------
    found : dict of tier name to SearchResult
        In the order of the goals.
    price : DataFrame
        ``tier, free, nested, increase``: search loss (under fresh initialisations where there
        are any) of the tier by itself and of the nested one, and the difference in per cent.
    grown : bool
        Whether tiers were grown from the smallest up; else cut from the largest down.
    """

    found: dict[str, SearchResult]
    price: pd.DataFrame
    grown: bool


def nest_tiers(
    scorer: Scorer,
    goals: Mapping[str, Goal],
    free: Mapping[str, SearchResult],
    *,
    procedure: Procedure | None = None,
    seed: int = 0,
    control: RunControl = UNATTENDED,
) -> Nested:
    """Choose tiers of which each holds the one before.

    Two chains are made: from the smallest tier up, each next one required to hold the one
    before; and from the largest down, each next one chosen from the one before. The chain whose
    losses lie nearer to those of the free tiers, in the mean of the ratios, is taken.

    Parameters
    ----------
    scorer : Scorer
    goals : mapping of tier name to Goal
        From `make_goals`: all budgets or all sizes, under the same rules.
    free : mapping of tier name to SearchResult
        From `search_tiers` with the same goals.
    procedure, seed, control
        As in `search_tiers`.

    Raises
    ------
    EeveeError
        If budgets and sizes are mixed: neither is then within the other.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 6)), columns=list("abcdef"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> tiers = eevee.build_tiers(scorer, {"small": 1, "base": 2, "big": 4}, nested=True)
    >>> small, base, big = (set(tier.benchmark_names) for tier in tiers)
    >>> small < base < big
    True
    """
    check_nestable(goals)
    options: dict[str, Any] = {
        "procedure": procedure,
        "seed": seed,
        "control": control,
    }
    grown = _chain(scorer, goals, Constraints.requiring, "grown", options)
    names = scorer.table.benchmark_names
    larger_first = {name: goals[name] for name in reversed(list(goals))}
    cut = _chain(
        scorer,
        larger_first,
        lambda rules, held: rules.excluding(set(names) - set(held)),
        "cut",
        options,
    )
    ways = [way for way in (grown, cut) if way is not None and len(way) == len(goals)]
    if not ways:  # stopped on the way: nothing nests yet
        return Nested(dict(free), _price(free, free), grown=True)
    best = min(ways, key=lambda way: float(_price(free, way)["increase"].mean()))
    # What a chain leaves to choose from depends on its other tiers: the free searches tell more.
    found = {
        name: replace(
            best[name],
            agreement=free[name].agreement,
            split_agreement=free[name].split_agreement,
        )
        for name in goals
    }
    return Nested(found, _price(free, found), grown=best is grown)


def check_nestable(goals: Mapping[str, Goal]) -> None:
    """Refuse budgets beside sizes: neither is within the other."""
    if len({goal.k is None for goal in goals.values()}) > 1:
        raise EeveeError("nested tiers have budgets or sizes, not some of each")


def _chain(
    scorer: Scorer,
    goals: Mapping[str, Goal],
    given: Callable[[Constraints, Subset], Constraints],
    way: str,
    options: Mapping[str, Any],
) -> dict[str, SearchResult] | None:
    """Search for one goal after the other under what the one before leaves; None if it cannot."""
    found: dict[str, SearchResult] = {}
    held: Subset = () if way == "grown" else scorer.table.benchmark_names
    for name, goal in goals.items():
        step = goal.under(given(goal.constraints or Constraints(), held))
        try:
            step.space_for(scorer)
        except EeveeError:
            return None  # what the larger tier holds does not fit the smaller budget
        label = f"{name} ({way})"
        found[name] = search_tiers(scorer, {label: step}, **options)[label]
        held = found[name].best
        if options["control"].stop():
            break
    return found


def quoted_loss(result: SearchResult) -> float:
    """Return the loss of the best subset that ranks it: under fresh initialisations, if any."""
    again = float(result.best_row["rescored_mean"])
    return float(result.best_row["loss"]) if np.isnan(again) else again


def _price(free: Mapping[str, SearchResult], nested: Mapping[str, SearchResult]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "tier": list(free),
            "free": [quoted_loss(result) for result in free.values()],
            "nested": [quoted_loss(nested[name]) for name in free],
        }
    )
    return frame.assign(increase=100 * (frame["nested"] / frame["free"] - 1))
