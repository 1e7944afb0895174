from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eevee
from eevee.splits import near_duplicates
from eevee.splits.groups import group_labels, joined
from eevee.splits.near_duplicates import (
    Leak,
    duplicate_groups,
    find_leak,
    kept_together,
    separated_groups,
)
from tests.conftest import made_table
from tests.scorers.tables import rich_table, with_scores

DATA = Path(__file__).parents[3] / "shared" / "data"


def members(labels: np.ndarray) -> list[list[int]]:
    """The groups of more than one model."""
    found = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    return [group for group in found if len(group) > 1]


def with_rows(table: eevee.ResultsTable, rows: np.ndarray) -> eevee.ResultsTable:
    """The table with more models, in the units that it had."""
    values = np.vstack([table.scores.to_numpy(), rows])
    names = [f"m{i:03d}" for i in range(len(values))]
    scores = pd.DataFrame(values, names, table.scores.columns)
    return eevee.ResultsTable(
        scores, table.columns, table.benchmarks, pd.DataFrame(index=names), table.units
    )


def by_pairs(table: eevee.ResultsTable, tolerance: float) -> list[set[int]]:
    """Near-duplicates pair by pair, linked by hand."""
    values = table.oriented[:, table.is_target] / table.units.to_numpy()[table.is_target]
    groups = [{i} for i in range(len(values))]
    for i in range(len(values)):
        for j in range(i):
            difference = values[i] - values[j]
            shared = (~np.isnan(difference)).sum()
            either = (~np.isnan(values[i]) | ~np.isnan(values[j])).sum()
            if shared < 3 or 2 * shared < either:
                continue
            if np.sqrt(np.nanmean(difference**2)) < tolerance:
                one, other = (next(g for g in groups if k in g) for k in (i, j))
                if one is not other:
                    groups.remove(other)
                    one |= other
    return sorted((group for group in groups if len(group) > 1), key=min)


@pytest.mark.parametrize("tolerance", [0.02, 0.05, 0.09])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_groups_are_those_found_pair_by_pair(tolerance: float, missing: float) -> None:
    table = rich_table(30, missing=missing)
    rng = np.random.default_rng(1)
    noise = 0.05 * rng.normal(size=(10, table.n_columns)) * table.units.to_numpy()
    table = with_rows(table, table.scores.to_numpy()[:10] + noise)
    found = [set(group) for group in members(duplicate_groups(table, tolerance=tolerance))]
    assert found == by_pairs(table, tolerance)


def test_labels_count_up_in_the_order_of_first_members() -> None:
    labels = duplicate_groups(with_rows(made_table(5), made_table(5).scores.to_numpy()[[3, 1]]))
    assert labels.tolist() == [0, 1, 2, 3, 4, 3, 1]


@given(scale=st.floats(1e-3, 1e4), shift=st.floats(-1e4, 1e4))
@pytest.mark.slow
def test_scales_shifts_and_directions_of_columns_do_not_matter(scale: float, shift: float) -> None:
    table = with_rows(made_table(12), made_table(12).scores.to_numpy()[:2] + 0.01)
    moved = eevee.ResultsTable.from_scores(shift - scale * table.scores)
    plain = eevee.ResultsTable.from_scores(table.scores)
    assert members(duplicate_groups(plain)) == [[0, 12], [1, 13]]
    assert duplicate_groups(moved).tolist() == duplicate_groups(plain).tolist()


def test_near_duplicates_of_near_duplicates_are_one_group() -> None:
    table = made_table(12)
    step = 0.04 * table.units.to_numpy()
    row = table.scores.to_numpy()[0]
    labels = duplicate_groups(with_rows(table, np.stack([row + step, row + 2 * step])))
    assert members(labels) == [[0, 12, 13]]


def test_equal_rows_count_even_if_every_model_has_six_copies() -> None:
    rows = made_table(5).scores.to_numpy()
    labels = duplicate_groups(with_rows(made_table(5), np.tile(rows, (5, 1))))
    assert labels.tolist() == list(range(5)) * 6


def test_two_shared_columns_or_fewer_than_half_are_not_enough() -> None:
    values = np.full((12, 9), np.nan)
    values[2:] = made_table(10).scores.to_numpy()
    values[0, :3] = values[1, 1:4] = 0.5
    table = with_scores(made_table(12), values)
    assert not members(duplicate_groups(table))
    values[1, 0] = 0.5  # now three of four columns are shared
    assert members(duplicate_groups(with_scores(made_table(12), values))) == [[0, 1]]
    values[1, 4:8] = 0.1  # three of eight
    assert not members(duplicate_groups(with_scores(made_table(12), values)))


def test_models_that_stand_close_together_are_not_tied_into_a_chain() -> None:
    line = np.linspace(0, 3, 600)[:, None] * np.ones(4)
    table = eevee.ResultsTable.from_scores(pd.DataFrame(line, columns=list("abcd")))
    assert not members(duplicate_groups(table))


