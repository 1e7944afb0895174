"""What the rows of a long table say of the columns that their scores go to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eevee.base.errors import EeveeError
from eevee.readers.grid import Grid


def said_of_columns(
    grid: Grid,
    place: int | None,
    read: Callable[[str, str, str], str | None],
    rows: Iterable[tuple[str, int]],
) -> dict[str, str]:
    """Return what is said of each column in one place of a grid, where something is.

    Parameters
    ----------
    grid : Grid
    place : int or None
        Of what is said; None where the grid has no such place.
    read : callable
        Takes the header, a cell and where it stands; returns None where the cell says nothing.
    rows : iterable of (column, row)

    Raises
    ------
    EeveeError
        If two rows of a column say different things.

    Examples
    --------
    >>> grid = Grid("x.csv", ("benchmark", "role"), (("a", "proxy"), ("b", "")), (2, 3))
    >>> said_of_columns(grid, 1, lambda header, cell, where: cell or None, [("a", 0), ("b", 1)])
    {'a': 'proxy'}
    """
    found: dict[str, tuple[str, int]] = {}
    for column, i in rows if place is not None else ():
        assert place is not None
        line = grid.lines[i]
        where = f"{grid.source}: row {line}, {grid.label(place)}"
        said = read(grid.header[place], grid.rows[i][place], where)
        if said is None:
            continue
        known, first = found.setdefault(column, (said, line))
        if known != said:
            raise EeveeError(f"{where}: {column!r} is {known} in row {first}; make them agree")
    return {column: said for column, (said, _) in found.items()}
