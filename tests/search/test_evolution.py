from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import tracemalloc
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.arrays import round_cost
from eevee.base.seeds import child_seed
from eevee.search.control import RunControl
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.procedure import Procedure
from eevee.search.result import Progress
from eevee.search.sweep import sweep
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

PLAIN = Evolution.paper(patience=3)
QUICK = Evolution.paper(population=60, winners=10, children=5, generations=6)


def _run(costs=16, loss=smooth, *, again=None, **options):
    scorer = FunctionScorer(table_with(costs), loss, again=again)
    return evolve(scorer, **({"k": 4, "exhaustive": False, "evolution": PLAIN} | options)), scorer


@pytest.mark.parametrize("selection", ["best", "tournament"])
@pytest.mark.parametrize("size", [{"k": 4}, {"k": None, "budget": 5.0}])
def test_no_subset_is_scored_twice(selection: str, size: dict) -> None:
    evolution = replace(QUICK, selection=selection)
    found, scorer = _run(evolution=evolution, **size)
    assert set(scorer.asked.values()) == {1}
    assert len(found.evaluated) == len(scorer.asked)
    assert found.evaluated["benchmarks"].is_unique


def test_by_default_a_thousand_are_drawn_and_at_most_500_are_new_in_each_generation() -> None:
    found, scorer = _run(40, noise, k=8, evolution=Evolution.paper(patience=None))
    sizes = [len(batch) for batch in scorer.batches if batch]
    assert sizes[0] == 1000
    assert len(sizes) == 1 + 10
    assert all(0 < size <= 500 for size in sizes[1:])
    assert found.logbook["evaluated"].tolist() == np.cumsum(sizes).tolist()
    assert (found.evaluated["generation"].value_counts().sort_index() == sizes).all()


def test_a_generation_goes_to_the_scorer_in_one_batch() -> None:
    found, scorer = _run(evolution=QUICK)
    assert len([batch for batch in scorer.batches if batch]) == len(found.logbook)


@pytest.mark.parametrize("loss", [smooth, noise])
def test_parents_stay_so_the_best_and_the_mean_of_the_kept_never_get_worse(loss) -> None:
    found, _ = _run(loss=loss, evolution=replace(QUICK, generations=10))
    for name in ("best", "mean", "worst"):
        assert all(after <= before for before, after in pairwise(found.logbook[name]))


def test_children_are_one_swap_from_a_kept_parent() -> None:
    found, _ = _run(evolution=QUICK)
    by_generation = found.evaluated.groupby("generation")["benchmarks"].apply(list)
    losses = found.evaluated.set_index("benchmarks")["loss"]
    for generation, children in by_generation.items():
        if generation == 0:
            continue
        seen = found.evaluated.loc[found.evaluated["generation"] < generation, "benchmarks"]
        kept = sorted(seen, key=lambda subset: (losses[subset], subset))[: QUICK.winners]
        for child in children:
            assert any(len(set(child) & set(parent)) == 3 for parent in kept)


def test_every_subset_has_size_k_and_sorted_distinct_names() -> None:
    found, scorer = _run(k=5, evolution=QUICK)
    assert all(len(set(subset)) == 5 and subset == tuple(sorted(subset)) for subset in scorer.asked)
    assert (found.evaluated["size"] == 5).all()


def test_evolution_beats_as_many_random_subsets() -> None:
    found, scorer = _run(30, k=6)
    rng = np.random.default_rng(0)
    drawn = [
        smooth(tuple(sorted(f"b{i:02d}" for i in rng.choice(30, 6, replace=False))))
        for _ in range(len(scorer.asked))
    ]
    assert found.best_row["loss"] < min(drawn)


def test_it_stops_after_patience_generations_without_a_better_subset() -> None:
    for patience in (1, 2, 3):
        found, _ = _run(evolution=replace(QUICK, patience=patience, generations=40))
        assert found.logbook["unchanged"].iloc[-1] == patience
        assert (found.logbook["unchanged"].iloc[:-1] < patience).all()
        assert len(found.logbook) < 41


def test_without_patience_all_generations_run() -> None:
    found, _ = _run(evolution=replace(QUICK, generations=7))
    assert found.logbook["generation"].tolist() == list(range(8))


