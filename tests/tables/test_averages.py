"""One mean score: averaged as the loss is, with its weights, wherever a mean score appears."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import eevee
from eevee.base.arrays import FloatArray
from eevee.scorers.spec import ScorerSpec
from eevee.search.correlation import correlations_with_mean
from eevee.tables.averages import loss_weights, mean_scores
from eevee.tables.results_table import ResultsTable
from tests.averages import average_by_loops
from tests.conftest import made_table
from tests.scorers.tables import rich_table

Weights = Mapping[str, float] | None


def some_weights(table: ResultsTable, weighted: bool) -> Weights:
    return {name: float(i) for i, name in enumerate(table.benchmark_names)} if weighted else None


def by_loops(table: ResultsTable, values: FloatArray, weights: Weights) -> FloatArray:
    """The mean score of each row of oriented values, relative to the means of the table."""
    centre, units = np.nanmean(table.oriented, axis=0), table.units.to_numpy()
    return np.array([average_by_loops(table, (row - centre) / units, weights) for row in values])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_mean_score_goes_over_columns_benchmarks_and_tasks(seed: int, weighted: bool) -> None:
    table = rich_table(12, seed=seed, missing=0.4)
    weights = some_weights(table, weighted)
    centre, units = np.nanmean(table.oriented, axis=0), table.units.to_numpy()
    found = mean_scores(table.oriented, centre, units, loss_weights(table, weights))
    np.testing.assert_allclose(found, by_loops(table, table.oriented, weights))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_frontier_is_drawn_by_the_weighted_mean_score(weighted: bool) -> None:
    table = rich_table(40, seed=3)
    weights = some_weights(table, weighted)
    test = eevee.splits.frontier_splits(table, n_splits=1, weights=weights).test[0]
    standing = by_loops(table, table.oriented, weights)
    assert standing[test].min() > standing[~test].max()


def test_weights_change_which_models_are_at_the_frontier() -> None:
    table = rich_table(40, seed=3, missing=0.0)
    first = table.benchmark_names[0]
    only = {name: float(name == first) for name in table.benchmark_names}
    one, other = (
        eevee.splits.frontier_splits(table, n_splits=1, weights=weights).test
        for weights in (None, only)
    )
    assert (one != other).any()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_over_the_other_benchmarks_is_that_mean_score(weighted: bool) -> None:
    table = rich_table(25, seed=5)
    weights = some_weights(table, weighted)
    found = correlations_with_mean(table, weights)
    for name in table.benchmark_names:
        own = (table.columns["benchmark"] == name).to_numpy()
        rest = by_loops(table, np.where(own, np.nan, table.oriented), weights)
        kept = own & (table.is_target if (own & table.is_target).any() else True)
        turned = (table.oriented - np.nanmean(table.oriented, axis=0)) / table.units.to_numpy()
        seen = np.isfinite(turned) & kept
        both = seen.any(axis=1) & np.isfinite(rest)
        with np.errstate(invalid="ignore"):
            values = np.where(seen, turned, 0.0).sum(axis=1) / seen.sum(axis=1)
        rho = stats.spearmanr(values[both], rest[both]).statistic
        assert found[name] == pytest.approx(abs(rho))


def test_where_all_weight_is_on_what_was_measured_the_ranking_is_right() -> None:
    table = made_table(30, 6)
    weights = {name: float(name == "b00") for name in table.benchmark_names}
    scoring = ScorerSpec("ridge", n_splits=3, weights=weights)
    given = {"with": ["b00", "b01"], "without": ["b02", "b03"]}
    found = eevee.assess(table, subsets=given, scorer=scoring, n_repeats=1).methods
    seen = found.set_index("method")
    assert seen.loc["with", ["spearman", "kendall", "regret"]].tolist() == [1.0, 1.0, 0.0]
    assert seen.loc["without", "spearman"] < 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_score_of_a_new_model_is_the_weighted_average_of_its_row(weighted: bool) -> None:
    table = rich_table(30, seed=2, missing=0.0)
    weights = some_weights(table, weighted)
    known, new = table.take_models(np.arange(30) < 28), table.scores.iloc[28:]
    predictor = eevee.fit_predictor(known, ["ant", "bee"], scorer="ridge", weights=weights)
    inputs = [*table.columns_of("ant"), *table.columns_of("bee")]
    found = predictor.predict(new[inputs])
    rows = found.mean.reindex(columns=table.scores.columns)
    signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    z = signs * (rows - known.scores.mean()) / known.units
    expected = [average_by_loops(table, row, weights) for row in z.to_numpy()]
    np.testing.assert_allclose(found.mean_in_units["predicted"], expected)


def test_a_saved_predictor_keeps_its_weights(tmp_path: Path) -> None:
    table = made_table(20, 4)
    weights = {name: float(i) for i, name in enumerate(table.benchmark_names)}
    predictor = eevee.fit_predictor(table, ["b00"], scorer="ridge", weights=weights)
    predictor.save(tmp_path / "p.npz")
    assert eevee.Predictor.load(tmp_path / "p.npz").weights == weights
