"""Compare searches with the paper's: `python -m tests.benchmarks.bench_search`.

    python -m tests.benchmarks.bench_search [table ...] [--scorer ridge] [--ks 4 8] [--seeds 0 1]

Every search minimises the same loss on the same splits. "Gap" is how far the lowest loss that a
search scored lies above the lowest that any search of any seed scored at that table and size;
"evaluations" counts subsets until a search first scored its own best, what a warm start scored
included, a screened child of a race as the share of splits that it was scored on; "hits" counts
searches that reached the best known.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import eevee
from eevee.scorers.base import Scorer
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.greedy import greedy, greedy_swaps
from eevee.search.result import SearchResult
from tests.benchmarks.bench_screen import TABLES, read

N_SPLITS = 10
RACED = 3
MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "helm": ("helm/scores.csv", {"min_coverage": 0.9}),
    "vtab": ("vtab/scores.csv", {}),
}
PAPER = Evolution.paper()
Run = Callable[[Callable[[], Scorer], int, int], tuple[SearchResult, float]]


@dataclass(frozen=True)
class Outcome:
    """What one search found and what it took."""

    table: str
    k: int
    seed: int
    search: str
    loss: float
    evaluations: float
    seconds: float


def evolving(evolution: Evolution) -> Run:
    """An evolution from scratch; what its warm start scored is counted."""

    def run(make: Callable[[], Scorer], k: int, seed: int) -> tuple[SearchResult, float]:
        scorer = make()
        found = evolve(scorer, k, seed=seed, evolution=evolution, exhaustive=False, n_rescore=0)
        return found, len(scorer._cache) - len(found.evaluated)

    return run


def from_smaller(make: Callable[[], Scorer], k: int, seed: int) -> tuple[SearchResult, float]:
    """Begin also with the best of k - 1 and each other benchmark, as the authors' later code."""
    scorer = make()
    options: dict[str, Any] = {"seed": seed, "exhaustive": False, "n_rescore": 0}
    smaller = evolve(scorer, k - 1, evolution=PAPER, **options)
    names = [name for name in scorer.table.benchmark_names if name not in smaller.best]
    include = [(*smaller.best, name) for name in names]
    found = evolve(scorer, k, evolution=PAPER, include=include, **options)
    return found, len(smaller.evaluated)


def from_greedy(make: Callable[[], Scorer], k: int, seed: int) -> tuple[SearchResult, float]:
    """Begin also with what greedy search finds."""
    scorer = make()
    first = greedy(scorer, k, n_rescore=0)
    options: dict[str, Any] = {"seed": seed, "exhaustive": False, "n_rescore": 0}
    found = evolve(scorer, k, evolution=PAPER, include=[first.best], **options)
    return found, len(first.evaluated)


def racing(make: Callable[[], Scorer], k: int, seed: int) -> tuple[SearchResult, float]:
    """Score ten times the children on a few splits, and the best of them on all."""
    scorer = make()
    few = eevee.RidgeScorer(scorer.table, scorer.splits.take(range(RACED)))
    found = evolve(scorer, k, seed=seed, evolution=PAPER, screen=few, exhaustive=False, n_rescore=0)
    return found, len(few._cache) * RACED / N_SPLITS


def simple(search: Callable[..., SearchResult]) -> Run:
    """A search without a seed."""
    return lambda make, k, seed: (search(make(), k, n_rescore=0), 0)


SEARCHES: dict[str, Run] = {
    "paper": evolving(PAPER),
    "paper, patience 3": evolving(Evolution.paper(patience=3)),
    "+ k - 1": from_smaller,
    "paper, 30 generations": evolving(Evolution.paper(generations=30)),
    "+ greedy before": from_greedy,
    "+ swaps after": evolving(replace(PAPER, polish=True, patience=3)),
    "+ greedy and swaps after": evolving(Evolution()),
    "+ racing": racing,
    "greedy": simple(greedy),
    "greedy + swaps": simple(greedy_swaps),
}


def outcomes(name: str, options: argparse.Namespace) -> Iterator[Outcome]:
    """Run every search at one table."""
    table = read(name)
    if table is None:
        return
    splits = eevee.shuffle_splits(table, n_splits=N_SPLITS, seed=0)

    def make() -> Scorer:
        if options.scorer == "ridge":
            return eevee.RidgeScorer(table, splits)
        return eevee.MLPScorer(table, splits, epochs=20)

    for k in options.ks:
        if k >= table.n_benchmarks:
            continue
        for seed in options.seeds:
            for search, run in SEARCHES.items():
                if search == "+ racing" and options.scorer != "ridge":
                    continue
                begun = time.perf_counter()
                found, before = run(make, k, seed)
                seconds = time.perf_counter() - begun
                losses = found.evaluated.loc[found.evaluated["size"] == k, "loss"]
                first = found.evaluated.index.get_loc(losses.idxmin()) + 1
                yield Outcome(name, k, seed, search, losses.min(), first + before, seconds)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per search: mean over tables, sizes and seeds."""
    best = frame.groupby(["table", "k"])["loss"].transform("min")
    frame = frame.assign(
        gap=100 * (frame["loss"] / best - 1), hit=frame["loss"] <= best * (1 + 1e-9)
    )
    grouped = frame.groupby("search", sort=False)
    return pd.DataFrame(
        {
            "mean gap (%)": grouped["gap"].mean(),
            "worst gap (%)": grouped["gap"].max(),
            "hits (%)": 100 * grouped["hit"].mean(),
            "evaluations": grouped["evaluations"].mean(),
            "seconds": grouped["seconds"].mean(),
        }
    )


def show(frame: pd.DataFrame, title: str, console: Console) -> None:
    """Print a frame."""
    shown = Table(title=title)
    shown.add_column("search")
    for name in frame.columns:
        shown.add_column(str(name), justify="right")
    for name, row in frame.iterrows():
        shown.add_row(
            str(name), *(f"{value:.3g}" if value < 100 else f"{value:.0f}" for value in row)
        )
    console.print(shown)


def main() -> None:
    """Run, and print means and the mean gap by table."""
    parser = argparse.ArgumentParser(description=__doc__)
    TABLES.update(MORE)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--scorer", choices=["ridge", "mlp"], default="ridge")
    parser.add_argument("--ks", type=int, nargs="+", default=[4, 8, 12])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    console = Console(width=130)
    rows: list[Outcome] = []
    for name in options.tables:
        rows += outcomes(name, options)
        print(name, len(rows), flush=True)
    frame = pd.DataFrame(rows)
    show(summary(frame), f"{options.scorer}, k = {options.ks}, seeds {options.seeds}", console)
    best = frame.groupby(["table", "k"])["loss"].transform("min")
    frame["gap"] = 100 * (frame["loss"] / best - 1)
    by_table = frame.pivot_table(index="search", columns="table", values="gap", sort=False)
    show(by_table, "mean gap to the best known (%) by table", console)
    assert np.isfinite(frame["loss"]).all()


if __name__ == "__main__":
    main()
