"""Spaces to draw: tables with costs and tasks, some benchmarks paid for, and rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st

import eevee
from eevee.search import goal as goal_module
from eevee.search.constraints import Constraints
from eevee.search.space import Space
from eevee.tables.results_table import ResultsTable


def make_space(
    table: ResultsTable,
    k: int | None = None,
    budget: float | None = None,
    rules: Constraints | None = None,
) -> Space:
    """Return the space of a goal."""
    return goal_module.Goal.of(k, budget, rules).space(table)


@dataclass(frozen=True)
class Goal:
    """What a search is given beside a scorer, and the space that this describes."""

    table: ResultsTable
    options: dict
    space: Space


@st.composite
def goals(draw: st.DrawFn, *, largest: int = 8) -> Goal:
    """Draw a goal that can be met."""
    n = draw(st.integers(1, largest))
    names = [f"b{i}" for i in range(n)]
    table = _table(names, draw(_costs(n)), draw(_tasks(n)), draw(st.integers(0, 3)))
    table = table.already_paid(draw(st.lists(st.sampled_from(names), max_size=2)))
    by_size = draw(st.booleans())
    k = draw(st.integers(1, n)) if by_size else None
    budget = None if by_size else draw(st.floats(0.1, 1.1)) * table.total_cost
    few = st.lists(st.sampled_from(names), max_size=2)
    bound = st.none() | st.integers(1, 3)
    try:
        rules = Constraints(
            require=tuple(draw(few)),
            exclude=tuple(draw(few)),
            max_per_task=draw(bound),
            min_per_task=draw(bound),
            max_size=None if by_size else draw(st.none() | st.integers(1, n)),
        )
        space = make_space(table, k, budget, rules)
    except eevee.EeveeError:
        assume(False)
    return Goal(table, {"k": k, "budget": budget, "constraints": rules}, space)


def _costs(n: int) -> st.SearchStrategy[list[float]]:
    cost = st.sampled_from([0.5, 1.0, 1.0, 2.0, 3.7]) | st.floats(0.01, 50.0)
    return st.lists(cost, min_size=n, max_size=n)


def _tasks(n: int) -> st.SearchStrategy[list[str | None]]:
    return st.lists(st.sampled_from(["see", "read", None]), min_size=n, max_size=n)


def _table(
    names: list[str], costs: list[float], tasks: list[str | None], seed: int
) -> ResultsTable:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 1)) + rng.normal(size=(12, len(names)))
    benchmarks = pd.DataFrame({"task": tasks, "cost": costs}, index=pd.Index(names), dtype=object)
    return ResultsTable.from_scores(
        pd.DataFrame(scores, columns=names),
        benchmarks=benchmarks.astype({"cost": float}),
        cost_unit="h",
    )
