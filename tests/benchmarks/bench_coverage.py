"""How often the intervals of `eevee predict` cover, on models held out before the search.

`python -m tests.benchmarks.bench_coverage [--mlp] [TABLE ...]`. Outer splits hold a fifth of the
models out; on the rest alone a subset is searched for (ridge, a small evolution) and a predictor
fitted; it then sees the held-out models' scores on that subset. A benchmark of the subset that a
model lacks is left out for it, and a model that lacks them all is skipped. Coverage is counted
over predicted cells with a known score, at nominal 90 %: pooled, of the mean score in units (models
measured in every column), and of the worst column over all outer splits. The standard error of the
pooled figure is over outer splits, which share models: it is too small.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

import eevee
from eevee.base.seeds import child_seed

ROOT = Path(__file__).parents[2]
TABLES = ("zoo", "bbh", "helm", "vtab")
OUTER = 20
K = 5
LEVEL = 0.9
SMALL = eevee.search.Evolution(population=100, winners=10, children=5, generations=5)


def chosen(table: eevee.ResultsTable, seed: int) -> tuple[str, ...]:
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, seed=seed))
    return eevee.search.evolve(scorer, K, seed=seed, evolution=SMALL, exhaustive=False).best


def measured_on(table: eevee.ResultsTable, subset: tuple[str, ...]) -> pd.DataFrame:
    inputs = table.scores[[c for name in subset for c in table.columns_of(name)]]
    return inputs[inputs.notna().any(axis=1)]


def mean_truth(training: eevee.ResultsTable, rows: pd.DataFrame) -> pd.Series[float]:
    """Mean score in units; the shipped tables have one column a benchmark, higher is better."""
    z = (rows - training.scores.mean()) / training.units
    return z.mean(axis=1, skipna=False)


def inside(truth: object, lower: object, upper: object) -> np.ndarray:
    hit = (np.asarray(lower) <= np.asarray(truth)) & (np.asarray(truth) <= np.asarray(upper))
    known = np.isfinite(np.asarray(truth)) & np.isfinite(np.asarray(lower))
    return np.where(known, hit, np.nan)


def show(name: str, scorer: str) -> None:
    table = eevee.read_table(ROOT / "data" / name / "scores.csv")
    outer = eevee.shuffle_splits(table, n_splits=OUTER, seed=1)
    by_split, by_column, means, width = [], defaultdict(list), [], []
    start = time.perf_counter()
    for i, test in enumerate(outer.test):
        training = table.take_models(~test)
        subset = chosen(training, child_seed(0, i))
        fitted = eevee.fit_predictor(training, subset, scorer=scorer, seed=i)
        held_out = table.take_models(test)
        found = fitted.predict(measured_on(held_out, subset), level=LEVEL)
        truth = held_out.scores.loc[found.mean.index]
        hits = np.where(found.measured, np.nan, inside(truth, found.lower, found.upper))
        by_split.append(np.nanmean(hits))
        for column, part in zip(truth.columns, hits.T, strict=True):
            by_column[column] += part[np.isfinite(part)].tolist()
        ends = found.mean_in_units
        means += inside(mean_truth(training, truth), ends["lower"], ends["upper"]).tolist()
        wide = ((found.upper - found.lower) / table.units).to_numpy()
        width.append(np.nanmean(np.where(found.measured, np.nan, wide)))
    cells = [hit for part in by_column.values() for hit in part]
    rates = {column: np.mean(part) for column, part in by_column.items() if part}
    worst = min(rates, key=rates.__getitem__)
    error = np.std(by_split, ddof=1) / np.sqrt(OUTER)
    print(
        f"| {name} | {scorer} | {table.n_models} x {table.n_columns} | {len(cells)} | "
        f"{100 * np.mean(cells):.1f} ({100 * error:.1f}) | {100 * np.nanmean(means):.1f} | "
        f"{100 * rates[worst]:.1f} ({worst}, {len(by_column[worst])}) | {np.mean(width):.2f} | "
        f"{time.perf_counter() - start:.0f} |",
        flush=True,
    )


def main(args: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--mlp", action="store_true", help="the MLP too (minutes)")
    asked = parser.parse_args(args)
    print(
        f"Coverage in % at nominal {100 * LEVEL:g} %, k = {K}, {OUTER} outer splits, a fifth of "
        "the models held out"
    )
    print("| table | meta-model | size | cells | pooled (se) | mean score | worst column (cells) "
          "| width in units | s |")  # fmt: skip
    print("|" + " --- |" * 9)
    for scorer in ("ridge", "mlp") if asked.mlp else ("ridge",):
        for name in asked.tables:
            show(name, scorer)


if __name__ == "__main__":
    main(sys.argv[1:])
