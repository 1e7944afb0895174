from __future__ import annotations

import inspect
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.arrays import round6
from eevee.search import greedy as module
from eevee.search.constraints import Constraints
from eevee.search.greedy import greedy, greedy_backward, greedy_swaps
from eevee.search.steps import Steps
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with
from tests.search.spaces import Goal, goals, make_space

ALL = [greedy, greedy_backward, greedy_swaps]
QUICK = settings(max_examples=40, deadline=None)


def _losses(names, size, loss):
    return {subset: loss(subset) for subset in combinations(names, size)}


def _steps(space, loss, empty=1.0):
    return Steps(space, lambda new: [loss(subset) for subset in new], empty)


@pytest.mark.parametrize("search", ALL)
@QUICK
@given(goal=goals(), salt=st.integers(0, 99))
@pytest.mark.slow
def test_what_is_found_is_in_the_space(search, goal: Goal, salt: int) -> None:
    scorer = FunctionScorer(goal.table, lambda subset: noise(subset, salt))
    found = search(scorer, **goal.options)
    assert found.best in goal.space
    assert found.ranked["benchmarks"].tolist() == [found.best]
    assert found.best in set(found.evaluated["benchmarks"])
    assert not found.exact


@pytest.mark.parametrize("loss", [noise, smooth])
def test_each_step_forward_takes_the_best_of_all_additions(loss) -> None:
    names = table_with(9).benchmark_names
    space = make_space(table_with(9), k=5)
    path = _steps(space, loss).up()
    assert [len(subset) for subset in path] == [1, 2, 3, 4, 5]
    for before, after in pairwise([(), *path]):
        longer = [tuple(sorted((*before, name))) for name in names if name not in before]
        assert loss(after) == min(map(loss, longer))
    scorer = FunctionScorer(table_with(9), loss)
    found = greedy(scorer, 5)
    assert found.best == path[-1]
    assert len(found.evaluated) == 9 + 8 + 7 + 6 + 5


@pytest.mark.parametrize("loss", [noise, smooth])
def test_each_step_backward_takes_the_best_of_all_that_drop_one(loss) -> None:
    space = make_space(table_with(9), k=3)
    path = _steps(space, loss).down()
    assert [len(subset) for subset in path] == [9, 8, 7, 6, 5, 4, 3]
    for before, after in pairwise(path):
        assert loss(after) == min(map(loss, combinations(before, len(before) - 1)))
    found = greedy_backward(FunctionScorer(table_with(9), loss), 3)
    assert found.best == path[-1]
    assert len(found.evaluated) == 1 + 9 + 8 + 7 + 6 + 5 + 4


@pytest.mark.parametrize("salt", range(5))
@pytest.mark.parametrize("goal", [{"k": 4}, {"budget": 7.0}])
def test_swaps_end_where_no_neighbour_is_better(salt: int, goal: dict) -> None:
    table = table_with([1.0, 2.0, 3.0, 2.5, 1.5, 0.5, 4.0, 1.0])
    found = greedy_swaps(FunctionScorer(table, lambda s: noise(s, salt)), **goal)
    near = make_space(table, **goal).neighbours(found.best)
    assert min(noise(subset, salt) for subset in near) > noise(found.best, salt)


def test_swaps_are_never_worse_than_forward_and_sometimes_better() -> None:
    better = 0
    for salt in range(20):
        scorer = FunctionScorer(table_with(10), lambda s, salt=salt: noise(s, salt))
        swapped, plain = (search(scorer, 4).best_row["loss"] for search in (greedy_swaps, greedy))
        assert swapped <= plain
        better += swapped < plain
    assert better > 5


