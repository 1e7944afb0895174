"""How often the intervals of `eevee impute` cover where gaps go with strength, or with date.

`python -m tests.benchmarks.bench_gaps [TABLE ...]`. A sixth of the scores is hidden at random; or
a quarter of the columns that have at least 16 scores keep only those of their eight strongest
models (by the mean of all standardised scores), of their eight weakest, or of the older half of
the models (where the table has dates). Coverage is counted over hidden scores that got an
interval, at nominal 90 %. Widths and biases are in standard deviations of the column; "bias before"
is that of the mean of both predictions where each column is standardised by itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from eevee.completion.complete import Completion, impute
from eevee.completion.filling import Problem
from eevee.completion.neighbours import regress
from eevee.scorers.factor.als import fit_factors, penalties
from eevee.scorers.factor.transform import fit_space

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
TABLES = {
    "llm_benchpress_83x49": SHARED / "llm_benchpress_83x49.csv",
    "obs_joined_22": SHARED / "obs_joined_22.csv",
    "openclip_38": SHARED / "openclip_38.csv",
    "mteb_eng_v2_complete": SHARED / "mteb_eng_v2_complete.csv",
    "helm": ROOT / "data" / "helm" / "scores.csv",
    "bbh": ROOT / "data" / "bbh" / "scores.csv",
}
DATES = {"bbh": (ROOT / "data" / "bbh" / "models.csv", "released")}
SEEDS = range(10, 13)
"""Designs were compared on seeds 0 to 7."""
KEPT, SHARE = 8, 0.25


def strengths(table: pd.DataFrame) -> np.ndarray:
    return ((table - table.mean()) / table.std(ddof=0).replace(0, 1)).mean(axis=1).to_numpy()


def at_random(table: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return table.notna().to_numpy() & (rng.random(table.shape) < 1 / 6)


def cut(table: pd.DataFrame, order: np.ndarray, kept: int | None, rng: np.random.Generator):
    """Hide all but the first models in an order (by half of them, if not by number)."""
    seen = table.notna().to_numpy() & np.isfinite(order)[:, None]
    hidden = np.zeros_like(seen)
    able = np.flatnonzero(seen.sum(axis=0) >= 2 * KEPT)
    for column in rng.choice(able, max(1, round(SHARE * len(able))), replace=False):
        rows = np.flatnonzero(seen[:, column])
        ranked = rows[np.argsort(order[rows], kind="stable")]
        hidden[ranked[kept or len(ranked) // 2 :], column] = True
    return hidden


def dates(name: str, table: pd.DataFrame) -> np.ndarray | None:
    if name not in DATES:
        return None
    path, column = DATES[name]
    when = pd.to_datetime(pd.read_csv(path, index_col=0)[column].reindex(table.index))
    days = (when - when.min()).dt.days
    return days.to_numpy(dtype=float)


def before(table: pd.DataFrame, found: Completion) -> np.ndarray:
    """Both predictions' mean, each column standardised by its own measured scores."""
    problem = Problem.of(table)
    space = fit_space(
        problem.scores, problem.seen, problem.units, logit=found.logit, bounds=problem.bounds
    )
    values = np.where(problem.seen, space.standardise(problem.scores), 0.0)
    factors = fit_factors(values, problem.seen, found.rank, found.penalty)
    shrink = penalties(found.penalty, found.rank)
    fitted = factors.predict(factors.models(values, problem.seen, shrink))
    heard = regress(values, problem.seen).predicted
    return space.clip(space.restore(np.where(np.isfinite(heard), (fitted + heard) / 2, fitted)))


def covered(table: pd.DataFrame, hidden: np.ndarray) -> pd.DataFrame:
    shown = table.mask(hidden)
    found = impute(shown)
    low, high, truth, said = (
        frame.to_numpy()[hidden] for frame in (found.lower, found.upper, table, found.scores)
    )
    unit = np.broadcast_to(table.std(ddof=0), table.shape)[hidden]
    return pd.DataFrame(
        {
            "given": np.isfinite(low),
            "inside": (low <= truth) & (truth <= high),
            "width": (high - low) / unit,
            "before": (before(shown, found)[hidden] - truth) / unit,
            "after": (said - truth) / unit,
        }
    )


def show(name: str) -> None:
    table = pd.read_csv(TABLES[name], index_col=0)
    strong = strengths(table)
    patterns = {
        "random": lambda rng: at_random(table, rng),
        "eight strongest": lambda rng: cut(table, -strong, KEPT, rng),
        "eight weakest": lambda rng: cut(table, strong, KEPT, rng),
    }
    when = dates(name, table)
    if when is not None:
        patterns["older half"] = lambda rng: cut(table, when, None, rng)
    usual = np.nan
    for pattern, hide in patterns.items():
        start = time.process_time()
        parts = [covered(table, hide(np.random.default_rng(seed))) for seed in SEEDS]
        took = (time.process_time() - start) / len(parts)
        cells = pd.concat(parts)
        given = cells[cells["given"]]
        width = given["width"].median()
        usual = width if pattern == "random" else usual
        print(
            f"| {name} | {pattern} | {len(cells)} | {100 * given['inside'].mean():.0f} | "
            f"{100 * cells['given'].mean():.0f} | {width:.2f} | {width / usual:.1f} | "
            f"{cells['before'].mean():+.2f} | {cells['after'].mean():+.2f} | {took:.0f} |",
            flush=True,
        )


def main(args: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    print("| table | measured | hidden | covered, % | with interval, % | width | over random | "
          "bias before | bias | CPU s |")  # fmt: skip
    print("|" + " --- |" * 10)
    for name in parser.parse_args(args).tables:
        if TABLES[name].exists():
            show(name)
        else:
            print(f"skipped: {name} is not here ({TABLES[name].parent})")


if __name__ == "__main__":
    main(sys.argv[1:])
