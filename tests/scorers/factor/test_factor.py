from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.base.errors import EeveeError
from eevee.scorers.factor import als, probe
from eevee.scorers.factor import scorer as factor
from eevee.scorers.factor import transform as space
from eevee.scorers.factor.scorer import Choice, FactorScorer
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable
from tests.scorers.tables import few_splits, rich_table, with_scores

SUBSETS = [("ant",), ("ant", "bee"), ("cat", "gnu"), ("bee", "dog", "eel", "fox"), ("cat",)]
FIXED: dict[str, Any] = {"rank": 2, "penalty": 1.0, "logit": True}


def percent_table(**kwargs: Any) -> ResultsTable:
    """`rich_table` with half of its columns squeezed between 0 and 1, or 0 and 100."""
    table = rich_table(24, **kwargs)
    scores = table.scores.copy()
    for i, name in enumerate(scores.columns):
        if i % 2:
            z = (scores[name] - scores[name].mean()) / scores[name].std()
            scores[name] = (100.0 if i % 4 == 1 else 1.0) / (1 + np.exp(-2 * z))
    return ResultsTable.from_scores(
        scores, columns=table.columns, benchmarks=table.benchmarks, cost_unit="h"
    )


def low_rank_table(rank: int = 2, n_models: int = 40, missing: float = 0.2) -> ResultsTable:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n_models, rank)) @ rng.normal(size=(rank, 10)) + rng.normal(size=10)
    values[rng.random(values.shape) < missing] = np.nan
    return ResultsTable.from_scores(pd.DataFrame(values, columns=list("abcdefghij")))


# ---- the slow loop: one model, one column, one cell at a time ----


def slow_losses(
    table: ResultsTable, splits: Splits, subset: tuple[str, ...], choice: Choice, targets: str
) -> list[float]:
    """Loss in each split; shares only the constants with the scorer."""
    losses = []
    for split in range(splits.n_splits):
        fit = np.flatnonzero(splits.train[split] | splits.validation[split])
        errors = slow_errors(table, fit, np.flatnonzero(splits.test[split]), subset, choice)
        by_task: dict[str, list[float]] = {}
        for name in table.benchmark_names:
            own = [errors[c] for c in table.columns_of(name) if c in errors]
            if own and not (targets == "unseen" and name in subset):
                by_task.setdefault(str(table.benchmarks["task"][name]), []).append(np.mean(own))
        losses.append(float(np.mean([np.mean(errors) for errors in by_task.values()])))
    return losses


def slow_errors(
    table: ResultsTable,
    fit: np.ndarray,
    test: np.ndarray,
    subset: tuple[str, ...],
    choice: Choice,
) -> dict[str, float]:
    """Mean squared error in units of each score column with something to predict."""
    y = table.oriented
    usable = [j for j in range(table.n_columns) if np.isfinite(y[fit, j]).sum() >= 2]
    ways = slow_spaces(table, fit, usable, choice.logit)
    z = np.full(y.shape, np.nan)
    for j in usable:
        there, _ = ways[j]
        z[:, j] = [there(v) for v in y[:, j]]
    bias, loadings = slow_als(z[fit], choice.rank, choice.penalty)
    squared: dict[str, list[float]] = {}
    for i in test:
        measured = [
            j for j in usable if table.columns["benchmark"].iloc[j] in subset and y[i, j] == y[i, j]
        ]
        x = slow_ridge(
            np.array([np.clip(z[i, j], -6, 6) - bias[j] for j in measured]),
            np.array([loadings[j] for j in measured]).reshape(-1, choice.rank + 1),
            choice.penalty * np.array([factor.PROBE_SHARE] + [1.0] * choice.rank),
        )
        for j in usable:
            if np.isfinite(y[i, j]) and table.columns["role"].iloc[j] == "score":
                _, back = ways[j]
                seen = y[fit, j][np.isfinite(y[fit, j])]
                guess = back(bias[j] + loadings[j] @ x) if measured else seen.mean()
                error = (guess - y[i, j]) / table.units.iloc[j]
                squared.setdefault(str(table.scores.columns[j]), []).append(error**2)
    return {name: float(np.mean(values)) for name, values in squared.items()}


Way = Callable[[float], float]


