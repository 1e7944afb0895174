"""Do intervals of assessed losses hold? `python -m tests.benchmarks.bench_intervals`.

Made tables of two skills and six benchmarks, 4 x 2 outer folds: how often nominal 95 % intervals
cover the true loss of a given pair of benchmarks, and of the pair that predicts best on two inner
splits of the other models. Predictions are plain ridge regressions in NumPy, so that thousands of
searches take seconds; folds, losses and intervals are those of `eevee.assess`. The truth is that of
many other tables of the same kind, tested on many models.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import eevee
from eevee.assessment.contest import Contest
from eevee.assessment.folds import Fold
from eevee.assessment.judge import Judgement
from eevee.stats.metrics import mean_of_known
from eevee.tables.bounds import column_bounds

N_COLUMNS, NOISE, PENALTY, N_TEST = 6, 0.5, 1.0, 300
NAMES = tuple(f"b{i}" for i in range(N_COLUMNS))
PAIRS = tuple(combinations(range(N_COLUMNS), 2))
MIX = np.random.default_rng(7).normal(size=(2, N_COLUMNS))
UNITS = np.sqrt((MIX**2).sum(axis=0) + NOISE**2)
METHODS = ("given pair", "best pair")


def drawn(n_models: int, missing: float, rng: np.random.Generator) -> np.ndarray:
    """Scores of models of the kind, in units."""
    values = rng.normal(size=(n_models, 2)) @ MIX + NOISE * rng.normal(size=(n_models, N_COLUMNS))
    return np.where(rng.random(values.shape) < missing, np.nan, values) / UNITS


def predict(values: np.ndarray, pair: tuple[int, ...], train: np.ndarray) -> np.ndarray:
    """All columns of all models from two of them, fitted on the models of `train`."""
    mean = np.nanmean(values[train], axis=0)
    inputs = np.nan_to_num((values - mean)[:, pair])
    inputs = np.column_stack([np.ones(len(values)), inputs])
    seen = np.where(train[:, None] & np.isfinite(values), 1.0, 0.0)
    gram = np.einsum("ni,nj,nc->cij", inputs, inputs, seen, optimize=True)
    gram += PENALTY * np.diag([0.0, *[1.0] * len(pair)])
    moment = inputs.T @ np.where(seen > 0, values, 0.0)
    return inputs @ np.linalg.solve(gram, moment.T[:, :, None])[:, :, 0].T


def loss(values: np.ndarray, guess: np.ndarray, test: np.ndarray) -> float:
    """Every benchmark has one column, and all count the same."""
    return float(mean_of_known(mean_of_known((guess - values)[test] ** 2, axis=0), axis=0))


def best_pair(values: np.ndarray, train: np.ndarray, rng: np.random.Generator) -> tuple[int, ...]:
    """The pair with the lowest loss on two inner splits."""
    total = np.zeros(len(PAIRS))
    for _ in range(2):
        rows = rng.permutation(np.flatnonzero(train))
        test = np.isin(np.arange(len(train)), rows[: len(rows) // 4])
        fit = train & ~test
        total += [loss(values, predict(values, pair, fit), test) for pair in PAIRS]
    return PAIRS[int(np.argmin(total))]


def truths(n_train: int, missing: float, n_tables: int, rng: np.random.Generator) -> np.ndarray:
    """Mean loss of both methods with a given number of models to search and fit on."""
    losses = []
    for _ in range(n_tables):
        values = drawn(n_train + N_TEST, missing, rng)
        train = np.arange(len(values)) < n_train
        pairs = (PAIRS[0], best_pair(values, train, rng))
        losses.append([loss(values, predict(values, pair, train), ~train) for pair in pairs])
    return np.mean(losses, axis=0)


def contest(values: np.ndarray, seed: int, rng: np.random.Generator) -> Contest:
    """Judge both methods in outer folds of one table."""
    table = eevee.ResultsTable.from_scores(pd.DataFrame(values, columns=list(NAMES)))
    table = replace(table, units=pd.Series(1.0, index=table.scores.columns))
    folds, bounds = [], column_bounds(table)
    for test in eevee.fold_splits(table, n_folds=4, n_repeats=2, seed=seed).test:
        judged = {}
        for name, pair in zip(METHODS, (PAIRS[0], best_pair(values, ~test, rng)), strict=True):
            guess = predict(values, pair, ~test)
            same = dict.fromkeys(("all", "unseen"), guess[test])
            judged[name] = Judgement(
                tuple(NAMES[i] for i in pair),
                same,  # type: ignore[arg-type]
                dict.fromkeys(same, loss(values, guess, test)),  # type: ignore[arg-type]
            )
        folds.append(Fold(test, judged, {}, {}, int((~test).sum()), 1.0, {}, bounds))
    rounds = [[0, 1, 2, 3], [4, 5, 6, 7]]
    members = {name: [name] for name in METHODS}
    labels = np.arange(len(values))
    return Contest(table, folds, rounds, members, "all", None, labels, 0.95, seed)


def coverage(n_models: int, missing: float, n_tables: int) -> dict[str, tuple[float, float]]:
    """Share of tables whose interval covers, and its median width over the truth, in %."""
    rng = np.random.default_rng(0)
    real = truths(n_models * 3 // 4, missing, 2 * n_tables, rng)
    rows: dict[str, list[tuple[bool, float]]] = {}
    for seed in range(n_tables):
        one = contest(drawn(n_models, missing, rng), seed, rng)
        for name, truth in zip(METHODS, real, strict=True):
            for what, found in (
                ("bootstrap", one.interval(name, "all")),
                ("corrected t", one.over_folds(one.losses[name, "all"].by_split)),
            ):
                covers = bool(found.low <= truth <= found.high)
                width = float(found.high - found.low) / truth
                rows.setdefault(f"{name}, {what}", []).append((covers, width))
    return {
        what: (
            100 * float(np.mean([one[0] for one in some])),
            100 * float(np.median([one[1] for one in some])),
        )
        for what, some in rows.items()
    }


def main() -> None:
    """Print a row per method and interval, a column per kind of table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=500)
    n, begun = parser.parse_args().tables, time.process_time()
    shown = Table("% covered (median width, % of the loss)")
    columns = []
    for n_models, missing in ((40, 0.0), (100, 0.0), (40, 0.5), (100, 0.5)):
        shown.add_column(
            f"{n_models} models" + (f", {100 * missing:.0f} % missing" if missing else "")
        )
        columns.append(coverage(n_models, missing, n))
    for what in columns[0]:
        shown.add_row(what, *(f"{one[what][0]:.0f} ({one[what][1]:.0f})" for one in columns))
    console = Console(width=120)
    console.print(shown)
    console.print(f"{n} tables each; {time.process_time() - begun:.0f} s of processor time")


if __name__ == "__main__":
    main()
