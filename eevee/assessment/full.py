"""`full_assessment`: everything that `eevee assess` says, in one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from eevee.assessment.by_kind import SplitsAssessment, assess_splits
from eevee.assessment.learning import learning_curve
from eevee.assessment.learning_result import LearningCurve
from eevee.assessment.objectives import objective_agreement
from eevee.assessment.result import Assessment
from eevee.assessment.stability import Stability, assess_stability
from eevee.assessment.study import Study
from eevee.assessment.verdicts import Verdict, verdict
from eevee.base.errors import EeveeError
from eevee.splits.near_duplicates import Leak


@dataclass(frozen=True, eq=False)
class FullAssessment:
    """An assessment, and what was asked for beside it.

    Attributes
    ----------
    verdict : Verdict
    assessment : Assessment
        Of the kind of outer splits that was named first.
    objectives : DataFrame
        From `objective_agreement`.
    leak : Leak or None
        Near-duplicates that outer splits part.
    splits : SplitsAssessment or None
        Where kinds of outer splits were named.
    stability : Stability or None
    curve : LearningCurve or None
    """

    verdict: Verdict
    assessment: Assessment
    objectives: pd.DataFrame
    leak: Leak | None = None
    splits: SplitsAssessment | None = None
    stability: Stability | None = None
    curve: LearningCurve | None = None


def full_assessment(
    study: Study,
    *,
    kinds: Sequence[str] = (),
    stability: bool = False,
    curve: bool = False,
    **options: Any,
) -> FullAssessment:
    """Assess, side by side for several kinds of outer splits if these are named.

    Parameters
    ----------
    study : Study
    kinds : sequence of str
        As for `assess_splits`; none for random ones alone.
    stability, curve : bool
        Also `assess_stability`, and `learning_curve`.
    **options
        More of `assess_splits`, such as ``n_random=``.

    Raises
    ------
    EeveeError
        As these functions.
    Stopped
        If the study's control stopped it before all splits were done.

    Examples
    --------
    >>> import numpy as np
    >>> from eevee.tables.results_table import ResultsTable
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=(30, 5))
    >>> table = ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> found = full_assessment(Study.of(table, 2, scorer="ridge", n_repeats=1), stability=True)
    >>> found.verdict.method, len(found.stability.subset)
    ('evolution', 2)
    """
    if stability or curve:
        study.check_goal()
        if kinds and kinds[0] != "random":
            raise EeveeError("stability and the learning curve hold out random models alone")
    side = assess_splits(study, kinds=kinds or ("random",), **options)
    found = side.first
    stable = assess_stability(study, known=found) if stability else None
    learned = learning_curve(study, known=found) if curve else None
    return FullAssessment(
        verdict=verdict(side, learned),
        assessment=found,
        objectives=objective_agreement(found),
        leak=side.leak,
        splits=side if kinds else None,
        stability=stable,
        curve=learned,
    )
