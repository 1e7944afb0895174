from __future__ import annotations

import inspect
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

import eevee
from eevee.search.baselines import (
    cheapest_first,
    distances,
    medoid_losses,
    medoids,
    most_correlated,
    random_subsets,
)
from eevee.search.constraints import Constraints
from eevee.search.correlation import correlations, correlations_with_mean, in_units
from eevee.search.evolution.generations import Evolution
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table, with_scores
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with
from tests.search.spaces import Goal, goals, make_space

ALL = [random_subsets, cheapest_first, medoids, most_correlated]
SINGLE = [cheapest_first, medoids, most_correlated]


def _spread(table, subset):
    return medoid_losses(distances(table), [subset])[0]


@pytest.mark.parametrize("search", ALL)
@settings(max_examples=25, deadline=None)
@given(goal=goals())
@pytest.mark.slow
def test_what_is_found_is_in_the_space(search, goal: Goal) -> None:
    found = search(FunctionScorer(goal.table, noise), **goal.options)
    assert all(subset in goal.space for subset in found.ranked["benchmarks"])
    assert all(subset in goal.space for subset in found.evaluated["benchmarks"])


@pytest.mark.parametrize("search", SINGLE)
@settings(max_examples=25, deadline=None)
@given(goal=goals())
def test_nothing_more_would_fit(search, goal: Goal) -> None:
    best = search(FunctionScorer(goal.table, noise), **goal.options).best
    more = [tuple(sorted((*best, name))) for name in goal.space.free if name not in best]
    assert not any(subset in goal.space for subset in more)


@pytest.mark.parametrize("search", SINGLE)
def test_a_rule_that_sees_no_loss_scores_nothing_but_its_subset(search) -> None:
    scorer = FunctionScorer(table_with([3.0, 1.0, 2.0, 5.0, 1.0]), smooth)
    found = search(scorer, budget=6.0)
    assert list(scorer.asked) == [found.best]
    assert len(found.random_losses) == 0


def test_random_gives_the_distribution_and_ranks_the_best_of_it() -> None:
    scorer = FunctionScorer(table_with(20), noise)
    found = random_subsets(scorer, 6)
    assert len(found.random_losses) == len(found.evaluated) == 1000
    assert found.evaluated["benchmarks"].is_unique
    assert len(found.ranked) == 50
    assert found.ranked["loss"].tolist() == sorted(found.random_losses)[:50]
    assert 0.45 < found.random_median < 0.55


def test_random_stops_where_no_more_subsets_are() -> None:
    found = random_subsets(FunctionScorer(table_with(5), noise), 2)
    assert len(found.evaluated) == 10


@pytest.mark.parametrize("goal", [{"k": 5}, {"budget": 9.0}])
def test_random_draws_what_an_evolution_of_the_same_seed_begins_with(goal: dict) -> None:
    scorer = FunctionScorer(table_with(np.arange(1, 15).tolist()), noise)
    drawn = random_subsets(scorer, **goal, seed=3).evaluated
    quick = Evolution.paper(generations=1, winners=2, children=1)
    evolved = eevee.search.evolve(
        scorer, **goal, seed=3, evolution=quick, exhaustive=False
    ).evaluated
    begun = evolved.loc[evolved["generation"] == 0, "benchmarks"]
    assert drawn["benchmarks"].tolist() == begun.tolist()


def test_other_seeds_draw_other_subsets() -> None:
    scorer = FunctionScorer(table_with(30), noise)
    one, two = (set(random_subsets(scorer, 8, seed=s).evaluated["benchmarks"]) for s in (0, 1))
    assert len(one & two) < 10


def test_cheapest_first_takes_the_cheapest_and_fills_the_budget() -> None:
    table = table_with([4.0, 1.0, 2.5, 9.0, 1.0, 2.0])
    scorer = FunctionScorer(table, noise)
    assert cheapest_first(scorer, 3).best == ("b01", "b04", "b05")
    assert cheapest_first(scorer, budget=6.9).best == ("b01", "b02", "b04", "b05")


