"""Screening: a cheap scorer picks the children that are worth the real scorer's time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError
from eevee.scorers.base import Scorer

SCREEN_FACTOR = 10
"""How many children a screened search makes for each one that the real scorer sees."""


def check_screen(screen: Scorer, scorer: Scorer) -> None:
    """Check that a screen is for the same models and benchmarks, and of the same targets.

    Its splits, weights and scores are its own affair: it only proposes.

    Raises
    ------
    EeveeError
        If the names or the targets differ.
    """
    for what in ("model", "benchmark"):
        mine, real = (set(getattr(s.table, f"{what}_names")) for s in (screen, scorer))
        if mine != real:
            name = min(mine ^ real)
            where = "the scorer's" if name in real else "the screen's"
            raise EeveeError(
                f"the screen must score the scorer's table, but {what} {name!r} is in {where} alone"
            )
    if screen.targets != scorer.targets:
        raise EeveeError(
            f"the screen's targets are {screen.targets!r}, the scorer's {scorer.targets!r}: "
            f"use screen.with_targets({scorer.targets!r})"
        )


def best_of(screen: Scorer, subsets: Iterable[Subset], count: int) -> list[Subset]:
    """Return the best `count` subsets by the screen's loss, ties by cost, then names.

    Blank losses come last.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> screen = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> best_of(screen, [("b",), ("a",), ("c",)], 1)
    [('a',)]
    """
    candidates = list(subsets)
    losses = np.nan_to_num(screen.losses(candidates), nan=np.inf)
    cost_of = screen.table.cost_of
    keys = [
        (round6(loss), cost_of(subset), subset)
        for loss, subset in zip(losses, candidates, strict=True)
    ]
    return [subset for _, _, subset in sorted(keys)[:count]]
