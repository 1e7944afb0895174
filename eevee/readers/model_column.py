"""Which column names the models, where the header does not say "model"."""

from __future__ import annotations

from collections.abc import Sequence

from eevee.readers.cells import is_missing
from eevee.readers.gpus import gpu_place
from eevee.readers.grid import Grid
from eevee.readers.measured import Options
from eevee.readers.role_alone import are_dates_or_links
from eevee.readers.role_names import named_role
from eevee.readers.vocabulary import in_english
from eevee.tables.results_table import Note

MODEL_NAMES = ("model", "models", "model name", "model id", "model fullname", "model/adapter")
NAMES = (
    *MODEL_NAMES, "name", "system", "method", "checkpoint", "run", "llm", "agent", "algorithm",
    "approach", "submission", "entry", "network", "architecture", "model/system", "models/systems",
    "run name", "system name", "method name",
)  # fmt: skip
"""What columns of models are also called."""
_MAKERS = frozenset(
    "organization organisation provider developer vendor creator company affiliation author "  # noqa: SIM905
    "authors institution country category type family access license maker lab publisher".split()
)


def fallback_model(grid: Grid, options: Options) -> int:
    """Return the place of the column that names the models: the first, if nothing speaks against.

    Ranks, row numbers and other numbers are no names where there is a column of text; nor is a
    column that repeats itself where another is called "system" or the like.

    Examples
    --------
    >>> rows = (("1", "x", "60"), ("2", "y", "70"), ("3", "z", "65"))
    >>> fallback_model(Grid("a.csv", ("Rank", "Method", "mmlu"), rows, (2, 3, 4)), Options())
    1
    """
    if grid.width < 2:
        return 0
    called = [j for j in range(grid.width) if _says_model(grid.header[j]) and grid.is_text(j)]
    texts = [j for j in range(grid.width) if grid.is_text(j)]
    gpu = gpu_place(grid, options.gpu_column)
    names = [j for j in texts if j != gpu and not _describes(grid, j)]
    unique = [j for j in names if _is_unique(grid, j)]
    first_unfit = not grid.is_text(0) or gpu == 0
    if first_unfit and (gpu == 0 or _is_no_name(grid) or called or len(unique) == 1):
        best = [j for j in called if j in unique] or called or unique or names
        return best[0] if best else 0
    if not first_unfit and not _says_model(grid.header[0]):
        better = [j for j in called if _is_unique(grid, j)]
        if _describes(grid, 0) or not _is_unique(grid, 0):
            better = better or (unique if len(unique) == 1 else [])
            return better[0] if better else 0
    return 0


def _says_model(name: str) -> bool:
    """Tell whether a header says that the column names models, in whatever language."""
    return _plain(name) in NAMES or bool({"model", "models"} & set(in_english(name).split()))


def _describes(grid: Grid, j: int) -> bool:
    """Tell whether a column holds makers, licences, dates or links rather than names."""
    if named_role(grid.header[j]) is not None or in_english(grid.header[j]) in _MAKERS:
        return True
    return are_dates_or_links([cell for cell in grid.column(j) if not is_missing(cell)])


def fill_down(grid: Grid, keys: Sequence[int]) -> Grid:
    """Repeat a model's name in the empty cells below it, where it is written once per group.

    Examples
    --------
    >>> rows = (("x", "a"), ("", "b"), ("y", "a"), ("", "b"))
    >>> fill_down(Grid("a.csv", ("model", "benchmark"), rows, (2, 3, 4, 5)), [0]).column(0)
    ['x', 'x', 'y', 'y']
    """
    if len(keys) != 1 or not grid.rows:
        return grid
    (key,) = keys
    cells = grid.column(key)
    empty = sum(not cell for cell in cells)
    if empty < 2 or 4 * empty < len(cells) or not cells[0]:
        return grid
    filled, last = [], ""
    for cell in cells:
        last = cell or last
        filled.append(last)
    rows = tuple(
        (*row[:key], name, *row[key + 1 :]) for row, name in zip(grid.rows, filled, strict=True)
    )
    why = f"its {empty} empty cells repeat the name above"
    return grid.with_rows(rows).noted(Note("guessed", "column", grid.header[key], why))


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()


def _is_unique(grid: Grid, j: int) -> bool:
    cells = [cell for cell in grid.column(j) if not is_missing(cell)]
    return len(cells) == len(grid.rows) == len(set(cells))


def _is_no_name(grid: Grid) -> bool:
    """Tell whether the first column is a rank, an index or the like by its name."""
    name = grid.header[0]
    return named_role(name) is not None or _plain(name) in {"#", "no", "no.", "nr", "pos", "pos."}
