"""The closed loop: how far off the predicted rows of three left-out zoo models are.

`python -m tests.benchmarks.bench_loop [--triples 400]`. The three models of
`tests/test_closed_loop.py`, and random triples of three families among the models that are no
dummies and have a mean accuracy of at least 0.75, are left out of the table; on the rest a tier
under 10 % of the cost and of at most 5 benchmarks is searched for (ridge, the default search) and a
predictor fitted, which sees the committed cells of the tier. Counted are the other columns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd

import eevee
from eevee.base.seeds import child_seed
from eevee.scorers.spec import SEARCH, ScorerSpec
from tests.guesses import means, nearest_rows, shifted_means
from tests.zoo import LEFT_OUT, ZOO

GOOD = 0.75
QUANTILES = (0.005, 0.05, 0.5, 0.95, 0.995)


def draw(table: eevee.ResultsTable, n: int) -> Iterator[list[str]]:
    family = pd.read_csv(ZOO / "models.csv", index_col="model")["family"]
    good = family.index[(family != "dummy") & (table.scores.mean(axis=1) >= GOOD)]
    rng = np.random.default_rng(1)
    while n:
        triple = sorted(rng.choice(list(good), 3, replace=False).tolist())
        if family[triple].nunique() == 3:
            n -= 1
            yield triple


def close(table: eevee.ResultsTable, triple: list[str]) -> pd.DataFrame:
    """One row per left-out model."""
    training = table.take_models(~table.scores.index.isin(triple))
    scorer = ScorerSpec("ridge").make(training, seed=0)
    rules, seed = eevee.Constraints(max_size=5), child_seed(0, SEARCH)  # as `eevee tiers` draws it
    tier = eevee.build_tiers(scorer, {"small": "10%"}, constraints=rules, seed=seed)["small"]
    truth = table.scores.loc[triple]
    measured = truth[list(tier.benchmark_names)]
    found = eevee.fit_predictor(training, measured.columns, scorer="ridge").predict(measured)
    unseen = [name for name in truth if name not in measured]
    unit = training.scores.std(ddof=0)

    def squared(guess: pd.DataFrame) -> pd.Series[float]:
        return (((guess - truth) / unit)[unseen] ** 2).mean(axis=1)

    lower, upper = found.lower[unseen], found.upper[unseen]
    inside = (lower <= truth[unseen]) & (truth[unseen] <= upper)
    tails = training.scores[unseen].quantile([0.05, 0.95])
    miss = (found.mean - truth)[unseen].abs()
    assert found.mean_score is not None
    ends, mean = found.mean_score, truth.mean(axis=1)
    return pd.DataFrame(
        {
            "points": 100 * miss.mean(axis=1),
            "points of the means": 100
            * (means(training.scores, measured) - truth)[unseen].abs().mean(axis=1),
            "error": squared(found.mean),
            "means": squared(means(training.scores, measured)),
            "shifted": squared(shifted_means(training.scores, measured)),
            "nearest": squared(nearest_rows(training.scores, measured)),
            "coverage": inside.mean(axis=1),
            "width": ((upper - lower) / (tails.loc[0.95] - tails.loc[0.05])).mean(axis=1),
            "mean off": 100 * (ends["predicted"] - mean).abs(),
            "mean inside": (ends["lower"] <= mean) & (mean <= ends["upper"]),
            "cost share": tier.cost / table.total_cost,
        },
        dtype=float,
    )


def show_named(table: eevee.ResultsTable) -> None:
    rows = close(table, list(LEFT_OUT))
    rows.loc["all three"] = rows.mean()
    print("| model | MAE, points | of the means | error, squared units | means | shifted means "
          "| nearest row | coverage, % | mean score off, points |")  # fmt: skip
    print("|" + " --- |" * 9)
    for model, row in rows.iterrows():
        print(
            f"| {model} | {row['points']:.1f} | {row['points of the means']:.1f} | "
            f"{row['error']:.2f} | {row['means']:.2f} | {row['shifted']:.2f} | "
            f"{row['nearest']:.2f} | {100 * row['coverage']:.0f} | {row['mean off']:.1f} |"
        )
    print(f"\nThe tier costs {100 * rows['cost share'].iloc[0]:.1f} % of everything.")


def show_triples(table: eevee.ResultsTable, n: int) -> None:
    every = [close(table, triple) for triple in draw(table, n)]
    models = pd.concat(every)
    triples = pd.DataFrame([rows.mean() for rows in every])
    shown: dict[str, pd.Series[float]] = {"coverage": triples["coverage"]}
    for name in ("means", "shifted", "nearest"):
        shown[f"error over {name}"] = triples["error"] / triples[name]
        shown[f"... of each model over {name}"] = models["error"] / models[name]
    shown["width in ranges from 5 % to 95 %"] = triples["width"]
    shown["largest miss of a mean score, points"] = pd.Series([r["mean off"].max() for r in every])
    print(f"\nOver {n} triples")
    print("| what | mean | " + " | ".join(f"{100 * q:g} %" for q in QUANTILES) + " | below 1 |")
    print("|" + " --- |" * (len(QUANTILES) + 3))
    for name, values in shown.items():
        numbers = [values.mean(), *values.quantile(list(QUANTILES))]
        below = f"{100 * (values < 1).mean():.1f} %" if " over " in name else ""
        print(f"| {name} | " + " | ".join(f"{x:.3f}" for x in numbers) + f" | {below} |")
    inside = pd.Series([rows["mean inside"].sum() for rows in every])
    print(
        f"\nsd of coverage {triples['coverage'].std():.3f}; MAE {models['points'].mean():.1f} "
        f"points, of the means {models['points of the means'].mean():.1f}; mean score inside: "
        f"{100 * models['mean inside'].mean():.1f} %, two or more of three in "
        f"{100 * (inside >= 2).mean():.1f} % of triples"
    )


def main(args: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--triples", type=int, default=50)
    asked = parser.parse_args(args)
    table = eevee.read_table(ZOO / "scores.csv", costs=ZOO / "costs.csv")
    show_named(table)
    show_triples(table, asked.triples)


if __name__ == "__main__":
    main(sys.argv[1:])
