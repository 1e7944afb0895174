from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mean_absolute_error, r2_score

import eevee
from eevee.scorers import loss
from eevee.stats import metrics, overlap
from eevee.tables.averages import loss_weights
from tests.averages import average_by_loops
from tests.scorers.tables import rich_table

NAN = float("nan")
SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=25)


def matrices(seed: int = 0, missing: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(15, 6)) * [1, 10, 0.1, 5, 2, 1] + [0, 50, 0.5, 3, -4, 1]
    predicted = true + 0.5 * rng.normal(size=true.shape)
    true[rng.random(true.shape) < missing] = NAN
    return predicted, true


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_r2_and_mae_are_those_of_scikit_learn_on_the_observed_cells(missing: float) -> None:
    predicted, true = matrices(missing=missing)
    r2, mae = metrics.r2(predicted, true), metrics.mae(predicted, true)
    for column in range(true.shape[1]):
        seen = ~np.isnan(true[:, column])
        pair = true[seen, column], predicted[seen, column]
        assert r2[column] == pytest.approx(r2_score(*pair))
        assert mae[column] == pytest.approx(mean_absolute_error(*pair))


@pytest.mark.parametrize("weighted", [False, True])
def test_pooled_r2_shares_variance_by_column_benchmark_and_task(weighted: bool) -> None:
    table = rich_table(20, seed=4)
    true, units = table.scores.to_numpy(), table.units.to_numpy()
    predicted = true + np.random.default_rng(0).normal(size=true.shape) * units
    weights = {name: float(i) for i, name in enumerate(table.benchmark_names)}
    used = weights if weighted else None
    error, spread = (
        average_by_loops(table, [np.nanmean(column) for column in squares.T], used)
        for squares in (
            ((predicted - true) / units) ** 2,
            ((true - np.nanmean(true, axis=0)) / units) ** 2,
        )
    )
    average = loss_weights(table, used)
    found = loss.pooled_r2(predicted, true, units, average)
    assert found == pytest.approx(1 - error / spread)
    rescaled = loss.pooled_r2(predicted / units, true / units, np.ones(len(units)), average)
    assert rescaled == pytest.approx(found)


def test_columns_that_say_nothing_are_blank_and_raise_no_warning() -> None:
    true = np.array([[0.1, NAN, 1.0], [0.1, NAN, NAN], [0.1, NAN, NAN]])
    assert np.isnan(metrics.r2(true + 1, true)).all()
    plain = eevee.ResultsTable.from_scores(pd.DataFrame(np.eye(3), columns=list("abc")))
    assert np.isnan(loss.pooled_r2(true + 1, true, np.ones(3), loss_weights(plain, None)))
    assert metrics.mae(true + 1, true)[[0, 2]].tolist() == [1.0, 1.0]
    assert np.isnan(metrics.mae(true + 1, true)[1])


@given(pairs=SCORES)
def test_ranking_agreement_is_counted_by_pairs_and_by_ranks(pairs: list[tuple[int, int]]) -> None:
    predicted, true = np.array(pairs, dtype=float).T
    found = metrics.ranking_agreement(np.append(predicted, NAN), np.append(true, 1.0))
    if np.ptp(predicted) == 0 or np.ptp(true) == 0:
        assert np.isnan(found).all()
        return
    signs = [
        (np.sign(predicted[i] - predicted[j]), np.sign(true[i] - true[j]))
        for i, j in combinations(range(len(true)), 2)
    ]
    untied = [sum(bool(s[side]) for s in signs) for side in (0, 1)]
    assert found.kendall == pytest.approx(sum(a * b for a, b in signs) / np.sqrt(np.prod(untied)))
    ranks = stats.rankdata(predicted), stats.rankdata(true)
    assert found.spearman == pytest.approx(np.corrcoef(*ranks)[0, 1])


