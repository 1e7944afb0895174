from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

import eevee
from eevee.search.agreement import agreement
from eevee.search.evolution import evolve
from eevee.search.generations import Evolution
from eevee.search.goal import make_space
from eevee.search.methods import SEARCHES
from eevee.search.procedure import Procedure
from eevee.search.result import round6
from eevee.search.watch import Watch
from eevee.seeds import child_seed
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

QUICK = Evolution.paper(population=30, winners=6, children=3, generations=2)


def test_the_first_of_several_searches_is_the_only_one_and_the_best_of_them_counts() -> None:
    scorer = FunctionScorer(table_with(20), noise)
    procedure = Procedure(evolution=QUICK, restarts=4, exhaustive=False)
    found = procedure.run(scorer, 5, seed=7)
    alone = [
        evolve(scorer, 5, seed=seed, evolution=QUICK, exhaustive=False)
        for seed in (7, *(child_seed(7, i) for i in (1, 2, 3)))
    ]
    assert found.agreement.bests == tuple(result.best for result in alone)
    assert found.best_row["loss"] == min(result.best_row["loss"] for result in alone)
    assert found.settings["restarts"] == 4
    assert Procedure(evolution=QUICK, exhaustive=False).run(scorer, 5, seed=7).best == alone[0].best


def test_an_exact_search_is_not_repeated() -> None:
    found = Procedure(restarts=5).run(FunctionScorer(table_with(6), noise), 2)
    assert found.exact
    assert len(found.agreement.bests) == 1
    assert found.agreement.jaccard is None


def test_shares_of_benchmarks_and_pairs_are_counted_over_all_tops() -> None:
    tops = [[("a", "b"), ("a", "c")], [("b", "c"), ("a", "b")], [("a", "b"), ("a", "d")]]
    found = agreement(tops, ("a", "b", "c", "d", "e"))
    every = [subset for top in tops for subset in top]
    shares = found.benchmarks.set_index("benchmark")
    for name in "abcde":
        assert shares.loc[name, "top"] == sum(name in subset for subset in every) / 6
        assert shares.loc[name, "best"] == sum(name in top[0] for top in tops) / 3
    pairs = {(row.first, row.second): row.top for row in found.pairs.itertuples()}
    assert pairs == {pair: n / 6 for pair, n in Counter(every).items()}
    overlaps = [len({*x} & {*y}) / len({*x} | {*y}) for x, y in combinations(found.bests, 2)]
    assert found.jaccard == pytest.approx(sum(overlaps) / 3)


@pytest.mark.parametrize("method", list(SEARCHES))
def test_every_method_runs_as_a_procedure_and_under_a_budget(method: str) -> None:
    scorer = FunctionScorer(table_with([1.0, 2.0, 3.0] * 3), smooth)
    evolution = QUICK if method in ("evolution", "paper") else None
    procedure = Procedure(method, evolution=evolution, exhaustive=False)
    assert len(procedure.run(scorer, 3).best) == 3
    assert scorer.table.cost_of(procedure.run(scorer, budget=6.0).best) <= 6.0
    assert procedure.run(scorer, 3).settings["method"] == method


def test_the_default_never_loses_to_greedy_search_with_swaps_and_no_move_improves_it() -> None:
    for salt in range(5):
        scorer = FunctionScorer(table_with(18), lambda s, salt=salt: smooth(s, salt) + noise(s) / 9)
        for goal in ({"k": 5}, {"budget": 6.0}):
            found = Procedure(exhaustive=False).run(scorer, **goal)
            rival = Procedure("greedy-swaps").run(scorer, **goal)
            assert found.best_row["loss"] <= rival.best_row["loss"]
            space = make_space(scorer.table, **goal)
            near = scorer.score(space.neighbours(found.best))
            assert round6(near.min()) >= round6(found.best_row["loss"])


def test_unknown_methods_and_counts_are_refused() -> None:
    with pytest.raises(eevee.EeveeError, match=r"no search 'greedi' \(did you mean 'greedy'"):
        Procedure("greedi")
    with pytest.raises(eevee.EeveeError, match="restarts must be at least 1"):
        Procedure(restarts=0)


def test_a_stop_ends_the_restarts_too() -> None:
    procedure = Procedure(evolution=QUICK, restarts=4, exhaustive=False)
    scorer = FunctionScorer(table_with(20), noise)
    found = procedure.run(scorer, 5, watch=Watch(stop=lambda: True))
    assert found.settings["interrupted"]
    assert len(found.agreement.bests) == 1


def test_agreement_leaves_out_what_greedy_search_found_alike_for_every_seed() -> None:
    scorer = FunctionScorer(table_with(20), smooth)
    few = Evolution(population=5, winners=2, children=1, generations=1, polish=False)
    found = Procedure(evolution=few, restarts=3, exhaustive=False).run(scorer, 5)
    rival = Procedure("greedy-swaps").run(scorer, 5).best
    assert found.best == rival
    assert rival not in found.agreement.bests
