"""Which way is better: read from a cell, or guessed from a name."""

from __future__ import annotations

from eevee.base.errors import EeveeError
from eevee.readers.cells import is_missing

DIRECTION_NAMES = ("direction", "higher is better", "lower is better")
"""Headers of a column of directions, in lower-case words."""

_UP = frozenset("higher high max maximize maximise up ↑ + asc ascending".split())  # noqa: SIM905
_DOWN = frozenset("lower low min minimize minimise down ↓ - desc descending".split())  # noqa: SIM905
_YES = frozenset("true yes 1 1.0 y t".split())  # noqa: SIM905
_NO = frozenset("false no 0 0.0 n f".split())  # noqa: SIM905


def read_direction(header: str, cell: str, where: str) -> str | None:
    """Read one cell of a column of directions, None where it is missing.

    Parameters
    ----------
    header : str
        One of `DIRECTION_NAMES`: below "lower is better", yes means lower.
    cell : str
    where : str
        Names the cell in an error.

    Examples
    --------
    >>> read_direction("direction", "Lower is better", ""), read_direction("direction", "max", "")
    ('lower', 'higher')
    >>> read_direction("higher_is_better", "True", "")
    'higher'
    """
    word = cell.casefold().replace("_", " ").strip()
    word = word.removesuffix(" is better").removesuffix(" better").strip()
    plain = header.casefold().replace("_", " ").strip()
    if plain != "direction" and word in _YES | _NO:
        return "higher" if (word in _YES) == plain.startswith("higher") else "lower"
    if word in _UP | _DOWN:
        return "higher" if word in _UP else "lower"
    if is_missing(cell):
        return None
    raise EeveeError(f"{where}: {cell!r} is not a direction; write 'higher' or 'lower'")