def test_what_no_longer_fits_is_passed_over_for_what_does() -> None:
    table = made_table(n_models=30, n_benchmarks=5)
    order = sorted(correlations_with_mean(table).items(), key=lambda item: -item[1])
    first, second = order[0][0], order[1][0]
    costs = {name: 4.0 if name == second else 1.0 for name in table.benchmark_names}
    costly = eevee.ResultsTable.from_scores(
        table.scores,
        benchmarks=pd.DataFrame({"task": None, "cost": costs}),
        cost_unit="h",
    )
    found = most_correlated(FunctionScorer(costly, noise), budget=4.0)
    assert first in found.best
    assert second not in found.best
    assert len(found.best) == 4


def test_the_most_correlated_with_the_mean_of_the_others_comes_first() -> None:
    table = made_table(n_models=30, n_benchmarks=8)
    scores = (table.scores - table.scores.mean()) / table.scores.std(ddof=0)
    rho = {
        name: abs(spearmanr(scores[name], scores.drop(columns=name).mean(axis=1)).statistic)
        for name in scores
    }
    wanted = sorted(sorted(rho, key=lambda name: -rho[name])[:3])
    assert list(most_correlated(FunctionScorer(table, noise), 3).best) == wanted
    assert correlations_with_mean(table) == pytest.approx(rho)


def test_correlations_are_scipys_over_the_models_that_have_both() -> None:
    table = rich_table(missing=0.3)
    values = in_units(table)
    found = correlations(table)
    for i, j in combinations(range(table.n_benchmarks), 2):
        both = values.iloc[:, [i, j]].dropna()
        wanted = abs(spearmanr(both.iloc[:, 0], both.iloc[:, 1]).statistic)
        assert found[i, j] == found[j, i] == pytest.approx(wanted)
    assert (np.diag(found) == 1).all()


def test_a_benchmark_is_the_mean_of_its_score_columns_in_units() -> None:
    table = rich_table(missing=0.0)
    turned = np.where(table.columns["direction"] == "higher", 1, -1) * table.scores
    units = (turned - turned.mean()) / turned.std(ddof=0)
    assert table.columns.at["cat.m1", "role"] == "proxy"  # noqa: PD008
    np.testing.assert_allclose(in_units(table)["cat"], units["cat.m0"])
    three = units[["bee.m0", "bee.m1", "bee.m2"]].mean(axis=1)
    np.testing.assert_allclose(in_units(table)["bee"], three)


