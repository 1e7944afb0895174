"""Searches: from a scorer to ranked subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.search.checkpoint import Checkpoints as Checkpoints
    from eevee.search.constraints import Constraints as Constraints
    from eevee.search.control import RunControl as RunControl
    from eevee.search.evolution.evolve import evolve as evolve
    from eevee.search.evolution.generations import Evolution as Evolution
    from eevee.search.front.front import hypervolume as hypervolume
    from eevee.search.front.nsga import Nsga as Nsga
    from eevee.search.front.pareto import ParetoResult as ParetoResult
    from eevee.search.front.pareto import within_one_se as within_one_se
    from eevee.search.goal import Budget as Budget
    from eevee.search.goal import Goal as Goal
    from eevee.search.judging import search_verdict as search_verdict
    from eevee.search.procedure import Procedure as Procedure
    from eevee.search.result import SearchResult as SearchResult
    from eevee.search.select import Selection as Selection
    from eevee.search.sweep import SweepResult as SweepResult
    from eevee.search.verdict import SearchVerdict as SearchVerdict

_HOME = {
    "Budget": "eevee.search.goal",
    "Checkpoints": "eevee.search.checkpoint",
    "Constraints": "eevee.search.constraints",
    "Evolution": "eevee.search.evolution.generations",
    "Goal": "eevee.search.goal",
    "Nsga": "eevee.search.front.nsga",
    "ParetoResult": "eevee.search.front.pareto",
    "Procedure": "eevee.search.procedure",
    "RunControl": "eevee.search.control",
    "SearchResult": "eevee.search.result",
    "SearchVerdict": "eevee.search.verdict",
    "Selection": "eevee.search.select",
    "SweepResult": "eevee.search.sweep",
    "evolve": "eevee.search.evolution.evolve",
    "hypervolume": "eevee.search.front.front",
    "search_verdict": "eevee.search.judging",
    "within_one_se": "eevee.search.front.pareto",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
