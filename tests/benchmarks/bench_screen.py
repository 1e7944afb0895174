"""Compare searches with and without a ridge screen: `python -m tests.benchmarks.bench_screen`.

    python -m tests.benchmarks.bench_screen [table ...] [--n-generations 6] [--seeds 0 1]
        [--screened-generations 3]

An outer split holds models out that neither search sees. Both search on the rest with the same
splits, seed and (unless told otherwise) number of generations. The subset that each would return
is then judged by a fresh MLP that is fitted on the searched models and tested on the held-out
ones, averaged over initialisations that no search used. Random subsets are judged the same way,
for scale. Both clocks are read: wall time depends on what else the machine does, processor time
much less.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import eevee
from eevee.base.arrays import BoolArray
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.result import SearchResult
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

K, N_SPLITS, HELD_OUT = 8, 5, 0.3
JUDGE_SEED, JUDGE_INITS, N_RANDOM = 1000, 16, 20

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT.parent / "shared" / "data", ROOT / "data")
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "gate": ("gate_primary_16x31.csv", {}),
    "zoo": ("zoo/scores.csv", {}),
    "bbh": ("bbh/scores.csv", {}),
    "openclip": ("openclip_38.csv", {}),
    "mteb": ("mteb_eng_v2_complete.csv", {}),
    "ucr": ("ucr_univariate_112.csv", {}),
    "mmlu": ("mmlu_57.csv", {"duplicates": "first"}),
}


@dataclass(frozen=True)
class Outcome:
    """What one search found and what it took; `reached`: evaluations until the target loss."""

    search: str
    held_out: float
    random: float
    loss: float
    evaluated: int
    reached: float
    wall: float
    cpu: float


def read(name: str) -> ResultsTable | None:
    """Return the table where one of the folders has it."""
    path, options = TABLES[name]
    found = [folder / path for folder in FOLDERS if (folder / path).exists()]
    return eevee.read_table(found[0], **options) if found else None


def drawn(table: ResultsTable, seed: int) -> BoolArray:
    """Mark the models that are held out."""
    held_out = np.zeros(table.n_models, dtype=bool)
    order = np.random.default_rng([seed, table.n_models]).permutation(table.n_models)
    held_out[order[: max(2, round(HELD_OUT * table.n_models))]] = True
    return held_out


def judge_of(table: ResultsTable, held_out: BoolArray, epochs: int) -> eevee.MLPScorer:
    """Return what fits on the searched models and tests on the held-out ones."""
    splits = Splits(~held_out[None], np.zeros((1, table.n_models), dtype=bool), held_out[None])
    return eevee.MLPScorer(table, splits, epochs=epochs, seed=JUDGE_SEED)


def searched(
    inner: ResultsTable, seed: int, options: argparse.Namespace, *, screened: bool
) -> tuple[SearchResult, float, float]:
    """Search with scorers that have scored nothing; return wall and processor seconds too."""
    splits = eevee.shuffle_splits(inner, n_splits=N_SPLITS, seed=seed)
    generations = options.generations
    if screened and options.screened_generations:
        generations = options.screened_generations
    evolution = Evolution(generations=generations, patience=None)
    wall, cpu = time.perf_counter(), time.process_time()
    scorer = eevee.MLPScorer(inner, splits, epochs=options.epochs, seed=seed, device="cpu")
    screen = eevee.RidgeScorer(inner, splits) if screened else None
    found = evolve(scorer, K, screen=screen, evolution=evolution, seed=seed, exhaustive=False)
    return found, time.perf_counter() - wall, time.process_time() - cpu


def compared(table: ResultsTable, seed: int, options: argparse.Namespace) -> list[Outcome]:
    """Both searches, in an order that changes with the seed."""
    held_out = drawn(table, seed)
    inner = table.take_models(~held_out)
    judge = judge_of(table, held_out, options.epochs)
    order = (False, True) if seed % 2 else (True, False)
    runs = {screened: searched(inner, seed, options, screened=screened) for screened in order}
    target = runs[False][0].logbook["best"].iloc[-1]
    random = runs[False][0].evaluated["benchmarks"].iloc[:N_RANDOM].tolist()
    outcomes = []
    for screened, (found, wall, cpu) in sorted(runs.items()):
        again = judge.rescore([found.best, *random], JUDGE_INITS).mean(axis=1)
        log = found.logbook
        outcomes.append(
            Outcome(
                search="screened" if screened else "pure",
                held_out=float(again[0]),
                random=float(np.median(again[1:])),
                loss=float(found.evaluated["loss"].min()),
                evaluated=len(found.evaluated),
                reached=float(log.loc[log["best"] <= target, "evaluated"].min()),
                wall=wall,
                cpu=cpu,
            )
        )
    return outcomes


def show(frame: pd.DataFrame, console: Console) -> None:
    """Print means over outer seeds, a line per table and search."""
    shown = Table(title=f"k = {K}, {N_SPLITS} splits, means over outer seeds")
    for name in ("table", "search", "held-out (random)", "search loss", "MLP evaluations",
                 "until pure's best", "wall s", "CPU s"):  # fmt: skip
        shown.add_column(name, justify="right" if name not in ("table", "search") else "left")
    for (table, search), rows in frame.groupby(["table", "search"], sort=False):
        mean = rows.drop(columns=["table", "search", "seed"]).mean()
        shown.add_row(
            str(table),
            str(search),
            f"{mean['held_out']:.4f} ({mean['random']:.4f})",
            f"{mean['loss']:.4f}",
            f"{mean['evaluated']:,.0f}",
            f"{mean['reached']:,.0f} in {rows['reached'].notna().sum()}/{len(rows)}",
            f"{mean['wall']:.1f}",
            f"{mean['cpu']:.1f}",
        )
    console.print(shown)


def show_ratios(frame: pd.DataFrame, console: Console) -> None:
    """Print screened over pure, the geometric mean over tables and seeds."""
    pairs = frame.pivot_table(index=["table", "seed"], columns="search", sort=False)
    console.print(f"screened over pure, {len(pairs)} pairs: geometric mean (least to most)")
    for name in ("held_out", "loss", "evaluated", "wall", "cpu"):
        ratios = pairs[name]["screened"] / pairs[name]["pure"]
        mean = float(np.exp(np.log(ratios).mean()))
        console.print(f"  {name:9} {mean:.3f} ({ratios.min():.3f} to {ratios.max():.3f})")
    wins = int((pairs["held_out"]["screened"] < pairs["held_out"]["pure"]).sum())
    console.print(f"  held-out loss lower with the screen in {wins} of {len(pairs)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="table")
    parser.add_argument("--n-generations", type=int, default=6)
    parser.add_argument("--screened-generations", type=int)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    console = Console(width=120)
    rows = []
    for name in options.tables:
        table = read(name)
        if table is None:
            console.print(f"{name}: no such file, left out")
            continue
        console.print(f"{name}: {table.n_models} models x {table.n_benchmarks} benchmarks")
        for seed in options.seeds:
            for outcome in compared(table, seed, options):
                rows.append({"table": name, "seed": seed} | asdict(outcome))
    frame = pd.DataFrame(rows)
    show(frame, console)
    show_ratios(frame, console)


if __name__ == "__main__":
    main()
