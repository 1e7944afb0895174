"""`Goal` and `Budget`: what a search is for, and the space of subsets that this describes."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from eevee.base.arrays import Subset, round_cost, total_cost
from eevee.base.errors import EeveeError
from eevee.scorers.base import Objective, Scorer
from eevee.search.constraints import Constraints, tasks_of
from eevee.search.space import NO_RULES, Space
from eevee.tables.results_table import ResultsTable

_BUDGET = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*(%?)")


@dataclass(frozen=True)
class Budget:
    """The total cost allowed: an amount in the cost unit, or a percentage of all costs.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> Budget.parse("50%").in_units(table), Budget.parse(1.5).in_units(table)
    (1.0, 1.5)
    """

    amount: float
    percent: bool = False

    @classmethod
    def parse(cls, budget: float | str | Budget) -> Budget:
        """Read a positive number or percentage, such as ``12`` or ``"25%"``.

        Raises
        ------
        EeveeError
            If it is neither.

        Examples
        --------
        >>> Budget.parse("25%")
        Budget(amount=25.0, percent=True)
        """
        if isinstance(budget, Budget):
            return budget
        match = _BUDGET.fullmatch(str(budget).strip())
        value = float(match[1] + (match[2] or "")) if match else math.nan
        if match is None or not 0 < value < math.inf:
            raise EeveeError(f"a budget is a positive number or percentage, not {budget!r}")
        return cls(value, bool(match[3]))

    def words(self, table: ResultsTable) -> str:
        """Say it, such as "5 % of the cost" or "a budget of 12 GPU-hours"."""
        if self.percent:
            return f"{self.amount:g} % of the cost"
        return f"a budget of {self.amount:g} {table.cost_unit}"

    def in_units(self, table: ResultsTable) -> float:
        """Return the amount in the table's cost unit."""
        return round_cost(self.amount * table.total_cost / 100 if self.percent else self.amount)


@dataclass(frozen=True)
class Goal:
    """What a search is for: a size or a budget, and rules.

    Attributes
    ----------
    k : int or None
    budget : Budget or None
    constraints : Constraints or None

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> goal = Goal.of(k=1, constraints=Constraints(require=("b",)))
    >>> list(goal.space(table)), Goal.of(budget="50%").describe(table)["goal"]
    ([('b',)], '1 benchmarks')
    """

    k: int | None = None
    budget: Budget | None = None
    constraints: Constraints | None = None

    @classmethod
    def of(
        cls,
        k: int | None = None,
        budget: float | str | Budget | None = None,
        constraints: Constraints | None = None,
    ) -> Goal:
        """Make a goal of what users give; a budget as for `Budget.parse`."""
        return cls(k, None if budget is None else Budget.parse(budget), constraints)

    @property
    def given(self) -> bool:
        """Whether there is anything to search for."""
        return self.k is not None or self.budget is not None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as the arguments of a search."""
        return {"k": self.k, "budget": self.budget, "constraints": self.constraints}

    def under(self, constraints: Constraints | None) -> Goal:
        """Return the same size or budget under other rules; a largest size is for budgets only."""
        if constraints is not None and self.k is not None:
            constraints = replace(constraints, max_size=None)
        return replace(self, constraints=constraints)

    def amount(self, table: ResultsTable) -> float | None:
        """Return the budget in the table's cost unit, if there is one."""
        return None if self.budget is None else self.budget.in_units(table)

    def in_units(self, table: ResultsTable) -> Goal:
        """Return the same goal with its budget in the table's cost unit, not as a percentage."""
        amount = self.amount(table)
        return self if amount is None else replace(self, budget=Budget(amount))

    def most(self, table: ResultsTable) -> int:
        """Return how many benchmarks a subset may hold: the cheapest ones, as long as they fit.

        Raises
        ------
        EeveeError
            As `space`.
        """
        space = self.space(table)
        taken = list(space.fixed)
        for name in sorted(space.free, key=lambda name: (space.costs[name], name)):
            if space.may_join(taken, name):
                taken.append(name)
        return len(taken)

    def describe(self, table: ResultsTable) -> dict[str, Any]:
        """Return it in words, and as plain values."""
        amount = self.amount(table)
        words = f"k = {self.k}" if amount is None else f"{amount:g} {table.cost_unit}"
        rules = self.constraints.describe() if self.constraints else {}
        goal = words if self.given else "given subsets"
        return {"goal": goal, "k": self.k, "budget": amount, "constraints": rules}

    def check_objective(self, objective: Objective) -> None:
        """Refuse a budget for an objective that does not compare across sizes."""
        if self.budget is not None and objective == "r2":
            raise EeveeError(
                "a search under a budget compares subsets of different sizes, for which R2 is "
                "over different benchmarks; use a size k, or another objective"
            )

    def space_for(self, scorer: Scorer) -> Space:
        """Return the space of a search that minimises the loss of a scorer.

        Raises
        ------
        EeveeError
            As `space`; also if neither size nor budget is given, or a budget comes with
            ``targets="unseen"``, whose losses cannot be compared across sizes.
        """
        if not self.given:
            raise EeveeError("give either a size k or a budget")
        self.check_objective(scorer.objective)
        if self.budget is not None and scorer.targets != "all":
            raise EeveeError(
                "a search under a budget compares subsets of different sizes, which with "
                "targets='unseen' predict different things; use targets='all', or a size k"
            )
        return self.space(scorer.table)

    def space(self, table: ResultsTable) -> Space:
        """Return the space that the goal describes; of any size without size and budget.

        Raises
        ------
        EeveeError
            If both are given, or naming the limit or rule that cannot be met.
        """
        rules, k = self.constraints or NO_RULES, self.k
        if k is not None and self.budget is not None:
            raise EeveeError(
                "give either a size k or a budget; the largest size under a budget is max_size"
            )
        if k is not None and rules.max_size is not None:
            raise EeveeError("max_size bounds the size under a budget; with k the size is given")
        rules.check(table)
        costs = {name: cost for name, cost in table.costs.items() if name not in rules.exclude}
        space = Space(
            costs=costs,
            smallest=1 if k is None else k,
            largest=min(rules.max_size or len(costs), len(costs)) if k is None else k,
            fixed=tuple(sorted({*rules.require, *table.paid})),
            budget=self.amount(table),
            tasks={n: t for n, t in tasks_of(table).items() if n in costs} if rules.by_task else {},
            rules=rules,
        )
        _check_sizes(space)
        if space.completion(space.fixed) is None:
            raise _unmet(space, table)
        return space