def test_benchmarks_without_enough_models_in_common_are_far_apart_without_a_warning() -> None:
    scores = made_table(n_models=8, n_benchmarks=4).scores.copy()
    scores.iloc[:6, 0] = np.nan
    scores.iloc[4:, 1] = np.nan
    table = eevee.ResultsTable.from_scores(scores)
    assert correlations(table)[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert correlations_with_mean(table)["b00"] == 0.0
    assert "b00" in medoids(FunctionScorer(table, noise), 3).best


@pytest.mark.parametrize("seed", range(12))
def test_medoids_of_small_tables_are_the_optimum(seed: int) -> None:
    table = made_table(n_models=15, n_benchmarks=9, seed=seed)
    found = medoids(FunctionScorer(table, noise), 3).best
    losses = medoid_losses(distances(table), list(combinations(table.benchmark_names, 3)))
    assert _spread(table, found) == pytest.approx(min(losses), rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_pam_ends_near_the_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = made_table(n_models=15, n_benchmarks=14, seed=seed)
    exact = medoids(FunctionScorer(table, noise), 4).best
    monkeypatch.setattr("eevee.search.baselines.MAX_EXACT", 0)
    found = medoids(FunctionScorer(table, noise), 4).best
    apart = distances(table)
    drawn = medoid_losses(apart, list(combinations(table.benchmark_names, 4)))
    best, near = medoid_losses(apart, [exact, found])
    assert best == pytest.approx(min(drawn), rel=1e-5)
    assert near <= 1.2 * best
    assert np.mean(np.array(drawn) <= near) < 0.05


@pytest.mark.parametrize("goal", [{"k": 5}, {"budget": 11.0}])
def test_no_move_brings_medoids_nearer(goal: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = made_table(n_models=20, n_benchmarks=14, seed=2)
    costs = np.random.default_rng(0).integers(1, 7, 14).astype(float)
    frame = pd.DataFrame({"task": None, "cost": costs}, index=plain.benchmarks.index)
    table = eevee.ResultsTable.from_scores(plain.scores, benchmarks=frame, cost_unit="h")
    monkeypatch.setattr("eevee.search.baselines.MAX_EXACT", 0)
    best = medoids(FunctionScorer(table, noise), **goal).best
    near = make_space(table, **goal).neighbours(best)
    assert len(near) > 10
    assert min(medoid_losses(distances(table), near)) >= _spread(table, best) - 1e-5


def test_medoids_take_one_of_each_group_and_stand_for_the_excluded_too() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(rng.normal(size=(40, 3)), [5, 3, 2], axis=1)
    values = groups + 0.1 * rng.normal(size=groups.shape)
    table = eevee.ResultsTable.from_scores(pd.DataFrame(values, columns=list("abcdefghij")))
    scorer = FunctionScorer(table, noise)
    one, two, three = medoids(scorer, 3).best
    assert (one in "abcde", two in "fgh", three in "ij") == (True, True, True)
    kept = medoids(scorer, 2, constraints=Constraints(exclude=("a", "b", "c", "d"))).best
    assert kept[0] == "e"
    assert kept[1] in "fgh"
    assert "j" in medoids(scorer, 3, constraints=Constraints(require=("j",))).best


def test_a_reversed_benchmark_is_as_near_as_the_benchmark_itself() -> None:
    table = made_table(n_models=20, n_benchmarks=6)
    values = table.scores.to_numpy().copy()
    values[:, 2] *= -1
    np.testing.assert_allclose(correlations(with_scores(table, values)), correlations(table))


@pytest.mark.parametrize("search", SINGLE)
def test_neither_column_order_nor_seed_nor_units_matter(search) -> None:
    table = rich_table()
    mixed = table.scores.sample(frac=1.0, axis=1, random_state=0)
    turned = eevee.ResultsTable.from_scores(
        1000 * mixed, columns=table.columns.loc[mixed.columns], benchmarks=table.benchmarks
    )
    found = {
        search(FunctionScorer(one, noise), budget=6.0, seed=seed).best
        for seed, one in enumerate([table, table, turned])
    }
    assert len(found) == 1


@pytest.mark.parametrize("search", ALL)
def test_they_work_with_real_scorers_and_score_again(search) -> None:
    table = rich_table()
    splits = few_splits(table, n_splits=2)
    ridge = search(eevee.RidgeScorer(table, splits, targets="unseen"), 3)
    assert ridge.targets == "unseen"
    scorer = eevee.MLPScorer(table, splits, epochs=5)
    found = search(scorer, budget=6.0, n_rescore=2)
    assert found.best_row["loss"] == scorer.losses([found.best])[0]
    assert found.best_row["rescored_mean"] == found.ranked["rescored_mean"].min()
    assert len(search(scorer, 7, n_rescore=0).best) == 7


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 9))
def test_the_same_seed_gives_the_same_bytes(seed: int) -> None:
    one, two = (
        random_subsets(FunctionScorer(table_with(9), noise), budget=4.0, seed=seed)
        for _ in range(2)
    )
    assert one.evaluated.to_csv() == two.evaluated.to_csv()
    assert one.ranked.to_csv() == two.ranked.to_csv()


def test_impossible_goals_are_refused_and_the_arguments_are_those_of_all_searches() -> None:
    for search in ALL:
        with pytest.raises(eevee.EeveeError, match="k = 9"):
            search(FunctionScorer(table_with(4), noise), 9)
        assert "n_rescore" in inspect.signature(search).parameters
