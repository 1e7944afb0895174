"""What each scorer loses on real tables, and which one is chosen.

`python -m tests.benchmarks.bench_choice [TABLE ...]`. The choice is made on splits of its own, as
the command line does. "regret" is the loss of the chosen scorer over that of the best one, on the
splits and random subsets of another seed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import eevee
from eevee.scorers.choose import CANDIDATES, choose_scorer

ROOT = Path(__file__).parents[2]
PUBLIC = ROOT.parent / "shared" / "data"
SHIPPED = ("bbh", "helm", "zoo", "vtab")
OTHERS = (
    "gate_primary_16x31",
    "llm_benchpress_83x49",
    "openclip_38",
    "mteb_eng_v2_complete",
    "mteb_eng_v2_sparse",
    "ucr_univariate_112",
)
TABLES = {name: ROOT / "data" / name / "scores.csv" for name in SHIPPED} | {
    name: PUBLIC / f"{name}.csv" for name in OTHERS
}


def show(name: str) -> None:
    table = eevee.read_table(TABLES[name])
    splits, own, fresh = (eevee.shuffle_splits(table, seed=seed) for seed in range(3))
    start = time.perf_counter()
    found = choose_scorer(table, splits, choose_on=own)
    seconds = time.perf_counter() - start
    losses = choose_scorer(table, splits, choose_on=fresh, seed=1).losses
    shape = f"{table.n_models} x {table.n_benchmarks}, {1 - table.coverage:.0%}"
    shown = " | ".join(f"{found.losses[candidate]:.4f}" for candidate in CANDIDATES)
    again = " | ".join(f"{losses[candidate]:.4f}" for candidate in CANDIDATES)
    regret = losses[found.name] / min(losses.values())
    print(
        f"| {name} | {shape} | {shown} | {found.name} | {again} | {regret:.3f} | {seconds:.0f} |",
        flush=True,
    )
    print(f"  {found.reason.partition('; ')[2]}", file=sys.stderr, flush=True)


def main(names: list[str]) -> None:
    candidates = " | ".join(CANDIDATES)
    print(f"| table | size, missing | {candidates} | chosen | {candidates} | regret | s |")
    print("|" + " --- |" * (6 + 2 * len(CANDIDATES) - 1))
    for name in names or TABLES:
        if TABLES[name].is_file():
            show(name)
        else:
            print(f"skipped: {TABLES[name]} is not here")


if __name__ == "__main__":
    main(sys.argv[1:])