class Limits(TypedDict, total=False):
    """Keywords of searches whose size is given first."""

    budget: float | str | Budget | None
    constraints: Constraints | None


class GoalSettings(Limits, total=False):
    """A goal as keywords, as `Goal.of` takes them."""

    k: int | None


def check_unseen(scorer: Scorer, space: Space) -> None:
    """Refuse a space none of whose subsets leaves a benchmark to predict, where that is judged.

    A search there has nothing to minimise, and its tier no loss.
    """
    if scorer.targets != "unseen" and scorer.objective != "r2":
        return
    table = scorer.table
    targets = set(table.columns["benchmark"][table.is_target])
    always = space.costs if space.smallest == len(space.costs) else space.fixed
    if targets <= set(always):
        what = "objective='r2'" if scorer.objective == "r2" else "targets='unseen'"
        raise EeveeError(
            f"with all {len(targets)} benchmarks nothing is left to predict, which {what} judges; "
            "give a smaller size, or use targets='all' and another objective"
        )


def inside(space: Space, subset: Subset) -> Subset:
    """Return a subset that a search is to start from.

    Raises
    ------
    EeveeError
        If it is not in the space.
    """
    if subset not in space:
        raise EeveeError(f"cannot start from {', '.join(subset)}: it breaks {space.describe()}")
    return subset


def _check_sizes(space: Space) -> None:
    """Refuse sizes that the pool, the fixed ones or the tasks rule out."""
    n, fixed = len(space.costs), len(space.fixed)
    if n == 0:
        raise EeveeError("every benchmark is excluded; leave one in")
    if space.one_size and not 1 <= space.largest <= n:
        pool = "benchmarks that are not excluded" if space.rules.exclude else "benchmarks"
        raise EeveeError(f"k = {space.largest} is not between 1 and the pool's {n} {pool}")
    bound = "the largest size" if space.rules.max_size is not None else "k"
    if fixed > space.largest:
        raise EeveeError(
            f"{fixed} benchmarks are required or paid for, more than {bound} = {space.largest}"
        )
    counts = Counter(space.tasks.values())
    least, most = space.rules.min_per_task or 0, space.rules.max_per_task or n
    taken = Counter(space.tasks[name] for name in space.fixed if name in space.tasks)
    loose = sum(name not in space.tasks for name in space.fixed)
    lowest = loose + sum(max(least, taken[task]) for task in counts)
    highest = n - sum(max(0, count - most) for count in counts.values())
    if lowest > space.largest:
        raise EeveeError(
            f"at least {least} from each of {len(counts)} tasks, and what is required, make "
            f"{lowest} benchmarks, more than {bound} = {space.largest}"
        )
    if highest < space.smallest:
        raise EeveeError(
            f"at most {most} from each of {len(counts)} tasks leave {highest} benchmarks, fewer "
            f"than k = {space.smallest}"
        )


def _unmet(space: Space, table: ResultsTable) -> EeveeError:
    """Say why nothing fits the budget: the only limit that is left."""
    assert space.budget is not None
    what = f"a budget of {space.budget:g} {table.cost_unit}"
    fixed = total_cost(space.costs[name] for name in space.fixed)
    if fixed > round_cost(space.budget):
        names = ", ".join(space.fixed)
        return EeveeError(f"{what} is below the required benchmarks: {names} cost {fixed:g}")
    if space.rules.min_per_task is not None:
        return EeveeError(
            f"{what} is too small for at least {space.rules.min_per_task} per task: the cheapest "
            f"such subset costs {total_cost(_cheapest_costs(space)):g}"
        )
    name = min(space.costs, key=lambda name: (space.costs[name], name))
    return EeveeError(
        f"{what} is below the cheapest benchmark: {name!r} costs {space.costs[name]:g}"
    )


def _cheapest_costs(space: Space) -> list[float]:
    """Costs of the cheapest subset that keeps the rules, whatever the budget."""
    cheapest = replace(space, budget=None).completion(space.fixed)
    return [space.costs[name] for name in cheapest or ()]
