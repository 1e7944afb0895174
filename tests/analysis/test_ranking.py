from __future__ import annotations

import pandas as pd

import eevee
from eevee.analysis.ranking import rank
from tests.scorers.tables import few_splits, rich_table
from tests.search.function_scorer import FunctionScorer, table_with


def test_each_benchmark_is_scored_as_a_subset_of_its_own() -> None:
    table = rich_table()
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=5)
    ranking = rank(scorer)
    assert sorted(ranking["benchmark"]) == list(table.benchmark_names)
    for row in ranking.itertuples():
        losses = scorer.split_losses([(row.benchmark,)])[0]
        assert row.loss == losses.mean()
        assert row.spread == losses.std()
        assert row.cost == table.costs[row.benchmark]
        task = table.benchmarks.loc[row.benchmark, "task"]
        assert row.task == task or (pd.isna(row.task) and pd.isna(task))


def test_the_lowest_loss_comes_first() -> None:
    losses = {"b00": 0.3, "b01": 0.1, "b02": 0.2}
    scorer = FunctionScorer(table_with(3), lambda s: losses[s[0]])
    assert rank(scorer)["benchmark"].tolist() == ["b01", "b02", "b00"]


def test_ties_go_by_rounded_loss_then_cost_then_name() -> None:
    losses = {"b00": 0.5 - 1e-9, "b01": 0.5, "b02": 0.5 + 1e-9, "b03": 0.5}
    scorer = FunctionScorer(table_with([2.0, 1.0, 0.5, 1.0]), lambda s: losses[s[0]])
    assert rank(scorer)["benchmark"].tolist() == ["b02", "b01", "b03", "b00"]
