"""A score is a function of (table, splits, configuration, subset), bit for bit."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table

DATA = Path(__file__).parents[3] / "data"
TABLE = made_table(20, 40, missing=0.1, seed=5)
SPLITS = few_splits(TABLE)
SIZES = (1, 2, 3, 5, 8, 13, 21, 34, 40)


def _subsets(per_size: int = 7) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(0)
    names = TABLE.benchmark_names
    drawn = [
        tuple(sorted(names[i] for i in rng.choice(len(names), size, replace=False)))
        for size in SIZES
        for _ in range(per_size)
    ]
    return list(dict.fromkeys(drawn))


SUBSETS = _subsets()


def _scorer(**options) -> eevee.MLPScorer:
    return eevee.MLPScorer(TABLE, SPLITS, **({"epochs": 8} | options))


@cache
def _alone(targets: str = "all", n_init: int = 1) -> np.ndarray:
    """Losses of the subsets, each scored by itself."""
    scorer = _scorer(targets=targets, n_init=n_init)
    return np.concatenate([scorer.split_losses([subset]) for subset in SUBSETS])


@pytest.mark.parametrize("targets", ["all", "unseen"])
@pytest.mark.parametrize("n_init", [1, 3])
@pytest.mark.parametrize("chunk_size", [1, 3, 32, None])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_chunks_and_threads_change_nothing(chunk_size, n_threads, n_init, targets) -> None:
    scorer = _scorer(chunk_size=chunk_size, n_threads=n_threads, n_init=n_init, targets=targets)
    np.testing.assert_array_equal(scorer.split_losses(SUBSETS), _alone(targets, n_init))


@settings(max_examples=15, deadline=None)
@given(
    chosen=st.lists(st.sampled_from(range(len(SUBSETS))), min_size=1, max_size=40),
    chunk_size=st.sampled_from([1, 2, 5, 16, 64]),
)
def test_the_batch_around_a_subset_changes_nothing(chosen: list[int], chunk_size: int) -> None:
    found = _scorer(chunk_size=chunk_size).split_losses([SUBSETS[i] for i in chosen])
    np.testing.assert_array_equal(found, _alone()[chosen])


def test_the_order_of_names_and_of_subsets_changes_nothing() -> None:
    shuffled = [random.Random(0).sample(subset, len(subset)) for subset in SUBSETS]
    order = random.Random(1).sample(range(len(SUBSETS)), len(SUBSETS))
    found = _scorer().split_losses([shuffled[i] for i in order])
    np.testing.assert_array_equal(found, _alone()[order])


def test_scoring_twice_gives_the_same_as_a_fresh_scorer() -> None:
    scorer = _scorer()
    first = scorer.split_losses(SUBSETS)
    np.testing.assert_array_equal(scorer.split_losses(SUBSETS[::-1])[::-1], first)
    np.testing.assert_array_equal(first, _alone())


def test_rescoring_is_deterministic_batch_free_and_uses_other_initialisations() -> None:
    scorer = _scorer()
    some = SUBSETS[::6]
    again = scorer.rescore(some, 3)
    assert again.shape == (len(some), 3)
    np.testing.assert_array_equal(_scorer(chunk_size=1).rescore(some[::-1], 3)[::-1], again)
    np.testing.assert_array_equal(scorer.rescore(some, 2), again[:, :2])
    used = np.column_stack([scorer.losses(some), again])
    assert all(len(set(row)) == 4 for row in used.tolist())


def test_rescoring_leaves_scores_as_they_were() -> None:
    scorer = _scorer()
    scorer.rescore(SUBSETS[:5], 2)
    np.testing.assert_array_equal(scorer.split_losses(SUBSETS[:5]), _alone()[:5])


def test_rescoring_with_averaged_initialisations_repeats_none_of_them() -> None:
    some = SUBSETS[:4]
    singles = np.column_stack([_scorer().losses(some), _scorer().rescore(some, 8)])
    averaged = _scorer(n_init=3).rescore(some, 2)
    assert (averaged[:, 0] < singles[:, 3:6].mean(axis=1)).all()
    assert (averaged[:, 1] < singles[:, 6:9].mean(axis=1)).all()


def test_another_seed_gives_other_losses() -> None:
    assert (_scorer(seed=1).split_losses(SUBSETS[:5]) != _alone()[:5]).all()


def test_the_order_of_columns_and_of_benchmarks_in_the_file_changes_only_rounding() -> None:
    table = rich_table()
    order = np.random.default_rng(0).permutation(table.n_columns)
    shuffled = ResultsTable.from_scores(
        table.scores.iloc[:, order],
        columns=table.columns.iloc[order],
        benchmarks=table.benchmarks.iloc[::-1],
    )
    splits = few_splits(table)
    subsets = [("ant", "bee"), ("gnu",)]
    one, other = (eevee.MLPScorer(t, splits, epochs=10).losses(subsets) for t in (table, shuffled))
    np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("factor", [1000.0, 1e-3])
@pytest.mark.parametrize("shift", [0.0, 7.0])
def test_a_column_in_another_unit_changes_only_rounding(factor: float, shift: float) -> None:
    table = rich_table()
    scores = table.scores.copy()
    for name in ("ant.m0", "bee.m1"):
        scores[name] = factor * (scores[name] + shift)
    other = ResultsTable.from_scores(scores, columns=table.columns, benchmarks=table.benchmarks)
    splits = few_splits(table)
    subsets = [("ant", "bee"), ("gnu",), table.benchmark_names]
    losses = [eevee.MLPScorer(t, splits, epochs=10).losses(subsets) for t in (table, other)]
    np.testing.assert_allclose(*losses, rtol=1e-5)


def test_a_column_turned_over_with_its_direction_changes_nothing() -> None:
    table = rich_table()
    turned = [name for i, name in enumerate(table.scores.columns) if i % 2]
    scores, columns = table.scores.copy(), table.columns.copy()
    scores[turned] *= -1
    columns.loc[turned, "direction"] = [
        "lower" if old == "higher" else "higher" for old in columns.loc[turned, "direction"]
    ]
    other = ResultsTable.from_scores(scores, columns=columns, benchmarks=table.benchmarks)
    splits = few_splits(table)
    subsets = [("ant", "bee"), ("gnu",), table.benchmark_names]
    losses = [eevee.MLPScorer(t, splits, epochs=10).split_losses(subsets) for t in (table, other)]
    np.testing.assert_array_equal(*losses)


def test_the_order_of_models_changes_only_rounding() -> None:
    table = rich_table()
    order = np.random.default_rng(0).permutation(table.n_models)
    splits = few_splits(table)
    other = replace(
        table, scores=table.scores.iloc[order], models=pd.DataFrame(index=table.models.index[order])
    )
    masks = {s: getattr(splits, s)[:, order] for s in ("train", "validation", "test")}
    subsets = [("ant", "bee"), ("gnu",)]
    one = eevee.MLPScorer(table, splits, epochs=10).losses(subsets)
    two = eevee.MLPScorer(other, eevee.splits.Splits(**masks), epochs=10).losses(subsets)
    np.testing.assert_allclose(one, two, rtol=1e-5)


def test_training_draws_nothing_from_global_random_states() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # noqa: NPY002
    scorer = _scorer(epochs="auto")
    scorer.losses(SUBSETS[:3])
    scorer.rescore(SUBSETS[:2], 2)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # noqa: NPY002
    assert before == after


def test_global_seeds_change_nothing() -> None:
    torch.manual_seed(99)
    np.random.seed(99)  # noqa: NPY002
    random.seed(99)
    np.testing.assert_array_equal(_scorer().split_losses(SUBSETS[:3]), _alone()[:3])


@pytest.mark.parametrize("threads", [1, 2])
def test_torch_keeps_its_thread_count_and_grad_mode(threads: int) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        _scorer(n_threads=2, chunk_size=1).losses(SUBSETS[:4])
        assert torch.get_num_threads() == threads
        assert torch.is_grad_enabled()
        with torch.inference_mode():
            _scorer().losses(SUBSETS[:1])
        assert torch.is_grad_enabled()
    finally:
        torch.set_num_threads(before)


def test_scoring_inside_a_no_grad_block_gives_the_same() -> None:
    with torch.no_grad():
        np.testing.assert_array_equal(_scorer().split_losses(SUBSETS[:3]), _alone()[:3])
    with torch.inference_mode():
        np.testing.assert_array_equal(_scorer().split_losses(SUBSETS[:3]), _alone()[:3])


@pytest.mark.parametrize("name", ["bbh", "helm", "vtab", "zoo"])
def test_on_shipped_tables_chunks_and_threads_change_nothing(name: str) -> None:
    table = eevee.read_table(DATA / name / "scores.csv")
    splits = few_splits(table)
    rng = np.random.default_rng(0)
    subsets = [
        tuple(rng.choice(table.benchmark_names, size, replace=False))
        for size in (1, 4, 9, 15)
        for _ in range(4)
    ]
    scorers = [
        eevee.MLPScorer(table, splits, epochs=10, chunk_size=size, n_threads=threads)
        for size, threads in ((1, 1), (3, 2), (None, 1))
    ]
    alone, *others = (scorer.split_losses(subsets) for scorer in scorers)
    for other in others:
        np.testing.assert_array_equal(alone, other)
