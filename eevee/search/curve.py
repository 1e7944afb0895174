"""Losses of a sweep for both kinds of target: what a plot over k needs to be honest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset
from eevee.scorers.base import Advance, Scorer
from eevee.scorers.loss import TARGETS, Targets
from eevee.scorers.objective import plain_scorer
from eevee.search.result import SearchResult

N_RANDOM = 200


def curve_losses(
    scorer: Scorer, results: Sequence[SearchResult], *, advance: Advance | None = None
) -> pd.DataFrame:
    """Score the best and the random subsets of a sweep for both kinds of target.

    With ``targets="all"`` a subset's own columns are among the targets, so the loss falls with
    k by arithmetic alone; with ``"unseen"`` it does not. The subsets are those of the sweep,
    which minimised one of the two.

    Parameters
    ----------
    scorer : Scorer
        The one that the sweep used.
    results : sequence of SearchResult
    advance : callable, optional
        Called with the number of subsets just scored.

    Returns
    -------
    DataFrame, one row per subset
        ``k, kind`` ("top" or "random"), ``targets, loss``. Up to 50 top subsets and 200 random
        draws per size; blank at k = n for "unseen".
    """
    parts = []
    for targets in TARGETS:
        judge = losses_for(scorer, targets)
        for result in results:
            k = len(result.best)
            for kind, subsets in (
                ("top", list(result.ranked["benchmarks"])),
                ("random", random_ones(result)),
            ):
                losses = judge.losses(subsets, advance=advance)
                parts.append(
                    pd.DataFrame({"k": k, "kind": kind, "targets": targets, "loss": losses})
                )
    return pd.concat(parts, ignore_index=True)


def best_losses(
    scorer: Scorer, found: Mapping[str, SearchResult], *, advance: Advance | None = None
) -> pd.DataFrame:
    """Return the search loss of the best subset of each search, for both kinds of target.

    Returns
    -------
    DataFrame indexed by search name, with columns ``all, unseen``; blank where nothing is unseen.
    """
    best = [result.best for result in found.values()]
    losses = {}
    for targets in TARGETS:
        judge = losses_for(scorer, targets)
        losses[targets] = judge.losses(best, advance=advance)
    return pd.DataFrame(losses, index=pd.Index(list(found)))


def losses_for(scorer: Scorer, targets: Targets) -> Scorer:
    """Return what gives losses for one kind of target, whatever a search went by."""
    plain = plain_scorer(scorer)
    return plain if targets == plain.targets else plain.with_targets(targets)


def random_ones(result: SearchResult) -> list[Subset]:
    """Return up to 200 of the random draws, spread evenly over them."""
    drawn = result.random_draws
    places = np.unique(np.linspace(0, len(drawn) - 1, min(N_RANDOM, len(drawn))).astype(int))
    return [drawn[place] for place in places]


def curve_table(results: Sequence[SearchResult], losses: pd.DataFrame) -> pd.DataFrame:
    """Return one row per size: the best and the random median, for both kinds of target.

    Parameters
    ----------
    results : sequence of SearchResult
    losses : DataFrame
        From `curve_losses`.

    Returns
    -------
    DataFrame
        ``k, exact, best_all, random_all, best_unseen, random_unseen, n_random``; "best" is the
        loss of the first-ranked subset, "random" the median of the random draws, and
        ``n_random`` how many different subsets these are.
    """
    rows = []
    for result in results:
        row: dict[str, float | int | str] = {"k": len(result.best), "exact": str(result.exact)}
        for targets in TARGETS:
            here = losses[(losses["k"] == row["k"]) & (losses["targets"] == targets)]
            row[f"best_{targets}"] = float(here.loc[here["kind"] == "top", "loss"].iloc[0])
            row[f"random_{targets}"] = float(here.loc[here["kind"] == "random", "loss"].median())
        rows.append(row | {"n_random": len(set(random_ones(result)))})
    return pd.DataFrame(rows)
