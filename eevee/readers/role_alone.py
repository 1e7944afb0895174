"""What a column is by its own name and values, whatever stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.readers.cells import is_missing
from eevee.readers.grid import Grid
from eevee.readers.role_names import (
    also_a_benchmark,
    cost_words,
    is_count,
    is_length,
    is_surely_attribute,
    named_role,
)
from eevee.readers.vocabulary import in_english
from eevee.tables.column_names import flat, is_attribute, is_metric
from eevee.tables.results_table import SourceColumn

_UNIT = re.compile(r"([$€£]?)\s?[-+]?[0-9][0-9.,]{0,20}\s?([a-zA-Zµ%/$€£]{0,12})")
_MONEY_OR_TIME = frozenset(
    "$ € £ usd eur s sec secs ms min mins h hr hrs hours gb gib mb mib kb".split()  # noqa: SIM905
)
_FLAGS = frozenset({"true", "false", "yes", "no", "✓", "✗", "✔", "✘", "✅", "❌"})
_MANY = 10
"""From so many rows on, what counts them is no score, whatever its name."""
_FEW = 4
"""So few different values bear out a name such as "temperature"."""


@dataclass(frozen=True)
class Column:
    """One column under question."""

    place: int
    name: str
    grid: Grid

    @cached_property
    def present(self) -> list[str]:
        """Its cells that hold something."""
        return [cell for cell in self.grid.column(self.place) if not is_missing(cell)]

    @cached_property
    def text(self) -> bool:
        """Whether it holds text."""
        return self.grid.is_text(self.place)

    @property
    def numbers(self) -> FloatArray | None:
        """Its numbers, NaN where missing; None if a cell is none."""
        return self.grid.parsed(self.place)

    @cached_property
    def seen(self) -> FloatArray:
        """Its numbers that are there."""
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


def by_itself(column: Column) -> SourceColumn | None:  # noqa: PLR0911 (one line a role)
    """Decide by name and values, whatever stands beside it."""
    name = column.name
    said = named_role(name)
    if column.text:
        return _text(column, said)
    if column.counts_rows and (said == "index" or (said is None and len(column.seen) >= _MANY)):
        return SourceColumn(name, "index", "counts the rows")
    if said in {"rank", "attribute"}:
        what = "is a rank" if said == "rank" else "describes the models"
        sure = column.numbers is None or is_surely_attribute(name) or _bears_out(column, said)
        return SourceColumn(name, said, f"{what}, by its name") if sure else None
    if said == "date" and (
        column.numbers is None or _is_time(column.seen) or _is_date(column.seen)
    ):
        return SourceColumn(name, "date", "is a date, by its name and values")
    if said in {"step", "seed"} and column.whole:
        return SourceColumn(name, said, f"is a {said}, by its name and whole numbers")
    if said == "identifier" and (column.numbers is None or _identifies(column)):
        return SourceColumn(name, "identifier", "identifies rows, by its name")
    if _is_time(column.seen) and column.whole:
        return SourceColumn(name, "date", "holds seconds since 1970, by its values")
    return _count(column)


def _bears_out(column: Column, said: str) -> bool:
    """Tell whether numbers are such as ranks or properties have."""
    if len(np.unique(column.seen)) <= _FEW:
        return True
    if said == "rank" and "rank" not in in_english(column.name):
        return column.whole and column.seen.min() <= _FEW  # "Position" is a benchmark, too
    return column.whole and (not also_a_benchmark(column.name) or column.seen.max() > 100)


def _identifies(column: Column) -> bool:
    """Tell whether numbers may be keys: whole, and larger than scores or all different."""
    if not column.whole or not len(column.seen):
        return False
    different = len(np.unique(column.seen)) == len(column.seen)
    return bool(column.seen.max() > 100 or (different and flat(column.name) == "id"))


def _count(column: Column) -> SourceColumn | None:
    name = column.name
    if is_length(name) or (also_a_benchmark(name) and len(column.seen) and column.seen.max() > 100):
        return SourceColumn(name, "count", "is a length, by its name")
    if is_count(name) and column.whole and (column.seen >= 0).all():
        sure = column.seen.max() > 100 or name[:1] == "#"
        if sure or flat(name) == "n" or flat(name).startswith(("n ", "num ")):
            return SourceColumn(name, "count", "is a count, by its name and whole numbers")
    return None


def _text(column: Column, said: str | None) -> SourceColumn:
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


_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]{0,7}\.?"
_DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:[T ].{0,20})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th|\.)?,? )?{_MONTH},?[ '-]?\d{{2,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? ?\d{{4}}|q[1-4][ /'-]?\d{{2,4}}|\d{{4}}[ /-]?q[1-4]",
    re.IGNORECASE,
)


def _are_dates(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_DATES.fullmatch(cell[:60]) for cell in cells)


def are_dates_or_links(cells: Sequence[str]) -> bool:
    """Tell whether cells of text are all dates, or all links.

    Examples
    --------
    >>> are_dates_or_links(["2024-05-01", "May 3, 2024"]), are_dates_or_links(["org/model"])
    (True, False)
    """
    return bool(cells) and (_are_dates(cells) or all("://" in cell for cell in cells))
