"""What the cards of the tiers say beyond the tier file: rivals, order, costs per model, points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from eevee.analysis.standings import Weights, standings
from eevee.report.html.decision import Decision, ShownTier
from eevee.report.html.models import ModelTable
from eevee.report.html.searches import Search
from eevee.report.html.words import error, fixed, number, short
from eevee.tables.results_table import ResultsTable

DRAWS = 100
"""Random sets of benchmarks whose order of the models is compared."""


def with_more(
    decision: Decision,
    found: Sequence[Search],
    models: ModelTable | None,
    table: ResultsTable | None,
    weights: Weights | None = None,
) -> Decision:
    """Add to the tiers what searches, models and the table tell; blanks where there is none."""
    rivals = {one.name: one.rival for one in found}
    orders = {} if models is None else dict(models.kendall)
    tiers = tuple(_more(one, rivals, orders, table, weights) for one in decision.tiers)
    return replace(decision, tiers=tiers, example=_example(tiers, table))


def _more(
    one: ShownTier,
    rivals: Mapping[str, tuple[str, float]],
    orders: Mapping[str, float],
    table: ResultsTable | None,
    weights: Weights | None,
) -> ShownTier:
    by_loss = math.isfinite(one.random)  # else a search by another objective, on another scale
    return replace(
        one,
        rival=rivals.get(one.tier.name, one.rival) if by_loss else one.rival,
        order=orders.get(one.tier.name, math.nan),
        random_order=_random_order(len(one.names), table, weights),
        paid=_paid(one, table),
    )


def _random_order(size: int, table: ResultsTable | None, weights: Weights | None) -> float:
    """Return the median tau of random sets: how their means order the models."""
    if table is None:
        return math.nan
    names = table.target_benchmarks
    rng = np.random.default_rng(0)
    size = min(size, len(names))
    drawn = {str(i): rng.choice(names, size, replace=False) for i in range(DRAWS)}
    return float(standings(table, drawn, weights=weights).kendall.median())


def _paid(one: ShownTier, table: ResultsTable | None) -> tuple[float, float]:
    """Return the least and the most that a model cost of which all costs are known."""
    if table is None or table.cell_costs is None:
        return math.nan, math.nan
    sums = table.cell_costs[list(one.names)].sum(axis=1, skipna=False).dropna()
    return (float(sums.min()), float(sums.max())) if len(sums) else (math.nan, math.nan)


def _example(tiers: Sequence[ShownTier], table: ResultsTable | None) -> str:
    """Turn the error of the first tier into points of a column that it does not run.

    Of those, the one whose unit is in the middle.
    """
    if table is None or not tiers or not math.isfinite(tiers[0].unseen):
        return ""
    first = tiers[0]
    rest = table.columns["benchmark"][table.is_target]
    units = table.units[rest[~rest.isin(first.names)].index]
    if units.empty:
        return ""
    name = str(units.index[np.argsort(units.to_numpy(), kind="stable")[len(units) // 2]])
    unit, wrong = float(units[name]), error(first.unseen)
    return (
        f"On {short(name)}, where scores have a standard deviation of {number(unit)}, an error of "
        f"{fixed(wrong)} is {wrong * unit:.2g} points."
    )
