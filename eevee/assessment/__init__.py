"""The whole procedure inside outer splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.assessment.by_kind import SplitsAssessment as SplitsAssessment
    from eevee.assessment.by_kind import assess_splits as assess_splits
    from eevee.assessment.full import FullAssessment as FullAssessment
    from eevee.assessment.full import full_assessment as full_assessment
    from eevee.assessment.learning import learning_curve as learning_curve
    from eevee.assessment.learning_result import LearningCurve as LearningCurve
    from eevee.assessment.objectives import objective_agreement as objective_agreement
    from eevee.assessment.result import Assessment as Assessment
    from eevee.assessment.stability import Stability as Stability
    from eevee.assessment.stability import assess_stability as assess_stability
    from eevee.assessment.study import Study as Study
    from eevee.assessment.tiers import assess_tiers as assess_tiers
    from eevee.assessment.verdicts import Verdict as Verdict
    from eevee.assessment.verdicts import verdict as verdict

_HOME = {
    "Assessment": "eevee.assessment.result",
    "FullAssessment": "eevee.assessment.full",
    "LearningCurve": "eevee.assessment.learning_result",
    "SplitsAssessment": "eevee.assessment.by_kind",
    "Stability": "eevee.assessment.stability",
    "Study": "eevee.assessment.study",
    "Verdict": "eevee.assessment.verdicts",
    "assess_splits": "eevee.assessment.by_kind",
    "assess_stability": "eevee.assessment.stability",
    "assess_tiers": "eevee.assessment.tiers",
    "full_assessment": "eevee.assessment.full",
    "learning_curve": "eevee.assessment.learning",
    "objective_agreement": "eevee.assessment.objectives",
    "verdict": "eevee.assessment.verdicts",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
