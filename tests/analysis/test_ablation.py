from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.analysis.ablation import ablate
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, table_with


@pytest.fixture(scope="module")
def scorer() -> eevee.MLPScorer:
    table = made_table()
    return eevee.MLPScorer(table, few_splits(table, 4), epochs=5)


@pytest.mark.parametrize("subset", [("b00", "b03"), ("b01", "b02", "b05", "b08")])
def test_increase_is_the_loss_without_a_benchmark_minus_the_loss_with_it(scorer, subset) -> None:
    dropped = ablate(scorer, subset).set_index("benchmark")
    assert sorted(dropped.index) == list(subset)
    whole = scorer.split_losses([subset])[0]
    for name, row in dropped.iterrows():
        without = scorer.split_losses([[other for other in subset if other != name]])[0]
        assert row["loss_without"] == without.mean()
        assert row["increase"] == pytest.approx(without.mean() - whole.mean())
        assert row["increase_spread"] == pytest.approx((without - whole).std())


def test_the_largest_increase_comes_first_and_ties_go_by_name() -> None:
    loss = {"b00": 0.1, "b01": 0.5, "b02": 0.1, "b03": 0.3}
    scorer = FunctionScorer(table_with(4), lambda s: -sum(loss[name] for name in s))
    assert ablate(scorer, loss)["benchmark"].tolist() == ["b01", "b03", "b00", "b02"]


def test_without_its_only_benchmark_a_subset_is_the_mean_predictor(scorer) -> None:
    (row,) = ablate(scorer, ["b04"]).itertuples()
    assert row.benchmark == "b04"
    assert row.loss_without == scorer.mean_predictor().mean()
    assert row.increase == pytest.approx(row.loss_without - scorer.losses([["b04"]])[0])


def test_the_order_of_the_names_changes_nothing(scorer) -> None:
    pd.testing.assert_frame_equal(
        ablate(scorer, ["b03", "b00", "b05"]), ablate(scorer, ["b05", "b03", "b00"])
    )


def test_progress_counts_the_subset_and_each_without_one(scorer) -> None:
    reported: list[int] = []
    ablate(scorer, ["b03", "b00", "b05"], advance=reported.append)
    assert sum(reported) == 4


def test_unknown_names_are_refused(scorer) -> None:
    with pytest.raises(eevee.EeveeError, match="no benchmark 'zzz'"):
        ablate(scorer, ["zzz"])


def test_where_the_whole_is_blank_so_is_the_increase(scorer) -> None:
    table = scorer.table
    dropped = ablate(scorer.with_targets("unseen"), table.benchmark_names)
    assert np.isfinite(dropped["loss_without"]).all()
    assert dropped["increase"].isna().all()
    assert dropped["benchmark"].tolist() == list(table.benchmark_names)
