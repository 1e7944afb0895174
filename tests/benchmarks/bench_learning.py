"""How good is a learning curve's guess? `python -m tests.benchmarks.bench_learning [table ...]`.

From the sizes up to about half of the models, the loss with all of them is guessed, for a search
and for random subsets; printed is by how much the guess and the last loss that it knows are off
(logarithms, in %), and the interval. Searches and judging by ridge.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import eevee
from eevee.assessment.learning_result import NARROW
from eevee.stats.power_law import extrapolate
from tests.benchmarks import bench_screen

HALF = 0.55
MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "vtab": ("vtab/scores.csv", {}),
    "helm": ("helm/scores.csv", {}),
    "obs": ("obs_base_8.csv", {}),
    "timm": ("timm_6.csv", {}),
    "calibration": ("helm_calibration.csv", {}),
}


@dataclass(frozen=True)
class Outcome:
    """One guess, and what was measured."""

    table: str
    method: str
    sizes: str
    known: float
    guess: float
    low: float
    high: float
    measured: float

    @property
    def width(self) -> float:
        """Of the interval, as a share of the last known loss."""
        return (self.high - self.low) / self.known

    @property
    def errors(self) -> tuple[float, float]:
        """Of the guess and of the last known loss, in %."""
        logs = np.log([self.guess / self.measured, self.known / self.measured])
        return float(100 * logs[0]), float(100 * logs[1])


def outcomes(name: str, curve: eevee.assessment.LearningCurve) -> Iterator[Outcome]:
    """Guess the end of a curve from its beginning."""
    for method in (curve.settings["procedure"], "random"):
        rows = curve.folds[curve.folds["method"] == method]
        losses = rows.pivot_table(index="n_models", columns="fold", values="loss")
        n = losses.index.to_numpy(float)
        count = max(3, int((n <= HALF * n[-1]).sum()))
        if count == len(n):
            continue
        known = losses.to_numpy()[:count]
        last, to = float(known[-1].mean()), int(n[-1])
        guess = extrapolate(n[:count], known, to=to, level=0.95, seed=0)
        assert guess is not None
        sizes = ", ".join(f"{size:g}" for size in n[:count]) + f" -> {to}"
        limits = (guess.loss, guess.low, guess.high)
        yield Outcome(name, method, sizes, last, *limits, float(losses.iloc[-1].mean()))


def main() -> None:
    """Print a line for each table and method, and what they come to."""
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*bench_screen.TABLES, *MORE])
    bench_screen.TABLES.update(MORE)
    console, found = Console(width=120), []
    for name in parser.parse_args().tables:
        table = bench_screen.read(name)
        if table is None:
            continue
        begun = time.perf_counter()
        curve = eevee.assessment.learning_curve(
            table, max(2, min(5, table.n_benchmarks // 3)), scorer="ridge"
        )
        console.print(f"{name}: {time.perf_counter() - begun:.0f} s")
        console.print(*curve.words, sep="\n  ")
        found += outcomes(name, curve)
    names = ("table", "method", "sizes", "known", "guess", "low", "high", "measured")
    shown = Table(*names, "error %", "known %")
    for one in found:
        numbers = [f"{x:.3g}" if isinstance(x, float) else str(x) for x in astuple(one)]
        shown.add_row(*numbers, *(f"{error:+.1f}" for error in one.errors))
    console.print(shown)
    narrow = [one for one in found if one.width <= NARROW]
    for what, some in (("all", found), ("those that are told", narrow)):
        errors = np.abs([one.errors for one in some])
        inside = sum(one.low <= one.measured <= one.high for one in some)
        console.print(
            f"{what}: {len(some)} guesses, {inside} inside; median width "
            f"{100 * np.median([one.width for one in some]):.0f} % of the loss; |error| %, of the "
            f"guess and of the last known loss: mean {errors.mean(axis=0).round(1)}, median "
            f"{np.median(errors, axis=0).round(1)}"
        )


if __name__ == "__main__":
    main()
