from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.arrays import Subset, round_cost, total_cost
from eevee.search.constraints import Constraints
from eevee.search.space import Space
from eevee.tables.results_table import ResultsTable
from tests.search.function_scorer import FunctionScorer, smooth, table_with
from tests.search.spaces import make_space


def tasked(costs: list[float], tasks: list[str | None]) -> ResultsTable:
    table = table_with(costs)
    benchmarks = table.benchmarks.assign(task=tasks)
    return ResultsTable.from_scores(table.scores, benchmarks=benchmarks, cost_unit="h")


@st.composite
def problems(draw):
    """A small table, rules, and a size or a budget; often one that cannot be met."""
    n = draw(st.integers(2, 7))
    costs = [float(c) for c in draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))]
    tasks = draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))
    table = tasked(costs, tasks)
    names = list(table.benchmark_names)
    roles = draw(st.lists(st.sampled_from("---rxp"), min_size=n, max_size=n))
    paid, required, excluded = (
        [name for name, role in zip(names, roles, strict=True) if role == letter]
        for letter in "prx"
    )
    low, high = draw(st.sampled_from([None, 1, 2])), draw(st.sampled_from([None, 1, 2, 3]))
    assume(low is None or high is None or low <= high)
    assume(any(tasks) or (low is None and high is None))
    size = draw(st.booleans())
    rules = Constraints(
        require=required,
        exclude=excluded,
        min_per_task=low,
        max_per_task=high,
        max_size=None if size else draw(st.sampled_from([None, 1, 3])),
    )
    k = draw(st.integers(1, n)) if size else None
    budget = None if size else draw(st.sampled_from([None, *range(1, 20)]))
    return table.already_paid(paid), rules, k, budget


def allowed(table: ResultsTable, rules: Constraints, k, budget) -> list[Subset]:
    """Every subset that keeps the rules, by brute force."""
    names = table.benchmark_names
    every = chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1))
    tasks = {name: task for name, task in table.benchmarks["task"].items() if isinstance(task, str)}

    def keeps(subset: Subset) -> bool:
        counts = Counter(tasks[name] for name in subset if name in tasks)
        cost = sum(
            0.0 if name in table.paid else table.benchmarks.loc[name, "cost"] for name in subset
        )
        pool = {task for name, task in tasks.items()}
        return (
            {*rules.require, *table.paid} <= set(subset)
            and not set(subset) & set(rules.exclude)
            and all(counts[task] <= (rules.max_per_task or 99) for task in pool)
            and all(counts[task] >= (rules.min_per_task or 0) for task in pool)
            and (k is None or len(subset) == k)
            and len(subset) <= (rules.max_size or 99)
            and (budget is None or cost <= budget)
        )

    return sorted(filter(keeps, every))


@settings(max_examples=300, deadline=None)
@given(problem=problems())
@pytest.mark.slow
def test_the_space_is_what_keeps_every_rule_and_is_refused_where_nothing_does(problem) -> None:
    table, rules, k, budget = problem
    wanted = allowed(table, rules, k, budget)
    try:
        space = make_space(table, k, budget, rules)
    except eevee.EeveeError:
        assert not wanted
        return
    assert wanted
    assert sorted(space) == wanted
    everything = chain.from_iterable(
        combinations(table.benchmark_names, n) for n in range(table.n_benchmarks + 1)
    )
    assert [s for s in everything if s in space] == sorted(wanted, key=lambda s: (len(s), s))


@settings(max_examples=80, deadline=None)
@given(problem=problems(), seed=st.integers(0, 99))
@pytest.mark.slow
def test_draws_and_moves_keep_every_rule_and_completions_are_the_cheapest(problem, seed) -> None:
    table, rules, k, budget = problem
    wanted = set(allowed(table, rules, k, budget))
    assume(wanted)
    space = make_space(table, k, budget, rules)
    rng = np.random.default_rng(seed)
    subset = space.random(rng)
    assert subset in wanted
    moved = space.neighbour(subset, rng)
    assert moved is None or moved in wanted
    near = {s for s in wanted if _one_move(space, subset, s)}
    assert set(space.neighbours(subset)) == near
    costs = [table.cost_of(s) for s in wanted]
    assert table.cost_of(space.completion(space.fixed)) == min(
        cost for cost, s in zip(costs, wanted, strict=True) if len(s) >= space.smallest
    )
    for name in space.free:
        leads = any({*space.fixed, name} <= set(s) for s in wanted)
        assert space.may_join(space.fixed, name) == leads or not _cheap(space)


