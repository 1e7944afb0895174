"""`Agreement`: what several searches found alike, over seeds or over splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset
from eevee.stats.overlap import jaccard


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far the searches agree.

    Attributes
    ----------
    bests : tuple of subsets
        What each search ranked first.
    jaccard : float or None
        Mean over pairs of searches of what both chose over what either chose; None for one.
    benchmarks : DataFrame
        ``benchmark, best, top``: share of the searches whose best subset holds it, and of the
        top 50 of all searches.
    pairs : DataFrame
        ``first, second, top``: share of the top 50 of all searches that hold both; those that
        some subset holds.
    """

    bests: tuple[Subset, ...]
    jaccard: float | None
    benchmarks: pd.DataFrame
    pairs: pd.DataFrame


def agreement(ranked: Sequence[Sequence[Subset]], names: Subset) -> Agreement:
    """Compare the ranked subsets of several searches.

    Parameters
    ----------
    ranked : sequence of sequences of subsets
        The top of each search, best first.
    names : tuple of str
        All benchmarks.

    Examples
    --------
    >>> found = agreement([[("a", "b")], [("a", "c")]], ("a", "b", "c"))
    >>> round(found.jaccard, 3), found.benchmarks["best"].tolist()
    (0.333, [1.0, 0.5, 0.5])
    """
    bests = tuple(top[0] for top in ranked)
    every = list(chain.from_iterable(ranked))
    first, seen = (Counter(chain.from_iterable(group)) for group in (bests, every))
    benchmarks = pd.DataFrame(
        {
            "benchmark": names,
            "best": [first[name] / len(bests) for name in names],
            "top": [seen[name] / len(every) for name in names],
        }
    )
    together = Counter(chain.from_iterable(combinations(subset, 2) for subset in every))
    pairs = pd.DataFrame(
        [(a, b, count / len(every)) for (a, b), count in together.items()],
        columns=["first", "second", "top"],
    )
    return Agreement(
        bests=bests,
        jaccard=_mean_jaccard(bests),
        benchmarks=_by_share(benchmarks, ["best", "top"], ["benchmark"]),
        pairs=_by_share(pairs, ["top"], ["first", "second"]),
    )


def _by_share(frame: pd.DataFrame, shares: list[str], names: list[str]) -> pd.DataFrame:
    falling = [False] * len(shares) + [True] * len(names)
    return frame.sort_values([*shares, *names], ascending=falling, ignore_index=True)


def _mean_jaccard(subsets: Sequence[Subset]) -> float | None:
    shares = [jaccard(a, b) for a, b in combinations(subsets, 2)]
    return float(np.mean(shares)) if shares else None
