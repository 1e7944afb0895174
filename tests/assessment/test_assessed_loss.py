"""One quantity everywhere: the loss of each outer split, averaged; and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import eevee
from eevee.assessment.contest import Contest
from eevee.assessment.folds import MEAN_PREDICTOR as MEANS
from eevee.assessment.folds import Fold
from eevee.assessment.judge import Judgement
from eevee.assessment.resampling import draw_models
from eevee.assessment.result import summarise
from eevee.assessment.study import Study
from eevee.scorers.spec import ScorerSpec
from eevee.tables.bounds import column_bounds
from tests.conftest import made_table
from tests.reference_loss import drawn_loss, mean, method_losses, split_loss
from tests.scorers.tables import rich_table

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "data" / "llm_benchpress_83x49.csv"
RIDGE = ScorerSpec("ridge", n_splits=1)
TARGETS = ("all", "unseen")
UNEVEN = {"ant": 0.0, "bee": 3.0, "cat": 1.0, "dog": 0.5, "eel": 2.0, "fox": 0.0, "gnu": 1.0}


@cache
def assessed(missing: float, weighted: bool) -> eevee.assessment.Assessment:
    """Tasks, proxies, several columns per benchmark, folds of unequal size, two repeats."""
    contest = contest_of(round(100 * missing), 22, missing, weighted, 0.95)
    return summarise(contest, {"goal": "k = 2"})


CASES = pytest.mark.parametrize(
    ("missing", "weighted"), [(0.0, False), (0.2, True), (0.45, False), (0.45, True)]
)


@CASES
def test_the_assessed_loss_is_the_mean_over_splits_of_the_loss(
    missing: float, weighted: bool
) -> None:
    found = assessed(missing, weighted)
    for row in found.methods.to_dict("records"):
        folds = found.folds[found.folds["method"] == row["method"]]
        for targets, column in zip(TARGETS, ("loss", "loss_unseen"), strict=True):
            losses = method_losses(found.contest, row["method"], targets)
            np.testing.assert_allclose(folds[column], losses, rtol=1e-9)
            assert row[column] == pytest.approx(mean(losses), rel=1e-9, nan_ok=True)
    assert found.assessed().mean == found.methods["loss"].iloc[0]
    gap = found.gap.set_index("method")["loss"]
    losses = found.methods.set_index("method")["loss"]
    np.testing.assert_allclose(gap, losses[gap.index], rtol=1e-12)


@CASES
def test_a_difference_is_the_difference_of_the_losses(missing: float, weighted: bool) -> None:
    found = assessed(missing, weighted)
    for targets, column in zip(TARGETS, ("loss", "loss_unseen"), strict=True):
        losses = found.methods.set_index("method")[column]
        rows = found.differences[found.differences["targets"] == targets].set_index("method")
        first = losses.iloc[0]
        for name in found.names[1:]:
            gap = rows.loc[name]
            close = {"rel": 1e-9, "abs": 1e-12, "nan_ok": True}
            assert gap["difference"] == pytest.approx(losses[name] - first, **close)
            assert gap["relative"] == pytest.approx(losses[name] / first - 1, **close)
            for end in ("low", "high", "t_low", "t_high"):
                assert gap[f"relative_{end}"] == pytest.approx(gap[end] / first, nan_ok=True)
            back = found.compare(found.names[0], name, targets)  # type: ignore[arg-type]
            assert back["difference"] == pytest.approx(-gap["difference"], **close)
            assert back["low"] == pytest.approx(-gap["high"], **close)
            assert back["relative"] == pytest.approx(first / losses[name] - 1, **close)


@CASES
def test_every_estimate_lies_in_its_intervals(missing: float, weighted: bool) -> None:
    found = assessed(missing, weighted)
    checked = 0
    for frame, names in (
        (found.methods, [("loss", "low", "high"), ("loss", "t_low", "t_high")]),
        (found.methods, [("loss_unseen", "low_unseen", "high_unseen")]),
        (found.methods, [("loss_unseen", "t_low_unseen", "t_high_unseen")]),
        (found.differences, [("difference", "low", "high"), ("difference", "t_low", "t_high")]),
        (found.differences, [("relative", "relative_low", "relative_high")]),
        (found.differences, [("relative", "relative_t_low", "relative_t_high")]),
        (found.gap, [(one, f"{one}_low", f"{one}_high") for one in ("optimism", "training_size")]),
    ):
        for row in frame.to_dict("records"):
            for estimate, low, high in names:
                if not math.isnan(row[estimate]):
                    assert row[low] <= row[estimate] <= row[high]
                    checked += 1
    assert checked > 20
    for name in found.names:
        tier = found.assessed(name)
        assert 0 <= tier.low <= tier.mean <= tier.high


@CASES
def test_the_bootstrap_recomputes_the_loss_of_the_models_drawn(
    missing: float, weighted: bool
) -> None:
    contest = assessed(missing, weighted).contest
    drawn = contest.draws(contest.tested)
    assert (drawn.sum(axis=1) == contest.table.n_models).all()
    for name in contest.members:
        for targets in TARGETS:
            draws = contest.losses[name, targets].draws  # type: ignore[index]
            slow = [drawn_loss(contest, name, targets, one) for one in drawn[:4]]
            np.testing.assert_allclose(draws[:4], slow, rtol=1e-9)


def test_on_a_complete_table_with_folds_of_one_size_it_is_the_mean_over_models() -> None:
    found = summarise(contest_of(2, 21, 0.0, False, 0.95), {"goal": "k = 2"})
    means = found.models.groupby("method")[["error", "error_unseen"]].mean()
    losses = found.methods.set_index("method")[["loss", "loss_unseen"]]
    np.testing.assert_allclose(losses, means.loc[losses.index], rtol=1e-9)


def test_draws_are_then_means_over_models_too() -> None:
    contest = contest_of(2, 21, 0.0, False, 0.95)
    drawn = contest.draws(contest.tested)
    errors = summarise(contest, {"goal": "k = 2"}).models.set_index("method")["error"]
    for name in contest.members:
        expected = (drawn @ errors[name].to_numpy()) / drawn.sum(axis=1)
        np.testing.assert_allclose(contest.losses[name, "all"].draws, expected, rtol=1e-9)


# --- any predictions, any gaps -------------------------------------------------------------------


def contest_of(seed: int, n_models: int, missing: float, weighted: bool, level: float) -> Contest:
    """Outer splits in which three methods predict at random: one, one of several subsets, means."""
    try:
        table = rich_table(n_models, missing=missing, seed=seed)
    except eevee.EeveeError:  # a column without two scores
        assume(False)
    rng = np.random.default_rng(seed)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=2, seed=seed)
    weights = UNEVEN if weighted else None
    score = (table.columns["role"] == "score").to_numpy()
    owner = table.columns["benchmark"].to_numpy()
    members = {"one": ["one"], "random": ["r 0", "r 1", "r 2"], MEANS: [MEANS]}
    folds = []
    for test in outer.test:
        judged = {}
        for name in ("one", "r 0", "r 1", "r 2", MEANS):
            size = 0 if name == MEANS else int(rng.integers(1, 6))
            subset = tuple(sorted(rng.choice(table.benchmark_names, size, replace=False)))
            guess = table.scores.to_numpy()[test] + rng.gamma(0.5, size=(test.sum(), len(score)))
            guess = np.where(np.isnan(guess), 0.0, guess)
            full = np.where(score, guess, np.nan)
            predicted = {"all": full, "unseen": np.where(np.isin(owner, subset), np.nan, full)}
            frames = {
                t: pd.DataFrame(values, table.scores.index[test], table.scores.columns)
                for t, values in predicted.items()
            }
            losses = {
                t: split_loss(table, frame, own=subset if t == "unseen" else (), weights=weights)
                for t, frame in frames.items()
            }
            judged[name] = Judgement(subset, predicted, losses)  # type: ignore[arg-type]
        search, again = (dict(zip(judged, rng.random(4), strict=False)) for _ in range(2))
        about = {"name": "made"}
        bounds = column_bounds(table.take_models(~test))
        folds.append(Fold(test, judged, search, again, int((~test).sum()), 5.0, about, bounds))
    return Contest(
        table=table,
        folds=folds,
        rounds=[[0, 1, 2], [3, 4, 5]],
        members=members,
        targets="all",
        weights=weights,
        labels=np.arange(n_models) // 2 if seed % 2 else np.arange(n_models),
        level=level,
        seed=seed,
    )


@settings(max_examples=15)
@given(
    st.integers(0, 10_000),
    st.integers(8, 14),
    st.floats(0.0, 0.6),
    st.booleans(),
    st.floats(0.02, 0.999),
)
@pytest.mark.slow
def test_no_estimate_leaves_its_interval_whatever_is_missing(
    seed: int, n_models: int, missing: float, weighted: bool, level: float
) -> None:
    contest = contest_of(seed, n_models, missing, weighted, level)
    for targets in TARGETS:
        for name in contest.members:
            one = contest.losses[name, targets]  # type: ignore[index]
            expected = mean(method_losses(contest, name, targets))
            assert one.mean == pytest.approx(expected, rel=1e-9, nan_ok=True)
            found = contest.interval(name, targets)  # type: ignore[arg-type]
            _inside(found.low, found.mean, found.high)
            assert not found.low < 0
        row = contest.difference("one", "random", targets)  # type: ignore[arg-type]
        _inside(row["low"], row["difference"], row["high"])
        _inside(row["t_low"], row["difference"], row["t_high"])
        one, other = (contest.losses[name, targets].mean for name in ("one", "random"))  # type: ignore[index]
        assert row["difference"] == pytest.approx(one - other, abs=1e-9, nan_ok=True)


def _inside(low: Any, estimate: Any, high: Any) -> None:
    assert math.isnan(estimate) or low <= estimate <= high


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.floats(0.0, 0.6), st.booleans())
def test_draws_of_models_and_families_are_those_of_plain_loops(
    seed: int, missing: float, weighted: bool
) -> None:
    contest = contest_of(seed, 10, missing, weighted, 0.9)
    drawn = contest.draws(contest.tested)[:2]
    assert (np.diff(drawn[:, :8].reshape(2, 4, 2), axis=2) == 0).all() or seed % 2 == 0
    for name in contest.members:
        for targets in TARGETS:
            fast = contest.loss_over(drawn, name, targets)  # type: ignore[arg-type]
            slow = [drawn_loss(contest, name, targets, one) for one in drawn]
            np.testing.assert_allclose(fast, slow, rtol=1e-9)


def test_only_tested_models_are_drawn_and_nothing_if_they_are_of_one_family() -> None:
    labels, tested = np.array([0, 0, 1, 1, 2]), np.array([1, 0, 1, 1, 0], dtype=bool)
    drawn = draw_models(labels, tested, n_draws=500)
    assert set(map(tuple, drawn)) == {(2, 0, 0, 0, 0), (1, 0, 1, 1, 0), (0, 0, 2, 2, 0)}
    assert len(draw_models(labels, np.array([0, 0, 1, 1, 0], dtype=bool))) == 0
    contest = replace(contest_of(0, 9, 0.3, False, 0.9), labels=np.zeros(9, dtype=int))
    found = contest.interval("one", "all")
    assert np.isnan([found.low, found.high]).all()
    assert np.isfinite(found.mean)


def test_all_models_of_one_family_are_refused_before_any_search() -> None:
    with pytest.raises(eevee.EeveeError, match="all models are of one family"):
        eevee.assess(made_table(), 2, scorer="ridge", families=["x"] * 24)


# --- elsewhere -----------------------------------------------------------------------------------


QUICK: dict[str, Any] = {"scorer": RIDGE, "procedure": eevee.Procedure("greedy"), "n_repeats": 1}


def test_multiples_of_the_same_models_are_ratios_of_losses_over_them() -> None:
    table = made_table(16, 4, missing=0.3, seed=3)
    kinds = ("random", "frontier")
    side = eevee.assessment.assess_splits(
        table, 1, kinds=kinds, beside=(), n_random=2, n_folds=3, **QUICK
    )
    random, frontier = (one.contest for one in side.kinds.values())
    rows = side.side_by_side[side.side_by_side["kind"] == "frontier"].to_dict("records")
    top = frontier.tested.astype(float)
    assert 0 < top.sum() < 16
    for row in rows:
        same = drawn_loss(random, row["method"], "all", top)
        here = mean(method_losses(frontier, row["method"], "all"))
        assert row["same_models"] == pytest.approx(same)
        assert row["times"] == pytest.approx(here / same)
        assert row["times_low"] <= row["times"] <= row["times_high"]
    losses = side.first.methods.set_index("method")["loss"]
    for name, loss in losses.items():
        assert loss == pytest.approx(mean(method_losses(random, str(name), "all")))


def test_a_learning_curve_tells_the_same_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eevee.assessment.learning.N_RANDOM", 3)
    table = made_table(16, 4, missing=0.2, seed=4)
    curve = eevee.assessment.learning_curve(table, 1, sizes=[7, 8], n_folds=2, **QUICK)
    folds = curve.folds.groupby(["n_models", "method"])["loss"].mean()
    folds_unseen = curve.folds.groupby(["n_models", "method"])["loss_unseen"].mean()
    last = curve.sizes.iloc[-1]
    for row in curve.sizes.to_dict("records"):
        of = folds[row["n_models"]]
        assert row["loss"] == pytest.approx(of["greedy"])
        assert row["random"] == pytest.approx(of["random"])
        assert row["above"] == pytest.approx(row["loss"] - last["loss"], abs=1e-12)
        assert row["beyond"] == pytest.approx(row["loss"] - row["random"])
        unseen = folds_unseen[row["n_models"]]["greedy"]
        assert row["beyond_means"] == pytest.approx(unseen * (1 - 1 / (1 - row["gain"])))
        assert row["above_low"] <= row["above"] <= row["above_high"]


def test_a_learning_curve_compares_with_means_on_the_benchmarks_that_are_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eevee.assessment.learning.N_RANDOM", 2)
    table = made_table(16, 4, missing=0.2, seed=4)
    curve = eevee.assessment.learning_curve(table, 1, sizes=[7, 8], n_folds=2, **QUICK)
    own = curve.folds[(curve.folds["n_models"] == 8) & (curve.folds["method"] == "greedy")]
    splits = Study.of(table, scorer=QUICK["scorer"], n_folds=2, n_repeats=1, seed=0).rounds.splits
    means = []
    for test, subset in zip(splits.test, own["benchmarks"], strict=True):
        average = table.scores[~test].mean()
        tested = table.scores.index[test]
        means.append(split_loss(table, pd.DataFrame([average] * len(tested), tested), own=subset))
    last = curve.sizes.iloc[-1]
    assert last["beyond_means"] == pytest.approx(own["loss_unseen"].mean() - mean(means))
    assert last["gain"] == pytest.approx(1 - own["loss_unseen"].mean() / mean(means))


@pytest.mark.skipif(not PUBLIC.exists(), reason=f"{PUBLIC.name} is not beside the repository")
def test_on_a_public_table_with_gaps_one_page_has_one_loss() -> None:
    table = eevee.read_table(PUBLIC)
    found = eevee.assess(
        table,
        4,
        procedure=eevee.Procedure("greedy"),
        scorer=ScorerSpec("ridge", n_splits=1),
        beside=(),
        n_random=2,
        n_folds=2,
        n_repeats=1,
    )
    loss = found.assessed()
    assert loss.mean == pytest.approx(mean(method_losses(found.contest, "greedy", "all")))
    assert loss.mean == pytest.approx(found.gap["loss"].iloc[0])
    assert loss.low <= loss.mean <= loss.high
    errors = found.models[found.models["method"] == "greedy"]["error"]
    assert abs(errors.mean() / loss.mean - 1) > 0.1  # models over their own cells: another number
    for row in found.differences.to_dict("records"):
        if not math.isnan(row["difference"]):
            assert row["t_low"] <= row["difference"] <= row["t_high"]
            assert row["low"] <= row["difference"] <= row["high"]
