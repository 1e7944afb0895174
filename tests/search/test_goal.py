from __future__ import annotations

import numpy as np
import pytest

import eevee
from eevee.search.constraints import Constraints
from eevee.search.goal import Budget, Goal
from tests.conftest import made_table
from tests.search.function_scorer import FunctionScorer, smooth, table_with


def test_a_percentage_is_taken_wherever_a_budget_is() -> None:
    table = table_with([1.0, 2.0, 3.0, 4.0, 10.0])
    for search in (
        eevee.search.evolve,
        eevee.Procedure("greedy").run,
        eevee.Procedure("random").run,
    ):
        whole, part = (search(FunctionScorer(table, smooth), budget=b) for b in (8.0, "40%"))
        assert part.best == whole.best
        assert part.settings == whole.settings
        assert part.settings["budget"] == 8.0


def test_an_assessment_takes_a_percentage_of_the_whole_table() -> None:
    table = made_table(20, 5)
    procedure = eevee.Procedure("greedy")
    options = {
        "procedure": procedure,
        "scorer": "ridge",
        "n_folds": 3,
        "n_repeats": 1,
        "beside": (),
    }
    whole, part = (eevee.assess(table, budget=b, n_random=5, **options) for b in (2, "40%"))
    assert part.settings == whole.settings
    assert part.methods.equals(whole.methods)


def test_a_selector_takes_a_percentage_of_the_columns_that_vary() -> None:
    scores = np.random.default_rng(0).normal(size=(20, 5))
    scores[:, 2] = 1.0
    found = eevee.BenchmarkSelector(budget="50%", scorer="ridge").fit(scores)
    assert found.search_result_.settings["budget"] == 2.0


def test_a_budget_may_be_nothing_where_everything_that_counts_is_paid_for() -> None:
    table = table_with(3).already_paid(["b01"])
    assert list(Goal(budget=Budget(0.0)).space(table)) == [("b01",)]


def test_a_largest_size_goes_with_budgets_alone() -> None:
    rules = Constraints(require=("b00",), max_size=2)
    assert Goal.of(3).under(rules).constraints == Constraints(require=("b00",))
    assert Goal.of(budget=3).under(rules).constraints == rules


@pytest.mark.parametrize("goal", [Goal(), Goal.of(2, "50%")])
def test_a_goal_is_a_size_or_a_budget(goal: Goal) -> None:
    with pytest.raises(eevee.EeveeError, match="either a size k or a budget"):
        goal.space_for(FunctionScorer(table_with(4), smooth))
