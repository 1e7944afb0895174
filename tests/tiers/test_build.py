from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.arrays import round6
from eevee.search.evolution.generations import Evolution
from eevee.search.goal import Budget
from eevee.search.procedure import Procedure
from eevee.tiers.build import build_tiers
from eevee.tiers.file import (
    TierSet,
    dump_tiers,
    load_tiers,
    tiers_schema,
    tiers_to_json,
    tiers_to_yaml,
)
from eevee.tiers.goals import compare_goals, make_goals, search_tiers
from eevee.tiers.nest import nest_tiers
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

QUICK = Procedure(
    evolution=Evolution(population=40, winners=8, children=4, generations=4, max_exhaustive=60)
)


@pytest.fixture(scope="module")
def scorer() -> eevee.MLPScorer:
    table = rich_table()
    return eevee.MLPScorer(table, few_splits(table), epochs=5)


@pytest.fixture(scope="module")
def tiers(scorer) -> TierSet:
    budgets = {"big": "60%", "small": 2, "base": "5.5"}
    return build_tiers(scorer, budgets, procedure=QUICK, seed=3, baselines=False).tier_set


@pytest.mark.slow
def test_tiers_come_by_rising_budget_and_cost_no_more(tiers) -> None:
    assert [tier.name for tier in tiers.tiers] == ["small", "base", "big"]
    assert [tier.budget for tier in tiers.tiers] == pytest.approx([2.0, 5.5, 0.6 * 14.5])
    assert all(tier.cost <= tier.budget for tier in tiers.tiers)


