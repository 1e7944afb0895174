"""Whether gaps go with strength, against permutations and on made patterns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.analysis.describe import gaps_as_json
from eevee.completion.gap_pattern import gap_pattern


def skilled(seed: int, n_models: int = 60, n_columns: int = 10) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_models, 1)) + 0.6 * rng.normal(size=(n_models, n_columns))
    return (
        pd.DataFrame(50 + 10 * values).add_prefix("c").set_axis([f"m{i}" for i in range(n_models)])
    )


def test_random_gaps_are_seldom_called_biased() -> None:
    alarms, overall = [], []
    for seed in range(40):
        table = skilled(seed)
        gaps = np.random.default_rng(seed + 500).random(table.shape) < 0.4
        found = gap_pattern(table.mask(gaps))
        alarms.append(found.columns["biased"].any())
        overall.append(found.p < 0.05)
    assert np.mean(alarms) <= 0.15  # 5 % of tables, were all columns independent
    assert np.mean(overall) <= 0.15


@pytest.mark.parametrize("side", [1, -1])
def test_columns_measured_on_the_strong_or_the_weak_alone_are_found_with_their_side(
    side: int,
) -> None:
    table = skilled(1)
    order = (side * table.mean(axis=1)).rank(ascending=False)
    shown = table.copy()
    shown.loc[order > 15, ["c0", "c1"]] = np.nan
    found = gap_pattern(shown)
    assert found.columns.index[found.columns["biased"]].tolist() == ["c0", "c1"]
    assert (side * found.columns.loc[["c0", "c1"], "correlation"] > 0.5).all()
    assert ("strong models" if side > 0 else "weak models") in found.sentence
    assert gaps_as_json(found)["sentence"] == found.sentence


def test_p_agrees_with_a_permutation_test_on_the_mean_of_the_other_columns() -> None:
    table = skilled(2, 50)
    rng = np.random.default_rng(0)
    missing = rng.random(50) < 1 / (1 + np.exp(0.9 * (table["c1"] - 50) / 10))
    table.loc[missing, "c0"] = np.nan
    strength = table.drop(columns="c0").mean(axis=1).to_numpy()
    measured = table["c0"].notna().to_numpy()
    ranks = strength.argsort().argsort()
    gap = abs(ranks[measured].mean() - ranks[~measured].mean())
    drawn = [rng.permutation(measured) for _ in range(4000)]
    p = np.mean([abs(ranks[d].mean() - ranks[~d].mean()) >= gap for d in drawn])
    assert gap_pattern(table).columns.loc["c0", "p"] == pytest.approx(p, abs=0.02)


def test_columns_where_lower_is_better_count_turned() -> None:
    table = skilled(3)
    table.loc[table.mean(axis=1).rank() <= 40, "c0"] = np.nan
    turned = eevee.ResultsTable.from_scores(100 - table, columns=pd.DataFrame(
        {
            "benchmark": table.columns,
            "metric": "loss",
            "direction": "lower",
            "direction_source": "read",
            "role": "score",
        },
        index=table.columns,
    ))  # fmt: skip
    one, other = gap_pattern(table), gap_pattern(turned)
    np.testing.assert_allclose(one.columns["correlation"], other.columns["correlation"])


@pytest.mark.parametrize(
    "table", [skilled(0), pd.DataFrame({"a": [1.0, np.nan, 1.0], "b": [2.0, 2.0, np.nan]})]
)
def test_tables_without_gaps_or_without_differences_say_nothing(table: pd.DataFrame) -> None:
    found = gap_pattern(table)
    assert found.sentence == ""
    assert found.columns["p"].isna().all()