def test_unchanged_counts_generations_since_the_best_last_changed() -> None:
    found, _ = _run(30, k=6, evolution=Evolution(200, 10, 5, 15, patience=None))
    wanted = changes = 0
    for before, after in pairwise(found.logbook.itertuples()):
        wanted = 0 if after.best != before.best else wanted + 1
        changes += wanted == 0
        assert after.unchanged == wanted
    assert changes > 1
    assert wanted > 0


def test_a_search_over_everything_returns_everything() -> None:
    found, scorer = _run(7, k=7)
    assert found.best == scorer.table.benchmark_names
    assert len(scorer.asked) == 1


def test_a_search_for_one_finds_the_best_one() -> None:
    found, scorer = _run(9, k=1)
    assert found.best == min(combinations(scorer.table.benchmark_names, 1), key=smooth)
    assert len(scorer.asked) == 9


def test_a_space_smaller_than_the_population_is_not_scored_twice_and_ends() -> None:
    found, scorer = _run(6, k=3)
    assert len(scorer.asked) == comb(6, 3)
    assert set(scorer.asked.values()) == {1}
    assert found.best == min(combinations(scorer.table.benchmark_names, 3), key=smooth)


@pytest.mark.parametrize("selection", ["best", "tournament"])
def test_the_same_seed_gives_the_same_search_and_another_seed_another(selection: str) -> None:
    evolution = Evolution(60, 10, 5, 4, selection=selection)
    runs = [_run(24, evolution=evolution, seed=seed)[0] for seed in (3, 3, 4)]
    for name in ("ranked", "evaluated", "logbook"):
        pd.testing.assert_frame_equal(getattr(runs[0], name), getattr(runs[1], name))
    assert set(runs[0].evaluated["benchmarks"]) != set(runs[2].evaluated["benchmarks"])


@pytest.mark.parametrize("selection", ["best", "tournament"])
def test_the_global_random_states_are_neither_used_nor_moved(selection: str) -> None:
    evolution = Evolution(60, 10, 5, 3, selection=selection)
    results = []
    for state in (1, 2):
        random.seed(state)
        np.random.seed(state)  # noqa: NPY002
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        results.append(_run(24, evolution=evolution)[0].evaluated)
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
    pd.testing.assert_frame_equal(*results)


def test_ties_are_broken_by_rounded_loss_then_cost_then_names() -> None:
    costs = [3.0, 1.0, 1.0, 2.0, 1.0, 1.0]
    tiny = {("b00",): 0.0, ("b02",): 1e-9, ("b04",): -1e-9}
    found, _ = _run(costs, lambda s: 0.5 + tiny.get(s, 0.0), k=1)
    assert found.ranked["benchmarks"].tolist() == [
        ("b01",), ("b02",), ("b04",), ("b05",), ("b03",), ("b00",)
    ]  # fmt: skip


def test_ties_are_broken_the_same_way_where_the_best_fifty_end() -> None:
    found, scorer = _run(60, lambda s: 0.5 - 1e-9 * int(s[0][1:]), k=1, exhaustive=True)
    assert found.ranked["benchmarks"].tolist() == [
        (name,) for name in scorer.table.benchmark_names[:50]
    ]


def test_the_best_fifty_are_ranked_by_the_loss_that_the_search_did_not_see() -> None:
    found, scorer = _run(again=lambda s: noise(s, "again"), evolution=QUICK)
    by_loss = found.evaluated.sort_values("loss")["benchmarks"].tolist()[:50]
    assert len(found.ranked) == 50
    assert set(found.ranked["benchmarks"]) == set(by_loss)
    assert found.ranked["rescored_mean"].is_monotonic_increasing
    assert found.best == min(by_loss, key=lambda s: noise(s, "again"))
    assert found.best_row["loss"] == smooth(found.best)
    assert scorer.rescored == [by_loss]


def test_without_rescoring_the_search_loss_ranks() -> None:
    found, scorer = _run(again=lambda s: noise(s, "again"), n_rescore=0, evolution=QUICK)
    assert scorer.rescored == []
    assert found.ranked["loss"].is_monotonic_increasing
    assert found.ranked["rescored_mean"].isna().all()


