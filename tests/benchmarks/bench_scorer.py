"""Measure the batched scorer against the same maths one network at a time.

    python -m tests.benchmarks.bench_scorer [--repeats 5] [--candidates 550]

Both are warmed up, then timed in turns; the table shows medians and, in brackets, the lowest and
highest. The reference is `tests.benchmarks.reference`: one `nn.Sequential` after the other, the
fused AdamW, one thread, its inputs and networks made outside the timed part. It trains a few
candidates only, so both are shown per candidate (all of its splits). The batched scorer's time
holds everything that `split_losses` does for candidates it has not seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd
import torch
from rich.console import Console
from rich.table import Table

import eevee
from eevee.base.arrays import Subset
from eevee.base.threads import map_chunks
from eevee.scorers.mlp.networks import padded
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable
from tests.benchmarks.reference import judge, prepare, train

K, N_SPLITS, EPOCHS = 8, 10, 20


@dataclass(frozen=True)
class Shape:
    """A made table: models x columns, the columns shared out among the benchmarks."""

    models: int
    columns: int
    benchmarks: int
    test_size: float = 0.2

    @property
    def name(self) -> str:
        owners = "" if self.columns == self.benchmarks else f" in {self.benchmarks} benchmarks"
        half = ", half of the models test" if self.test_size == 0.5 else ""
        return f"{self.models} x {self.columns}{owners}{half}"


SHAPES = (
    Shape(20, 31, 31),
    Shape(16, 59, 31, test_size=0.5),
    Shape(107, 27, 27),
    Shape(72, 43, 43),
)


def made(shape: Shape) -> tuple[ResultsTable, Splits]:
    rng = np.random.default_rng(0)
    skills = rng.normal(size=(shape.models, 3))
    values = skills @ rng.normal(size=(3, shape.columns))
    values += 0.3 * rng.normal(size=values.shape)
    owners = [f"b{i % shape.benchmarks:02d}" for i in range(shape.columns)]
    columns = pd.DataFrame(
        {
            "benchmark": owners,
            "metric": [f"m{i // shape.benchmarks}" for i in range(shape.columns)],
            "direction": "higher",
            "direction_source": "read",
            "role": "score",
        }
    )
    columns.index = pd.Index(columns["benchmark"] + "." + columns["metric"])
    table = ResultsTable.from_scores(pd.DataFrame(values, columns=columns.index), columns=columns)
    return table, eevee.shuffle_splits(table, n_splits=N_SPLITS, test_size=shape.test_size)


def drawn(table: ResultsTable, count: int) -> list[Subset]:
    rng = np.random.default_rng(1)
    names = table.benchmark_names
    return [
        tuple(sorted(names[i] for i in rng.choice(len(names), K, replace=False)))
        for _ in range(count)
    ]


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def batched_seconds(
    table: ResultsTable, splits: Splits, subsets: list[Subset], n: int, device: str = "cpu"
) -> float:
    """Seconds per candidate of a scorer that has seen none of them, on n threads."""
    scorer = eevee.MLPScorer(table, splits, epochs=EPOCHS, device=device, n_threads=n)
    scorer.losses([table.benchmark_names])
    return timed(lambda: scorer.split_losses(subsets)) / len(subsets)


def reference_seconds(table: ResultsTable, splits: Splits, subsets: list[Subset]) -> float:
    """Seconds per candidate of the plain loop, on one thread."""
    networks = [
        prepare(table, splits, subset, split) for subset in subsets for split in range(N_SPLITS)
    ]

    def loop() -> None:
        for network in networks:
            train(network, EPOCHS)
            judge(network)

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return timed(loop) / len(subsets)
    finally:
        torch.set_num_threads(before)


def products(table: ResultsTable, splits: Splits, subset: Subset) -> list[tuple[int, int, int]]:
    """The five batched products of one epoch, (rows, inner, columns), padded."""
    rows = padded(int(splits.fit.sum(axis=1).max()))
    inputs = sum(len(table.columns_of(name)) for name in subset) + 1
    hidden, outputs = padded(100 + 1), padded(table.n_columns)
    return [
        (rows, inputs, hidden),
        (rows, hidden, outputs),
        (hidden, rows, outputs),
        (rows, outputs, hidden),
        (inputs, rows, hidden),
    ]


def work_of(shapes: list[tuple[int, int, int]]) -> float:
    """Floating-point operations of one network in one epoch."""
    return float(sum(2 * a * b * c for a, b, c in shapes))


def peak(shapes: list[tuple[int, int, int]], networks: int, n_threads: int) -> float:
    """GFLOP/s of nothing but the five products, in chunks of as many networks, on n threads."""
    rounds = 30

    def chunk(_: int) -> None:
        pairs = [
            (torch.randn(networks, a, b), torch.randn(networks, b, c), torch.empty(networks, a, c))
            for a, b, c in shapes
        ]
        for _ in range(rounds):
            for left, right, out in pairs:
                torch.bmm(left, right, out=out)

    def idle(_: int) -> None:
        for a, b, c in shapes:
            torch.randn(networks, a, b), torch.randn(networks, b, c), torch.empty(networks, a, c)

    chunks = range(4 * n_threads)
    spent = timed(lambda: list(map_chunks(chunk, chunks, n_threads=n_threads)))
    spent -= timed(lambda: list(map_chunks(idle, chunks, n_threads=n_threads)))
    return work_of(shapes) * networks * rounds * len(chunks) / spent / 1e9


def chunk_networks(table: ResultsTable, splits: Splits, subsets: list[Subset]) -> int:
    """How many networks the scorer trains at once."""
    scorer = eevee.MLPScorer(table, splits, epochs=EPOCHS, device="cpu")
    chunks = scorer._chunks(scorer._stage, subsets, scorer._stage.n_inputs(subsets[0]))
    return len(chunks[0]) * N_SPLITS


def spread(values: list[float], digits: int = 2) -> str:
    low, mid, high = min(values), median(values), max(values)
    return f"{mid:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def measure(shape: Shape, *, candidates: int, few: int, repeats: int, n_threads: int) -> list[str]:
    table, splits = made(shape)
    subsets = drawn(table, candidates)
    sizes = products(table, splits, subsets[0])
    networks = chunk_networks(table, splits, subsets)
    batched_seconds(table, splits, subsets[:50], n_threads)
    reference_seconds(table, splits, subsets[:1])
    ours, ours_alone, theirs, bound = [], [], [], []
    for i in range(repeats):
        theirs.append(reference_seconds(table, splits, subsets[few * i : few * (i + 1)]))
        ours.append(batched_seconds(table, splits, subsets, n_threads))
        ours_alone.append(batched_seconds(table, splits, subsets, 1))
        bound.append(peak(sizes, networks, n_threads))
    flops = work_of(sizes) * N_SPLITS * EPOCHS / 1e9
    return [
        shape.name,
        spread([1e3 * value for value in theirs], 1),
        spread([1e3 * value for value in ours]),
        spread([a / b for a, b in zip(theirs, ours, strict=True)], 1),
        spread([a / b for a, b in zip(theirs, ours_alone, strict=True)], 1),
        spread([flops / value for value in ours], 0),
        spread(bound, 0),
    ]


def report_cuda(console: Console, candidates: int, repeats: int) -> None:
    """Print the batched scorer on the CUDA device beside the CPU, in the same run."""
    shown = Table(title=f"on {torch.cuda.get_device_name()}")
    for title in ("models x columns", "CPU, ms per candidate", "CUDA, ms per candidate", "ratio"):
        shown.add_column(title)
    for shape in SHAPES:
        table, splits = made(shape)
        subsets = drawn(table, candidates)
        cpu, cuda = (
            [
                1e3 * batched_seconds(table, splits, subsets, torch.get_num_threads(), device)
                for _ in range(repeats)
            ]
            for device in ("cpu", "cuda")
        )
        ratios = [a / b for a, b in zip(cpu, cuda, strict=True)]
        shown.add_row(shape.name, spread(cpu), spread(cuda), spread(ratios, 1))
    console.print(shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--candidates", type=int, default=550)
    parser.add_argument("--few", type=int, default=4, help="candidates for the reference")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    shown = Table(
        title=f"k = {K}, {N_SPLITS} splits, {EPOCHS} epochs, {options.candidates} candidates "
        f"({options.few} per repeat for the reference), {options.threads} threads, "
        f"median (lowest-highest) of {options.repeats}"
    )
    for title in (
        "models x columns",
        "one network at a time, ms per candidate",
        "batched, ms per candidate",
        "ratio",
        "ratio, one thread each",
        "batched, GFLOP/s",
        "products alone, GFLOP/s",
    ):
        shown.add_column(title)
    for shape in SHAPES:
        shown.add_row(
            *measure(
                shape,
                candidates=options.candidates,
                few=options.few,
                repeats=options.repeats,
                n_threads=options.threads,
            )
        )
    console = Console(width=160)
    console.print(shown)
    if torch.cuda.is_available():
        report_cuda(console, options.candidates, options.repeats)


if __name__ == "__main__":
    main()
