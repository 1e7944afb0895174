"""The front: exact where it can be enumerated, non-dominated always, and tiers read from it."""

from __future__ import annotations

import random
from functools import cache
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from deap.benchmarks import tools
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.arrays import round6
from eevee.base.errors import EeveeError
from eevee.search.checkpoint import Checkpoints
from eevee.search.constraints import Constraints
from eevee.search.control import RunControl
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.selection import Individual
from eevee.search.front.chains import cheapest_chain, greedy_chain
from eevee.search.front.front import hypervolume, non_dominated
from eevee.search.front.nsga import FrontSearch, LossAndCost, Nsga, crossed
from eevee.search.front.pareto import pareto, within_one_se
from eevee.search.procedure import Procedure
from eevee.search.result import Ledger
from eevee.tiers.from_front import tiers_from_front
from eevee.tiers.goals import make_goals, search_tiers
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with
from tests.search.spaces import make_space

QUICK = Nsga(evaluations=900, greedy=200, initial=100, population=40, children=50)
COSTS = np.random.default_rng(0).lognormal(size=20).round(3)
Points = list[tuple[float, float, eevee.base.arrays.Subset]]


def _scorer(loss=smooth, costs=COSTS) -> FunctionScorer:
    return FunctionScorer(table_with(list(costs)), loss)


@cache
def _ridge(n_benchmarks: int, seed: int = 0) -> eevee.RidgeScorer:
    table = made_table(n_benchmarks=n_benchmarks, seed=seed)
    costs = np.random.default_rng(seed).lognormal(size=n_benchmarks)
    frame = table.benchmarks.assign(cost=costs)
    costly = eevee.ResultsTable.from_scores(table.scores, benchmarks=frame, cost_unit="h")
    return eevee.RidgeScorer(costly, eevee.shuffle_splits(costly, n_splits=2))


@cache
def _everything(n_benchmarks: int, seed: int = 0) -> pd.DataFrame:
    """The exact front, by a scorer's losses of every subset and a comparison of all pairs."""
    scorer = _ridge(n_benchmarks, seed)
    names = scorer.table.benchmark_names
    sizes = range(1, n_benchmarks + 1)
    subsets = list(chain.from_iterable(combinations(names, size) for size in sizes))
    loss = np.array([round6(one) for one in scorer.losses(subsets)])
    cost = np.array([scorer.table.cost_of(subset) for subset in subsets])
    keep = []
    for i in range(len(subsets)):
        no_worse = (loss <= loss[i]) & (cost <= cost[i])
        keep.append(not (no_worse & ((loss < loss[i]) | (cost < cost[i]))).any())
    frame = pd.DataFrame({"benchmarks": subsets, "cost": cost, "loss": loss})[keep]
    return frame.sort_values("cost", ignore_index=True)


def _bounds(scorer: eevee.RidgeScorer) -> tuple[float, float]:
    return float(scorer.mean_predictor().mean()), scorer.table.total_cost


# --- the front itself


POINTS = st.lists(
    st.tuples(
        st.floats(0, 2).map(lambda x: round(x, 1)), st.floats(0, 2).map(lambda x: round(x, 1))
    ),
    min_size=1,
    max_size=30,
)


@given(POINTS)
def test_a_front_holds_what_nothing_dominates_and_only_that(points: list) -> None:
    named = [(cost, loss, (f"b{i}",)) for i, (cost, loss) in enumerate(points)]
    front = non_dominated(named)

    def beats(one, other) -> bool:
        return one[0] <= other[0] and one[1] <= other[1] and one[:2] != other[:2]

    free = {point[:2] for point in named if not any(beats(other, point) for other in named)}
    assert [point[:2] for point in front] == sorted(free)
    for point in front:  # the first by names of equal ones
        assert point[2] == min(other[2] for other in named if other[:2] == point[:2])


def test_losses_that_round_alike_are_equal_and_blank_ones_are_left_out() -> None:
    points: Points = [(1.0, 0.3, ("a",)), (2.0, 0.3 - 1e-9, ("b",)), (0.5, float("nan"), ("c",))]
    assert [names for _, _, names in non_dominated(points)] == [("a",)]


