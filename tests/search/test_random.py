"""One random subset everywhere: benchmarks in random order, each taken if it still fits."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import eevee
from eevee import plots
from eevee.analysis.overview import overview
from eevee.search.baselines import random_subsets
from eevee.search.compare import compare
from eevee.search.curve import best_losses
from eevee.tiers.from_front import one_se_tier, tiers_from_front
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

SHARED = Path(__file__).parents[3] / "shared"
QUICK = eevee.search.Evolution(winners=5, children=2, generations=1, polish=False, rival=False)
COSTS = (1.0, 2.0, 3.0, 1.5, 4.0, 0.5)


def by_all_orders(costs: dict[str, float], budget: float) -> dict[tuple[str, ...], float]:
    """How often each subset comes, over every order of the benchmarks."""
    found: Counter[tuple[str, ...]] = Counter()
    orders = list(permutations(costs))
    for order in orders:
        taken, spent = [], 0.0
        for name in order:
            if spent + costs[name] <= budget + 1e-9:
                taken.append(name)
                spent += costs[name]
        found[tuple(sorted(taken))] += 1
    return {subset: count / len(orders) for subset, count in found.items()}


def check_shares(drawn: list[tuple[str, ...]], wanted: dict[tuple[str, ...], float]) -> None:
    counts, n = Counter(drawn), len(drawn)
    assert n >= 1000
    assert set(counts) <= set(wanted)
    for subset, share in wanted.items():
        assert abs(counts[subset] / n - share) < 4.5 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("budget", [3.0, 5.0, 8.0])
def test_draws_are_those_of_random_orders_in_every_search(budget: float) -> None:
    scorer = FunctionScorer(table_with(COSTS), noise)
    wanted = by_all_orders(dict(scorer.table.costs), budget)
    assert len(set(np.round(list(wanted.values()), 9))) > 1  # they are not equally likely
    front = eevee.pareto(scorer)
    for found in (
        eevee.search.evolve(scorer, budget=budget),
        eevee.search.evolve(scorer, budget=budget, exhaustive=False, evolution=QUICK),
        random_subsets(scorer, budget=budget),
        tiers_from_front(
            scorer, front, {"one": budget}, procedure=eevee.Procedure(evolution=QUICK)
        )["one"],
    ):
        check_shares(found.random_draws, wanted)
        assert found.n_random == len(wanted)
        assert found.random_losses.tolist() == [noise(one) for one in found.random_draws]
        assert found.random_median == np.median(found.random_losses)


def test_of_one_size_all_subsets_are_equally_likely_and_drawn_once() -> None:
    scorer = FunctionScorer(table_with(7), noise)
    for found in (eevee.search.evolve(scorer, 3), random_subsets(scorer, 3)):
        assert sorted(found.random_draws) == list(combinations(scorer.table.benchmark_names, 3))
    rules = eevee.Constraints(require=("b01",))
    found = eevee.search.evolve(scorer, 3, constraints=rules)
    assert len(found.random_draws) == found.n_random == 15


def test_a_tier_by_one_standard_error_has_random_subsets_of_its_own_cost() -> None:
    table = made_table(n_models=14, n_benchmarks=6)
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=3))
    tier = one_se_tier(scorer, eevee.pareto(scorer))
    cost = tier.best_row["cost"]
    check_shares(tier.random_draws, by_all_orders(dict(table.costs), cost))
    assert tier.random_losses.tolist() == scorer.losses(tier.random_draws).tolist()


@pytest.mark.parametrize("goal", [{"k": 3}, {"budget": 4.0}])
@pytest.mark.parametrize("exhaustive", [True, False])
@pytest.mark.parametrize("restarts", [1, 2])
def test_one_median_stands_beside_the_winner_and_in_the_row_and_in_the_figure(
    goal: dict, exhaustive: bool, restarts: int
) -> None:
    scorer = FunctionScorer(table_with([1.0, 1.0, 2.0] * 5), smooth)
    procedure = eevee.Procedure(exhaustive=exhaustive, restarts=restarts, evolution=QUICK)
    found = procedure.run(scorer, **goal, seed=3)
    row = compare(scorer, found, **goal, seed=3).set_index("method").loc["random"]
    assert row["loss"] == found.random_median
    assert row["evaluated"] == found.n_random
    assert f"{found.n_random:,}" in row["note"]
    shown = overview(scorer, {"one": found}, best_losses(scorer, {"one": found})).cloud
    dots = shown.loc[shown["kind"] == "random", "loss"]
    assert sorted(dots) == sorted(map(smooth, found.random_draws))
    drawn = plots.cost_data(shown).set_index("kind").loc["random"]
    assert (drawn["name"], drawn["loss"]) == ("one", pytest.approx(found.random_median))


def test_rating_at_equal_cost_counts_draws_as_random_orders_give_them() -> None:
    scorer = FunctionScorer(table_with(COSTS), noise)
    mine = ("b00", "b02")
    rating = eevee.rate(scorer, mine)
    wanted = by_all_orders(dict(scorer.table.costs), 4.0)
    above = sum(p for one, p in wanted.items() if noise(one) > noise(mine))
    own = wanted.get(mine, 0.0)
    assert rating.percentile_of_cost == pytest.approx(100 * (above + own / 2), abs=5)
    assert rating.different_of_cost == len(wanted)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the tables in shared/ beside the project")
def test_an_exact_search_under_a_budget_does_not_count_what_leaves_money_unspent() -> None:
    table = eevee.read_table(SHARED / "cases/trust/vtab12.csv")
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    found = eevee.search.evolve(scorer, budget=9.0)
    assert found.exact
    assert {len(subset) for subset in found.random_draws} == {9}
    assert 210 <= found.n_random <= 220
    full = scorer.losses(list(combinations(table.benchmark_names, 9)))
    assert (full < found.random_median).mean() == pytest.approx(0.5, abs=0.06)
