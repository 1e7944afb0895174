"""Compare the default search with simple ones: `python -m tests.benchmarks.bench_assess`.

    python -m tests.benchmarks.bench_assess [table ...] [--ks 4 8] [--folds 5] [--repeats 1]

Every search runs in the same outer folds, on the other models alone, by ridge; what it finds is
judged on the held-out models by ridge. Printed is the relative difference in assessed loss of the
default search from each other one (below 0: the default is better), with its bootstrap interval
over models, paired and by table, and the mean over tables.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
from rich.console import Console
from rich.table import Table

import eevee
from eevee.assessment.assess import BESIDE
from tests.benchmarks.bench_screen import TABLES, read

DEFAULT = "evolution"
OTHERS = ("greedy-swaps", "random", "greedy", "medoids", "cheapest")
MORE = {"helm": ("helm/scores.csv", {})}


@dataclass(frozen=True)
class Outcome:
    """The default search against another one on one table, in percent of the other's loss."""

    table: str
    k: int
    other: str
    loss: float
    difference: float
    low: float
    high: float
    seconds: float


def outcomes(name: str, k: int, options: argparse.Namespace) -> Iterator[Outcome]:
    """Assess everything on one table at one size."""
    table = read(name)
    if table is None or k >= table.n_benchmarks:
        return
    begun = time.perf_counter()
    found = eevee.assess(
        table,
        k,
        scorer="ridge",
        beside=BESIDE,
        n_folds=options.folds,
        n_repeats=options.repeats,
        seed=options.seed,
    )
    seconds = time.perf_counter() - begun
    losses = found.methods.set_index("method")["loss"]
    for other in OTHERS:
        gap = found.difference(DEFAULT, other)
        share = [100 * float(value) / losses[other] for value in (gap.mean, gap.low, gap.high)]
        yield Outcome(name, k, other, losses[DEFAULT], *share, seconds)


def show(frame: pd.DataFrame, k: int, console: Console) -> None:
    """Print one size: a line per table, a column per other search, and the mean."""
    shown = Table(title=f"k = {k}: the default search against others, % (95 % interval)")
    shown.add_column("table")
    for name in ("loss", *OTHERS, "s"):
        shown.add_column(name, justify="right")
    for name, rows in frame.groupby("table", sort=False):
        by_other = rows.set_index("other")
        cells = [
            f"{one['difference']:+.1f} ({one['low']:+.1f} to {one['high']:+.1f})"
            for one in (by_other.loc[other] for other in OTHERS)
        ]
        first = rows.iloc[0]
        shown.add_row(str(name), f"{first['loss']:.4f}", *cells, f"{first['seconds']:.0f}")
    means = frame.groupby("other")["difference"].mean()
    shown.add_row("mean", "", *(f"{means[other]:+.1f}" for other in OTHERS), "")
    console.print(shown)


def main() -> None:
    """Run, and print a table per size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    TABLES.update(MORE)
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="table")
    parser.add_argument("--ks", type=int, nargs="+", default=[4, 8])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    console = Console(width=150)
    for k in options.ks:
        rows = [one for name in options.tables for one in outcomes(name, k, options)]
        show(pd.DataFrame(rows), k, console)


if __name__ == "__main__":
    main()
