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
_GROUP = re.compile(r"(?:.* - )?(?:naive_average|weighted_average|harmonic_mean|sum|"
                    r"standard_deviation|average)")  # fmt: skip


def fits(files: Files) -> bool:
    """Tell whether a file begins so."""
    return any(files.head(path).startswith(_HEAD) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read the rows of data sets of every summary."""
    rows: list[Row] = []
    groups: dict[str, None] = {}
    for path in files.named(".csv"):
        if files.head(path).startswith(_HEAD):
            rows += _rows(files.grid(path), files.where(path), groups)
    notes = [
        Note("dropped", "benchmark", name, "is a group: the mean of other rows") for name in groups
    ]
    return Harvest(tuple(rows), tuple(notes))


def _rows(grid: Grid, where: str, groups: dict[str, None]) -> Iterator[Row]:
    modes: dict[str, set[str]] = {}
    for dataset, _, _, mode, *_ in grid.rows:
        modes.setdefault(dataset, set()).add(mode)
    for i, (dataset, version, metric, mode, *_) in enumerate(grid.rows):
        if _SEPARATOR.fullmatch(dataset):
            continue
        if _GROUP.fullmatch(metric):
            groups[dataset] = None
            continue
        several = len(modes[dataset]) > 1 and not is_missing(mode)
        name = "" if is_missing(metric) else metric
        for j in range(4, grid.width):
            score = grid.number(i, j)
            if not math.isnan(score):
                yield Row(
                    model=grid.header[j],
                    benchmark=dataset,
                    metric=f"{name} {mode}".strip() if several else name,
                    score=score,
                    harness="opencompass",
                    version="" if is_missing(version) else version,
                    where=where,
                )
