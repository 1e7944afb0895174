"""What each column of a table is: a score, or a cost, an error, a count, a date, ... and why.

Name, values and neighbours decide. Where they leave a doubt the column stays a score, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.cells import is_missing
from eevee.readers.grid import Grid
from eevee.readers.role_alone import Column, by_itself
from eevee.readers.role_names import bound_stem, cost_words, error_stem, is_count, is_flag
from eevee.tables.column_names import flat, is_metric, stderr_target
from eevee.tables.results_table import SourceColumn

ROLES = {
    "score": "what is predicted",
    "proxy": "a cheap score that helps to predict, and is never predicted",
    "cost": "a price, time, memory or number of tokens",
    "error": "the standard error or spread of a score",
    "bound": "an end of a score's interval",
    "count": "a number of things, or a length",
    "aggregate": "a mean or sum of other columns",
    "rescaled": "another column in other units",
    "attribute": "a property of the models",
    "rank": "a place in an order",
    "identifier": "a key, hash or link",
    "date": "a date or time",
    "step": "a step, epoch or iteration",
    "seed": "a random seed",
    "index": "row numbers",
    "text": "words",
    "ignored": "nothing that is used",
}
"""Roles that a column can have, and what they mean."""
TABLE_ROLES = ("score", "proxy")
"""Roles of the columns of a results table."""
DIRECTIONS = ("higher", "lower")
"""Given in place of a role: a score in that direction."""
NOT_KEPT = frozenset({"index", "ignored", "aggregate", "rescaled"})
"""Roles of columns that do not even become attributes of the models."""

_SLACK = 1e-9


def decide(
    grid: Grid,
    keys: Sequence[int],
    given: Mapping[str, str] | None = None,
    wanted: frozenset[str] = frozenset(),
) -> list[SourceColumn]:
    """Decide what each column is.

    Parameters
    ----------
    grid : Grid
    keys : sequence of int
        Places of the columns that name the models (or whatever else a layout needs).
    given : mapping of name or pattern to role, optional
        What the user says; the first that fits counts.
    wanted : frozenset of str
        Columns that a benchmarks file names: scores.

    Returns
    -------
    list of SourceColumn, one per column of the grid
        The role of a key is ``"model"``.

    Examples
    --------
    >>> rows = (("x", "60.5", "3.5", "1"), ("y", "70.5", "2.0", "2"), ("z", "65.1", "1.1", "3"))
    >>> grid = Grid("scores.csv", ("model", "mmlu", "cost_usd", "rank"), rows, (2, 3, 4))
    >>> [f"{column.role}: {column.why}" for column in decide(grid, [0])]
    ['model: names the models', 'score: holds numbers', 'cost: is a cost, by its name', \
'rank: is a rank, by its name']
    """
    columns = [Column(j, grid.header[j], grid) for j in range(grid.width)]
    roles: dict[int, SourceColumn] = {}
    for column in columns:
        said = given_role(column.name, given or {})
        if column.place in keys:
            roles[column.place] = SourceColumn(column.name, "model", "names the models")
        elif said is not None:
            roles[column.place] = SourceColumn(column.name, said, "as --column says")
        elif column.name in wanted:
            roles[column.place] = SourceColumn(column.name, "score", "the benchmarks file names it")
        else:
            found = None if column.metric else by_itself(column)
            if found is not None:
                roles[column.place] = found
    open_ = [column for column in columns if column.place not in roles]
    _beside_others(columns, open_, roles)
    for column in open_:
        roles.setdefault(column.place, SourceColumn(column.name, "score", "holds numbers"))
    return _some_score(columns, roles, frozenset(given or {}))


def given_role(name: str, given: Mapping[str, str]) -> str | None:
    """Return the role that a user gave to a column, by name or else by pattern.

    Examples
    --------
    >>> given_role("arc_std", {"*_std": "error"}), given_role("arc", {"*_std": "error"})
    ('error', None)
    """
    found = given.get(name)
    if found is None:
        found = next((role for what, role in given.items() if fnmatchcase(name, what)), None)
    return "score" if found in DIRECTIONS else found


def read_role(header: str, cell: str, where: str) -> str | None:
    """Read one cell of a column of roles, None where it is missing.

    Raises
    ------
    EeveeError
        If it is no role of a column of a results table.

    Examples
    --------
    >>> read_role("role", "Proxy", ""), read_role("role", "", "")
    ('proxy', None)
    """
    if is_missing(cell):
        return None
    if cell.casefold().strip() not in TABLE_ROLES:
        raise EeveeError(f"{where}: {cell!r} is not a {header}; write 'score' or 'proxy'")
    return cell.casefold().strip()


def says_roles(cells: Iterable[str]) -> bool:
    """Tell whether a column named role is about columns, and not an attribute of the models.

    Examples
    --------
    >>> says_roles(["", "proxy"]), says_roles(["chat", "base"])
    (True, False)
    """
    return any(cell.casefold().strip() in TABLE_ROLES for cell in cells)


def check_roles(given: Mapping[str, str]) -> None:
    """Check the roles that a user gives.

    Raises
    ------
    EeveeError
        If one is no role.
    """
    for name, role in given.items():
        if role not in ROLES and role not in DIRECTIONS:
            known = (*ROLES, *DIRECTIONS)
            raise EeveeError(
                f"column {name!r}: {role!r} is no role{did_you_mean(role, known)}; roles are "
                f"{', '.join(known)}"
            )


def _beside_others(
    columns: Sequence[Column], open_: list[Column], roles: dict[int, SourceColumn]
) -> None:
    """Decide what needs neighbours: errors and bounds of scores, costs of benchmarks."""
    likely = [c for c in open_ if not _might_be_no_score(c)]
    likely += [c for c in columns if c.place in roles and roles[c.place].role == "score"]
    by_name = {flat(c.name): c for c in columns if c.place not in roles or c in likely}
    exact = [c.name for c in columns]
    for column in open_:
        others = {name for name, c in by_name.items() if c is not column}
        found = (
            _error(column, columns, by_name, exact, roles)
            or (None if column.metric else _bound(column, open_, likely))
            or (None if column.metric else _cost(column, others, by_name, likely))
            or _count(column, likely)
            or _code(column, likely)
        )
        if found is not None:
            roles[column.place] = found


def _might_be_no_score(column: Column) -> bool:
    return bool(
        error_stem(column.name) is not None
        or bound_stem(column.name)
        or cost_words(column.name, [])
    )


def _error(
    column: Column,
    columns: Sequence[Column],
    by_name: Mapping[str, Column],
    exact: Sequence[str],
    roles: Mapping[int, SourceColumn],
) -> SourceColumn | None:
    target = stderr_target(column.name, exact)
    stem = error_stem(column.name)
    if target is None and stem:
        found = by_name.get(stem)
        target = None if found is None or found is column else found.name
    if target is not None:
        taken = next(c for c in columns if c.name == target)
        if taken.place in roles and roles[taken.place].role != "score":
            return None
        return SourceColumn(
            column.name, "error", f"is the error of {target!r}, by its name", target
        )
    if stem != "" or column.place == 0:
        return None
    before = columns[column.place - 1]  # "standard_error" alone: of the score before it
    known = before.place in roles and roles[before.place].role != "score"
    if known or before.numbers is None or not len(column.seen) or not len(before.seen):
        return None
    small = (column.seen >= 0).all() and np.median(column.seen) < np.ptp(before.seen)
    why = f"is the error of {before.name!r}, by its name and place"
    return SourceColumn(column.name, "error", why, before.name) if small else None


def _bound(
    column: Column, open_: Sequence[Column], likely: Sequence[Column]
) -> SourceColumn | None:
    """Take a column for the end of an interval if its numbers lie on that side of a score."""
    found = bound_stem(column.name)
    if found is None or column.numbers is None or not len(column.seen):
        return None
    side, stem = found
    for score in sorted(likely, key=lambda c: flat(c.name) != stem):
        if score is column or score.numbers is None or not _on_side(column, score, side):
            continue
        pairs = [c for c in open_ if bound_stem(c.name) == (_other(side), stem)]
        paired = any(_on_side(c, score, _other(side)) for c in pairs if c.numbers is not None)
        if paired or (flat(score.name) == stem and stem):
            why = f"is the {side} end of an interval of {score.name!r}, by its name and values"
            return SourceColumn(column.name, "bound", why, score.name)
    return None


def _other(side: str) -> str:
    return "upper" if side == "lower" else "lower"


def _on_side(bound: Column, score: Column, side: str) -> bool:
    assert bound.numbers is not None
    assert score.numbers is not None
    gap = (score.numbers - bound.numbers) * (1 if side == "lower" else -1)
    gap = gap[~np.isnan(gap)]
    return len(gap) > 2 and bool((gap >= -_SLACK).all() and (gap > 0).any())


def _cost(
    column: Column,
    others: set[str],
    by_name: Mapping[str, Column],
    likely: Sequence[Column],
) -> SourceColumn | None:
    head, _, tail = column.name.rpartition(".")
    found = cost_words(tail, []) if head and is_metric(tail) else cost_words(column.name, others)
    if found is None:
        return None
    sure, of = found
    target = None if of is None else by_name[of].name
    if sure == "maybe" and _in_scale(column, likely):
        return SourceColumn(
            column.name, "score", "holds numbers like the scores beside it, though its name may "
            "mean a cost",
        )  # fmt: skip
    why = "is a cost, by its name" + ("" if target is None else f", of {target!r}")
    return SourceColumn(column.name, "cost", why, target)


def _in_scale(column: Column, likely: Sequence[Column]) -> bool:
    """Tell whether numbers lie within the range of the scores beside them."""
    seen = np.concatenate([np.empty(0), *(c.seen for c in likely if c is not column)])
    if not len(seen) or not len(column.seen):
        return True
    top = 1.0 if seen.max() <= 1 else max(100.0, float(seen.max()))
    bottom = min(0.0, float(seen.min()))
    share = column.seen.max() > 1 if top == 1.0 else column.seen.max() <= 1
    return bool(column.seen.min() >= bottom and column.seen.max() <= top and not share)


def _count(column: Column, likely: Sequence[Column]) -> SourceColumn | None:
    """Take whole numbers for a count by their name if they are none of the scores' scale."""
    if not (is_count(column.name) and column.whole) or column.metric or column.seen.min() < 0:
        return None
    if _in_scale(column, likely):
        why = "holds whole numbers like the scores beside it, though its name may mean a count"
        return None if column.name == "n" else SourceColumn(column.name, "score", why)
    return SourceColumn(column.name, "count", "is a count, by its name and whole numbers")


