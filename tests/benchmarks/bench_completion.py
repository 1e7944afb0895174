"""How well hidden scores are filled in: `python -m tests.benchmarks.bench_completion`.

Models with at least eight scores lose half of them (rounded down), all at once, redrawn for each
of three folds, which are pooled; true scores of zero are left out of both errors. Ten seeds;
nothing was tuned on them (what was compared was compared on seeds 100 to 104, and on two other
tables).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.impute import KNNImputer

from eevee.completion import complete
from eevee.scoring.als import fit_factors, penalties
from eevee.scoring.space import fit_space

DATA = Path(__file__).parents[2].parent / "shared" / "data"
TABLES = {
    "llm_benchpress_83x49": ["chatbot_arena_elo", "codeforces_rating", "gdpval_aa"],
    "llm_crowdsource_cpp": [],
}
MIN_SCORES = 8
FOLDS = 3
SEEDS = range(10)

Fill = Callable[[pd.DataFrame], np.ndarray]


def benchmark_mean(shown: pd.DataFrame) -> np.ndarray:
    return np.broadcast_to(shown.mean().to_numpy(), shown.shape)


def nearest_models(shown: pd.DataFrame) -> np.ndarray:
    spread = shown.std(ddof=0).replace(0, 1).fillna(1)
    imputer = KNNImputer(n_neighbors=5, weights="distance", keep_empty_features=True)
    filled = imputer.fit_transform((shown - shown.mean()) / spread)
    return np.where(
        shown.notna().any(), filled * spread.to_numpy() + shown.mean().to_numpy(), np.nan
    )


def plain_factors(shown: pd.DataFrame) -> np.ndarray:
    scores = shown.to_numpy()
    seen = np.isfinite(scores)
    space = fit_space(scores, seen, shown.std(ddof=0).fillna(0).to_numpy(), logit=True)
    values = np.where(seen, space.standardise(scores), 0.0)
    factors = fit_factors(values, seen, 2, 1.0)
    models = factors.models(values, seen, penalties(1.0, 2))
    return space.clip(space.restore(factors.predict(models)))


def blend(shown: pd.DataFrame) -> np.ndarray:
    return complete(shown).scores.to_numpy()


METHODS: dict[str, Fill] = {
    "benchmark mean": benchmark_mean,
    "5 nearest models": nearest_models,
    "factors alone": plain_factors,
    "complete()": blend,
}


def hidden_cells(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    hidden = np.zeros_like(seen)
    for row in np.flatnonzero(seen.sum(axis=1) >= MIN_SCORES):
        cells = rng.permutation(np.flatnonzero(seen[row]))
        hidden[row, cells[: len(cells) // 2]] = True
    return hidden


def figures(table: pd.DataFrame, fill: Fill, seed: int, judged: np.ndarray) -> list[float]:
    """Median relative error (%), median absolute error, coverage (%)."""
    rng = np.random.default_rng(seed)
    truth, guess = [], []
    for _ in range(FOLDS):
        hidden = hidden_cells(table.notna().to_numpy(), rng)
        filled = fill(table.mask(hidden))
        truth.append(table.to_numpy()[hidden & judged])
        guess.append(filled[hidden & judged])
    true, said = np.concatenate(truth), np.concatenate(guess)
    kept = np.isfinite(said) & (true != 0)
    error = np.abs(said - true)[kept]
    relative = 100 * np.median(error / np.abs(true[kept]))
    return [float(relative), float(np.median(error)), 100 * float(np.isfinite(said).mean())]


def show(name: str, table: pd.DataFrame, left_out: list[str]) -> None:
    judged = np.broadcast_to(~table.columns.isin(left_out), table.shape)
    for method, fill in METHODS.items():
        start, cpu = time.perf_counter(), time.process_time()
        rows = np.array([figures(table, fill, seed, judged) for seed in SEEDS])
        took = (time.perf_counter() - start) / (len(SEEDS) * FOLDS)
        cpu = (time.process_time() - cpu) / (len(SEEDS) * FOLDS)
        relative, absolute, coverage = (
            f"{mean:6.2f} ({sd:.2f}; {low:.2f}-{high:.2f})"
            for mean, sd, low, high in zip(
                rows.mean(axis=0),
                rows.std(axis=0, ddof=1),
                rows.min(axis=0),
                rows.max(axis=0),
                strict=True,
            )
        )
        print(
            f"  {method:18s} relative % {relative}  absolute {absolute}  "
            f"coverage % {coverage.split('(')[0]} {took:.2f} s a table, {cpu:.2f} s CPU"
        )


def main() -> None:
    if not DATA.is_dir():
        print(f"skipped: the public tables are not here ({DATA})")
        return
    for name, ratings in TABLES.items():
        table = pd.read_csv(DATA / f"{name}.csv", index_col=0)
        print(f"{name}: median errors of hidden cells, mean over seeds (sd; range)")
        show(name, table, [])
        if ratings:
            print(f"{name}, errors without the ratings in thousands ({', '.join(ratings)})")
            show(name, table, ratings)


if __name__ == "__main__":
    sys.exit(main())
