"""`Overview`: what a run folder shows of searches beside their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from eevee.analysis.ablation import Ablation, ablate_subsets
from eevee.analysis.ranking import rank
from eevee.scorers.base import Advance, Scorer
from eevee.search.curve import losses_for, random_ones
from eevee.search.result import SearchResult


@dataclass(frozen=True, eq=False)
class Overview:
    """Every benchmark alone, what each chosen one adds, and all subsets by cost and loss.

    Attributes
    ----------
    ranking : DataFrame
        From `eevee.rank`.
    ablations : mapping of search name to Ablation
    cloud : DataFrame
        A row per subset that a search scored: ``kind`` ("random", "evaluated"; "tier" for the
        best, and "unseen" for its loss over the benchmarks that it lacks), ``name`` (of the
        search; "" for "evaluated"), ``cost, loss``.
    mean_predictor : float
        Loss of predicting each column's training mean.
    """

    ranking: pd.DataFrame
    ablations: Mapping[str, Ablation]
    cloud: pd.DataFrame
    mean_predictor: float


def overview(
    scorer: Scorer,
    searches: Mapping[str, SearchResult],
    losses: pd.DataFrame,
    *,
    advance: Advance | None = None,
) -> Overview:
    """Rank all benchmarks, and ablate the best subset of each search.

    Parameters
    ----------
    scorer : Scorer
        The one that the searches used.
    searches : mapping of name to SearchResult
    losses : DataFrame
        Of the best subset of each, from `eevee.search.curve.best_losses`.
    advance : callable, optional
        Called with the number of subsets just scored.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> found = eevee.select(scorer, k=2)
    >>> shown = overview(scorer, {"selected": found}, found.losses)
    >>> shown.cloud["kind"].value_counts().to_dict()
    {'random': 10, 'tier': 1, 'unseen': 1}
    """
    ranking = rank(scorer, advance=advance)
    cloud = [_cloud(scorer, name, result, losses) for name, result in searches.items()]
    best = {name: result.best for name, result in searches.items()}
    return Overview(
        ranking,
        ablate_subsets(scorer, best, advance=advance),
        pd.concat(cloud, ignore_index=True),
        float(scorer.mean_predictor().mean()),
    )


def _cloud(scorer: Scorer, name: str, result: SearchResult, losses: pd.DataFrame) -> pd.DataFrame:
    seen = _with_losses(result, scorer).drop_duplicates("benchmarks")
    kind = seen["drawn"].map(lambda times: "random" if times else "evaluated")
    names = kind.map({"random": name, "evaluated": ""})
    points = pd.DataFrame({"kind": kind, "name": names, "cost": seen["cost"], "loss": seen["loss"]})
    loss = seen["loss"][seen["benchmarks"] == result.best].iloc[0]
    row = {"kind": "tier", "name": name, "cost": result.best_row["cost"], "loss": loss}
    rows = [row]
    if scorer.targets == "all":
        rows.append({**row, "kind": "unseen", "loss": losses.loc[name, "unseen"]})
    return pd.concat([points, pd.DataFrame(rows)], ignore_index=True)


def _with_losses(result: SearchResult, scorer: Scorer) -> pd.DataFrame:
    """Return ``benchmarks, cost, loss, drawn`` of subsets that a search scored.

    Of searches that went by another objective, the best 50 subsets and 200 random ones.
    """
    seen = result.evaluated
    if result.objective == "loss":
        return seen
    shown = {*result.ranked["benchmarks"], *random_ones(result)}
    kept = seen[seen["benchmarks"].isin(shown)]
    losses = losses_for(scorer, scorer.targets).losses(list(kept["benchmarks"]))
    return kept.assign(loss=losses)
