"""From a size or a budget, and rules, to the space of a search; or why there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from eevee.base.arrays import Subset, round_cost, total_cost
from eevee.base.errors import EeveeError
from eevee.scorers.base import Objective, Scorer
from eevee.search.constraints import Constraints, tasks_of
from eevee.search.space import NO_RULES, Space
from eevee.tables.results_table import ResultsTable


def goal_space(
    scorer: Scorer, k: int | None, budget: float | None, rules: Constraints | None
) -> Space:
    """Return the space of a search that minimises the loss of a scorer.

    Raises
    ------
    EeveeError
        As `make_space`; also if neither size nor budget is given, or a budget comes with
        ``targets="unseen"``, whose losses cannot be compared across sizes.
    """
    if k is None and budget is None:
        raise EeveeError("give either a size k or a budget")
    check_sizes_compare(budget, scorer.objective)
    if budget is not None and scorer.targets != "all":
        raise EeveeError(
            "a search under a budget compares subsets of different sizes, which with "
            "targets='unseen' predict different things; use targets='all', or a size k"
        )
    return make_space(scorer.table, k, budget, rules)


def check_sizes_compare(budget: float | None, objective: Objective) -> None:
    """Refuse a budget for an objective that does not compare across sizes."""
    if budget is not None and objective == "r2":
        raise EeveeError(
            "a search under a budget compares subsets of different sizes, for which R2 speaks of "
            "different benchmarks; use a size k, or another objective"
        )


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


def make_space(
    table: ResultsTable,
    k: int | None = None,
    budget: float | None = None,
    rules: Constraints | None = None,
) -> Space:
    """Return the space that a size or a budget and the rules describe; of any size without both.

    Raises
    ------
    EeveeError
        If both are given, or naming the limit or rule that cannot be met.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> list(make_space(table, k=1, rules=Constraints(require=("b",))))
    [('b',)]
    """
    rules = rules or NO_RULES
    if k is not None and budget is not None:
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
        budget=budget,
        tasks={n: t for n, t in tasks_of(table).items() if n in costs} if rules.by_task else {},
        rules=rules,
    )
    _check_sizes(space)
    if space.completion(space.fixed) is None:
        raise _unmet(space, table)
    return space


def inside(space: Space, subset: Subset) -> Subset:
    """Return a subset that a search is to begin with.

    Raises
    ------
    EeveeError
        If it is not in the space.
    """
    if subset not in space:
        raise EeveeError(f"cannot begin with {', '.join(subset)}: it breaks {space.describe()}")
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
