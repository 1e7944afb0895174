"""Fewer models, higher losses; held out means held out for every number of models."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee import plots
from eevee.assessment.learning import default_sizes, nested_splits
from eevee.assessment.learning_result import LearningCurve
from eevee.scorers.spec import ScorerSpec
from eevee.search.control import RunControl
from eevee.stats.power_law import Extrapolation
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import with_scores

RIDGE = ScorerSpec("ridge", n_splits=3)
QUICK: dict[str, Any] = {
    "scorer": RIDGE,
    "n_folds": 3,
    "n_repeats": 1,
    "procedure": eevee.Procedure("greedy"),
}


@cache
def curve() -> LearningCurve:
    return eevee.assessment.learning_curve(made_table(60, 8), 2, sizes=[6, 12, 40], **QUICK)


@pytest.mark.slow
def test_with_fewer_models_the_loss_is_higher_and_that_of_means_hardly() -> None:
    sizes = curve().sizes
    assert sizes["n_models"].tolist() == [6, 12, 40]
    assert sizes["loss"].is_monotonic_decreasing
    assert sizes["loss"].iloc[0] > 1.3 * sizes["loss"].iloc[-1]
    assert sizes["mean_predictor"].iloc[0] < 1.3 * sizes["mean_predictor"].iloc[-1]
    assert (sizes["t_low"] <= sizes["loss"]).all()
    assert (sizes["loss"] <= sizes["t_high"]).all()


@pytest.mark.slow
def test_with_all_models_it_is_the_assessment() -> None:
    table = made_table(60, 8)
    found = eevee.assess(table, 2, n_random=20, beside=(), **QUICK).methods.set_index("method")
    row = curve().sizes.iloc[-1]
    names = ["loss", "low", "high", "t_low", "t_high", "loss_unseen", "jaccard", "kuncheva"]
    np.testing.assert_array_equal(row[names].astype(float), found.loc["greedy", names])
    assert row["random"] == found.loc["random", "loss"]


@pytest.mark.slow
def test_what_an_assessment_found_is_not_searched_for_again() -> None:
    table = made_table(30, 6)
    found = eevee.assess(table, 2, n_random=3, beside=(), **QUICK)
    labels: list[str] = []
    control = RunControl(progress=lambda progress: labels.append(progress.label))
    again = eevee.assessment.learning_curve(
        table, 2, sizes=[6, 20], known=found, control=control, **QUICK
    )
    anew = eevee.assessment.learning_curve(table, 2, sizes=[6, 20], **QUICK)
    pd.testing.assert_frame_equal(again.sizes, anew.sizes)
    assert {label.split(",")[0] for label in labels} == {"6 models"}
    with pytest.raises(eevee.EeveeError, match="of another search: its seed is 0, not 1"):
        eevee.assessment.learning_curve(table, 2, known=found, seed=1, **QUICK)


def test_draws_are_within_one_another_and_without_held_out_models() -> None:
    outer = eevee.fold_splits(made_table(30, 4), n_folds=3, n_repeats=2)
    every = [nested_splits(outer, n, seed=1) for n in (5, 9, 14, 20, 99)]
    for small, large in itertools.pairwise(every):
        assert (small.fit <= large.fit).all()
        assert (small.test == outer.test).all()
        assert not (large.fit & large.test).any()
    assert (every[0].fit.sum(axis=1) == 5).all()
    for mask, whole in ((every[-1].train, outer.train), (every[-1].validation, outer.validation)):
        np.testing.assert_array_equal(mask, whole)


@pytest.mark.slow
def test_held_out_models_change_nothing_that_is_found() -> None:
    table = made_table(30, 6)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1, seed=0)
    before = eevee.assessment.learning_curve(table, 2, sizes=[6, 20], **QUICK)
    held_out = _held_out_of(table, before, 0)
    assert held_out.sum() == outer.test[0].sum()
    values = table.scores.to_numpy().copy()
    values[held_out] = np.random.default_rng(0).normal(size=values[held_out].shape)
    after = eevee.assessment.learning_curve(with_scores(table, values), 2, sizes=[6, 20], **QUICK)
    subsets = [
        one.folds[(one.folds["fold"] == 0) & (one.folds["method"] == "greedy")]["benchmarks"]
        for one in (before, after)
    ]
    assert subsets[0].tolist() == subsets[1].tolist()
    assert len(subsets[0]) == 2


def _held_out_of(table: ResultsTable, found: LearningCurve, fold: int) -> np.ndarray:
    from eevee.assessment.study import Study

    rounds = Study.of(
        table, scorer=RIDGE, n_folds=3, n_repeats=1, seed=found.settings["seed"]
    ).rounds
    return np.asarray(rounds.splits.test[fold])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_curve() -> None:
    again = eevee.assessment.learning_curve(made_table(60, 8), 2, sizes=[6, 12, 40], **QUICK)
    pd.testing.assert_frame_equal(curve().sizes, again.sizes)
    alone = eevee.assessment.learning_curve(made_table(60, 8), 2, sizes=[12, 40], **QUICK)
    pd.testing.assert_frame_equal(curve().sizes.iloc[1:].reset_index(drop=True), alone.sizes)


def test_differences_are_paired_over_splits() -> None:
    folds = curve().folds.set_index(["n_models", "method", "fold"])["loss"]
    row = curve().sizes.iloc[0]
    difference = folds[6]["greedy"] - folds[40]["greedy"]
    assert row["above"] == pytest.approx(difference.mean())
    beyond = folds[6]["greedy"] - folds[6]["random"]
    assert row["beyond"] == pytest.approx(beyond.mean())
    # s^2 (1 / J + n_test / n_train), with 40 models to draw from
    half = 4.302653 * np.sqrt(difference.var() * (1 / 3 + 20 / 40))
    assert row["above_high"] == pytest.approx(row["above"] + half, rel=1e-5)


def made(
    losses: list[float],
    beyond_high: list[float],
    *,
    least: float = 0.001,
    most: float | list[float] = 0.05,
    means: float = -0.1,
) -> LearningCurve:
    """A curve of 10, 20, 40 models with these losses, and limits of the differences to 40."""
    n = len(losses)
    frame = pd.DataFrame(
        {
            "n_models": [10, 20, 40][-n:],
            "loss": losses,
            "gain": 0.5,
            "above": np.array(losses) - losses[-1],
            "above_low": least,
            "above_high": most,
            "beyond": -0.1,
            "beyond_low": -0.2,
            "beyond_high": beyond_high,
            "beyond_means": -0.3,
            "beyond_means_low": -0.5,
            "beyond_means_high": means,
        }
    )
    return LearningCurve(frame, pd.DataFrame(), 50, {"targets": "all"})


def test_words_warn_where_the_search_is_not_shown_to_beat_random_subsets() -> None:
    never = made([0.5, 0.4, 0.3], [-0.1, -0.1, 0.1])
    assert never.supported is None
    assert never.words[0].startswith("Warning: with 40 models and fewer this table cannot show")
    assert "lower by 0.1, interval -0.1 to 0.2" in never.words[0]
    assert "mean predictor" not in never.words[0]
    some = made([0.5, 0.4, 0.3], [-0.1, 0.1, -0.1])
    assert some.supported == 40
    assert some.words[0].startswith("Warning: with fewer than 40 models")
    always = made([0.5, 0.4, 0.3], [-0.1, -0.1, -0.1])
    assert not any("Warning" in sentence for sentence in always.words)


def test_words_warn_where_the_search_is_not_shown_to_beat_the_mean_predictor() -> None:
    useless = made([0.5, 0.4, 0.3], [-0.1] * 3, means=0.1)
    assert useless.supported is None
    assert "beats the mean predictor" in useless.words[0]
    assert "lower by 0.3, interval -0.1 to 0.5" in useless.words[0]
    assert "random subsets" not in useless.words[0]


def test_words_say_that_more_models_would_help_only_where_the_fall_is_told_apart() -> None:
    falling = made([0.5, 0.4, 0.3], [-0.1] * 3)
    assert falling.enough is None
    assert falling.words[-1] == (
        "From 20 to 40 models the loss still falls by 0.1, interval 0.001 to 0.05: more models "
        "would help."
    )
    assert "10 models +67 %" in falling.words[0]
    perhaps = made([0.5, 0.4, 0.3], [-0.1] * 3, least=-0.05, most=0.06)
    assert (perhaps.enough, perhaps.alike) == (None, 10)
    assert perhaps.words[-1] == (
        "From 10 models on the loss cannot be distinguished from that with 40 (with 10 it is at "
        "most 20 % higher): whether more models would help is not shown."
    )
    rising = made([0.3, 0.2, 0.3], [-0.1] * 3, least=-0.2, most=-0.1)
    assert "would help." not in rising.words[-1]


def test_words_call_models_enough_only_where_the_interval_is_narrow() -> None:
    flat = made([0.5, 0.31, 0.3], [-0.1] * 3)
    assert flat.enough == 20
    assert flat.words[-1] == (
        "From 20 models on the loss is within 5 % of that with 40 (with 20 it is at most 17 % "
        "higher): more models would help little."
    )
    wide = made([0.5, 0.31, 0.3], [-0.1] * 3, least=-0.3, most=0.3)
    assert wide.enough == 20
    assert wide.words[-1] == (
        "The splits differ too much to say how many models are enough: with 20 the loss may be up "
        "to 100 % higher than with 40."
    )
    late = made([0.5, 0.31, 0.3], [-0.1] * 3, least=-0.3, most=[0.9, 0.06, 0.0])
    assert late.alike == 10
    flatter = made([0.31, 0.31, 0.3], [-0.1] * 3, least=-0.3, most=[0.9, 0.06, 0.0])
    assert flatter.enough == 10
    assert flatter.words[-1].startswith("From 20 models on the loss is within 5 % of that with 40")
    dip = made([0.29, 0.5, 0.3], [-0.1] * 3)
    assert dip.enough is None


def test_one_size_alone_has_no_curve_to_speak_of() -> None:
    alone = made([0.3], [-0.1])
    assert (alone.supported, alone.enough, alone.alike) == (40, None, None)
    assert alone.words == ()


def test_twice_as_many_models_are_guessed_and_never_more() -> None:
    found = curve()
    assert found.guess is not None
    assert found.guess.n_models == 80
    assert found.guess.low <= found.guess.loss <= found.guess.high
    last = found.sizes["loss"].iloc[-1]
    assert found.guess.loss <= last <= found.guess.high
    assert found.as_dict()["guess"]["n_models"] == 80
    two = eevee.assessment.learning_curve(made_table(30, 5), 2, sizes=[8, 20], **QUICK)
    assert two.guess is None


def test_a_guess_is_told_only_where_its_interval_is_narrow() -> None:
    measured = made([0.5, 0.4, 0.3], [-0.1] * 3)
    narrow = replace(measured, guess=Extrapolation(80, 0.26, 0.2, 0.3))
    assert narrow.words[-1].startswith("Twice as many (80) might bring it to 0.26 (0.2 to 0.3)")
    wide = replace(measured, guess=Extrapolation(80, 0.26, 0.1, 0.3))
    assert wide.words == measured.words


@pytest.mark.slow
def test_a_dozen_models_get_an_answer() -> None:
    found = eevee.assessment.learning_curve(made_table(12, 5), 2, scorer=RIDGE, n_repeats=1)
    assert found.sizes["n_models"].iloc[-1] == 10
    assert found.words
    assert found.as_dict()["words"] == found.words


@pytest.mark.slow
def test_what_is_too_small_is_left_out_unless_it_was_asked_for() -> None:
    table = made_table(30, 5)
    values = table.scores.to_numpy().copy()
    values[np.random.default_rng(0).random(values.shape) < 0.75] = np.nan
    sparse = with_scores(table, values)
    options = {**QUICK, "scorer": ScorerSpec("ridge", n_splits=2)}
    found = eevee.assessment.learning_curve(sparse, 2, **options)
    left = found.settings["left_out"]
    assert left is not None
    assert any(left["why"] in sentence for sentence in found.words)
    with pytest.raises(eevee.EeveeError):
        eevee.assessment.learning_curve(sparse, 2, sizes=[5, 20], **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": None}, "give a size k or a budget"),
        ({"k": 2, "sizes": [3, 10]}, "sizes must lie between 5 and the 20 models"),
        ({"k": 2, "sizes": [10, 21]}, "got 21"),
        ({"k": 2, "sizes": [10, 10]}, "at least two sizes"),
    ],
)
def test_wrong_sizes_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(eevee.EeveeError, match=words):
        eevee.assessment.learning_curve(made_table(30, 5), **options, **QUICK)


def test_too_few_models_for_any_curve_are_said() -> None:
    with pytest.raises(eevee.EeveeError, match="too few for a learning curve"):
        eevee.assessment.learning_curve(made_table(6, 4), 2, scorer=RIDGE, n_folds=3, n_repeats=1)


def test_a_stop_ends_it_without_a_curve() -> None:
    asked = iter([False] * 3 + [True] * 1000)
    control = RunControl(stop=lambda: next(asked))
    with pytest.raises(eevee.base.errors.Stopped):
        eevee.assessment.learning_curve(
            made_table(30, 5), 2, sizes=[6, 20], control=control, **QUICK
        )


def test_default_sizes_rise_to_all() -> None:
    for largest in range(7, 300):
        sizes = default_sizes(largest)
        assert sizes[-1] == largest
        assert 2 <= len(sizes) <= 5
        assert min(sizes) >= 5


def test_the_figure_draws_what_its_data_holds() -> None:
    data = plots.learning_data(curve().sizes)
    search = data[data["kind"] == "search"]
    assert search["loss"].tolist() == curve().sizes["loss"].tolist()
    assert search["low"].tolist() == curve().sizes["t_low"].tolist()
    figure = plots.figure("learning", data)
    drawn = [line.get_ydata() for line in figure.axes[0].get_lines()]
    for kind, line in zip(("search", "random", "mean predictor"), drawn, strict=True):
        np.testing.assert_allclose(np.square(line), data[data["kind"] == kind]["loss"])
    unseen = plots.learning_data(curve().sizes, "unseen")
    assert unseen["loss"].iloc[0] == curve().sizes["loss_unseen"].iloc[0]