@given(pairs=SCORES)
def test_pairwise_accuracy_counts_every_pair_once(pairs: list[tuple[int, int]]) -> None:
    predicted, true = np.array(pairs, dtype=float).T
    edges = [0.0, 0.4, 0.9, 1.7, np.inf]
    found = metrics.pairwise_accuracy(predicted, true, edges)
    right: list[list[float]] = [[] for _ in edges[1:]]
    for i, j in combinations(range(len(true)), 2):
        if true[i] == true[j]:
            continue
        gap = abs(true[i] - true[j]) / true.std()
        place = next(n for n in range(len(edges) - 1) if edges[n] <= gap < edges[n + 1])
        better, worse = (i, j) if true[i] > true[j] else (j, i)
        said = predicted[better] - predicted[worse]
        right[place].append(1.0 if said > 0 else 0.5 if said == 0 else 0.0)
    assert found["pairs"].tolist() == [len(hits) for hits in right]
    expected = [np.mean(hits) if hits else NAN for hits in right]
    np.testing.assert_allclose(found["accuracy"], expected)


def test_over_all_gaps_pairwise_accuracy_is_kendall_without_ties() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=40)
    predicted = true + rng.normal(size=40)
    accuracy = metrics.pairwise_accuracy(predicted, true, [0, np.inf])["accuracy"][0]
    assert accuracy == pytest.approx((metrics.ranking_agreement(predicted, true).kendall + 1) / 2)
    by_gap = metrics.pairwise_accuracy(predicted, true)["accuracy"]
    assert by_gap.iloc[-1] > by_gap.iloc[0]


@pytest.mark.parametrize("gaps", [[0.0], [0.0, 1.0, 1.0], [1.0, 0.0]])
def test_gaps_that_do_not_increase_are_refused(gaps: list[float]) -> None:
    with pytest.raises(eevee.EeveeError, match="gaps must be at least two increasing numbers"):
        metrics.pairwise_accuracy(np.arange(3.0), np.arange(3.0), gaps)


@given(pairs=SCORES)
def test_regret_is_the_mean_over_all_models_that_look_best(pairs: list[tuple[int, int]]) -> None:
    predicted, true = np.array(pairs, dtype=float).T
    losses = [max(true) - t for p, t in zip(predicted, true, strict=True) if p == max(predicted)]
    assert metrics.regret(predicted, true) == pytest.approx(np.mean(losses))
    assert metrics.regret(true, true) == 0
    assert metrics.regret(np.append(predicted, 99), np.append(true, NAN)) == pytest.approx(
        np.mean(losses)
    )


SUBSETS = st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=7)


@given(first=SUBSETS, second=SUBSETS)
def test_subset_agreement_is_symmetric_and_at_most_one(first: set[str], second: set[str]) -> None:
    one, other = overlap.kuncheva(first, second, 8), overlap.kuncheva(second, first, 8)
    assert one == other <= 1 + 1e-12
    assert overlap.jaccard(first, second) == overlap.jaccard(second, first)
    assert overlap.jaccard(first, first) == overlap.kuncheva(first, first, 8) == 1
    if len(first) == len(second):
        k, r = len(first), len(first & second)
        assert one == pytest.approx((r * 8 - k * k) / (k * (8 - k)))


@pytest.mark.parametrize("m", [1, 3, 5])
def test_kuncheva_is_zero_on_average_over_all_subsets(m: int) -> None:
    first = set("abc")
    found = [overlap.kuncheva(first, second, 7) for second in combinations("abcdefg", m)]
    assert np.mean(found) == pytest.approx(0, abs=1e-12)


def test_agreement_where_there_is_no_choice() -> None:
    assert np.isnan(overlap.kuncheva("abc", "abc", 3))
    assert np.isnan(overlap.kuncheva("", "ab", 3))
    assert overlap.jaccard("", "") == 1
    with pytest.raises(eevee.EeveeError, match="3 names, more than the 2"):
        overlap.kuncheva("ab", "bc", 2)
