"""Small tables, and what to propose there: `python -m tests.benchmarks.bench_small`.

    python -m tests.benchmarks.bench_small [table ...] [--ks 4 8] [--models 16 24 32] [--repeats 2]
        [--seed 7] [--default-only]

In every outer split the default search (ridge) runs on some models alone. Of the subsets that it
scored each rule proposes one, and that is judged on the other models by meta-models that chose
nothing: 3 nearest neighbours, kernel ridge (radial) and two partial least squares components; by
ridge as well, which chose. Printed is the difference in held-out loss from the subset with the
lowest search loss, in %, below 0: the rule is better; the mean over the three judges.

Tables of at most 40 models, and larger ones whole (`--whole`), are split in 5 folds; the interval
is Nadeau and Bengio's t over outer splits. From larger tables 16, 24 and 32 models are drawn ten
times, all others judge; the interval is a t over draws, which are independent given the table.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from scipy import stats
from sklearn.cross_decomposition import PLSRegression
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsRegressor

import eevee
from eevee.base.arrays import Subset
from eevee.scorers.base import Scorer
from eevee.search.baselines import medoids
from eevee.search.evolution.evolve import evolve
from eevee.search.greedy import greedy_swaps
from eevee.search.near_ties import noise, settle
from eevee.search.result import SearchResult
from eevee.search.shrunk import ShrunkCovariance
from eevee.splits.splits import Splits, fold_splits
from eevee.stats.intervals import nadeau_bengio_interval
from eevee.tables.results_table import ResultsTable
from tests.benchmarks.bench_screen import TABLES, read

SMALL = {
    "vtab": ("vtab/scores.csv", {}),
    "gate": ("gate_primary_16x31.csv", {}),
    "gate59": ("gate_eevee_59.csv", {}),
    "ucr": ("ucr_univariate_112.csv", {}),
    "helm costs": ("helm_efficiency.csv", {}),
}
LARGE = ("bbh", "zoo", "openclip", "mteb", "mmlu")
BASE, NEAR = "lowest loss", "covariance, near ties"
N_DRAWS, N_RANDOM = 10, 30
MORE_SPLITS, RACED = 100, 100
JUDGES: dict[str, Any] = {
    "neighbours": KNeighborsRegressor(3),
    "kernel": KernelRidge(alpha=0.1, kernel="rbf", gamma=0.1),
    "pls": PLSRegression(2, scale=False),
}


def lowest(subsets: list[Subset], values: np.ndarray) -> Subset:
    """The subset with the lowest value."""
    return subsets[int(np.argmin(values))]


def centre(found: SearchResult, k: int) -> Subset:
    """The benchmarks that stand in the 50 best subsets most often."""
    counts = found.ranked["benchmarks"].explode().value_counts()
    return tuple(sorted(sorted(counts.index, key=lambda name: (-counts[name], name))[:k]))


def default_only(scorer: Scorer, found: SearchResult, k: int) -> dict[str, Subset]:
    """What the search ranks first, and what the default proposes on small tables."""
    return {BASE: found.best, NEAR: settle(scorer, found, "covariance").best}


def proposals(scorer: Scorer, found: SearchResult, k: int) -> dict[str, Subset]:
    """What each rule proposes after one search."""
    table = scorer.table
    subsets = [tuple(subset) for subset in found.evaluated["benchmarks"]]
    mean, left = scorer.losses(subsets), ShrunkCovariance(table).left(subsets)
    fade = 16 / (16 + table.n_models)
    raced = [subsets[i] for i in np.argsort(mean)[:RACED]]
    again = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=MORE_SPLITS, seed=99))
    simple = medoids(scorer, k)
    near = scorer.losses([simple.best])[0] <= found.best_row["loss"] + noise(scorer, found)
    return {
        **default_only(scorer, found, k),
        "covariance, best 50": settle_among(subsets, mean, left),
        "covariance, of all scored": lowest(subsets, left),
        "geometric mean of both": lowest(subsets, np.log(mean) + np.log(left)),
        "... fading with models": lowest(subsets, (1 - fade) * np.log(mean) + fade * np.log(left)),
        "100 splits": lowest(raced, again.losses(raced)),
        "centre of the best 50": centre(found, k),
        "medoids, if a near tie": simple.best if near else found.best,
        "medoids": simple.best,
        "greedy + swaps": greedy_swaps(scorer, k).best,
    }


def settle_among(subsets: list[Subset], mean: np.ndarray, left: np.ndarray) -> Subset:
    """The least conditional variance among the 50 lowest losses."""
    top = np.argsort(mean)[:50]
    return lowest([subsets[i] for i in top], left[top])


def judged(table: ResultsTable, split: Splits, named: dict[str, list[Subset]]) -> pd.DataFrame:
    """Held-out loss of each rule by each judge, (n_rules, n_judges); a mean over its subsets."""
    every = list(dict.fromkeys(subset for subsets in named.values() for subset in subsets))
    judges: dict[str, Scorer] = {"ridge": eevee.RidgeScorer(table, split)}
    judges |= {name: eevee.EstimatorScorer(one, table, split) for name, one in JUDGES.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PLS warns where a column is constant
        losses = {
            name: dict(zip(every, one.losses(every), strict=True)) for name, one in judges.items()
        }
    return pd.DataFrame(
        {
            judge: {
                rule: float(np.mean([known[subset] for subset in subsets]))
                for rule, subsets in named.items()
            }
            for judge, known in losses.items()
        }
    )


Rules = Callable[[Scorer, SearchResult, int], dict[str, Subset]]


def one_split(
    table: ResultsTable, split: Splits, k: int, number: int, rules: Rules
) -> pd.DataFrame:
    """Search on the fitting models of an outer split, and judge on the others."""
    seen = table.take_models(split.fit[0])
    scorer = eevee.RidgeScorer(seen, eevee.shuffle_splits(seen, seed=number))
    found = evolve(scorer, k, seed=number)
    named = {name: [subset] for name, subset in rules(scorer, found, k).items()}
    start = found.evaluated["benchmarks"][found.evaluated["generation"] == 0]
    random = np.random.default_rng(number).permutation(len(start))[:N_RANDOM]
    named["random"] = [tuple(start.iloc[i]) for i in random]
    return judged(table, split, named)


def drawn(table: ResultsTable, n_models: int, seed: int) -> Splits:
    """Draw some models to search on again and again; all others are held out."""
    rng = np.random.default_rng([seed, n_models])
    train = np.zeros((N_DRAWS, table.n_models), dtype=bool)
    for row in train:
        row[rng.permutation(table.n_models)[:n_models]] = True
    return Splits(train=train, validation=np.zeros_like(train), test=~train)


def over_draws(values: np.ndarray) -> tuple[float, float]:
    """95 % t interval of a mean over independent draws."""
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def over_folds(splits: Splits, values: np.ndarray) -> tuple[float, float]:
    """Corrected 95 % t interval of a mean over overlapping splits."""
    fit, test = splits.fit.sum(axis=1).mean(), splits.test.sum(axis=1).mean()
    found = nadeau_bengio_interval(values, n_train=float(fit), n_test=float(test))
    return float(found.low), float(found.high)


def outcomes(
    label: str,
    table: ResultsTable,
    splits: Splits,
    k: int,
    interval: Callable[[np.ndarray], tuple[float, float]],
    rules: Rules,
) -> Iterator[dict[str, Any]]:
    """Each rule against the lowest loss on one table, in %."""
    if k >= table.n_benchmarks:
        return
    parts = [one_split(table, splits.take([i]), k, i, rules) for i in range(splits.n_splits)]
    losses = np.stack([part.to_numpy() for part in parts])
    names, judges = list(parts[0].index), list(parts[0].columns)
    base = losses[:, [names.index(BASE)]]
    gaps = 100 * (losses - base) / base.mean(axis=0)
    neutral = [judges.index(name) for name in JUDGES]
    for i, rule in enumerate(names):
        mean = gaps[:, i, neutral].mean(axis=1)
        low, high = interval(mean)
        by_judge = dict(zip(judges, gaps[:, i].mean(axis=0), strict=True))
        found = {"table": label, "k": k, "rule": rule, "difference": mean.mean()}
        yield {**found, "low": low, "high": high, **by_judge}


def cases(options: argparse.Namespace) -> Iterator[tuple[str, ResultsTable, Splits, Any]]:
    """Tables with their outer splits and intervals."""
    for name in options.tables:
        table = read(name)
        if table is None:
            print(f"{name}: not there")
            continue
        if name in SMALL or options.whole:
            folds = fold_splits(table, n_folds=5, n_repeats=options.repeats, seed=options.seed)
            yield f"{name} ({table.n_models})", table, folds, partial(over_folds, folds)
        for n in () if name in SMALL else options.models:
            yield f"{name}, {n} drawn", table, drawn(table, n, options.seed), over_draws


def show(frame: pd.DataFrame, k: int, console: Console) -> None:
    """Print one size: a line per rule, a column per table, and means."""
    shown = Table(title=f"k = {k}: held-out loss against the lowest search loss, %")
    labels = list(dict.fromkeys(frame["table"]))
    for name in ("rule", *labels, "mean", "by ridge"):
        shown.add_column(name, justify="left" if name == "rule" else "right")
    for rule, rows in frame.groupby("rule", sort=False):
        cells = [
            f"{row.difference:+.1f} ({row.low:+.1f} to {row.high:+.1f})"
            for row in rows.itertuples()
        ]
        source = rows["table"].str.split(r"[,(]").str[0].str.strip()
        means = rows["difference"].groupby(source).mean().to_numpy()
        low, high = over_draws(means) if len(means) > 1 else (np.nan, np.nan)
        mean = f"{means.mean():+.1f} ({low:+.1f} to {high:+.1f})"
        shown.add_row(str(rule), *cells, mean, f"{rows['ridge'].mean():+.1f}")
    console.print(shown)


def main() -> None:
    """Run, and print a table per size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    TABLES.update(SMALL)
    parser.add_argument("tables", nargs="*", default=[*SMALL, *LARGE], metavar="table")
    parser.add_argument("--ks", type=int, nargs="+", default=[4, 8])
    parser.add_argument("--models", type=int, nargs="*", default=[16, 24, 32])
    parser.add_argument("--whole", action="store_true", help="large tables whole, too")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7, help="of the outer splits")
    parser.add_argument(
        "--default-only", action="store_true", help="no other rule than the default, and random"
    )
    options = parser.parse_args()
    console = Console(width=260)
    rules = default_only if options.default_only else proposals
    for k in options.ks:
        rows: list[dict[str, Any]] = []
        for label, table, splits, interval in cases(options):
            rows += (new := list(outcomes(label, table, splits, k, interval, rules)))
            print(pd.DataFrame(new).round(1).to_string(index=False), flush=True)
        show(pd.DataFrame(rows), k, console)


if __name__ == "__main__":
    main()
