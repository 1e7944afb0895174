"""`assess`: whole searches inside outer splits, beside simple ones, judged on held-out models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Unpack

import numpy as np

from eevee.assessment.folds import MEAN_PREDICTOR
from eevee.assessment.result import RANDOM_SUBSETS, WITHOUT_PROXIES, Assessment, summarise
from eevee.assessment.study import RANDOM, Study, StudySettings
from eevee.assessment.without_proxies import beside_without, study_without
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.base import Objective, Scorer
from eevee.search.compare import BASELINES
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.goal import Goal
from eevee.search.procedure import UNSCORED, Procedure
from eevee.splits.near_duplicates import find_leak
from eevee.tables.results_table import ResultsTable

EVERYTHING = "all benchmarks"
BESIDE = ("greedy-swaps", "greedy", "medoids", "cheapest")
"""Searches that are set beside the one assessed, by default."""


@takes_control
@shares_keywords(StudySettings, Study)
def assess(
    table: ResultsTable | Study,
    k: int | None = None,
    *,
    subsets: Mapping[str, Sequence[str]] | None = None,
    beside: Sequence[str] = BESIDE,
    objectives: Sequence[Objective] = (),
    n_random: int = 100,
    **settings: Unpack[StudySettings],
) -> Assessment:
    """Estimate the loss of a whole search on models that it never sees.

    Models are held out in turn; in each outer split the whole search runs on the other models.

    Parameters
    ----------
    table : ResultsTable or Study
    k : int, optional
        Number of benchmarks. With neither k nor ``budget=``, only `subsets` are judged.
    subsets : mapping of name to benchmark names, optional
        Given subsets, for which nothing is searched. The loss of one that was found on this table
        is too low: its search saw the held-out models.
    beside : sequence of str
        Other searches for the same size or budget, by the same objective.
    objectives : sequence of {"loss", "kendall", "r2"}
        Repeat the search by these, for `eevee.assessment.objective_agreement`.
    n_random : int
        Random subsets, the same ones in every split.
    **settings
        ``budget, constraints, procedure, scorer, n_folds, n_repeats, outer, families, level, seed,
        control``, as `eevee.assessment.Study` says.

    Returns
    -------
    Assessment

    Raises
    ------
    EeveeError
        If there is nothing to assess, a name is unknown or used twice, or a fold is too small.
    Stopped
        If `control` stopped it before all splits were done.

    Notes
    -----
    ``docs/methods.md``, section "Assessment", defines the loss, both intervals and the gap.
    Nadeau and Bengio (2003), "Inference for the generalization error"; Cawley and Talbot (2010),
    "On over-fitting in model selection and subsequent selection bias in performance evaluation".

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=(30, 5))
    >>> table = ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> found = assess(table, 2, scorer="ridge", n_repeats=1, n_random=5)
    >>> found.names[:3], found.assessed().outer_splits
    (('evolution', 'random', 'greedy-swaps'), 5)
    >>> bool(found.methods["loss"].iloc[0] < found.methods["loss"].iloc[-1])
    True
    """
    study = Study.of(table, k, **settings)
    _ = study.labels  # an unknown attribute fails here, before any search
    bare = study_without(study)
    contenders = _contenders(
        study, beside=beside, objectives=objectives, subsets=subsets or {}, n_random=n_random
    )
    if bare is not None:
        contenders = replace(contenders, elsewhere=(WITHOUT_PROXIES,))
    contest = study.judge(contenders.find, contenders.members)
    if bare is not None:
        contest = beside_without(contest, bare)
    leak = find_leak(study.table, study.rounds.splits)
    about = study.about | {
        "procedure": next(iter(contenders.procedures), None),
        "objectives": contenders.objectives,
        "n_benchmarks": study.table.n_benchmarks,
        "n_random": len(contenders.random),
        "groups": study.scorer.groups,
        "group_duplicates": study.scorer.group_duplicates,
        "near_duplicates": None if leak is None else asdict(leak),
    }
    return replace(summarise(contest, about), study=study)


def searched_before(known: Assessment | None, study: Study) -> list[Subset] | None:
    """Return what an assessment found in each outer split, to be searched for no more.

    Raises
    ------
    EeveeError
        If it is of another study.
    """
    if known is None:
        return None
    other = known.study
    if other is None:
        raise EeveeError("the assessment given as known does not say of which study it is")
    for name, value in study.about.items():
        if other.about[name] != value:
            raise EeveeError(
                f"the assessment given as known is of another search: its {name} is "
                f"{other.about[name]!r}, not {value!r}"
            )
    if not other.searches_like(study):
        raise EeveeError(
            "the assessment given as known is of another search: of another table, scorer, "
            "procedure or outer splits"
        )
    first = known.folds["method"] == known.names[0]
    own: list[Subset] = known.folds.loc[first, "benchmarks"].tolist()
    return own


@dataclass(frozen=True)
class Contenders:
    """Everything that is judged in each outer split.

    Attributes
    ----------
    goal : Goal
    procedures : mapping of method to Procedure
        Searched again in each split; the assessed one first.
    fixed : mapping of method to subset
    random : sequence of subsets
    control : RunControl
        Of the searches.
    objectives : mapping of method to objective
        Of the assessed search, and of the same search by others.
    elsewhere : tuple of methods
        Searched and judged on another table.
    """

    goal: Goal
    procedures: Mapping[str, Procedure]
    fixed: Mapping[str, Subset]
    random: Sequence[Subset]
    control: RunControl = UNATTENDED
    objectives: Mapping[str, Objective] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()

    @property
    def members(self) -> dict[str, list[str]]:
        """Names in a fold by method: the assessed one, random subsets, others, bounds."""
        first, *others = [*self.procedures, *self.elsewhere, *self.fixed, MEAN_PREDICTOR]
        numbered = [f"{RANDOM_SUBSETS} {i}" for i in range(len(self.random))]
        random = {RANDOM_SUBSETS: numbered} if numbered else {}
        return {first: [first], **random, **{name: [name] for name in others}}

    def find(self, scorer: Scorer, number: int, seed: int) -> dict[str, Subset]:
        """Search on the models of one outer split."""
        found = {
            name: procedure.run(
                scorer,
                **self.goal.arguments,
                seed=seed,
                label=f"fold {number + 1}, {name}",
                control=self.control,
            ).best
            for name, procedure in self.procedures.items()
        }
        random = self.members.get(RANDOM_SUBSETS, [])
        return {**found, **self.fixed, **dict(zip(random, self.random, strict=True))}


def _contenders(
    study: Study,
    *,
    beside: Sequence[str],
    objectives: Sequence[Objective],
    subsets: Mapping[str, Sequence[str]],
    n_random: int,
) -> Contenders:
    table, goal, procedure = study.table, study.goal, study.procedure
    fixed = {name: table.subset(names) for name, names in subsets.items()}
    if not goal.given and not fixed:
        raise EeveeError("nothing to assess: give a size k, a budget, or subsets")
    procedures: dict[str, Procedure] = {}
    by_objective: dict[str, Procedure] = {}
    random: list[Subset] = []
    if goal.given:
        space = goal.space(table)
        rng = np.random.default_rng(child_seed(study.seed, RANDOM))
        random = space.draws(rng, n_random)[:n_random]
        by_objective = {procedure.title: procedure} | _by_objectives(procedure, objectives)
        for one in by_objective.values():
            goal.check_objective(one.objective)
        rivals = (
            replace(procedure, method=name, evolution=None, restarts=1)
            for name in map(_checked_rival, beside)
            if name != procedure.method
        )
        procedures = by_objective | {rival.title: rival for rival in rivals}
    elif objectives:
        raise EeveeError("objectives are of a search: give a size k or a budget")
    taken = (*procedures, WITHOUT_PROXIES, RANDOM_SUBSETS, EVERYTHING, MEAN_PREDICTOR)
    for name in fixed:
        if name in taken:
            raise EeveeError(f"a subset named {name!r} would be taken for that method; rename it")
    fixed = {**fixed, EVERYTHING: table.target_benchmarks}
    names: dict[str, Objective] = {name: one.objective for name, one in by_objective.items()}
    return Contenders(goal, procedures, fixed, random, study.control, names)


def _by_objectives(procedure: Procedure, objectives: Sequence[Objective]) -> dict[str, Procedure]:
    others = [replace(procedure, objective=one) for one in objectives]
    if others and procedure.method in UNSCORED:
        raise EeveeError(f"{procedure.method} chooses the same by every objective")
    return {one.title: one for one in others if one.objective != procedure.objective}


def _checked_rival(name: str) -> str:
    if name not in BASELINES or name == RANDOM_SUBSETS:
        known = tuple(one for one in BASELINES if one != RANDOM_SUBSETS)
        hint = did_you_mean(name, known)
        raise EeveeError(f"no simple search {name!r}{hint}; there are {', '.join(known)}")
    return name
