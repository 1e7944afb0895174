"""EEVEE: find the few benchmarks that predict all the others, under a budget.

Names are loaded on first use, so that `import eevee` is quick and imports neither torch nor
matplotlib.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from eevee._version import __version__ as __version__

if TYPE_CHECKING:
    from eevee.analysis.ablation import ablate as ablate
    from eevee.analysis.ranking import rank_benchmarks as rank_benchmarks
    from eevee.analysis.rating import Rating as Rating
    from eevee.analysis.rating import rate as rate
    from eevee.assessment.assess import assess as assess
    from eevee.assessment.by_kind import SplitsAssessment as SplitsAssessment
    from eevee.assessment.by_kind import assess_splits as assess_splits
    from eevee.assessment.learning_curve import learning_curve as learning_curve
    from eevee.assessment.learning_result import LearningCurve as LearningCurve
    from eevee.assessment.objectives import objective_agreement as objective_agreement
    from eevee.assessment.result import Assessment as Assessment
    from eevee.assessment.stability import Stability as Stability
    from eevee.assessment.stability import assess_stability as assess_stability
    from eevee.assessment.tiers import assess_tiers as assess_tiers
    from eevee.assessment.verdict import Verdict as Verdict
    from eevee.assessment.verdict import verdict as verdict
    from eevee.base.errors import EeveeError as EeveeError
    from eevee.completion.complete import Completion as Completion
    from eevee.completion.complete import impute as impute
    from eevee.completion.next_benchmark import next_benchmark as next_benchmark
    from eevee.prediction.prediction import Prediction as Prediction
    from eevee.prediction.predictor import Predictor as Predictor
    from eevee.prediction.predictor import fit_predictor as fit_predictor
    from eevee.readers import read_table as read_table
    from eevee.scorers.choose import choose_scorer as choose_scorer
    from eevee.scorers.choose import make_scorer as make_scorer
    from eevee.scorers.estimator import EstimatorScorer as EstimatorScorer
    from eevee.scorers.factor.scorer import FactorScorer as FactorScorer
    from eevee.scorers.mlp.scorer import MLPScorer as MLPScorer
    from eevee.scorers.objective import objective_scorer as objective_scorer
    from eevee.scorers.ridge.scorer import RidgeScorer as RidgeScorer
    from eevee.scorers.spec import Scoring as Scoring
    from eevee.search.checkpoint import Checkpoints as Checkpoints
    from eevee.search.constraints import Constraints as Constraints
    from eevee.search.control import RunControl as RunControl
    from eevee.search.evolution.evolve import evolve as evolve
    from eevee.search.evolution.generations import Evolution as Evolution
    from eevee.search.front.front import hypervolume as hypervolume
    from eevee.search.front.nsga import Nsga as Nsga
    from eevee.search.front.pareto import ParetoResult as ParetoResult
    from eevee.search.front.pareto import pareto as pareto
    from eevee.search.front.pareto import within_one_se as within_one_se
    from eevee.search.procedure import Procedure as Procedure
    from eevee.search.result import SearchResult as SearchResult
    from eevee.search.sweep import sweep as sweep
    from eevee.search.verdict import SearchVerdict as SearchVerdict
    from eevee.search.verdict import search_verdict as search_verdict
    from eevee.selector import BenchmarkSelector as BenchmarkSelector
    from eevee.splits.harder import family_splits as family_splits
    from eevee.splits.harder import frontier_splits as frontier_splits
    from eevee.splits.harder import time_splits as time_splits
    from eevee.splits.splits import Splits as Splits
    from eevee.splits.splits import fold_splits as fold_splits
    from eevee.splits.splits import shuffle_splits as shuffle_splits
    from eevee.tables.results_table import ResultsTable as ResultsTable
    from eevee.tiers.build import build_tiers as build_tiers
    from eevee.tiers.file import TierSet as TierSet
    from eevee.tiers.file import dump_tiers as dump_tiers
    from eevee.tiers.file import load_tiers as load_tiers
    from eevee.tiers.from_front import tiers_from_front as tiers_from_front
    from eevee.tiers.result import TiersResult as TiersResult

_HOME = {
    "Assessment": "eevee.assessment.result",
    "BenchmarkSelector": "eevee.selector",
    "Checkpoints": "eevee.search.checkpoint",
    "Completion": "eevee.completion.complete",
    "Constraints": "eevee.search.constraints",
    "EeveeError": "eevee.base.errors",
    "EstimatorScorer": "eevee.scorers.estimator",
    "Evolution": "eevee.search.evolution.generations",
    "FactorScorer": "eevee.scorers.factor.scorer",
    "LearningCurve": "eevee.assessment.learning_result",
    "MLPScorer": "eevee.scorers.mlp.scorer",
    "Nsga": "eevee.search.front.nsga",
    "ParetoResult": "eevee.search.front.pareto",
    "Prediction": "eevee.prediction.prediction",
    "Predictor": "eevee.prediction.predictor",
    "Procedure": "eevee.search.procedure",
    "Rating": "eevee.analysis.rating",
    "ResultsTable": "eevee.tables.results_table",
    "RidgeScorer": "eevee.scorers.ridge.scorer",
    "RunControl": "eevee.search.control",
    "Scoring": "eevee.scorers.spec",
    "SearchResult": "eevee.search.result",
    "SearchVerdict": "eevee.search.verdict",
    "Splits": "eevee.splits.splits",
    "SplitsAssessment": "eevee.assessment.by_kind",
    "Stability": "eevee.assessment.stability",
    "TierSet": "eevee.tiers.file",
    "TiersResult": "eevee.tiers.result",
    "Verdict": "eevee.assessment.verdict",
    "ablate": "eevee.analysis.ablation",
    "assess": "eevee.assessment.assess",
    "assess_splits": "eevee.assessment.by_kind",
    "assess_stability": "eevee.assessment.stability",
    "assess_tiers": "eevee.assessment.tiers",
    "build_tiers": "eevee.tiers.build",
    "choose_scorer": "eevee.scorers.choose",
    "dump_tiers": "eevee.tiers.file",
    "evolve": "eevee.search.evolution.evolve",
    "family_splits": "eevee.splits.harder",
    "fit_predictor": "eevee.prediction.predictor",
    "fold_splits": "eevee.splits.splits",
    "frontier_splits": "eevee.splits.harder",
    "hypervolume": "eevee.search.front.front",
    "impute": "eevee.completion.complete",
    "learning_curve": "eevee.assessment.learning_curve",
    "load_tiers": "eevee.tiers.file",
    "make_scorer": "eevee.scorers.choose",
    "next_benchmark": "eevee.completion.next_benchmark",
    "objective_agreement": "eevee.assessment.objectives",
    "objective_scorer": "eevee.scorers.objective",
    "pareto": "eevee.search.front.pareto",
    "rank_benchmarks": "eevee.analysis.ranking",
    "rate": "eevee.analysis.rating",
    "read_table": "eevee.readers",
    "search_verdict": "eevee.search.verdict",
    "shuffle_splits": "eevee.splits.splits",
    "sweep": "eevee.search.sweep",
    "tiers_from_front": "eevee.tiers.from_front",
    "time_splits": "eevee.splits.harder",
    "verdict": "eevee.assessment.verdict",
    "within_one_se": "eevee.search.front.pareto",
}

_RENAMED = {"complete": "impute"}
"""Earlier name to name: works for one more version."""

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warnings.warn(f"eevee.{name} is now eevee.{_RENAMED[name]}", FutureWarning, stacklevel=2)
        name = _RENAMED[name]
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'eevee' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
