from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.base.errors import EeveeError
from eevee.completion.complete import Completion, impute
from eevee.completion.filling import folds

DATA = Path(__file__).parents[2].parent / "shared" / "data"


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


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 99), missing=st.floats(0.05, 0.9))
@pytest.mark.slow
def test_measured_cells_stay_and_all_others_are_predicted(seed: int, missing: float) -> None:
    shown = with_gaps(made_scores(seed, 15), missing, seed)
    filled = impute(shown)
    measured = shown.notna()
    pd.testing.assert_frame_equal(filled.scores.where(measured), shown)
    pd.testing.assert_frame_equal(filled.predicted, ~measured & measured.any())
    assert filled.scores.notna().equals(measured | filled.predicted)
    _check_ends(filled, shown, measured)


def _check_ends(filled: Completion, shown: pd.DataFrame, measured: pd.DataFrame) -> None:
    """Ends enclose the prediction, stay in the range and are the score where it is measured."""
    for end in (filled.lower, filled.upper):
        pd.testing.assert_frame_equal(end.where(measured), shown)
    lower, upper, scores = (
        frame.to_numpy() for frame in (filled.lower, filled.upper, filled.scores)
    )
    given = np.isfinite(lower)
    assert (given == np.isfinite(upper)).all()
    assert (lower[given] <= scores[given]).all()
    assert (scores[given] <= upper[given]).all()
    assert np.nanmin(lower[:, :10]) >= 0
    assert np.nanmax(upper[:, :6], initial=0) <= 100
    assert np.nanmax(upper[:, 6:10], initial=0) <= 1


@pytest.mark.parametrize("missing", [0.3, 0.8])
def test_percentages_stay_between_their_ends(missing: float) -> None:
    scores = made_scores(1)
    scores.iloc[:3, :6] = 100.0
    scores.iloc[3:6, 6:10] = 0.0
    filled = impute(with_gaps(scores, missing)).scores.to_numpy()
    assert filled.min() >= 0
    assert filled[:, :6].max() <= 100
    assert filled[:, 6:10].max() <= 1
    assert filled[:, 10:].max() > 1000


def test_gaps_are_filled_far_better_than_by_column_means() -> None:
    scores = made_scores(2, 60)
    shown = with_gaps(scores, 0.5)
    filled = impute(shown)
    guesses = {"blend": filled.scores, "mean": shown.fillna(shown.mean())}
    error = {
        name: float((((guess - scores) / scores.std()) ** 2).where(filled.predicted).mean().mean())
        for name, guess in guesses.items()
    }
    assert error["blend"] < 0.2 * error["mean"]


def test_logits_and_a_low_rank_are_found_where_the_table_is_made_of_them() -> None:
    filled = impute(with_gaps(made_scores(0, 60, noise=0.05).iloc[:, :10], 0.4))
    assert filled.logit
    assert filled.rank >= 1


