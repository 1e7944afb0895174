"""Is `epochs="auto"` as good as the best fixed number of epochs?

    python -m tests.benchmarks.bench_epochs

Held-out loss of random subsets (not those of the calibration) on six tables, for 20, 60 and 150
fixed epochs, for "auto", and for early stopping of each network by itself: trained on the training
models, kept at the epoch with its lowest validation loss. Losses are means over subsets of each
size; the ratio to the best of the three fixed numbers is taken per table over the mean of all.
The public tables lie in a folder beside the project; shipped ones stand in where it is absent.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import eevee
from eevee.base.arrays import FloatArray, Subset
from eevee.scorers.loss import LossRule, standardise
from eevee.scorers.mlp import networks as batched
from eevee.scorers.mlp.epochs import random_index_sets
from eevee.scorers.mlp.stage import Stage, predictions_of
from eevee.tables.results_table import ResultsTable

HOME = Path(__file__).parents[2]
PUBLIC = HOME.parent / "shared" / "data"
NAMES = (
    "gate_primary_16x31",
    "openclip_38",
    "bbh_27",
    "mteb_eng_v2_complete",
    "ucr_univariate_112",
    "helm_accuracy",
)
SHIPPED = ("zoo", "bbh", "helm", "vtab")
FIXED = (20, 60, 150)
SIZES = (2, 4, 8, 16)
SUBSETS = 16


def tables() -> list[tuple[str, ResultsTable]]:
    """Six public tables, or the shipped ones."""
    if PUBLIC.is_dir():
        return [(name, eevee.read_table(PUBLIC / f"{name}.csv")) for name in NAMES]
    return [(name, eevee.read_table(HOME / "data" / name / "scores.csv")) for name in SHIPPED]


def subsets_of(table: ResultsTable) -> list[Subset]:
    """Random subsets of each size that leaves half of the benchmarks unseen."""
    rng = np.random.default_rng(12345)
    names = table.benchmark_names
    sizes = [size for size in SIZES if size <= len(names) // 2]
    return [
        tuple(names[i] for i in chosen)
        for size in sizes
        for chosen in random_index_sets(len(names), size, SUBSETS, rng)
    ]


def early_stopping(scorer: eevee.MLPScorer, subsets: list[Subset]) -> FloatArray:
    """Test loss of each network at its own best validation epoch, (n_subsets, n_splits)."""
    table, splits = scorer.table, scorer.splits
    none = np.zeros_like(splits.train)
    data = standardise(table, splits.train)
    stages = []
    for judged in (splits.validation, splits.test):
        inner = eevee.splits.Splits(train=splits.train, validation=none, test=judged)
        rule = LossRule(table, inner, data, scorer.targets, None)
        stages.append(Stage(table, inner, data, rule, scorer.device))
    start = scorer._initial_weights(0)
    return np.concatenate([_one_subset(scorer, stages, start, [s]) for s in subsets])


def _one_subset(
    scorer: eevee.MLPScorer,
    stages: list[Stage],
    start: batched.InitialWeights,
    subset: list[Subset],
) -> FloatArray:
    batch = stages[0].batch(subset)
    curves: list[list[FloatArray]] = [[], []]

    def judge(layers: batched.Layers) -> None:
        for stage, curve in zip(stages, curves, strict=True):
            curve.append(stage.losses(subset, predictions_of(batch, stage.judged, layers))[0])

    batched.train(batch, stages[0].fit, start, scorer.training, max(FIXED), judge)
    validation, test = (np.stack(curve) for curve in curves)
    return test[validation.argmin(axis=0), np.arange(test.shape[1])][None]


def main() -> None:
    """Print the table."""
    report = Table(title="Held-out loss of random subsets, by number of epochs")
    for name in ("table", *map(str, FIXED), "auto", "auto / best fixed", "early / best fixed"):
        report.add_column(name)
    report.add_column("calibrated epochs by size")
    ratios = []
    for name, table in tables():
        splits = eevee.shuffle_splits(table, seed=1)
        subsets = subsets_of(table)
        losses = [
            float(eevee.MLPScorer(table, splits, epochs=epochs).losses(subsets).mean())
            for epochs in FIXED
        ]
        auto = eevee.MLPScorer(table, splits)
        chosen = float(auto.losses(subsets).mean())
        early = float(early_stopping(auto, subsets).mean())
        best = min(losses)
        ratios.append(chosen / best)
        report.add_row(
            name,
            *(f"{loss:.4f}" for loss in losses),
            f"{chosen:.4f}",
            f"{chosen / best:.3f}",
            f"{early / best:.3f}",
            ", ".join(f"{k}: {n}" for k, n in auto.calibrated_epochs.items()),
        )
    console = Console(width=150)
    console.print(report)
    geometric = float(np.exp(np.mean(np.log(ratios))))
    console.print(f"auto / best fixed: geometric mean {geometric:.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
