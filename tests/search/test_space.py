from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, islice
from math import comb, fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eevee.base.arrays import round_cost, total_cost
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.space import Space, members
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

COSTS = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=12)
NAMES = tuple("abcdef")


def of_size(names: Iterable[str], k: int) -> Space:
    return Space(dict.fromkeys(names, 1.0), smallest=k, largest=k)


def within(costs: dict[str, float], budget: float) -> Space:
    return Space(costs, smallest=1, largest=len(costs), budget=budget)


def _budget(costs: list[float], share: float) -> float:
    """Between the cheapest and everything; costs and budgets count to 12 digits."""
    return round_cost(min(costs) + share * (fsum(costs) - min(costs)))


@given(costs=COSTS, share=st.floats(0, 1), seed=st.integers(0, 99))
def test_a_random_subset_under_a_budget_fits_and_no_other_benchmark_would(
    costs: list[float], share: float, seed: int
) -> None:
    named = {f"b{i:02d}": cost for i, cost in enumerate(costs)}
    budget = _budget(costs, share)
    subset = within(named, budget).random(np.random.default_rng(seed))
    total = total_cost(named[name] for name in subset)
    assert subset == tuple(sorted(set(subset)))
    assert total <= budget
    assert all(
        fsum([total, cost]) > budget * (1 - 1e-11)
        for name, cost in named.items()
        if name not in subset
    )


@given(costs=COSTS, share=st.floats(0, 1), seed=st.integers(0, 99))
def test_a_move_under_a_budget_fits_and_is_a_swap_an_addition_or_a_drop(
    costs: list[float], share: float, seed: int
) -> None:
    named = {f"b{i:02d}": cost for i, cost in enumerate(costs)}
    space = within(named, _budget(costs, share))
    rng = np.random.default_rng(seed)
    subset = space.random(rng)
    for _ in range(20):
        moved = space.neighbour(subset, rng)
        if moved is None:
            continue
        assert moved in space
        assert moved == tuple(sorted(set(moved)))
        gone, come = set(subset) - set(moved), set(moved) - set(subset)
        assert (len(gone), len(come)) in {(1, 1), (0, 1), (1, 0)}
        subset = moved


@settings(max_examples=25, deadline=None)
@given(costs=COSTS, share=st.floats(0, 1), seed=st.integers(0, 9), exhaustive=st.booleans())
def test_a_search_under_a_budget_never_scores_what_costs_more(
    costs: list[float], share: float, seed: int, exhaustive: bool
) -> None:
    budget = _budget(costs, share)
    scorer = FunctionScorer(table_with(costs), smooth, again=noise)
    found = evolve(
        scorer,
        budget=budget,
        seed=seed,
        exhaustive=exhaustive,
        evolution=Evolution.paper(
            population=30, winners=6, children=4, generations=4, max_exhaustive=50
        ),
    )
    assert (found.evaluated["cost"] <= budget).all()
    assert all(scorer.table.cost_of(subset) <= budget for subset in scorer.asked)
    assert set(scorer.asked.values()) == {1}


@pytest.mark.slow
def test_evolution_under_a_budget_reaches_every_subset_of_a_small_space() -> None:
    costs = [1.0, 2.0, 3.0, 2.5, 1.5]
    scorer = FunctionScorer(table_with(costs), noise)
    evolution = Evolution(generations=30, patience=None)
    evolve(scorer, budget=5.0, exhaustive=False, evolution=evolution)
    assert sorted(scorer.asked) == sorted(within(scorer.table.costs, 5.0))


@given(n=st.integers(1, 9), data=st.data())
def test_fixed_sizes_iterate_over_all_combinations_and_draw_only_those(n: int, data) -> None:
    k = data.draw(st.integers(1, n))
    space = of_size(tuple(f"b{i}" for i in range(n)), k)
    everything = list(combinations(space.everything, k))
    assert list(space) == everything
    rng = np.random.default_rng(0)
    for _ in range(10):
        subset = space.random(rng)
        assert subset in everything
        moved = space.neighbour(subset, rng)
        if n == k:
            assert moved is None
        else:
            assert moved in everything
            assert len(set(subset) - set(moved)) == 1


