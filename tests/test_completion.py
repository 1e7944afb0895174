from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee import completion
from eevee.completion import complete
from eevee.errors import EeveeError

DATA = Path(__file__).parents[1].parent / "shared" / "data"


def made_scores(seed: int = 0, n_models: int = 40, noise: float = 0.2) -> pd.DataFrame:
    """Percentages (0 to 100, then 0 to 1) and two ratings, all led by one skill and a trait."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_models, 1)) + np.linspace(-2, 2, 12)
    logits += 0.5 * rng.normal(size=(n_models, 1)) * rng.normal(size=12)
    logits += noise * rng.normal(size=logits.shape)
    shares = 1 / (1 + np.exp(-logits))
    columns = np.column_stack([100 * shares[:, :6], shares[:, 6:10], 1500 + 200 * logits[:, 10:]])
    names = [f"b{i:02d}" for i in range(12)]
    return pd.DataFrame(columns, [f"m{i:02d}" for i in range(n_models)], names)


def with_gaps(scores: pd.DataFrame, missing: float, seed: int = 0) -> pd.DataFrame:
    return scores.mask(np.random.default_rng(seed).random(scores.shape) < missing)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 99), missing=st.floats(0.05, 0.9))
def test_measured_cells_stay_and_all_others_are_predicted(seed: int, missing: float) -> None:
    shown = with_gaps(made_scores(seed, 15), missing, seed)
    filled = complete(shown)
    measured = shown.notna()
    pd.testing.assert_frame_equal(filled.scores.where(measured), shown)
    pd.testing.assert_frame_equal(filled.predicted, ~measured & measured.any())
    assert filled.scores.notna().equals(measured | filled.predicted)


@pytest.mark.parametrize("missing", [0.3, 0.8])
def test_percentages_stay_between_their_ends(missing: float) -> None:
    scores = made_scores(1)
    scores.iloc[:3, :6] = 100.0
    scores.iloc[3:6, 6:10] = 0.0
    filled = complete(with_gaps(scores, missing)).scores.to_numpy()
    assert filled.min() >= 0
    assert filled[:, :6].max() <= 100
    assert filled[:, 6:10].max() <= 1
    assert filled[:, 10:].max() > 1000


def test_gaps_are_filled_far_better_than_by_column_means() -> None:
    scores = made_scores(2, 60)
    shown = with_gaps(scores, 0.5)
    filled = complete(shown)
    guesses = {"blend": filled.scores, "mean": shown.fillna(shown.mean())}
    error = {
        name: float((((guess - scores) / scores.std()) ** 2).where(filled.predicted).mean().mean())
        for name, guess in guesses.items()
    }
    assert error["blend"] < 0.2 * error["mean"]


def test_logits_and_a_low_rank_are_found_where_the_table_is_made_of_them() -> None:
    filled = complete(with_gaps(made_scores(0, 60, noise=0.05).iloc[:, :10], 0.4))
    assert filled.logit
    assert filled.rank >= 1


def test_a_table_and_its_frame_are_filled_alike_and_every_time_alike() -> None:
    shown = with_gaps(made_scores(), 0.5)
    one = complete(shown, seed=3)
    for other in (
        complete(shown, seed=3),
        complete(eevee.ResultsTable.from_scores(shown), seed=3),
    ):
        pd.testing.assert_frame_equal(one.scores, other.scores, check_exact=True)


def directed(scores: pd.DataFrame, lower: np.ndarray) -> eevee.ResultsTable:
    columns = pd.DataFrame(
        {
            "benchmark": scores.columns,
            "metric": "score",
            "direction": np.where(lower, "lower", "higher"),
            "direction_source": "read",
            "role": "score",
        },
        index=scores.columns,
    )
    return eevee.ResultsTable.from_scores(scores, columns=columns)


@pytest.mark.parametrize("first", [0, 1])
def test_columns_that_are_negated_with_their_direction_get_negated_predictions(first: int) -> None:
    shown = with_gaps(made_scores(), 0.5).rename(columns={"b00": "seconds", "b01": "err"})
    lower = shown.columns.isin(["seconds", "err"])
    turned = np.arange(12) % 2 == first
    sign = np.where(turned, -1.0, 1.0)
    one = complete(directed(shown, lower))
    other = complete(directed(shown * sign, lower ^ turned))
    assert (one.logit, one.rank, one.penalty) == (other.logit, other.rank, other.penalty)
    pd.testing.assert_frame_equal(one.scores, other.scores * sign, check_exact=True)


def test_directions_let_lower_is_better_columns_help() -> None:
    scores = made_scores(4, 60)
    scores.iloc[:, :6] = 100 - scores.iloc[:, :6]
    scores = scores.rename(columns=lambda name: f"{name} rate")
    shown = with_gaps(scores, 0.7)
    error = {}
    for name, table in (("told", directed(shown, np.arange(12) < 6)), ("bare", shown)):
        filled = complete(table)
        missed = ((filled.scores - scores) / scores.std()).where(filled.predicted)
        error[name] = float((missed**2).mean().mean())
    assert error["told"] < error["bare"]


@pytest.mark.parametrize(("name", "held"), [("seconds", False), ("top1_err", True)])
@pytest.mark.parametrize("told", [True, False])
def test_only_a_lower_is_better_column_that_is_called_a_percentage_is_held_below_100(
    name: str, held: bool, told: bool
) -> None:
    skill = np.linspace(0, 1, 40)
    noise = np.random.default_rng(0).normal(size=(40, 4))
    scores = pd.DataFrame(1000 - 100 * skill[:, None] + noise).add_prefix("latency ")
    scores[name] = np.where(skill > 0.25, 125 - 100 * skill, np.nan)
    table = directed(scores, np.ones(5, dtype=bool)) if told else scores
    largest = complete(table).scores[name].max()
    assert (largest <= 100) if held else (largest > 105)


def test_a_full_table_comes_back_as_it_was() -> None:
    scores = made_scores()
    filled = complete(scores)
    pd.testing.assert_frame_equal(filled.scores, scores)
    assert not filled.predicted.to_numpy().any()


def test_odd_columns_and_models_are_filled_as_well_as_can_be() -> None:
    shown = with_gaps(made_scores(), 0.3)
    shown["empty"] = np.nan
    shown["lonely"] = np.where(np.arange(len(shown)) == 5, 30.0, np.nan)
    shown["constant"] = np.where(np.arange(len(shown)) < 20, 70.0, np.nan)
    shown.iloc[0] = np.nan
    filled = complete(shown)
    assert filled.scores["empty"].isna().all()
    assert not filled.predicted["empty"].any()
    assert filled.scores.drop(columns="empty").notna().to_numpy().all()
    np.testing.assert_allclose(filled.scores["constant"], 70, atol=10)
    unknown, usual = filled.scores.iloc[0], shown.drop(columns=["empty", "lonely"])
    assert (usual.min() <= unknown[usual.columns])[:-1].all()
    assert (unknown[usual.columns] <= usual.max())[:-1].all()


def test_the_input_is_left_alone() -> None:
    shown = with_gaps(made_scores(), 0.5)
    before = shown.copy()
    complete(shown)
    pd.testing.assert_frame_equal(shown, before, check_exact=True)


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, 2.0]}), "infinite"),
        (pd.DataFrame({"a": [1.0, 1.0], "b": [np.nan, 2.0]}), "two different scores"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["good", "bad"]}), "'b' holds something"),
    ],
)
def test_a_table_that_cannot_be_filled_is_refused(scores: pd.DataFrame, why: str) -> None:
    with pytest.raises(EeveeError, match=why):
        complete(scores)


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_bad_seed_is_named(seed: Any) -> None:
    with pytest.raises(EeveeError, match="seed"):
        complete(made_scores(), seed=seed)


def test_folds_share_out_every_measured_cell_once_and_each_models_evenly() -> None:
    seen = np.random.default_rng(0).random((20, 12)) < 0.6
    folds = list(completion._folds(seen, np.random.default_rng(1)))
    np.testing.assert_array_equal(sum(fold.astype(int) for fold in folds), seen.astype(int))
    counts = np.array([fold.sum(axis=1) for fold in folds])
    assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 1


def slow_regressions(values: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """One cell at a time, one pair of columns at a time."""
    predicted = np.full(values.shape, np.nan)
    for row, target in np.ndindex(values.shape):
        found = []
        for other in range(values.shape[1]):
            both = seen[:, other] & seen[:, target]
            if other == target or not seen[row, other] or both.sum() < 5:
                continue
            x, y = values[both, other], values[both, target]
            spread = ((x - x.mean()) ** 2).sum() + 1
            slope = ((x - x.mean()) * (y - y.mean())).sum() / spread
            left = ((y - y.mean() - slope * (x - x.mean())) ** 2).sum()
            variance = (left + 4 * 0.5) / (max(both.sum() - 2, 1) + 4)
            step = values[row, other] - x.mean()
            variance *= 1 + 1 / both.sum() + step**2 / spread
            found.append((variance, y.mean() + slope * step))
        best = sorted(found)[:5]
        if best:
            weights = [1 / variance for variance, _ in best]
            predicted[row, target] = np.average([guess for _, guess in best], weights=weights)
    return predicted


@pytest.mark.parametrize("missing", [0.2, 0.6, 0.85])
def test_regressions_equal_a_slow_loop(missing: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 1)) + rng.normal(size=(25, 9))
    seen = rng.random(values.shape) > missing
    values = np.where(seen, values, 0.0)
    np.testing.assert_allclose(
        completion.regress(values, seen), slow_regressions(values, seen), rtol=1e-8
    )


def test_the_order_of_columns_does_not_matter_to_regressions() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 1)) + rng.normal(size=(25, 9))
    seen = rng.random(values.shape) > 0.4
    values = np.where(seen, values, 0.0)
    turned = completion.regress(values[:, ::-1], seen[:, ::-1])[:, ::-1]
    np.testing.assert_allclose(turned, completion.regress(values, seen), rtol=1e-8)


@pytest.mark.skipif(not DATA.is_dir(), reason="the public tables are not here")
def test_half_of_each_models_scores_are_predicted_on_a_real_sparse_table() -> None:
    table = pd.read_csv(DATA / "llm_benchpress_83x49.csv", index_col=0)
    rng = np.random.default_rng(11)
    hidden = np.zeros(table.shape, dtype=bool)
    for row in np.flatnonzero(table.notna().sum(axis=1) >= 8):
        cells = rng.permutation(np.flatnonzero(table.iloc[row].notna()))
        hidden[row, cells[: len(cells) // 2]] = True
    filled = complete(table.mask(hidden)).scores.to_numpy()[hidden]
    truth = table.to_numpy()[hidden]
    kept = np.isfinite(filled) & (truth != 0)
    assert np.isfinite(filled).mean() >= 0.99
    assert np.median(np.abs(filled - truth)[kept]) < 5.5
    assert np.median(np.abs(filled - truth)[kept] / np.abs(truth[kept])) < 0.08
