"""How well hidden scores are filled in: `python -m tests.benchmarks.bench_completion`.

Models with at least eight scores lose half of them (rounded down), all at once, redrawn for each
of three folds, which are pooled; true scores of zero are left out of both errors. Ten seeds;
nothing was tuned on them (what was compared was compared on seeds 100 to 104, and on two other
tables).

Then the intervals: how often 90 % intervals hold a hidden score, where scores are hidden in three
ways, pooled and by how many scores a model kept. Last, how far one more score lowers the
error of what a model lacks: the one that `next_benchmark` suggests, or a random one; and what is
promised of it beside what came true.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.impute import KNNImputer

from eevee.completion.advice import next_benchmark
from eevee.completion.complete import impute
from eevee.completion.filling import Problem, Recipe, fill
from eevee.scorers.factor.als import fit_factors, penalties
from eevee.scorers.factor.transform import fit_space

DATA = Path(__file__).parents[2].parent / "shared" / "data"
TABLES = {
    "llm_benchpress_83x49": ["chatbot_arena_elo", "codeforces_rating", "gdpval_aa"],
    "llm_crowdsource_cpp": [],
}
MIN_SCORES = 8
FOLDS = 3
SEEDS = range(10)
JUDGED = {
    "llm_benchpress_83x49": 0.0,
    "llm_crowdsource_cpp": 0.0,
    "obs_joined_22": 0.0,
    "helm_accuracy": 0.0,
    "mteb_eng_v2_sparse": 0.0,
    "bbh_27": 0.7,
    "openclip_38": 0.7,
}
"""Tables by which intervals and advice are judged, and which share of their cells is blanked first,
where they are complete."""
KEPT = (-1, 0, 2, 5, 10, 20, 1000)
INTERVAL_SEEDS = range(3)
ADVICE_SEEDS = range(20, 30)
"""Designs were compared on seeds 0 to 3."""

PROMISE_SEEDS = range(20, 26)

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
    return impute(shown).scores.to_numpy()


METHODS: dict[str, Fill] = {
    "benchmark mean": benchmark_mean,
    "5 nearest models": nearest_models,
    "factors alone": plain_factors,
    "impute()": blend,
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
    for method, way in METHODS.items():
        start, cpu = time.perf_counter(), time.process_time()
        rows = np.array([figures(table, way, seed, judged) for seed in SEEDS])
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


def read(name: str) -> pd.DataFrame:
    table = pd.read_csv(DATA / f"{name}.csv", index_col=0)
    return table.mask(np.random.default_rng(5).random(table.shape) < JUDGED[name])


def a_sixth(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return seen & (rng.random(seen.shape) < 1 / 6)


def all_but_a_few(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three in ten models keep one to five of their scores."""
    hidden = np.zeros_like(seen)
    for row in np.flatnonzero(seen.sum(axis=1) >= 6):
        if rng.random() < 0.3:
            cells = rng.permutation(np.flatnonzero(seen[row]))
            hidden[row, cells[rng.integers(1, 6) :]] = True
    return hidden


HIDING = {
    "half of each model's": hidden_cells,
    "a sixth of all": a_sixth,
    "all but a few of some models'": all_but_a_few,
}


def covered(table: pd.DataFrame, hidden: np.ndarray) -> pd.DataFrame:
    """One row per hidden score: whether its interval is there, holds it, and how wide it is."""
    filled = impute(table.mask(hidden))
    rows, columns = np.nonzero(hidden & filled.predicted.to_numpy())
    low, high, truth = (
        frame.to_numpy()[rows, columns] for frame in (filled.lower, filled.upper, table)
    )
    kept = (table.notna() & ~hidden).sum(axis=1).to_numpy()[rows]
    return pd.DataFrame(
        {
            "given": np.isfinite(low),
            "inside": (low <= truth) & (truth <= high),
            "width": (high - low) / table.std(ddof=0).to_numpy()[columns],
            "kept": kept,
        }
    )


def show_coverage() -> None:
    parts = []
    for name, (way, hide) in ((n, w) for n in JUDGED for w in HIDING.items()):
        table = read(name)
        for seed in INTERVAL_SEEDS:
            hidden = hide(table.notna().to_numpy(), np.random.default_rng(seed))
            parts.append(covered(table, hidden).assign(table=name, way=way))
    cells = pd.concat(parts)
    given = cells[cells["given"]]
    print("coverage of 90 % intervals, %:")
    print(
        (100 * given.pivot_table(values="inside", index="table", columns="way"))
        .round(1)
        .to_string()
    )
    print((100 * given.groupby("way")["inside"].mean()).round(1).to_dict())
    bands = pd.cut(given["kept"], KEPT)
    print("by how many scores the model kept:")
    print(given.groupby(bands, observed=True)["inside"].agg(["mean", "size"]).round(3))
    print("median width in standard deviations by table:")
    print(given.groupby("table")["width"].median().round(2).to_dict())
    print(f"without an interval: {100 * (1 - cells['given'].mean()):.2f} % of the cells")


