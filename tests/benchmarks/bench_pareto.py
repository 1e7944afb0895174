"""Compare ways to a front of loss and cost: `python -m tests.benchmarks.bench_pareto [table ...]`.

Ridge scores. By hypervolume (losses over the mean predictor's, costs over the total): NSGA-II as
`eevee.pareto` runs it and without its greedy start, greedy search by fall of the loss per cost
down to the last benchmark, and evolution under each of eight budgets, each beginning with what the
smaller ones found, whose front is that of everything that they scored: budgets evenly over cost
or over its log, whichever gives more. Tables without costs get log-normal ones from a fixed seed.
Where there are at most 70,000 subsets, the exact front stands beside.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import eevee
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.front.chains import greedy_chain
from eevee.search.front.nsga import Nsga, log_line
from eevee.search.front.pareto import pareto
from eevee.search.result import Ledger
from eevee.tables.results_table import ResultsTable
from tests.search.spaces import make_space

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
N_BUDGETS, N_SPLITS, ENUMERABLE = 8, 5, 70_000
TABLES = {
    "zoo": (ROOT / "data/zoo/scores.csv", ROOT / "data/zoo/costs.csv", "cost"),
    "helm": (ROOT / "data/helm/scores.csv", ROOT / "data/helm/costs.csv", "cost"),
    "mteb": (
        SHARED / "mteb_eng_v2_complete.csv",
        SHARED / "mteb_eng_v2_benchmark_cost.csv",
        "median_seconds",
    ),
    "openclip": (SHARED / "openclip_38.csv", None, ""),
    "bbh": (ROOT / "data/bbh/scores.csv", None, ""),
    "ucr": (SHARED / "ucr_univariate_112.csv", None, ""),
}
ALONE = Evolution(population=250, winners=25, children=10, generations=2, patience=None)
"""Of each of the eight searches, so that together they score about as many."""


@dataclass(frozen=True)
class Way:
    """One way to a front, and what it gave."""

    name: str
    scored: int
    front: int
    volume: float
    seconds: float


def read(name: str) -> ResultsTable | None:
    """Return a table with costs: its own, or log-normal ones; None where the file is not here."""
    scores, costs, column = TABLES[name]
    if not scores.exists():
        return None
    if costs is None:
        names = eevee.read_table(scores).benchmark_names
        drawn = np.random.default_rng(0).lognormal(size=len(names))
        frame = pd.DataFrame({"benchmark": names, "cost": drawn})
    else:
        frame = pd.read_csv(costs)[["benchmark", column]].set_axis(["benchmark", "cost"], axis=1)
    with tempfile.TemporaryDirectory() as home:
        frame.to_csv(Path(home) / "costs.csv", index=False)
        return eevee.read_table(scores, costs=Path(home) / "costs.csv")


def measured(name: str, ledger: Ledger, start: float) -> Way:
    """Judge everything that one way has scored."""
    line = log_line(ledger, 0)
    return Way(name, len(ledger), line["front"], line["hypervolume"], time.perf_counter() - start)


def by_nsga(table: ResultsTable, name: str, nsga: Nsga, seed: int) -> Way:
    """NSGA-II, with a scorer that has scored nothing."""
    start = time.perf_counter()
    found = pareto(scorer_of(table), settings=nsga, seed=seed, exhaustive=False)
    seconds = time.perf_counter() - start
    return Way(name, len(found.evaluated), len(found.front), found.hypervolume, seconds)


def by_greedy(table: ResultsTable) -> Way:
    """Every step scores every candidate."""
    start = time.perf_counter()
    ledger = Ledger(scorer_of(table), "greedy", 0)
    greedy_chain(make_space(table), ledger, table.n_benchmarks**2)
    return measured("greedy", ledger, start)


def by_budgets(table: ResultsTable, seed: int) -> Way:
    """Evolution under eight budgets."""
    low, high = sorted(table.costs.values())[1], table.total_cost
    shares = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
    spaced = (low * (high / low) ** shares, low + (high - low) * shares)
    return max((under(table, budgets, seed) for budgets in spaced), key=lambda way: way.volume)


def under(table: ResultsTable, budgets: np.ndarray, seed: int) -> Way:
    """Evolution under each of these budgets; all that was scored."""
    start = time.perf_counter()
    scorer = scorer_of(table)
    ledger = Ledger(scorer, "budgets", 0)
    best: list[tuple[str, ...]] = []
    for i, budget in enumerate(budgets):
        found = evolve(
            scorer, budget=float(budget), seed=seed + i, evolution=ALONE, include=best, n_rescore=0,
            exhaustive=False,
        )  # fmt: skip
        best.append(found.best)
        ledger.add(found.evaluated["benchmarks"], 0)
    return measured("8 budgets", ledger, start)


def by_enumeration(table: ResultsTable) -> Way:
    """Every subset."""
    start = time.perf_counter()
    ledger = Ledger(scorer_of(table), "all", 0)
    ledger.add(make_space(table), 0)
    return measured("exact", ledger, start)


def scorer_of(table: ResultsTable) -> eevee.RidgeScorer:
    """Return the same scorer, with nothing in its cache."""
    return eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=N_SPLITS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="table")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    console = Console(width=110)
    report = Table(title="Hypervolume: median over seeds (lowest to highest)")
    for heading in ("table", "way", "scored", "front", "hypervolume", "s"):
        report.add_column(heading, justify="left" if heading in ("table", "way") else "right")
    for name in options.tables:
        table = read(name)
        if table is None:
            console.print(f"{name}: no such file, left out")
            continue
        ways = [by_greedy(table)]
        if 2**table.n_benchmarks <= ENUMERABLE:
            ways.append(by_enumeration(table))
        for seed in options.seeds:
            ways.append(by_nsga(table, "NSGA-II", Nsga(), seed))
            ways.append(by_nsga(table, "no greedy start", Nsga(greedy=0, initial=1000), seed))
            ways.append(by_budgets(table, seed))
        frame = pd.DataFrame(ways)
        for way, rows in frame.groupby("name", sort=False):
            middle = rows.drop(columns="name").median()
            volume = f"{middle['volume']:.4f}"
            if len(rows) > 1:
                volume += f" ({rows['volume'].min():.4f}-{rows['volume'].max():.4f})"
            report.add_row(
                f"{name} ({table.n_benchmarks})",
                str(way),
                f"{middle['scored']:,.0f}",
                f"{middle['front']:.0f}",
                volume,
                f"{middle['seconds']:.1f}",
            )
    console.print(report)


if __name__ == "__main__":
    main()