@pytest.mark.slow
def test_a_table_and_its_frame_are_filled_alike_and_every_time_alike() -> None:
    shown = with_gaps(made_scores(), 0.5)
    one = impute(shown, seed=3)
    for other in (
        impute(shown, seed=3),
        impute(eevee.ResultsTable.from_scores(shown), seed=3),
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
@pytest.mark.slow
def test_columns_that_are_negated_with_their_direction_get_negated_predictions(first: int) -> None:
    shown = with_gaps(made_scores(), 0.5).rename(columns={"b00": "seconds", "b01": "err"})
    lower = shown.columns.isin(["seconds", "err"])
    turned = np.arange(12) % 2 == first
    sign = np.where(turned, -1.0, 1.0)
    one = impute(directed(shown, lower))
    other = impute(directed(shown * sign, lower ^ turned))
    assert (one.logit, one.rank, one.penalty) == (other.logit, other.rank, other.penalty)
    pd.testing.assert_frame_equal(one.scores, other.scores * sign, check_exact=True)


@pytest.mark.slow
def test_directions_let_lower_is_better_columns_help() -> None:
    scores = made_scores(4, 60)
    scores.iloc[:, :6] = 100 - scores.iloc[:, :6]
    scores = scores.rename(columns=lambda name: f"{name} rate")
    shown = with_gaps(scores, 0.7)
    error = {}
    for name, table in (("told", directed(shown, np.arange(12) < 6)), ("bare", shown)):
        filled = impute(table)
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
    largest = impute(table).scores[name].max()
    assert (largest <= 100) if held else (largest > 105)


def test_a_full_table_comes_back_as_it_was() -> None:
    scores = made_scores()
    filled = impute(scores)
    pd.testing.assert_frame_equal(filled.scores, scores)
    assert not filled.predicted.to_numpy().any()


def test_odd_columns_and_models_are_filled_as_well_as_can_be() -> None:
    shown = with_gaps(made_scores(), 0.3)
    shown["empty"] = np.nan
    shown["lonely"] = np.where(np.arange(len(shown)) == 5, 30.0, np.nan)
    shown["constant"] = np.where(np.arange(len(shown)) < 20, 70.0, np.nan)
    shown.iloc[0] = np.nan
    filled = impute(shown)
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
    impute(shown)
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
        impute(scores)


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_bad_seed_is_named(seed: Any) -> None:
    with pytest.raises(EeveeError, match="seed"):
        impute(made_scores(), seed=seed)


def test_folds_share_out_every_measured_cell_once_and_each_models_evenly() -> None:
    seen = np.random.default_rng(0).random((20, 12)) < 0.6
    dealt = list(folds(seen, np.random.default_rng(1)))
    np.testing.assert_array_equal(sum(fold.astype(int) for fold in dealt), seen.astype(int))
    counts = np.array([fold.sum(axis=1) for fold in dealt])
    assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 1


@pytest.mark.skipif(not DATA.is_dir(), reason="the public tables are not here")
@pytest.mark.slow
def test_half_of_each_models_scores_are_predicted_on_a_real_sparse_table() -> None:
    table = pd.read_csv(DATA / "llm_benchpress_83x49.csv", index_col=0)
    rng = np.random.default_rng(11)
    hidden = np.zeros(table.shape, dtype=bool)
    for row in np.flatnonzero(table.notna().sum(axis=1) >= 8):
        cells = rng.permutation(np.flatnonzero(table.iloc[row].notna()))
        hidden[row, cells[: len(cells) // 2]] = True
    filled = impute(table.mask(hidden)).scores.to_numpy()[hidden]
    truth = table.to_numpy()[hidden]
    kept = np.isfinite(filled) & (truth != 0)
    assert np.isfinite(filled).mean() >= 0.99
    assert np.median(np.abs(filled - truth)[kept]) < 5.5
    assert np.median(np.abs(filled - truth)[kept] / np.abs(truth[kept])) < 0.08


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("missing", [0.3, 0.7])
@pytest.mark.slow
def test_intervals_cover_hidden_truth_about_as_often_as_they_say(
    level: float, missing: float
) -> None:
    inside, widths = [], []
    for seed in range(3):
        truth = made_scores(seed, 60, noise=0.4)
        filled = impute(with_gaps(truth, missing, seed), level=level)
        asked = filled.predicted.to_numpy() & filled.lower.notna().to_numpy()
        covered = (filled.lower <= truth) & (truth <= filled.upper)
        inside.append(covered.to_numpy()[asked])
        widths.append(((filled.upper - filled.lower) / truth.std()).to_numpy()[asked])
    assert level - 0.05 <= np.concatenate(inside).mean() <= level + 0.08
    assert np.median(np.concatenate(widths)) < 2.0


def test_models_with_few_scores_have_wider_intervals_that_still_cover() -> None:
    truth = made_scores(0, 150, noise=0.4)
    shown = with_gaps(truth, 0.3)
    few = np.arange(150) < 40
    shown.iloc[few, 2:] = np.nan
    shown = shown[shown.notna().any(axis=1)]
    filled = impute(shown)
    few = few[: len(truth)][truth.index.isin(shown.index)]
    asked = filled.predicted.to_numpy()
    truth = truth.loc[shown.index]
    covered = ((filled.lower <= truth) & (truth <= filled.upper)).to_numpy()
    width = ((filled.upper - filled.lower) / truth.std()).to_numpy()
    assert 0.83 <= covered[few][asked[few]].mean() <= 0.97
    assert np.median(width[few][asked[few]]) > 1.2 * np.median(width[~few][asked[~few]])


def test_a_score_at_the_end_of_a_percentage_can_be_covered() -> None:
    scores = made_scores(0, 60)
    scores.iloc[:20, :10] = [100.0] * 6 + [1.0] * 4
    shown = with_gaps(scores, 0.3)
    filled = impute(shown)
    top = filled.predicted.to_numpy() & (np.arange(60) < 20)[:, None] & (np.arange(12) < 10)
    assert filled.logit
    assert (filled.upper == scores).to_numpy()[top].mean() > 0.8


def test_every_filled_cell_has_its_basis() -> None:
    shown = with_gaps(made_scores(), 0.6)
    filled = impute(shown)
    basis = filled.basis
    rows, columns = np.nonzero(filled.predicted)
    assert basis["model"].tolist() == shown.index[rows].tolist()
    assert basis["column"].tolist() == shown.columns[columns].tolist()
    for name, frame in (("predicted", filled.scores), ("lower", filled.lower)):
        np.testing.assert_array_equal(basis[name], frame.to_numpy()[rows, columns])
    for cell in basis.itertuples():
        assert cell.n_scores == shown.loc[cell.model].notna().sum()
        assert cell.n_models == shown[cell.column].notna().sum()
        assert shown.loc[cell.model, [name for name, _ in cell.rests_on]].notna().all()
        assert cell.column not in dict(cell.rests_on)
        if cell.rests_on:
            assert sum(share for _, share in cell.rests_on) == pytest.approx(1)
        assert (cell.why == "") == np.isfinite(cell.lower)


def test_cells_with_too_little_to_rest_on_have_no_interval_and_say_why() -> None:
    shown = with_gaps(made_scores(), 0.3)
    shown["lonely"] = np.where(np.arange(len(shown)) == 5, 30.0, np.nan)
    shown["two"] = np.where(np.arange(len(shown)) < 2, [30.0, 40.0] * 20, np.nan)
    shown.iloc[0] = np.nan
    basis = impute(shown).basis.set_index(["model", "column"])
    assert basis.loc[("m03", "lonely"), "why"] == "only 1 score in the column, 3 are needed"
    assert basis.loc[("m03", "two"), "why"] == "only 1 score in the column, 3 are needed"
    assert (basis.loc["m00", "why"] == "the model has no score").all()
    rest = basis.drop(index="m00").drop(index=["lonely", "two"], level=1)
    assert (rest["why"] == "").all()
    assert basis["lower"].isna().equals(basis["why"] != "")
    tiny = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, np.nan, 3.0]})
    (why,) = impute(tiny).basis["why"]
    assert why.startswith("too few scores in the table to hide some: 90 % need 9")


