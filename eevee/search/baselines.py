"""Baselines that look at no loss: random, cheapest, correlation medoids, most correlated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from eevee.base.arrays import Subset, round6
from eevee.search.correlation import correlations, correlations_with_mean
from eevee.search.greedy import forward
from eevee.search.proposal import proposing
from eevee.search.result import KEPT, Ledger
from eevee.search.space import Space, members
from eevee.search.steps import Steps
from eevee.tables.results_table import ResultsTable

N_RANDOM = 1000
"""Different random subsets, as many as the paper's evolution begins with."""
MAX_EXACT = 6000
"""Medoids are exact where there are at most this many subsets: summing distances takes no time."""


@proposing("random", lambda space: N_RANDOM)
def random_subsets(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Draw 1000 random subsets, and rank the best 50 of them.

    The same subsets that an evolution with the same seed begins with. Their losses, as
    `random_losses`, are the distribution that a search has to beat. Parameters as in
    `eevee.search.evolve`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 6)), columns=list("abcdef"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> found = random_subsets(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=3)
    >>> len(found.random_losses), len(found.ranked)
    (20, 20)
    """
    ledger.add(ledger.count_draws(space.draws(rng, N_RANDOM)), 0)
    return ledger.top(KEPT)


@proposing("cheapest", lambda space: 1)
def cheapest_first(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Take the cheapest benchmarks, each if it still fits; by name where costs are equal.

    Parameters as in `eevee.search.evolve`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    >>> costs = pd.DataFrame({"task": None, "cost": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> table = eevee.ResultsTable.from_scores(frame, benchmarks=costs, cost_unit="h")
    >>> cheapest_first(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=2).best
    ('b', 'c')
    """
    return [_taken(space, sorted(space.free, key=lambda name: (space.costs[name], name)))]


@proposing("medoids", lambda space: 1)
def medoids(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Choose correlation medoids: every benchmark should have a near one in the subset.

    The distance of two benchmarks is 1 - |Spearman| of their means over columns, and the subset
    has a low sum, over all benchmarks of the table, of the distance to the nearest chosen one.
    Under a budget as many are chosen as fit, by the same sum, and each both by its drop and by
    its drop per cost. Parameters as in `eevee.search.evolve`.

    Notes
    -----
    The lowest sum of all where there are at most `MAX_EXACT` subsets, else that of PAM, a local
    optimum: greedy build-up, then the best swap (under a budget also an addition or a drop)
    until none lowers the sum. Kaufman and Rousseeuw, "Finding Groups in Data", 1990, chapter 2.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> two = np.repeat(rng.normal(size=(30, 2)), [2, 3], axis=1)
    >>> frame = pd.DataFrame(two + 0.1 * rng.normal(size=(30, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> found = medoids(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=2)
    >>> found.best[0] in "ab", found.best[1] in "cde"
    (True, True)
    """
    table = ledger.scorer.table
    steps = Steps(space, partial(medoid_losses, distances(table)), float(table.n_benchmarks))
    every = members(space, MAX_EXACT)
    if every is not None:
        return [steps.best(every)]
    return [steps.climb(forward(steps, space))]


@proposing("correlated", lambda space: 1)
def most_correlated(ledger: Ledger, space: Space, rng: np.random.Generator) -> list[Subset]:
    """Take the benchmarks that correlate most with the mean score of all others, each if it fits.

    By |Spearman|, with the scorer's weights in the mean; ties go to the cheaper, then by name.
    Parameters as in `eevee.search.evolve`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> skill = rng.normal(size=(30, 1))
    >>> noise = rng.normal(size=(30, 4))
    >>> frame = pd.DataFrame(skill + [0.5, 0.5, 0.1, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> most_correlated(eevee.RidgeScorer(table, eevee.shuffle_splits(table)), k=1).best
    ('c',)
    """
    scorer = ledger.scorer
    rho = correlations_with_mean(scorer.table, scorer.weights)
    order = sorted(space.free, key=lambda name: (-round6(rho[name]), space.costs[name], name))
    return [_taken(space, order)]


def distances(table: ResultsTable) -> dict[str, np.ndarray]:
    """Return the distances of each benchmark from all, 1 - |Spearman|, (n_benchmarks,) each."""
    return dict(zip(table.benchmark_names, 1.0 - correlations(table), strict=True))


def medoid_losses(apart: dict[str, np.ndarray], subsets: Sequence[Subset]) -> list[float]:
    """Sum over all benchmarks of the distance to the nearest one in each subset."""
    return [float(np.min([apart[name] for name in one], axis=0).sum()) for one in subsets]


def _taken(space: Space, names: Iterable[str]) -> Subset:
    """Take benchmarks in order, after the fixed ones, each if it may still join."""
    taken = list(space.fixed)
    for name in names:
        if space.may_join(taken, name):
            taken.append(name)
    return tuple(sorted(taken))
