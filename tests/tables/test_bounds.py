from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eevee
from eevee.analysis.describe import bounds_sentence, describe
from eevee.prediction.prediction import mean_bounds
from eevee.tables.bounds import Bounds, bounds_in_words, column_bounds, parse_bounds


def _steep(direction: str = "higher", name: str = "acc") -> tuple[eevee.ResultsTable, pd.DataFrame]:
    """Percentages near one end, falling or rising steeply with what is measured of a new model."""
    skill = np.linspace(0, 1, 24)
    noise = np.random.default_rng(0).normal(size=(24, 3))
    frame = pd.DataFrame(
        {"input": 10 + 20 * skill, name: 55 + 40 * skill, "other": 60 + 30 * skill}
    ).rename(index=str)
    frame += 0.5 * noise
    table = eevee.ResultsTable.from_scores(frame)
    columns = table.columns.assign(direction=["higher", direction, "higher"])
    new = pd.DataFrame({"input": [39.0, 60.0, 1.0]}, index=["better", "far", "worse"])
    return replace(table, columns=columns), new


@pytest.mark.parametrize("scorer", ["ridge", "mlp"])
def test_predictions_and_ends_of_percentages_stay_between_0_and_100(scorer: str) -> None:
    table, new = _steep()
    fitted = eevee.fit_predictor(table, ["input"], scorer=scorer, epochs=150, n_init=2)
    found = fitted.predict(new)
    for ends in (found.mean, found.lower, found.upper):
        predicted = ends.drop(columns="input")
        assert ((predicted >= 0) & (predicted <= 100)).all(axis=None)
    assert found.mean_score is not None
    assert ((found.mean_score >= 0) & (found.mean_score <= 100)).all(axis=None)
    assert found.upper.loc["far", "acc"] == 100  # without bounds it would lie above
    wanted = found.mean.mean(axis=1)
    np.testing.assert_allclose(found.mean_score["predicted"], wanted, rtol=1e-9)


def test_seconds_are_not_held_below_100_and_error_rates_are() -> None:
    for name, held in (("seconds", False), ("error rate", True)):
        table, new = _steep("lower", name)
        found = eevee.fit_predictor(table, ["input"], scorer="ridge").predict(new)
        assert (found.mean.loc["far", name] <= 100) == held


def test_predict_and_complete_have_the_same_bounds() -> None:
    """What `complete` clips in a table with gaps, `predict` clips for a new model."""
    table, new = _steep()
    stacked = pd.concat([table.scores, new.reindex(columns=table.scores.columns)])
    filled = eevee.impute(stacked).scores.loc["far"]
    found = eevee.fit_predictor(table, ["input"], scorer="ridge").predict(new).mean.loc["far"]
    assert filled["acc"] <= 100
    assert found["acc"] == 100


@pytest.mark.parametrize(
    ("name", "scores", "ends"),
    [
        ("acc", [0.2, 1.0], (0, 1)),
        ("acc", [0.2, 1.5], (0, 100)),
        ("acc", [0.2, 100.5], (-np.inf, np.inf)),
        ("acc", [-0.2, 0.5], (-np.inf, np.inf)),
        ("rouge", [np.nan, 44.0], (0, 100)),
        ("loss", [0.2, 0.5], (-np.inf, np.inf)),
        ("top1_err", [12.0, 44.0], (0, 100)),
        ("negative error rate", [-12.0, -44.0], (-100, 0)),
        ("elo", [-12.0, -44.0], (-np.inf, np.inf)),
        ("nothing", [np.nan, np.nan], (-np.inf, np.inf)),
        ("tokens_per_second", [12.0, 44.0], (-np.inf, np.inf)),
        ("Chatbot Arena Elo", [12.0, 44.0], (-np.inf, np.inf)),
        ("speedup rate", [12.0, 44.0], (0, 100)),
        ("word_sorting", [12.0, 44.0], (0, 100)),
    ],
)
def test_bounds_follow_from_scores_and_names(name: str, scores: list[float], ends) -> None:
    found = column_bounds(pd.DataFrame({name: scores}))
    assert (found.low[0], found.high[0]) == ends


@given(st.lists(st.tuples(st.sampled_from([1.0, 100.0]), st.floats(-3, 3)), min_size=1, max_size=5))
def test_bounds_of_a_mean_are_its_least_and_largest_over_all_corners(columns) -> None:
    highs, weights = np.array(columns).T
    corners = np.stack(np.meshgrid(*([0, high] for high in highs)), axis=-1).reshape(-1, len(highs))
    low, high = mean_bounds(Bounds(np.zeros(len(highs)), highs), weights)
    sums = corners @ weights
    np.testing.assert_allclose([low, high], [sums.min(), sums.max()], rtol=1e-9, atol=1e-9)


def test_bounds_of_a_benchmarks_file_hold_and_outlive_saving(tmp_path: Path) -> None:
    """A percentage that ends at 97.5, scores that are none: given bounds replace the guess."""
    full, new = _steep()
    facts = pd.DataFrame({"benchmark": ["acc", "other"], "bounds": ["0 to 97.5 %", "none"]})
    table = eevee.read_table(full.scores.rename(index="m{}".format), benchmarks=facts)
    assert table.columns["bounds"].tolist() == ["guessed", "0 to 97.5", "none"]
    fitted = eevee.fit_predictor(table, ["input"], scorer="ridge")
    fitted.save(tmp_path / "p.npz")
    for predictor in (fitted, eevee.Predictor.load(tmp_path / "p.npz")):
        found = predictor.predict(new)
        assert found.upper.loc["far", "acc"] == 97.5
        assert found.upper.loc["far", "other"] > 100
        assert any("held at the bounds of" in said and "acc (" in said for said in found.warnings)
    assert bounds_sentence(describe(table)) == (
        "predictions lie within (guessed): 0 to 100 in 1 column; "
        "(given): 0 to 97.5 in 1 column; none in other"
    )


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("0 to 50", "row 1, column 'bounds': 'm1' has 60 in 'acc', outside '0 to 50'; correct one"),
        ("up to 100", "'up to 100' are no bounds; write such as '0 to 100', or 'none'"),
        ("100-0", "'100-0' are no bounds"),
    ],
)
def test_bounds_that_cannot_be_are_refused(cell: str, why: str) -> None:
    frame = pd.DataFrame({"model": ["m0", "m1", "m2"], "acc": [40, 60, 50], "b": [1, 2, 3]})
    with pytest.raises(eevee.EeveeError, match=re.escape(why)):
        eevee.read_table(frame, benchmarks=pd.DataFrame({"benchmark": ["acc"], "bounds": [cell]}))


@given(
    st.floats(-1e6, 1e6, allow_nan=False),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.sampled_from(["{} to {}", "{:.17g} - {:.17g}", "[{:f}, {:f}]", "{:f}..{:f}%"]),
)
def test_what_is_written_as_bounds_is_read(low: float, high: float, shape: str) -> None:
    if float(f"{low:f}") < float(f"{high:f}") and "e" not in shape.format(low, high):
        ends = parse_bounds(shape.format(low, high), "")
        np.testing.assert_allclose(ends, (low, high), atol=1e-6)
        assert parse_bounds(bounds_in_words(*ends), "") == ends