def test_a_drop_per_cost_beats_one_costly_benchmark() -> None:
    """The one that lowers the loss most eats the budget; five cheap ones are worth more."""
    table = table_with([5.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    worth = dict(zip(table.benchmark_names, [0.3, 0.1, 0.1, 0.1, 0.1, 0.1], strict=True))
    scorer = FunctionScorer(table, lambda s: 1.0 - sum(map(worth.get, s)))
    space = make_space(table, budget=5.0)
    assert _steps(space, lambda s: scorer.losses([s])[0]).up() == [("b00",)]
    assert greedy(scorer, budget=5.0).best == table.benchmark_names[1:]
    assert greedy_backward(scorer, budget=5.0).best == table.benchmark_names[1:]


def test_the_lowest_loss_beats_a_drop_per_cost_that_leaves_the_budget_unused() -> None:
    table = table_with([0.1, 5.0])
    losses = {("b00",): 0.9, ("b01",): 0.2, ("b00", "b01"): 0.1}
    scorer = FunctionScorer(table, losses.__getitem__)
    assert _steps(make_space(table, budget=5.0), losses.__getitem__).up(per_cost=True) == [("b00",)]
    assert greedy(scorer, budget=5.0).best == ("b01",)


def test_a_step_that_hurts_is_not_preferred_for_its_cost() -> None:
    table = table_with([0.1, 1.0, 50.0])
    losses = {("b00",): 0.1, ("b00", "b01"): 0.5, ("b00", "b02"): 0.9}
    loss = lambda s: losses.get(s, 1.0)  # noqa: E731
    path = _steps(make_space(table, budget=60.0), loss).up(per_cost=True)
    assert path[:2] == [("b00",), ("b00", "b01")]
    assert greedy(FunctionScorer(table, loss), budget=60.0).best == ("b00",)


def test_a_free_benchmark_comes_first_by_drop_per_cost() -> None:
    space = make_space(table_with(3), budget=2.0)
    space.costs["b02"] = 0.0
    worth = {"b00": 0.5, "b01": 0.4, "b02": 0.001}
    path = _steps(space, lambda s: 1.0 - sum(map(worth.get, s))).up(per_cost=True)
    assert path[0] == ("b02",)


def test_greedy_begins_with_what_is_required_and_paid_for() -> None:
    table = table_with([3.0, 2.0, 1.0, 4.0, 1.0]).already_paid(["b03"])
    scorer = FunctionScorer(table, smooth)
    found = greedy(scorer, 3, constraints=Constraints(require=("b01",), exclude=("b00",)))
    assert all({"b01", "b03"} <= set(subset) for subset in scorer.asked)
    assert set(found.best) in ({"b01", "b03", "b02"}, {"b01", "b03", "b04"})


def test_ties_go_to_the_cheaper_then_by_name() -> None:
    table = table_with([2.0, 1.0, 1.0, 3.0])
    scorer = FunctionScorer(table, lambda subset: 0.25)
    assert greedy(scorer, 2).best == ("b01", "b02")
    assert greedy_backward(scorer, 2).best == ("b01", "b02")
    assert greedy_swaps(scorer, 1).best == ("b01",)


def test_blank_losses_come_last() -> None:
    scorer = FunctionScorer(table_with(3), lambda s: np.nan if "b00" in s else 0.5)
    assert greedy(scorer, 2).best == ("b01", "b02")
    assert greedy_backward(scorer, 1).best == ("b01",)


def test_where_backward_would_take_too_long_it_says_so_before_scoring() -> None:
    scorer = FunctionScorer(table_with(110), noise)
    with pytest.raises(eevee.EeveeError, match=r"6,105 subsets, more than 6,000"):
        greedy_backward(scorer, 3)
    assert not scorer.asked
    assert module.n_backward(make_space(table_with(109), k=3)) <= module.MAX_BACKWARD


@pytest.mark.parametrize("search", ALL)
@pytest.mark.parametrize("goal", [{"k": 3}, {"budget": 4.0}])
def test_column_order_and_seed_do_not_matter(search, goal: dict) -> None:
    table = made_table(n_models=16, n_benchmarks=7)
    turned = eevee.ResultsTable.from_scores(table.scores[table.scores.columns[::-1]])
    results = [
        search(eevee.RidgeScorer(one, few_splits(one)), seed=seed, **goal)
        for seed, one in enumerate([table, table, turned])
    ]
    assert len({result.best for result in results}) == 1
    pd.testing.assert_frame_equal(results[0].evaluated, results[1].evaluated)


@pytest.mark.parametrize("search", ALL)
def test_they_work_with_real_scorers_and_score_again(search) -> None:
    table = made_table(n_models=16, n_benchmarks=6, missing=0.1)
    splits = few_splits(table, n_splits=2)
    ridge = search(eevee.RidgeScorer(table, splits, targets="unseen"), 3)
    assert ridge.targets == "unseen"
    assert np.isnan(ridge.best_row["rescored_mean"])
    scorer = eevee.MLPScorer(table, splits, epochs=5)
    found = search(scorer, 2, n_rescore=3)
    assert found.best_row["loss"] == scorer.losses([found.best])[0]
    assert found.best_row["rescored_mean"] == scorer.rescore([found.best], 3).mean()
    assert len(search(scorer, 6, n_rescore=0).best) == 6


def test_nothing_that_greedy_scored_counts_as_random() -> None:
    found = greedy(FunctionScorer(table_with(6), smooth), 3)
    assert found.evaluated["generation"].tolist() == [1] * 6 + [2] * 5 + [3] * 4
    assert len(found.random_losses) == 0
    assert np.isnan(found.random_median)


def test_greedy_is_optimal_where_benchmarks_add_up() -> None:
    worth = {f"b{i:02d}": 0.01 * (i * 7 % 10) for i in range(10)}
    loss = lambda s: 1.0 - sum(map(worth.get, s))  # noqa: E731
    known = _losses(worth, 4, loss)
    for search in ALL:
        row = search(FunctionScorer(table_with(10), loss), 4).best_row
        assert round6(row["loss"]) == round6(min(known.values()))


def test_settings_name_method_and_space() -> None:
    found = greedy(FunctionScorer(table_with(4), smooth), budget=2.0, seed=7, n_rescore=0)
    assert found.settings == {"method": "greedy", "budget": 2.0, "seed": 7, "n_rescore": 0}


def test_help_shows_the_arguments_of_a_search() -> None:
    wanted = ["scorer", "k", "budget", "constraints", "seed", "n_rescore", "label", "progress"]
    for search in ALL:
        assert list(inspect.signature(search).parameters) == wanted
        assert "Parameters as in" in inspect.getdoc(search).replace("\n", " ")


def test_progress_ends_with_the_number_of_subsets_scored() -> None:
    seen = []
    found = greedy(FunctionScorer(table_with(6), smooth), 3, progress=seen.append, label="mine")
    assert [report.done for report in seen if not report.phase][-1] == len(found.evaluated)
    assert all(report.done <= (report.total or report.done) for report in seen)
    assert {report.label for report in seen} == {"mine"}
