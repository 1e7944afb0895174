from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.analysis.rating import MAX_SWAPS, rate
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with


@pytest.fixture(scope="module")
def scorer() -> eevee.MLPScorer:
    table = made_table()
    return eevee.MLPScorer(table, few_splits(table), epochs=5)


def test_losses_and_bounds_are_those_of_the_scorer(scorer) -> None:
    rating = rate(scorer, ["b04", "b01"])
    losses = scorer.split_losses([("b01", "b04")])[0]
    assert rating.subset == ("b01", "b04")
    assert rating.loss == losses.mean()
    assert rating.spread == losses.std()
    assert rating.cost == 2
    assert rating.mean_predictor == scorer.mean_predictor().mean()
    assert rating.everything == scorer.losses([scorer.table.benchmark_names])[0]


def test_the_percentile_of_size_is_the_share_that_is_worse_ties_counting_half() -> None:
    losses = {"b00": 0.1, "b01": 0.2, "b02": 0.2, "b03": 0.4, "b04": 0.5}
    scorer = FunctionScorer(table_with(5), lambda s: losses[s[0]] if len(s) == 1 else 0.0)
    found = {name: rate(scorer, [name]).percentile_of_size for name in losses}
    assert found == pytest.approx({"b00": 90, "b01": 60, "b02": 60, "b03": 30, "b04": 10})


@given(salt=st.integers(0, 99), k=st.integers(1, 6))
@settings(max_examples=15, deadline=None)
def test_where_there_are_few_subsets_the_percentile_counts_all_of_them(salt: int, k: int) -> None:
    scorer = FunctionScorer(table_with(7), lambda s: noise(s, salt))
    names = scorer.table.benchmark_names
    mine = names[:k]
    rating = rate(scorer, mine, n_random=500)
    losses = np.array([noise(subset, salt) for subset in combinations(names, k)])
    own = noise(mine, salt)
    assert sorted(rating.random_of_size) == pytest.approx(sorted(losses))
    assert rating.percentile_of_size == pytest.approx(
        100 * ((losses > own).sum() + 0.5) / len(losses)
    )


def test_random_subsets_are_distinct_of_equal_size_or_filled_up_to_the_cost() -> None:
    costs = [1.0, 2.0, 3.0, 1.5, 2.5, 4.0, 0.5, 1.0, 2.0, 3.0, 1.0, 2.0]
    scorer = FunctionScorer(table_with(costs), smooth)
    mine = ("b02", "b05", "b08")
    rating = rate(scorer, mine, n_random=100)
    of_size, of_cost = (set(batch) for batch in scorer.batches[1:3])
    assert len(of_size) == len(rating.random_of_size) == 100
    assert {len(subset) for subset in of_size} == {3}
    budget = scorer.table.cost_of(mine)
    assert rating.cost == budget
    assert len(of_cost) == rating.different_of_cost == 100
    assert len(scorer.batches[2]) == len(rating.random_of_cost) > 100
    assert rating.different_of_size == 100
    for subset in of_cost:
        spent = scorer.table.cost_of(subset)
        assert spent <= budget
        rest = set(scorer.table.benchmark_names) - set(subset)
        assert all(spent + scorer.table.costs[name] > budget for name in rest)