def test_blank_losses_come_last_and_never_win() -> None:
    found, _ = _run(12, lambda s: float("nan") if "b00" in s else smooth(s), k=3, evolution=QUICK)
    assert "b00" not in found.best
    assert np.isfinite(found.ranked["loss"].iloc[:10]).all()


def test_where_everything_is_blank_a_subset_still_comes_back() -> None:
    table = made_table(n_benchmarks=4)
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=2, targets="unseen")
    found = evolve(scorer, k=4)
    assert found.best == table.benchmark_names
    assert np.isnan(found.best_row["loss"])
    assert found.targets == "unseen"


def test_the_baseline_is_the_random_population() -> None:
    found, scorer = _run(20)
    wanted = [smooth(subset) for subset in scorer.batches[0]]
    assert len(wanted) == 1000
    np.testing.assert_allclose(found.random_losses, wanted)


def test_a_search_begins_with_what_it_is_told_to_include() -> None:
    special = ("b00", "b01", "b02", "b03")
    found, scorer = _run(40, lambda s: 0.0 if s == special else 1.0 + noise(s), include=[special])
    assert found.best == special
    assert len(found.random_losses) == 1000
    assert set(scorer.asked.values()) == {1}


@pytest.mark.parametrize("include", [("b00",), ("b00", "b01", "b02", "b03", "b04")])
def test_what_a_search_begins_with_must_lie_in_its_space(include) -> None:
    with pytest.raises(eevee.EeveeError, match="cannot start from"):
        _run(include=[include])


def test_every_phase_of_a_search_reports_and_in_none_progress_falls() -> None:
    seen: list[Progress] = []
    evolution = replace(QUICK, polish=True, rival=True)
    found, _ = _run(evolution=evolution, control=RunControl(progress=seen.append), label="mine")
    assert {step.label for step in seen} == {"mine"}
    phases = list(dict.fromkeys(step.phase for step in seen))
    greedy, ranking = "greedy search with swaps", f"ranking the best {len(found.ranked)}"
    assert phases == ["", "neighbours of the best subset", greedy, ranking]
    for phase in phases:
        steps = [step for step in seen if step.phase == phase]
        done = [step.done for step in steps]
        assert done == sorted(done)
        assert all(step.total is None or step.done <= step.total for step in steps)
        assert done[-1] > 0 or phase not in ("", greedy)
    assert seen[-1].best == found.evaluated["loss"].min()


class TestExhaustive:
    @given(n=st.integers(1, 9), data=st.data(), salt=st.integers(0, 99))
    @settings(max_examples=25, deadline=None)
    def test_it_equals_brute_force(self, n: int, data, salt: int) -> None:
        k = data.draw(st.integers(1, n))
        found, scorer = _run(n, lambda s: noise(s, salt), k=k, exhaustive=True)
        everything = list(combinations(scorer.table.benchmark_names, k))
        assert found.exact
        assert sorted(scorer.asked) == everything
        assert found.best == min(everything, key=lambda s: noise(s, salt))
        ranked = sorted(everything, key=lambda s: noise(s, salt))[:50]
        assert found.ranked["benchmarks"].tolist() == ranked

    @pytest.mark.parametrize(("n", "k", "exact"), [(17, 4, True), (18, 4, True), (33, 3, True),
                                                   (34, 3, True), (35, 3, False), (20, 4, True),
                                                   (21, 4, True), (22, 4, False)])  # fmt: skip
    def test_it_is_a_matter_of_count(self, n: int, k: int, exact: bool) -> None:
        assert exact == (comb(n, k) <= 6000)
        found, scorer = _run(n, k=k, exhaustive=True, evolution=Evolution.paper(generations=1))
        assert found.exact is exact
        assert found.settings["method"] == ("exhaustive" if exact else "evolution")
        assert (len(scorer.asked) == comb(n, k)) is exact

    def test_the_limit_is_an_option(self) -> None:
        for limit, exact in ((comb(8, 3), True), (comb(8, 3) - 1, False)):
            few = replace(QUICK, population=20, max_exhaustive=limit)
            found, _ = _run(8, k=3, exhaustive=True, evolution=few)
            assert found.exact is exact

    @given(costs=st.lists(st.integers(1, 9), min_size=1, max_size=7), share=st.floats(0.15, 1.0))
    @settings(max_examples=25, deadline=None)
    def test_under_a_budget_it_equals_brute_force(self, costs: list[int], share: float) -> None:
        budget = round_cost(max(float(min(costs)), share * sum(costs)))
        found, scorer = _run(costs, k=None, budget=budget, exhaustive=True)
        names = scorer.table.benchmark_names
        fitting = [
            subset
            for size in range(1, len(names) + 1)
            for subset in combinations(names, size)
            if sum(scorer.table.costs[name] for name in subset) <= budget
        ]
        assert sorted(scorer.asked) == sorted(fitting)
        assert found.best == min(fitting, key=smooth)


