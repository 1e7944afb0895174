"""Wide, long and sparse tables: seconds per generation and peak memory; and how cost grows.

    python -m tests.benchmarks.bench_tables [--out runs/bench]

A generation is 550 random subsets of 8 benchmarks (or half of them), 10 splits, 20 epochs. Tables
are made, of the shapes of public ones, so that anyone can run this. Each line is measured in a
process of its own, whose peak memory is the operating system's figure, less that of a process that
has only imported EEVEE. Then one size at a time grows from a base of 40 models x 32 columns, k = 8,
10 splits; beside the seconds stands what theory says: floating-point operations of the batched
products plus, weighted by its measured cost, the optimizer's pass over the weights.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import eevee
from eevee.scorers.base import BaseScorer
from eevee.scorers.mlp.epochs import random_index_sets
from eevee.scorers.mlp.networks import padded

HIDDEN, EPOCHS = 100, 20
UPDATE_FLOP = 60.0
"""One optimizer update, in operations of a matrix product: two divisions and a root."""


@dataclass(frozen=True)
class Case:
    """A made table and a generation on it."""

    models: int
    columns: int
    missing: float = 0.0
    k: int = 8
    splits: int = 10
    subsets: int = 550

    @property
    def name(self) -> str:
        gaps = f", {self.missing:.0%} missing" if self.missing else ""
        return f"{self.models} x {self.columns}{gaps}"


TABLES = (
    Case(137, 298),
    Case(40, 112),
    Case(1556, 6, k=3),
    Case(287, 41, missing=0.15),
    Case(83, 49, missing=0.66),
)
BASE = Case(40, 32, subsets=200)
GROWTH: dict[str, list[Case]] = {
    "models": [replace(BASE, models=n) for n in (20, 40, 80, 160, 320)],
    "columns": [replace(BASE, columns=n) for n in (16, 32, 64, 128, 256)],
    "k": [replace(BASE, columns=64, k=n) for n in (2, 4, 8, 16, 32)],
    "splits": [replace(BASE, splits=n) for n in (5, 10, 20, 40)],
}


def made(case: Case) -> eevee.ResultsTable:
    """Three skills, noise, and gaps; every column keeps some cells."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(case.models, 3)) @ rng.normal(size=(3, case.columns))
    values += 0.5 * rng.normal(size=values.shape)
    gaps = rng.random(values.shape) < case.missing
    gaps[: case.models // 5] &= rng.random(gaps[: case.models // 5].shape) < 0.3
    values[gaps] = np.nan
    names = [f"b{i:03d}" for i in range(case.columns)]
    return eevee.ResultsTable.from_scores(
        pd.DataFrame(values, columns=names).set_index(
            pd.Index([f"m{i}" for i in range(case.models)])
        )
    )


SCORERS: dict[str, Callable[[eevee.ResultsTable, eevee.splits.Splits], BaseScorer]] = {
    "mlp": lambda table, splits: eevee.MLPScorer(table, splits, epochs=EPOCHS, hidden=HIDDEN),
    "ridge": eevee.RidgeScorer,
    "factor": eevee.FactorScorer,
}


def measure(case: Case, kind: str) -> float:
    """Seconds of one generation, after a warm-up on a few subsets."""
    table = made(case)
    splits = eevee.shuffle_splits(table, n_splits=case.splits)
    drawn = random_index_sets(case.columns, case.k, case.subsets + 8, np.random.default_rng(1))
    subsets = [tuple(table.benchmark_names[i] for i in chosen) for chosen in drawn]
    scorer = SCORERS[kind](table, splits)
    scorer.losses(subsets[-8:])
    generation = subsets[: max(1, len(subsets) - 8)]
    start = perf_counter()
    scorer.losses(generation)
    return (perf_counter() - start) * case.subsets / len(generation)


def theory(case: Case) -> float:
    """Operations of a generation, in thousands of millions."""
    rows = padded(case.models - max(2, round(0.2 * case.models)))
    width, outputs, inputs = padded(HIDDEN + 1), padded(case.columns), case.k + 1
    products = 2 * rows * width * (2 * inputs + 3 * outputs)
    updates = UPDATE_FLOP * (inputs * width + width * outputs)
    return case.subsets * case.splits * EPOCHS * (products + updates) / 1e9


def measure_alone(case: Case, kind: str | None) -> None:
    """Print the seconds of a generation and the peak memory (MiB) of this process."""
    seconds = 0.0 if kind is None else measure(case, kind)
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def in_a_process(case: Case, kind: str | None) -> tuple[float, float]:
    """Seconds and peak memory (MiB) of a generation, measured in a fresh process."""
    code = (
        "from tests.benchmarks.bench_tables import Case, measure_alone\n"
        f"measure_alone({case!r}, {kind!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def report_tables(console: Console) -> None:
    """Print seconds per generation and peak memory for every shape and scorer."""
    _, idle = in_a_process(BASE, None)
    report = Table(title="One generation: 550 subsets, 10 splits")
    report.add_column("made table")
    for kind in SCORERS:
        report.add_column(f"{kind}, s", justify="right")
        report.add_column("peak, MiB", justify="right")
    for case in TABLES:
        cells = [case.name]
        for kind in SCORERS:
            seconds, peak = in_a_process(case, kind)
            cells += [f"{seconds:.2f}", f"{max(0.0, peak - idle):.0f}"]
        report.add_row(*cells)
    console.print(report)


def report_memory(console: Console) -> None:
    """Print the MLP's peak memory for more and more candidates in one call."""
    report = Table(title="MLP, 20 x 31, k = 8: peak memory by candidates in one call")
    report.add_column("candidates", justify="right")
    report.add_column("peak above imports, MiB", justify="right")
    _, idle = in_a_process(BASE, None)
    for subsets in (550, 5500, 55000):
        case = Case(20, 31, splits=2, subsets=subsets)
        _, peak = in_a_process(case, "mlp")
        report.add_row(str(subsets), f"{peak - idle:.0f}")
    console.print(report)


def report_growth(console: Console, out: Path) -> None:
    """Print how the MLP's seconds grow with one size at a time, and draw it."""
    report = Table(title="MLP: seconds for 200 subsets, measured and by theory (scaled once)")
    for name in ("grows", "size", "seconds", "theory"):
        report.add_column(name, justify="right")
    measured = {
        what: [min(measure(case, "mlp") for _ in range(3)) for case in cases]
        for what, cases in GROWTH.items()
    }
    scale = float(
        np.median(
            [
                s / theory(c)
                for w, cases in GROWTH.items()
                for s, c in zip(measured[w], cases, strict=True)
            ]
        )
    )
    figure = Figure(figsize=(8, 2.4), layout="constrained")
    axes = figure.subplots(1, len(GROWTH), sharey=True)
    for ax, (what, cases) in zip(axes, GROWTH.items(), strict=True):
        sizes = [getattr(case, what) for case in cases]
        expected = [scale * theory(case) for case in cases]
        ax.loglog(sizes, measured[what], "o-", label="measured")
        ax.loglog(sizes, expected, "--", color="black", label="theory")
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xticks([], minor=True)
        ax.set_xlabel(what)
        for size, seconds, by_theory in zip(sizes, measured[what], expected, strict=True):
            report.add_row(what, str(size), f"{seconds:.2f}", f"{by_theory:.2f}")
    axes[0].set_ylabel("seconds")
    axes[0].set_yticks([0.2, 0.5, 1, 2], ["0.2", "0.5", "1", "2"])
    axes[0].set_yticks([], minor=True)
    axes[0].legend()
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "growth.png", dpi=150)
    console.print(report)
    console.print(f"drawn to {out / 'growth.png'}")


def main() -> None:
    """Print both tables and draw the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/bench"))
    arguments = parser.parse_args()
    console = Console(width=120)
    report_tables(console)
    report_memory(console)
    report_growth(console, arguments.out)


if __name__ == "__main__":
    main()