def test_where_columns_repeat_each_other_and_models_are_many_chance_makes_no_duplicates() -> None:
    """Two accuracies and their complements: only models that are copied are near-duplicates."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 2))
    values[:20] = values[100:120] + 1e-5 * rng.normal(size=(20, 2))
    table = eevee.ResultsTable.from_scores(
        pd.DataFrame(np.hstack([values, 1 - values]), columns=list("abcd"))
    )
    found = members(duplicate_groups(table))
    assert all([i, 100 + i] in found for i in range(20))
    assert len(found) <= 25


def test_a_tolerance_that_is_not_positive_is_refused() -> None:
    with pytest.raises(eevee.EeveeError, match="tolerance must be above 0, got 0"):
        duplicate_groups(made_table(), tolerance=0)


@pytest.mark.skipif(not DATA.is_dir(), reason="the public tables (shared/data) are not here")
@pytest.mark.parametrize(
    ("name", "groups", "pair"),
    [
        ("openclip_38.csv", 9, {"ViT-B-32|openai", "ViT-B-32-quickgelu|openai"}),
        (
            "mteb_eng_v2_complete.csv",
            2,
            {"jinaai/jina-embeddings-v5-omni-nano", "jinaai/jina-embeddings-v5-text-nano"},
        ),
        ("timm_6.csv", 5, {"levit_384.fb_dist_in1k@224", "levit_conv_384.fb_dist_in1k@224"}),
        ("bbh_27.csv", 0, None),
    ],
)
def test_on_public_tables_they_are_one_model_under_two_names(
    name: str, groups: int, pair: set[str] | None
) -> None:
    table = eevee.read_table(DATA / name)
    found = members(duplicate_groups(table))
    assert len(found) == groups
    assert all(len(group) == 2 for group in found)
    if pair:
        assert pair in [{table.model_names[i] for i in group} for group in found]


def test_random_splits_straddle_duplicates_and_splits_by_their_groups_do_not() -> None:
    table = with_rows(made_table(20), made_table(20).scores.to_numpy()[:4])
    labels = duplicate_groups(table)
    apart = separated_groups(eevee.shuffle_splits(table), labels)
    assert apart["members"].tolist() == [(i, 20 + i) for i in range(4)]
    assert apart["n_splits"].between(1, 10).all()
    for make in (eevee.shuffle_splits, eevee.fold_splits, eevee.splits.frontier_splits):
        assert separated_groups(make(table, groups=labels), labels).empty


def test_straddling_counts_train_against_validation_too() -> None:
    train = np.array([[True, False, False]])
    splits = eevee.splits.Splits(
        train=train, validation=train[:, [1, 0, 2]], test=train[:, [1, 2, 0]]
    )
    assert separated_groups(splits, [0, 0, 1])["n_splits"].tolist() == [1]
    assert separated_groups(splits, [0, 1, 2]).empty


def test_straddling_wants_one_label_per_model() -> None:
    with pytest.raises(eevee.EeveeError, match="3 group labels for 24 models"):
        separated_groups(eevee.shuffle_splits(made_table()), [0, 1, 2])


@given(pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=20))
def test_joined_groups_are_the_finest_that_neither_grouping_cuts(
    pairs: list[tuple[int, int]],
) -> None:
    first, second = np.array(pairs).T
    found = joined(first, second)
    merged = np.arange(len(pairs))
    for _ in pairs:
        for labels in (first, second):
            for label in set(labels):
                merged[labels == label] = merged[np.isin(merged, merged[labels == label])].min()
                for value in set(merged[labels == label]):
                    merged[merged == value] = merged[labels == label].min()
    assert (found[:, None] == found).tolist() == (merged[:, None] == merged).tolist()


def test_labels_may_be_an_attribute_a_list_or_an_array() -> None:
    table = made_table(4, 2)
    table.models["lab"] = ["x", None, "x", "y"]
    for groups in ("lab", ["x", None, "x", "y"], np.array([3.0, np.nan, 3.0, 1.0])):
        labels = group_labels(table, groups)
        assert labels[0] == labels[2]
        assert len(set(labels)) == 3
    assert group_labels(table, None).tolist() == [0, 1, 2, 3]


def test_kept_together_joins_groups_and_near_duplicates_and_is_none_where_all_may_be_apart() -> (
    None
):
    table = with_rows(made_table(6), made_table(6).scores.to_numpy()[[0, 3]])
    assert kept_together(table) is None
    assert kept_together(made_table(6), duplicates=True) is None
    same = kept_together(table, duplicates=True)
    assert same is not None
    assert members(same) == [[0, 6], [3, 7]]
    both = kept_together(table, ["a", "a", "b", "b", "c", "d", "e", "f"], duplicates=True)
    assert both is not None
    assert members(both) == [[0, 1, 6], [2, 3, 7]]


def test_a_leak_counts_what_any_of_several_splits_parts() -> None:
    table = with_rows(made_table(6), made_table(6).scores.to_numpy()[[0, 3]])

    def testing(*places: int) -> eevee.splits.Splits:
        test = np.isin(np.arange(8), places)[None]
        return eevee.splits.Splits(train=~test, validation=np.zeros_like(test), test=test)

    assert find_leak(table, testing(0, 6), testing(1, 2)) is None
    assert find_leak(table, testing(0, 6), testing(2, 7)) == Leak(2, 1, ("m003", "m007"))
    assert find_leak(table, testing(2, 7), testing(3), testing(6)) == Leak(4, 2, ("m000", "m006"))


def test_many_models_are_compared_block_by_block_with_the_same_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 6))
    rows[40:] = rows[:20] + 1e-4
    rows[rng.random(rows.shape) < 0.1] = np.nan
    table = eevee.ResultsTable.from_scores(
        pd.DataFrame(rows, columns=list("abcdef")).rename(index=str)
    )
    whole = near_duplicates.duplicate_groups(table)
    monkeypatch.setattr(near_duplicates, "BLOCK", 7 * 60)
    assert near_duplicates.duplicate_groups(table).tolist() == whole.tolist()
    assert len(np.unique(whole)) < 55
