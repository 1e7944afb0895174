"""OpenCompass: `summary/summary_<time>.csv`, data sets as rows and models as columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from eevee.readers.cells import is_missing
from eevee.readers.grid import Grid
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.tables.results_table import Note

NAME = "opencompass"
WHAT = "summary of OpenCompass: a CSV that begins with dataset,version,metric,mode"

_HEAD = "dataset,version,metric,mode,"
_SEPARATOR = re.compile(r"-{3,}.*-{3,}|[-=]{3,}")
_MEAN = re.compile(r"(?:.* - )?(?:naive_average|weighted_average|harmonic_mean|sum|average)")
_SPREAD = re.compile(r"(?:.* - )?standard_deviation")
_ALL = frozenset({"average", "avg", "mean", "overall", "all", "total"})

Entry = tuple[int, str, str]
"""Row, data set, metric."""


def fits(files: Files) -> bool:
    """Tell whether a file begins so."""
    return any(files.head(path).startswith(_HEAD) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read the rows of data sets of every summary, and of groups whose data sets it lacks."""
    rows: list[Row] = []
    notes: dict[str, Note] = {}
    for path in files.named(".csv"):
        if files.head(path).startswith(_HEAD):
            rows += _rows(files.grid(path), files.where(path), notes)
    return Harvest(tuple(rows), tuple(notes.values()))


def _rows(grid: Grid, where: str, notes: dict[str, Note]) -> Iterator[Row]:
    entries, groups = _entries(grid)
    kept, gone = _lone(groups, [*entries, *groups])
    for _, name, _ in gone:
        why = "is a group: its data sets are there too"
        notes[name] = Note("dropped", "benchmark", name, why)
    for _, name, _ in kept:
        why = "is a group, the mean of data sets that are not listed: kept"
        notes[name] = Note("guessed", "benchmark", name, why)
    modes: dict[str, set[str]] = {}
    for i, name, _ in entries:
        modes.setdefault(name, set()).add(grid.rows[i][3])
    for i, name, metric in sorted([*entries, *kept]):
        version, mode = grid.rows[i][1], grid.rows[i][3]
        several = len(modes.get(name, ())) > 1 and not is_missing(mode)
        for j in range(4, grid.width):
            score = grid.number(i, j)
            if not math.isnan(score):
                yield Row(
                    model=grid.header[j],
                    benchmark=name,
                    metric=f"{metric} {mode}".strip() if several else metric,
                    score=score,
                    harness="opencompass",
                    version="" if is_missing(version) else version,
                    where=where,
                )


def _entries(grid: Grid) -> tuple[list[Entry], list[Entry]]:
    """Return the rows of data sets, and those of groups: these have no prompt, so no version."""
    entries: list[Entry] = []
    groups: list[Entry] = []
    for i, (name, version, metric, *_) in enumerate(grid.rows):
        plain = "" if is_missing(metric) else metric
        if _SEPARATOR.fullmatch(name) or _SPREAD.fullmatch(plain):
            continue
        if not plain or not (is_missing(version) or _MEAN.fullmatch(plain)):
            entries.append((i, name, plain))
        else:
            groups.append((i, name, "" if _MEAN.fullmatch(plain) else plain))
    return entries, groups


def _lone(groups: list[Entry], others: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Part groups into those without their members, one row each, and the rest."""
    lone: dict[str, Entry] = {}
    gone: list[Entry] = []
    for group in groups:
        if _ALL.intersection(_words(group[1])) or _has_members(group[1], groups, others):
            gone.append(group)
        elif group[1] not in lone or not group[2]:  # its mean rather than a metric of its own
            lone[group[1]] = group
    return list(lone.values()), gone


def _has_members(name: str, groups: list[Entry], others: list[Entry]) -> bool:
    """Tell by names: `ceval` has `ceval-law`, and `mmlu` has `lukaemon_mmlu_law`."""
    words, known = _words(name), {group for _, group, _ in groups}
    for _, other, _ in others:
        found = _words(other)
        if other not in known and words[0] in found:
            return True
        if other != name and len(found) > len(words) and found[: len(words)] == words:
            return True
    return False


def _words(name: str) -> list[str]:
    return re.split(r"[-_/\s]+", name.strip("-_/ ").casefold())
