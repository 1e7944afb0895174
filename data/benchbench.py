"""Make the tables of bbh/, helm/ and vtab/ from the files of the package benchbench 1.0.1.

    pip install --no-deps benchbench==1.0.1
    python data/benchbench.py

Figures are copied as text, never through a float, so the files come out the same each time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pandas as pd

VERSION = "1.0.1"
INSTALL = f"pip install --no-deps benchbench=={VERSION}"
FOLDER = Path(__file__).resolve().parent
AGGREGATES = ["Rank", "Average", "Mean win rate", "Mean (selected datasets)"]

# The groups of the VTAB paper (Zhai et al. 2019); the package does not carry them.
VTAB_TASKS = {
    "natural": ["Caltech101", "CIFAR-100", "DTD", "Flowers102", "Pets", "Sun397", "SVHN"],
    "specialized": ["Camelyon", "EuroSAT", "Resisc45", "Retinopathy"],
    "structured": [
        "Clevr-Count",
        "Clevr-Dist",
        "DMLab",
        "dSpr-Loc",
        "dSpr-Orient",
        "KITTI-Dist",
        "sNORB-Azim",
        "sNORB-Elev",
    ],
}

Tables = dict[str, pd.DataFrame]


class DataError(Exception):
    """The package is missing or not as expected; the message says what to do."""


def bbh() -> Tables:
    """Return BIG-bench Hard: 107 language models x 27 tasks, and the models' attributes."""
    table = _read("bbh/leaderboard.tsv", model="Model")
    attributes = table[["Company", "Release", "Parameters"]]
    models = pd.DataFrame(
        {
            "company": attributes["Company"],
            "released": pd.to_datetime(attributes["Release"]).dt.strftime("%Y-%m-%d"),
            "parameters_billions": attributes["Parameters"].replace("N/A", "").str.rstrip("B"),
        }
    )
    return {"scores": table.drop(columns=attributes.columns), "models": models}


def helm() -> Tables:
    """Return HELM: accuracy and seconds per instance, with the cells that were not measured."""
    scores = _read("helm/accuracy.tsv")
    parts = scores.columns.str.extract(r"^(?P<benchmark>.+) - (?P<metric>[^ ]+)$")
    seconds = _read("helm/efficiency.tsv")
    seconds.columns = seconds.columns.str.removesuffix(" - Denoised inference time (s)")
    scores.columns = pd.Index(parts["benchmark"])
    seconds = seconds.loc[scores.index, scores.columns]
    seconds = seconds[(seconds != "").any(axis=1)]
    medians = seconds.apply(pd.to_numeric).median()
    billions = scores.index.str.extract(r"\((?P<size>[\d.]+)(?P<unit>[BM])\)$")
    return {
        "scores": scores,
        "seconds": seconds,
        "costs": medians.map("{:.6g}".format).rename_axis("benchmark").to_frame("cost"),
        "benchmarks": parts.assign(direction="higher").set_index("benchmark"),
        "models": _sizes(billions).set_axis(scores.index),
    }


def vtab() -> Tables:
    """Return VTAB: 16 image encoders x 19 tasks, and the group of each task."""
    scores = _read("vtab/leaderboard.tsv")
    tasks = {name: task for task, names in VTAB_TASKS.items() for name in names}
    benchmarks = pd.DataFrame({"task": scores.columns.map(tasks)}, index=scores.columns)
    return {"scores": scores, "benchmarks": benchmarks.rename_axis("benchmark")}


def write(name: str, tables: Tables) -> None:
    """Write the tables of one folder as CSV, rows named by ``model`` or ``benchmark``."""
    for file, table in tables.items():
        if table.index.has_duplicates or table.columns.has_duplicates:
            raise DataError(f"{name}/{file}.csv would have a name twice")
        table.to_csv(FOLDER / name / f"{file}.csv", lineterminator="\n")
        print(f"{name}/{file}.csv: {table.shape[0]} x {table.shape[1]}")


def _read(file: str, model: str | int = 0) -> pd.DataFrame:
    try:
        package = distribution("benchbench")
    except PackageNotFoundError as error:
        raise DataError(f"benchbench is not installed; run: {INSTALL}") from error
    if package.version != VERSION:
        raise DataError(f"benchbench is {package.version}, not {VERSION}; run: {INSTALL}")
    path = str(package.locate_file(f"benchbench/data/{file}"))
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, index_col=model)
    # The file writes "-" where HELM did not run a model on a benchmark.
    table = table.replace("-", "").drop(columns=AGGREGATES, errors="ignore")
    return table.set_axis(table.index.astype(str).str.strip().rename("model"))


def _sizes(parts: pd.DataFrame) -> pd.DataFrame:
    """Turn the size in a model's name, in millions or billions, into billions or a blank."""
    billions = pd.to_numeric(parts["size"]) / parts["unit"].map({"B": 1.0, "M": 1000.0})
    text = billions.map("{:g}".format).where(billions.notna(), "")
    return pd.DataFrame({"parameters_billions": text})


def main() -> int:
    """Write all tables; return the exit status."""
    makers: dict[str, Callable[[], Tables]] = {"bbh": bbh, "helm": helm, "vtab": vtab}
    try:
        for name, make in makers.items():
            write(name, make())
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
