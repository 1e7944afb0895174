"""Goals of tiers: sizes and budgets by name, searched, compared and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.search.budgets import budget_in_units
from eevee.search.compare import compare
from eevee.search.constraints import Constraints
from eevee.search.control import ALONE, Watch
from eevee.search.goal import check_unseen, goal_space
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict, search_verdict


@dataclass(frozen=True)
class Goal:
    """What one tier is chosen for: a budget in the cost unit, or a size."""

    name: str
    budget: float | None = None
    k: int | None = None


def make_goals(
    scorer: Scorer,
    budgets: Mapping[str, float | str],
    sizes: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
) -> list[Goal]:
    """Return the goals of tiers, by rising budget, then by rising size.

    Raises
    ------
    EeveeError
        If there is none, a name is used twice, or naming the tier that cannot be met and why.
    """
    table = scorer.table
    goals = [Goal(name, budget=budget_in_units(b, table)) for name, b in budgets.items()]
    goals += [Goal(name, k=k) for name, k in (sizes or {}).items()]
    if not goals:
        raise EeveeError("tiers need at least one budget, such as small=10%, or size")
    for goal in goals:
        if sum(other.name == goal.name for other in goals) > 1:
            raise EeveeError(f"tier {goal.name!r} has both a budget and a size; give one")
        rules = rules_of(goal, constraints)
        try:
            check_unseen(scorer, goal_space(scorer, goal.k, goal.budget, rules))
        except EeveeError as error:
            raise EeveeError(f"tier {goal.name!r}: {error}") from None
    return sorted(goals, key=lambda g: (g.budget is None, g.budget or 0.0, g.k or 0, g.name))


def search_tiers(
    scorer: Scorer,
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    seed: int = 0,
    watch: Watch = ALONE,
    elsewhere: Sequence[Scorer] = (),
) -> dict[str, SearchResult]:
    """Search for each goal, in the order given.

    Where the search can begin with given subsets, that of a larger budget begins also with what
    was found under the smaller ones, so that no tier is worse than a cheaper one by the loss
    that ranks them. The random part of a search depends on its own goal alone.

    Returns
    -------
    dict of tier name to SearchResult
        Fewer where it was stopped.
    """
    procedure = procedure or Procedure()
    found: dict[str, SearchResult] = {}
    for goal in goals:
        smaller = [found[g.name].best for g in goals if g.name in found and g.budget]
        found[goal.name] = procedure.run(
            scorer,
            goal.k,
            budget=goal.budget,
            constraints=rules_of(goal, constraints),
            seed=goal_seed(seed, goal),
            include=smaller if goal.budget else (),
            label=goal.name,
            watch=watch,
            elsewhere=elsewhere,
        )
        if watch.stop():
            break
    return found


def goal_seed(seed: int, goal: Goal) -> int:
    """Return the seed of a goal's search: the same whichever other tiers there are."""
    return child_seed(seed, *f"{goal.budget if goal.k is None else goal.k!r}".encode())


def compare_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    watch: Watch = ALONE,
) -> pd.DataFrame:
    """Compare what was found for each goal with simple searches for the same.

    Returns
    -------
    DataFrame
        As `eevee.search.compare.compare`, with a first column ``tier``.
    """
    parts = []
    for goal in goals:
        if goal.name in found:
            frame = compare(
                scorer,
                found[goal.name],
                k=goal.k,
                budget=goal.budget,
                constraints=rules_of(goal, constraints),
                seed=goal_seed(seed, goal),
                stop=watch.stop,
                progress=watch.progress,
            )
            frame.insert(0, "tier", goal.name)
            parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def judge_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> dict[str, SearchVerdict]:
    """Judge for each goal what was found beside random subsets, as `eevee.search_verdict`."""
    return {
        goal.name: search_verdict(
            scorer,
            found[goal.name],
            k=goal.k,
            budget=goal.budget,
            constraints=rules_of(goal, constraints),
            seed=goal_seed(seed, goal),
        )
        for goal in goals
        if goal.name in found
    }


def rules_of(goal: Goal, constraints: Constraints | None) -> Constraints | None:
    """Return the rules of one goal: a largest size speaks of budgets alone."""
    if constraints is None or goal.k is None:
        return constraints
    return replace(constraints, max_size=None)
