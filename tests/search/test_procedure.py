from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

import eevee
from eevee.base.arrays import round6
from eevee.base.seeds import child_seed
from eevee.search.agreement import agreement
from eevee.search.compare import SEARCHES
from eevee.search.control import RunControl
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.procedure import Procedure
from tests.conftest import made_table
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with
from tests.search.spaces import make_space

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


@pytest.mark.slow
def test_the_default_never_loses_to_greedy_search_with_swaps_and_no_move_improves_it() -> None:
    for salt in range(2):
        scorer = FunctionScorer(table_with(16), lambda s, salt=salt: smooth(s, salt) + noise(s) / 9)
        for goal in ({"k": 5}, {"budget": 6.0}):
            found = Procedure(exhaustive=False).run(scorer, **goal)
            rival = Procedure("greedy-swaps").run(scorer, **goal)
            assert found.best_row["loss"] <= rival.best_row["loss"]
            space = make_space(scorer.table, **goal)
            near = scorer.losses(space.neighbours(found.best))
            assert round6(near.min()) >= round6(found.best_row["loss"])


def plain_greedy_with_swaps(scorer: FunctionScorer, costs: dict, budget: float | None, k: int):
    """Greedy search by loss and by loss per cost, then the best swap, addition or drop."""
    names = sorted(costs)

    def key(subset: frozenset) -> tuple:
        one = tuple(sorted(subset))
        loss = float(f"{scorer._loss(one):.6g}") if one else 1.0
        return loss, round(sum(costs[name] for name in one), 9), one

    def fits(subset: frozenset) -> bool:
        if budget is None:
            return len(subset) <= k
        return sum(costs[name] for name in subset) <= budget + 1e-9

    best = None
    for per_cost in (False, True):
        taken: frozenset = frozenset()
        while options := [taken | {n} for n in names if n not in taken and fits(taken | {n})]:
            if per_cost:

                def worth(new: frozenset, old: frozenset = taken) -> float:
                    (name,) = new - old
                    fall = key(old)[0] - key(new)[0]
                    return fall / costs[name] if fall > 0 else fall

                taken = min(options, key=lambda new: (-worth(new), key(new)))
            else:
                taken = min(options, key=key)
            if budget is not None or len(taken) == k:
                best = taken if best is None else min(best, taken, key=key)
    while True:
        near = [best - {a} | {b} for a in best for b in names if b not in best]
        if budget is not None:
            near += [best | {b} for b in names if b not in best]
            near += [best - {a} for a in best if len(best) > 1]
        better = min([best, *filter(fits, near)], key=key)
        if better == best:
            return key(best)[0]
        best = better


FEW = Evolution(population=20, winners=4, children=2, generations=1)


@pytest.mark.parametrize(("n", "share"), [(60, 0.1), (80, 0.06), (112, 0.04)])
@pytest.mark.parametrize("salt", [0])
def test_wide_tables_are_no_exception_under_budgets(n: int, share: float, salt: int) -> None:
    costs = [0.2 + 4 * noise((i,), salt) for i in range(n)]
    scorer = FunctionScorer(table_with(costs), lambda s: smooth(s, salt) + noise(s, salt) / 5)
    named = dict(scorer.table.costs)
    budget = round(share * sum(named.values()), 6)
    evolution = replace(FEW, polish=False)  # what is left to win by itself is little
    found = evolve(scorer, budget=budget, evolution=evolution)
    assert found.best_row["cost"] <= budget
    wanted = plain_greedy_with_swaps(scorer, named, budget, 0)
    assert round6(found.best_row["loss"]) <= wanted