@given(POINTS)
def test_hypervolume_is_that_of_deap(points: list) -> None:
    frame = pd.DataFrame(points, columns=["cost", "loss"])
    inside = [Individual((), LossAndCost((loss / 1.5, cost / 1.25))) for cost, loss in points]
    inside = [one for one in inside if max(one.fitness.values) < 1]
    wanted = tools.hypervolume(inside, np.ones(2)) if inside else 0.0
    assert hypervolume(frame, 1.5, 1.25) == pytest.approx(wanted)


def test_hypervolume_needs_something_to_predict() -> None:
    with pytest.raises(EeveeError, match="must be positive"):
        hypervolume(pd.DataFrame({"cost": [1.0], "loss": [0.0]}), 0.0, 1.0)


# --- against the answer


def test_exact_front_is_that_of_all_pairs_compared() -> None:
    found = pareto(_ridge(10))
    wanted = _everything(10)
    assert found.exact
    assert len(found.evaluated) == 2**10 - 1
    assert found.front["benchmarks"].tolist() == wanted["benchmarks"].tolist()
    assert found.hypervolume == pytest.approx(hypervolume(wanted, *_bounds(_ridge(10))), rel=1e-5)


@pytest.mark.parametrize("table_seed", [0, 1])
@pytest.mark.parametrize("seed", [0, 1])
def test_search_comes_near_the_exact_front_with_a_quarter_of_the_subsets(
    seed: int, table_seed: int
) -> None:
    scorer, wanted = _ridge(13, table_seed), _everything(13, table_seed)
    found = pareto(scorer, seed=seed, exhaustive=False, settings=Nsga(evaluations=2000))
    assert not found.exact
    assert len(found.evaluated) <= 2000
    assert found.hypervolume >= 0.995 * hypervolume(wanted, *_bounds(scorer))
    assert found.hypervolume <= hypervolume(wanted, *_bounds(scorer)) * (1 + 1e-5)
    hit = set(found.front["benchmarks"]) & set(wanted["benchmarks"])
    print(f"{len(hit)} of {len(wanted)}")
    assert len(hit) >= 0.8 * len(wanted)


# --- promises of the search


@pytest.mark.parametrize("loss", [smooth, noise])
def test_front_is_that_of_everything_scored(loss) -> None:
    found = pareto(_scorer(loss), settings=QUICK)
    seen = found.evaluated
    points = zip(seen["cost"], seen["loss"], seen["benchmarks"], strict=True)
    wanted = non_dominated(points)
    assert found.front["benchmarks"].tolist() == [names for _, _, names in wanted]
    assert found.front["cost"].is_monotonic_increasing
    assert found.front["loss"].is_monotonic_decreasing


def test_no_subset_is_scored_twice_and_no_more_than_asked_for() -> None:
    scorer = _scorer()
    found = pareto(scorer, settings=QUICK)
    subsets = [subset for batch in scorer.batches for subset in batch]
    assert len(subsets) == len(set(subsets)) == len(found.evaluated) == QUICK.evaluations


@pytest.mark.parametrize("evaluations", [1, 7, 30, 150])
def test_the_start_keeps_to_the_limit_too(evaluations: int) -> None:
    found = pareto(_scorer(), settings=Nsga(evaluations=evaluations))
    assert len(found.evaluated) == evaluations


def test_population_has_no_duplicates_though_it_begins_with_them() -> None:
    scorer = _scorer(lambda subset: 0.5)  # all alike: crowding alone decides
    space = make_space(scorer.table)
    search = FrontSearch(space, Ledger(scorer, "front", 0), QUICK, seed=0)
    search.run([("b00", "b01"), ("b00", "b01"), ("b00",)])
    assert len(search.population) == QUICK.population
    assert len(set(search.population)) == QUICK.population


def test_a_generation_is_one_batch() -> None:
    scorer = _scorer()
    found = pareto(scorer, settings=Nsga(evaluations=500, greedy=0, initial=100, children=50))
    assert [len(batch) for batch in scorer.batches] == [100] + [50] * 8
    assert found.logbook["evaluated"].tolist() == list(range(100, 501, 50))


def test_hypervolume_never_falls() -> None:
    logbook = pareto(_scorer(), settings=QUICK).logbook
    assert logbook["hypervolume"].is_monotonic_increasing
    assert logbook["hypervolume"].iloc[-1] > logbook["hypervolume"].iloc[0]


