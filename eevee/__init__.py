"""EEVEE: find the few benchmarks that predict all the others, under a budget.

What most people need is here; the rest is in the packages `eevee.splits`, `scorers`, `search`,
`tiers`, `exporters`, `analysis`, `prediction`, `completion`, `assessment` and `measures`. Names are
loaded on first use, so that `import eevee` is quick and imports neither torch nor matplotlib.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eevee._version import __version__ as __version__
from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.analysis.ablation import ablate as ablate
    from eevee.analysis.ranking import rank as rank
    from eevee.analysis.rating import rate as rate
    from eevee.assessment.assess import assess as assess
    from eevee.base.errors import EeveeError as EeveeError
    from eevee.completion.complete import impute as impute
    from eevee.prediction.predictor import Predictor as Predictor
    from eevee.prediction.predictor import fit_predictor as fit_predictor
    from eevee.readers import read_table as read_table
    from eevee.scorers.choose import make_scorer as make_scorer
    from eevee.scorers.estimator import EstimatorScorer as EstimatorScorer
    from eevee.scorers.factor.scorer import FactorScorer as FactorScorer
    from eevee.scorers.mlp.scorer import MLPScorer as MLPScorer
    from eevee.scorers.ridge.scorer import RidgeScorer as RidgeScorer
    from eevee.search.constraints import Constraints as Constraints
    from eevee.search.control import RunControl as RunControl
    from eevee.search.front.pareto import pareto as pareto
    from eevee.search.goal import Goal as Goal
    from eevee.search.procedure import Procedure as Procedure
    from eevee.search.result import SearchResult as SearchResult
    from eevee.search.select import select as select
    from eevee.search.sweep import sweep as sweep
    from eevee.selector import BenchmarkSelector as BenchmarkSelector
    from eevee.splits.splits import fold_splits as fold_splits
    from eevee.splits.splits import shuffle_splits as shuffle_splits
    from eevee.tables.results_table import ResultsTable as ResultsTable
    from eevee.tiers.build import build_tiers as build_tiers
    from eevee.tiers.file import TierSet as TierSet
    from eevee.tiers.file import dump_tiers as dump_tiers
    from eevee.tiers.file import load_tiers as load_tiers

_HOME = {
    "BenchmarkSelector": "eevee.selector",
    "Constraints": "eevee.search.constraints",
    "EeveeError": "eevee.base.errors",
    "EstimatorScorer": "eevee.scorers.estimator",
    "FactorScorer": "eevee.scorers.factor.scorer",
    "Goal": "eevee.search.goal",
    "MLPScorer": "eevee.scorers.mlp.scorer",
    "Predictor": "eevee.prediction.predictor",
    "Procedure": "eevee.search.procedure",
    "ResultsTable": "eevee.tables.results_table",
    "RidgeScorer": "eevee.scorers.ridge.scorer",
    "RunControl": "eevee.search.control",
    "SearchResult": "eevee.search.result",
    "TierSet": "eevee.tiers.file",
    "ablate": "eevee.analysis.ablation",
    "assess": "eevee.assessment.assess",
    "build_tiers": "eevee.tiers.build",
    "dump_tiers": "eevee.tiers.file",
    "fit_predictor": "eevee.prediction.predictor",
    "fold_splits": "eevee.splits.splits",
    "impute": "eevee.completion.complete",
    "load_tiers": "eevee.tiers.file",
    "make_scorer": "eevee.scorers.choose",
    "pareto": "eevee.search.front.pareto",
    "rank": "eevee.analysis.ranking",
    "rate": "eevee.analysis.rating",
    "read_table": "eevee.readers",
    "select": "eevee.search.select",
    "shuffle_splits": "eevee.splits.splits",
    "sweep": "eevee.search.sweep",
}

_EARLIER = {
    "Assessment": "eevee.assessment:Assessment",
    "Checkpoints": "eevee.search:Checkpoints",
    "Completion": "eevee.completion:Completion",
    "Evolution": "eevee.search:Evolution",
    "LearningCurve": "eevee.assessment:LearningCurve",
    "Nsga": "eevee.search:Nsga",
    "ParetoResult": "eevee.search:ParetoResult",
    "Prediction": "eevee.prediction:Prediction",
    "Rating": "eevee.analysis:Rating",
    "Scoring": "eevee.scorers:ScorerSpec",
    "SearchVerdict": "eevee.search:SearchVerdict",
    "Splits": "eevee.splits:Splits",
    "SplitsAssessment": "eevee.assessment:SplitsAssessment",
    "Stability": "eevee.assessment:Stability",
    "TiersResult": "eevee.tiers:TiersResult",
    "Verdict": "eevee.assessment:Verdict",
    "assess_splits": "eevee.assessment:assess_splits",
    "assess_stability": "eevee.assessment:assess_stability",
    "assess_tiers": "eevee.assessment:assess_tiers",
    "choose_scorer": "eevee.scorers:choose_scorer",
    "complete": "eevee:impute",
    "evolve": "eevee.search:evolve",
    "family_splits": "eevee.splits:family_splits",
    "frontier_splits": "eevee.splits:frontier_splits",
    "hypervolume": "eevee.search:hypervolume",
    "learning_curve": "eevee.assessment:learning_curve",
    "next_benchmark": "eevee.completion:next_benchmark",
    "objective_agreement": "eevee.assessment:objective_agreement",
    "objective_scorer": "eevee.scorers:objective_scorer",
    "rank_benchmarks": "eevee:rank",
    "search_verdict": "eevee.search:search_verdict",
    "tiers_from_front": "eevee.tiers:tiers_from_front",
    "time_splits": "eevee.splits:time_splits",
    "verdict": "eevee.assessment:verdict",
    "within_one_se": "eevee.search:within_one_se",
}
"""Name of the version before: where it is now."""

_ROOMS = (
    "analysis",
    "assessment",
    "completion",
    "exporters",
    "measures",
    "prediction",
    "scorers",
    "search",
    "splits",
    "tiers",
)

_named, _names = lazy_names(__name__, _HOME, _EARLIER, depth=2)
__all__ = sorted(_HOME)  # noqa: PLE0605


if not TYPE_CHECKING:  # a type checker refuses what is not there

    def __getattr__(name: str) -> Any:
        found = name in (*_ROOMS, "plots")
        return importlib.import_module(f"eevee.{name}") if found else _named(name)


def __dir__() -> list[str]:
    return [*_names(), *_ROOMS, "__version__"]
