"""`Study`: a table, a search, and how models are held out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict, Unpack

import numpy as np

from eevee.assessment.contest import Contest
from eevee.assessment.folds import Find, whole_folds
from eevee.assessment.resampling import families_to_draw
from eevee.base.arrays import IntArray
from eevee.base.errors import EeveeError
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.spec import ScorerName, ScorerSpec
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Budget, Goal
from eevee.search.procedure import Procedure
from eevee.splits.groups import Groups
from eevee.splits.outer import OuterSplits, given_splits, repeated_folds
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

FOLDS, SEARCHES, RANDOM, BOOTSTRAP = range(4)
"""Which child of the seed each part gets."""


class StudySettings(TypedDict, total=False):
    """Keywords that every function of `eevee.assessment` takes; `Study` says what they mean."""

    budget: float | str | Budget | None
    constraints: Constraints | None
    procedure: Procedure | None
    scorer: ScorerSpec | ScorerName
    n_folds: int
    n_repeats: int
    outer: Splits | None
    families: Groups | None
    level: float
    seed: int
    control: RunControl


@dataclass(frozen=True, eq=False)
class Study:
    """A search that is judged on models which it never sees, and how these are held out.

    Every function of `eevee.assessment` takes one, or a table and these settings as keywords.

    Attributes
    ----------
    table : ResultsTable
    goal : Goal
        What is searched for: ``k``, ``budget`` and ``constraints`` as keywords.
    procedure : Procedure
    scorer : ScorerSpec
        What searches score by, and what judges; the name of a scorer as a keyword.
    n_folds, n_repeats : int
        Every model is held out `n_repeats` times.
    outer : Splits or None
        Outer splits instead of repeated K-fold, such as `eevee.splits.family_splits`.
    families : str or labels, optional
        Models of a family are drawn together in the bootstrap.
    level : float
        Of every interval.
    seed : int
    control : RunControl
        Each search of each split keeps a state of its own.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> study = Study.of(ResultsTable.from_scores(frame), 2, scorer="ridge", n_repeats=1)
    >>> study.rounds.words
    '5 folds, once'
    """

    table: ResultsTable
    goal: Goal = field(default_factory=Goal)
    procedure: Procedure = field(default_factory=Procedure)
    scorer: ScorerSpec = "mlp"  # type: ignore[assignment]  # made one when the study is
    n_folds: int = 5
    n_repeats: int = 2
    outer: Splits | None = None
    families: Groups | None = None
    level: float = 0.95
    seed: int = 0
    control: RunControl = UNATTENDED

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", ScorerSpec.of(self.scorer))

    @classmethod
    @shares_keywords(StudySettings)
    def of(
        cls, table: ResultsTable | Study, k: int | None = None, **settings: Unpack[StudySettings]
    ) -> Study:
        """Return a study as it is, or make one of a table and keywords."""
        more: dict[str, Any] = dict(settings)
        if isinstance(table, Study):
            if more or k is not None:
                raise EeveeError("a study has its settings; give a table to set others")
            return table
        budget, constraints = more.pop("budget", None), more.pop("constraints", None)
        goal = Goal.of(k, budget, constraints).in_units(table)
        procedure = more.pop("procedure", None) or Procedure()
        return cls(table, goal, procedure, ScorerSpec.of(more.pop("scorer", "mlp")), **more)

    @cached_property
    def labels(self) -> IntArray:
        """Families that the bootstrap draws."""
        return families_to_draw(self.table, self.families)

    @cached_property
    def rounds(self) -> OuterSplits:
        """The outer splits."""
        if self.outer is not None:
            return given_splits(self.table, self.outer)
        return repeated_folds(
            self.table,
            n_folds=self.n_folds,
            n_repeats=self.n_repeats,
            seed=child_seed(self.seed, FOLDS),
            groups=self.scorer.kept_together(self.table),
        )

    @property
    def about(self) -> dict[str, Any]:
        """What two assessments must share for one to use the searches of the other."""
        return {
            **self.goal.describe(self.table),
            "procedure": self.procedure.title,
            "splits": self.rounds.words,
            "seed": self.seed,
            "targets": self.scorer.targets,
        }

    def searches_like(self, other: Study) -> bool:
        """Whether searches of both see the same scores, and go the same way."""
        return (
            self.table.scores.equals(other.table.scores)
            and self.scorer == other.scorer
            and self.procedure == other.procedure
            and np.array_equal(self.rounds.splits.test, other.rounds.splits.test)
            and np.array_equal(self.rounds.splits.fit, other.rounds.splits.fit)
        )

    def check_goal(self) -> None:
        """Refuse a study that searches for nothing."""
        if not self.goal.given:
            raise EeveeError("give a size k or a budget")

    def judge(
        self,
        find: Find,
        members: Mapping[str, list[str]] | None = None,
        *,
        splits: Splits | None = None,
        n_pool: float | None = None,
    ) -> Contest:
        """Search in each outer split, and judge what was found on the models held out.

        Parameters
        ----------
        find : callable
            What searches, as for `eevee.assessment.folds.run_folds`.
        members : mapping of method to names in the folds, optional
            By default what was found, by its own name.
        splits : Splits, optional
            Other than `rounds`, for smaller draws.
        n_pool : float, optional
            As for `Contest`.

        Raises
        ------
        Stopped
            If `control` asked for it.
        """
        outer = self.rounds.splits if splits is None else splits
        seed = child_seed(self.seed, SEARCHES)
        folds = whole_folds(self.table, outer, find, self.scorer, seed, self.control)
        return Contest(
            table=self.table,
            folds=folds,
            rounds=self.rounds.rounds,
            members=members or {name: [name] for name in folds[0].search},
            targets=self.scorer.targets,
            weights=self.scorer.weights,
            labels=self.labels,
            level=self.level,
            seed=child_seed(self.seed, BOOTSTRAP),
            n_pool=n_pool,
        )