def test_same_seed_same_result_and_global_random_is_left_alone() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before, other = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    first = pareto(_scorer(), settings=QUICK, seed=3)
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == other  # noqa: NPY002
    random.seed(2)
    again = pareto(_scorer(), settings=QUICK, seed=3)
    pd.testing.assert_frame_equal(first.evaluated, again.evaluated)
    pd.testing.assert_frame_equal(first.front, again.front)
    another = pareto(_scorer(), settings=QUICK, seed=4)
    assert set(another.evaluated["benchmarks"]) != set(first.evaluated["benchmarks"])


def test_beginning_with_a_good_subset_keeps_it() -> None:
    needle = ("b03", "b07", "b11", "b13")
    scorer = _scorer(lambda subset: 0.01 if subset == needle else 0.5 + noise(subset) / 4)
    found = pareto(scorer, settings=QUICK, include=[needle])
    assert needle in set(found.front["benchmarks"])
    with pytest.raises(EeveeError, match="cannot start from b00"):
        pareto(scorer, include=[("b00",)], constraints=Constraints(require=("b01",)))


@pytest.mark.parametrize("stop_after", [0, 1, 2, 5, 9, 99])
@pytest.mark.parametrize("greedy", [0, 60])
def test_a_stopped_search_goes_on_as_if_it_had_not_been(
    tmp_path: Path, stop_after: int, greedy: int
) -> None:
    nsga = Nsga(evaluations=400, greedy=greedy, initial=50, population=20, children=30)
    options = {"settings": nsga, "seed": 3, "exhaustive": False, "n_rescore": 4}
    asked = iter([False] * stop_after)
    whole = pareto(_scorer(), **options)
    kept = Checkpoints(tmp_path)
    part = pareto(_scorer(), **options, control=RunControl(kept, lambda: next(asked, True)))
    assert len(part.evaluated) <= len(whole.evaluated)
    again = pareto(_scorer(), **options, control=RunControl(kept))
    for name in ("front", "evaluated", "logbook"):
        assert getattr(again, name).to_csv() == getattr(whole, name).to_csv()
    assert again.settings == whole.settings
    with pytest.raises(EeveeError, match=r"search\.seed was 3, and is 4 now"):
        pareto(_scorer(), **options | {"seed": 4}, control=RunControl(kept))


def test_stopped_search_gives_what_it_has_and_says_so() -> None:
    asked = iter([False] * 3)
    found = pareto(
        _scorer(),
        settings=Nsga(greedy=0, initial=50),
        control=RunControl(stop=lambda: next(asked, True)),
        n_rescore=4,
    )
    assert found.settings["interrupted"]
    assert len(found.logbook) == 4
    assert found.front["rescored_mean"].isna().all()


def test_unseen_and_rescored_losses_stand_beside_the_front() -> None:
    scorer = _ridge(6)
    found = pareto(scorer)
    unseen = scorer.with_targets("unseen").losses(list(found.front["benchmarks"]))
    np.testing.assert_array_equal(found.front["unseen"], unseen)
    assert np.isnan(unseen[-1]) == (found.front["size"].iloc[-1] == 6)
    fresh = FunctionScorer(table_with(6), smooth, again=noise)
    front = pareto(fresh, n_rescore=2).front
    assert front["rescored_mean"].tolist() == [noise(one) for one in front["benchmarks"]]


def test_unseen_targets_do_not_compare_across_sizes() -> None:
    with pytest.raises(EeveeError, match="unseen loss is shown"):
        pareto(_ridge(6).with_targets("unseen"))


# --- rules


@settings(max_examples=25, deadline=None)
@given(
    st.sets(st.sampled_from(["ant", "bee", "fox"]), max_size=2),
    st.sets(st.sampled_from(["cat", "eel"]), max_size=1),
    st.sampled_from([(None, None), (1, None), (None, 1), (1, 2)]),
    st.sampled_from([None, 5]),
    st.booleans(),
)
def test_every_subset_keeps_the_rules(require, exclude, per_task, max_size, exhaustive) -> None:
    table = rich_table(missing=0)
    scorer = FunctionScorer(table, smooth)
    least, most = per_task
    rules = {"require": tuple(require), "exclude": tuple(exclude), "max_size": max_size}
    constraints = Constraints(**rules, min_per_task=least, max_per_task=most)
    try:
        space = make_space(table, rules=constraints)
    except EeveeError:
        return
    quick = Nsga(evaluations=60, greedy=20, initial=20, population=10, children=10)
    found = pareto(scorer, constraints=constraints, settings=quick, exhaustive=exhaustive)
    assert all(subset in space for subset in found.evaluated["benchmarks"])
    if exhaustive:
        assert len(found.evaluated) == len(list(space))


