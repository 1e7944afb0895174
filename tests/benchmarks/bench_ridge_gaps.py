"""Ridge on tables with gaps and on wide ones: speed, and what the shared alpha does to losses.

    python -m tests.benchmarks.bench_ridge_gaps [scores.csv ...] [--models 10] [--no-tiers]

For each table (two made ones by default), random subsets by `RidgeScorer` and by the rule that it
had before, kept here in plain NumPy: an eigenproblem for every column, and generalised cross-
validation on each column's own models. Candidates per processor second of both, in one run; and
the change of the loss. Then `predict` with each of some models left out, from five benchmarks that
it has, and `eevee tiers` on a made table of 26 models x 240 benchmarks under budgets of 10 %
and 25 %.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import eevee
from eevee.base.arrays import Subset
from eevee.scorers.loss import LossRule, standardise
from eevee.scorers.ridge.alpha import GRID
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.tables.results_table import ResultsTable

SIZES = (2, 4, 8, 16)
N_SUBSETS = 30
SEED = 1


def made_table(n_models: int, n_columns: int, missing: float) -> ResultsTable:
    """Four skills and noise; each model lacks a share of the columns of its own."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_models, 4)) @ rng.normal(size=(4, n_columns))
    values += 0.7 * rng.normal(size=values.shape)
    share = np.clip(missing * rng.uniform(0.5, 1.5, size=(n_models, 1)), 0.0, 0.9)
    values[rng.random(values.shape) < share] = np.nan
    return ResultsTable.from_scores(
        pd.DataFrame(values, columns=[f"b{i:03d}" for i in range(n_columns)])
    )


def random_subsets(table: ResultsTable, size: int) -> list[Subset]:
    rng = np.random.default_rng(SEED)
    names = np.array(table.benchmark_names)
    return [table.subset(rng.choice(names, size, replace=False)) for _ in range(N_SUBSETS)]


def former_losses(scorer: RidgeScorer, subsets: list[Subset]) -> np.ndarray:
    """Losses by the former rule, (n_subsets,): alpha by each column's own models."""
    table, splits = scorer.table, scorer.splits
    data = standardise(table, splits.fit)
    rule = LossRule(table, splits, data, "all", None)
    weights, flagged = rule.fit_weights([()])[0], data.flags.any(axis=(0, 1))
    losses = np.empty(len(subsets))
    for i, subset in enumerate(subsets):
        own = np.isin(table.columns["benchmark"], subset)
        errors = np.zeros((splits.n_splits, table.n_columns))
        for split in range(splits.n_splits):
            x = np.hstack([data.inputs[split][:, own], data.flags[split][:, own & flagged]])
            fit, test = splits.fit[split], splits.test[split]
            columns = np.flatnonzero(weights[split] > 0)
            seen = data.observed[:, columns]
            errors[split, columns] = _column_errors(
                x, data.targets[split][:, columns], fit, test, seen, weights[split, columns]
            )
        losses[i] = rule.losses([subset], errors[None])[0].mean()
    return losses


