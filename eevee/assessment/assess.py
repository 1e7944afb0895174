"""`assess`: whole searches inside outer splits, beside simple ones, judged on held-out models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from eevee.assessment.contest import Contest
from eevee.assessment.folds import MEAN_PREDICTOR, whole_folds
from eevee.assessment.resampling import families_to_draw
from eevee.assessment.result import RANDOM_SUBSETS, Assessment, summarise
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.seeds import child_seed
from eevee.scorers.base import Objective, Scorer
from eevee.scorers.spec import ScorerName, Scoring
from eevee.search.compare import BASELINES
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Budget, Goal
from eevee.search.procedure import UNSCORED, Procedure
from eevee.splits.groups import Groups
from eevee.splits.near_duplicates import find_leak
from eevee.splits.splits import Splits, fold_splits
from eevee.tables.results_table import ResultsTable

FOLDS, SEARCHES, RANDOM, BOOTSTRAP = range(4)
"""Which child of the seed each part gets."""
EVERYTHING = "all benchmarks"
BESIDE = ("greedy-swaps", "greedy", "medoids", "cheapest")
"""Searches that are set beside the one assessed, by default."""


def assess(
    table: ResultsTable,
    k: int | None = None,
    *,
    budget: float | str | Budget | None = None,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    scorer: Scoring | ScorerName = "mlp",
    subsets: Mapping[str, Sequence[str]] | None = None,
    beside: Sequence[str] = BESIDE,
    objectives: Sequence[Objective] = (),
    n_random: int = 100,
    n_folds: int = 5,
    n_repeats: int = 2,
    outer: Splits | None = None,
    families: Groups | None = None,
    level: float = 0.95,
    seed: int = 0,
    control: RunControl = UNATTENDED,
) -> Assessment:
    """Estimate the loss of a whole search on models that it never sees.

    Models are held out in turn; in each outer split the whole search runs on the other models.

    Parameters
    ----------
    table : ResultsTable
    k, budget, constraints
        As in `eevee.evolve`; with neither, only `subsets` are judged.
    procedure : Procedure, optional
    scorer : Scoring or str
        What searches score by, and what judges.
    subsets : mapping of name to benchmark names, optional
        Given subsets, for which nothing is searched. The loss of one that was found on this table
        is too low: its search saw the held-out models.
    beside : sequence of str
        Other searches for the same size or budget, by the same objective.
    objectives : sequence of {"loss", "kendall", "r2"}
        Repeat the search by these, for `eevee.objective_agreement`.
    n_random : int
        Random subsets, the same ones in every split.
    n_folds, n_repeats : int
        Every model is held out `n_repeats` times.
    outer : Splits, optional
        Outer splits instead of repeated K-fold, such as `eevee.family_splits`.
    families : str or labels, optional
        Models of a family are drawn together in the bootstrap.
    level : float
        Of every interval.
    seed : int
    control : RunControl
        Each search of each split keeps a state of its own.

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
    labels = families_to_draw(table, families)
    contenders = _contenders(
        table,
        Goal.of(k, budget, constraints).in_units(table),
        procedure or Procedure(),
        beside=beside,
        objectives=objectives,
        subsets=subsets or {},
        n_random=n_random,
        seed=child_seed(seed, RANDOM),
        control=control,
    )
    scoring = Scoring.of(scorer)
    rounds = outer_rounds(table, scoring, n_folds, n_repeats, seed=seed, outer=outer)
    contest = Contest(
        table=table,
        folds=whole_folds(
            table, rounds.splits, contenders.find, scoring, child_seed(seed, SEARCHES), control
        ),
        rounds=rounds.members,
        members=contenders.members,
        targets=scoring.targets,
        weights=scoring.weights,
        labels=labels,
        level=level,
        seed=child_seed(seed, BOOTSTRAP),
    )
    leak = find_leak(table, rounds.splits)
    procedure_name = next(iter(contenders.procedures), None)
    about = {
        "procedure": procedure_name,
        "objectives": contenders.objectives,
        "n_benchmarks": table.n_benchmarks,
        "n_random": len(contenders.random),
        "splits": rounds.words,
        "groups": scoring.groups,
        "group_duplicates": scoring.group_duplicates,
        "near_duplicates": None if leak is None else asdict(leak),
        "seed": seed,
    }
    return summarise(contest, contenders.goal.describe(table) | about)


