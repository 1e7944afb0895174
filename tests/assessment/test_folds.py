"""What belongs together stays on one side of a search's splits, and held-out models say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.scorers.spec import ScorerSpec
from eevee.splits.groups import group_labels
from eevee.splits.near_duplicates import duplicate_groups, find_leak, separated_groups
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import with_scores


def with_copies(n_models: int = 24, n_copies: int = 8, *, noise: float = 0.0) -> ResultsTable:
    """A made table with families, whose last models are copies of others."""
    table = made_table(n_models, 7, seed=2)
    values = table.scores.to_numpy().copy()
    rng = np.random.default_rng(0)
    values[-n_copies:] = values[:n_copies] + noise * rng.normal(size=(n_copies, 7))
    models = pd.DataFrame({"family": [f"f{i % 5}" for i in range(n_models)]}, table.scores.index)
    scores = pd.DataFrame(values, table.scores.index, table.scores.columns)
    return ResultsTable.from_scores(scores, models=models)


def test_models_of_a_group_stay_on_one_side_and_linked_groups_are_one() -> None:
    table = with_copies(n_copies=2)
    same, family = duplicate_groups(table), group_labels(table, "family")

    def parted(scoring: ScorerSpec) -> list[bool]:
        splits = scoring.splits(table, 1)
        return [not separated_groups(splits, labels).empty for labels in (same, family)]

    assert parted(ScorerSpec()) == [True, True]
    assert parted(ScorerSpec(group_duplicates=True)) == [False, True]
    assert parted(ScorerSpec(groups="family")) == [True, False]
    assert parted(ScorerSpec(groups="family", group_duplicates=True)) == [False, False]


def test_without_near_duplicates_splits_are_those_that_they_were() -> None:
    table = made_table(20, 6)
    one, other = (ScorerSpec(group_duplicates=given).splits(table, 4) for given in (False, True))
    for mask, same in zip(one.sides, other.sides, strict=True):
        np.testing.assert_array_equal(mask, same)


def test_auto_chooses_on_splits_that_part_no_group(monkeypatch: pytest.MonkeyPatch) -> None:

    seen: dict[str, Any] = {}
    monkeypatch.setattr(
        "eevee.scorers.spec.make_scorer", lambda *args, **options: seen.update(options)
    )
    table = with_copies()
    ScorerSpec("auto", group_duplicates=True).make(table, 0)
    assert find_leak(table, seen["choose_on"]) is None


@pytest.mark.parametrize("method", ["greedy-swaps", "medoids"])
@pytest.mark.slow
def test_held_out_models_do_not_matter_to_what_a_search_finds(method: str) -> None:
    """Not even which of the searched models look alike: held-out copies link or crowd nothing."""
    table = with_copies(n_copies=9, noise=0.02)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1)
    scoring = ScorerSpec("ridge", n_splits=3, group_duplicates=True)
    options: dict[str, Any] = {"scorer": scoring, "n_random": 0, "beside": (), "outer": outer}

    def found(changed: ResultsTable, split: int) -> pd.DataFrame:
        procedure = eevee.Procedure(method)
        assessed = eevee.assess(changed, 3, procedure=procedure, **options)
        folds = assessed.folds[["fold", "method", "benchmarks", "search_loss"]]
        return folds[folds["fold"] == split].dropna()

    values = table.scores.to_numpy()
    for split, test in enumerate(outer.test):
        copied = np.where(test[:, None], values[np.flatnonzero(~test)[0]], values)
        pd.testing.assert_frame_equal(found(table, split), found(with_scores(table, copied), split))


@pytest.mark.slow
def test_near_duplicates_that_are_parted_make_a_loss_too_good() -> None:
    """Planted copies leak: predicted from their twins they have less error than kept together."""
    table = with_copies(30, 15)
    options: dict[str, Any] = {"procedure": eevee.Procedure("greedy"), "beside": (), "n_random": 0}
    leaky, clean = (
        eevee.assess(table, 2, scorer=ScorerSpec("ridge", group_duplicates=given), **options)
        for given in (False, True)
    )
    assert clean.assessed().mean > 1.05 * leaky.assessed().mean
    assert leaky.settings["near_duplicates"] == {
        "models": 30,
        "groups": 15,
        "example": ("m00", "m15"),
    }
    assert clean.settings["near_duplicates"] is None
    assert [one.settings["group_duplicates"] for one in (leaky, clean)] == [False, True]


@pytest.mark.parametrize("name", ["stability", "tiers"])
def test_other_assessments_group_near_duplicates_in_their_outer_splits_too(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eevee.assessment import folds as outer
    from eevee.assessment import study

    table = with_copies()
    seen: list[eevee.splits.Splits] = []

    def spy(given: ResultsTable, splits: eevee.splits.Splits, *rest: Any) -> Any:
        seen.append(splits)
        return outer.whole_folds(given, splits, *rest)

    scoring = ScorerSpec("ridge", n_splits=2, group_duplicates=True)
    options: dict[str, Any] = {"procedure": eevee.Procedure("greedy"), "n_repeats": 1}
    monkeypatch.setattr(study, "whole_folds", spy)
    if name == "stability":
        eevee.assessment.assess_stability(table, 2, scorer=scoring, **options)
    else:
        tiers = eevee.build_tiers(scoring.make(table, 0), {}, sizes={"two": 2})
        eevee.assessment.assess_tiers(table, tiers, scorer=scoring, **options)
    assert len(seen) == 1
    assert find_leak(table, *seen) is None