@pytest.mark.slow
def test_negated_columns_get_negated_ends() -> None:
    shown = with_gaps(made_scores(), 0.5)
    lower = np.arange(12) % 2 == 0
    sign = np.where(lower, -1.0, 1.0)
    one = impute(directed(shown, np.zeros(12, bool)))
    other = impute(directed(shown * sign, lower))
    for end, far in (
        (one.lower, (other.lower, other.upper)),
        (one.upper, (other.upper, other.lower)),
    ):
        turned = np.where(lower, -far[1], far[0])
        np.testing.assert_array_equal(end, turned)


@pytest.mark.parametrize("level", [0.4, 1.0])
def test_a_bad_level_is_named(level: float) -> None:
    with pytest.raises(EeveeError, match="level"):
        impute(made_scores(), level=level)


def test_the_completed_table_is_written_with_measured_scores_in_full(tmp_path: Path) -> None:
    shown = with_gaps(made_scores(), 0.5)
    filled = impute(shown)
    filled.write_csv(tmp_path / "completed.csv")
    read = pd.read_csv(tmp_path / "completed.csv", index_col="model")
    measured = shown.notna()
    pd.testing.assert_frame_equal(read.where(measured), shown, check_exact=True, check_names=False)
    pd.testing.assert_frame_equal(read, filled.scores, rtol=1e-5, check_names=False)


@pytest.mark.skipif(not DATA.is_dir(), reason="the public tables are not here")
@pytest.mark.slow
def test_intervals_cover_hidden_scores_of_a_real_sparse_table() -> None:
    table = pd.read_csv(DATA / "llm_crowdsource_cpp.csv", index_col=0)
    hidden = table.notna().to_numpy() & (np.random.default_rng(12).random(table.shape) < 0.2)
    filled = impute(table.mask(hidden))
    asked = hidden & filled.lower.notna().to_numpy()
    covered = ((filled.lower <= table) & (table <= filled.upper)).to_numpy()
    assert 0.84 <= covered[asked].mean() <= 0.96
