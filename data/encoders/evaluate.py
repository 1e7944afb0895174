"""Measure fine-tuned and probed accuracy of the encoders, transferability scores, and seconds.

    python data/encoders/evaluate.py --all --jobs 2
    python data/encoders/evaluate.py --all --keep
    python data/encoders/evaluate.py --tables
    python data/encoders/evaluate.py --model pca-32 --benchmark mnist-digit --out cell.json

The first form measures every cell and writes the tables of this folder; stopped, it goes on where
it stopped (a file per cell in ``--work``; delete that folder to measure anew). The second keeps
the cells that the tables already hold and measures the others; the kept cells of two benchmarks are
run again, and seconds of new cells multiplied by how much longer the kept ones took. The third
writes the tables of the benchmarks that are measured for all models. The fourth measures one cell.
Exit status: 0 done, 1 a name or the data is wrong, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from encoders import ENCODERS, Fixed, Network
from images import BENCHMARKS, SEED, Data, DataError, load_benchmark, pool
from networks import HEAD, SOURCE, Encoder, accuracy, forward, head, settled, tensor, tuned
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import kept_cells, write_tables, write_text
from threadpoolctl import threadpool_limits

from eevee.base.errors import EeveeError
from eevee.measures.catalog import find_measures
from eevee.measures.columns import measure_files
from eevee.measures.measure import Definition
from eevee.measures.sample import Sample

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "runs" / "encoders"
MEASURES = ("leep", "nce", "logme", "h-score-regularised", "transrate", "pactran-dirichlet",
            "pactran-gamma", "n-leep", "linear", "linear-valid", "pactran-gaussian")  # fmt: skip
AGAIN = ("mnist-parity", "digits-parity")
"""Benchmarks whose kept cells are run again for their seconds."""
N_GROUPS = 10
REGULARISATION = (1e-3, 1e-2, 1e-1, 1.0)


@dataclass(frozen=True)
class Features:
    """What a representation makes of the images of a benchmark, and CPU-seconds of it."""

    train: np.ndarray
    test: np.ndarray
    probabilities: np.ndarray | None
    train_seconds: float
    test_seconds: float


def features_of(model: Network | Fixed, benchmark: str, work: Path) -> Features:
    """Run a representation on the images of a benchmark, once for all with the same images."""
    data = load_benchmark(benchmark)
    if isinstance(model, Fixed):
        start = time.process_time()
        transform = model.fit(data.train)
        train, probabilities = np.asarray(transform(data.train), np.float32), None
        middle = time.process_time()
        test = np.asarray(transform(data.test), np.float32)
        seconds = middle - start, time.process_time() - middle
        return Features(train, test[data.tested], probabilities, *seconds)
    path = work / "features" / f"{model.name}__{BENCHMARKS[benchmark].shown}.npz"
    if not path.exists():
        _run_network(model, data, work, path)
    with np.load(path) as kept:
        probabilities = kept.get("probabilities")
        seconds = float(kept["train_seconds"]), float(kept["test_seconds"])
        return Features(kept["train"], kept["test"][data.tested], probabilities, *seconds)


def _run_network(model: Network, data: Data, work: Path, path: Path) -> None:
    encoder = source_network(model, work)
    start = time.process_time()
    settled(encoder, tensor(data.train))
    train, probabilities = forward(encoder, tensor(data.train))
    middle = time.process_time()
    test, _ = forward(encoder, tensor(data.test))
    seconds = {"train_seconds": middle - start, "test_seconds": time.process_time() - middle}
    more = {} if probabilities is None else {"probabilities": probabilities}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.tmp.npz")
    np.savez(temporary, train=train, test=test, **seconds, **more)
    temporary.replace(path)


def source_network(model: Network, work: Path) -> Encoder:
    """Return the network as it was before any benchmark: trained once on its pool, then kept."""
    encoder = model.make()
    if model.source is None:
        return encoder
    images, labels = pool(*model.source)
    encoder.source = torch.nn.Linear(encoder.n_features, int(labels.max()) + 1)
    path = work / "sources" / f"{model.name}.pt"
    if not path.exists():
        trained = tuned(model.make(), tensor(images), labels, SOURCE)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        torch.save(trained.state_dict(), temporary)
        temporary.replace(path)
    encoder.load_state_dict(torch.load(path, weights_only=True))
    return encoder


@cache
def warm_up() -> None:
    """Train and probe something small, so that lazy imports are not billed to a cell."""
    rows, labels = np.eye(40, dtype=np.float32), np.arange(40) % 4
    fitted = tuned(head(40), torch.from_numpy(rows), labels, HEAD)
    accuracy(fitted, torch.from_numpy(rows), labels)
    linear_probe(Features(rows, rows, None, 0, 0), Data(rows, labels, rows, labels, labels >= 0))


def evaluate(name: str, benchmark: str, work: Path) -> dict[str, Any]:
    """Return everything that is measured of a model on a benchmark."""
    warm_up()
    model, data = ENCODERS[name], load_benchmark(benchmark)
    features = features_of(model, benchmark, work)
    score, seconds = fine_tune(model, data, features, work)
    probe, probe_seconds = linear_probe(features, data)
    return {
        "model": name,
        "benchmark": benchmark,
        "score": round(score, 6),
        "seconds": seconds,
        "forward_seconds": features.train_seconds,
        "probe": round(probe, 6),
        "probe_seconds": features.train_seconds + features.test_seconds + probe_seconds,
        "measures": measures_of(name, benchmark, features, data),
    }


def fine_tune(
    model: Network | Fixed, data: Data, features: Features, work: Path
) -> tuple[float, float]:
    """Return accuracy on the test images after fine-tuning, and CPU-seconds of both."""
    if isinstance(model, Fixed):
        scaler = StandardScaler().fit(features.train)
        train, test = (
            torch.from_numpy(scaler.transform(rows)).float()
            for rows in (features.train, features.test)
        )
        encoder, recipe = head(train.shape[1]), HEAD
        start = time.process_time() - features.train_seconds - features.test_seconds
    else:
        train, test = tensor(data.train), tensor(data.test[data.tested])
        encoder, recipe = source_network(model, work), model.recipe
        start = time.process_time()
    fitted = tuned(encoder, train, data.train_labels, recipe)
    score = accuracy(fitted, test, data.test_labels)
    return score, time.process_time() - start


def linear_probe(features: Features, data: Data) -> tuple[float, float]:
    """Return test accuracy of a logistic regression whose penalty the training images chose."""
    start = time.process_time()
    turned = PCA(svd_solver="full")  # keeps everything: no more columns than rows, which is quicker
    search = GridSearchCV(
        make_pipeline(StandardScaler(), turned, LogisticRegression(max_iter=200)),
        {"logisticregression__C": REGULARISATION},
        cv=StratifiedKFold(3, shuffle=True, random_state=SEED),
    )
    search.fit(features.train, data.train_labels)
    score = float(np.mean(search.predict(features.test) == data.test_labels))
    return score, time.process_time() - start


def measures_of(
    model: str, benchmark: str, features: Features, data: Data
) -> dict[str, dict[str, float]]:
    """Return scores (higher is better) with standard errors and CPU-seconds, as `eevee measure`.

    Seconds there are those of the clock; here they are the processor's, since other work may run
    beside this.
    """
    arrays = {"features": features.train, "labels": data.train_labels}
    if features.probabilities is not None:
        arrays["source_probs"] = features.probabilities
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / f"{model}__{benchmark}.npz"
        np.savez(path, **arrays)
        for definition in find_measures(list(MEASURES), seed=SEED):
            if definition.needs in arrays:
                with suppress(EeveeError):  # e.g. too few classes left: a gap in the column
                    found[definition.name] = _measured(path, definition, arrays)
    return found


def _measured(path: Path, definition: Definition, arrays: dict[str, Any]) -> dict[str, float]:
    (one,) = measure_files([path], [definition], n_groups=N_GROUPS, seed=SEED).scores
    needed = {definition.needs: arrays[definition.needs]}
    sample = Sample.of(arrays["labels"], seed=SEED, **needed)
    start = time.process_time()
    definition.value(sample)
    seconds = time.process_time() - start
    return {"score": one.measure.score, "stderr": one.measure.stderr, "seconds": seconds}


def cell_path(work: Path, model: str, benchmark: str, folder: str = "cells") -> Path:
    return work / folder / f"{model}__{benchmark}.json"


def measure_cell(job: tuple[str, str, Path, str]) -> str:
    """Measure one cell and keep it."""
    model, benchmark, work, folder = job
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # small classes, few iterations: part of the definition
    path = cell_path(work, model, benchmark, folder)
    if not path.exists():
        with threadpool_limits(limits=1):
            cell = evaluate(model, benchmark, work)
        write_text(path, json.dumps(cell) + "\n")
    cell = json.loads(path.read_text(encoding="utf-8"))
    spent = sum(one["seconds"] for one in cell["measures"].values())
    return (
        f"{benchmark} {model}: {cell['score']:.3f} in {cell['seconds']:.2f} s, probe "
        f"{cell['probe']:.3f} in {cell['probe_seconds']:.2f} s, measures {spent:.2f} s"
    )


def keep_cells(work: Path) -> None:
    """Write files of the cells that the tables hold, where there are none."""
    for cell in kept_cells():
        path = cell_path(work, cell["model"], cell["benchmark"])
        if not path.exists():
            write_text(path, json.dumps(cell) + "\n")


def evaluate_all(work: Path, jobs: int, benchmarks: Sequence[str], *, keep: bool) -> None:
    """Measure every cell that has no file."""
    (work / "cells").mkdir(parents=True, exist_ok=True)
    for model in ENCODERS.values():
        if isinstance(model, Network) and model.source:
            source_network(model, work)
    wanted = [(model, name, work, "cells") for name in benchmarks for model in ENCODERS]
    if keep:
        (work / "again").mkdir(exist_ok=True)
        keep_cells(work)
        wanted += [(model, name, work, "again") for name in AGAIN for model in ENCODERS]
    missing = [job for job in wanted if not cell_path(job[2], job[0], job[1], job[3]).exists()]
    if jobs == 1:
        _print_all(map(measure_cell, missing), len(missing))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as workers:
        _print_all(workers.map(measure_cell, missing), len(missing))


def _print_all(lines: Iterable[str], n: int) -> None:
    for number, line in enumerate(lines, start=1):
        print(f"{number}/{n} {line}", flush=True)


def pick(kind: str, name: str, known: Sequence[str]) -> str:
    """Return ``name`` if it is known, else raise an error that lists the nearest names."""
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=5, cutoff=0.4) or list(known)[:5]
    raise DataError(f"unknown {kind} {name!r}; near matches: {', '.join(near)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="measure all cells, write the tables")
    parser.add_argument("--keep", action="store_true", help="only cells that the tables lack")
    parser.add_argument("--tables", action="store_true", help="write the tables of what is there")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--work", type=Path, default=WORK, help="folder of finished cells")
    parser.add_argument("--model", help="one model of models.csv, e.g. pca-32")
    parser.add_argument("--benchmark", help="one benchmark of scores.csv, e.g. mnist-digit")
    parser.add_argument("--out", type=Path, help="JSON file for one cell")
    arguments = parser.parse_args()
    one = [arguments.model, arguments.benchmark, arguments.out]
    forms = [arguments.all, arguments.tables, all(one)]
    if sum(map(bool, forms)) != 1 or (any(one) and not all(one)):
        parser.error("give --all, or --tables, or --model, --benchmark and --out together")
    if arguments.keep and not arguments.all:
        parser.error("--keep goes with --all")
    return arguments


def _run(arguments: argparse.Namespace) -> None:
    if arguments.out:
        model = pick("model", arguments.model, list(ENCODERS))
        benchmark = pick("benchmark", arguments.benchmark, list(BENCHMARKS))
        with threadpool_limits(limits=1):
            cell = evaluate(model, benchmark, arguments.work)
        write_text(arguments.out, json.dumps(cell) + "\n")
        return
    if arguments.all:
        evaluate_all(arguments.work, arguments.jobs, list(BENCHMARKS), keep=arguments.keep)
    write_tables(arguments.work)


def main() -> int:
    """Run the command line; return its exit status."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    try:
        _run(_arguments())
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
