"""Nested tiers of benchmarks with any names."""

from __future__ import annotations

from collections.abc import Sequence

from eevee.tiers.file import AssessedLoss, SearchLoss, TableInfo, Tier, TierBenchmark, TierSet

_LOSS = SearchLoss(0.21, 0.03, "all")
_ASSESSED = AssessedLoss(0.31, 0.25, 0.4, "evolve, ridge", outer_splits=5, train_models=16)


def tier_of(name: str, benchmarks: Sequence[str], budget: float | None = None) -> Tier:
    members = tuple(
        TierBenchmark(one, (one,), (position + 1) / 2) for position, one in enumerate(benchmarks)
    )
    cost = sum(one.cost for one in members)
    return Tier(name, budget, cost, members, _LOSS, _ASSESSED if budget else None)


def tiers_of(**tiers: Sequence[str]) -> TierSet:
    """A tier set of benchmarks by tier; the first tier has a budget and an assessed loss."""
    made = tuple(
        tier_of(name, benchmarks, budget=None if position else 100.0)
        for position, (name, benchmarks) in enumerate(tiers.items())
    )
    table = TableInfo("scores.csv", "ab" * 32, models=20, benchmarks=31)
    return TierSet("eevee 1.0", "GPU-hours", table, {"kind": "ridge"}, {}, 0, made)


def named(*tiers: str) -> TierSet:
    """Tiers of these names, each with the benchmark `gsm8k`."""
    made = tuple(tier_of(name, ["gsm8k"]) for name in tiers)
    table = TableInfo("scores.csv", "", models=20, benchmarks=31)
    return TierSet("eevee 1.0", "GPU-hours", table, {}, {}, 0, made)