def test_a_huge_space_starts_at_once_and_is_never_listed() -> None:
    tracemalloc.start()
    found, scorer = _run(60, k=30, exhaustive=True, evolution=QUICK)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not found.exact
    assert len(scorer.asked) <= QUICK.most
    assert peak < 100e6


class TestSweep:
    def test_a_size_does_not_depend_on_the_other_sizes(self) -> None:
        def run(ks):
            scorer = FunctionScorer(table_with(20), smooth)
            return sweep(scorer, ks, procedure=Procedure(evolution=QUICK, exhaustive=False), seed=5)

        wide, alone = run([2, 4, 6]), run([4])
        pd.testing.assert_frame_equal(wide[1].evaluated, alone[0].evaluated)
        pd.testing.assert_frame_equal(run([6, 4])[1].evaluated, alone[0].evaluated)

    def test_there_is_one_result_per_size_in_the_order_asked(self) -> None:
        found = sweep(FunctionScorer(table_with(6), smooth), [3, 1, 6])
        assert [len(result.best) for result in found] == [3, 1, 6]

    def test_a_size_out_of_range_is_refused_before_anything_is_scored(self) -> None:
        scorer = FunctionScorer(table_with(6), smooth)
        with pytest.raises(eevee.EeveeError, match="k = 7 is not between 1 and"):
            sweep(scorer, [1, 7])
        assert not scorer.asked


def test_child_seeds_differ_by_seed_and_key() -> None:
    seeds = [child_seed(seed, key) for seed in range(30) for key in range(30)]
    assert len(set(seeds)) == 900


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 17}, "k = 17 is not between 1 and the pool's 16 benchmarks"),
        ({"k": 0}, "k = 0 is not between"),
        ({"k": None}, "either a size k or a budget"),
        ({"k": 3, "budget": 2.0}, "either a size k or a budget"),
        ({"k": None, "budget": 0.5}, "a budget of 0.5 h is below the cheapest benchmark: 'b00'"),
        ({"k": None, "budget": float("nan")}, "is a positive number or percentage, not nan"),
        ({"include": [("zzz",)]}, "no benchmark 'zzz'"),
    ],
)
def test_requests_that_cannot_be_met_are_refused(options: dict, message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        _run(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"population": 0},
        {"winners": 0},
        {"children": 0},
        {"generations": 0},
        {"patience": 0},
        {"selection": "roulette"},
    ],
)
def test_numbers_of_the_search_out_of_range_are_refused(options: dict) -> None:
    with pytest.raises(eevee.EeveeError, match=next(iter(options))):
        Evolution.paper(**options)


HASHED = """
import eevee, numpy, pandas
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
rng = numpy.random.default_rng(0)
frame = pandas.DataFrame(rng.normal(size=(14, 11)), columns=list("abcdefghijk"))
table = eevee.ResultsTable.from_scores(frame)
scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2))
for selection in ("best", "tournament"):
    search = Evolution(30, 8, 4, 3, selection=selection)
    for size in ({"k": 3}, {"budget": 3.0}):
        found = evolve(scorer, **size, evolution=search, exhaustive=False, n_rescore=2)
        print(found.best, found.ranked.to_csv(), found.evaluated.to_csv(), found.logbook.to_csv())
"""


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_hash_seed() -> None:
    here, seed = io.StringIO(), "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    with redirect_stdout(here):
        exec(HASHED, {})
    other = subprocess.run(
        [sys.executable, "-c", HASHED],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
        text=True,
    )
    assert other.stdout == here.getvalue()
    assert len(other.stdout) > 1000
