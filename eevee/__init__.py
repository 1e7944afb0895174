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
    from eevee.completion import Completion as Completion
    from eevee.completion import complete as complete
    from eevee.errors import EeveeError as EeveeError
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
    from eevee.scoring.ridge import RidgeScorer as RidgeScorer
    from eevee.search.evolution import Evolution as Evolution
    from eevee.search.evolution import evolve as evolve
    from eevee.search.evolution import sweep as sweep
    from eevee.search.result import SearchResult as SearchResult
    from eevee.selector import BenchmarkSelector as BenchmarkSelector
    from eevee.splits import Splits as Splits
    from eevee.splits import shuffle_splits as shuffle_splits
    from eevee.table import ResultsTable as ResultsTable
    from eevee.tierfile import TierSet as TierSet
    from eevee.tierfile import dump_tiers as dump_tiers
    from eevee.tierfile import load_tiers as load_tiers
    from eevee.tiers import build_tiers as build_tiers

_HOME = {
    "BenchmarkSelector": "eevee.selector",
    "Completion": "eevee.completion",
    "EeveeError": "eevee.errors",
    "EstimatorScorer": "eevee.scoring.estimator",
    "Evolution": "eevee.search.evolution",
    "FactorScorer": "eevee.scoring.factor",
    "MLPScorer": "eevee.scoring.mlp",
    "Prediction": "eevee.prediction",
    "Predictor": "eevee.predictor",
    "Rating": "eevee.rating",
    "ResultsTable": "eevee.table",
    "RidgeScorer": "eevee.scoring.ridge",
    "SearchResult": "eevee.search.result",
    "Splits": "eevee.splits",
    "TierSet": "eevee.tierfile",
    "ablate": "eevee.ablation",
    "build_tiers": "eevee.tiers",
    "choose_scorer": "eevee.scoring.choice",
    "complete": "eevee.completion",
    "dump_tiers": "eevee.tierfile",
    "evolve": "eevee.search.evolution",
    "fit_predictor": "eevee.predictor",
    "load_tiers": "eevee.tierfile",
    "make_scorer": "eevee.scoring.choice",
    "rank_benchmarks": "eevee.ranking",
    "rate": "eevee.rating",
    "read_table": "eevee.readers",
    "shuffle_splits": "eevee.splits",
    "sweep": "eevee.search.evolution",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'eevee' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
