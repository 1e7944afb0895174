"""Models outside of what the training models show, and groups that are left out together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import LedoitWolf
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

import eevee
from eevee.prediction import meta_model as metamodel
from eevee.prediction.distance import Cloud, left_out_distances
from eevee.prediction.frontier import Frontier, Place, frontiers
from eevee.prediction.meta_model import MetaModel
from eevee.prediction.prediction import said_of
from eevee.prediction.refits import refit
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.stats.jackknife import plus_interval
from tests.conftest import made_table

TRUST = Path(__file__).parents[3] / "shared" / "cases" / "trust"
RIDGE = MetaModel("ridge", None, None, 0)


def _ordered(table: eevee.ResultsTable) -> list[str]:
    """Models from the strongest to the weakest."""
    z = (table.scores - table.scores.mean()) / table.units
    return list(z.mean(axis=1).sort_values(ascending=False).index)


def _parted(table: eevee.ResultsTable, top: float) -> tuple[eevee.ResultsTable, pd.DataFrame]:
    best = _ordered(table)[: round(top * table.n_models)]
    held = table.scores.index.isin(best)
    return table.take_models(~held), table.scores[held]


def _curved(seed: int, n: int = 60) -> eevee.ResultsTable:
    """One factor; the columns that are no input rise ever more steeply with it."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=(n, 1))
    steep = rng.uniform(0.2, 0.5, size=(1, 6))
    scores = np.hstack([np.repeat(skill, 2, axis=1), np.exp(steep * skill) / steep - 3])
    scores += 0.15 * rng.normal(size=scores.shape)
    names = [f"b{i}" for i in range(8)]
    return eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=names).rename(index=str))


def _coverage(found: eevee.prediction.Prediction, truth: pd.DataFrame) -> tuple[float, float]:
    inside = (found.lower <= truth) & (truth <= found.upper)
    return float(inside.to_numpy()[~found.measured.to_numpy()].mean()), len(truth)


def test_the_top_fifth_of_a_curved_relation_is_covered_and_was_not_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates = []
    for seed in range(2):
        training, new = _parted(_curved(seed), 0.2)
        fitted = eevee.fit_predictor(training, ["b0", "b1"], scorer="ridge")
        found = fitted.predict(new[["b0", "b1"]])
        with monkeypatch.context() as patch:
            patch.setattr(Frontier, "place", lambda *_: Place("above", 1.0, 0.0, 1.0, 0.0))
            before = fitted.predict(new[["b0", "b1"]])
        rates.append((_coverage(found, new)[0], _coverage(before, new)[0]))
        assert set(found.outside["side"]) == {"above"}
        assert (found.outside["bias"] > 0).all()
        assert "predictions were too pessimistic, by" in found.warnings[-1]
        assert (found.lower <= before.lower + 1e-12).all(axis=None)
        assert (found.upper >= before.upper - 1e-12).all(axis=None)
    now, was = np.mean(rates, axis=0)
    assert now >= 0.85
    assert was < 0.6


def test_models_like_the_training_models_are_rarely_outside_and_else_nothing_widens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = []
    for seed in range(2):
        table = made_table(90, 6, seed=seed)
        training, new = table.take_models(np.arange(90) < 30), table.scores[30:]
        fitted = eevee.fit_predictor(training, ["b00", "b03"], scorer="ridge")
        found = fitted.predict(new[["b00", "b03"]])
        with monkeypatch.context() as patch:
            patch.setattr(Frontier, "place", lambda *_: Place("above", 1.0, 0.0, 1.0, 0.0))
            before = fitted.predict(new[["b00", "b03"]])
        within = ~new.index.isin(found.outside["model"])
        for name in ("lower", "upper"):
            one, other = (getattr(each, name)[within] for each in (found, before))
            pd.testing.assert_frame_equal(one, other)
        shares.append(1 - within.mean())
    assert 0.01 < np.mean(shares) < 0.15  # both sides: below 0.1 but for the luck of the tables


def _ridge(scores: np.ndarray, rows: np.ndarray, asked: np.ndarray, inputs: list[int]):
    centre, spread = scores[rows][:, inputs].mean(axis=0), scores[rows][:, inputs].std(axis=0)
    model = Ridge(alpha=3.0).fit((scores[rows][:, inputs] - centre) / spread, scores[rows])
    return model.predict((asked[:, inputs] - centre) / spread)


@pytest.fixture
def _fixed_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metamodel, "RidgeScorer", lambda *a, **k: RidgeScorer(*a, **k, alpha=3.0))


