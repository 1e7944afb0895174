"""MTEB: `<model>/<revision>/<Task>.json`, one per task, beside `model_meta.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import items, members, number, positive, text
from eevee.tables.results_table import Note

NAME = "mteb"
WHAT = "MTEB results: <model>/<revision>/<Task>.json"

_META = "model_meta.json"
_OLD = "mteb_dataset_name"
_EXTERNAL = "external"
"""Revision of scores that authors report and nobody measured again."""

Part = tuple[str, str]


def fits(files: Files) -> bool:
    """Tell whether there is a task's results file."""
    return any(_is_task(files.maybe_json(path)) for path in files.sample(".json"))


def read(files: Files) -> Harvest:
    """Read all tasks of all models and revisions."""
    rows: list[Row] = []
    parts: dict[str, dict[str, dict[Part, None]]] = {}
    splits: dict[str, dict[str, None]] = {}
    models: dict[str, dict[str, object]] = {}
    old: list[str] = []
    revisions: dict[str, dict[str, None]] = {}
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if not _is_task(content):
            old += [files.where(path)] if _OLD in members(content) else []
            continue
        meta = _meta(files, path)
        model, revision = _model(files, path, meta)
        task = text(members(content)["task_name"])
        found, left_out = _parts(members(content, "scores"))
        if not found:
            continue
        models.setdefault(model, _attributes(meta))
        revisions.setdefault(model, {})[revision] = None
        parts.setdefault(task, {}).setdefault(model, {}).update(dict.fromkeys(found))
        splits.setdefault(task, {}).update(dict.fromkeys(left_out))
        rows.append(_row(members(content), model, revision, found, files.where(path)))
    notes = [*_note_old(old), *_note_revisions(revisions), *_note_splits(splits)]
    notes += _note_uneven(parts)
    return Harvest(tuple(rows), tuple(notes), models)


def _is_task(content: object) -> bool:
    found = members(content)
    return "task_name" in found and isinstance(found.get("scores"), dict)


def _parts(scores: Mapping[str, Any]) -> tuple[dict[Part, float], list[str]]:
    """Return the main score per split and subset, and splits that do not count.

    Only the test split counts where there is one, as in mteb's own benchmarks.
    """
    chosen = ["test"] if items(scores.get("test")) else list(scores)
    found = {
        (split, text(entry.get("hf_subset"))): number(entry.get("main_score"))
        for split in chosen
        for entry in items(scores.get(split))
        if isinstance(entry, dict)
    }
    measured = {part: score for part, score in found.items() if not math.isnan(score)}
    return measured, [split for split in scores if split not in chosen]


def _row(
    content: Mapping[str, Any], model: str, revision: str, found: Mapping[Part, float], where: str
) -> Row:
    version = text(content.get("mteb_version"))
    return Row(
        model=model,
        benchmark=text(content["task_name"]),
        metric="",
        score=sum(found.values()) / len(found),
        direction="higher",
        cost=positive(content.get("evaluation_time")),
        harness=f"mteb {version}" if version else "",
        version=text(content.get("dataset_revision")),
        where=where,
        lesser="are reported by the models' authors" if revision == _EXTERNAL else "",
    )


def _meta(files: Files, path: Path) -> dict[str, Any]:
    meta = path.with_name(_META)
    return members(files.maybe_json(meta)) if meta.is_file() else {}


def _model(files: Files, path: Path, meta: Mapping[str, Any]) -> tuple[str, str]:
    """Name model and revision: as the meta data say, else by the two folders."""
    revision, model = path.parent.name, path.parent.parent.name
    name = text(meta.get("name")) or model.replace("__", "/", 1)
    if not name:
        raise files.error(path, f"names no model: give the folder that holds {_META} too")
    return name, text(meta.get("revision")) or revision


def _attributes(meta: Mapping[str, Any]) -> dict[str, object]:
    parameters = positive(meta.get("n_parameters"))
    found: dict[str, object] = {} if math.isnan(parameters) else {"parameters": parameters}
    return found | ({"date": text(meta["release_date"])} if text(meta.get("release_date")) else {})


def _note_old(old: list[str]) -> list[Note]:
    why = f"and {len(old) - 1} others: written by mteb before 1.11, which is not read"
    why = why if len(old) > 1 else "was written by mteb before 1.11, which is not read"
    return [Note("dropped", "file", old[0], why)] if old else []


def _note_revisions(revisions: Mapping[str, Mapping[str, None]]) -> list[Note]:
    return [
        Note("guessed", "model", model, f"is one model in {len(found)} revisions ({names})")
        for model, found in revisions.items()
        if len(found) > 1
        for names in [", ".join(one[:12] for one in found)]
    ]


def _note_splits(splits: Mapping[str, Mapping[str, None]]) -> list[Note]:
    return [
        Note("ignored", "benchmark", task, f"has other splits than test: {', '.join(left_out)}")
        for task, left_out in splits.items()
        if left_out
    ]


def _note_uneven(parts: Mapping[str, Mapping[str, Mapping[Part, None]]]) -> list[Note]:
    """Name models whose mean is over fewer subsets than that of others."""
    notes = []
    for task, by_model in parts.items():
        every = {part for found in by_model.values() for part in found}
        few = {model: len(found) for model, found in by_model.items() if len(found) < len(every)}
        if few:
            names = ", ".join(f"{model} ({n})" for model, n in list(few.items())[:3])
            more = f" and {len(few) - 3} more" if len(few) > 3 else ""
            why = f"is the mean of {len(every)} subsets, of fewer for {names}{more}: uneven parts"
            notes.append(Note("guessed", "benchmark", task, why))
    return notes
