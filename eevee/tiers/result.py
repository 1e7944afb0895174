"""`TiersResult`: the tiers that were built, and all that says how good they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict
from eevee.tiers.file import Tier, TierSet
from eevee.tiers.nest import Nested


@dataclass(frozen=True, eq=False)
class TiersResult:
    """Tiers, and what they rest on; ``result["small"]`` and iteration give its `Tier`\\ s.

    Attributes
    ----------
    tier_set : TierSet
        The content of the tier file; with `assessed_loss` where that was asked for.
    searches : mapping of tier name to SearchResult
        With `agreement` over restarts and `split_agreement` over other splits.
    losses : DataFrame indexed by tier name
        Search loss for both kinds of target, from `eevee.search.curve.best_losses`.
    verdicts : mapping of tier name to SearchVerdict
    baselines : DataFrame or None
        Simple searches for the same, from `eevee.tiers.goals.compare_goals`; None if they were
        not asked for, or the job was stopped.
    nesting : Nested or None
        What nesting costs; None where tiers do not nest.
    """

    tier_set: TierSet
    searches: Mapping[str, SearchResult]
    losses: pd.DataFrame
    verdicts: Mapping[str, SearchVerdict]
    baselines: pd.DataFrame | None = None
    nesting: Nested | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tiers, the smallest first."""
        return self.tier_set.names

    def __getitem__(self, name: str) -> Tier:
        return self.tier_set[name]

    def __iter__(self) -> Iterator[Tier]:
        return iter(self.tier_set)

    def __len__(self) -> int:
        return len(self.tier_set)
