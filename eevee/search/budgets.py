"""Budgets as people write them: a number in the cost unit, or a percentage of everything."""

from __future__ import annotations

import math
import re

from eevee.base.arrays import round_cost
from eevee.base.errors import EeveeError
from eevee.tables.results_table import ResultsTable

_BUDGET = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*(%?)")


def parse_budget(budget: float | str) -> tuple[float, bool]:
    """Return the number, and whether it is a percentage of the cost of everything.

    Raises
    ------
    EeveeError
        If it is not a positive number or percentage.

    Examples
    --------
    >>> parse_budget("25%"), parse_budget(12)
    ((25.0, True), (12.0, False))
    """
    match = _BUDGET.fullmatch(str(budget).strip())
    value = float(match[1] + (match[2] or "")) if match else math.nan
    if match is None or not 0 < value < math.inf:
        raise EeveeError(f"a budget is a positive number or percentage, not {budget!r}")
    return value, bool(match[3])


def budget_in_units(budget: float | str, table: ResultsTable) -> float:
    """Return a budget in the table's cost unit; ``"25%"`` is a share of the cost of everything.

    Raises
    ------
    EeveeError
        If it is not a positive number or percentage.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> budget_in_units("50%", table), budget_in_units(1.5, table)
    (1.0, 1.5)
    """
    value, percent = parse_budget(budget)
    return round_cost(value * table.total_cost / 100 if percent else value)