def _column_errors(
    x: np.ndarray,
    y: np.ndarray,
    fit: np.ndarray,
    test: np.ndarray,
    seen: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    rows = (fit[:, None] & seen).astype(float)
    count = rows.sum(axis=0)
    x_mean, y_mean = rows.T @ x / count[:, None], (rows * y).sum(axis=0) / count
    centred = (x[None] - x_mean[:, None]) * rows.T[:, :, None]
    gram = centred.transpose(0, 2, 1) @ centred
    goal = (y - y_mean) * rows
    spectrum, vectors = np.linalg.eigh(gram)
    along = (vectors.transpose(0, 2, 1) @ (centred.transpose(0, 2, 1) @ goal.T[:, :, None]))[..., 0]
    alphas = fit.sum() * GRID
    inverse = 1.0 / (np.maximum(spectrum, 0.0) + alphas[:, None, None])
    left = count - 1.0 - (np.maximum(spectrum, 0.0) * inverse).sum(axis=-1)
    explained = (along**2 * inverse * (1.0 + alphas[:, None, None] * inverse)).sum(axis=-1)
    residual = np.maximum((goal**2).sum(axis=0) - explained, 0.0)
    curve = np.where(left > 0, count * residual / np.where(left > 0, left, 1.0) ** 2, np.inf)
    best = np.argmin(curve @ weights)
    slopes = (vectors @ (along * inverse[best])[..., None])[..., 0]
    predicted = y_mean + x[test] @ slopes.T - (x_mean * slopes).sum(axis=1)
    judged = seen[test]
    missed = np.where(judged, (y[test] - predicted) ** 2, 0.0)
    return np.asarray(missed.sum(axis=0) / np.maximum(judged.sum(axis=0), 1))


def compare(table: ResultsTable, name: str) -> None:
    """Print speed and losses, by size, as rows of a table."""
    for size in (size for size in SIZES if size < table.n_benchmarks):
        scorer = RidgeScorer(table, eevee.shuffle_splits(table), n_threads=1)
        subsets = random_subsets(table, size)
        scorer.losses(subsets[:2])
        scorer._cache.clear()
        start = process_time()
        losses = scorer.losses(subsets)
        middle = process_time()
        former = former_losses(scorer, subsets)
        now, then = middle - start, process_time() - middle
        change = losses / former - 1.0
        print(
            f"| {name} | {size} | {N_SUBSETS / now:,.0f} | {N_SUBSETS / then:,.0f} | "
            f"{then / now:.1f} | {losses.mean() / former.mean() - 1.0:+.2%} | "
            f"{np.median(np.abs(change)):.2%} | {spearmanr(losses, former)[0]:.3f} |",
            flush=True,
        )


def predict_each(table: ResultsTable, n_models: int) -> float:
    """Processor seconds for a model: fit on the others, predict from five of its benchmarks."""
    rng = np.random.default_rng(SEED)
    n_models = min(n_models, table.n_models)
    start = process_time()
    for i in rng.permutation(table.n_models)[:n_models]:
        row = table.scores.iloc[[i]]
        others = table.scores.drop(index=row.index)
        others = others.loc[:, others.max() > others.min()]
        known = row.columns[row.notna().iloc[0]].intersection(others.columns)
        some = row[rng.permutation(known)[:5]]
        rest = ResultsTable.from_scores(others)
        eevee.fit_predictor(rest, list(some.columns), scorer="ridge").predict(some)
    return (process_time() - start) / n_models


def wide_tiers() -> float:
    """Processor seconds of `eevee tiers` on 26 models x 240 benchmarks."""
    rng = np.random.default_rng(0)
    table = made_table(26, 240, 0.0)
    costs = pd.Series(np.exp(rng.normal(size=240)), table.scores.columns, name="cost")
    with tempfile.TemporaryDirectory() as folder:
        scores, prices = Path(folder, "scores.csv"), Path(folder, "costs.csv")
        table.scores.to_csv(scores, index_label="model")
        costs.to_csv(prices, index_label="benchmark")
        budgets = ["--budget", "small=10%", "--budget", "base=25%"]
        command = [sys.executable, "-m", "eevee", "tiers", str(scores), "--costs", str(prices)]
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, *budgets, "--scorer", "ridge", "--quiet"], check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scores", nargs="*")
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--no-tiers", action="store_true")
    options = parser.parse_args()
    tables = {Path(path).stem: eevee.read_table(path) for path in options.scores} or {
        "made, 66 % missing": made_table(83, 49, 0.66),
        "made, 15 % missing": made_table(287, 41, 0.15),
    }
    print("| table | k | candidates/s | formerly | ratio | mean loss | median change | rank |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with threadpool_limits(1):
        for name, table in tables.items():
            compare(table, f"{name} ({table.n_models} x {table.n_columns})")
        for name, table in tables.items():
            print(f"predict, {name}: {predict_each(table, options.models):.2f} s a model")
    if not options.no_tiers:
        print(f"eevee tiers, 26 x 240: {wide_tiers():.0f} s of processor time")


if __name__ == "__main__":
    main()