@pytest.mark.usefixtures("_fixed_alpha")
def test_ends_outside_are_those_of_a_loop_over_scikit_learn() -> None:
    """Standing, scale, held-out ratios, growth and ends by hand, for models far above."""
    table = made_table(40, 6, seed=3)
    scores, units = table.scores.to_numpy(), table.units.to_numpy()
    weights, inputs, asked = 1 / units, [0, 1], [2, 3, 4, 5]
    new = scores[np.argsort(-(scores / units).mean(axis=1))[:2]] + 2 * units
    frame = pd.DataFrame(new[:, inputs], ["x", "y"], table.scores.columns[inputs])
    found = eevee.fit_predictor(table, ["b00", "b01"], scorer="ridge").predict(frame)

    def stand(rows: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        filled = predicted.copy()
        filled[:, inputs] = rows[:, inputs]
        return filled @ weights / 6

    everyone = np.arange(40)
    own = np.stack([_ridge(scores, everyone != i, scores[[i]], inputs)[0] for i in everyone])
    standing, errors = stand(scores, own), ((scores - own) / units)[:, asked]

    def scale(rows: np.ndarray) -> np.ndarray:
        squares = errors[rows] ** 2
        return np.sqrt((squares.sum(axis=0) + 4 * squares.mean()) / (len(squares) + 4))

    def growth(value: np.ndarray, rows: np.ndarray) -> np.ndarray:
        known = standing[rows]
        return 1 + np.maximum(0, (value - known.max()) / known.std())

    z = (scores - scores.mean(axis=0)) / units
    order = np.argsort(-z.mean(axis=1), kind="stable")
    ratios = []
    for count in (2, 4, 6, 8, 10, 12, 14, 16):
        held, rest = order[:count], np.sort(order[count:])
        predicted = _ridge(scores, rest, scores[held], inputs)
        far = growth(stand(scores[held], predicted), rest)[:, None]
        error = ((scores[held] - predicted) / units)[:, asked]
        ratios.append((error / scale(rest) / far).ravel())
    sizes = np.quantile(np.concatenate(ratios), [0.02, 0.98])
    full = _ridge(scores, everyone, new, inputs)
    wide = growth(stand(new, full), everyone)
    assert (wide > 1.2).all()
    for row in range(2):
        around = np.stack([_ridge(scores, everyone != i, new[[row]], inputs)[0] for i in everyone])
        inside = plus_interval(around[:, asked], (scores - own)[:, asked], 0.9)
        outer = full[row, asked] + sizes[:, None] * wide[row] * scale(everyone) * units[asked]
        lower, upper = np.minimum(inside[0], outer[0]), np.maximum(inside[1], outer[1])
        np.testing.assert_allclose(found.lower.iloc[row, asked], lower, rtol=1e-7)
        np.testing.assert_allclose(found.upper.iloc[row, asked], upper, rtol=1e-7)
    assert found.outside["share"].tolist() == pytest.approx([1 / 41] * 2)
    np.testing.assert_allclose(found.outside["growth"], wide, rtol=1e-9)


def test_edges_hold_out_whole_ends_and_never_part_a_group() -> None:
    table = made_table(30, 5, seed=2)
    labels = np.arange(30) // 2
    names = _ordered(table)
    far = np.random.default_rng(0).random(30)
    by_side = {"above": names, "below": names[::-1], "apart": table.scores.index[np.argsort(-far)]}
    for edge in frontiers(table, labels, distances=far):
        held = set(table.scores.index[edge.held])
        ends = by_side[edge.side]
        assert held == set(ends[: len(held)])
        assert not set(labels[edge.held]) & set(labels[edge.fit])
        assert edge.fit.sum() >= 15
    assert {edge.side for edge in frontiers(table, labels, distances=far)} == set(by_side)


def test_nothing_of_held_out_models_reaches_the_fit_that_holds_them_out() -> None:
    table = made_table(30, 5, seed=2)
    new, folds = table.scores.to_numpy()[:2], np.arange(30)
    one = refit(table, new, ("b00",), RIDGE, folds)
    place = list(table.scores.index).index(_ordered(table)[0])
    values = table.scores.copy()
    values.iloc[place, 2:] += 5 * table.units.iloc[2:]
    other = refit(replace(table, scores=values), new, ("b00",), RIDGE, folds)
    above = [i for i, held in enumerate(one.held) if held.edge.side == "above"]
    for i in above:
        assert other.held[i].edge.held[place]
        np.testing.assert_array_equal(one.held[i].predicted, other.held[i].predicted)
    below = next(i for i, held in enumerate(one.held) if held.edge.side == "below")
    assert not np.array_equal(one.held[below].predicted, other.held[below].predicted, True)


def test_turned_scores_get_turned_intervals_and_weak_models_those_of_strong_ones() -> None:
    """Minus the scores, as lower is better: the same standing. As higher is better: mirrored."""
    training, new = _parted(_curved(1), 0.2)
    plain = eevee.fit_predictor(training, ["b0", "b1"], scorer="ridge").predict(new[["b0", "b1"]])
    negated = replace(training, scores=-training.scores)
    lower = replace(negated, columns=training.columns.assign(direction="lower"))
    for table, side in ((lower, "above"), (negated, "below")):
        fitted = eevee.fit_predictor(table, ["b0", "b1"], scorer="ridge")
        found = fitted.predict(-new[["b0", "b1"]])
        assert set(found.outside["side"]) == {side}
        pd.testing.assert_frame_equal(found.lower, -plain.upper, rtol=1e-9)
        pd.testing.assert_frame_equal(found.upper, -plain.lower, rtol=1e-9)
    assert "weaker than" in found.warnings[-1]
    assert "too optimistic, by" in found.warnings[-1]


# --- apart ---------------------------------------------------------------------------------------


def _two_skills(seed: int, n: int, *, opposed: bool = False) -> pd.DataFrame:
    """Two skills that go together, or are opposed; the other columns need them both."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=n)
    second = 0.95 * first + 0.3 * rng.normal(size=n)
    if opposed:
        first, second = 0.9 + 0.3 * first, -0.9 + 0.3 * second
    lower = np.minimum(first, second)[:, None] + 0.1 * rng.normal(size=(n, 4))
    inputs = np.column_stack([first, second]) + 0.1 * rng.normal(size=(n, 2))
    index = [f"{'o' if opposed else 'm'}{i}" for i in range(n)]
    return pd.DataFrame(np.hstack([inputs, lower]), index, [f"b{i}" for i in range(6)])


@pytest.mark.slow
def test_models_high_on_one_input_and_low_on_another_are_apart_and_get_wider_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = eevee.ResultsTable.from_scores(_two_skills(0, 120))
    odd, alike = _two_skills(1, 40, opposed=True), _two_skills(2, 200).add_prefix("n", axis=0)
    fitted = eevee.fit_predictor(table, ["b0", "b1"], scorer="ridge")
    found = fitted.predict(odd[["b0", "b1"]])
    assert (found.outside["side"] == "apart").mean() > 0.9
    assert len(found.outside) > 0.9 * len(odd)
    assert (found.out_of_range["model"].nunique() / len(odd)) < 0.2
    assert "by the combination of its inputs farther from the training" in found.warnings[-1]
    assert len(fitted.predict(alike[["b0", "b1"]]).outside) <= 0.15 * len(alike)
    with monkeypatch.context() as patch:
        patch.setattr(Frontier, "place", lambda *_: Place("above", 1.0, 0.0, 1.0, 0.0))
        before = fitted.predict(odd[["b0", "b1"]])
    rate, was = _coverage(found, odd)[0], _coverage(before, odd)[0]
    assert was < 0.4
    assert rate > was + 0.3


def test_distances_are_those_of_scikit_learn_without_the_model() -> None:
    inputs = _two_skills(3, 20).to_numpy()[:, :3]
    found = left_out_distances(inputs, np.arange(20))
    for i in range(20):
        rest = np.delete(inputs, i, axis=0)
        scaler = StandardScaler().fit(rest)
        shrunk = LedoitWolf(assume_centered=True).fit(scaler.transform(rest))
        squared = shrunk.mahalanobis(scaler.transform(inputs[[i]]))[0]
        assert found[i] == pytest.approx(np.sqrt(squared), rel=1e-6)


def test_a_lacking_input_adds_nothing_to_a_distance_and_a_constant_one_keeps_it_finite() -> None:
    inputs = _two_skills(3, 20).to_numpy()[:, :2].copy()
    inputs[4, 1] = np.nan
    cloud = Cloud.of(np.column_stack([inputs, np.ones(20)]))
    mean = np.nanmean(inputs[:, 1])
    lacking, filled = cloud.distance(np.array([[1.0, np.nan, 1.0], [1.0, mean, 1.0]]))
    assert lacking == pytest.approx(filled)
    assert np.isfinite(cloud.distance(np.array([[0.0, 0.0, 2.0]]))).all()


def test_nested_cells_do_not_count_as_models_that_were_held_out() -> None:
    """14 models on a side are enough for 90 % (9) and too few for 95 % (19)."""
    table = made_table(36, 12, seed=4)
    training, new = _parted(table, 0.05)
    fitted = eevee.fit_predictor(training, ["b00", "b03"], scorer="ridge")
    shown = new[["b00", "b03"]] + 3 * table.units[["b00", "b03"]]
    found, wide = (fitted.predict(shown, level=level) for level in (0.9, 0.95))
    assert set(found.outside["held_out"]) == {14}
    assert found.outside["interval"].all()
    assert found.lower.notna().all(axis=None)
    assert not wide.outside["interval"].any()
    assert wide.lower[["b01", "b02"]].isna().all(axis=None)
    assert "no interval, for only 14 of them" in wide.warnings[-1]
    assert "95 % need 19" in wide.warnings[-1]


def _row(**changed: object) -> pd.DataFrame:
    row: dict[str, object] = {
        "model": "x", "side": "above", "share": 0.01, "weight": 1.0, "growth": 1.0, "passed": 1.0,
        "bias": 0.5, "bias_error": 0.1, "held_out": 20, "interval": True,
    }  # fmt: skip
    return pd.DataFrame([row | changed])


def test_a_model_beyond_all_is_said_to_be_and_a_share_is_never_rounded_up_to_all() -> None:
    assert "stronger than all of the training models" in said_of(_row(), 0.9)[0]
    assert "stronger than 99 % of the training" in said_of(_row(passed=0.998), 0.9)[0]


@pytest.mark.parametrize(
    ("bias", "error", "word"),
    [
        (0.5, 0.1, "too pessimistic, by 0.5 standard"),
        (-0.5, 0.1, "too optimistic, by 0.5 standard"),
        (0.5, 0.3, None),  # within two standard errors
        (0.05, 0.001, None),  # too small to matter
        (float("nan"), float("nan"), None),
    ],
)
def test_a_bias_is_said_only_where_it_is_not_negligible(bias, error, word) -> None:
    (said,) = said_of(_row(bias=bias, bias_error=error), 0.9)
    assert ("too " in said) == (word is not None)
    assert word is None or word in said


def test_a_bias_counts_each_group_once() -> None:
    table = made_table(30, 5, seed=2)
    labels, weights = np.arange(30) // 2, np.full(5, 0.2)
    fits = refit(table, table.scores.to_numpy()[:1], ("b00",), RIDGE, labels, labels)
    edge = Frontier(table, fits.own, fits.held, fits.inputs, weights, labels, fits.distances)
    errors: dict[int, list[float]] = {}
    for one in fits.held:
        if one.edge.side == "above":
            for i in np.flatnonzero(one.edge.held):
                missed = (table.scores.to_numpy()[i] - one.predicted[i])[1:] / table.units[1:]
                errors.setdefault(int(labels[i]), []).extend(missed)
    means = [np.mean(values) for values in errors.values()]
    assert edge.bias["above"].mean == pytest.approx(np.mean(means))
    assert edge.bias["above"].error == pytest.approx(np.std(means, ddof=1) / len(means) ** 0.5)
    held = np.any([one.edge.held for one in fits.held if one.edge.side == "above"], axis=0)
    assert edge.bias["above"].models == held.sum()


# --- groups --------------------------------------------------------------------------------------


def _families(seed: int, n_families: int = 14, size: int = 4) -> eevee.ResultsTable:
    """Families whose members differ little beside what no benchmark tells of another."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(n_families, 7)), size, axis=0)
    scores = centres + 0.4 * rng.normal(size=centres.shape)
    index = [f"m{i:02d}" for i in range(len(scores))]
    frame = pd.DataFrame(scores, index, [f"b{i}" for i in range(7)])
    family = [f"f{i // size}" for i in range(len(scores))]
    return eevee.ResultsTable.from_scores(frame, models=pd.DataFrame({"family": family}, index))


@pytest.mark.usefixtures("_fixed_alpha")
def test_families_are_left_out_as_by_a_loop_over_scikit_learn() -> None:
    table = _families(0)
    scores, labels = table.scores.to_numpy(), np.arange(56) // 4
    fitted = eevee.fit_predictor(table, ["b0", "b1"], scorer="ridge", groups="family")
    assert fitted.groups.tolist() == labels.tolist()
    new = pd.DataFrame({"b0": [0.2], "b1": [-0.3]}, index=["x"])
    found = fitted.predict(new)
    assert found.outside.empty
    assert found.method == "jackknife+ over 56 training models in 14 groups"
    asked = np.concatenate([new.to_numpy(), np.zeros((1, 5))], axis=1)
    around, residuals = np.empty((56, 7)), np.empty((56, 7))
    for label in range(14):
        rest, gone = labels != label, labels == label
        around[gone] = _ridge(scores, rest, asked, [0, 1])
        residuals[gone] = scores[gone] - _ridge(scores, rest, scores[gone], [0, 1])
    # a group counts once: of 14 the outermost one, floor(0.1 * 15), may lie beyond an end
    for column in range(2, 7):
        ends = around[:, column] - np.abs(residuals[:, column])
        values = np.sort(ends)
        masses = np.array([np.sum(ends <= value) / 4 for value in values])
        assert found.lower.iloc[0, column] == pytest.approx(values[masses <= 1.5].max(), rel=1e-9)


def test_families_widen_intervals_to_what_a_new_family_needs() -> None:
    rates = []
    for seed in range(2):
        table = _families(seed, n_families=30)
        known = np.arange(120) < 60
        training, new = table.take_models(known), table.scores[~known]
        rates.append([
            _coverage(
                eevee.fit_predictor(training, ["b0", "b1"], scorer="ridge", groups=groups).predict(
                    new[["b0", "b1"]]
                ),
                new,
            )[0]
            for groups in (None, "family")
        ])  # fmt: skip
    alone, together = np.mean(rates, axis=0)
    assert together >= 0.87
    assert alone < together


@pytest.mark.parametrize("scorer", ["ridge", "mlp"])
def test_twins_are_left_out_together_and_intervals_cover(scorer: str) -> None:
    rng = np.random.default_rng(0)
    skills, mix = rng.normal(size=(64, 3)), rng.normal(size=(3, 8))
    scores = skills @ mix + rng.normal(size=(64, 8))
    twins = np.repeat(scores[:24], 2, axis=0) + 0.01 * rng.normal(size=(48, 8))
    frame = pd.DataFrame(twins, columns=[f"b{i}" for i in range(8)])
    frame.index = [f"m{i // 2}{'ab'[i % 2]}" for i in range(48)]
    new = pd.DataFrame(scores[24:], columns=frame.columns).rename(index=lambda i: f"n{i}")
    table = eevee.ResultsTable.from_scores(frame)
    fitted = eevee.fit_predictor(table, ["b0", "b1"], scorer=scorer, epochs=60, n_init=2)
    found = fitted.predict(new[["b0", "b1"]])
    assert found.warnings[0] == (
        "48 models are nearly equal to another (in 24 groups, such as 'm0a' and 'm0b'); they are "
        "left out together"
    )
    assert _coverage(found, new)[0] >= 0.85


def test_the_scorer_is_chosen_and_epochs_are_measured_on_splits_that_part_no_twins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    draw = metamodel.shuffle_splits

    def drawn(*args, **kwargs):
        seen.append(draw(*args, **kwargs))
        return seen[-1]

    monkeypatch.setattr(metamodel, "shuffle_splits", drawn)
    table = made_table(20, 6)
    copies = (table.scores + 1e-4).rename(index=lambda name: f"{name}b")
    twinned = eevee.ResultsTable.from_scores(pd.concat([table.scores, copies]))
    eevee.fit_predictor(twinned, ["b00"], epochs=2, n_init=1)
    (splits,) = seen
    for side in splits.sides:
        np.testing.assert_array_equal(side[:, :20], side[:, 20:])


def test_a_family_without_which_too_few_are_left_has_no_part_and_the_output_says_so() -> None:
    table = made_table(14, 5)
    groups = ["big"] * 12 + ["x", "y"]
    fitted = eevee.fit_predictor(table, ["b00"], scorer="ridge", groups=groups)
    found = fitted.predict(table.scores.iloc[[3]][["b00"]].rename(index=lambda _: "new"))
    assert found.mean.notna().all(axis=None)
    assert found.lower.drop(columns="b00").isna().all(axis=None)
    assert found.no_interval["b01"] == (
        "an interval of 90 % needs 9 groups of training models with a score there, there are 2 "
        "(12 models have no part: without those of their group fewer than 3 would be left to fit "
        "on)"
    )


@pytest.mark.skipif(not TRUST.exists(), reason="needs ../shared/cases/trust")
def test_intervals_of_a_table_of_twins_cover() -> None:
    table = eevee.read_table(TRUST / "twins.csv")
    new, truth = (pd.read_csv(TRUST / f"twins_new{end}.csv", index_col=0) for end in ("", "_full"))
    found = eevee.fit_predictor(table, list(new), scorer="ridge").predict(new)
    assert _coverage(found, truth)[0] >= 0.85