@given(costs=st.lists(st.integers(1, 9), min_size=1, max_size=8), budget=st.integers(9, 40))
def test_a_budget_iterates_over_every_subset_that_fits_once(costs: list[int], budget: int) -> None:
    named = {f"b{i}": float(cost) for i, cost in enumerate(costs)}
    listed = list(within(named, float(budget)))
    wanted = [
        subset
        for size in range(1, len(named) + 1)
        for subset in combinations(named, size)
        if sum(named[name] for name in subset) <= budget
    ]
    assert sorted(listed) == sorted(wanted)
    assert len(set(listed)) == len(listed)


def test_random_subsets_and_swaps_are_uniform() -> None:
    space = of_size(NAMES, 3)
    rng = np.random.default_rng(0)
    drawn = Counter(space.random(rng) for _ in range(6000))
    assert len(drawn) == comb(6, 3)
    assert max(drawn.values()) < 1.3 * min(drawn.values())
    moved = Counter(space.neighbour(("a", "b", "c"), rng) for _ in range(6000))
    assert len(moved) == 9
    assert max(moved.values()) < 1.3 * min(moved.values())


def test_swap_add_and_drop_have_the_same_chance_where_all_fit() -> None:
    space = within(dict.fromkeys(NAMES, 1.0), 6.0)
    rng = np.random.default_rng(0)
    sizes = Counter(len(space.neighbour(("a", "b", "c"), rng)) for _ in range(6000))
    assert set(sizes) == {2, 3, 4}
    assert max(sizes.values()) < 1.15 * min(sizes.values())


def test_a_space_is_counted_no_further_than_the_limit() -> None:
    listed = 0

    class Endless(Space):
        def __iter__(self):
            nonlocal listed
            while True:
                listed += 1
                yield ("a",)

    assert members(Endless({"a": 1.0}, smallest=1, largest=1, budget=1.0), 6000) is None
    assert listed == 6001
    assert members(Endless(dict.fromkeys(NAMES, 1.0), smallest=3, largest=3), 19) is None
    assert listed == 6001  # counted, and not listed
    assert members(of_size(NAMES, 3), 19) is None
    assert members(of_size(NAMES, 3), 20) == list(combinations(NAMES, 3))


@given(n=st.integers(1, 7), low=st.integers(1, 7), high=st.integers(1, 7), fixed=st.integers(0, 7))
def test_a_space_is_listed_exactly_where_it_holds_no_more_than_the_limit(
    n: int, low: int, high: int, fixed: int
) -> None:
    low, high = sorted((min(low, n), min(high, n)))
    names = [f"b{i}" for i in range(n)]
    taken = tuple(names[: min(fixed, high)])
    space = Space(dict.fromkeys(names, 1.0), smallest=low, largest=high, fixed=taken)
    listed = list(space)
    assert members(space, len(listed)) == listed
    assert members(space, len(listed) - 1) is None


def test_a_large_budget_space_is_lazy() -> None:
    space = within({f"b{i:03d}": 1.0 for i in range(200)}, 100.0)
    assert len(list(islice(space, 10))) == 10


def test_a_budget_for_over_a_thousand_benchmarks_is_listed_without_recursion() -> None:
    space = within({f"b{i:04d}": 1.0 for i in range(1200)}, 1150.0)
    assert [len(subset) for subset in islice(space, 1160)][-11:] == 11 * [1150]


@pytest.mark.parametrize("budget", [2.0, 4.5, 7.0, 30.0])
@pytest.mark.parametrize("fixed", [(), ("b",)])
def test_too_many_members_are_told_from_few_as_by_listing_them(budget: float, fixed) -> None:
    costs = dict(zip("abcdefg", [1.0, 2.0, 1.5, 3.0, 0.5, 2.5, 4.0], strict=True))
    space = Space(costs, smallest=1, largest=6, fixed=fixed, budget=budget)
    every = list(space)
    for limit in range(1, 140):
        assert members(space, limit) == (every if len(every) <= limit else None)
