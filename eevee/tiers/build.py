"""Tiers: the best subset under each of several budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.base.arrays import round6
from eevee.scorers.base import Scorer
from eevee.scorers.objective import plain_scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.curve import best_losses
from eevee.search.goal import Budget
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict
from eevee.stats.diversity import diversity
from eevee.tables.results_table import ResultsTable
from eevee.tiers.file import SearchLoss, TableInfo, Tier, TierBenchmark, TierSet
from eevee.tiers.goals import compare_goals, judge_goals, make_goals, search_tiers
from eevee.tiers.nest import check_nestable, nest_tiers
from eevee.tiers.result import TiersResult

Assess = Callable[..., TierSet]
"""`eevee.assessment.assess_tiers`, or a `functools.partial` of it."""


@takes_control
def build_tiers(
    scorer: Scorer,
    budgets: Mapping[str, float | str | Budget],
    *,
    sizes: Mapping[str, int] | None = None,
    constraints: Constraints | None = None,
    nested: bool = False,
    procedure: Procedure | None = None,
    seed: int = 0,
    baselines: bool = True,
    elsewhere: Sequence[Scorer] = (),
    assess: Assess | None = None,
    control: RunControl = UNATTENDED,
    file_seed: int | None = None,
    splits: Mapping[str, Any] | None = None,
) -> TiersResult:
    """Choose one tier per budget or size, and say how good they are: all of `eevee tiers`.

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
        Whether each tier must hold the smaller ones (`eevee.tiers.nest`).
    procedure : Procedure, optional
        The search, and its settings.
    seed : int
        Of the searches.
    baselines : bool
        Whether to search by simple methods as well, to compare.
    elsewhere : sequence of Scorer
        The same scorer on other splits (`Procedure.run`), to say how far tiers depend on these.
    assess : callable, optional
        `eevee.assessment.assess_tiers`, or ``functools.partial(assess_tiers, scorer="ridge")``:
        then each tier has an assessed loss. It is given table, tiers, `constraints`, `nested`,
        `procedure` and `control`; scorer, folds and seed are its own.
    control : RunControl
        After a stop there are fewer tiers, and neither nesting, baselines nor assessment.
    file_seed : int, optional
        The seed that the tier file names, where `seed` was derived from it.
    splits : mapping, optional
        What the tier file says of the splits beside the scorer, such as ``{"groups": "family"}``.

    Returns
    -------
    TiersResult

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
    >>> found = build_tiers(scorer, {"small": 1, "big": "75%"})
    >>> found["small"].benchmark_names, found["big"].cost
    (('a',), 3.0)
    >>> found.baselines["tier"].unique().tolist(), found.losses.columns.tolist()
    (['small', 'big'], ['all', 'unseen'])
    """
    procedure = procedure or Procedure()
    judge = procedure.judge(scorer)
    goals = make_goals(judge, budgets, sizes, constraints)
    if nested:
        check_nestable(goals)
    options: dict[str, Any] = {"procedure": procedure, "seed": seed, "control": control}
    found = search_tiers(judge, goals, **options, elsewhere=elsewhere)
    nesting = None
    if nested and not control.stop():
        nesting = nest_tiers(judge, goals, found, **options)
        found = nesting.found
    if control.stop():
        nesting = None  # they do not nest, yet
    beside = None
    quick = control.without_generations()
    if baselines and not control.stop():
        beside = compare_goals(judge, found, goals, seed=seed, control=quick)
    control.begin("judging beside random subsets")
    verdicts = judge_goals(judge, found, goals, seed=seed, control=control)
    own = seed if file_seed is None else file_seed
    control.begin("measuring how diverse the tiers are")
    tiers = make_tier_set(scorer, found, seed=own, verdicts=verdicts, splits=splits)
    control.begin("scoring the tiers for both kinds of target")
    losses = best_losses(scorer, found, advance=control.advance)
    if assess is not None and not control.stop():
        rules: dict[str, Any] = {"constraints": constraints, "nested": nested}
        tiers = assess(scorer.table, tiers, **rules, procedure=procedure, control=quick)
    return TiersResult(tiers, found, losses, verdicts, beside, nesting)


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
        table=TableInfo(
            source.source,
            source.sha256,
            table.n_models,
            len(table.target_benchmarks),
            table.proxy_benchmarks,
        ),
        scorer={**plain_scorer(scorer).describe(), **(splits or {})},
        search=_shared_settings(found) | judged | _diversities(table, found),
        seed=seed,
        tiers=tuple(_tier(scorer, name, result) for name, result in found.items()),
    )


def _diversities(table: ResultsTable, found: Mapping[str, SearchResult]) -> dict[str, Any]:
    """Diversity of each tier of several columns, by name, with 6 significant digits."""
    said = {}
    for name, result in found.items():
        one = diversity(table.scores.loc[:, table.columns["benchmark"].isin(result.best)])
        if np.isfinite(one.mean):
            values = {end: round6(value) for end, value in asdict(one).items()}
            said[name] = {end: None if np.isnan(v) else v for end, v in values.items()}
    return {"diversity": said} if said else {}


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
    splits = scorer.split_losses([result.best])[0]
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
