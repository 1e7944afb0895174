"""Write the tables of this folder from the files of finished cells, and read them back."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from encoders import ENCODERS, Fixed
from images import BENCHMARKS, load_benchmark

FOLDER = Path(__file__).resolve().parent
PROXY = ("model", "benchmark", "metric", "score", "stderr", "direction", "seed", "cost_seconds",
         "harness", "version", "source", "role")  # fmt: skip
"""The columns that `eevee measure` writes."""
PROBE = "linear-probe"

Cell = dict[str, Any]


def write_tables(cells: Path) -> None:
    """Write all tables, of the benchmarks that are measured for every model."""
    found = {(cell["model"], cell["benchmark"]): cell for cell in map(_read, cells.glob("*.json"))}
    whole = [name for name in BENCHMARKS if all((model, name) in found for model in ENCODERS)]
    for file, key, form in (
        ("scores.csv", "score", "{:.6f}"),
        ("seconds.csv", "seconds", "{:.4g}"),
        ("probes.csv", "probe", "{:.6f}"),
    ):
        rows = [[m, *(form.format(found[m, b][key]) for b in whole)] for m in ENCODERS]
        write_text(FOLDER / file, csv_text([["model", *whole], *rows]))
    medians = [float(f"{found[m, b]['seconds']:.4g}") for b in whole for m in ENCODERS]
    costs = np.median(np.reshape(medians, (len(whole), -1)), axis=1) if whole else []
    costs_rows = [[b, f"{cost:.6g}"] for b, cost in zip(whole, costs, strict=True)]
    write_text(FOLDER / "costs.csv", csv_text([["benchmark", "cost"], *costs_rows]))
    write_text(FOLDER / "proxies.csv", csv_text([PROXY, *_proxies(found, whole)]))
    write_text(
        FOLDER / "models.csv", csv_text([["model", "family", "features", "about"], *_models()])
    )
    header = ["benchmark", "images", "change", "label", "classes", "commonest"]
    write_text(FOLDER / "benchmarks.csv", csv_text([header, *_benchmarks(whole)]))


def kept_cells() -> list[Cell]:
    """Return the cells that the tables of this folder hold, costs of features in each measure's."""
    found = {
        (row["model"], benchmark): {"model": row["model"], "benchmark": benchmark,
                                    "score": float(score), "forward_seconds": 0.0, "measures": {}}
        for row in _rows("scores.csv")
        for benchmark, score in row.items()
        if benchmark != "model"
    }  # fmt: skip
    for row in _rows("seconds.csv"):
        for benchmark in row.keys() - {"model"}:
            found[row["model"], benchmark]["seconds"] = float(row[benchmark])
    for row in _rows("proxies.csv"):
        benchmark, name = row["benchmark"].split(":")
        cell, seconds = found[row["model"], benchmark], float(row["cost_seconds"])
        if name == PROBE:
            cell |= {"probe": float(row["score"]), "probe_seconds": seconds}
            continue
        stderr = float(row["stderr"] or "nan")
        one = {"score": float(row["score"]), "stderr": stderr, "seconds": seconds}
        cell["measures"][name] = one
    return list(found.values())


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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


def _read(path: Path) -> Cell:
    cell: Cell = json.loads(path.read_text(encoding="utf-8"))
    return cell


def _proxies(found: dict[tuple[str, str], Cell], benchmarks: Sequence[str]) -> list[list[str]]:
    rows = []
    for benchmark in benchmarks:
        names = [PROBE, *found[_most_measured(found, benchmark), benchmark]["measures"]]
        for name in names:
            rows += [
                _proxy(model, benchmark, name, found[model, benchmark])
                for model in ENCODERS
                if name == PROBE or name in found[model, benchmark]["measures"]
            ]
    return rows


def _most_measured(found: dict[tuple[str, str], Cell], benchmark: str) -> str:
    return max(ENCODERS, key=lambda model: len(found[model, benchmark]["measures"]))


def _proxy(model: str, benchmark: str, name: str, cell: Cell) -> list[str]:
    if name == PROBE:
        score, error, seconds = cell["probe"], math.nan, cell["probe_seconds"]
    else:
        one = cell["measures"][name]
        score, error = one["score"], one["stderr"]
        seconds = cell["forward_seconds"] + one["seconds"]
    stderr = "" if math.isnan(error) else f"{error:.3g}"
    harness = "data/encoders" if name == PROBE else "eevee measure"
    start = [model, f"{benchmark}:{name}", "", f"{score:.6g}", stderr, "higher", ""]
    return [*start, f"{seconds:.4g}", harness, "", "", "proxy"]


def _models() -> list[list[str]]:
    images = load_benchmark("digits-digit").train
    rows = []
    for one in ENCODERS.values():
        fixed = isinstance(one, Fixed)
        n_features = one.fit(images)(images).shape[1] if fixed else one.make().n_features
        rows.append([one.name, one.family, str(n_features), one.about + ", fixed" * fixed])
    return rows


def _benchmarks(names: Sequence[str]) -> list[list[str]]:
    rows = []
    for name in names:
        one, data = BENCHMARKS[name], load_benchmark(name)
        commonest = np.bincount(data.test_labels).max() / len(data.test_labels)
        classes = str(int(data.train_labels.max()) + 1)
        rows.append([name, one.images, one.change, one.label, classes, f"{commonest:.3f}"])
    return rows
