"""Near ties: which subset a search proposes where the loss does not tell the best apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset, round6
from eevee.base.errors import EeveeError, did_you_mean
from eevee.scorers.base import Scorer
from eevee.search.result import KEPT, SearchResult
from eevee.search.shrunk import ShrunkCovariance
from eevee.stats.diversity import distances, mean_distance
from eevee.stats.intervals import overlap_factor
from eevee.tables.results_table import ResultsTable

NearTies = Literal["auto", "covariance", "diversity", "loss"]
NEAR_TIES: dict[NearTies, str] = {
    "auto": "covariance on small tables, else loss",
    "covariance": "the least conditional variance within a standard error of the lowest loss",
    "diversity": "the most diverse subset within a standard error of the lowest loss",
    "loss": "the lowest loss, however close the others are",
}
_PREFERRED = {"covariance": "least conditional variance", "diversity": "most diverse columns"}
FEW_MODELS = 24
"""Tables with fewer models are small. Held-out losses were lower on most tables with 13 to 20
models to search on, much the same with 24 ("Small tables" in docs/figures.md)."""
MOST_MISSING = 0.1
"""Share of missing cells above which the covariance was not tried."""


def check_near_ties(near_ties: str) -> None:
    """Refuse an unknown way to settle near ties."""
    if near_ties not in NEAR_TIES:
        hint = did_you_mean(near_ties, tuple(NEAR_TIES))
        raise EeveeError(
            f"unknown near_ties {near_ties!r}{hint}; use one of {', '.join(NEAR_TIES)}"
        )


def is_small(table: ResultsTable) -> bool:
    """Whether near ties are settled by the covariance by default."""
    filled = np.isfinite(table.oriented).mean()
    return table.n_models < FEW_MODELS and bool(filled >= 1 - MOST_MISSING)


def settle(
    scorer: Scorer,
    found: SearchResult,
    near_ties: NearTies,
    include: Iterable[Iterable[str]] = (),
) -> SearchResult:
    """Propose what the covariance (or diversity) prefers of what the loss does not tell apart.

    With few models good subsets differ by less than the noise of the splits, and the lowest of
    thousands of losses is low mostly by chance. Of all subsets that the search scored with a loss
    within one standard error (`noise`) of the lowest, the one with the least conditional variance
    (`ShrunkCovariance`) is proposed, or the one whose columns are most diverse
    (`eevee.stats.diversity`).

    Parameters
    ----------
    scorer : Scorer
        The one of the search.
    found : SearchResult
    near_ties : {"auto", "covariance", "diversity", "loss"}
        "loss": what the search ranked first. "auto": that, or on small tables the covariance.
    include : iterable of subsets
        Subsets that the search began with: nothing worse than these is proposed.

    Returns
    -------
    SearchResult
        The proposed subset is the first of `ranked`; the others keep their order. ``settings``
        say how (``near_ties: covariance``) and hold ``lowest_loss``, that of what the search ranked
        first. The same object where there is nothing to settle.

    Examples
    --------
    >>> import eevee
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(14, 1)) + 0.5 * rng.normal(size=(14, 6))
    >>> table = ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdef")))
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> found = eevee.search.evolve(scorer, k=2)
    >>> settled = settle(scorer, found, "auto")
    >>> bool(settled.best_row["loss"] <= found.best_row["loss"] + noise(scorer, found))
    True
    """
    lowest = float(quoted(found.ranked).iloc[0])
    plain = found.objective != "loss" or found.settings.get("interrupted") or np.isnan(lowest)
    if plain or near_ties == "loss" or (near_ties == "auto" and not is_small(scorer.table)):
        return found
    diverse = near_ties == "diversity"
    how = "diversity" if diverse else "covariance"
    said = {"near_ties": how, "lowest_loss": round6(lowest)}
    limit = quoted(_rows(scorer, found, [scorer.table.subset(one) for one in include])).min()
    for subset in (_by_diversity if diverse else _by_variance)(scorer, found):
        row = _rows(scorer, found, [subset])
        if subset == found.best or not quoted(row).iloc[0] > limit:
            others = found.ranked[found.ranked["benchmarks"] != subset]
            ranked = pd.concat([row, others], ignore_index=True).head(KEPT)
            return replace(found, best=subset, ranked=ranked, settings={**found.settings, **said})
    raise AssertionError("the best subset is within a standard error of itself")


def lowest_row(found: SearchResult) -> pd.Series[Any] | None:
    """Return the row of the lowest loss where another subset is proposed, else None."""
    if found.settings.get("near_ties") not in _PREFERRED or len(found.ranked) < 2:
        return None
    proposed, other = (found.ranked.iloc[place] for place in range(2))
    return other if _key(other) < _key(proposed) else None


def settled_words(found: SearchResult) -> str | None:
    """Say how near ties were settled; None where the lowest loss is proposed."""
    if lowest_row(found) is None:
        return None
    return (
        f"proposed: the subset with the {_PREFERRED[found.settings['near_ties']]} within a "
        "standard error of the lowest loss, which does not tell them apart; --near-ties loss "
        "proposes the lowest"
    )


def quoted(rows: pd.DataFrame) -> pd.Series[float]:
    """Return the losses that rank: under fresh initialisations, if any."""
    return rows["rescored_mean"].fillna(rows["loss"])


def noise(scorer: Scorer, found: SearchResult) -> float:
    """Return one standard error: how far losses of good subsets differ by chance of the splits.

    The median over the ranked subsets of the standard error of their paired difference from the
    best one, over splits, corrected for their overlap as in `nadeau_bengio_interval`. (A median,
    since a linear fit that explodes in one split has an error beyond all measure.)
    """
    others = [subset for subset in found.ranked["benchmarks"] if subset != found.best]
    splits, n_splits = scorer.splits, scorer.splits.n_splits
    if not others or n_splits < 2:
        return 0.0
    losses = scorer.split_losses([found.best, *others])
    fit, test = splits.fit.sum(axis=1).mean(), splits.test.sum(axis=1).mean()
    variances = (losses[1:] - losses[0]).var(axis=1, ddof=1)
    known = variances[np.isfinite(variances)]  # unseen targets may leave a split nothing to test
    if not len(known):
        return 0.0
    return float(np.median(np.sqrt(known * overlap_factor(n_splits, fit, test))))


def _key(row: pd.Series[Any]) -> tuple[float, float, Subset]:
    again = row["rescored_mean"]
    return round6(row["loss"] if np.isnan(again) else again), row["cost"], row["benchmarks"]


def _by_variance(scorer: Scorer, found: SearchResult) -> list[Subset]:
    """Near ties of the best subset, those with the least conditional variance first."""
    subsets = _near(scorer, found)
    weights = scorer.describe().get("weights")
    left = ShrunkCovariance(scorer.table, targets=found.targets, weights=weights).left(subsets)
    return _ordered(scorer, subsets, left)


def _by_diversity(scorer: Scorer, found: SearchResult) -> list[Subset]:
    """Near ties of the best subset, the most diverse first; those of a single column last."""
    table, subsets = scorer.table, _near(scorer, found)
    apart, owners = distances(table.scores), table.columns["benchmark"]
    places = [np.flatnonzero(owners.isin(subset)).tolist() for subset in subsets]
    diverse = [mean_distance(apart, columns) for columns in places]
    return _ordered(scorer, subsets, [0.0 if np.isnan(one) else -one for one in diverse])


def _near(scorer: Scorer, found: SearchResult) -> list[Subset]:
    limit = found.best_row["loss"] + noise(scorer, found)
    near = found.evaluated[found.evaluated["loss"] <= limit]
    return [*near["benchmarks"]] or [found.best]


def _ordered(scorer: Scorer, subsets: list[Subset], least: Iterable[float]) -> list[Subset]:
    """Order subsets by what is to be least, then cost and names."""
    costs = map(scorer.table.cost_of, subsets)
    order = sorted(zip(map(round6, least), costs, subsets, strict=True))
    return [subset for *_, subset in order]


def _rows(scorer: Scorer, found: SearchResult, subsets: list[Subset]) -> pd.DataFrame:
    """Rows as in `SearchResult.ranked`, for any scored subsets."""
    place = {subset: row for row, subset in enumerate(found.evaluated["benchmarks"])}
    rows = found.evaluated.iloc[[place[subset] for subset in subsets]].drop(
        columns=["generation", "drawn"]
    )
    n_rescore = int(found.settings["n_rescore"])
    again = scorer.rescore(subsets, n_rescore) if n_rescore and subsets else None
    if again is None:
        again = np.full((len(subsets), 1), np.nan)
    return rows.assign(rescored_mean=again.mean(axis=1), rescored_spread=again.std(axis=1))
