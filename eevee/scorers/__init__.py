"""Scorers: pure functions from subsets of benchmarks to held-out losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.scorers.base import Scorer as Scorer
    from eevee.scorers.choose import choose_scorer as choose_scorer
    from eevee.scorers.choose import make_scorer as make_scorer
    from eevee.scorers.estimator import EstimatorScorer as EstimatorScorer
    from eevee.scorers.factor.scorer import FactorScorer as FactorScorer
    from eevee.scorers.mlp.scorer import MLPScorer as MLPScorer
    from eevee.scorers.objective import objective_scorer as objective_scorer
    from eevee.scorers.ridge.scorer import RidgeScorer as RidgeScorer
    from eevee.scorers.spec import ScorerSpec as ScorerSpec

_HOME = {
    "EstimatorScorer": "eevee.scorers.estimator",
    "FactorScorer": "eevee.scorers.factor.scorer",
    "MLPScorer": "eevee.scorers.mlp.scorer",
    "RidgeScorer": "eevee.scorers.ridge.scorer",
    "Scorer": "eevee.scorers.base",
    "ScorerSpec": "eevee.scorers.spec",
    "choose_scorer": "eevee.scorers.choose",
    "make_scorer": "eevee.scorers.choose",
    "objective_scorer": "eevee.scorers.objective",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
