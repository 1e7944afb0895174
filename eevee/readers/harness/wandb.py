"""wandb: the CSV that its run table exports, one row per run, seeds as rows of their own."""

from __future__ import annotations

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
WHAT = "run table of wandb: a CSV with Name and State, Runtime, Created or _step"

_MODEL = ("model", "model_name", "model.name", "config.model", "arch", "backbone", "Group")
_SEED = ("seed", "config.seed", "random_seed", "args.seed")
_SIGNS = frozenset(
    {"State", "Runtime", "Created", "User", "Tags", "Sweep", "_step", "_timestamp", "_runtime"}
)
_SYSTEM = _SIGNS | {"Name", "Notes", "ID", "Group", "Job Type", "Updated", "End Time", "Hostname",
                    "Commit", "GitHub", "Host", "Path", "Url"}  # fmt: skip
_NO_SCORE = re.compile(
    r"(?:.*[/._])?(?:runtime|[a-z_]*per_second|epochs?|(?:global_)?steps?|lr|learning_rate|grad_norm|"
    r"total_flos|seed|[a-z_]*time|n_samples|num_samples|batch_size|timestamp|version)"
    r"|train(?:ing)?[/._].*|system[/._].*|.*__(?:MIN|MAX|STEP)",
    re.IGNORECASE,
)
_CONFIG = "is no logged metric (none has its form), or counts, times or sets up a run"


def fits(files: Files) -> bool:
    """Tell whether a table has the run table's own columns."""
    return any(_is_export(files.head(path)) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read logged metrics of finished runs."""
    rows: list[Row] = []
    notes: list[Note] = []
    for path in files.named(".csv"):
        if _is_export(files.head(path)):
            rows += _rows(files.grid(path), files.where(path), notes)
    return Harvest(tuple(rows), tuple(notes))


def _is_export(head: str) -> bool:
    names = [name.strip().strip('"') for name in head.split(",")]
    return names[0] == "Name" and not _SIGNS.isdisjoint(names)


def _rows(grid: Grid, where: str, notes: list[Note]) -> list[Row]:
    scores = _score_columns(grid)
    names = [grid.header[j] for j in scores]
    errors = {stderr_target(name, names): j for j, name in enumerate(grid.header)}
    finished = _finished(grid, where, notes)
    seeds = _seeds(grid)
    models = _models(grid, seeds, notes)
    set_aside = [
        name for name in grid.header if name not in names and name not in _SYSTEM and name.strip()
    ]
    notes += [Note("ignored", "column", name, _CONFIG) for name in set_aside]
    costs = _costs(grid) if len(scores) == 1 else [math.nan] * len(grid.rows)
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
        notes.append(Note("dropped", "file", where, f"runs that did not finish: {told}"))
    return [i for i, state in enumerate(states) if state == "finished"]


def _first(grid: Grid, names: Sequence[str]) -> int | None:
    """Return the first of these columns that is filled throughout."""
    found = (grid.header.index(name) for name in names if name in grid.header)
    return next((j for j in found if all(grid.column(j))), None)


def _seeds(grid: Grid) -> list[str]:
    place = _first(grid, _SEED)
    return [""] * len(grid.rows) if place is None else grid.column(place)


def _models(grid: Grid, seeds: Sequence[str], notes: list[Note]) -> list[str]:
    """Return the model of each run: a column of models, or names without their seeds."""
    names = grid.column(0)
    place = _first(grid, _MODEL)
    if place is not None and len(set(grid.column(place))) > 1:
        notes.append(Note("guessed", "column", grid.header[place], "names the models"))
        return grid.column(place)
    stems = [_stem(name, seed) for name, seed in zip(names, seeds, strict=True)]
    shared = len(set(stems)) < len(set(names))
    unlike = len(set(zip(stems, seeds, strict=True))) == len(stems)
    if shared and unlike:
        notes.append(Note("guessed", "column", "Name", "names the models, with their seeds behind"))
    return stems if shared and unlike else names


def _stem(name: str, seed: str) -> str:
    """Cut the seed off a run's name.

    Examples
    --------
    >>> _stem("vit-b-seed3", "3"), _stem("vit-b_42", "42"), _stem("vit-b-16", "3")
    ('vit-b', 'vit-b', 'vit-b-16')
    """
    cut = re.sub(rf"[-_./ ]+(?:seed|s)?[-_=]?{re.escape(seed)}$", "", name, flags=re.IGNORECASE)
    return cut if seed and cut else name


def _costs(grid: Grid) -> list[float]:
    place = _first(grid, ("_runtime", "Runtime"))
    if place is None or grid.is_text(place):
        return [math.nan] * len(grid.rows)
    return [cost if cost > 0 else math.nan for cost in grid.numbers(place)]
