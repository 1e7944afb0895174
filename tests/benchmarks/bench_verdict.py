"""How often the verdict of `select` and `tiers` claims an advantage, on noise and on real tables.

    python -m tests.benchmarks.bench_verdict [--tables N] [--network]

Noise: normal scores without structure, and real tables whose columns are shuffled, each on its own.
A claim there is false. Ridge, k = 4 and 8, the search that both verbs run by default: near ties
of small tables and all. With --network instead the MLP at k = 4 on two tables, in a short search.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import eevee
from eevee.search.judging import search_verdict
from eevee.search.verdict import SearchVerdict

DATA = Path(__file__).parents[2] / "data"
REAL = ("bbh", "zoo", "vtab", "helm")
SHAPES = ((16, 31), (40, 20), (60, 16), (100, 30))


def made(values: np.ndarray) -> eevee.ResultsTable:
    """A table without names that mean anything."""
    names = [f"c{i:02d}" for i in range(values.shape[1])]
    return eevee.ResultsTable.from_scores(pd.DataFrame(values, columns=names))


def judge(table: eevee.ResultsTable, k: int, seed: int) -> SearchVerdict:
    """Search and judge as `eevee select` does."""
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, seed=seed))
    return search_verdict(scorer, eevee.Procedure().run(scorer, k, seed=seed), k=k, seed=seed)


def report(name: str, tables: list[eevee.ResultsTable]) -> tuple[int, int]:
    """Print one line about some tables; return claims and verdicts."""
    found = [judge(table, k, i) for i, table in enumerate(tables) for k in (4, 8)]
    claims = sum(one.clear for one in found)
    distances = [one.distance or 0.0 for one in found]
    shares = [one.share or 0.0 for one in found]
    print(
        f"{name:24} claims {claims:3d} of {len(found):3d}   below the random median "
        f"{100 * np.mean([one.below for one in found]):4.0f} %   distance {min(distances):5.1f} to "
        f"{max(distances):5.1f}   share {min(shares):4.2f} to {max(shares):4.2f}",
        flush=True,
    )
    return claims, len(found)


SHORT = eevee.search.Evolution(
    population=300, winners=20, children=5, generations=3, polish=False, rival=False
)


def network() -> None:
    """Print one line per table, as it is and shuffled, judged by the MLP."""
    for name in ("bbh", "vtab"):
        table = eevee.read_table(DATA / name / "scores.csv")
        mixed = made(np.random.default_rng(0).permuted(table.scores.to_numpy(), axis=0))
        for label, one in ((name, table), (f"{name}, shuffled", mixed)):
            scorer = eevee.MLPScorer(one, eevee.shuffle_splits(one), epochs=20)
            procedure = eevee.Procedure(evolution=SHORT, exhaustive=False, n_rescore=4)
            found = procedure.run(scorer, 4)
            judged = search_verdict(scorer, found)
            print(
                f"{label:16} {'clear' if judged.clear else 'luck':6} loss {judged.loss:.3f} "
                f"rescored {found.best_row['rescored_mean']:.3f} median "
                f"{judged.random_median:.3f} distance {judged.distance or 0:.1f} "
                f"share {judged.share or 0:.2f}",
                flush=True,
            )


def main() -> None:
    """Print claims on noise, on shuffled tables and on real ones."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=3, help="of each kind of noise")
    parser.add_argument("--network", action="store_true", help="judge the MLP instead")
    options = parser.parse_args()
    if options.network:
        network()
        return
    count = options.tables
    false = []
    for shape in SHAPES:
        tables = [made(np.random.default_rng(i).normal(size=shape)) for i in range(count)]
        false.append(report(f"noise {shape[0]} x {shape[1]}", tables))
    real = {name: eevee.read_table(DATA / name / "scores.csv") for name in REAL}
    for name, table in real.items():
        scores = table.scores.to_numpy()
        tables = [made(np.random.default_rng(i).permuted(scores, axis=0)) for i in range(count)]
        false.append(report(f"{name}, shuffled", tables))
    print(f"false claims: {sum(n for n, _ in false)} of {sum(n for _, n in false)}")
    for name, table in real.items():
        report(name, [table])


if __name__ == "__main__":
    main()
