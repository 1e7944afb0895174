"""Measure the accuracy and the seconds of the zoo's models on its benchmarks.

    python data/zoo/evaluate.py --all
    python data/zoo/evaluate.py --model knn-5 --benchmark iris --out cell.json

The first form measures everything and writes the four tables of this folder; stopped, it
goes on where it stopped (``partial.csv``; delete that file to measure anew). The second
measures one cell and writes ``{"score": ..., "seconds": ...}``. Exit status: 0 done, 1 a name
or the data is wrong, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import io
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from benchmarks import DataError, benchmark_names, folds, load_benchmark
from configuration import Configuration
from models import MODELS, models_frame
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

FOLDER = Path(__file__).resolve().parent
PARTIAL = FOLDER / "partial.csv"


class Cell(NamedTuple):
    """Mean test accuracy over the folds (0-1), and wall seconds of all fits and predictions."""

    score: float
    seconds: float


Cells = dict[tuple[str, str], Cell]


def evaluate(model: Configuration, benchmark: str) -> Cell:
    """Return the stratified 3-fold accuracy of one model on one benchmark, and its time."""
    features, labels = load_benchmark(benchmark)
    accuracies: list[float] = []
    seconds = 0.0
    for train, test in folds(features, labels):
        pipeline = model.build()
        start = time.perf_counter()
        pipeline.fit(features.iloc[train], labels[train])
        predicted = pipeline.predict(features.iloc[test])
        seconds += time.perf_counter() - start
        accuracies.append(float(np.mean(predicted == labels[test])))
    return Cell(round(float(np.mean(accuracies)), 6), float(f"{seconds:.4g}"))


def warm_up(model: Configuration) -> None:
    """Run the model once on a small benchmark, so that lazy imports are not billed to a cell."""
    evaluate(model, "iris")


def evaluate_all() -> None:
    """Measure every cell that ``partial.csv`` lacks, then write the tables."""
    benchmarks = benchmark_names()
    cells = _read_partial()
    for number, model in enumerate(MODELS.values(), start=1):
        missing = [name for name in benchmarks if (model.name, name) not in cells]
        if not missing:
            continue
        warm_up(model)
        for benchmark in missing:
            cells[model.name, benchmark] = evaluate(model, benchmark)
            _write_partial(cells)
        total = sum(cells[model.name, name].seconds for name in benchmarks)
        print(f"{number}/{len(MODELS)} {model.name}: {total:.1f} s", flush=True)
    write_tables(cells, list(MODELS), benchmarks)


def write_tables(cells: Cells, models: Sequence[str], benchmarks: Sequence[str]) -> None:
    """Write ``scores.csv``, ``seconds.csv``, ``costs.csv`` and ``models.csv``."""
    _write_wide("scores.csv", models, benchmarks, lambda key: f"{cells[key].score:.6f}")
    _write_wide("seconds.csv", models, benchmarks, lambda key: f"{cells[key].seconds:.4g}")
    medians = [np.median([cells[m, b].seconds for m in models]) for b in benchmarks]
    rows = [[b, f"{median:.6g}"] for b, median in zip(benchmarks, medians, strict=True)]
    write_text(FOLDER / "costs.csv", csv_text([["benchmark", "cost"], *rows]))
    write_text(FOLDER / "models.csv", models_frame().to_csv(index=False, lineterminator="\n"))


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file by way of a temporary one, so that it is never seen half written."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def pick(kind: str, name: str, known: Sequence[str]) -> str:
    """Return ``name`` if it is known, else raise an error that lists the nearest names."""
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=5, cutoff=0.4) or list(known)[:5]
    raise DataError(f"unknown {kind} {name!r}; near matches: {', '.join(near)}")


def _write_wide(
    file: str,
    models: Sequence[str],
    benchmarks: Sequence[str],
    text: Callable[[tuple[str, str]], str],
) -> None:
    rows = [[model, *(text((model, name)) for name in benchmarks)] for model in models]
    write_text(FOLDER / file, csv_text([["model", *benchmarks], *rows]))


def _read_partial() -> Cells:
    if not PARTIAL.exists():
        return {}
    table = pd.read_csv(PARTIAL)
    return {(m, b): Cell(score, seconds) for m, b, score, seconds in table.itertuples(index=False)}


def _write_partial(cells: Cells) -> None:
    rows = [[*key, str(cell.score), str(cell.seconds)] for key, cell in cells.items()]
    write_text(PARTIAL, csv_text([["model", "benchmark", *Cell._fields], *rows]))


def _evaluate_one(model: str, benchmark: str, out: Path) -> None:
    configuration = MODELS[pick("model", model, list(MODELS))]
    name = pick("benchmark", benchmark, benchmark_names())
    if not out.parent.is_dir():
        raise DataError(f"cannot write {out}: its folder does not exist")
    warm_up(configuration)
    write_text(out, json.dumps(evaluate(configuration, name)._asdict()) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="measure all cells, write the tables")
    parser.add_argument("--model", help="one model of models.csv, e.g. knn-5")
    parser.add_argument("--benchmark", help="one benchmark of scores.csv, e.g. iris")
    parser.add_argument("--out", type=Path, help="JSON file for the score and the seconds")
    arguments = parser.parse_args()
    one = [arguments.model, arguments.benchmark, arguments.out]
    if arguments.all == any(one) or (not arguments.all and not all(one)):
        parser.error("give either --all, or --model, --benchmark and --out together")
    return arguments


def main() -> int:
    """Run the command line; return its exit status."""
    arguments = _arguments()
    # Not converging in the steps it was given is part of a configuration.
    warnings.simplefilter("ignore")
    try:
        with threadpool_limits(limits=1):
            if arguments.all:
                evaluate_all()
            else:
                _evaluate_one(arguments.model, arguments.benchmark, arguments.out)
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
