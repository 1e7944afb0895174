"""Measure the accuracy of the zoo's models trained on a tenth and on three tenths of the rows.

    python data/zoo/proxies.py
    python data/zoo/proxies.py --seconds 240 --reverse

Each fraction of the training rows of a fold, stratified, is trained on; the test rows are those
of ``evaluate.py``. All cells are written to ``proxies.csv``, a long table of proxy columns
(``eevee assess data/zoo/scores.csv --proxies data/zoo/proxies.csv``). Costs are CPU seconds, made
those of the machine of ``seconds.csv``: each model is also measured on all rows of four benchmarks,
and its seconds are divided by the median ratio to its seconds there. Stopped, or after
``--seconds``, it goes on where it stopped (``partial-proxies*.csv``; delete these to measure
anew); a second process may start with the last model. Exit status: 0 done, 1 the data is wrong, 2
wrong usage, 3 not done yet.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from benchmarks import SEED, DataError, Labels, benchmark_names, folds, load_benchmark
from configuration import Configuration
from evaluate import FOLDER, csv_text, write_text
from models import MODELS
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

PARTIAL = (FOLDER / "partial-proxies.csv", FOLDER / "partial-proxies-reverse.csv")
FRACTIONS = {"10%": 0.1, "30%": 0.3, "100%": 1.0}
WHOLE = "100%"
REFERENCE = ("german", "iris", "segment", "vowel")
"""Benchmarks that are measured on all rows, too."""
HEADER = ("model", "benchmark", "metric", "score", "stderr", "direction", "seed", "cost_seconds",
          "harness", "version", "source", "role")  # fmt: skip


class Cell(NamedTuple):
    """Mean test accuracy over the folds (0-1), empty where a fit failed, and CPU seconds."""

    score: float
    seconds: float


Cells = dict[tuple[str, str, str], Cell]


def rows_of(train: np.ndarray, labels: Labels, fraction: float) -> np.ndarray:
    """Return a stratified part of training rows, with at least two of each class."""
    if fraction == 1.0:
        return train
    _, kinds, counts = np.unique(labels[train], return_inverse=True, return_counts=True)
    size = max(round(fraction * len(train)), 2 * len(counts))
    drawn = np.random.default_rng(SEED).permutation(len(train))
    by_class = [drawn[kinds[drawn] == kind] for kind in range(len(counts))]
    firsts = np.concatenate([rows[:2] for rows in by_class])
    rest = np.concatenate([rows[2:] for rows in by_class])
    if size > len(firsts):
        shares = (counts - 2)[kinds[rest]]
        more = size - len(firsts)
        order = np.argsort(
            np.concatenate([np.arange(1, len(rows) - 1) for rows in by_class]) / shares,
            kind="stable",
        )
        firsts = np.concatenate([firsts, rest[order[:more]]])
    return np.sort(train[firsts])


def evaluate(model: Configuration, benchmark: str, fraction: float) -> Cell:
    """Return the accuracy of one model on one benchmark, trained on a fraction, and its time."""
    features, labels = load_benchmark(benchmark)
    accuracies: list[float] = []
    seconds = 0.0
    for train, test in folds(features, labels):
        pipeline = model.build()
        rows = rows_of(train, labels, fraction)
        start = time.process_time()
        try:
            pipeline.fit(features.iloc[rows], labels[rows])
            predicted = pipeline.predict(features.iloc[test])
        except ValueError:  # such as more neighbours than rows
            return Cell(float("nan"), float("nan"))
        seconds += time.process_time() - start
        accuracies.append(float(np.mean(predicted == labels[test])))
    return Cell(round(float(np.mean(accuracies)), 6), float(f"{seconds:.4g}"))


def evaluate_all(limit: float, *, reverse: bool) -> bool:
    """Measure every cell that is missing, for at most some seconds; tell whether all are there."""
    started = time.monotonic()
    own = PARTIAL[reverse]
    models = list(MODELS.values())
    for model in models[::-1] if reverse else models:
        cells = _read_partial(*PARTIAL)
        missing = [
            (benchmark, part)
            for benchmark in benchmark_names()
            for part in FRACTIONS
            if (model.name, benchmark, part) not in cells
            and (part != WHOLE or benchmark in REFERENCE)
        ]
        if not missing:
            continue
        evaluate(model, "iris", 0.3)  # so that lazy imports are not billed to a cell
        found = {}
        for benchmark, part in missing:
            if time.monotonic() - started > limit:
                break
            found[model.name, benchmark, part] = evaluate(model, benchmark, FRACTIONS[part])
        _write_partial(own, _read_partial(own) | found)
        if len(found) < len(missing):
            return False
        print(model.name, flush=True)
    write_tables(_read_partial(*PARTIAL))
    return True


def write_tables(cells: Cells) -> None:
    """Write ``proxies.csv``."""
    first = pd.read_csv(FOLDER / "seconds.csv", index_col="model")
    slower = {
        model: np.median([cells[model, b, WHOLE].seconds / first.loc[model, b] for b in REFERENCE])
        for model in MODELS
    }
    print(f"slower than seconds.csv: {np.quantile(list(slower.values()), [0.1, 0.5, 0.9])}")
    rows = [
        [model, f"{benchmark}:{part}", "", f"{cell.score:.6f}", "", "higher", "",
         f"{cell.seconds / slower[model]:.4g}", "", "", "", "proxy"]
        for (model, benchmark, part), cell in sorted(cells.items())
        if part != WHOLE and not np.isnan(cell.score)
    ]  # fmt: skip
    write_text(FOLDER / "proxies.csv", csv_text([HEADER, *rows]))


def _read_partial(*paths: Path) -> Cells:
    tables = [pd.read_csv(path) for path in paths if path.exists()]
    rows = (row for table in tables for row in table.itertuples(index=False))
    return {(m, b, p): Cell(s, t) for m, b, p, s, t in rows}


def _write_partial(path: Path, cells: Cells) -> None:
    rows = [[*key, str(cell.score), str(cell.seconds)] for key, cell in cells.items()]
    write_text(path, csv_text([["model", "benchmark", "part", *Cell._fields], *rows]))


def main() -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after these")
    parser.add_argument("--reverse", action="store_true", help="start with the last model")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # not converging is part of a configuration
    try:
        with threadpool_limits(limits=1):
            return 0 if evaluate_all(asked.seconds, reverse=asked.reverse) else 3
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
