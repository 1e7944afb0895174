"""Candidates per second of the factor model: `python -m tests.benchmarks.bench_factor`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import eevee
from eevee.base.arrays import Subset
from eevee.scorers.factor.scorer import FactorScorer
from eevee.tables.results_table import ResultsTable

DATA = Path(__file__).parents[2].parent / "shared" / "data"
TABLES = ("llm_benchpress_83x49", "llm_crowdsource_cpp", "obs_joined_22", "helm_accuracy")
N_SUBSETS = 20_000
REPEATS = 5
K = 5
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "auto": {},
    "logit in every split": {"logit": True},
    "logit in none": {"logit": False},
    "auto, rank too": {"rank": "auto"},
    "auto, unseen": {"targets": "unseen"},
}


def draw(table: ResultsTable, size: int, count: int) -> list[Subset]:
    """Distinct subsets, so that none is answered from the cache."""
    rng = np.random.default_rng(0)
    names = np.array(table.benchmark_names)
    drawn = {table.subset(rng.choice(names, size, replace=False)) for _ in range(count)}
    return sorted(drawn)


def show(table: ResultsTable, configuration: str, n_threads: int) -> None:
    splits = eevee.shuffle_splits(table)
    subsets = draw(table, min(K, table.n_benchmarks), N_SUBSETS)
    start = time.perf_counter()
    scorer = FactorScorer(table, splits, n_threads=n_threads, **CONFIGURATIONS[configuration])
    loss = scorer.losses(subsets[:100]).mean()
    fitting = time.perf_counter() - start
    wall, cpu = [], []
    for _ in range(REPEATS):
        scorer._cache.clear()
        start, busy = time.perf_counter(), time.process_time()
        scorer.losses(subsets)
        wall.append(len(subsets) / (time.perf_counter() - start))
        cpu.append(len(subsets) / (time.process_time() - busy))
    print(
        f"  {configuration:22s} {n_threads} threads  fit {fitting:5.1f} s  "
        f"candidates/s: best {max(wall):7.0f}, median {np.median(wall):7.0f}; per CPU second: "
        f"best {max(cpu):7.0f}, median {np.median(cpu):7.0f}  mean loss {loss:.3f} "
        f"(mean predictor {scorer.mean_predictor().mean():.3f})"
    )


def main() -> None:
    if not DATA.is_dir():
        print(f"skipped: the public tables are not here ({DATA})")
        return
    for name in TABLES:
        table = eevee.read_table(DATA / f"{name}.csv")
        print(
            f"{name}: {table.n_models} x {table.n_columns}, {1 - table.coverage:.0%} missing, "
            f"k = {K}, 10 splits, {N_SUBSETS} subsets, {REPEATS} repeats"
        )
        chosen = CONFIGURATIONS if name == TABLES[0] else ["auto"]
        for configuration in chosen:
            for n_threads in sorted({1, torch.get_num_threads()}):
                show(table, configuration, n_threads)


if __name__ == "__main__":
    sys.exit(main())