def test_a_tier_holds_what_the_table_and_the_scorer_say(scorer, tiers) -> None:
    table = scorer.table
    for tier in tiers.tiers:
        losses = scorer.split_losses([tier.benchmark_names])[0]
        assert tier.search_loss.mean == losses.mean()
        assert tier.search_loss.spread == losses.std()
        assert tier.search_loss.targets == "all"
        again = scorer.rescore([tier.benchmark_names], 8)[0].mean()
        assert tier.search_loss.rescored_mean == again
        assert tier.search_loss.n_init == 8
        assert tier.assessed_loss is None
        assert tier.cost == table.cost_of(tier.benchmark_names)
        for benchmark in tier.benchmarks:
            task = table.benchmarks.loc[benchmark.name, "task"]
            assert benchmark.cost == table.costs[benchmark.name]
            assert list(benchmark.columns) == table.columns_of(benchmark.name)
            assert benchmark.task == (None if pd.isna(task) else task)
    assert tiers.cost_unit == "h"
    assert tiers.seed == 3
    assert tiers.scorer == scorer.describe()
    assert (tiers.table.models, tiers.table.benchmarks) == (18, 7)


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_the_file_validates_and_comes_back_the_same(tiers, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"tiers.{ending}"
    dump_tiers(tiers, path)
    text = path.read_text()
    plain = json.loads(text) if ending == "json" else yaml.safe_load(text)
    jsonschema.Draft202012Validator(tiers_schema()).validate(plain)
    again = load_tiers(path)
    for one, other in zip(again.tiers, tiers.tiers, strict=True):
        assert one.benchmarks == other.benchmarks
        assert one.search_loss.mean == pytest.approx(other.search_loss.mean, rel=1e-5)
        assert one.search_loss.rescored_mean == round6(other.search_loss.rescored_mean)
    second = tmp_path / f"again.{ending}"
    dump_tiers(again, second)
    assert second.read_text() == text


@pytest.mark.slow
def test_the_same_seed_writes_the_same_bytes(scorer, tiers) -> None:
    fresh = eevee.MLPScorer(scorer.table, scorer.splits, epochs=5, chunk_size=3, n_threads=2)
    budgets = {"small": 2, "base": 5.5, "big": "60 %"}
    again = build_tiers(fresh, budgets, procedure=QUICK, seed=3, baselines=False)
    assert tiers_to_yaml(again) == tiers_to_yaml(tiers)
    assert tiers_to_json(again) == tiers_to_json(tiers)


COSTS = st.lists(st.integers(1, 9), min_size=4, max_size=10)


@given(
    costs=COSTS, shares=st.lists(st.integers(20, 100), min_size=2, max_size=4), again=st.booleans()
)
@settings(max_examples=20, deadline=None)
@pytest.mark.slow
def test_a_bigger_budget_is_never_worse_by_the_loss_that_ranks(costs, shares, again) -> None:
    scorer = FunctionScorer(
        table_with(costs), noise, again=(lambda s: noise(s, "again")) if again else None
    )
    total = sum(costs)
    budgets = {f"t{i}": max(min(costs), total * share / 100) for i, share in enumerate(shares)}
    found = search_tiers(scorer, make_goals(scorer, budgets), procedure=QUICK)
    column = "rescored_mean" if again else "loss"
    amounts = [result.settings["budget"] for result in found.values()]
    assert amounts == sorted(amounts)
    for smaller, bigger in pairwise(found.values()):
        assert round6(bigger.best_row[column]) <= round6(smaller.best_row[column])
    for name, result in found.items():
        assert scorer.table.cost_of(result.best) <= budgets[name]


def test_tiers_of_a_scorer_without_initialisations_say_so() -> None:
    scorer = FunctionScorer(table_with(6), smooth)
    loss = build_tiers(scorer, {"small": 3})["small"].search_loss
    assert loss.rescored_mean is None
    assert loss.n_init is None


def test_an_exhaustive_tier_is_the_best_by_brute_force_and_says_so() -> None:
    scorer = FunctionScorer(table_with([1, 2, 3, 4]), noise)
    procedure = Procedure(n_rescore=0)
    found = build_tiers(scorer, {"all": "100%"}, procedure=procedure).tier_set
    everything = scorer.asked
    assert len(everything) == 15
    assert found["all"].benchmark_names == min(everything, key=noise)
    assert found.search["methods"] == {"all": "exhaustive"}


@pytest.mark.parametrize(
    ("budget", "amount"),
    [(3, 3.0), ("3", 3.0), ("2.5", 2.5), (" 50% ", 5.0), ("50 %", 5.0), ("1e1%", 1.0), (0.1, 0.1)],
)  # fmt: skip
def test_budgets_are_amounts_or_percentages_of_everything(budget, amount: float) -> None:
    assert Budget.parse(budget).in_units(table_with(10)) == pytest.approx(amount)


@given(percent=st.integers(1, 100))
def test_a_whole_percentage_of_a_hundred_benchmarks_is_that_many(percent: int) -> None:
    assert Budget.parse(f"{percent}%").in_units(table_with(100)) == percent


@pytest.mark.parametrize(
    "budget",
    ["", "%", "ten", "-1", "0", "0%", "-5%", "nan", "inf", "1e999", "1 h", "1%%", "1,5",
     float("nan"), float("inf"), -3, "--1", "1e"],
)  # fmt: skip
def test_a_budget_that_is_no_positive_number_is_refused(budget) -> None:
    with pytest.raises(eevee.EeveeError, match="positive number or percentage"):
        Budget.parse(budget).in_units(table_with(10))


@pytest.mark.parametrize(
    ("budgets", "message"),
    [
        ({}, "at least one budget"),
        ({"ok": 5, "tiny": 0.5}, "tier 'tiny': a budget of 0.5 h is below the cheapest"),
        ({"tiny": "1%"}, "tier 'tiny': a budget of 0.1 h is below the cheapest"),
        ({"odd": "much"}, "positive number or percentage"),
    ],
)
def test_budgets_that_cannot_be_met_are_refused_before_anything_is_scored(budgets, message) -> None:
    scorer = FunctionScorer(table_with(10), smooth)
    with pytest.raises(eevee.EeveeError, match=message):
        build_tiers(scorer, budgets)
    assert not scorer.asked


def test_a_budget_refuses_unseen_targets_before_anything_is_scored() -> None:
    """Across sizes such losses are means over different benchmarks."""
    table = made_table(n_benchmarks=3)
    scorer = eevee.MLPScorer(
        table, eevee.shuffle_splits(table, n_splits=2), epochs=1, targets="unseen"
    )
    with pytest.raises(eevee.EeveeError, match="compares subsets of different sizes"):
        build_tiers(scorer, {"small": 2})
    assert not scorer._cache


def test_another_tier_does_not_change_the_random_part_of_a_search() -> None:
    scorer = FunctionScorer(table_with(30), smooth)
    evolution = Evolution(population=20, winners=5, children=2, generations=1)
    options = {"procedure": Procedure(evolution=evolution, n_rescore=0, exhaustive=False)}
    alone = search_tiers(scorer, make_goals(scorer, {"big": 6}), **options)["big"]
    beside = search_tiers(scorer, make_goals(scorer, {"tiny": 2, "big": 6}), **options)["big"]
    assert alone.random_losses.tolist() == beside.random_losses.tolist()


def test_a_tier_of_everything_is_refused_before_the_work_where_only_the_unseen_is_judged() -> None:
    table = table_with(5)
    splits = few_splits(table)
    unseen = eevee.RidgeScorer(table, splits, targets="unseen")
    with pytest.raises(eevee.EeveeError, match=r"tier .all.: with all 5 benchmarks nothing"):
        make_goals(unseen, {}, {"all": 5})
    by_r2 = eevee.scorers.objective_scorer(eevee.RidgeScorer(table, splits), "r2")
    with pytest.raises(eevee.EeveeError, match="objective='r2'"):
        make_goals(by_r2, {}, {"all": 5})
    assert make_goals(unseen, {}, {"most": 4})
    assert make_goals(unseen, {}, {"four": 4}, eevee.Constraints(exclude=("b00",)))
    assert make_goals(eevee.RidgeScorer(table, splits), {}, {"all": 5})


def test_a_result_holds_what_the_verb_prints_as_the_parts_themselves_give_it() -> None:
    table = made_table(20, 6)
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=3))
    procedure = Procedure("greedy")
    judged = partial(eevee.assessment.assess_tiers, scorer="ridge", n_folds=3, n_repeats=1, seed=5)
    rules = eevee.Constraints(exclude=[table.benchmark_names[0]])
    budgets = {"small": 2, "big": "70%"}
    options = {"procedure": procedure, "constraints": rules, "nested": True}
    found = build_tiers(scorer, budgets, **options, seed=1, assess=judged, file_seed=9)
    goals = make_goals(scorer, budgets, None, rules)
    free = search_tiers(scorer, goals, procedure=procedure, seed=1)
    nested = nest_tiers(scorer, goals, free, procedure=procedure, seed=1)
    assert found.nesting is not None
    assert found.nesting.price.equals(nested.price)
    assert {name: one.best for name, one in found.searches.items()} == {
        name: one.best for name, one in nested.found.items()
    }
    assert found.baselines is not None
    assert found.baselines.equals(compare_goals(scorer, nested.found, goals, seed=1))
    assert (
        found.losses["all"].tolist() == scorer.losses([t.benchmark_names for t in found]).tolist()
    )
    assert found.tier_set.search["verdicts"]["big"]["words"] == found.verdicts["big"].words
    assert found.tier_set.seed == 9
    plain = build_tiers(scorer, budgets, **options, seed=1, baselines=False, file_seed=9)
    assert plain.baselines is None
    again = judged(table, plain, constraints=rules, nested=True, procedure=procedure)
    assert found.tier_set == again
    assert all(tier.assessed_loss is not None for tier in found)


def test_a_result_is_dumped_as_its_tier_set(tmp_path: Path) -> None:
    found = build_tiers(FunctionScorer(table_with(6), smooth), {"small": 2, "big": 3})
    assert (found.names, len(found)) == (("small", "big"), 2)
    assert tiers_to_yaml(found) == tiers_to_yaml(found.tier_set)
    dump_tiers(found, tmp_path / "tiers.json")
    assert load_tiers(tmp_path / "tiers.json").names == found.names


def test_a_stopped_job_neither_nests_nor_compares_nor_assesses() -> None:
    scorer = FunctionScorer(table_with(12), smooth)
    control = eevee.RunControl(stop=lambda: True)
    budgets = {"small": 2, "big": 3}
    found = build_tiers(
        scorer, budgets, nested=True, assess=eevee.assessment.assess_tiers, control=control
    )
    assert found.names == ("small",)
    assert (found.nesting, found.baselines) == (None, None)
    assert found["small"].assessed_loss is None