def slow_spaces(
    table: ResultsTable, fit: np.ndarray, usable: list[int], logit: bool
) -> dict[int, tuple[Way, Way]]:
    """For each column, the functions from a score to a value and back."""
    seen = {j: [v for v in table.oriented[fit, j] if np.isfinite(v)] for j in usable}
    ends: dict[int, tuple[float, float]] = {}
    for j, v in seen.items():
        for top in (100.0, 1.0):
            for low in (-top, 0.0):
                if min(v) >= low and max(v) <= low + top and logit:
                    ends[j] = (low, top)

    def bend(v: float, j: int) -> float:
        if j not in ends:
            return v
        share = np.clip((v - ends[j][0]) / ends[j][1], 0.005, 0.995)
        return float(np.log(share / (1 - share)))

    bent = {j: np.array([bend(v, j) for v in seen[j]]) for j in usable}
    spreads = [bent[j].var() for j in ends if len(bent[j]) > 3]
    ways: dict[int, tuple[Way, Way]] = {}
    for j in usable:
        prior = np.median(spreads) if j in ends else table.units.iloc[j] ** 2
        n = len(bent[j])
        sd = np.sqrt((n * bent[j].var() + 3 * prior) / (n + 3))

        def there(v: float, j: int = j, sd: float = sd) -> float:
            return (bend(v, j) - bent[j].mean()) / sd

        def back(z: float, j: int = j, sd: float = sd) -> float:
            raw = z * sd + bent[j].mean()
            return ends[j][0] + ends[j][1] / (1 + np.exp(-raw)) if j in ends else raw

        ways[j] = (there, back)
    return ways


