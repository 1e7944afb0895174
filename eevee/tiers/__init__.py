"""Subsets under several budgets, and the tier file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.tiers.build import build_tiers as build_tiers
    from eevee.tiers.file import Tier as Tier
    from eevee.tiers.file import TierSet as TierSet
    from eevee.tiers.file import dump_tiers as dump_tiers
    from eevee.tiers.file import load_tiers as load_tiers
    from eevee.tiers.from_front import FrontResult as FrontResult
    from eevee.tiers.from_front import search_front as search_front
    from eevee.tiers.from_front import tiers_from_front as tiers_from_front
    from eevee.tiers.result import TiersResult as TiersResult

_HOME = {
    "FrontResult": "eevee.tiers.from_front",
    "Tier": "eevee.tiers.file",
    "TierSet": "eevee.tiers.file",
    "TiersResult": "eevee.tiers.result",
    "build_tiers": "eevee.tiers.build",
    "dump_tiers": "eevee.tiers.file",
    "load_tiers": "eevee.tiers.file",
    "search_front": "eevee.tiers.from_front",
    "tiers_from_front": "eevee.tiers.from_front",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
