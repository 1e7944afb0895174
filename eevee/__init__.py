"""EEVEE: find the few benchmarks that predict all the others, under a budget.

Names are loaded on first use, so that `import eevee` is quick and imports neither torch nor
matplotlib.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eevee._version import __version__ as __version__

if TYPE_CHECKING:
    from eevee.ablation import ablate as ablate
    from eevee.advice import next_benchmark as next_benchmark
    from eevee.assessed import Assessment as Assessment
    from eevee.assessed_splits import SplitsAssessment as SplitsAssessment
    from eevee.assessed_splits import assess_splits as assess_splits
    from eevee.assessed_verdict import Verdict as Verdict
    from eevee.assessed_verdict import verdict as verdict
    from eevee.assessedtiers import assess_tiers as assess_tiers
    from eevee.assessment import assess as assess
    from eevee.completion import Completion as Completion
    from eevee.completion import complete as complete
    from eevee.errors import EeveeError as EeveeError
    from eevee.front_tiers import tiers_from_front as tiers_from_front
    from eevee.harder_splits import family_splits as family_splits
    from eevee.harder_splits import frontier_splits as frontier_splits
    from eevee.harder_splits import time_splits as time_splits
    from eevee.learned import LearningCurve as LearningCurve
    from eevee.learning import learning_curve as learning_curve
    from eevee.objectives import objective_agreement as objective_agreement
    from eevee.outer import Scoring as Scoring
    from eevee.prediction import Prediction as Prediction
    from eevee.predictor import Predictor as Predictor
    from eevee.predictor import fit_predictor as fit_predictor
    from eevee.ranking import rank_benchmarks as rank_benchmarks
    from eevee.rating import Rating as Rating
    from eevee.rating import rate as rate
    from eevee.readers import read_table as read_table
    from eevee.scoring.choice import choose_scorer as choose_scorer
    from eevee.scoring.choice import make_scorer as make_scorer
    from eevee.scoring.estimator import EstimatorScorer as EstimatorScorer
    from eevee.scoring.factor import FactorScorer as FactorScorer
    from eevee.scoring.mlp import MLPScorer as MLPScorer
    from eevee.scoring.objective import objective_scorer as objective_scorer
    from eevee.scoring.ridge import RidgeScorer as RidgeScorer
    from eevee.search.checkpoint import Checkpoints as Checkpoints
    from eevee.search.constraints import Constraints as Constraints
    from eevee.search.evolution import evolve as evolve
    from eevee.search.front import hypervolume as hypervolume
    from eevee.search.generations import Evolution as Evolution
    from eevee.search.nsga import Nsga as Nsga
    from eevee.search.pareto import ParetoResult as ParetoResult
    from eevee.search.pareto import pareto as pareto
    from eevee.search.pareto import within_one_se as within_one_se
    from eevee.search.procedure import Procedure as Procedure
    from eevee.search.result import SearchResult as SearchResult
    from eevee.search.sweep import sweep as sweep
    from eevee.search.verdict import SearchVerdict as SearchVerdict
    from eevee.search.verdict import search_verdict as search_verdict
    from eevee.selector import BenchmarkSelector as BenchmarkSelector
    from eevee.splits import Splits as Splits
    from eevee.splits import fold_splits as fold_splits
    from eevee.splits import shuffle_splits as shuffle_splits
    from eevee.stability import Stability as Stability
    from eevee.stability import assess_stability as assess_stability
    from eevee.table import ResultsTable as ResultsTable
    from eevee.tierfile import TierSet as TierSet
    from eevee.tierfile import dump_tiers as dump_tiers
    from eevee.tierfile import load_tiers as load_tiers
    from eevee.tiers import build_tiers as build_tiers

_HOME = {
    "Assessment": "eevee.assessed",
    "BenchmarkSelector": "eevee.selector",
    "Checkpoints": "eevee.search.checkpoint",
    "Completion": "eevee.completion",
    "Constraints": "eevee.search.constraints",
    "EeveeError": "eevee.errors",
    "EstimatorScorer": "eevee.scoring.estimator",
    "Evolution": "eevee.search.generations",
    "FactorScorer": "eevee.scoring.factor",
    "LearningCurve": "eevee.learned",
    "MLPScorer": "eevee.scoring.mlp",
    "Nsga": "eevee.search.nsga",
    "ParetoResult": "eevee.search.pareto",
    "Prediction": "eevee.prediction",
    "Predictor": "eevee.predictor",
    "Procedure": "eevee.search.procedure",
    "Rating": "eevee.rating",
    "ResultsTable": "eevee.table",
    "RidgeScorer": "eevee.scoring.ridge",
    "Scoring": "eevee.outer",
    "SearchResult": "eevee.search.result",
    "SearchVerdict": "eevee.search.verdict",
    "Splits": "eevee.splits",
    "SplitsAssessment": "eevee.assessed_splits",
    "Stability": "eevee.stability",
    "TierSet": "eevee.tierfile",
    "Verdict": "eevee.assessed_verdict",
    "ablate": "eevee.ablation",
    "assess": "eevee.assessment",
    "assess_splits": "eevee.assessed_splits",
    "assess_stability": "eevee.stability",
    "assess_tiers": "eevee.assessedtiers",
    "build_tiers": "eevee.tiers",
    "choose_scorer": "eevee.scoring.choice",
    "complete": "eevee.completion",
    "dump_tiers": "eevee.tierfile",
    "evolve": "eevee.search.evolution",
    "family_splits": "eevee.harder_splits",
    "fit_predictor": "eevee.predictor",
    "fold_splits": "eevee.splits",
    "frontier_splits": "eevee.harder_splits",
    "hypervolume": "eevee.search.front",
    "learning_curve": "eevee.learning",
    "load_tiers": "eevee.tierfile",
    "make_scorer": "eevee.scoring.choice",
    "next_benchmark": "eevee.advice",
    "objective_agreement": "eevee.objectives",
    "objective_scorer": "eevee.scoring.objective",
    "pareto": "eevee.search.pareto",
    "rank_benchmarks": "eevee.ranking",
    "rate": "eevee.rating",
    "read_table": "eevee.readers",
    "search_verdict": "eevee.search.verdict",
    "shuffle_splits": "eevee.splits",
    "sweep": "eevee.search.sweep",
    "tiers_from_front": "eevee.front_tiers",
    "time_splits": "eevee.harder_splits",
    "verdict": "eevee.assessed_verdict",
    "within_one_se": "eevee.search.pareto",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'eevee' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