def after_one_more(table: pd.DataFrame, seed: int, n_random: int) -> tuple[float, float, float]:
    """Mean absolute error, in units, of hidden scores: as they are, and after one was measured.

    Half of the models with at least eight scores lose two thirds of them; each gets one of them
    back, a random one (a mean over draws) or the one that is suggested. A measured score has no
    error.
    """
    rng = np.random.default_rng(seed)
    seen = table.notna().to_numpy()
    hidden = np.zeros_like(seen)
    for row in np.flatnonzero(seen.sum(axis=1) >= MIN_SCORES):
        if rng.random() < 0.5:
            cells = rng.permutation(np.flatnonzero(seen[row]))
            hidden[row, cells[: 2 * len(cells) // 3]] = True
    hidden &= ((seen & ~hidden).sum(axis=0) >= MIN_SCORES // 2)[None]
    rows = np.flatnonzero(hidden.any(axis=1))
    filled = impute(table.mask(hidden))
    recipe, problem = Recipe(filled.logit, filled.rank, filled.penalty), Problem.of(table)

    def error(picks: list[int]) -> float:
        now = seen & ~hidden
        now[rows[: len(picks)], picks] = True
        off = np.abs(fill(problem, now, recipe).scores - problem.scores) / problem.units
        off = np.where(now, 0.0, off)
        return float(np.mean([off[row, hidden[row]].mean() for row in rows]))

    def suggested(row: int) -> int:
        ranked = next_benchmark(filled, table.index[row])["benchmark"]
        asked = ranked[ranked.isin(table.columns[hidden[row]])]
        return int(table.columns.get_loc(asked.iloc[0]))

    draws = [[rng.choice(np.flatnonzero(hidden[row])) for row in rows] for _ in range(n_random)]
    return error([]), float(np.mean([error(d) for d in draws])), error([suggested(r) for r in rows])


def show_advice() -> None:
    print("mean absolute error in units of what models lack: now, after a random score, after the")
    print("suggested one (sd over seeds of the difference of the last two, in % of the former)")
    for name in JUDGED:
        found = np.array([after_one_more(read(name), seed, n_random=10) for seed in ADVICE_SEEDS])
        gain = 100 * (found[:, 2] / found[:, 1] - 1)
        now, random, best = found.mean(axis=0)
        spread = f"{gain.std(ddof=1):.1f}; {(gain < 0).sum()} of {len(gain)} seeds better"
        print(f"  {name:22s} {now:.3f} {random:.3f} {best:.3f}  {gain.mean():+.1f} % ({spread})")


def promised_and_true(table: pd.DataFrame, seed: int) -> np.ndarray:
    """Uncertainty before, its promised drop, squared errors before, their true drop: sums.

    Half of the models with at least eight scores lose two thirds of them and get back the one that
    is suggested. Only what was hidden counts: of other gaps nobody knows the truth.
    """
    rng = np.random.default_rng(seed)
    seen = table.notna().to_numpy()
    hidden = np.zeros_like(seen)
    for row in np.flatnonzero(seen.sum(axis=1) >= MIN_SCORES):
        if rng.random() < 0.5:
            cells = rng.permutation(np.flatnonzero(seen[row]))
            hidden[row, cells[: 2 * len(cells) // 3]] = True
    hidden &= ((seen & ~hidden).sum(axis=0) >= MIN_SCORES // 2)[None]
    found = impute(table.mask(hidden))
    more, promise = seen & ~hidden, np.zeros(2)
    for row in np.flatnonzero(hidden.sum(axis=1) > 1):
        asked = replace(found, columns=found.columns.assign(target=hidden[row]))
        ranked = next_benchmark(asked, table.index[row])
        best = ranked[ranked["benchmark"].isin(table.columns[hidden[row]])].iloc[0]
        more[row, table.columns.get_loc(best["benchmark"])] = True
        promise += best["drop"] / best["share"], best["drop"]
    problem = Problem.of(table)
    recipe = Recipe(found.logit, found.rank, found.penalty)
    before, after = (
        (filling.space.standardise(problem.scores) - filling.blend) ** 2
        for filling in (fill(problem, known, recipe) for known in (seen & ~hidden, more))
    )
    judged = hidden & (hidden.sum(axis=1) > 1)[:, None]
    total = before[judged].sum()
    return np.array([*promise, total, total - after[judged & ~more].sum()])


def made(seed: int) -> pd.DataFrame:
    """Percentages of 60 models in 20 benchmarks, led by one skill and a trait."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(60, 1)) + np.linspace(-2, 2, 20)
    logits += 0.5 * rng.normal(size=(60, 1)) * rng.normal(size=20)
    logits += 0.4 * rng.normal(size=(60, 20))
    return pd.DataFrame(100 / (1 + np.exp(-logits))).add_prefix("c")


def show_promise() -> None:
    print("drop of the uncertainty by the suggested score, %: promised, true (sd over seeds)")
    tables = {"made": made, **{name: lambda _, name=name: whole(name) for name in JUDGED}}
    for name, table in tables.items():
        sums = np.array([promised_and_true(table(seed), seed) for seed in PROMISE_SEEDS])
        shares = 100 * np.column_stack([sums[:, 1] / sums[:, 0], sums[:, 3] / sums[:, 2]])
        total = sums.sum(axis=0)
        spread = shares.std(axis=0, ddof=1)
        print(
            f"  {name:22s} {100 * total[1] / total[0]:.0f} ({spread[0]:.0f})  "
            f"{100 * total[3] / total[2]:.0f} ({spread[1]:.0f})",
            flush=True,
        )


def whole(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"{name}.csv", index_col=0)


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
    show_coverage()
    show_advice()
    show_promise()


if __name__ == "__main__":
    sys.exit(main())
