"""Evolution finds the exhaustive optimum: all subsets of shipped tables are scored once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

import eevee
from eevee.base.arrays import round6
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from tests.search.function_scorer import FunctionScorer

DATA = Path(__file__).parents[2] / "data"
SEEDS = range(10)
PAPER = Evolution.paper(patience=3)
# Smaller spaces are searched by fewer: the paper's numbers visit nearly all of 1,820 subsets.
FEWER = Evolution.paper(population=600, winners=50, children=6, patience=3)
FEW = Evolution.paper(population=300, winners=30, children=5, patience=3)


def _bbh() -> eevee.ResultsTable:
    return eevee.read_table(DATA / "bbh" / "scores.csv")


def _vtab() -> eevee.ResultsTable:
    return eevee.read_table(DATA / "vtab" / "scores.csv")


def _complete_helm() -> eevee.ResultsTable:
    """The models that were measured on every scenario: all 16 scenarios, nothing missing."""
    table = eevee.read_table(DATA / "helm" / "scores.csv")
    complete = table.take_models(table.scores.notna().all(axis=1).to_numpy())
    assert complete.coverage == 1.0
    assert (complete.n_models, complete.n_benchmarks) == (29, 16)
    return complete


@pytest.mark.parametrize(
    ("read", "k", "scorer", "evolution"),
    [(_bbh, 4, "ridge", PAPER), (_vtab, 4, "mlp", FEWER), (_complete_helm, 4, "ridge", FEW)],
    ids=["bbh-4", "vtab-4", "helm-4"],
)
@pytest.mark.slow
def test_evolution_finds_the_optimum_in_at_least_nine_of_ten_seeds(
    read: Callable[[], eevee.ResultsTable], k: int, scorer: str, evolution: Evolution
) -> None:
    table = read()
    splits = eevee.shuffle_splits(table, n_splits=2)
    everything = list(combinations(table.benchmark_names, k))
    assert len(everything) == comb(table.n_benchmarks, k)
    options = {"epochs": 10} if scorer == "mlp" else {}
    losses = eevee.make_scorer(scorer, table, splits, **options).losses(everything)
    known = dict(zip(everything, losses.tolist(), strict=True))
    optimum = round6(min(known.values()))
    hits = 0
    for seed in SEEDS:
        looked_up = FunctionScorer(table, known.__getitem__)
        found = evolve(looked_up, k, seed=seed, exhaustive=False, n_rescore=0, evolution=evolution)
        assert not found.exact
        hits += round6(found.best_row["loss"]) == optimum
    print(f"{read.__name__} k={k}: {hits} of {len(SEEDS)} seeds")
    assert hits >= 9
