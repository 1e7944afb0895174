"""How fast ridge scores subsets: `python -m tests.benchmarks.bench_ridge [scores.csv]`.

Prints candidates per second, the ratio to scikit-learn's `cross_val_score` in the same run, how
much a table of 1,556 models slows it down. Both
clocks are read: wall time depends on what else the machine does, processor time much less.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import cross_val_score

import eevee
from eevee.base.arrays import Subset
from eevee.scorers.ridge.alpha import GRID
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.tables.results_table import ResultsTable

SIZE = 8
THREADS = 2
REPEATS = 5
N_SUBSETS = 4000
N_SLOW = 8


@dataclass(frozen=True)
class Rates:
    """Work items per second in each repeat, by the clock on the wall and by the processor's."""

    wall: np.ndarray
    cpu: np.ndarray

    def __str__(self) -> str:
        return f"{_spread(self.wall)} per s, {_spread(self.cpu)} per processor second"


def _spread(values: np.ndarray) -> str:
    return f"{np.median(values):,.1f} ({values.min():,.1f} to {values.max():,.1f})"


def made_table(n_models: int, n_columns: int = 38, seed: int = 0) -> ResultsTable:
    """Three skills and noise, no gaps."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_models, 3)) @ rng.normal(size=(3, n_columns))
    values += 0.5 * rng.normal(size=values.shape)
    return ResultsTable.from_scores(
        pd.DataFrame(values, columns=[f"b{i:03d}" for i in range(n_columns)])
    )


def random_subsets(table: ResultsTable, n: int, seed: int) -> list[Subset]:
    rng = np.random.default_rng(seed)
    names = np.array(table.benchmark_names)
    return [tuple(sorted(rng.choice(names, SIZE, replace=False))) for _ in range(n)]


def rates(works: dict[str, tuple[int, Callable[[], object]]]) -> dict[str, Rates]:
    """Run each work once to warm up, then all of them in turn, several times."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for repeat in range(REPEATS + 1):
        for name, (n_items, work) in works.items():
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            if repeat:
                taken[name].append((n_items / wall, n_items / cpu))
    return {name: Rates(*np.array(values).T) for name, values in taken.items()}


def score_of(table: ResultsTable, **options: object) -> tuple[int, Callable[[], object]]:
    """Score subsets with a scorer whose cache is emptied first, as in a search."""
    scorer = RidgeScorer(table, eevee.shuffle_splits(table), n_threads=THREADS, **options)  # type: ignore[arg-type]
    subsets = random_subsets(table, N_SUBSETS, seed=1)

    def work() -> None:
        scorer._cache.clear()
        scorer.losses(subsets)

    return len(subsets), work


def cross_validated(
    table: ResultsTable, regressor: object, n: int
) -> tuple[int, Callable[[], object]]:
    """The same splits with scikit-learn, on a table standardised beforehand."""
    splits = eevee.shuffle_splits(table)
    cv = [
        (np.flatnonzero(f), np.flatnonzero(t)) for f, t in zip(splits.fit, splits.test, strict=True)
    ]
    values = (table.oriented - table.oriented.mean(axis=0)) / table.oriented.std(axis=0)
    places = {name: i for i, name in enumerate(table.benchmark_names)}
    chosen = [[places[name] for name in s] for s in random_subsets(table, n, seed=1)]

    def work() -> None:
        for columns in chosen:
            cross_val_score(
                regressor, values[:, columns], values, cv=cv, scoring="neg_mean_squared_error"
            )

    return len(chosen), work


def report(table: ResultsTable, name: str) -> None:
    tall = made_table(1556)
    n_fit = int(eevee.shuffle_splits(table).fit[0].sum())
    measured = rates(
        {
            name: score_of(table),
            "made, 121 x 38": score_of(made_table(121)),
            "made, 1,556 x 38": score_of(tall),
            f"{name}, unseen": score_of(table, targets="unseen"),
            "made, 1,556 x 38, unseen": score_of(tall, targets="unseen"),
            "scikit-learn RidgeCV": cross_validated(table, RidgeCV(n_fit * GRID), N_SLOW),
            "scikit-learn Ridge": cross_validated(table, Ridge(n_fit / 10), N_SLOW),
        }
    )
    print(f"k = {SIZE}, 10 splits, alpha by GCV over {len(GRID)}, {THREADS} threads,")
    print(f"median (least to most) of {REPEATS} runs in turn; in candidates:")
    for what, rate in measured.items():
        print(f"  {what:28} {rate}")
    for what, top, bottom in (
        ("times scikit-learn's RidgeCV, same grid", name, "scikit-learn RidgeCV"),
        ("times scikit-learn's Ridge, alpha given", name, "scikit-learn Ridge"),
        ("1,556 models over 121", "made, 1,556 x 38", "made, 121 x 38"),
    ):
        ratios = [
            np.median(getattr(measured[top], clock) / getattr(measured[bottom], clock))
            for clock in ("wall", "cpu")
        ]
        print(f"  {what}: {ratios[0]:.2f} by wall time, {ratios[1]:.2f} by processor time")


def main() -> None:
    if len(sys.argv) > 1:
        table = eevee.read_table(sys.argv[1])
        report(table, f"{table.n_models} x {table.n_columns}")
    else:
        report(made_table(121, seed=1), "121 x 38")


if __name__ == "__main__":
    main()
