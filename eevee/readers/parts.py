"""Parts of a benchmark (splits, languages, subsets) whose scores are averaged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from eevee.readers.cells import is_missing
from eevee.readers.grid import Grid
from eevee.readers.measured import Cell
from eevee.tables.column_names import flat
from eevee.tables.results_table import Note

_NAMES = frozenset(
    "split splits subset subsets part section fold language languages lang locale subtask subject "  # noqa: SIM905
    "category level difficulty prompt template shot shots seed trial repeat domain config "
    "partition trials".split()
)


def is_part(grid: Grid, j: int, models: Sequence[int]) -> bool:
    """Tell whether a column tells parts of a benchmark apart, rather than models.

    By its name, or because (nearly) every model has every value of it.

    Examples
    --------
    >>> rows = (("m", "dev"), ("m", "ood"), ("n", "dev"), ("n", "ood"))
    >>> is_part(Grid("x.csv", ("model", "which"), rows, (2, 3, 4, 5)), 1, [0])
    True
    """
    if names_parts(grid.header[j]):
        return True
    values = grid.column(j)
    kinds = set(values)
    if j in models or not 1 < len(kinds) <= len(values) / 2:
        return False
    own: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row, value in zip(grid.rows, values, strict=True):
        own[tuple(row[k] for k in models)].add(value)
    whole = sum(found == kinds for found in own.values())
    return len(own) > 1 and whole >= 0.9 * len(own)


def names_parts(name: str) -> bool:
    """Tell whether a name says that a column tells parts of a benchmark apart.

    Examples
    --------
    >>> names_parts("hf_subset"), names_parts("pretrained")
    (True, False)
    """
    return bool(set(flat(name).split()) & _NAMES)


def note_uneven(cells: Sequence[Cell], grid: Grid, parts: Sequence[int]) -> list[Note]:
    """Name the cells that are means over fewer scores than other models have there.

    Parameters
    ----------
    cells : sequence of Cell
        All scores, several for one cell of the table among them.
    grid : Grid
    parts : sequence of int
        Places of columns that tell parts apart: they name what is missing.

    Examples
    --------
    >>> cells = [Cell(m, "a", 1.0, i) for i, m in enumerate("xxyyz")]
    >>> note_uneven(cells, Grid("x.csv", ("model",), (), ()), [])[0].why
    'is a mean over fewer scores for 1 of 3 models: z has 1 of 2'
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for cell in cells:
        counts[cell.column][cell.model] += 1
        lines[cell.model, cell.column].append(cell.line)
    row_of = {line: i for i, line in enumerate(grid.lines)}
    notes = []
    for column, per_model in counts.items():
        usual = Counter(per_model.values())
        most = max(usual, key=lambda count: (usual[count], count))
        few = [model for model, count in per_model.items() if count < most]
        if not few:
            continue
        full = next(model for model, count in per_model.items() if count == most)
        said = []
        for model in few[:4]:
            there = [_labels(grid, parts, lines[m, column], row_of) for m in (full, model)]
            lacks = sorted(there[0] - there[1])
            more = f" (no {', '.join(lacks[:3])})" if lacks else ""
            said.append(f"{model} has {per_model[model]} of {most}{more}")
        rest = f", and {len(few) - 4} more" if len(few) > 4 else ""
        why = (
            f"is a mean over fewer scores for {len(few)} of {len(per_model)} models: "
            f"{'; '.join(said)}{rest}"
        )
        notes.append(Note("guessed", "column", column, why))
    return notes


def _labels(
    grid: Grid, parts: Sequence[int], lines: Sequence[int], row_of: dict[int, int]
) -> set[str]:
    rows = [grid.rows[row_of[line]] for line in lines if line in row_of]
    labels = {"/".join(row[j] for j in parts if not is_missing(row[j])) for row in rows}
    return labels - {""}