def _code(column: Column, likely: Sequence[Column]) -> SourceColumn | None:
    """Note a score that has few whole numbers and nothing to do with the others."""
    values = column.numbers
    if values is None or not column.whole or len(column.seen) < 8:
        return None
    if len(np.unique(column.seen)) > 3 or column.seen.max() > 10:
        return None
    fractional = [c for c in likely if c is not column and len(c.seen) and not c.whole]
    if not fractional:
        return None
    ones = set(column.seen) <= {0.0, 1.0}
    if ones and (is_flag(column.name) or max(c.seen.max() for c in fractional) > 1):
        return SourceColumn(column.name, "attribute", "holds only 0 and 1: yes and no")
    why = "holds numbers, though only a few whole ones: perhaps a code"
    return SourceColumn(column.name, "score", why)


def _some_score(
    columns: Sequence[Column], roles: dict[int, SourceColumn], given: frozenset[str]
) -> list[SourceColumn]:
    """Take costs for scores where nothing else could be one: a table of costs is a table, too."""
    if not given and not any(role.role in {"score", "proxy"} for role in roles.values()):
        for column in columns:
            found = roles[column.place]
            if found.role == "cost" and column.numbers is not None:
                why = "holds numbers: nothing else here could be a score"
                roles[column.place] = replace(found, role="score", why=why, of=None)
    return [roles[column.place] for column in columns]
