"""How often the intervals of `eevee predict` cover models unlike those of the table, and twins.

`python -m tests.benchmarks.bench_frontier [--mlp] [--weakest] [--ways] [TABLE ...]`. Three ways to
hold out models: the fifth with the highest (or lowest) mean scores; the fifth whose inputs differ
most from each other (high on one, low on another; of the subset that predicts); ten random folds.
Subsets have 4 or 8 benchmarks. For the strongest they are found by greedy search (ridge) on the
rest, and three drawn at random; for the others four are drawn at random, or one in each fold. A
predictor fitted on the rest sees the held-out models' scores on the subset (models that lack one
are skipped). Counted are predicted cells with a known score and, of models measured in every
column, mean scores in units, at nominal 90 %. "Before" are intervals that know of no frontier;
width ratios are sums of widths over theirs, of all models and of those flagged and not flagged as
outside; "given" is the share that got an interval. Then, twins: `../shared/cases/trust`. Tables of
`../shared` are skipped where they are absent.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

import eevee
from eevee.prediction.frontier import Frontier, Place
from eevee.scorers import loss
from eevee.tables.averages import loss_weights, mean_scores

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
SHIPPED = ("bbh", "helm", "zoo")
OTHERS = ("openclip_38", "mteb_eng_v2_complete", "obs_joined_22")
LEVEL, SHARE, FOLDS, RANDOM = 0.9, 0.2, 10, 3
INSIDE = Place("above", 1.0, 0.0, 1.0, 0.0)


def path_of(name: str) -> Path:
    shipped = ROOT / "data" / name / "scores.csv"
    return shipped if shipped.exists() else SHARED / "data" / f"{name}.csv"


def strength(table: eevee.ResultsTable) -> np.ndarray:
    centre, units = np.nanmean(table.oriented, axis=0), table.units.to_numpy()
    return mean_scores(table.oriented, centre, units, loss_weights(table, None))


def subsets(table: eevee.ResultsTable, k: int) -> Iterator[tuple[str, ...]]:
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    yield eevee.Procedure("greedy", exhaustive=False).run(scorer, k=k).best
    rng = np.random.default_rng(k)
    for _ in range(RANDOM):
        yield table.subset(rng.choice(table.benchmark_names, k, replace=False))


def inside(truth: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    hit = (lower <= truth) & (truth <= upper)
    return np.where(np.isfinite(truth) & np.isfinite(lower), hit, np.nan)


def covered(
    training: eevee.ResultsTable, rows: pd.DataFrame, subset: tuple[str, ...], scorer: str
) -> pd.DataFrame | None:
    """A row per predicted cell, and one per mean score (column "mean")."""
    names = [c for name in subset for c in training.columns_of(name)]
    rows = rows[rows[names].notna().all(axis=1)]
    if rows.empty:
        return None
    fitted = eevee.fit_predictor(training, subset, scorer=scorer, epochs=20, n_init=2)
    found = fitted.predict(rows[names], level=LEVEL)
    with patch.object(Frontier, "place", lambda *_: INSIDE):
        plain = fitted.predict(rows[names], level=LEVEL)
    units, parts = training.units.to_numpy(), []
    flagged = rows.index.isin(found.outside["model"])
    others = ~np.isin(rows.columns, names)
    truth = rows.to_numpy()
    hits = inside(truth, found.lower.to_numpy(), found.upper.to_numpy())[:, others]
    before = inside(truth, plain.lower.to_numpy(), plain.upper.to_numpy())[:, others]
    wide = ((found.upper - found.lower).to_numpy() / units)[:, others]
    was = ((plain.upper - plain.lower).to_numpy() / units)[:, others]
    parts.append(pd.DataFrame({
        "hit": hits.ravel(),
        "before": before.ravel(),
        "width": wide.ravel(),
        "was": was.ravel(),
        "flagged": np.repeat(flagged, others.sum()),
        "what": "cell",
    }))  # fmt: skip
    signs = np.where(training.columns["direction"] == "higher", 1.0, -1.0)
    centre = training.scores.mean().to_numpy() * signs
    mean = mean_scores(truth * signs, centre, units, loss_weights(training, None))
    mean = np.where(np.isfinite(truth).all(axis=1), mean, np.nan)
    ends, old = found.mean_in_units, plain.mean_in_units
    parts.append(pd.DataFrame({
        "hit": inside(mean, ends["lower"].to_numpy(), ends["upper"].to_numpy()),
        "before": inside(mean, old["lower"].to_numpy(), old["upper"].to_numpy()),
        "width": (ends["upper"] - ends["lower"]).to_numpy(),
        "was": (old["upper"] - old["lower"]).to_numpy(),
        "flagged": flagged,
        "what": "mean",
    }))  # fmt: skip
    return pd.concat(parts)


def share(values: pd.Series[float]) -> str:
    known = values.dropna()
    return f"{100 * known.mean():.0f}" if len(known) else "-"


def ratio(part: pd.DataFrame) -> str:
    known = part[part["width"].notna() & part["was"].notna()]
    return f"{known['width'].sum() / known['was'].sum():.2f}" if len(known) else "-"


def show(name: str, scorer: str, k: int, cells: pd.DataFrame) -> None:
    flagged = cells["flagged"][cells["what"] == "mean"].astype(float)
    shown = [name, scorer, str(k), share(flagged)]
    for what in ("cell", "mean"):
        part = cells[cells["what"] == what]
        given = share(part["width"].notna().astype(float))
        ratios = (ratio(part), ratio(part[~part["flagged"]]), ratio(part[part["flagged"]]))
        shown += [share(part["before"]), share(part["hit"]), given, *ratios]
    print("| " + " | ".join(shown) + " |", flush=True)


def outer(table: eevee.ResultsTable, k: int, scorer: str, sign: float) -> pd.DataFrame:
    order = np.argsort(-sign * strength(table), kind="stable")
    held = np.zeros(table.n_models, dtype=bool)
    held[order[: round(SHARE * table.n_models)]] = True
    training = table.take_models(~held)
    parts = (covered(training, table.scores[held], s, scorer) for s in subsets(training, k))
    return pd.concat([one for one in parts if one is not None])


def unlike(table: eevee.ResultsTable, k: int, scorer: str) -> pd.DataFrame:
    """The fifth whose standardised inputs differ most from each other."""
    rng, parts = np.random.default_rng(k), []
    z = (table.oriented - np.nanmean(table.oriented, axis=0)) / table.units.to_numpy()
    for _ in range(1 + RANDOM):
        subset = table.subset(rng.choice(table.benchmark_names, k, replace=False))
        own = table.columns["benchmark"].isin(subset).to_numpy()
        spread = pd.DataFrame(z[:, own]).std(axis=1, skipna=False).fillna(-1.0).to_numpy()
        held = np.zeros(table.n_models, dtype=bool)
        held[np.argsort(-spread, kind="stable")[: round(SHARE * table.n_models)]] = True
        parts.append(covered(table.take_models(~held), table.scores[held], subset, scorer))
    return pd.concat([one for one in parts if one is not None])


def within(table: eevee.ResultsTable, k: int, scorer: str) -> pd.DataFrame:
    fold = np.random.default_rng(0).permutation(table.n_models) % FOLDS
    parts = []
    for i in range(FOLDS):
        training = table.take_models(fold != i)
        rng = np.random.default_rng([k, i])
        subset = table.subset(rng.choice(table.benchmark_names, k, replace=False))
        parts.append(covered(training, table.scores[fold == i], subset, scorer))
    return pd.concat([one for one in parts if one is not None])


def ways(table: eevee.ResultsTable, k: int) -> list[str]:
    """Errors of ridge with clipped inputs, with inputs as they are, and of a linear trend."""
    order = np.argsort(-strength(table), kind="stable")
    held = np.zeros((1, table.n_models), dtype=bool)
    held[0, order[: round(SHARE * table.n_models)]] = True
    splits = eevee.splits.Splits(train=~held, validation=np.zeros_like(held), test=held)
    scores, units, fit = table.scores.to_numpy(), table.units.to_numpy(), ~held[0]
    errors: dict[str, list[np.ndarray]] = {"clipped": [], "not clipped": [], "trend": []}
    for subset in subsets(table.take_models(fit), k):
        own = table.columns["benchmark"].isin(subset).to_numpy()
        for name, clip in (("clipped", loss.CLIP), ("not clipped", np.inf)):
            with patch.object(loss, "CLIP", clip):
                scorer = eevee.RidgeScorer(table, splits, targets="unseen")
                predicted = scorer.predict(subset)[0]
            errors[name].append(((scores - predicted) / units)[held[0]][:, ~own])
        z = (scores[:, own] - np.nanmean(scores[fit][:, own], axis=0)) / units[own]
        mean = pd.DataFrame(z).mean(axis=1).to_numpy()
        better = fit & (mean >= np.nanmedian(mean[fit]))
        for j in np.flatnonzero(~own):
            known = better & np.isfinite(scores[:, j]) & np.isfinite(mean)
            line = np.polynomial.Polynomial.fit(mean[known], scores[known, j], 1)
            errors["trend"].append((scores[held[0], j] - line(mean[held[0]])) / units[j])
    flat = [np.concatenate([part.ravel() for part in parts]) for parts in errors.values()]
    return [f"{np.sqrt(np.nanmean(one**2)):.2f} ({np.nanmean(one):+.2f})" for one in flat]


def twins() -> None:
    folder = SHARED / "cases" / "trust"
    if not folder.exists():
        print("twins: ../shared is absent")
        return
    table = eevee.read_table(folder / "twins.csv")
    new, truth = (pd.read_csv(folder / name, index_col=0)
                  for name in ("twins_new.csv", "twins_new_full.csv"))  # fmt: skip
    for scorer in ("auto", "ridge", "mlp"):
        found = eevee.fit_predictor(table, list(new), scorer=scorer).predict(new, level=LEVEL)
        others = [name for name in truth if name not in new]
        hits = inside(truth[others].to_numpy(), found.lower[others].to_numpy(),
                      found.upper[others].to_numpy())  # fmt: skip
        ends = found.mean_score if found.mean_score is not None else found.mean_in_units
        mean = inside(truth.mean(axis=1).to_numpy(), ends["lower"].to_numpy(),
                      ends["upper"].to_numpy())  # fmt: skip
        print(f"twins, {scorer}: cells {100 * np.nanmean(hits):.1f} %, mean score "
              f"{100 * np.nanmean(mean):.1f} %; {found.method}")  # fmt: skip


def main(args: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", default=(*SHIPPED, *OTHERS))
    parser.add_argument("--mlp", action="store_true", help="the MLP in place of ridge (minutes)")
    parser.add_argument("--weakest", action="store_true", help="the lowest fifth, not the highest")
    parser.add_argument("--ways", action="store_true", help="other ways to predict, and no more")
    asked = parser.parse_args(args)
    scorer, sign = "mlp" if asked.mlp else "ridge", -1.0 if asked.weakest else 1.0
    tables = {name: eevee.read_table(path_of(name), duplicates="first") for name in asked.tables
              if path_of(name).exists()}  # fmt: skip
    if asked.ways:
        print(
            "| table | k | inputs clipped at 6 | not clipped | linear trend |\n"
            + "|"
            + " --- |" * 5
        )
        for name, table in tables.items():
            for k in (4, 8):
                print(f"| {name} | {k} | {' | '.join(ways(table, k))} |", flush=True)
        return
    widths = ("given", "width ratio", "not flagged", "flagged")
    head = ("table", "meta-model", "k", "flagged, %", "cells before", "cells", *widths,
            "means before", "means", *widths)  # fmt: skip
    for title, part in (
        (f"{'weakest' if asked.weakest else 'strongest'} fifth held out",
         lambda table, k: outer(table, k, scorer, sign)),
        ("fifth with the most unlike inputs held out",
         lambda table, k: unlike(table, k, scorer)),
        ("inside: ten random folds", lambda table, k: within(table, k, scorer)),
    ):  # fmt: skip
        print(f"\n{title}; coverage in % at nominal {100 * LEVEL:g} %")
        print("| " + " | ".join(head) + " |\n" + "|" + " --- |" * len(head))
        for name, table in tables.items():
            for k in (4, 8):
                show(name, scorer, k, part(table, k))
    twins()


if __name__ == "__main__":
    main(sys.argv[1:])
