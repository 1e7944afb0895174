"""`SearchVerdict`: is a winner further from random subsets than luck would take it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np

from eevee.scorers.base import Objective
from eevee.scorers.objective import MINIMISED

LEAST_SHARE = 1 / 3
"""Of the variance among random subsets that must be more than noise."""
LEAST_DISTANCE = 2.0
"""Standard errors by which what is expected to last must lie above nothing."""
ONLY = "Only `eevee assess` can"


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

    @property
    def brief(self) -> str:
        """Say in a few words whether it is more than luck, as far as a search can know."""
        if not np.isfinite(self.below):
            return "no random subset to compare with"
        side = "below" if self.below >= 0 else "above"
        far = f"{MINIMISED[self.objective]} {abs(100 * self.below):.0f} % {side} the random median"
        if self.distance is None or self.share is None:
            return f"not known (too few splits or random subsets): {far}"
        found = "more than luck" if self.clear else "not clearly more than luck"
        return f"{found}: {far}, {self.distance:.1f} times the noise"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, None for what is blank."""
        kept = {
            k: None if isinstance(v, float) and isnan(v) else v for k, v in asdict(self).items()
        }
        return {**kept, "words": self.words}


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
