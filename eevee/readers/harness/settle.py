"""One score per cell: repeats counted once, seeds averaged, conflicts listed or settled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from eevee.base.errors import EeveeError
from eevee.readers.harness.rows import Row
from eevee.tables.column_names import unprintable
from eevee.tables.results_table import Note

SHOWN = 3
"""Conflicts and models that a message names."""

Cell = tuple[str, str, str]


def settle(rows: Sequence[Row], source: str, rule: str) -> tuple[list[Row], list[Note]]:
    """Return one row per (model, benchmark, metric), in the order of the first of each.

    Scores that count less than another of their cell (`Row.lesser`) give way to it. Equal scores
    are one. Rows that have seeds, all different, become their mean, with its standard error. What
    is left is a conflict, which the rule settles.

    Parameters
    ----------
    rows : sequence of Row
    source : str
        Named in messages.
    rule : {"error", "mean", "first", "last"}

    Raises
    ------
    EeveeError
        If scores of a cell differ and the rule is ``"error"``; the first conflicts are listed.

    Examples
    --------
    >>> rows = [Row("m", "a", "", 1.0, seed="0"), Row("m", "a", "", 3.0, seed="1")]
    >>> settled, _ = settle(rows, "runs", "error")
    >>> settled[0].score, settled[0].stderr
    (2.0, 1.0)
    """
    cells: dict[Cell, list[Row]] = {}
    for row in rows:
        _check_names(row, source)
        cells.setdefault(row.cell, []).append(row)
    notes = _note_lesser(cells, source)
    cells = {cell: _distinct(_counting(same)) for cell, same in cells.items()}
    seeded = {cell for cell, same in cells.items() if _are_seeds(same)}
    conflicts = [same for cell, same in cells.items() if len(same) > 1 and cell not in seeded]
    if conflicts and rule == "error":
        raise EeveeError(_complain(conflicts, source))
    settled = [
        _mean(same, seeds=True) if cell in seeded else _one(same, rule)
        for cell, same in cells.items()
    ]
    return settled, [*notes, *_note(cells, seeded, conflicts, source, rule)]


def mismatches(rows: Iterable[Row]) -> list[Note]:
    """Return a note per benchmark whose scores come from unlike versions, and one on harnesses."""
    versions: dict[str, dict[str, dict[str, None]]] = {}
    harnesses: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.version:
            found = versions.setdefault(row.benchmark, {}).setdefault(row.version, {})
            found[row.model] = None
        if row.harness:
            harnesses.setdefault(row.harness, {})[row.model] = None
    notes = [
        Note("guessed", "benchmark", benchmark, f"is taken as one though its data-set or task "
             f"versions differ: {_listed(found)}; its scores may not compare")
        for benchmark, found in versions.items()
        if len(found) > 1
    ]  # fmt: skip
    if len(harnesses) > 1:
        why = f"holds scores of different harness versions: {_listed(harnesses)}"
        notes.append(Note("guessed", "file", "harness", f"{why}; they may not compare"))
    return notes


def _check_names(row: Row, source: str) -> None:
    for what, name in (("model", row.model), ("benchmark", row.benchmark)):
        if not name:
            raise EeveeError(f"{source}: {row.where}: a {what} has no name; give it one")
    for name in (row.model, row.benchmark, row.metric):
        if unprintable(name):
            raise EeveeError(
                f"{source}: {row.where}: the name {name!r} holds a line break or control "
                "character; take it out"
            )


def _counting(same: list[Row]) -> list[Row]:
    """Leave out rows that count less than another."""
    return [row for row in same if not row.lesser] or same


def _distinct(same: list[Row]) -> list[Row]:
    """Leave out rows that repeat another: same score, same seed."""
    found: dict[tuple[float, str], Row] = {}
    for row in same:
        known = found.setdefault((row.score, row.seed), row)
        if math.isnan(known.cost) or math.isnan(known.stderr):
            cost = row.cost if math.isnan(known.cost) else known.cost
            stderr = row.stderr if math.isnan(known.stderr) else known.stderr
            found[row.score, row.seed] = replace(known, cost=cost, stderr=stderr)
    return list(found.values())


def _are_seeds(same: list[Row]) -> bool:
    seeds = {row.seed for row in same}
    return len(same) > 1 and "" not in seeds and len(seeds) == len(same)


def _mean(same: list[Row], *, seeds: bool) -> Row:
    """Average rows; over seeds the standard error of the mean is known."""
    scores = np.array([row.score for row in same])
    error = float(scores.std(ddof=1) / math.sqrt(len(scores))) if seeds else math.nan
    costs = [row.cost for row in same if not math.isnan(row.cost)]
    cost = float(np.median(costs)) if costs else math.nan
    seed = "" if seeds else same[0].seed
    return replace(same[0], score=float(scores.mean()), stderr=error, cost=cost, seed=seed)


def _one(same: list[Row], rule: str) -> Row:
    if len(same) > 1 and rule == "mean":
        return _mean(same, seeds=False)
    return same[-1] if rule == "last" else same[0]


def _complain(conflicts: list[list[Row]], source: str) -> str:
    told = "; ".join(
        f"model {a.model!r}, {a.column!r}: {a.score:g}{_of(a)} and {b.score:g}{_of(b)}"
        for a, b in (same[:2] for same in conflicts[:SHOWN])
    )
    more = f"; and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
    return (
        f"{source}: {len(conflicts)} cells have scores that differ: {told}{more}; leave one of "
        "the files out, or choose mean, first or last (duplicates, --duplicates; "
        "on_conflict, --on-conflict of import)"
    )


def _of(row: Row) -> str:
    parts = [row.where, *([f"version {row.version}"] if row.version else [])]
    return f" ({', '.join(parts)})" if row.where else ""


def _note_lesser(cells: dict[Cell, list[Row]], source: str) -> list[Note]:
    kept: dict[str, int] = {}
    beaten: dict[str, int] = {}
    for same in cells.values():
        counts = kept if all(row.lesser for row in same) else beaten
        for row in same:
            if row.lesser:
                counts[row.lesser] = counts.get(row.lesser, 0) + 1
    why_not = "there are better ones of these cells"
    why_kept = "kept, as the only ones of these cells"
    return [
        *(Note("dropped", "file", source, f"holds {n} scores that {why}: {why_not}")
          for why, n in beaten.items()),
        *(Note("guessed", "file", source, f"holds {n} scores that {why}: {why_kept}")
          for why, n in kept.items()),
    ]  # fmt: skip


def _note(
    cells: dict[Cell, list[Row]],
    seeded: set[Cell],
    conflicts: list[list[Row]],
    source: str,
    rule: str,
) -> list[Note]:
    notes = []
    if seeded:
        sizes = sorted({len(cells[cell]) for cell in seeded})
        most = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        why = f"{len(seeded)} cells are means over {most} seeds, standard errors kept"
        notes.append(Note("converted", "file", source, why))
    if conflicts:
        why = f"of several scores for one cell the {rule} is kept, in {len(conflicts)} cells"
        notes.append(Note("dropped", "file", source, why))
    return notes


def _listed(found: dict[str, dict[str, None]]) -> str:
    """Name versions with how many models each has, the rare ones with their names."""
    said: list[str] = []
    for version, models in sorted(found.items(), key=lambda one: -len(one[1])):
        names = ", ".join(list(models)[:SHOWN])
        rare = f": {names}" if len(models) <= SHOWN and said else ""
        said.append(f"{version} ({len(models)} model{'s' * (len(models) != 1)}{rare})")
    more = f" and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    return ", ".join(said[:SHOWN]) + more
