"""open_clip: `docs/openclip_results.csv`, a row per (name, pretrained)."""

from __future__ import annotations

import math

from eevee.readers.grid import JOINT
from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.tables.column_names import is_aggregate, is_attribute
from eevee.tables.results_table import Note

NAME = "open-clip"
WHAT = "results of open_clip: a CSV that begins with name,pretrained,params (M),FLOPs (B)"

_HEAD = ("name,pretrained,params", "name,pretrained,flops")


def fits(files: Files) -> bool:
    """Tell whether a file begins so."""
    return any(files.head(path).casefold().startswith(_HEAD) for path in files.sample(".csv"))


def read(files: Files) -> Harvest:
    """Read all columns of data sets; name and pretraining make a model."""
    rows: list[Row] = []
    notes: dict[str, Note] = {}
    models: dict[str, dict[str, object]] = {}
    for path in files.named(".csv"):
        if not files.head(path).casefold().startswith(_HEAD):
            continue
        grid = files.grid(path)
        for j, name in enumerate(grid.header[2:], start=2):
            if is_attribute(name):
                for cells, value in zip(grid.rows, grid.values(j), strict=True):
                    models.setdefault(JOINT.join(cells[:2]), {})[name] = value
            elif is_aggregate(name):
                why = "is an aggregate of other columns, by its name"
                notes[name] = Note("dropped", "column", name, why)
            else:
                rows += [
                    Row(JOINT.join(cells[:2]), name, "", score, where=files.where(path))
                    for i, cells in enumerate(grid.rows)
                    for score in [grid.number(i, j)]
                    if not math.isnan(score)
                ]
    return Harvest(tuple(rows), tuple(notes.values()), models)