def searched_before(known: Assessment | None, about: Mapping[str, Any]) -> list[Subset] | None:
    """Return what an assessment found in each outer split, to be searched for no more.

    Parameters
    ----------
    known : Assessment or None
    about : mapping
        Settings that its own must agree with.

    Raises
    ------
    EeveeError
        If they do not.
    """
    if known is None:
        return None
    for name, value in about.items():
        if known.settings[name] != value:
            raise EeveeError(
                f"the assessment given as known is of another search: its {name} is "
                f"{known.settings[name]!r}, not {value!r}"
            )
    own: list[Subset] = known.folds.loc[
        known.folds["method"] == known.names[0], "benchmarks"
    ].tolist()
    return own


@dataclass(frozen=True)
class Rounds:
    """Outer splits, and which of them make a round, in which each model is held out once."""

    splits: Splits
    members: list[list[int]]
    words: str


def outer_rounds(
    table: ResultsTable,
    scoring: Scoring,
    n_folds: int,
    n_repeats: int,
    *,
    seed: int,
    outer: Splits | None = None,
) -> Rounds:
    """Draw the repeated K-fold splits of an assessment with this seed, or take those given."""
    if outer is not None:
        if outer.n_models != table.n_models:
            raise EeveeError(
                f"the outer splits are for {outer.n_models} models, the table has {table.n_models}"
            )
        return Rounds(outer, _rounds_of(outer), f"{outer.n_splits} given splits")
    splits = fold_splits(
        table,
        n_folds=n_folds,
        n_repeats=n_repeats,
        seed=child_seed(seed, FOLDS),
        groups=scoring.kept_together(table),
    )
    times = "once" if n_repeats == 1 else f"{n_repeats} times"
    return Rounds(splits, _rounds_of(splits), f"{n_folds} folds, {times}")


def _rounds_of(splits: Splits) -> list[list[int]]:
    """Splits in a row that hold out each model once are a round; else each is one of its own."""
    rounds: list[list[int]] = []
    covered = np.ones(splits.n_models, dtype=np.bool_)
    for number, test in enumerate(splits.test):
        if covered.all():
            rounds.append([])
            covered = np.zeros_like(covered)
        if (covered & test).any():
            break
        rounds[-1].append(number)
        covered |= test
    return rounds if covered.all() else [[number] for number in range(splits.n_splits)]


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
    """

    goal: Goal
    procedures: Mapping[str, Procedure]
    fixed: Mapping[str, Subset]
    random: Sequence[Subset]
    control: RunControl = UNATTENDED
    objectives: Mapping[str, Objective] = field(default_factory=dict)

    @property
    def members(self) -> dict[str, list[str]]:
        """Names in a fold by method: the assessed one, random subsets, others, bounds."""
        first, *others = [*self.procedures, *self.fixed, MEAN_PREDICTOR]
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
    table: ResultsTable,
    goal: Goal,
    procedure: Procedure,
    *,
    beside: Sequence[str],
    objectives: Sequence[Objective],
    subsets: Mapping[str, Sequence[str]],
    n_random: int,
    seed: int,
    control: RunControl,
) -> Contenders:
    fixed = {name: table.subset(names) for name, names in subsets.items()}
    if not goal.given and not fixed:
        raise EeveeError("nothing to assess: give a size k, a budget, or subsets")
    procedures: dict[str, Procedure] = {}
    by_objective: dict[str, Procedure] = {}
    random: list[Subset] = []
    if goal.given:
        space = goal.space(table)
        random = space.draws(np.random.default_rng(seed), n_random)[:n_random]
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
    taken = (*procedures, RANDOM_SUBSETS, EVERYTHING, MEAN_PREDICTOR)
    for name in fixed:
        if name in taken:
            raise EeveeError(f"a subset named {name!r} would be taken for that method; rename it")
    fixed = {**fixed, EVERYTHING: table.benchmark_names}
    names: dict[str, Objective] = {name: one.objective for name, one in by_objective.items()}
    return Contenders(goal, procedures, fixed, random, control, names)


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
