"""VLMEvalKit: `<model>/<model>_<dataset>_acc.csv`, `_score.csv`, `_score.json`, or status.json."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import members, number, text
from eevee.tables.results_table import Note

NAME = "vlmevalkit"
WHAT = "outputs of VLMEvalKit: <model>/<model>_<dataset>_acc.csv, _score.csv or _score.json"

_ENDS = ("_acc.csv", "_score.csv", "_score.json")
_STATUS = "status.json"
_RUN = re.compile(r"T\d{8}_G\w*")
"""Folder of one run below that of its model."""
_JUDGE = re.compile(
    r"_((?:gpt|chatgpt|openai|qwen|llama|deepseek|claude|gemini)[\w.\-]*|exact_matching)",
    re.IGNORECASE,
)
_MAIN = ("Overall", "overall", "acc", "Relative Score (main)", "Final Score Norm", "Final Score",
         "CIDEr", "score", "Score", "Average")  # fmt: skip
_SEVERAL = (("aAcc", "qAcc", "fAcc"), ("perception", "reasoning"))
"""Benchmarks whose main scores are several."""

Scores = dict[str, float]


def fits(files: Files) -> bool:
    """Tell whether a file is named for its model's folder and a benchmark, and has a main score."""
    named = (path for path in files.sample(*_ENDS) if _parts(files, path) is not None)
    return any(_scores(files, path) for path in named) or any(
        any(_statuses(files, path)) for path in files.sample(_STATUS)
    )


def read(files: Files) -> Harvest:
    """Read the main score of every benchmark."""
    rows: list[Row] = []
    lacking: list[str] = []
    for path in files.named(*_ENDS):
        parts = _parts(files, path)
        if parts is None:
            continue
        scores = _scores(files, path)
        model, dataset, judge = parts
        rows += [
            Row(model, dataset, metric, score, harness="vlmevalkit", version=judge,
                where=files.where(path))
            for metric, score in scores.items()
        ]  # fmt: skip
        lacking += [] if scores else [files.where(path)]
    known = {(row.model, row.benchmark) for row in rows}
    for path in files.named(_STATUS):
        rows += [
            Row(model, dataset, metric, score, harness="vlmevalkit", version=judge,
                where=files.where(path))
            for model, dataset, metric, score, judge in _statuses(files, path)
            if (model, dataset) not in known
        ]  # fmt: skip
    why = "has no main score that is known"
    return Harvest(tuple(rows), tuple(Note("ignored", "file", name, why) for name in lacking))


def _model(path: Path) -> str:
    folder = path.parent
    return folder.parent.name if _RUN.fullmatch(folder.name) else folder.name


def _parts(files: Files, path: Path) -> tuple[str, str, str] | None:
    """Return model, benchmark and judge, None if the name is not made of them."""
    model = _model(path)
    end = next(end for end in _ENDS if path.name.casefold().endswith(end))
    stem = path.name[: -len(end)]
    if not model or not stem.startswith(f"{model}_"):
        return None
    dataset = stem[len(model) + 1 :]
    judge = _JUDGE.search(dataset)
    return (
        model,
        dataset[: judge.start()] if judge else dataset,
        f"judge {judge[1]}" if judge else "",
    )


def _scores(files: Files, path: Path) -> Scores:
    """Return the main scores of a file by metric."""
    if path.suffix.casefold() == ".json":
        return _main({key: number(value) for key, value in members(files.maybe_json(path)).items()})
    grid = files.maybe_grid(path)
    return {} if grid is None else _grid_scores(grid)


def _grid_scores(grid: Grid) -> Scores:
    """Return the main scores of a table: of its row "Overall", else of each of its splits."""
    labels = {j: grid.column(j) for j in range(grid.width) if grid.is_text(j)}
    for cells in labels.values():
        for i, label in enumerate(cells):
            if label.casefold() in {"overall", "final score"}:
                return _main(_row(grid, i))
    if len(grid.rows) == 1:
        return _main(_row(grid, 0))
    splits = grid.column(grid.header.index("split")) if "split" in grid.header else []
    return {
        f"{metric} {split}": score
        for i, split in enumerate(splits)
        for metric, score in _main(_row(grid, i)).items()
    }


def _row(grid: Grid, i: int) -> Scores:
    return {name: number(cell) for name, cell in zip(grid.header, grid.rows[i], strict=True)}


def _main(found: Scores) -> Scores:
    for names in (*((one,) for one in _MAIN[:3]), *_SEVERAL, *((one,) for one in _MAIN[3:])):
        if all(not math.isnan(found.get(name, math.nan)) for name in names):
            return {name: found[name] for name in names}
    return {}


def _statuses(files: Files, path: Path) -> Iterator[tuple[str, str, str, float, str]]:
    """Return model, benchmark, primary metric, score and judge of what a run has evaluated."""
    run = members(files.maybe_json(path))
    model = text(run.get("model_name")) or _model(path)
    for name, value in (members(run, "datasets") or run).items():
        about = members(value)
        primary = about.get("primary_metric")
        metrics = [text(one) for one in (primary if isinstance(primary, list) else [primary])]
        told = about.get("primary_metric_value")
        values = told if isinstance(told, dict) else members(about, "metrics")
        judge = text(about.get("judge_model"))
        for metric in filter(None, metrics):
            score = number(values.get(metric, told))
            if not math.isnan(score):
                dataset = text(about.get("dataset")) or name
                yield model, dataset, metric, score, f"judge {judge}" if judge else ""
