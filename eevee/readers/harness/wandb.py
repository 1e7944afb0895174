"""wandb: the CSV that its run table exports, one row per run, seeds as rows of their own."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Sequence

from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.tables.column_names import is_aggregate, is_metric, stderr_target
from eevee.tables.results_table import Note

NAME = "wandb"
WHAT = "run table of wandb: a CSV with a first column Name and State, _step or _runtime"

_MODEL = ("model", "model_name", "model.name", "config.model", "arch", "backbone", "Group")
_SEED = ("seed", "config.seed", "random_seed", "args.seed")
_LOGGED = frozenset({"_step", "_timestamp", "_runtime", "_wandb"})
_SHOWN = frozenset({"User", "Tags", "Created", "Runtime", "Sweep", "Notes", "Hostname", "Job Type"})
_SYSTEM = _LOGGED | _SHOWN | {"Name", "State", "ID", "Group", "Updated", "End Time", "Commit",
                              "GitHub", "Host", "Path", "Url"}  # fmt: skip
_STATES = frozenset({"finished", "crashed", "failed", "running", "killed", "preempted",
                     "preempting", "pending"})  # fmt: skip
_NO_SCORE = re.compile(
    r"(?:.*[/._])?(?:runtime|[a-z_]*per_second|epochs?|(?:global_)?steps?|lr|learning_rate|grad_norm|"
    r"total_flos|seed|[a-z_]*time|n_samples|num_samples|batch_size|timestamp|version)"
    r"|train(?:ing)?[/._].*|system[/._].*|.*__(?:MIN|MAX|STEP)",
    re.IGNORECASE,
)
_OWN = "is wandb's own, and no logged metric"
_CONFIG = "is no logged metric (none has its form), or counts, times or sets up a run"


def fits(files: Files) -> bool:
    """Tell whether a table has the run table's own columns."""
    return any(_is_export(files.top(path)) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read logged metrics of finished runs."""
    rows: list[Row] = []
    notes: list[Note] = []
    for path in files.named(".csv"):
        if _is_export(files.top(path)):
            rows += _rows(files.grid(path), files.where(path), notes)
    return Harvest(tuple(rows), tuple(notes))


def _is_export(lines: list[str]) -> bool:
    """Tell run tables from others with a column Name: by states of runs, or columns of wandb's."""
    try:
        names, *rows = csv.reader(lines)
    except (ValueError, csv.Error):
        return False
    if names[:1] != ["Name"]:
        return False
    if "State" in names:
        place = names.index("State")
        states = [row[place] for row in rows if len(row) > place]
        return 2 * sum(state in _STATES for state in states) > len(states)
    return not _LOGGED.isdisjoint(names) or len(_SHOWN.intersection(names)) > 2


def _rows(grid: Grid, where: str, notes: list[Note]) -> list[Row]:
    scores = _score_columns(grid)
    names = [grid.header[j] for j in scores]
    errors = {stderr_target(name, names): j for j, name in enumerate(grid.header)}
    finished = _finished(grid, where, notes)
    seed = _first(grid, _SEED)
    seeds = [""] * len(grid.rows) if seed is None else grid.column(seed)
    place, models = _models(grid, seeds, notes)
    paid = _first(grid, ("_runtime", "Runtime")) if len(scores) == 1 else None
    used = {*names, *(grid.header[j] for j in (seed, place, paid) if j is not None)}
    used |= {grid.header[j] for target, j in errors.items() if target is not None}
    notes += [
        Note("ignored", "column", name, _OWN if name in _SYSTEM else _CONFIG)
        for name in grid.header
        if name.strip() and name not in used
    ]
    costs = _costs(grid, paid)
    return [
        Row(
            model=models[i],
            benchmark=grid.header[j],
            metric="",
            score=score,
            stderr=grid.number(i, errors[grid.header[j]]) if grid.header[j] in errors else math.nan,
            seed=seeds[i],
            cost=costs[i],
            where=f"{where} row {grid.lines[i]}",
        )
        for i in finished
        for j in scores
        for score in [grid.number(i, j)]
        if not math.isnan(score)
    ]


def _score_columns(grid: Grid) -> list[int]:
    """Return logged metrics: columns with a slash, else those named as metrics are."""
    columns = [
        j
        for j, name in enumerate(grid.header)
        if name not in _SYSTEM
        and not name.startswith("_")
        and not _NO_SCORE.fullmatch(name)
        and not is_aggregate(name)
        and stderr_target(name, grid.header) is None
        and not grid.is_text(j)
        and any(grid.column(j))
    ]
    logged = [j for j in columns if "/" in grid.header[j]]
    return logged or [j for j in columns if is_metric(re.split(r"[./]", grid.header[j])[-1])]


def _finished(grid: Grid, where: str, notes: list[Note]) -> list[int]:
    if "State" not in grid.header:
        return list(range(len(grid.rows)))
    states = grid.column(grid.header.index("State"))
    others = Counter(state for state in states if state != "finished")
    if others:
        told = ", ".join(f"{n} {state or 'without a state'}" for state, n in others.items())
        notes.append(Note("dropped", "file", where, f"holds runs that did not finish: {told}"))
    return [i for i, state in enumerate(states) if state == "finished"]


def _first(grid: Grid, names: Sequence[str]) -> int | None:
    """Return the first of these columns that is filled throughout."""
    found = (grid.header.index(name) for name in names if name in grid.header)
    return next((j for j in found if all(grid.column(j))), None)


def _models(grid: Grid, seeds: Sequence[str], notes: list[Note]) -> tuple[int, list[str]]:
    """Return the model of each run: of a column of models, or names without their seeds."""
    names = grid.column(0)
    place = _first(grid, _MODEL)
    if place is not None and len(set(grid.column(place))) > 1:
        notes.append(Note("guessed", "column", grid.header[place], "names the models"))
        return place, grid.column(place)
    stems = [_stem(name, seed) for name, seed in zip(names, seeds, strict=True)]
    shared = len(set(stems)) < len(set(names))
    unlike = len(set(zip(stems, seeds, strict=True))) == len(stems)
    if shared and unlike:
        notes.append(Note("guessed", "column", "Name", "names the models, with their seeds behind"))
    return 0, stems if shared and unlike else names


def _stem(name: str, seed: str) -> str:
    """Cut the seed off a run's name.

    Examples
    --------
    >>> _stem("vit-b-seed3", "3"), _stem("vit-b_42", "42"), _stem("vit-b-16", "3")
    ('vit-b', 'vit-b', 'vit-b-16')
    """
    cut = re.sub(rf"[-_./ ]+(?:seed|s)?[-_=]?{re.escape(seed)}$", "", name, flags=re.IGNORECASE)
    return cut if seed and cut else name


def _costs(grid: Grid, place: int | None) -> list[float]:
    if place is None or grid.is_text(place):
        return [math.nan] * len(grid.rows)
    return [cost if cost > 0 else math.nan for cost in grid.numbers(place)]