def _cheap(space: Space) -> bool:
    """Whether joining can be judged by upper limits alone, or is judged in full."""
    return space.rules.min_per_task is not None or space.smallest <= 1


def _one_move(space: Space, one: Subset, other: Subset) -> bool:
    gone, come = len({*one} - {*other}), len({*other} - {*one})
    moves = {(1, 1)} if space.one_size else {(1, 1), (0, 1), (1, 0)}
    return (gone, come) in moves


TABLE = tasked([1.0, 2.0, 3.0, 4.0], ["x", "x", "y", None])


@pytest.mark.parametrize(
    ("rules", "goal", "message"),
    [
        ({"require": ["zz"]}, {"k": 2},
         "the required benchmark 'zz' is not in the table"),
        ({"exclude": ["b0"]}, {"k": 2},
         "the excluded benchmark 'b0' is not in the table .did you mean"),
        ({"require": ["b00", "b01"]}, {"k": 1},
         "2 benchmarks are required or paid for, more than k = 1"),
        ({"exclude": ["b00"]}, {"k": 4},
         "k = 4 is not between 1 and the pool's 3 benchmarks that are not excluded"),
        ({"require": ["b03"]}, {"budget": 3.0},
         "a budget of 3 h is below the required benchmarks: b03 cost 4"),
        ({"min_per_task": 1}, {"budget": 3.5},
         "too small for at least 1 per task: .* costs 4"),
        ({"min_per_task": 2}, {"k": 4},
         r"task 'y' has 1 benchmark\(s\) to choose from"),
        ({"min_per_task": 1}, {"k": 1},
         "at least 1 from each of 2 tasks, .* more than k = 1"),
        ({"max_per_task": 1}, {"k": 4},
         "at most 1 from each of 2 tasks leave 3 benchmarks, fewer than k = 4"),
        ({"max_per_task": 1, "require": ["b00", "b01"]}, {"k": 3},
         "2 benchmarks of task 'x' are required"),
        ({"max_size": 1, "min_per_task": 1}, {"budget": 9.0},
         "more than the largest size = 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_met_is_named(rules: dict, goal: dict, message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        make_space(TABLE, goal.get("k"), goal.get("budget"), Constraints(**rules))


def test_rules_that_exclude_each_other_and_tasks_that_are_not_there_are_refused() -> None:
    with pytest.raises(eevee.EeveeError, match="'a' is both required and excluded"):
        Constraints(require=["a"], exclude=["a"])
    with pytest.raises(eevee.EeveeError, match="at least 3 per task and at most 2"):
        Constraints(min_per_task=3, max_per_task=2)
    with pytest.raises(eevee.EeveeError, match="this table has none"):
        make_space(table_with(4), 2, rules=Constraints(max_per_task=1))
    with pytest.raises(eevee.EeveeError, match="both already paid for and excluded"):
        make_space(TABLE.already_paid(["b00"]), 2, rules=Constraints(exclude=["b00"]))


def test_what_is_paid_for_is_in_and_costs_nothing() -> None:
    table = table_with([5.0, 1.0, 2.0, 3.0]).already_paid(["b00"])
    found = eevee.search.evolve(FunctionScorer(table, smooth), budget=3.0)
    assert all("b00" in subset for subset in found.evaluated["benchmarks"])
    assert found.best_row["cost"] <= 3.0
    assert found.settings["have"] == ["b00"]
    assert table.total_cost == 11.0  # a percentage is of everything, paid for or not
    tiers = eevee.build_tiers(FunctionScorer(table, smooth), {"next": 3.0})
    assert {b.name: b.cost for b in tiers["next"].benchmarks}["b00"] == 0.0


@pytest.mark.slow
def test_evolution_under_rules_visits_only_what_keeps_them() -> None:
    table = tasked([1.0, 2.0] * 8, ["x", "y", "z", None] * 4)
    rules = Constraints(require=["b03"], exclude=["b00"], max_per_task=2, min_per_task=1)
    for goal in ({"k": 5}, {"budget": 8.0}):
        scorer = FunctionScorer(table, smooth)
        found = eevee.search.evolve(scorer, **goal, constraints=rules, exhaustive=False)
        space = make_space(table, goal.get("k"), goal.get("budget"), rules)
        assert all(subset in space for subset in found.evaluated["benchmarks"])
        assert len(found.evaluated) > 200


def test_costs_of_a_budget_are_counted_to_12_digits() -> None:
    space = Space({"a": 0.1, "b": 0.2}, smallest=1, largest=2, budget=0.3)
    assert ("a", "b") in space
    assert total_cost([0.1, 0.2]) == round_cost(0.3)
    assert ("a", "b") not in replace(space, budget=0.29)
