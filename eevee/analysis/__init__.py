"""Questions about one table or one list of benchmarks: describe, rank, ablate, rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.analysis.ablation import ablate as ablate
    from eevee.analysis.ranking import rank as rank
    from eevee.analysis.rating import Rating as Rating
    from eevee.analysis.rating import rate as rate

_HOME = {
    "Rating": "eevee.analysis.rating",
    "ablate": "eevee.analysis.ablation",
    "rank": "eevee.analysis.ranking",
    "rate": "eevee.analysis.rating",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
