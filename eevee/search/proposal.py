"""What makes a search of a rule that proposes subsets: all such searches look alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from eevee.base.arrays import Subset
from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.goal import Budget, Goal
from eevee.search.result import Ledger, ProgressHook, SearchResult
from eevee.search.space import Space

Propose = Callable[[Ledger, Space, np.random.Generator], Sequence[Subset]]
"""Members of the space, in any order; the ledger scores what it takes to find them."""


Search = Callable[..., SearchResult]
"""A search by a fixed rule; parameters as in `eevee.search.evolve`."""


def proposing(method: str, total: Callable[[Space], int | None]) -> Callable[[Propose], Search]:
    """Make a search of a rule.

    Parameters
    ----------
    method : str
        Its name in the settings.
    total : callable
        The most subsets it may score, for progress reports; None where that is not known.
    """

    def decorate(propose: Propose) -> Search:
        def search(
            scorer: Scorer,
            k: int | None = None,
            *,
            budget: float | str | Budget | None = None,
            constraints: Constraints | None = None,
            seed: int = 0,
            n_rescore: int = 8,
            label: str = "search",
            progress: ProgressHook | None = None,
        ) -> SearchResult:
            space = Goal.of(k, budget, constraints).space_for(scorer)
            ledger = Ledger(scorer, label, total(space), progress)
            proposed = list(propose(ledger, space, np.random.default_rng(seed)))
            # A subset that was only ever proposed; others keep the step that they came from.
            ledger.add(proposed, 1)
            return ledger.result(
                n_rescore=n_rescore,
                proposed=sorted(proposed, key=ledger.order),
                settings={
                    "method": method,
                    **space.describe(),
                    "seed": seed,
                    "n_rescore": n_rescore,
                    **({"note": ledger.note} if ledger.note else {}),
                },
                logbook=ledger.one_line(proposed),
            )

        # Not `functools.wraps`: `help` and `inspect` should show the arguments of the search.
        for name in ("__doc__", "__module__", "__name__", "__qualname__"):
            setattr(search, name, getattr(propose, name))
        return search

    return decorate
