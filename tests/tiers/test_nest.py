from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.search.checkpoint import Checkpoints
from eevee.search.constraints import Constraints
from eevee.search.control import RunControl
from eevee.search.evolution.generations import Evolution
from eevee.search.procedure import Procedure
from eevee.tiers.build import build_tiers
from eevee.tiers.goals import make_goals, search_tiers
from eevee.tiers.nest import nest_tiers, quoted_loss
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

QUICK = Procedure(
    evolution=Evolution(population=40, winners=8, children=4, generations=3, max_exhaustive=60)
)


@settings(max_examples=20, deadline=None)
@given(
    costs=st.lists(st.integers(1, 9), min_size=5, max_size=10),
    shares=st.lists(st.integers(15, 100), min_size=2, max_size=4),
    loss=st.sampled_from([smooth, noise]),
)
@pytest.mark.slow
def test_each_nested_tier_holds_the_smaller_ones_and_fits_its_budget(costs, shares, loss) -> None:
    scorer = FunctionScorer(table_with(costs), loss)
    total = sum(costs)
    budgets = {f"t{i}": max(min(costs), total * share / 100) for i, share in enumerate(shares)}
    goals = make_goals(scorer, budgets)
    free = search_tiers(scorer, goals, procedure=QUICK)
    nested = nest_tiers(scorer, goals, free, procedure=QUICK)
    assert list(nested.found) == list(free)
    for smaller, bigger in pairwise(nested.found.values()):
        assert set(smaller.best) <= set(bigger.best)
    for name, result in nested.found.items():
        assert scorer.table.cost_of(result.best) <= budgets[name]
    assert nested.price["nested"].tolist() == [quoted_loss(r) for r in nested.found.values()]
    assert nested.price["free"].tolist() == [quoted_loss(r) for r in free.values()]


def test_the_better_of_growing_and_cutting_is_taken() -> None:
    """The best one is in no good pair; the best pair holds none of the good ones."""
    worth = {("b00",): 0.5, ("b01",): 0.51, ("b02",): 0.9, ("b01", "b02"): 0.1}
    scorer = FunctionScorer(table_with(4), lambda s: worth.get(s, 0.95))
    goals = make_goals(scorer, {}, {"one": 1, "two": 2})
    free = search_tiers(scorer, goals)
    nested = nest_tiers(scorer, goals, free)
    assert [free[name].best for name in free] == [("b00",), ("b01", "b02")]
    assert [nested.found[name].best for name in free] == [("b01",), ("b01", "b02")]
    assert not nested.grown
    assert nested.price["increase"].tolist() == pytest.approx([2.0, 0.0])


def test_tiers_of_fixed_sizes_have_no_budget_and_mixed_ones_do_not_nest() -> None:
    scorer = FunctionScorer(table_with([3.0, 1.0, 2.0, 5.0]), smooth)
    tiers = build_tiers(scorer, {"cheap": 3.0}, sizes={"pair": 2, "one": 1})
    assert [(tier.name, tier.budget, len(tier.benchmarks)) for tier in tiers][1:] == [
        ("one", None, 1),
        ("pair", None, 2),
    ]
    with pytest.raises(eevee.EeveeError, match="budgets or sizes, not some of each"):
        build_tiers(scorer, {"cheap": 3.0}, sizes={"pair": 2}, nested=True)
    with pytest.raises(eevee.EeveeError, match="'pair' has both a budget and a size"):
        build_tiers(scorer, {"pair": 3.0}, sizes={"pair": 2})
    with pytest.raises(eevee.EeveeError, match=r"tier 'all': k = 9 is not between 1 and"):
        build_tiers(scorer, {}, sizes={"all": 9})


def test_rules_hold_for_every_tier_and_a_largest_size_for_budgets_alone() -> None:
    scorer = FunctionScorer(table_with(9), smooth)
    rules = Constraints(require=["b03"], exclude=["b00"], max_size=2)
    tiers = build_tiers(scorer, {"big": "90%"}, sizes={"four": 4}, constraints=rules)
    assert {tier.name: len(tier.benchmarks) for tier in tiers} == {"big": 2, "four": 4}
    assert all("b03" in tier.benchmark_names for tier in tiers)
    assert not any("b00" in tier.benchmark_names for tier in tiers)


def test_a_damaged_checkpoint_of_a_chain_is_refused_and_not_taken_for_a_chain_that_cannot_be(
    tmp_path: Path,
) -> None:
    scorer = FunctionScorer(table_with(12), smooth)
    goals = make_goals(scorer, {"a": 2.0, "b": 5.0})
    control = RunControl(Checkpoints(tmp_path))
    options = {"procedure": replace(QUICK, exhaustive=False), "control": control}
    free = search_tiers(scorer, goals, **options)
    nest_tiers(scorer, goals, free, **options)
    label = blake2b(b"a (cut)", digest_size=8).hexdigest()
    (tmp_path / f"search-{label}.json").write_text("{broken")
    with pytest.raises(eevee.EeveeError, match="is damaged"):
        nest_tiers(scorer, goals, free, **options)
