"""How well each benchmark predicts all of them alone (paper, Fig. 3)."""

from __future__ import annotations

import pandas as pd

from eevee.base.arrays import round6
from eevee.scorers.base import Advance, Scorer


def rank(scorer: Scorer, *, advance: Advance | None = None) -> pd.DataFrame:
    """Score every benchmark as a subset of its own.

    Parameters
    ----------
    scorer : Scorer
    advance : callable, optional
        Called with the number of benchmarks just scored.

    Returns
    -------
    DataFrame, lowest loss first
        ``benchmark, task, cost, loss, spread`` (over splits).

    Notes
    -----
    Paper: "EEVEE and GATE", section 4, Fig. 3 (k = 1).

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> ranking = rank(scorer)
    >>> list(ranking.columns), ranking["loss"].is_monotonic_increasing
    (['benchmark', 'task', 'cost', 'loss', 'spread'], True)
    """
    benchmarks = scorer.table.benchmarks
    losses = scorer.split_losses([(name,) for name in benchmarks.index], advance=advance)
    frame = pd.DataFrame(
        {
            "benchmark": benchmarks.index,
            "task": benchmarks["task"].to_numpy(),
            "cost": benchmarks["cost"].to_numpy(),
            "loss": losses.mean(axis=1),
            "spread": losses.std(axis=1),
        }
    )
    order = frame.assign(loss=frame["loss"].map(round6)).sort_values(["loss", "cost", "benchmark"])
    return frame.loc[order.index].reset_index(drop=True)
