"""Tiers: the best subset under each of several budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.budgets import parse_budget
from eevee.errors import EeveeError
from eevee.scoring.base import Scorer
from eevee.scoring.objective import plain_scorer
from eevee.search.constraints import Constraints
from eevee.search.goal import check_unseen, goal_space
from eevee.search.methods import compare
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict, search_verdict
from eevee.search.watch import ALONE, Watch
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


@dataclass(frozen=True)
class Goal:
    """What one tier is chosen for: a budget in the cost unit, or a size."""

    name: str
    budget: float | None = None
    k: int | None = None


def make_goals(
    scorer: Scorer,
    budgets: Mapping[str, float | str],
    sizes: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
) -> list[Goal]:
    """Return the goals of tiers, by rising budget, then by rising size.

    Raises
    ------
    EeveeError
        If there is none, a name is used twice, or naming the tier that cannot be met and why.
    """
    table = scorer.table
    goals = [Goal(name, budget=budget_in_units(b, table)) for name, b in budgets.items()]
    goals += [Goal(name, k=k) for name, k in (sizes or {}).items()]
    if not goals:
        raise EeveeError("tiers need at least one budget, such as small=10%, or size")
    for goal in goals:
        if sum(other.name == goal.name for other in goals) > 1:
            raise EeveeError(f"tier {goal.name!r} has both a budget and a size; give one")
        rules = rules_of(goal, constraints)
        try:
            check_unseen(scorer, goal_space(scorer, goal.k, goal.budget, rules))
        except EeveeError as error:
            raise EeveeError(f"tier {goal.name!r}: {error}") from None
    return sorted(goals, key=lambda g: (g.budget is None, g.budget or 0.0, g.k or 0, g.name))


def search_tiers(
    scorer: Scorer,
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    seed: int = 0,
    watch: Watch = ALONE,
    elsewhere: Sequence[Scorer] = (),
) -> dict[str, SearchResult]:
    """Search for each goal, in the order given.

    Where the search can begin with given subsets, that of a larger budget begins also with what
    was found under the smaller ones, so that no tier is worse than a cheaper one by the loss
    that ranks them. The random part of a search depends on its own goal alone.

    Returns
    -------
    dict of tier name to SearchResult
        Fewer where it was stopped.
    """
    procedure = procedure or Procedure()
    found: dict[str, SearchResult] = {}
    for goal in goals:
        smaller = [found[g.name].best for g in goals if g.name in found and g.budget]
        found[goal.name] = procedure.run(
            scorer,
            goal.k,
            budget=goal.budget,
            constraints=rules_of(goal, constraints),
            seed=goal_seed(seed, goal),
            include=smaller if goal.budget else (),
            label=goal.name,
            watch=watch,
            elsewhere=elsewhere,
        )
        if watch.stop():
            break
    return found


def goal_seed(seed: int, goal: Goal) -> int:
    """Return the seed of a goal's search: the same whichever other tiers there are."""
    return child_seed(seed, *f"{goal.budget if goal.k is None else goal.k!r}".encode())