@given(salt=st.integers(0, 999), k=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_the_best_swaps_are_the_best_by_brute_force(salt: int, k: int) -> None:
    costs = [3.0, 1.0, 2.0, 5.0, 1.0, 4.0]
    scorer = FunctionScorer(table_with(costs), lambda s: noise(s, salt))
    table = scorer.table
    mine = tuple(np.random.default_rng(salt).choice(table.benchmark_names, k, replace=False))
    rating = rate(scorer, mine, n_random=5)
    every = [
        (noise(after, salt), out, into, table.cost_of(after))
        for out in mine
        for into in table.benchmark_names
        if into not in mine
        for after in [tuple(sorted({*mine, into} - {out}))]
    ]
    assert rating.swaps_tried == rating.swaps_possible == len(every) == k * (6 - k)
    for swap, allowed in (
        (rating.swap, every),
        (rating.cheap_swap, [one for one in every if one[3] <= rating.cost]),
    ):
        if not allowed:
            assert swap is None
            continue
        loss, out, into, cost = min(allowed)
        assert (swap.out, swap.into) == (out, into)
        assert (swap.loss, swap.cost) == (loss, cost)
        assert swap.rescored_gain is None


def test_the_ten_best_swaps_are_judged_again_by_initialisations_that_did_not_choose_them() -> None:
    def again(subset):
        return noise(subset, "again")

    scorer = FunctionScorer(table_with(9), noise, again=again)
    mine = ("b00", "b01", "b02")
    rating = rate(scorer, mine)
    swaps = {
        tuple(sorted({*mine, into} - {out})): (out, into)
        for out in mine
        for into in scorer.table.benchmark_names
        if into not in mine
    }
    best = min(sorted(swaps, key=noise)[:10], key=again)
    assert (rating.swap.out, rating.swap.into) == swaps[best]
    assert rating.swap.rescored_gain == pytest.approx(again(mine) - again(best))
    assert all(batch[0] == mine and len(batch) == 11 for batch in scorer.rescored)


def test_equal_swaps_go_by_rounded_loss_then_cost_then_names() -> None:
    tiny = {("b01",): 1e-9, ("b02",): 0.0, ("b03",): -1e-9}
    for again in (None, lambda s: 0.3 + tiny.get(s, 0.0)):
        scorer = FunctionScorer(
            table_with([3.0, 1.0, 1.0, 2.0]), lambda s: 0.5 + tiny.get(s, 0.0), again=again
        )
        rating = rate(scorer, ["b00"])
        assert rating.swap.into == "b01"
        assert rating.cheap_swap.into == "b01"


def test_without_rescoring_the_search_loss_chooses_the_swap(scorer) -> None:
    rating = rate(scorer, ["b00", "b01"], n_random=5, n_rescore=0)
    assert rating.swap.rescored_gain is None
    losses = scorer.losses(
        [{"b00", "b01", into} - {out} for out in ("b00", "b01") for into in scorer.table.costs
         if into not in ("b00", "b01")]
    )  # fmt: skip
    assert rating.swap.loss == losses.min()


def test_everything_has_no_swap(scorer) -> None:
    rating = rate(scorer, scorer.table.benchmark_names)
    assert rating.swap is None
    assert rating.cheap_swap is None
    assert rating.swaps_possible == 0
    assert rating.percentile_of_size == 50.0
    assert rating.loss == rating.everything


def test_very_many_swaps_are_sampled_and_counted() -> None:
    scorer = FunctionScorer(table_with(170), noise)
    rating = rate(scorer, scorer.table.benchmark_names[:50], n_random=5)
    assert rating.swaps_possible == 50 * 120 == MAX_SWAPS
    assert rating.swaps_tried == MAX_SWAPS
    rating = rate(scorer, scorer.table.benchmark_names[:51], n_random=5)
    assert rating.swaps_possible == 51 * 119 > MAX_SWAPS
    assert rating.swaps_tried == MAX_SWAPS
    assert rating.swap.loss == min(map(noise, scorer.batches[-1]))


def test_the_same_seed_draws_the_same_subsets_and_another_seed_others() -> None:
    def drawn(seed):
        scorer = FunctionScorer(table_with(20), noise)
        return rate(scorer, ["b03", "b11", "b19"], seed=seed, n_random=50)

    assert drawn(1) == drawn(1)
    assert drawn(1).random_of_size != drawn(2).random_of_size


def test_a_good_subset_ranks_high_and_a_bad_one_low(scorer) -> None:
    subsets = list(combinations(scorer.table.benchmark_names, 2))
    assert len(subsets) == comb(9, 2)
    order = np.argsort(scorer.losses(subsets))
    best, worst = (rate(scorer, subsets[order[i]], n_random=200) for i in (0, -1))
    assert best.percentile_of_size > 97
    assert worst.percentile_of_size < 3
    assert best.swap.loss >= best.loss


def test_unseen_targets_leave_only_the_bound_of_everything_blank(scorer) -> None:
    rating = rate(scorer.with_targets("unseen"), ["b00", "b01"], n_random=20)
    assert np.isnan(rating.everything)
    assert np.isfinite(rating.random_of_size).all()
    assert 0 <= rating.percentile_of_size <= 100


def test_progress_counts_what_is_scored() -> None:
    scorer = FunctionScorer(table_with(9), noise)
    reported: list[int] = []
    rate(scorer, ["b00", "b01"], advance=reported.append)
    assert sum(reported) == sum(scorer.asked.values())


def test_unknown_names_are_refused(scorer) -> None:
    with pytest.raises(eevee.EeveeError, match="no benchmark 'zzz'"):
        rate(scorer, ["zzz"])
