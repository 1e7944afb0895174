"""Columns measured on the strong or the weak alone, and promises that come true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from eevee.completion.advice import next_benchmark
from eevee.completion.complete import impute
from eevee.completion.filling import Problem, Recipe, fill


def factor_table(seed: int, n_models: int = 60, n_columns: int = 16) -> pd.DataFrame:
    """Percentages of one skill, one trait and noise, no two columns of the same spread."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_models, 1)) * rng.uniform(0.7, 1.3, n_columns)
    logits += 0.5 * rng.normal(size=(n_models, 1)) * rng.normal(size=n_columns)
    logits += rng.uniform(-1, 1, n_columns) + 0.3 * rng.normal(size=logits.shape)
    return (
        pd.DataFrame(100 / (1 + np.exp(-logits)))
        .add_prefix("c")
        .set_axis([f"m{i}" for i in range(n_models)])
    )


def cut(table: pd.DataFrame, side: int, kept: int = 8, columns: int = 4) -> pd.DataFrame:
    """The first columns measured on the strongest (1) or weakest (-1) models alone."""
    order = (-side * table.mean(axis=1)).rank()
    return table.mask(
        (order.to_numpy()[:, None] > kept) & (np.arange(table.shape[1]) < columns)[None]
    )


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.slow
def test_models_outside_those_measured_are_covered_and_not_far_off_to_one_side(side: int) -> None:
    inside, given, bias = [], [], []
    for seed in range(3):
        table = factor_table(seed)
        shown = cut(table, side)
        found, gaps = impute(shown), shown.isna().to_numpy()
        has = gaps & found.lower.notna().to_numpy()
        inside.append(((found.lower <= table) & (table <= found.upper)).to_numpy()[has])
        given.append(has.sum() / gaps.sum())
        bias.append(((found.scores - table) / table.std()).to_numpy()[gaps].mean())
        own_means = ((shown.mean() - table) / table.std()).to_numpy()[gaps]
        assert side * own_means.mean() > 1
    assert np.concatenate(inside).mean() >= 0.8
    assert min(given) >= 0.5
    assert abs(np.mean(bias)) < 0.4


def test_a_column_without_enough_tests_withholds_its_far_intervals_and_says_why() -> None:
    table = factor_table(0, 14, 8).iloc[:, :3]
    shown = table.copy()
    shown.loc[table.mean(axis=1).rank() <= 5, "c0"] = np.nan
    shown.iloc[:7, 1] = np.nan
    shown.iloc[7:, 2] = np.nan  # no column has ten scores to spare
    basis = impute(shown).basis
    far = basis["why"].str.contains("than could be tested")
    assert far.any()
    assert basis.loc[far, "lower"].isna().all()
    assert basis.loc[far, "why"].str.match("the model is (weaker|stronger) than all").all()


def test_hidden_scores_of_a_column_never_reach_its_own_test() -> None:
    """What is learned from a cut must not change with the scores that the cut hides."""
    table = factor_table(1)
    problem = Problem.of(table)
    kept = problem.seen.copy()
    kept[8:, 0] = False
    other = table.copy()
    other.iloc[8:, 0] = np.linspace(1, 99, 52)
    for logit in (False, True):
        recipe = Recipe(logit, 1, 1.0)
        one, two = (fill(p, kept, recipe) for p in (problem, Problem.of(other)))
        np.testing.assert_array_equal(one.blend, two.blend)
        np.testing.assert_array_equal(one.reach.outside, two.reach.outside)


@pytest.mark.slow
def test_promised_drops_come_true_on_a_made_table() -> None:
    promised, true = [], []
    for seed in range(4):
        table = factor_table(seed, 50, 14)
        rng = np.random.default_rng(seed)
        hidden = (rng.random(table.shape) < 0.6) & (np.arange(50) < 20)[:, None]
        found = impute(table.mask(hidden))
        problem = Problem.of(table)
        recipe = Recipe(found.logit, found.rank, found.penalty)
        more = ~hidden
        rows = np.flatnonzero(hidden.sum(axis=1) > 1)
        for row in rows:
            best = next_benchmark(found, table.index[row]).iloc[0]
            more[row, table.columns.get_loc(best["benchmark"])] = True
            promised.append(best["share"])
        before, after = (
            ((filled.space.standardise(problem.scores) - filled.blend) ** 2)
            for filled in (fill(problem, seen, recipe) for seen in (~hidden, more))
        )
        left = np.where(more, 0.0, after)
        true.append(
            [(before[row, hidden[row]].sum(), left[row, hidden[row]].sum()) for row in rows]
        )
    total = np.concatenate(true).sum(axis=0)
    assert np.mean(promised) == pytest.approx(1 - total[1] / total[0], abs=0.08)
