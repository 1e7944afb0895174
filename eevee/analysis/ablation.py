"""What the loss does when one benchmark leaves a subset (paper, Fig. 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset
from eevee.scorers.base import Advance, Scorer


@dataclass(frozen=True, eq=False)
class Ablation:
    """A subset, its search loss, and what `ablate` says of it.

    Attributes
    ----------
    subset : Subset
    loss : float
    frame : DataFrame
        From `ablate`.
    """

    subset: Subset
    loss: float
    frame: pd.DataFrame


def ablate(
    scorer: Scorer, subset: Iterable[str], *, advance: Advance | None = None
) -> pd.DataFrame:
    """Train from scratch without each benchmark of a subset in turn.

    Parameters
    ----------
    scorer : Scorer
    subset : iterable of benchmark names
    advance : callable, optional
        Called with the number of subsets just scored.

    Returns
    -------
    DataFrame, largest increase first
        ``benchmark, loss_without, increase`` (loss without it minus loss with it),
        ``increase_spread`` (of that difference, over splits).

    Notes
    -----
    Paper: "EEVEE and GATE", section 4, Fig. 4. Without the last benchmark of a subset of one,
    each column's training mean is predicted. With ``targets="unseen"`` a benchmark that leaves
    becomes a target, so the two losses are means over different benchmarks.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 3))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 3] * noise, columns=list("abc"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> drop = ablate(scorer, ["a", "b", "c"])
    >>> list(drop.columns)
    ['benchmark', 'loss_without', 'increase', 'increase_spread']
    """
    names = scorer.table.subset(subset)
    rest = [tuple(name for name in names if name != gone) for gone in names]
    if rest == [()]:
        without = scorer.mean_predictor()[None]
    else:
        without = scorer.split_losses(rest, advance=advance)
    increase = without - scorer.split_losses([names], advance=advance)
    frame = pd.DataFrame(
        {
            "benchmark": names,
            "loss_without": without.mean(axis=1),
            "increase": increase.mean(axis=1),
            "increase_spread": increase.std(axis=1),
        }
    )
    order = np.lexsort((frame.index, -frame["increase"]))
    return frame.iloc[order].reset_index(drop=True)


def ablate_subsets(
    scorer: Scorer, subsets: Mapping[str, Iterable[str]], *, advance: Advance | None = None
) -> dict[str, Ablation]:
    """Ablate each of several subsets, by name."""
    done: dict[str, Ablation] = {}
    for name, given in subsets.items():
        subset = scorer.table.subset(given)
        frame = ablate(scorer, subset, advance=advance)
        done[name] = Ablation(subset, float(scorer.losses([subset])[0]), frame)
    return done
