"""Searches at several sizes (paper, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Goal
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict, search_verdict


def sweep(
    scorer: Scorer,
    ks: Iterable[int],
    *,
    seed: int = 0,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    control: RunControl = UNATTENDED,
    elsewhere: Sequence[Scorer] = (),
) -> list[SearchResult]:
    """Search at several sizes (paper, Fig. 5): one `SearchResult` per k, in order.

    Each size has a seed of its own, spawned from `seed`, so that a size's result does not
    depend on which others are in the sweep.

    Parameters
    ----------
    scorer : Scorer
    ks : iterable of int
    seed : int
    constraints : Constraints, optional
    procedure : Procedure, optional
        The search, and its settings.
    control : RunControl
        After a stop there are fewer results.
    elsewhere : sequence of Scorer
        As in `Procedure.run`.

    Raises
    ------
    EeveeError
        If a k is out of range (before anything is scored).

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> [len(found.best) for found in sweep(scorer, [1, 2])]
    [1, 2]
    """
    sizes = list(ks)
    for k in sizes:
        Goal(k, constraints=constraints).space(scorer.table)
    procedure = procedure or Procedure()
    found: list[SearchResult] = []
    for k in sizes:
        found.append(
            procedure.run(
                scorer,
                k,
                constraints=constraints,
                seed=child_seed(seed, k),
                label=f"k={k}",
                control=control,
                elsewhere=elsewhere,
            )
        )
        if control.stop():
            break
    return found


def judge_sizes(
    scorer: Scorer,
    results: Sequence[SearchResult],
    *,
    seed: int = 0,
    constraints: Constraints | None = None,
) -> dict[int, SearchVerdict]:
    """Judge each size of a sweep with this seed beside random subsets, as `search_verdict`."""
    sizes = [len(result.best) for result in results]
    return {
        k: search_verdict(scorer, one, k=k, constraints=constraints, seed=child_seed(seed, k))
        for k, one in zip(sizes, results, strict=True)
    }
