"""Each kind holds out what it says, and as many models as a random fold does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.splits.groups import Groups, group_labels
from eevee.splits.near_duplicates import duplicate_groups, separated_groups
from eevee.splits.outer import KINDS, Drawing, checked_kinds
from eevee.splits.splits import Splits
from tests.conftest import made_table


def with_families(
    sizes: Sequence[int] = (12, 5, 4, 3, 3, 3), *, seed: int = 0
) -> eevee.ResultsTable:
    """A made table whose models have a family and a date."""
    table = made_table(sum(sizes), 6, seed=seed)
    table.models["family"] = np.repeat([f"f{i}" for i in range(len(sizes))], sizes)
    years = np.random.default_rng(seed).permutation(sum(sizes)) % 9
    table.models["date"] = [str(2010 + year) for year in years]
    return table


def drawn(table: eevee.ResultsTable, kind: str, **options: Any) -> Splits:
    given: dict[str, Any] = {"families": "family", "date": "date", "together": None, "n_folds": 5}
    outer = Drawing(table, **given | {"n_repeats": 2, "seed": 3} | options).draw(kind)
    assert outer is not None
    return outer


@pytest.mark.parametrize("sizes", [(12, 5, 4, 3, 3, 3), (3, 3, 2), (4,) * 9, (1,) * 12, (20, 2)])
def test_every_family_is_held_out_as_a_whole_and_equally_often(sizes: tuple[int, ...]) -> None:
    table = with_families(sizes)
    outer = drawn(table, "family")
    assert separated_groups(
        Splits(outer.fit, np.zeros_like(outer.fit), outer.test), _labels(table)
    ).empty
    assert set(outer.test.sum(axis=0)) == {2}
    assert outer.n_splits == 2 * min(5, len(sizes))
    assert (outer.fit | outer.test).all()


def _labels(table: eevee.ResultsTable) -> np.ndarray:
    return group_labels(table, "family")


def test_a_family_that_random_draws_never_test_is_held_out_too() -> None:
    table = with_families((20, 5, 4, 3))
    large = _labels(table) == 0
    assert not eevee.splits.family_splits(table).test[:, large].any()
    assert drawn(table, "family").test[:, large].sum() == 2 * 20


def test_at_the_frontier_no_model_that_is_trained_on_stands_above_one_that_is_tested() -> None:
    table = with_families()
    outer = drawn(table, "frontier")
    values = table.scores.to_numpy()
    standing = ((values - values.mean(axis=0)) / table.units.to_numpy()).mean(axis=1)
    for fit, test in zip(outer.fit, outer.test, strict=True):
        assert standing[fit].max() < standing[test].min()


def test_in_time_no_model_that_is_trained_on_is_later_than_one_that_is_tested() -> None:
    table = with_families()
    outer = drawn(table, "time")
    years = table.models["date"].astype(int).to_numpy()
    for fit, test in zip(outer.fit, outer.test, strict=True):
        assert years[fit].max() < years[test].min()


@pytest.mark.parametrize("kind", ["frontier", "time"])
def test_all_models_that_are_not_held_out_are_searched_on_and_as_many_as_in_a_fold(
    kind: str,
) -> None:
    outer = drawn(with_families(), kind)
    assert outer.n_splits == 10
    assert (outer.fit | outer.test).all()
    assert abs(outer.test.sum(axis=1) - 30 / 5).max() <= 2


@pytest.mark.parametrize("kind", ["family", "frontier", "time"])
def test_what_belongs_together_is_never_parted(kind: str) -> None:
    table = with_families((6,) * 5)
    values = table.scores.to_numpy().copy()
    values[[0, 7, 20]] = values[[29, 28, 3]]
    table = eevee.ResultsTable.from_scores(
        pd.DataFrame(values, table.scores.index, table.scores.columns), models=table.models
    )
    together = duplicate_groups(table)
    for labels, parted in ((None, True), (together, False)):
        outer = drawn(table, kind, together=labels)
        sides = Splits(outer.fit, np.zeros_like(outer.fit), outer.test)
        if kind == "family" or not parted:
            assert separated_groups(sides, together).empty != parted


@pytest.mark.parametrize(
    ("kind", "families", "message"),
    [
        ("family", "maker", "splits of kind family: models have no attribute 'maker'; there are:"),
        ("family", ["x"] * 30, "splits of kind family: all models are of one family"),
        ("family", ["x"] * 29 + ["y"], "splits of kind family: the largest group"),
        ("family", ["x"], "splits of kind family: 1 group labels for 30 models"),
    ],
)
def test_families_that_cannot_be_split_by_are_refused(
    kind: str, families: Groups, message: str
) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        drawn(with_families(), kind, families=families)


def test_families_that_near_duplicates_link_into_one_are_refused() -> None:
    table = with_families((3, 3))
    with pytest.raises(eevee.EeveeError, match="of one family once near-duplicates are joined"):
        drawn(table, "family", together=np.array([0, 1, 2, 0, 3, 4]))


def test_dates_that_are_missing_are_named() -> None:
    with pytest.raises(eevee.EeveeError, match="kind time: models have no attribute 'released'"):
        drawn(with_families(), "time", date="released")
    bare = made_table(20, 4)
    with pytest.raises(eevee.EeveeError, match="kind time: no attribute 'date': the models have"):
        drawn(bare, "time")


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (("random", "familly"), "no splits of kind 'familly'.*family.*there are random, family"),
        (("random", "random"), "each kind of splits once"),
        ((), "at least one"),
    ],
)
def test_kinds_are_known_and_named_once(kinds: tuple[str, ...], message: str) -> None:
    assert checked_kinds(KINDS) == KINDS
    with pytest.raises(eevee.EeveeError, match=message):
        checked_kinds(kinds)