@pytest.mark.parametrize(("n", "k"), [(100, 3), (310, 20)])
def test_wide_tables_are_no_exception_at_a_size(
    n: int, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eevee.search.greedy.MAX_SWAPS", 5_000)
    scorer = FunctionScorer(table_with(n), smooth)
    found = evolve(scorer, k, evolution=replace(FEW, polish=False))
    rival = Procedure("greedy-swaps").run(scorer, k)
    assert found.best_row["loss"] <= rival.best_row["loss"]
    if n == 100:
        wanted = plain_greedy_with_swaps(scorer, dict(scorer.table.costs), None, k)
        assert round6(found.best_row["loss"]) <= wanted


def test_the_promise_is_about_the_loss_that_ranks() -> None:
    """Where losses under fresh initialisations rank, what greedy finds has them taken, too."""

    def again(subset):
        return noise(subset, "again")

    for salt in range(3):
        scorer = FunctionScorer(table_with(20), lambda s, salt=salt: smooth(s, salt), again=again)
        for goal in ({"k": 5}, {"budget": 5.0}):
            found = evolve(scorer, **goal, evolution=replace(FEW, population=200))
            rival = Procedure("greedy-swaps").run(scorer, **goal)
            assert found.best_row["rescored_mean"] <= rival.best_row["rescored_mean"]


def test_what_greedy_finds_is_scored_again_though_many_have_a_lower_loss() -> None:
    def loss(subset):  # greedy search ends at a hill's foot; all without b00 are better
        return 0.5 + smooth(subset) / 9 if len(subset) < 5 or "b00" in subset else 0.4

    def hidden(subset):
        return 0.9 if len(subset) < 5 and "b00" not in subset else loss(subset)

    rival = Procedure("greedy-swaps").run(FunctionScorer(table_with(20), hidden), 5).best
    scorer = FunctionScorer(table_with(20), hidden, again=lambda s: float(s != rival))
    found = evolve(scorer, 5, evolution=replace(FEW, population=300, polish=False))
    assert found.best == rival
    assert found.best_row["rescored_mean"] == 0.0


def test_greedy_search_that_is_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eevee.search.greedy.MAX_SWAPS", 100)
    scorer = FunctionScorer(table_with(40), noise)
    found = Procedure("greedy-swaps").run(scorer, 4)
    assert found.settings["note"] == "at most 100 swaps tried"
    mine = evolve(scorer, 4, evolution=FEW)
    assert (
        mine.settings["note"] == "greedy search with swaps was cut short: at most 100 swaps tried"
    )
    assert mine.best_row["loss"] <= found.best_row["loss"]
    assert "note" not in Procedure("greedy-swaps").run(scorer, 1).settings


def test_a_stop_while_greedy_searches_leaves_an_interrupted_search() -> None:
    scorer = FunctionScorer(table_with(40), smooth)
    asked = {"n": 0}

    def stop() -> bool:  # once greedy search goes on from the first population
        asked["n"] += 1
        return asked["n"] > 3

    found = evolve(scorer, 4, evolution=replace(FEW, polish=False), control=RunControl(stop=stop))
    assert found.settings["interrupted"]


def test_unknown_methods_and_counts_are_refused() -> None:
    with pytest.raises(eevee.EeveeError, match=r"no search 'greedi' \(did you mean 'greedy'"):
        Procedure("greedi")
    with pytest.raises(eevee.EeveeError, match="restarts must be at least 1"):
        Procedure(restarts=0)


def test_a_stop_ends_the_restarts_too() -> None:
    procedure = Procedure(evolution=QUICK, restarts=4, exhaustive=False)
    scorer = FunctionScorer(table_with(20), noise)
    found = procedure.run(scorer, 5, control=RunControl(stop=lambda: True))
    assert found.settings["interrupted"]
    assert len(found.agreement.bests) == 1


def test_searches_on_other_splits_are_those_of_other_seeds_and_none_of_them_wins() -> None:
    table = made_table(n_models=30, n_benchmarks=12)
    scoring = eevee.scorers.ScorerSpec("ridge", n_splits=4)
    scorer = scoring.make(table, 5)
    others = scoring.elsewhere(scorer, table, 5, 3)
    assert len({one.splits.test.tobytes() for one in (scorer, *others)}) == 4
    procedure = Procedure(evolution=QUICK, restarts=4)
    found = procedure.run(scorer, 3, seed=2, elsewhere=others)  # exact: seeds play no part
    alone = [procedure.run(one, 3, seed=9).best for one in others]
    assert found.split_agreement.bests == (found.best, *alone)
    assert found.best == procedure.run(scorer, 3, seed=2).best
    pairs = [len({*x} & {*y}) / len({*x} | {*y}) for x, y in combinations([found.best, *alone], 2)]
    assert found.split_agreement.jaccard == pytest.approx(sum(pairs) / 6)
    assert found.split_agreement.jaccard < 1
    assert found.agreement.jaccard is None
    assert found.settings["searches_on_other_splits"] == 3


def test_smaller_tiers_found_on_the_first_splits_do_not_leak_into_searches_on_others() -> None:
    best = ("b00", "b01", "b02", "b03", "b04")
    scorer = FunctionScorer(table_with(40), noise)
    other = FunctionScorer(table_with(40), lambda s: -1.0 if s == best else noise(s, "other"))
    few = replace(FEW, polish=False, rival=False)
    procedure = Procedure(evolution=few)
    found = procedure.run(scorer, 5, include=[best], elsewhere=[other])
    assert best in set(found.evaluated["benchmarks"])
    assert best not in found.split_agreement.bests


def test_agreement_leaves_out_what_greedy_search_found_alike_for_every_seed() -> None:
    scorer = FunctionScorer(table_with(20), smooth)
    few = Evolution(population=5, winners=2, children=1, generations=1, polish=False)
    found = Procedure(evolution=few, restarts=3, exhaustive=False).run(scorer, 5)
    rival = Procedure("greedy-swaps").run(scorer, 5).best
    assert found.best == rival
    assert rival not in found.agreement.bests
