"""Whether choosing each benchmark after the last result beats a fixed tier of the same cost.

`python -m tests.benchmarks.bench_adaptive [--models 36] [--budget 10% --budget 25%]`. Each model is
held out of the zoo, and of llm_benchpress_83x49 (each benchmark costs 1 there; columns are those of
0 to 100 that the model has, models those with at least ten). The others choose a tier under the
budget by greedy search (ridge), and advise the adaptive run under the same budget. Both predict the
model's mean score by `mean_of`; counted is how far that is off, in points of 100, and whether the
90 % interval of it holds the truth. Intervals of differences: paired bootstrap over models.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from eevee.base.seeds import child_seed
from eevee.readers import read_table
from eevee.running.adaptive import Mean, Rule, adapt, mean_of
from eevee.scorers.spec import SEARCH, ScorerSpec
from eevee.search.select import select
from eevee.tables.results_table import ResultsTable
from tests.zoo import ZOO

PRESS = Path(__file__).parents[2].parent / "shared" / "data" / "llm_benchpress_83x49.csv"
LEAST = 10
"""Scores of a column in the training rows, and benchmarks of a held-out model."""
HeldOut = Iterator[tuple[str, ResultsTable, "pd.Series[float]", float]]


def zoo(n: int) -> HeldOut:
    """Yield a model's name, the table of the others, its row and the points of a score of 1."""
    scores = pd.read_csv(ZOO / "scores.csv", index_col="model")
    for name in spread(scores.index, n):
        others = read_table(ZOO / "scores.csv", costs=ZOO / "costs.csv", drop_models=[name])
        yield name, others, scores.loc[name, others.scores.columns], 100.0


def press(n: int) -> HeldOut:
    """The same, each table in the columns that the model has."""
    scores = pd.read_csv(PRESS, index_col=0)
    scores = scores.loc[:, (scores.max() <= 100) & (scores.notna().sum() > LEAST)]
    able = scores.index[scores.notna().sum(axis=1) >= LEAST]
    for name in spread(able, n):
        row = scores.loc[name].dropna()
        others = scores.drop(index=name)[row.index].dropna(how="all")
        yield name, ResultsTable.from_scores(others), row, 1.0


def spread(names: pd.Index, n: int) -> list[str]:
    """Take n names, drawn at random and in the same order for every n."""
    order = np.random.default_rng(0).permutation(len(names))
    return [str(names[i]) for i in order[:n]]


def compare(table: ResultsTable, row: pd.Series[float], budget: str) -> dict[str, float]:
    truth = float(row.mean())
    scorer = ScorerSpec("ridge").make(table, seed=0)
    seed = child_seed(0, SEARCH)
    tier = select(scorer, budget=budget, method="greedy", seed=seed, baselines=False).best
    owned = row.where(table.columns["benchmark"].isin(tier))
    fixed = mean_of(table, owned)

    def look_up(name: str) -> dict[str, float]:
        return {column: float(row[column]) for column in table.columns_of(name)}

    found = adapt(table, look_up, Rule(budget, track=False))
    assert fixed is not None
    assert found.mean is not None
    shares = {"fixed": table.cost_of(tier), "adaptive": found.spent}
    return {
        **of("fixed", fixed, truth),
        **of("adaptive", found.mean, truth),
        **{f"{arm} cost": cost / table.total_cost for arm, cost in shares.items()},
        "fixed size": len(tier),
        "adaptive size": len(found.choices),
    }


def of(arm: str, mean: Mean, truth: float) -> dict[str, float]:
    inside = float(mean.lower <= truth <= mean.upper) if np.isfinite(mean.width) else np.nan
    return {
        f"{arm} off": abs(mean.predicted - truth),
        f"{arm} width": mean.width,
        f"{arm} inside": inside,
    }


def show(source: str, held_out: HeldOut, budget: str) -> None:
    start, rows = time.process_time(), []
    for name, table, row, points in held_out:
        done = compare(table, row, budget)
        scaled = {k: v * points if k.endswith(("off", "width")) else v for k, v in done.items()}
        rows.append(scaled)
        print(f"  {name}: {scaled['fixed off']:.2f} {scaled['adaptive off']:.2f}", file=sys.stderr)
    found = pd.DataFrame(rows)
    difference = (found["adaptive off"] - found["fixed off"]).to_numpy()
    draws = np.random.default_rng(0).integers(len(rows), size=(10_000, len(rows)))
    low, high = np.quantile(difference[draws].mean(axis=1), [0.025, 0.975])
    cells = [source, budget, str(len(rows))]
    for arm in ("fixed", "adaptive"):
        mean = found.filter(like=arm).mean()
        inside = "-" if np.isnan(mean[f"{arm} inside"]) else f"{100 * mean[f'{arm} inside']:.0f}"
        width = "-" if np.isnan(mean[f"{arm} width"]) else f"{mean[f'{arm} width']:.1f}"
        told = int(found[f"{arm} inside"].notna().sum())
        cells += [
            f"{mean[f'{arm} off']:.2f}",
            f"{100 * mean[f'{arm} cost']:.1f} % ({mean[f'{arm} size']:.1f})",
            f"{width} / {inside} of {told}",
        ]
    cells.append(f"{difference.mean():+.2f} ({low:+.2f} to {high:+.2f})")
    print("| " + " | ".join(cells) + " |", flush=True)
    print(f"  {time.process_time() - start:.0f} s", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=36, help="held out, per table")
    parser.add_argument("--budget", action="append", help="as 25%%; repeats")
    parser.add_argument("--table", choices=("zoo", "press"), action="append")
    given = parser.parse_args()
    print(
        "| table | budget | models | fixed: off | cost (benchmarks) | width / inside, % "
        "| adaptive: off | cost (benchmarks) | width / inside, % | adaptive less fixed |"
    )
    print("|" + " --- |" * 10)
    for name in given.table or ("zoo", "press"):
        if name == "press" and not PRESS.exists():
            print(f"llm_benchpress_83x49: skipped, there is no {PRESS.name}", file=sys.stderr)
            continue
        for budget in given.budget or ("10%", "25%"):
            source, label = (zoo, "zoo") if name == "zoo" else (press, "llm_benchpress_83x49")
            show(label, source(given.models), budget)
    return 0


if __name__ == "__main__":
    sys.exit(main())
