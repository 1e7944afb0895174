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

KINDS_OF_SECONDS = ("seconds", "probe_seconds", "measures")

Cell = dict[str, Any]
Cells = dict[tuple[str, str], Cell]
"""Cells by model and benchmark."""


def write_tables(work: Path) -> None:
    """Write all tables, of the benchmarks that are measured for every model."""
    found = in_kept_seconds(_cells(work / "cells"), _cells(work / "again"))
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


def in_kept_seconds(found: Cells, again: Cells) -> Cells:
    """Turn seconds of new cells into those of the machine that measured the kept ones.

    They are multiplied by how much longer the kept cells of the same model took than the same cells
    ``again``: a median for fine-tuning, one for the probe, one for the measures.
    """
    if not again:
        return found
    ratios: dict[str, dict[str, list[float]]] = {}
    for (model, benchmark), here in again.items():
        there, own = found[model, benchmark], ratios.setdefault(model, {})
        for kind in KINDS_OF_SECONDS:
            pairs = zip(_seconds(there, kind), _seconds(here, kind), strict=True)
            own.setdefault(kind, []).extend(before / now for before, now in pairs)
    return {
        key: cell if cell.get("kept") else _slowed(cell, ratios[key[0]])
        for key, cell in found.items()
    }


def _seconds(cell: Cell, kind: str) -> list[float]:
    if kind != "measures":
        return [cell[kind]]
    names = sorted(cell["measures"])
    return [cell["forward_seconds"] + cell["measures"][name]["seconds"] for name in names]


def _slowed(cell: Cell, ratios: dict[str, list[float]]) -> Cell:
    by = {kind: float(np.median(ratios[kind])) for kind in KINDS_OF_SECONDS}
    measures = {
        name: one | {"seconds": one["seconds"] * by["measures"]}
        for name, one in cell["measures"].items()
    }
    return cell | {
        "seconds": cell["seconds"] * by["seconds"],
        "probe_seconds": cell["probe_seconds"] * by["probe_seconds"],
        "forward_seconds": cell["forward_seconds"] * by["measures"],
        "measures": measures,
    }


def kept_cells() -> list[Cell]:
    """Return the cells that the tables of this folder hold, costs of features in each measure's."""
    found: Cells = {
        (row["model"], benchmark): {"model": row["model"], "benchmark": benchmark, "kept": True,
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


def _cells(folder: Path) -> Cells:
    read = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json"))
    return {(cell["model"], cell["benchmark"]): cell for cell in read}


def _proxies(found: Cells, benchmarks: Sequence[str]) -> list[list[str]]:
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


def _most_measured(found: Cells, benchmark: str) -> str:
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