def slow_als(z: np.ndarray, rank: int, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Column biases and loadings after 30 rounds from an SVD."""
    n, p = z.shape
    shrink = penalty * np.array([als.BIAS_SHARE] + [1.0] * rank)
    level = [np.nansum(row) / (np.isfinite(row).sum() + shrink[0]) for row in z]
    start = np.nan_to_num(z - np.array(level)[:, None])
    _, size, right = np.linalg.svd(start, full_matrices=False)
    bias = np.zeros(p)
    loadings = np.column_stack([np.ones(p), right[:rank].T * np.sqrt(size[:rank])])
    for _ in range(30):
        models = np.zeros((n, rank + 1))
        for i in range(n):
            own = np.isfinite(z[i])
            models[i] = slow_ridge(z[i, own] - bias[own], loadings[own], shrink)
        for j in range(p):
            own = np.isfinite(z[:, j])
            design = np.column_stack([np.ones(own.sum()), models[own, 1:]])
            solved = slow_ridge(z[own, j] - models[own, 0], design, shrink)
            bias[j], loadings[j, 1:] = solved[0], solved[1:]
    return bias, loadings


def slow_ridge(y: np.ndarray, design: np.ndarray, shrink: np.ndarray) -> np.ndarray:
    return np.linalg.solve(design.T @ design + np.diag(shrink), design.T @ y)


@pytest.mark.parametrize("targets", ["all", "unseen"])
@pytest.mark.parametrize(
    "choice", [Choice(2, 1.0, True), Choice(0, 0.5, True), Choice(3, 2.0, False)]
)
def test_losses_equal_a_slow_loop(targets: Any, choice: Choice) -> None:
    table = percent_table(missing=0.4)
    splits = few_splits(table)
    scorer = FactorScorer(
        table,
        splits,
        targets=targets,
        rank=choice.rank,
        penalty=choice.penalty,
        logit=choice.logit,
    )
    for subset in SUBSETS:
        slow = slow_losses(table, splits, subset, choice, targets)
        np.testing.assert_allclose(scorer.split_losses([subset])[0], slow, rtol=1e-8, atol=1e-8)


def test_a_column_of_one_fitting_model_is_neither_input_nor_target() -> None:
    table = percent_table(missing=0.3)
    splits = few_splits(table)
    values = table.scores.to_numpy().copy()
    values[np.flatnonzero(splits.fit[0])[1:], 3] = np.nan
    table = with_scores(table, values)
    scorer = FactorScorer(table, splits, **FIXED)
    name = table.columns["benchmark"].iloc[3]
    subset = table.subset([name, "ant"])
    slow = slow_losses(table, splits, subset, Choice(2, 1.0, True), "all")
    np.testing.assert_allclose(scorer.split_losses([subset])[0], slow, rtol=1e-8)


# ---- bits ----


def test_bits_do_not_depend_on_batch_order_chunk_or_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = percent_table(missing=0.3)
    splits = few_splits(table)
    names, rng = list(table.benchmark_names), np.random.default_rng(0)
    subsets = [tuple(rng.permutation(names)[: rng.integers(1, len(names) + 1)]) for _ in range(120)]
    expected = FactorScorer(table, splits, **FIXED).split_losses(subsets)
    alone = FactorScorer(table, splits, **FIXED)
    np.testing.assert_array_equal(
        np.concatenate([alone.split_losses([subset[::-1]]) for subset in subsets]), expected
    )
    for chunk, budget, n_threads in ((1, 1, 1), (7, 2**15, 2), (1000, 2**30, 3)):
        monkeypatch.setattr(factor, "CHUNK", chunk)
        monkeypatch.setattr(probe, "BLOCK_BYTES", budget)
        scorer = FactorScorer(table, splits, n_threads=n_threads, **FIXED)
        np.testing.assert_array_equal(scorer.split_losses(subsets[::-1])[::-1], expected)


@pytest.mark.slow
def test_fits_and_choices_do_not_depend_on_threads() -> None:
    table = percent_table(missing=0.3)
    splits = few_splits(table)
    one, two = (FactorScorer(table, splits, rank="auto", n_threads=n) for n in (1, 2))
    assert one.choices == two.choices
    np.testing.assert_array_equal(one.split_losses(SUBSETS), two.split_losses(SUBSETS))


# ---- leakage ----


def fitted_arrays(scorer: FactorScorer) -> list[np.ndarray]:
    return [
        array
        for fit in scorer._fits
        for array in (*vars(fit.space).values(), *vars(fit.factors).values(), fit.penalty)
    ]


@pytest.mark.parametrize("value", [0.0, -1e4, 1e6, np.nan])
def test_scores_of_a_held_out_model_move_no_fitted_number_and_no_choice(value: float) -> None:
    table = percent_table(missing=0.2)
    splits = few_splits(table, 1)
    values = table.scores.to_numpy().copy()
    tested = np.flatnonzero(splits.test[0])
    values[tested[0]] = value
    one, other = (FactorScorer(t, splits, rank="auto") for t in (table, with_scores(table, values)))
    assert one.choices == other.choices
    for before, after in zip(fitted_arrays(one), fitted_arrays(other), strict=True):
        np.testing.assert_array_equal(before, after)
    assert (one.losses(SUBSETS) != other.losses(SUBSETS)).any()


def test_a_fitting_model_does_move_the_fit() -> None:
    table = percent_table(missing=0.2)
    splits = few_splits(table, 1)
    values = table.scores.to_numpy().copy()
    values[np.flatnonzero(splits.fit[0])[0]] *= 0.5
    one, other = (FactorScorer(t, splits, **FIXED) for t in (table, with_scores(table, values)))
    assert not np.array_equal(one._fits[0].factors.loadings, other._fits[0].factors.loadings)


# ---- what it models ----


def test_an_exactly_low_rank_table_is_predicted_from_as_many_columns_as_factors() -> None:
    table = low_rank_table()
    scorer = FactorScorer(table, few_splits(table), rank=2, penalty=1e-6, logit=False)
    complete, lone = scorer.losses([table.benchmark_names, ("a",)])
    assert complete < 1e-3
    assert lone > 100 * complete


def test_auto_takes_the_rank_and_little_shrinkage_where_there_is_no_noise() -> None:
    table = low_rank_table(missing=0.1)
    choices = FactorScorer(table, few_splits(table), rank="auto").choices
    assert {choice.penalty for choice in choices} == {min(als.PENALTIES)}
    assert all(choice.rank >= 1 for choice in choices)


def test_logit_is_chosen_where_skill_is_linear_in_logits_and_never_without_percentages() -> None:
    rng = np.random.default_rng(0)
    logits = 2.5 * rng.normal(size=(40, 1)) + np.linspace(-3, 3, 10)
    logits += 0.2 * rng.normal(size=logits.shape)
    bent = ResultsTable.from_scores(pd.DataFrame(100 / (1 + np.exp(-logits))).add_prefix("b"))
    flat = ResultsTable.from_scores(pd.DataFrame(1000 * logits).add_prefix("b"))
    for table, wanted in ((bent, True), (flat, False)):
        choices = FactorScorer(table, few_splits(table)).choices
        assert {choice.logit for choice in choices} == {wanted}


@pytest.mark.parametrize("missing", [0.0, 0.66])
def test_a_test_model_without_any_column_of_the_subset_gets_the_column_means(
    missing: float,
) -> None:
    table = percent_table(missing=missing)
    splits = few_splits(table, 2)
    values = table.scores.to_numpy().copy()
    ant = np.flatnonzero(table.columns["benchmark"] == "ant")
    values[np.ix_(splits.test.any(axis=0), ant)] = np.nan
    table = with_scores(table, values)
    scorer = FactorScorer(table, splits, **FIXED)
    np.testing.assert_allclose(
        scorer.split_losses([("ant",)])[0], scorer.mean_predictor(), rtol=1e-9
    )


def test_units_and_offsets_of_a_column_do_not_matter_without_logit() -> None:
    table = rich_table(24, missing=0.3)
    scale = 10.0 ** np.arange(-3, table.n_columns - 3)
    moved = replace(table, scores=table.scores * scale + 7 * scale, units=table.units * scale)
    one, other = (
        FactorScorer(t, few_splits(t), rank=2, penalty=1.0, logit=False).losses(SUBSETS)
        for t in (table, moved)
    )
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_percentage_and_its_complement_are_the_same() -> None:
    table = percent_table(missing=0.3)
    flip = np.array([i % 4 == 1 for i in range(table.n_columns)])
    columns = table.columns.copy()
    columns.loc[flip, "direction"] = [
        "lower" if d == "higher" else "higher" for d in columns.loc[flip, "direction"]
    ]
    scores = table.scores.copy()
    scores.loc[:, flip] = 100 - scores.loc[:, flip]
    mirrored = replace(table, scores=scores, columns=columns)
    one, other = (
        FactorScorer(t, few_splits(t), **FIXED).losses(SUBSETS) for t in (table, mirrored)
    )
    np.testing.assert_allclose(one, other, rtol=1e-8)


@pytest.mark.slow
def test_more_columns_help_on_a_table_with_two_thirds_missing() -> None:
    rng = np.random.default_rng(1)
    values = 2 * rng.normal(size=(80, 1)) + rng.normal(size=(80, 30))
    values[rng.random(values.shape) < 0.66] = np.nan
    table = ResultsTable.from_scores(pd.DataFrame(values).add_prefix("b"))
    scorer = FactorScorer(table, eevee.shuffle_splits(table))
    names = table.benchmark_names
    few, many = scorer.losses([names[:3], names[:15]])
    assert many < few < scorer.mean_predictor().mean()


# ---- the rest of the promises ----


def test_every_benchmark_in_leaves_nothing_unseen() -> None:
    table = percent_table()
    scorer = FactorScorer(table, few_splits(table), targets="unseen", **FIXED)
    assert np.isnan(scorer.losses([table.benchmark_names])).all()


def test_with_targets_keeps_everything_else() -> None:
    table = percent_table()
    scorer = FactorScorer(
        table, few_splits(table), rank=1, penalty=0.5, logit=False, seed=3, n_threads=1
    )
    other = scorer.with_targets("unseen")
    assert other.describe() == {**scorer.describe(), "targets": "unseen"}
    assert other.n_threads == 1


def test_the_description_is_plain_and_names_what_was_chosen() -> None:
    table = percent_table()
    shown = FactorScorer(table, few_splits(table)).describe()
    assert json.loads(json.dumps(shown)) == shown
    assert len(shown["chosen"]) == 3
    assert {chosen["rank"] for chosen in shown["chosen"]} == {2}


def test_there_is_nothing_to_initialise_anew() -> None:
    table = percent_table()
    assert FactorScorer(table, few_splits(table), **FIXED).rescore(SUBSETS, 8) is None


def test_progress_is_told_once_per_subset() -> None:
    table = percent_table()
    told: list[int] = []
    FactorScorer(table, few_splits(table), **FIXED).losses(SUBSETS, advance=told.append)
    assert sum(told) == len(SUBSETS)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("rank", -1),
        ("rank", 1.5),
        ("rank", 99),
        ("rank", "two"),
        ("rank", True),
        ("penalty", 0),
        ("penalty", "much"),
        ("penalty", float("nan")),
        ("penalty", True),
        ("logit", "maybe"),
        ("logit", 1),
        ("seed", -1),
        ("seed", 0.5),
        ("n_threads", 0),
    ],
)
def test_a_bad_option_is_named(option: str, value: Any) -> None:
    table = percent_table()
    with pytest.raises(EeveeError, match=option):
        FactorScorer(table, few_splits(table), **{option: value})


def test_numbers_of_numpy_are_options_too() -> None:
    table = percent_table()
    options: dict[str, Any] = {
        "rank": np.int64(2),
        "penalty": np.float32(1),
        "logit": np.True_,
        "seed": np.int64(0),
    }
    one, other = (FactorScorer(table, few_splits(table), **kw) for kw in (options, FIXED))
    assert json.dumps(one.describe()) == json.dumps(other.describe())


@pytest.mark.parametrize("n_columns", [1, 2, 3, 6])
@pytest.mark.slow
def test_ranks_that_nobody_gave_fit_the_table(n_columns: int) -> None:
    scores = np.random.default_rng(0).normal(size=(20, n_columns))
    table = ResultsTable.from_scores(pd.DataFrame(scores).add_prefix("b"))
    splits = few_splits(table)
    usual = FactorScorer(table, splits)
    assert usual.rank == min(2, n_columns - 1)
    auto = FactorScorer(table, splits, rank="auto")
    assert max(choice.rank for choice in auto.choices) < n_columns
    for scorer in (usual, auto):
        assert np.isfinite(scorer.losses([("b0",)])).all()


# ---- the parts ----


def test_small_systems_are_solved_as_lapack_solves_them() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        root = rng.normal(size=(7, n, n))
        gram, right = root @ root.swapaxes(1, 2) + np.eye(n), rng.normal(size=(7, n))
        solved = als.solve(np.moveaxis(gram, 0, -1), right.T)
        np.testing.assert_allclose(
            np.stack(solved, axis=-1), np.linalg.solve(gram, right[..., None])[..., 0], rtol=1e-10
        )


def test_fits_of_a_batch_are_those_of_its_members() -> None:
    rng = np.random.default_rng(0)
    values, seen = rng.normal(size=(20, 8)), rng.random((20, 8)) < 0.7
    strengths = np.array([0.5, 1.0, 4.0])
    together = als.fit_factors(values, seen, 2, strengths)
    for i, strength in enumerate(strengths):
        alone = als.fit_factors(values, seen, 2, strength)
        models = [
            f.predict(f.models(values, seen, als.penalties(strength, 2)))
            for f in (alone, als.Factors(together.bias[i], together.loadings[i]))
        ]
        np.testing.assert_allclose(*models, rtol=1e-8, atol=1e-8)


def test_what_stands_in_a_gap_is_ignored() -> None:
    rng = np.random.default_rng(0)
    values, seen = rng.normal(size=(20, 8)), rng.random((20, 8)) < 0.7
    one = als.fit_factors(values, seen, 2, 1.0)
    other = als.fit_factors(np.where(seen, values, np.nan), seen, 2, 1.0)
    np.testing.assert_array_equal(one.loadings, other.loadings)


def test_more_factors_than_columns_have_nothing_to_say() -> None:
    values = np.random.default_rng(0).normal(size=(20, 2))
    seen = np.ones(values.shape, dtype=bool)
    two, four = (als.fit_factors(values, seen, rank, 1.0) for rank in (2, 4))
    np.testing.assert_array_equal(four.loadings[:, 3:], 0)
    np.testing.assert_allclose(two.loadings, four.loadings[:, :3])


@pytest.mark.parametrize("logit", [True, False])
def test_a_space_leads_there_and_back(logit: bool) -> None:
    scores = np.array([[0.2, 30.0, -40.0, 1500.0], [0.9, 70.0, -1.5, 1200.0], [0.5, 2, -99, 9]])
    found = space.fit_space(scores, np.ones(scores.shape, dtype=bool), np.ones(4), logit=logit)
    np.testing.assert_array_equal(found.width, [1, 100, 100, np.nan])
    np.testing.assert_array_equal(found.low, [0, 0, -100, 0])
    np.testing.assert_allclose(found.restore(found.standardise(scores)), scores, rtol=1e-12)


def test_probe_cells_are_those_that_can_be_judged() -> None:
    table = percent_table(missing=0.3)
    splits = few_splits(table)
    scorer = FactorScorer(table, splits, **FIXED)
    cells: list[probe.Cells] = scorer._probe._cells
    asked = scorer._test_cells & (scorer._data.usable & table.is_target)[:, None, :]
    assert sum(len(part.row) for part in cells) == asked.sum()
    assert {part.logit_scaled for part in cells} == {True, False}
