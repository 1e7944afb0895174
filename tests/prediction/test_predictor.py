from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut

import eevee
from eevee.prediction import meta_model as metamodel
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.stats import jackknife
from eevee.stats.jackknife import plus_interval
from tests.conftest import made_table
from tests.scorers.tables import rich_table

FRAMES = ("mean", "lower", "upper", "measured", "mean_in_units")


def _halves(table: eevee.ResultsTable, n_new: int) -> tuple[eevee.ResultsTable, pd.DataFrame]:
    """Training models, and the full rows of the last few."""
    keep = np.arange(table.n_models) < table.n_models - n_new
    return table.take_models(keep), table.scores[~keep]


def _assert_same(
    one: eevee.prediction.Prediction, other: eevee.prediction.Prediction, rtol: float = 0.0
) -> None:
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name), rtol=rtol, atol=0.0)


@pytest.fixture(scope="module")
def split() -> tuple[eevee.ResultsTable, pd.DataFrame]:
    return _halves(made_table(40, 8, seed=3), 5)


@pytest.fixture(scope="module")
def predictor(split: tuple[eevee.ResultsTable, pd.DataFrame]) -> eevee.Predictor:
    return eevee.fit_predictor(split[0], ["b00", "b03"], scorer="ridge")


def test_jackknife_plus_is_that_of_a_loop_over_scikit_learn(
    split: tuple[eevee.ResultsTable, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Point, columns and mean, with a fixed alpha; standardised by hand in every fit."""
    monkeypatch.setattr(metamodel, "RidgeScorer", lambda *a, **k: RidgeScorer(*a, **k, alpha=3.0))
    table, new = split
    found = eevee.fit_predictor(table, ["b00", "b03"], scorer="ridge").predict(new[["b00", "b03"]])

    scores, units = table.scores.to_numpy(), table.units.to_numpy()
    inputs, others = [0, 3], [1, 2, 4, 5, 6, 7]

    def fit_and_predict(rows: np.ndarray, asked: np.ndarray) -> np.ndarray:
        centre, spread = scores[rows][:, inputs].mean(axis=0), scores[rows][:, inputs].std(axis=0)
        model = Ridge(alpha=3.0).fit((scores[rows][:, inputs] - centre) / spread, scores[rows])
        filled = model.predict((asked[:, inputs] - centre) / spread)
        filled[:, inputs] = asked[:, inputs]
        return filled

    asked = new.to_numpy()
    full = fit_and_predict(np.arange(len(scores)), asked)
    np.testing.assert_allclose(found.mean, full, rtol=1e-9)
    left_out, residuals = [], []
    for rest, (gone,) in LeaveOneOut().split(scores):
        left_out.append(fit_and_predict(rest, asked))
        residuals.append(scores[gone] - fit_and_predict(rest, scores[[gone]])[0])
    within = np.flatnonzero(~new.index.isin(found.outside["model"]))
    assert len(within) >= 3
    for model in within:
        around, size = np.array(left_out)[:, model], np.array(residuals)
        lower, upper = plus_interval(around, size, 0.9)
        np.testing.assert_allclose(found.lower.iloc[model, others], lower[others], rtol=1e-7)
        np.testing.assert_allclose(found.upper.iloc[model, others], upper[others], rtol=1e-7)
        z = (around - scores.mean(axis=0)) / units
        ends = plus_interval(z.mean(axis=1), (size / units).mean(axis=1), 0.9)
        mean = found.mean_in_units.iloc[model]
        np.testing.assert_allclose(mean[["lower", "upper"]], ends, rtol=1e-7)
        expected = ((full[model] - scores.mean(axis=0)) / units).mean()
        np.testing.assert_allclose(mean["predicted"], expected, rtol=1e-9)


@pytest.mark.parametrize("scorer", ["ridge", "mlp"])
@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say_where_models_are_exchangeable(scorer: str) -> None:
    """30 tables from one law; each new model covers 6 columns, which are not independent."""
    rng = np.random.default_rng(0)
    hits, mean_hits = [], []
    for _ in range(30):
        mix, n = rng.normal(size=(2, 8)), 50
        scores = rng.normal(size=(n, 2)) @ mix + 0.4 * rng.standard_t(5, size=(n, 8))
        frame = pd.DataFrame(scores, columns=[f"b{i}" for i in range(8)]).rename(index=str)
        table, new = _halves(eevee.ResultsTable.from_scores(frame), 20)
        fitted = eevee.fit_predictor(table, ["b0", "b1"], scorer=scorer, epochs=20, n_init=2)
        found = fitted.predict(new[["b0", "b1"]])
        inside = (found.lower <= new) & (new <= found.upper)
        hits.append(inside.iloc[:, 2:].to_numpy().mean())
        truth = ((new - table.scores.mean()) / table.units).mean(axis=1)
        ends = found.mean_in_units
        mean_hits.append(((ends["lower"] <= truth) & (truth <= ends["upper"])).mean())
    for rates in (hits, mean_hits):  # tables are independent: their spread gives the error
        error = np.std(rates, ddof=1) / np.sqrt(len(rates))
        assert abs(np.mean(rates) - 0.9) < 3 * error + 0.01
        assert error < 0.02


def test_what_was_measured_passes_through_with_zero_width(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    new = split[1][["b00", "b03", "b05"]].copy()
    new.loc["m36", "b05"] = np.nan
    found = predictor.predict(new)
    for column in new:
        seen = new[column].notna()
        assert (found.measured[column] == seen).all()
        for frame in (found.mean, found.lower, found.upper):
            assert (frame.loc[seen, column] == new.loc[seen, column]).all()
    assert found.lower.loc["m36", "b05"] < found.upper.loc["m36", "b05"]


def test_a_measured_column_that_is_no_input_changes_its_own_cell_and_the_mean_alone(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    new = split[1]
    plain, more = (
        predictor.predict(new[names]) for names in (["b00", "b03"], ["b00", "b03", "b05"])
    )
    others = [name for name in plain.mean if name != "b05"]
    for name in ("mean", "lower", "upper"):
        pd.testing.assert_frame_equal(getattr(plain, name)[others], getattr(more, name)[others])
    learned = (new["b05"] - plain.mean["b05"]) / split[0].units["b05"] / len(plain.mean.columns)
    moved = more.mean_in_units["predicted"] - plain.mean_in_units["predicted"]
    np.testing.assert_allclose(moved, learned, rtol=1e-9)


def test_a_fully_measured_model_has_its_mean_score_with_zero_width(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    table, new = split
    found = predictor.predict(new)
    truth = ((new - table.scores.mean()) / table.units).mean(axis=1)
    for end in ("predicted", "lower", "upper"):
        np.testing.assert_allclose(found.mean_in_units[end], truth, rtol=1e-12)


@pytest.mark.parametrize("scorer", ["ridge", "mlp"])
def test_without_a_missing_benchmark_it_is_a_fit_on_the_rest(
    split: tuple[eevee.ResultsTable, pd.DataFrame], scorer: str
) -> None:
    table, new = split
    options = {"scorer": scorer, "epochs": 20, "n_init": 2}
    three = eevee.fit_predictor(table, ["b00", "b03", "b06"], **options)
    two = eevee.fit_predictor(table, ["b00", "b03"], **options)
    lacking = three.predict(new[["b00", "b03"]])
    _assert_same(lacking, two.predict(new[["b00", "b03"]]))
    assert lacking.inputs == dict.fromkeys(new.index, ("b00", "b03"))
    assert lacking.warnings[0] == "m35: predicted without b06, which it lacks"


def test_models_that_lack_different_benchmarks_are_predicted_as_if_alone(
    split: tuple[eevee.ResultsTable, pd.DataFrame],
) -> None:
    table, new = split
    fitted = eevee.fit_predictor(table, ["b00", "b03", "b06"], scorer="ridge")
    some = new[["b00", "b03", "b06"]].copy()
    some.loc["m35", "b00"] = some.loc["m38", "b00"] = some.loc["m37", "b06"] = np.nan
    together = fitted.predict(some)
    for model in some.index:
        alone = fitted.predict(some.loc[[model]])
        for name in FRAMES:
            pd.testing.assert_frame_equal(
                getattr(together, name).loc[[model]], getattr(alone, name), rtol=1e-12
            )


def test_a_benchmark_counts_only_with_all_of_its_columns() -> None:
    table, new = _halves(rich_table(24, missing=0.0), 2)
    fitted = eevee.fit_predictor(table, ["ant", "bee"], scorer="ridge")
    found = fitted.predict(new[["ant.m0", "bee.m0", "bee.m1"]])
    assert set(found.inputs.values()) == {("ant",)}
    assert found.measured[["bee.m0", "bee.m1"]].all(axis=None)
    assert not found.measured["bee.m2"].any()


def test_directions_only_turn_the_mean_score() -> None:
    table, new = _halves(made_table(30, 6, seed=5), 3)
    turned_columns = table.columns.assign(direction=["lower", "higher"] * 3)
    turned = replace(table, columns=turned_columns)
    one, other = (
        eevee.fit_predictor(t, ["b00", "b01"], scorer="ridge").predict(new[["b00", "b01"]])
        for t in (table, turned)
    )
    outside = {*one.outside["model"], *other.outside["model"]}
    within = [name for name in new.index if name not in outside]
    assert within
    for name in ("mean", "lower", "upper"):
        pd.testing.assert_frame_equal(
            getattr(one, name).loc[within], getattr(other, name).loc[within], rtol=1e-9
        )
    sign = np.array([-1, 1] * 3)
    truth = (sign * (other.mean - table.scores.mean()) / table.units).mean(axis=1)
    np.testing.assert_allclose(other.mean_in_units["predicted"], truth, rtol=1e-9)


def test_proxies_are_inputs_and_are_never_predicted() -> None:
    table, new = _halves(rich_table(24, missing=0.0), 2)
    found = eevee.fit_predictor(table, ["cat"], scorer="ridge").predict(new[["cat.m0", "cat.m1"]])
    assert list(found.mean.columns) == list(table.columns.index[table.is_target])
    assert found.mean.notna().all(axis=None)


def test_too_few_training_models_give_a_prediction_without_an_interval_and_say_why() -> None:
    table, new = _halves(made_table(10, 5, seed=2), 2)
    fitted = eevee.fit_predictor(table, ["b00"], scorer="ridge")
    found = fitted.predict(new[["b00"]])
    assert found.mean.notna().all(axis=None)
    predicted = ["b01", "b02", "b03", "b04"]
    assert found.lower[predicted].isna().all(axis=None)
    assert found.mean_in_units["upper"].isna().all()
    assert "needs 9 training models with a score there, there are 8" in found.no_interval["b01"]
    assert "mean score" in found.no_interval
    lower_level = fitted.predict(new[["b00"]], level=0.8)
    assert lower_level.lower.loc["m08"].notna().all()
    assert lower_level.no_interval == {}
    assert lower_level.outside["model"].tolist() == ["m09"]
    assert lower_level.lower.loc["m09", predicted].isna().all()
    assert lower_level.warnings[-1].startswith(
        "m09: by its mean score (predicted where not measured) stronger than all"
    )
    assert "no interval, for only 3 of them could be held out" in lower_level.warnings[-1]


def test_gaps_among_training_models_count_against_their_column_alone() -> None:
    table, new = _halves(made_table(20, 5, seed=2), 2)
    scores = table.scores.copy()
    scores.iloc[:10, 3] = np.nan
    found = eevee.fit_predictor(replace(table, scores=scores), ["b00"], scorer="ridge").predict(
        new[["b00"]]
    )
    assert list(found.no_interval) == ["b03", "mean score"]
    assert found.lower["b03"].isna().all()
    assert found.upper[["b01", "b02", "b04"]].notna().all(axis=None)


def test_an_interval_holds_its_own_prediction(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    found = predictor.predict(split[1][["b00"]], level=0.5)
    assert ((found.lower <= found.mean) & (found.mean <= found.upper)).all(axis=None)


def test_beyond_200_models_it_leaves_out_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    table, new = _halves(made_table(60, 6, seed=4), 3)
    fitted = eevee.fit_predictor(table, ["b00", "b01"], scorer="ridge")
    alone = fitted.predict(new[["b00", "b01"]])
    monkeypatch.setattr(jackknife, "LEAVE_ONE_OUT", 20)
    folds = jackknife.folds_of(np.arange(57), 0)
    assert folds.max() == 9
    found = replace(fitted).predict(new[["b00", "b01"]])
    pd.testing.assert_frame_equal(found.mean, alone.mean)
    ratio = (found.upper - found.lower) / (alone.upper - alone.lower)
    assert (found.lower != alone.lower).iloc[:, 2:].any(axis=None)
    assert 0.8 < np.nanmedian(ratio.to_numpy()) < 1.25


@pytest.mark.slow
def test_auto_takes_the_lower_cross_validated_loss() -> None:
    linear = made_table(40, 8, seed=3)
    skill = np.random.default_rng(0).normal(size=(60, 1))
    bent = pd.DataFrame(np.hstack([skill, np.abs(skill) + 0.0 * skill, skill**2, -np.abs(skill)]))
    bent = bent.set_axis(list("abcd"), axis=1).rename(index=str)
    curved = eevee.ResultsTable.from_scores(bent)
    names = []
    for table, inputs in ((linear, ["b00", "b03"]), (curved, ["a"])):
        chosen = eevee.fit_predictor(table, inputs, n_init=2).model
        assert chosen.losses[chosen.name] == min(chosen.losses.values())
        names.append(chosen.name)
    assert names == ["ridge", "mlp"]


def test_inputs_beyond_the_training_models_are_listed(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    table, new = split
    inputs = new[["b00", "b03"]].copy()
    highest, unit = table.scores["b03"].max(), table.units["b03"]
    inputs["b00"] = table.scores["b00"].mean()
    inputs["b03"] = [highest + share * unit for share in (-1.0, 0.0, 0.2, 0.3, 2.0)]
    found = predictor.predict(inputs)
    assert found.out_of_range["model"].tolist() == ["m38", "m39"]
    assert set(found.out_of_range["benchmark"]) == {"b03"}
    said = [text.split(":")[0] for text in found.warnings if "outside of what the training" in text]
    assert said[:2] == ["m38", "m39"]


@pytest.mark.filterwarnings("error")
def test_nothing_is_beyond_a_column_that_no_training_model_has() -> None:
    table, new = _halves(made_table(20, 5, seed=2), 2)
    scores = table.scores.copy()
    scores["b03"] = np.nan
    new = new[["b00", "b03"]].assign(b03=1e6)
    found = eevee.fit_predictor(replace(table, scores=scores), ["b00"], scorer="ridge").predict(new)
    assert "b03" not in set(found.out_of_range["column"])
    assert (found.mean["b03"] == 1e6).all()


def test_unknown_columns_are_ignored_with_a_warning(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    new = split[1][["b00", "b03"]]
    found = predictor.predict(new.assign(zzz=1.0))
    _assert_same(found, predictor.predict(new))
    plain = predictor.predict(new).warnings
    assert found.warnings == ("not in the training table, ignored: zzz", *plain)


def test_a_training_model_is_predicted_with_a_warning(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    found = predictor.predict(split[0].scores.loc[["m01"], ["b00", "b03"]])
    assert found.warnings[0].startswith("also among the training models: m01")


def _twice(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda new: new[["b05"]], "model 'm35' has a score on none of b00, b03"),
        (lambda new: new[:0], "there is no model"),
        (_twice, "model 'm35' appears twice"),
        (lambda new: new[["b00", "b00"]], "column 'b00' appears twice"),
        (lambda new: new.assign(b03=np.inf), "infinite score in 'b03'"),
        (lambda new: new.assign(b03="good"), "column 'b03' holds something that is no number"),
    ],
)
def test_bad_new_scores_are_refused(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor, change, message
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        predictor.predict(change(split[1]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmarks": ["b99"]}, "no benchmark 'b99'"),
        ({"benchmarks": []}, "at least one benchmark"),
        ({"scorer": "factor"}, "scorer must be one of mlp, ridge and auto"),
        ({"epochs": 0}, "epochs must be"),
        ({"n_init": 0}, "n_init must be at least 1"),
        ({"seed": -1}, "seed must not be negative"),
        ({"table": made_table(3, 4)}, "3 training models are too few"),
    ],
)
def test_bad_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.fit_predictor(**{"table": made_table(), "benchmarks": ["b00"]} | options)


def test_a_level_out_of_range_is_refused(
    split: tuple[eevee.ResultsTable, pd.DataFrame], predictor: eevee.Predictor
) -> None:
    with pytest.raises(eevee.EeveeError, match="level must lie"):
        predictor.predict(split[1], level=90)
