"""Searches at several sizes (paper, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.curve import curve_losses, curve_table
from eevee.search.goal import Goal
from eevee.search.judging import search_verdict
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.search.verdict import SearchVerdict


@dataclass(frozen=True, eq=False)
class SweepResult(Sequence[SearchResult]):
    """Searches at several sizes, in the order asked for: a sequence of `SearchResult`.

    Attributes
    ----------
    results : tuple of SearchResult
    losses : DataFrame
        Losses of the best and of random subsets for both kinds of target
        (`eevee.search.curve.curve_losses`).
    verdicts : mapping of size to SearchVerdict
    """

    results: tuple[SearchResult, ...]
    losses: pd.DataFrame
    verdicts: Mapping[int, SearchVerdict]

    @property
    def curve(self) -> pd.DataFrame:
        """One row per size (`eevee.search.curve.curve_table`)."""
        return curve_table(self.results, self.losses)

    @overload
    def __getitem__(self, place: int) -> SearchResult: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[SearchResult, ...]: ...
    def __getitem__(self, place: int | slice) -> SearchResult | tuple[SearchResult, ...]:
        return self.results[place]

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


@takes_control
def sweep(
    scorer: Scorer,
    ks: Iterable[int],
    *,
    seed: int = 0,
    constraints: Constraints | None = None,
    procedure: Procedure | None = None,
    control: RunControl = UNATTENDED,
    elsewhere: Sequence[Scorer] = (),
) -> SweepResult:
    """Search at several sizes (paper, Fig. 5), and judge each.

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

    Returns
    -------
    SweepResult
        A sequence of one `SearchResult` per size, in order.

    Raises
    ------
    EeveeError
        If there is no k, or one is out of range (before anything is scored).

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
    if not sizes:
        raise EeveeError("a sweep needs at least one size")
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
    control.begin("scoring the curve for both kinds of target")
    losses = curve_losses(scorer, found, advance=control.advance)
    control.begin("judging beside random subsets")
    judged = judge_sizes(scorer, found, seed=seed, constraints=constraints, control=control)
    return SweepResult(tuple(found), losses, judged)


def judge_sizes(
    scorer: Scorer,
    results: Sequence[SearchResult],
    *,
    seed: int = 0,
    constraints: Constraints | None = None,
    control: RunControl = UNATTENDED,
) -> dict[int, SearchVerdict]:
    """Judge each size of a sweep with this seed beside random subsets, as `search_verdict`."""
    sizes = [len(result.best) for result in results]
    rest: dict[str, Any] = {"constraints": constraints, "control": control}
    return {
        k: search_verdict(scorer, one, k=k, seed=child_seed(seed, k), **rest)
        for k, one in zip(sizes, results, strict=True)
    }