def test_paid_for_benchmarks_are_in_and_cost_nothing() -> None:
    table = table_with(list(COSTS)).already_paid(["b02", "b05"])
    found = pareto(FunctionScorer(table, smooth), settings=QUICK)
    assert found.front["cost"].iloc[0] == 0
    assert all({"b02", "b05"} <= set(subset) for subset in found.evaluated["benchmarks"])


@given(st.integers(0, 1000), st.integers(1, 8))
def test_a_child_of_two_has_what_both_have_and_nothing_that_neither_has(seed, largest) -> None:
    rng = np.random.default_rng(seed)
    table = table_with(8)
    free = make_space(table)
    one, other = free.random(rng), free.random(rng)
    child = crossed(free, one, other, rng)
    assert child in free
    if set(one) & set(other):
        assert set(one) & set(other) <= set(child) <= set(one) | set(other)
    small = make_space(table, rules=Constraints(max_size=largest))
    assert crossed(small, one, other, rng) in small


# --- chains


def test_chains_add_one_at_a_time_up_to_everything() -> None:
    table = table_with(list(COSTS))
    for chain_ in (cheapest_chain(make_space(table)),):
        assert [len(subset) for subset in chain_] == list(range(1, 21))
        cheapest = sorted(table.costs.values())
        assert [table.cost_of(one) for one in chain_] == pytest.approx(np.cumsum(cheapest))


def test_greedy_takes_the_largest_fall_per_cost() -> None:
    scorer = _scorer(costs=COSTS[:6])
    ledger = Ledger(scorer, "greedy", 0)
    greedy_chain(make_space(scorer.table), ledger, 10**6)
    assert len(ledger) == 6 + 5 + 4 + 3 + 2 + 1
    taken, loss = (), 1.0  # of the mean predictor
    for _ in range(6):
        options = [name for name in scorer.table.benchmark_names if name not in taken]
        falls = {
            name: (loss - smooth(tuple(sorted((*taken, name))))) / scorer.table.costs[name]
            for name in options
        }
        taken = tuple(sorted((*taken, max(falls, key=falls.__getitem__))))
        loss = smooth(taken)
        assert taken in ledger


def test_lazy_greedy_keeps_to_its_limit_and_still_comes_to_the_end() -> None:
    scorer = _scorer()
    ledger = Ledger(scorer, "greedy", 0)
    greedy_chain(make_space(scorer.table), ledger, 60)
    assert 40 < len(ledger) <= 60
    assert scorer.table.benchmark_names in ledger


# --- choices from a front


@pytest.mark.parametrize("share", ["8%", "30%", "70%"])
@pytest.mark.parametrize("loss", [smooth, noise])
def test_a_tier_is_never_worse_than_evolution_under_its_budget(loss, share: str) -> None:
    scorer = _scorer(loss)
    found = pareto(scorer, settings=QUICK)
    evolution = eevee.search.Evolution(population=100, winners=10, children=5, generations=3)
    budgets = {"one": share, "two": "75%"}
    procedure = Procedure(evolution=evolution, exhaustive=False)
    plain = search_tiers(scorer, make_goals(scorer, budgets), seed=5, procedure=procedure)
    tiers = tiers_from_front(scorer, found, budgets, seed=5, procedure=procedure)
    ledger = Ledger(scorer, "", 0)
    ledger.add([one.best for results in (plain, tiers) for one in results.values()], 0)
    assert list(tiers) == list(plain)
    for name, tier in tiers.items():
        assert ledger.order(tier.best) <= ledger.order(plain[name].best)
        assert tier.best_row["cost"] <= tier.settings["budget"]
        assert set(plain[name].evaluated["benchmarks"]) <= set(tier.evaluated["benchmarks"])
        assert sorted(tier.random_losses) == sorted(plain[name].random_losses)
    assert tiers["two"].best_row["loss"] <= tiers["one"].best_row["loss"]


