"""Tiers: the best subset under each of several budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.budgets import parse_budget
from eevee.errors import EeveeError
from eevee.scoring.base import Scorer
from eevee.search.evolution import evolve
from eevee.search.generations import Evolution
from eevee.search.goal import make_space
from eevee.search.result import ProgressHook, SearchResult
from eevee.seeds import child_seed
from eevee.table import ResultsTable, round_cost
from eevee.tierfile import SearchLoss, TableInfo, Tier, TierBenchmark, TierSet


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


def search_tiers(
    scorer: Scorer,
    budgets: Mapping[str, float | str],
    *,
    seed: int = 0,
    evolution: Evolution | None = None,
    screen: Scorer | None = None,
    exhaustive: bool = True,
    n_rescore: int = 8,
    progress: ProgressHook | None = None,
) -> dict[str, SearchResult]:
    """Search under each budget, cheapest first.

    A larger budget's search also begins with the subsets found under the smaller ones, so that
    no tier is worse than a cheaper one by the loss that ranks them. The random part of a search
    depends on its own budget alone.

    Returns
    -------
    dict of tier name to SearchResult, by rising budget

    Raises
    ------
    EeveeError
        If a budget is no number or below the cheapest benchmark (before anything is scored).
    """
    amounts = {name: budget_in_units(budget, scorer.table) for name, budget in budgets.items()}
    if not amounts:
        raise EeveeError("tiers need at least one budget, such as small=10%")
    for name, amount in amounts.items():
        try:
            make_space(scorer.table, None, amount)
        except EeveeError as error:
            raise EeveeError(f"tier {name!r}: {error}") from None
    found: dict[str, SearchResult] = {}
    for name in sorted(amounts, key=lambda name: (amounts[name], name)):
        found[name] = evolve(
            scorer,
            budget=amounts[name],
            seed=child_seed(seed, *f"{amounts[name]!r}".encode()),
            evolution=evolution,
            screen=screen,
            exhaustive=exhaustive,
            n_rescore=n_rescore,
            include=[result.best for result in found.values()],
            label=name,
            progress=progress,
        )
    return found


def build_tiers(
    scorer: Scorer,
    budgets: Mapping[str, float | str],
    *,
    seed: int = 0,
    evolution: Evolution | None = None,
    screen: Scorer | None = None,
    exhaustive: bool = True,
    n_rescore: int = 8,
    progress: ProgressHook | None = None,
) -> TierSet:
    """Choose one tier per budget.

    Parameters
    ----------
    scorer : Scorer
    budgets : mapping of tier name to budget
        In the table's cost unit, or a percentage of the cost of everything such as ``"25%"``.
    seed : int
    evolution, screen, exhaustive, n_rescore, progress
        As in `eevee.evolve`.

    Returns
    -------
    TierSet

    Raises
    ------
    EeveeError
        If a budget is no number or below the cheapest benchmark.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> tiers = build_tiers(scorer, {"small": 1, "big": "75%"})
    >>> tiers["small"].benchmark_names, tiers["big"].cost
    (('a',), 3.0)
    """
    found = search_tiers(
        scorer,
        budgets,
        seed=seed,
        evolution=evolution,
        screen=screen,
        exhaustive=exhaustive,
        n_rescore=n_rescore,
        progress=progress,
    )
    return make_tier_set(scorer, found, seed=seed)


def make_tier_set(scorer: Scorer, found: Mapping[str, SearchResult], *, seed: int) -> TierSet:
    """Put the best subset of each search under a budget into a tier set."""
    table = scorer.table
    source = table.provenance
    return TierSet(
        created_with=f"eevee {__version__}",
        cost_unit=table.cost_unit,
        table=TableInfo(source.source, source.sha256, table.n_models, table.n_benchmarks),
        scorer=scorer.describe(),
        search=_shared_settings(found),
        seed=seed,
        tiers=tuple(_tier(table, name, result) for name, result in found.items()),
    )


def _shared_settings(found: Mapping[str, SearchResult]) -> dict[str, Any]:
    """Settings that all tiers share, and by tier what differs."""
    own = ("budget", "k", "seed", "method")
    shared: dict[str, Any] = {}
    for result in found.values():
        shared = {key: value for key, value in result.settings.items() if key not in own}
    return shared | {"methods": {name: result.settings["method"] for name, result in found.items()}}


def _tier(table: ResultsTable, name: str, result: SearchResult) -> Tier:
    row = result.best_row
    return Tier(
        name=name,
        budget=result.settings.get("budget"),
        cost=float(row["cost"]),
        benchmarks=tuple(_benchmark(table, benchmark) for benchmark in result.best),
        search_loss=search_loss(result, row),
    )


def search_loss(result: SearchResult, row: pd.Series[Any]) -> SearchLoss:
    """Return the loss of one row of `SearchResult.ranked`, as a tier file holds it."""
    again = float(row["rescored_mean"])
    rescored = np.isfinite(again)
    return SearchLoss(
        mean=float(row["loss"]),
        spread=float(row["spread"]),
        targets=result.targets,
        rescored_mean=again if rescored else None,
        n_init=int(result.settings["n_rescore"]) if rescored else None,
    )


def _benchmark(table: ResultsTable, name: str) -> TierBenchmark:
    task = table.benchmarks.loc[name, "task"]
    return TierBenchmark(
        name=name,
        columns=tuple(table.columns_of(name)),
        cost=table.costs[name],
        task=task if isinstance(task, str) else None,
    )
