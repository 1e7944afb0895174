"""What each column of a table is: a score, or a cost, an error, a count, a date, ... and why.

Name, values and neighbours decide. Where they leave a doubt the column stays a score, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.cells import is_missing
from eevee.readers.grid import Grid
from eevee.readers.role_names import (
    bound_stem,
    cost_words,
    error_stem,
    is_count,
    is_length,
    named_role,
)
from eevee.tables.column_names import flat, is_attribute, is_metric, stderr_target
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
DIRECTIONS = ("higher", "lower")
"""Given in place of a role: a score in that direction."""
NOT_KEPT = frozenset({"index", "ignored", "aggregate", "rescaled"})
"""Roles of columns that do not even become attributes of the models."""

_UNIT = re.compile(r"([$€£]?)\s?[-+]?[0-9][0-9.,]{0,20}\s?([a-zA-Zµ%/$€£]{0,12})")
_MONEY_OR_TIME = frozenset(
    "$ € £ usd eur s sec secs ms min mins h hr hrs hours gb gib mb mib kb".split()  # noqa: SIM905
)
_FLAGS = frozenset({"true", "false", "yes", "no", "✓", "✗", "✔", "✘", "✅", "❌"})
_SLACK = 1e-9
_MANY = 10
"""From so many rows on, what counts them is no score, whatever its name."""
_FEW = 4
"""So few different values bear out a name such as "temperature"."""


@dataclass(frozen=True)
class _Column:
    """One column under question."""

    place: int
    name: str
    grid: Grid

    @cached_property
    def present(self) -> list[str]:
        return [cell for cell in self.grid.column(self.place) if not is_missing(cell)]

    @cached_property
    def text(self) -> bool:
        return self.grid.is_text(self.place)

    @property
    def numbers(self) -> FloatArray | None:
        """Its numbers, NaN where missing; None if a cell is none."""
        return self.grid.parsed(self.place)

    @cached_property
    def seen(self) -> FloatArray:
        values = self.numbers
        return np.empty(0) if values is None else values[~np.isnan(values)]

    @property
    def metric(self) -> bool:
        """Whether its name ends in a dot and a metric that is no cost: a score for sure."""
        head, _, tail = self.name.rpartition(".")
        return bool(head) and is_metric(tail) and cost_words(tail, []) is None

    @property
    def whole(self) -> bool:
        """Whether all of its numbers are whole."""
        return len(self.seen) > 0 and bool((self.seen == np.round(self.seen)).all())

    @property
    def counts_rows(self) -> bool:
        """Whether it counts the rows, up or down, from 0 or 1."""
        values = self.numbers
        if values is None or len(values) < 3 or np.isnan(values).any():
            return False
        step = np.diff(values)
        return bool(values.min() in {0.0, 1.0} and ((step == 1).all() or (step == -1).all()))


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
    columns = [_Column(j, grid.header[j], grid) for j in range(grid.width)]
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
            found = None if column.metric else _alone(column)
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


def _alone(column: _Column) -> SourceColumn | None:
    """Decide by name and values, whatever stands beside it."""
    name = column.name
    said = named_role(name)
    if column.text:
        return _text(column, said)
    if column.counts_rows and (said == "index" or (said is None and len(column.seen) >= _MANY)):
        return SourceColumn(name, "index", "counts the rows")
    if said in {"rank", "attribute"}:
        what = "is a rank" if said == "rank" else "describes the models"
        few = column.whole or len(np.unique(column.seen)) <= _FEW
        sure = is_attribute(name) or column.numbers is None or few
        return SourceColumn(name, said, f"{what}, by its name") if sure else None
    if said == "date" and (
        column.numbers is None or _is_time(column.seen) or _is_date(column.seen)
    ):
        return SourceColumn(name, "date", "is a date, by its name and values")
    if said in {"step", "seed"} and column.whole:
        return SourceColumn(name, said, f"is a {said}, by its name and whole numbers")
    if said == "identifier" and (column.numbers is None or column.whole):
        return SourceColumn(name, "identifier", "identifies rows, by its name")
    if _is_time(column.seen) and column.whole:
        return SourceColumn(name, "date", "holds seconds since 1970, by its values")
    if is_length(name):
        return SourceColumn(name, "count", "is a length, by its name")
    if is_count(name) and column.whole and (column.seen >= 0).all():
        sure = column.seen.max() > 100 or flat(name) != name.casefold() or name[:1] == "#"
        if sure or flat(name) == "n" or flat(name).startswith(("n ", "num ")):
            return SourceColumn(name, "count", "is a count, by its name and whole numbers")
    return None


def _text(column: _Column, said: str | None) -> SourceColumn:
    name, words = column.name, {cell.casefold() for cell in column.present}
    if said == "date" or (said is None and _are_dates(column.present)):
        return SourceColumn(name, "date", "holds dates")
    if said == "attribute" and is_attribute(name):
        return SourceColumn(name, "attribute", "describes the models, by its name")
    if words <= _FLAGS:
        return SourceColumn(name, "attribute", "holds yes and no")
    units = [_UNIT.fullmatch(cell) for cell in column.present]
    found = [(m[1] or m[2]).casefold() for m in units if m]
    if len(found) == len(column.present) and set(found) <= _MONEY_OR_TIME:
        return SourceColumn(name, "cost", f"holds amounts in {found[0]}")
    if said == "identifier" or all("://" in cell for cell in column.present):
        return SourceColumn(name, "identifier", "identifies rows, by its name or links")
    return SourceColumn(name, "text", "holds text")


def _beside_others(
    columns: Sequence[_Column], open_: list[_Column], roles: dict[int, SourceColumn]
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
            or _code(column, likely)
        )
        if found is not None:
            roles[column.place] = found


def _might_be_no_score(column: _Column) -> bool:
    return bool(
        error_stem(column.name) is not None
        or bound_stem(column.name)
        or cost_words(column.name, [])
    )


def _error(
    column: _Column,
    columns: Sequence[_Column],
    by_name: Mapping[str, _Column],
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
    column: _Column, open_: Sequence[_Column], likely: Sequence[_Column]
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


def _on_side(bound: _Column, score: _Column, side: str) -> bool:
    assert bound.numbers is not None and score.numbers is not None
    gap = (score.numbers - bound.numbers) * (1 if side == "lower" else -1)
    gap = gap[~np.isnan(gap)]
    return len(gap) > 2 and bool((gap >= -_SLACK).all() and (gap > 0).any())


def _cost(
    column: _Column,
    others: set[str],
    by_name: Mapping[str, _Column],
    likely: Sequence[_Column],
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


def _in_scale(column: _Column, likely: Sequence[_Column]) -> bool:
    """Tell whether numbers lie within the range of the scores beside them."""
    seen = np.concatenate([np.empty(0), *(c.seen for c in likely if c is not column)])
    if not len(seen) or not len(column.seen):
        return True
    top = 1.0 if seen.max() <= 1 else max(100.0, float(seen.max()))
    bottom = min(0.0, float(seen.min()))
    share = column.seen.max() > 1 if top == 1.0 else column.seen.max() <= 1
    return bool(column.seen.min() >= bottom and column.seen.max() <= top and not share)


def _code(column: _Column, likely: Sequence[_Column]) -> SourceColumn | None:
    """Note a score that has few whole numbers and nothing to do with the others."""
    values = column.numbers
    if values is None or not column.whole or len(column.seen) < 8:
        return None
    if len(np.unique(column.seen)) > 3 or column.seen.max() > 10:
        return None
    fractional = [c for c in likely if c is not column and len(c.seen) and not c.whole]
    if not fractional:
        return None
    why = "holds numbers, though only a few whole ones: perhaps a code"
    return SourceColumn(column.name, "score", why)


def _some_score(
    columns: Sequence[_Column], roles: dict[int, SourceColumn], given: frozenset[str]
) -> list[SourceColumn]:
    """Take costs for scores where nothing else could be one: a table of costs is a table, too."""
    if not given and not any(role.role in {"score", "proxy"} for role in roles.values()):
        for column in columns:
            found = roles[column.place]
            if found.role == "cost" and column.numbers is not None:
                why = "holds numbers: nothing else here could be a score"
                roles[column.place] = replace(found, role="score", why=why, of=None)
    return [roles[column.place] for column in columns]


def _is_time(values: FloatArray) -> bool:
    """Tell whether numbers are seconds or milliseconds since 1970 (2000 to 2040)."""
    if not len(values):
        return False
    seconds = values / 1000 if values.min() > 1e11 else values
    return bool(seconds.min() > 9.4e8 and seconds.max() < 2.21e9)


def _is_date(values: FloatArray) -> bool:
    """Tell whether numbers are years, months, days, or written as 20240131."""
    if not len(values) or not (values == np.round(values)).all():
        return False
    years = values.min() >= 1950 and values.max() <= 2100
    days = values.min() >= 19500101 and values.max() <= 21001231
    months = values.min() >= 195001 and values.max() <= 210012
    return bool(years or days or months)


_DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:[T ].{0,20})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    r"|(?:[A-Za-z]{3,9}\.? )?(?:\d{1,2},? )?[A-Za-z]{3,9}\.?,? ?\d{4}"
)


def _are_dates(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_DATES.fullmatch(cell[:60]) for cell in cells)
