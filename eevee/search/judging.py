"""A winner judged beside random subsets, without an assessment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

import numpy as np

from eevee.base.arrays import FloatArray, Subset
from eevee.base.keywords import shares_keywords
from eevee.scorers.base import Scorer
from eevee.scorers.objective import objective_scorer
from eevee.search.baselines import N_RANDOM, random_subsets
from eevee.search.control import UNATTENDED, RunControl
from eevee.search.goal import Goal, GoalSettings
from eevee.search.result import SearchResult
from eevee.search.verdict import LEAST_DISTANCE, LEAST_SHARE, SearchVerdict
from eevee.stats.intervals import overlap_factor

MOST_RANDOM = 200
"""Random draws that the noise is measured on."""
CHUNK = 20
"""Subsets scored between two looks at whether to stop."""


@shares_keywords(GoalSettings)
def search_verdict(
    scorer: Scorer,
    found: SearchResult,
    *,
    seed: int = 0,
    control: RunControl = UNATTENDED,
    **goal: Unpack[GoalSettings],
) -> SearchVerdict:
    """Judge, without an assessment, whether a search found more than luck.

    Parameters
    ----------
    scorer : Scorer
        The one that the search used.
    found : SearchResult
    seed : int
    control : RunControl
        Asked every few subsets where the search drew no random subsets; after a stop none are
        drawn, and the verdict says so.
    **goal
        ``k``, ``budget`` and ``constraints``; all as for that search, in case it drew no random
        subsets.

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
    >>> judged = search_verdict(scorer, eevee.search.evolve(scorer, k=4))
    >>> judged.below > 0, judged.clear
    (True, False)
    """
    scorer = objective_scorer(scorer, found.objective)
    drawn = found
    if not found.n_random:
        space = Goal.of(**goal).space_for(scorer)
        first = space.draws(np.random.default_rng(seed), N_RANDOM)
        if _score(scorer, first, control):
            drawn = random_subsets(scorer, **goal, seed=seed, n_rescore=0)  # all cached
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


def _score(scorer: Scorer, subsets: Iterable[Subset], control: RunControl) -> bool:
    """Let the scorer keep the losses of subsets; tell whether it was not stopped before."""
    new = list(dict.fromkeys(subsets))
    for start in range(0, len(new), CHUNK):
        if control.stop():
            return False
        scorer.split_losses(new[start : start + CHUNK], advance=control.advance)
    return True


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
