from __future__ import annotations

import numpy as np
import pytest

import eevee
from eevee.search.compare import BASELINES, SEARCHES, compare
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table
from tests.search.function_scorer import FunctionScorer, noise, table_with


@pytest.fixture(scope="module")
def scorer() -> eevee.MLPScorer:
    table = rich_table()
    return eevee.MLPScorer(table, few_splits(table, n_splits=2), epochs=5)


@pytest.mark.parametrize("goal", [{"k": 3}, {"budget": 7.0}])
def test_every_baseline_stands_next_to_the_winner(scorer, goal: dict) -> None:
    found = eevee.search.evolve(scorer, **goal)
    rows = compare(scorer, found, **goal).set_index("method")
    assert list(rows.index) == ["exhaustive", *BASELINES]
    assert rows.loc["exhaustive", "benchmarks"] == found.best
    assert rows["rescored_mean"].drop("random").notna().all()
    for name in set(BASELINES) - {"random"}:
        alone = SEARCHES[name](scorer, **goal)
        assert rows.loc[name, "benchmarks"] == alone.best
        assert rows.loc[name, "loss"] == scorer.losses([alone.best])[0]
        assert rows.loc[name, "evaluated"] == len(alone.evaluated)


def test_random_is_a_distribution_and_not_a_draw() -> None:
    scorer = FunctionScorer(table_with(20), noise)
    row = compare(scorer, eevee.search.evolve(scorer, 6, n_rescore=0), k=6).set_index("method")
    random = row.loc["random"]
    losses = SEARCHES["random"](scorer, 6).random_losses
    assert random["loss"] == np.median(losses)
    assert (losses < random["low"]).mean() == pytest.approx(0.05, abs=0.002)
    assert (losses > random["high"]).mean() == pytest.approx(0.05, abs=0.002)
    assert (random["size"], random["cost"], random["benchmarks"]) == (6, 6.0, None)
    assert "1,000" in random["note"]


def test_what_an_exact_search_has_scored_is_not_scored_again() -> None:
    table = made_table(n_models=14, n_benchmarks=7)
    scorer = eevee.RidgeScorer(table, few_splits(table))
    found = eevee.search.evolve(scorer, budget=4.0)
    asked = []
    losses = scorer._losses
    scorer._losses = lambda new, advance: asked.extend(new) or losses(new, advance)
    rows = compare(scorer, found, budget=4.0)
    assert (rows["loss"] >= found.best_row["loss"]).all()
    # Only backward steps leave the budget.
    assert all(table.cost_of(subset) > 4.0 for subset in asked)


def test_backward_is_skipped_with_a_reason_where_it_would_take_too_long() -> None:
    scorer = FunctionScorer(table_with(120), noise)
    found = SEARCHES["cheapest"](scorer, 2)
    rows = compare(scorer, found, k=2).set_index("method")
    assert rows.index.is_unique
    assert rows.loc["greedy-backward", "note"].startswith("skipped: may score 7,260 subsets")
    assert np.isnan(rows.loc["greedy-backward", "loss"])
    assert rows.drop("greedy-backward")["loss"].notna().all()


def test_rules_hold_for_every_row() -> None:
    table = rich_table()
    scorer = FunctionScorer(table, noise)
    rules = eevee.Constraints(require=("dog",), exclude=("fox",), max_per_task=1)
    found = eevee.search.evolve(scorer, budget=7.0, constraints=rules)
    rows = compare(scorer, found, budget=7.0, constraints=rules)
    for subset in rows["benchmarks"].dropna():
        assert "dog" in subset
        assert "fox" not in subset
        assert table.benchmarks.loc[list(subset), "task"].value_counts().max() <= 1


def test_settings_hold_the_name_under_which_a_baseline_is_found() -> None:
    scorer = FunctionScorer(table_with(6), noise)
    for name, search in BASELINES.items():
        assert search(scorer, 2).settings["method"] == name