def test_tiers_are_never_worse_by_the_loss_that_ranks_them() -> None:
    scorer = FunctionScorer(table_with(list(COSTS)), smooth, again=lambda s: smooth(s, "again"))
    found = pareto(scorer, settings=QUICK)
    evolution = eevee.search.Evolution(population=100, winners=10, children=5, generations=2)
    procedure = Procedure(evolution=evolution)
    goals = make_goals(scorer, {"one": "40%"})
    plain = search_tiers(scorer, goals, procedure=procedure)["one"]
    tier = tiers_from_front(scorer, found, {"one": "40%"}, procedure=procedure)["one"]
    assert tier.best_row["rescored_mean"] <= plain.best_row["rescored_mean"]


def test_a_tier_that_is_read_has_no_better_neighbour() -> None:
    scorer = _scorer()
    found = pareto(scorer, settings=QUICK)
    weak = eevee.Procedure("cheapest")
    tier = tiers_from_front(scorer, found, {"x": "35%"}, procedure=weak)["x"]
    budget = 0.35 * scorer.table.total_cost
    below = found.front[found.front["cost"] <= budget]
    assert tier.best_row["loss"] <= below["loss"].iloc[-1]
    space = make_space(scorer.table, budget=budget)
    assert min(map(smooth, space.neighbours(tier.best))) >= smooth(tier.best)


def test_tiers_of_an_exact_front_are_those_of_enumeration() -> None:
    scorer = _ridge(10)
    found = pareto(scorer)
    front = _everything(10)
    for share in (0.1, 0.4, 0.8):
        budget = share * scorer.table.total_cost
        best = front[front["cost"] <= budget].iloc[-1]["benchmarks"]
        assert tiers_from_front(scorer, found, {"x": budget})["x"].best == best


def test_tiers_name_what_cannot_be_met() -> None:
    scorer = _ridge(6)
    found = pareto(scorer)
    with pytest.raises(EeveeError, match="tier 'tiny': a budget of"):
        tiers_from_front(scorer, found, {"tiny": 1e-6})
    with pytest.raises(EeveeError, match="at least one budget"):
        tiers_from_front(scorer, found, {})


def test_one_standard_error_is_that_of_the_corrected_resampled_t_test() -> None:
    table = _ridge(8).table
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    found = pareto(scorer)
    chosen = within_one_se(found)
    unseen = scorer.with_targets("unseen")
    half = found.front[found.front["size"] <= 4]
    by_split = unseen.split_losses(list(half["benchmarks"]))
    losses = by_split[by_split.mean(axis=1).argmin()]
    splits = scorer.splits
    ratio = splits.test[0].sum() / (splits.train | splits.validation)[0].sum()
    error = losses.std(ddof=1) * np.sqrt(1 / len(losses) + ratio)
    fitting = half[by_split.mean(axis=1) <= losses.mean() + error]
    assert chosen["benchmarks"] == fitting["benchmarks"].iloc[0]
    assert chosen["cost"] < half["cost"].iloc[-1]


def test_one_split_has_no_standard_error() -> None:
    table = made_table(n_benchmarks=5)
    found = pareto(eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=1)))
    with pytest.raises(EeveeError, match="at least two splits"):
        within_one_se(found)


def test_a_scorer_with_initialisations_ranks_the_tier_by_fresh_ones() -> None:
    table = made_table(n_benchmarks=7)
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=5)
    found = pareto(scorer, n_rescore=2)
    assert found.front["rescored_mean"].notna().all()
    procedure = eevee.Procedure("cheapest", n_rescore=2)
    tier = tiers_from_front(scorer, found, {"x": 3}, procedure=procedure)["x"]
    alone = evolve(scorer, budget=3.0, n_rescore=2)
    assert tier.best == alone.best


@pytest.mark.parametrize(
    "wrong", [{"evaluations": 0}, {"population": 0}, {"children": 0}, {"crossover": 1.5}]
)
def test_settings_out_of_range_are_refused(wrong: dict) -> None:
    with pytest.raises(EeveeError, match=next(iter(wrong))):
        Nsga(**wrong)
