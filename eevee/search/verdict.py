"""`SearchVerdict`: is a winner further from random subsets than luck would take it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.scorers.base import Objective, Scorer
from eevee.scorers.objective import MINIMISED, objective_scorer
from eevee.search.baselines import random_subsets
from eevee.search.constraints import Constraints
from eevee.search.goal import Budget
from eevee.search.result import SearchResult
from eevee.stats.intervals import overlap_factor

LEAST_SHARE = 1 / 3
"""Of the variance among random subsets that must be more than noise."""
LEAST_DISTANCE = 2.0
"""Standard errors by which what is expected to last must lie above nothing."""
ONLY = "Only `eevee assess` can"
MOST_RANDOM = 200
"""Random draws that the noise is measured on."""


@dataclass(frozen=True)
class SearchVerdict:
    """How far a winner lies from random subsets for the same, and how much of that may be luck.

    Attributes
    ----------
    loss : float
        Search loss of the winner, not that under fresh initialisations: random subsets have none.
    random_median : float
        Of the search losses of random subsets.
    below : float
        By which share of the random median the winner's loss is lower.
    noise : float or None
        Standard deviation of a subset's loss, as a difference from the mean of the random ones, by
        luck of splits and initialisations (each split has its own). None with one split, or too
        little to compare.
    distance : float or None
        Random median less loss, in units of that noise.
    share : float or None
        Share of the variance among random subsets that is more than noise; 0 if none is. About
        this share of the distance is expected to last on other models.
    clear : bool
        Whether the distance is more than luck and selection explain. Only `eevee.assess` can
        confirm it.
    objective : {"loss", "kendall", "r2"}
    """

    loss: float
    random_median: float
    below: float
    noise: float | None
    distance: float | None
    share: float | None
    clear: bool
    objective: Objective = "loss"

    @property
    def words(self) -> str:
        """Say it in one line."""
        if not np.isfinite(self.below):
            return "verdict: no random subset to compare with."
        what = MINIMISED[self.objective]
        side = "below" if self.below >= 0 else "above"
        start = f"verdict: {what} {abs(100 * self.below):.0f} % {side} the random median"
        if self.distance is None or self.share is None:
            return f"{start}; too few splits or random subsets to know the noise. {ONLY} tell."
        far = f"{start}, {self.distance:.1f} times the noise of splits and initialisations"
        differ = f"{100 * self.share:.0f} % of the variance among random subsets is more than noise"
        if self.clear:
            return f"{far}; {differ}, so about that share of it should last. {ONLY} confirm it."
        if self.share < LEAST_SHARE:
            return f"{far}; but {differ}: a search finds as much by luck. {ONLY} tell."
        return f"{far}; {differ}: not clearly more than luck. {ONLY} tell."

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, None for what is blank."""
        kept = {
            k: None if isinstance(v, float) and isnan(v) else v for k, v in asdict(self).items()
        }
        return {**kept, "words": self.words}


def search_verdict(
    scorer: Scorer,
    found: SearchResult,
    *,
    k: int | None = None,
    budget: float | str | Budget | None = None,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> SearchVerdict:
    """Judge, without an assessment, whether a search found more than luck.

    Parameters
    ----------
    scorer : Scorer
        The one that the search used.
    found : SearchResult
    k, budget, constraints, seed
        As for that search, in case it drew no random subsets.

    Returns
    -------
    SearchVerdict

    Notes
    -----
    The winner is one of many, so its loss is too low by selection, and its distance in units of
    noise is large even where all subsets are equally good. What selection can feed on is noise; so
    the losses of random subsets are split into what is noise and what is not. Let L_s be the loss
    of random subset s, and v the mean over s of the variance over splits of L_s less the mean of
    the random ones in the same split, times 1 / J + n_test / n_train for the overlap of the J
    splits (Nadeau and Bengio 2003). Each split has its own initialisations, so v holds their luck
    too. The share is rho = 1 - v / var(L_s). With normal losses, a subset whose loss lies A below
    the mean is truly rho A below it, give or take sqrt(rho v), whether it was selected or not
    (Efron 2011, "Tweedie's formula and selection bias", section 1). The verdict is clear where rho
    is at least 1/3 (below that its own error counts) and rho A at least twice sqrt(rho v).

    Examples
    --------
    >>> import pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.normal(size=(40, 12)), columns=list("abcdefghijkl"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> judged = search_verdict(scorer, eevee.evolve(scorer, k=4))
    >>> judged.below > 0, judged.clear
    (True, False)
    """
    scorer = objective_scorer(scorer, found.objective)
    if not found.n_random:
        goal: dict[str, Any] = {"k": k, "budget": budget, "constraints": constraints}
        drawn = random_subsets(scorer, **goal, seed=seed, n_rescore=0)
    else:
        drawn = found
    loss = float(found.best_row["loss"])
    median = drawn.random_median
    below = (median - loss) / median if median else float("nan")
    noise, share = _noise_and_share(scorer, drawn)
    distance = (median - loss) / noise if noise else None
    clear = (
        distance is not None
        and share is not None
        and share >= LEAST_SHARE
        and np.sqrt(share) * distance >= LEAST_DISTANCE
    )
    return SearchVerdict(
        loss=loss,
        random_median=median,
        below=float(below),
        noise=noise or None,
        distance=distance,
        share=share if noise else None,
        clear=bool(clear),
        objective=found.objective,
    )


def sizes_in_words(verdicts: Mapping[int, SearchVerdict]) -> str:
    """Say in one line at which sizes of a sweep the winner is clear of luck.

    Examples
    --------
    >>> clear = SearchVerdict(0.2, 0.4, 0.5, 0.05, 4.0, 0.6, clear=True)
    >>> sizes_in_words({2: clear, 3: clear})
    'verdict: clear of luck at k = 2, 3. Only `eevee assess` can confirm it.'
    """
    clear = [str(k) for k, one in verdicts.items() if one.clear]
    if not clear:
        return f"verdict: at no size is the winner clear of luck. {ONLY} tell."
    rest = "" if len(clear) == len(verdicts) else f" ({len(clear)} of {len(verdicts)} sizes)"
    return f"verdict: clear of luck at k = {', '.join(clear)}{rest}. {ONLY} confirm it."


def _noise_and_share(scorer: Scorer, drawn: SearchResult) -> tuple[float | None, float | None]:
    """Noise of a random subset's loss, and the share of their variance that is more than that."""
    draws = drawn.random_draws
    places = np.unique(np.linspace(0, len(draws) - 1, min(MOST_RANDOM, len(draws))).astype(int))
    chosen = [draws[place] for place in places]
    losses = scorer.split_losses(chosen)
    losses = losses[~np.isnan(losses).any(axis=1)]
    n = losses.shape[1]
    if len(set(chosen)) < 3 or len(losses) < 3 or n < 2:
        return None, None
    variance = _split_noise(losses, scorer)
    total = float(losses.mean(axis=1).var(ddof=1))
    if not variance > 0 or not total > 0:
        return None, None
    return float(np.sqrt(variance)), max(0.0, 1.0 - variance / total)


def _split_noise(losses: FloatArray, scorer: Scorer) -> float:
    """Variance of a subset's loss against the others' by luck of the splits."""
    paired = losses - losses.mean(axis=0)
    n_test, n_train = (float(s.sum(axis=1).mean()) for s in (scorer.splits.test, scorer.splits.fit))
    factor = overlap_factor(losses.shape[1], n_train, n_test)
    return float(factor * paired.var(axis=1, ddof=1).mean())
