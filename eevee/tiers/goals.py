"""Goals of tiers: sizes and budgets by name, searched, compared and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.search.compare import compare
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Budget, Goal, check_unseen
from eevee.search.judging import search_verdict
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict
from eevee.tables.results_table import NO_COSTS, ResultsTable

WIDE = 50
"""Budgets that admit more benchmarks may be wide (`wide_budgets`)."""


def make_goals(
    scorer: Scorer,
    budgets: Mapping[str, float | str | Budget],
    sizes: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
) -> dict[str, Goal]:
    """Return the goals of tiers by name, by rising budget, then by rising size.

    Budgets are in the cost unit of the scorer's table.

    Raises
    ------
    EeveeError
        If there is none, a name is used twice, or naming the tier that cannot be met and why.
    """
    table, sizes = scorer.table, sizes or {}
    if not budgets and not sizes:
        raise EeveeError("tiers need at least one budget, such as small=10%, or size")
    for name in sizes:
        if name in budgets:
            raise EeveeError(f"tier {name!r} has both a budget and a size; give one")
    goals = {name: Goal.of(budget=budget).in_units(table) for name, budget in budgets.items()}
    goals |= {name: Goal(k) for name, k in sizes.items()}
    goals = {name: goal.under(constraints) for name, goal in goals.items()}
    for name, goal in goals.items():
        try:
            check_unseen(scorer, goal.space_for(scorer))
        except EeveeError as error:
            raise EeveeError(f"tier {name!r}: {error}") from None

    def order(name: str) -> tuple[bool, float, int, str]:
        goal = goals[name]
        return goal.budget is None, goal.amount(table) or 0.0, goal.k or 0, name

    return {name: goals[name] for name in sorted(goals, key=order)}


def wide_budgets(
    table: ResultsTable,
    budgets: Mapping[str, float | str | Budget],
    constraints: Constraints | None = None,
) -> dict[str, int]:
    """Return the budgets that admit very many benchmarks, and how many: searches take long there.

    That is more than `WIDE`, and more than half of all that there are to choose from. None where
    there are no costs (a budget is then the number of benchmarks), or sizes are bounded.
    """
    if table.cost_unit == NO_COSTS or (constraints is not None and constraints.max_size):
        return {}
    most = {}
    for name, budget in budgets.items():
        with suppress(EeveeError):  # what cannot be met is said by the search
            most[name] = Goal.of(budget=budget, constraints=constraints).most(table)
    least = max(WIDE, len(table.benchmark_names) / 2)
    return {name: count for name, count in most.items() if count > least}


def search_tiers(
    scorer: Scorer,
    goals: Mapping[str, Goal],
    *,
    procedure: Procedure | None = None,
    seed: int = 0,
    control: RunControl = UNATTENDED,
    elsewhere: Sequence[Scorer] = (),
) -> dict[str, SearchResult]:
    """Search for each goal, in the order given.

    Where the search can start from given subsets, that of a larger budget also starts from what
    was found under the smaller ones, so that no tier is worse than a cheaper one by the loss
    that ranks them. The random part of a search depends on its own goal alone.

    Returns
    -------
    dict of tier name to SearchResult
        Fewer where it was stopped.
    """
    procedure = procedure or Procedure()
    found: dict[str, SearchResult] = {}
    for name, goal in goals.items():
        smaller = [result.best for one, result in found.items() if goals[one].budget]
        found[name] = procedure.run(
            scorer,
            **goal.arguments,
            seed=goal_seed(seed, goal),
            include=smaller if goal.budget else (),
            label=name,
            control=control,
            elsewhere=elsewhere,
        )
        if control.stop():
            break
    return found


def goal_seed(seed: int, goal: Goal) -> int:
    """Return the seed of a goal's search: the same whichever other tiers there are."""
    return child_seed(seed, *f"{goal.k if goal.budget is None else goal.budget.amount}".encode())


def compare_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Mapping[str, Goal],
    *,
    seed: int = 0,
    control: RunControl = UNATTENDED,
) -> pd.DataFrame:
    """Compare what was found for each goal with simple searches for the same.

    Returns
    -------
    DataFrame
        As `eevee.search.compare.compare`, with a first column ``tier``.
    """
    parts = []
    for name, result in found.items():
        frame = compare(
            scorer,
            result,
            **goals[name].arguments,
            seed=goal_seed(seed, goals[name]),
            control=control,
        )
        frame.insert(0, "tier", name)
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def judge_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Mapping[str, Goal],
    *,
    seed: int = 0,
    control: RunControl = UNATTENDED,
) -> dict[str, SearchVerdict]:
    """Judge for each goal what was found beside random subsets (`search_verdict`)."""
    return {
        name: search_verdict(
            scorer,
            result,
            **goals[name].arguments,
            seed=goal_seed(seed, goals[name]),
            control=control,
        )
        for name, result in found.items()
    }
