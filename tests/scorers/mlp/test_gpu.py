from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

import eevee
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.mark.parametrize("table", [made_table(40, 20), rich_table(30, missing=0.2)])
@pytest.mark.parametrize("targets", ["all", "unseen"])
def test_cuda_agrees_with_the_cpu_at_20_epochs(table: eevee.ResultsTable, targets: str) -> None:
    splits = few_splits(table, 10)
    rng = np.random.default_rng(0)
    names = table.benchmark_names
    subsets = [
        tuple(names[i] for i in rng.choice(len(names), size, replace=False))
        for size in (1, 2, 4, 6)
        for _ in range(50)
    ]
    cpu, cuda = (
        eevee.MLPScorer(table, splits, epochs=20, targets=targets, device=device).losses(subsets)
        for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(cuda, cpu, rtol=1e-4)


def _subsets(table: eevee.ResultsTable, count: int, size: int) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(1)
    names = table.benchmark_names
    return [tuple(rng.choice(names, size, replace=False)) for _ in range(count)]


def test_cuda_agrees_with_the_cpu_after_long_training() -> None:
    """Rounding grows with training: the order of the subsets still stands."""
    table = made_table(40, 30)
    splits = few_splits(table, 5)
    subsets = _subsets(table, 500, 8)
    cpu, cuda = (
        eevee.MLPScorer(table, splits, epochs=150, device=device).losses(subsets)
        for device in ("cpu", "cuda")
    )
    relative = np.abs(cuda / cpu - 1)
    assert np.median(relative) < 1e-3
    assert relative.max() < 1e-2
    assert spearmanr(cpu, cuda).statistic > 0.999


def test_chunks_change_nothing_on_cuda() -> None:
    table = made_table(40, 20)
    splits = few_splits(table, 5)
    subsets = _subsets(table, 40, 5)
    losses = {
        tuple(
            eevee.MLPScorer(table, splits, epochs=20, device="cuda", chunk_size=n).losses(subsets)
        )
        for n in (1, 3, 40)
    }
    assert len(losses) == 1


def test_a_users_tf32_setting_is_left_alone_and_has_no_say() -> None:
    table = made_table(40, 20)
    splits = few_splits(table, 2)
    subsets = _subsets(table, 20, 5)
    before = torch.backends.cuda.matmul.allow_tf32
    found = []
    try:
        for allowed in (False, True):
            torch.backends.cuda.matmul.allow_tf32 = allowed
            scorer = eevee.MLPScorer(table, splits, epochs=20, device="cuda")
            found.append(scorer.losses(subsets).tolist())
            assert torch.backends.cuda.matmul.allow_tf32 is allowed
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    assert found[0] == found[1]
