"""Side by side is what separate assessments give; harder splits are told from harder models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.assessment.study import FOLDS
from eevee.base.errors import Stopped
from eevee.base.seeds import child_seed
from eevee.scorers.spec import ScorerSpec
from eevee.search.control import RunControl
from eevee.tables.results_table import ResultsTable
from tests.assessment.test_folds import with_copies
from tests.reference_loss import drawn_loss
from tests.splits.test_outer import with_families

QUICK: dict[str, Any] = {
    "procedure": eevee.Procedure("greedy"),
    "scorer": ScorerSpec("ridge", n_splits=2),
    "beside": ("medoids",),
    "n_random": 4,
    "n_folds": 4,
    "seed": 7,
}
KINDS = ("random", "family", "frontier", "time")


@pytest.fixture(scope="module")
def found() -> eevee.assessment.SplitsAssessment:
    return eevee.assessment.assess_splits(with_families(), 2, kinds=KINDS, **QUICK)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_each_kind_is_the_assessment_with_these_outer_splits(
    found: eevee.assessment.SplitsAssessment, kind: str
) -> None:
    table = with_families()
    seed = child_seed(7, FOLDS)
    late = {"n_splits": 8, "test_size": 0.25, "train_share": 1.0, "seed": seed}
    outer = {
        "random": lambda: eevee.fold_splits(table, n_folds=4, seed=seed),
        "family": lambda: eevee.fold_splits(table, n_folds=4, seed=seed, groups="family"),
        "frontier": lambda: eevee.splits.frontier_splits(table, **late),
        "time": lambda: eevee.splits.time_splits(table, **late),
    }[kind]()
    families = "family" if kind == "family" else None
    alone = eevee.assess(table, 2, outer=outer, families=families, **QUICK)
    for frame in ("methods", "folds", "models", "differences", "pairwise", "columns", "gap"):
        pd.testing.assert_frame_equal(getattr(found.kinds[kind], frame), getattr(alone, frame))
    rows = found.side_by_side[found.side_by_side["kind"] == kind].reset_index(drop=True)
    shown = [name for name in rows if name in alone.methods]
    pd.testing.assert_frame_equal(rows[shown], alone.methods[shown])


@pytest.mark.slow
def test_one_row_per_method_and_kind(found: eevee.assessment.SplitsAssessment) -> None:
    pairs = list(zip(found.side_by_side["method"], found.side_by_side["kind"], strict=True))
    assert pairs == [(method, kind) for method in found.first.names for kind in KINDS]
    assert found.first is found.kinds["random"]
    assert list(found.kinds) == list(KINDS)


def test_shares_and_multiples_are_of_what_they_say(
    found: eevee.assessment.SplitsAssessment,
) -> None:
    random = found.kinds["random"].contest
    for row in found.side_by_side.to_dict("records"):
        one = found.kinds[row["kind"]]
        losses = one.methods.set_index("method")["loss"]
        assert row["share"] == pytest.approx(row["loss"] / losses["mean predictor"])
        assert row["relative"] == pytest.approx(row["loss"] / losses["greedy"] - 1)
        tested = one.contest.tested.astype(float)
        same = drawn_loss(random, row["method"], "all", tested)
        assert row["same_models"] == pytest.approx(same)
        assert row["times"] == pytest.approx(row["loss"] / same)
        assert row["times_low"] <= row["times"] <= row["times_high"]


def test_splits_that_all_test_the_same_models_have_no_t_interval(
    found: eevee.assessment.SplitsAssessment,
) -> None:
    blank = found.side_by_side.groupby("kind")[["t_low", "t_high", "low"]].agg(
        lambda one: one.isna().all()
    )
    assert blank.loc[["frontier", "time"], ["t_low", "t_high"]].all(axis=None)
    assert not blank.loc[["random", "family"]].any(axis=None)
    assert not blank["low"].any()
    frontier = found.kinds["frontier"].assessed()
    assert frontier.low < frontier.mean < frontier.high


@pytest.mark.slow
def test_families_that_are_given_are_what_all_intervals_are_over() -> None:
    table = with_families()
    lab = ["a", "b", "c"] * 10
    one = eevee.assessment.assess_splits(
        table, 2, kinds=("random", "family"), families=lab, **QUICK
    )
    assert all(len(set(found.labels)) == 3 for found in one.kinds.values())
    assert len(one.kinds["family"].folds["fold"].unique()) == 2 * 3


@pytest.mark.slow
def test_where_one_family_alone_is_tested_no_interval_is_made_up() -> None:
    table = with_families()
    order = np.argsort(-table.scores.mean(axis=1).to_numpy())
    table = ResultsTable.from_scores(table.scores.iloc[order])
    lab = ["top"] * 12 + ["x", "y", "z"] * 6
    one = eevee.assessment.assess_splits(
        table, 2, kinds=("random", "frontier"), families=lab, **QUICK
    )
    rows = one.side_by_side[one.side_by_side["kind"] == "frontier"]
    assert rows[["low", "high", "times_low", "times_high"]].isna().all(axis=None)
    assert rows["times"].notna().all()
    assert one.words == []


def skewed(strength: float, n_models: int = 60) -> ResultsTable:
    """Families whose benchmarks answer to skill each in its own way, by so much."""
    rng = np.random.default_rng(5)
    family = np.arange(n_models) % 6
    skill = rng.normal(size=n_models)
    own = strength * rng.normal(size=(6, 8))
    scores = skill[:, None] * (1 + own[family]) + own[family] + 0.3 * rng.normal(size=(n_models, 8))
    models = pd.DataFrame({"family": [f"f{i}" for i in family]})
    return ResultsTable.from_scores(pd.DataFrame(scores).rename(columns=str), models=models)


@pytest.mark.slow
def test_where_new_families_break_prediction_it_is_said_and_nowhere_else() -> None:
    options = QUICK | {"n_random": 0, "beside": ()}
    kinds = ("random", "family")
    plain, odd = (
        eevee.assessment.assess_splits(skewed(s), 2, kinds=kinds, **options) for s in (0.0, 1.0)
    )
    assert plain.words == []
    (sentence,) = odd.words
    row = odd.side_by_side.iloc[1]
    assert row["times_low"] > 1
    assert "and" not in sentence.partition("interval")[2]  # all models are tested
    assert sentence.startswith(
        "On families of which none was trained on, the loss of greedy is "
        f"{row['times']:.2f} times what it is for the same models in random splits (95 % interval "
    )


@pytest.mark.slow
def test_models_that_are_hard_everywhere_are_no_sign_of_harder_splits() -> None:
    """The top models are noisier, but as the others otherwise: a higher loss, and no sentence."""
    rng = np.random.default_rng(1)
    skill = np.linspace(-1, 1, 80)[:, None] * np.ones(8)
    noise = np.where(np.arange(80) < 64, 0.1, 0.5)[:, None] * rng.normal(size=(80, 8))
    table = ResultsTable.from_scores(pd.DataFrame(skill + noise).rename(columns=str))
    options = QUICK | {"n_random": 0, "beside": (), "n_folds": 5}
    one = eevee.assessment.assess_splits(table, 3, kinds=("random", "frontier"), **options)
    random, frontier = one.side_by_side.iloc[:2].to_dict("records")
    assert frontier["loss"] > 2 * random["loss"]
    assert frontier["times"] < 1.3
    assert frontier["same_models"] > 2 * random["loss"]


@pytest.mark.slow
def test_unseen_targets_are_compared_by_their_own_loss() -> None:
    options = QUICK | {"scorer": ScorerSpec("ridge", n_splits=2, targets="unseen")}
    one = eevee.assessment.assess_splits(with_families(), 2, kinds=("family", "random"), **options)
    assert one.loss_column == "loss_unseen"
    assert one.reference == "random"
    row = one.side_by_side.iloc[0]
    assert row["times"] == pytest.approx(row["loss_unseen"] / row["same_models"])


@pytest.mark.slow
def test_near_duplicates_are_parted_in_no_kind_of_splits() -> None:
    table = with_copies(n_copies=2)
    kinds = ("family", "frontier")
    for given in (False, True):
        scoring = ScorerSpec("ridge", n_splits=2, group_duplicates=given)
        one = eevee.assessment.assess_splits(table, 2, kinds=kinds, **QUICK | {"scorer": scoring})
        assert (one.leak is None) == given


@pytest.mark.slow
def test_searches_of_each_kind_keep_states_of_their_own(tmp_path: Path) -> None:
    """A stopped job goes on to the same result: no kind takes up what another one found."""
    few = eevee.search.Evolution(population=8, winners=3, children=2, generations=2, rival=False)
    options = QUICK | {"procedure": eevee.Procedure(evolution=few, exhaustive=False), "beside": ()}
    kinds = ("random", "frontier")

    def run(control: RunControl) -> eevee.assessment.SplitsAssessment:
        return eevee.assessment.assess_splits(
            with_families(), 2, kinds=kinds, control=control, **options
        )

    asked = iter(range(1000))
    with pytest.raises(Stopped):
        run(RunControl(eevee.search.Checkpoints(tmp_path), stop=lambda: next(asked) > 40))
    resumed, plain = run(RunControl(eevee.search.Checkpoints(tmp_path))), run(RunControl())
    pd.testing.assert_frame_equal(resumed.side_by_side, plain.side_by_side)


def test_nothing_is_searched_where_a_kind_cannot_be_drawn() -> None:
    def never(*_: Any) -> Any:
        raise AssertionError

    options = QUICK | {"control": RunControl(stop=never, progress=never)}
    table = with_families()
    del table.models["date"]
    with pytest.raises(eevee.EeveeError, match="kind time: models have no attribute 'date'"):
        eevee.assessment.assess_splits(table, 2, kinds=("random", "time"), **options)