def compare_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    watch: Watch = ALONE,
) -> pd.DataFrame:
    """Compare what was found for each goal with simple searches for the same.

    Returns
    -------
    DataFrame
        As `eevee.search.methods.compare`, with a first column ``tier``.
    """
    parts = []
    for goal in goals:
        if goal.name in found:
            frame = compare(
                scorer,
                found[goal.name],
                k=goal.k,
                budget=goal.budget,
                constraints=rules_of(goal, constraints),
                seed=goal_seed(seed, goal),
                stop=watch.stop,
                progress=watch.progress,
            )
            frame.insert(0, "tier", goal.name)
            parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def judge_goals(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    goals: Sequence[Goal],
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> dict[str, SearchVerdict]:
    """Judge for each goal what was found beside random subsets, as `eevee.search_verdict`."""
    return {
        goal.name: search_verdict(
            scorer,
            found[goal.name],
            k=goal.k,
            budget=goal.budget,
            constraints=rules_of(goal, constraints),
            seed=goal_seed(seed, goal),
        )
        for goal in goals
        if goal.name in found
    }


def rules_of(goal: Goal, constraints: Constraints | None) -> Constraints | None:
    """Return the rules of one goal: a largest size speaks of budgets alone."""
    if constraints is None or goal.k is None:
        return constraints
    return replace(constraints, max_size=None)


def build_tiers(
    scorer: Scorer,
    budgets: Mapping[str, float | str],
    *,
    sizes: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
    nested: bool = False,
    procedure: Procedure | None = None,
    seed: int = 0,
    watch: Watch = ALONE,
) -> TierSet:
    """Choose one tier per budget.

    Parameters
    ----------
    scorer : Scorer
    budgets : mapping of tier name to budget
        In the table's cost unit, or a percentage of the cost of everything such as ``"25%"``.
    sizes : mapping of tier name to number of benchmarks, optional
        Tiers of a fixed size, at any cost.
    constraints : Constraints, optional
        Rules for every tier.
    nested : bool
        Whether each tier must hold the smaller ones (`eevee.nesting`).
    procedure : Procedure, optional
        The search, and its settings.
    seed : int
    watch : Watch

    Returns
    -------
    TierSet

    Raises
    ------
    EeveeError
        If a budget is no number, or naming the tier and the limit or rule that cannot be met.

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
    from eevee.nesting import nest_tiers

    goals = make_goals(scorer, budgets, sizes, constraints)
    options: dict[str, Any] = {"constraints": constraints, "procedure": procedure, "seed": seed}
    found = search_tiers(scorer, goals, **options, watch=watch)
    if nested:
        found = nest_tiers(scorer, goals, found, **options, watch=watch).found
    return make_tier_set(scorer, found, seed=seed)


def make_tier_set(
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    *,
    seed: int,
    verdicts: Mapping[str, SearchVerdict] | None = None,
    splits: Mapping[str, Any] | None = None,
) -> TierSet:
    """Put the best subset of each search under a budget into a tier set.

    `splits` is more to say of the splits beside the scorer, such as ``{"groups": "family"}``.
    """
    table = scorer.table
    source = table.provenance
    judged = {}
    if verdicts:
        judged = {"verdicts": {name: one.as_dict() for name, one in verdicts.items()}}
    return TierSet(
        created_with=f"eevee {__version__}",
        cost_unit=table.cost_unit,
        table=TableInfo(source.source, source.sha256, table.n_models, table.n_benchmarks),
        scorer={**plain_scorer(scorer).describe(), **(splits or {})},
        search=_shared_settings(found) | judged,
        seed=seed,
        tiers=tuple(_tier(scorer, name, result) for name, result in found.items()),
    )


def _shared_settings(found: Mapping[str, SearchResult]) -> dict[str, Any]:
    """Settings that all tiers share, and by tier what differs."""
    results = list(found.values())
    first = results[0].settings if results else {}
    own = ("budget", "k", "seed", "method", "note", "lowest_loss")
    shared = {
        key: value
        for key, value in first.items()
        if key not in own and all(result.settings.get(key) == value for result in results)
    }
    if any(result.settings.get("interrupted") for result in results):
        shared["interrupted"] = True
    by_tier = {"method": "methods", "note": "notes", "lowest_loss": "lowest_losses"}
    for key, name in by_tier.items():
        told = {tier: r.settings[key] for tier, r in found.items() if key in r.settings}
        shared |= {name: told} if told else {}
    return shared


def _tier(scorer: Scorer, name: str, result: SearchResult) -> Tier:
    row, table = result.best_row, scorer.table
    return Tier(
        name=name,
        budget=result.settings.get("budget"),
        cost=float(row["cost"]),
        benchmarks=tuple(_benchmark(table, benchmark) for benchmark in result.best),
        search_loss=search_loss(result, row)
        if result.objective == "loss"
        else _loss_of(plain_scorer(scorer), result),
    )


def _loss_of(scorer: Scorer, result: SearchResult) -> SearchLoss:
    """The loss of what was found by another objective, on the splits of its search."""
    splits = scorer.score_splits([result.best])[0]
    n_init = int(result.settings["n_rescore"])
    again = scorer.rescore([result.best], n_init) if n_init else None
    return SearchLoss(
        mean=float(splits.mean()),
        spread=float(splits.std()),
        targets=scorer.targets,
        rescored_mean=None if again is None else float(again.mean()),
        n_init=None if again is None else n_init,
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
