"""`assess_tiers`: the assessed loss of every tier, by choosing all of them again in each fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from eevee.assessment.result import summarise
from eevee.assessment.study import Study, StudySettings
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, Stopped
from eevee.base.keywords import shares_keywords
from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.control import RunControl, takes_control
from eevee.search.procedure import Procedure
from eevee.tables.results_table import ResultsTable
from eevee.tiers.file import HoldsTiers, Tier, TierSet, tier_set_of
from eevee.tiers.goals import make_goals, search_tiers
from eevee.tiers.nest import nest_tiers


@takes_control
@shares_keywords(StudySettings, Study)
def assess_tiers(
    table: ResultsTable,
    tiers: TierSet | HoldsTiers,
    *,
    nested: bool = False,
    **settings: Unpack[StudySettings],
) -> TierSet:
    """Fill in the assessed loss of each tier: of how it was chosen, not of its list.

    In every outer split all tiers are chosen again, under the same budgets (or of the same sizes)
    and by the same rules, on the models that are not held out.

    Parameters
    ----------
    table : ResultsTable
        That the tiers were chosen on.
    tiers : TierSet, or the result of `eevee.build_tiers`
    nested : bool
        As in `eevee.build_tiers`, which made the tiers.
    **settings
        As `eevee.assessment.Study` says; ``constraints`` and ``procedure`` those of the tiers.
        If ``control`` stops it, the tiers come back as they were.

    Returns
    -------
    TierSet
        The same tiers, each with `assessed_loss` for the kind of target that was minimised.

    Raises
    ------
    EeveeError
        If a fold is too small, or a goal cannot be met.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=(30, 5))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> tiers = eevee.build_tiers(scorer, {"small": 1, "big": 3})
    >>> assessed = assess_tiers(table, tiers, scorer="ridge", n_repeats=1)
    >>> assessed["small"].assessed_loss.of
    'evolution, budget 1 benchmarks, ridge'
    >>> assessed["big"].assessed_loss.mean < assessed["small"].assessed_loss.mean
    True
    """
    tiers = tier_set_of(tiers)
    study = Study.of(table, **settings)
    if study.goal.given:
        raise EeveeError("assess_tiers takes budgets and sizes from the tiers; remove budget")
    procedure = study.procedure
    _ = study.labels  # an unknown attribute fails here, before any search
    choose = Chooser(tiers, study.goal.constraints, nested, procedure, study.control)
    try:
        contest = study.judge(choose, {name: [name] for name in tiers.names})
    except Stopped:
        return tiers
    found = summarise(contest, {"goal": "tiers", "procedure": procedure.title})

    def assessed(tier: Tier) -> Tier:
        loss = found.assessed(tier.name)
        if not np.isfinite(loss.mean):  # nothing is unseen
            return tier
        words = f"{procedure.title}{', nested' if nested else ''}, {_goal(tier, tiers)}"
        of = f"{words}, {found.settings['scorer']['name']}"
        return replace(tier, assessed_loss=replace(loss, of=of))

    return replace(tiers, tiers=tuple(map(assessed, tiers)))


@dataclass(frozen=True)
class Chooser:
    """Chooses all tiers of a set again, on other models."""

    tiers: TierSet
    constraints: Constraints | None
    nested: bool
    procedure: Procedure
    control: RunControl

    def __call__(self, scorer: Scorer, number: int, seed: int) -> Mapping[str, Subset]:
        """Choose on the models of one outer split."""
        budgets = {t.name: t.budget for t in self.tiers if t.budget is not None}
        sizes = {t.name: len(t.benchmarks) for t in self.tiers if t.budget is None}
        goals = make_goals(scorer, budgets, sizes, self.constraints)
        options: dict[str, Any] = {
            "procedure": self.procedure,
            "seed": seed,
            "control": self.control.within(f"fold {number + 1}"),
        }
        found = search_tiers(scorer, goals, **options)
        if self.nested and len(found) == len(goals):
            found = nest_tiers(scorer, goals, found, **options).found
        return {name: result.best for name, result in found.items()}


def _goal(tier: Tier, tiers: TierSet) -> str:
    if tier.budget is None:
        return f"k = {len(tier.benchmarks)}"
    return f"budget {tier.budget:g} {tiers.cost_unit}"
