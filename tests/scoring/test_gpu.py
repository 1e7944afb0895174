from __future__ import annotations

import numpy as np
import pytest
import torch

import eevee
from tests.conftest import made_table
from tests.scoring.tables import few_splits, rich_table

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
        eevee.MLPScorer(table, splits, epochs=20, targets=targets, device=device).score(subsets)
        for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(cuda, cpu, rtol=1e-4)
