"""How long a search is going to take with a scorer, before it begins."""

from __future__ import annotations

import torch

from eevee.scorers.base import Scorer
from eevee.scorers.choose import ChosenScorer
from eevee.scorers.mlp.epochs import CALIBRATION_SUBSETS, MAX_EPOCHS
from eevee.scorers.mlp.networks import padded
from eevee.scorers.mlp.scorer import MLPScorer

RATE = 2e10
"""Operations per second of a thread, with an update of a weight counted as `UPDATE` of them."""
UPDATE = 60.0
SUBSETS = 6500
"""What an evolution scores at most: 1000 random subsets, 10 generations of 500, and the last 50
under fresh initialisations."""
TYPICAL_EPOCHS, TYPICAL_SIZE = 60, 8
LONG = 3600.0
"""Seconds from which a search is called long."""


def longest_seconds(scorer: Scorer) -> float:
    """Return about how long one search may take, in seconds; 0 where it is quick or unknown.

    Of the MLP on a CPU alone: its cost is that of its matrix products and updates.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> longest_seconds(eevee.RidgeScorer(table, eevee.shuffle_splits(table)))
    0.0
    """
    made = scorer.choice.scorer if isinstance(scorer, ChosenScorer) else scorer
    if not isinstance(made, MLPScorer) or made.device.type != "cpu":
        return 0.0
    width, rows = padded(made.training.hidden + 1), int(made.splits.fit.sum(axis=1).max())
    weights = width * (TYPICAL_SIZE + padded(made.table.n_columns))
    step = made.splits.n_splits * weights * (6.0 * padded(rows) + UPDATE)
    steps = SUBSETS * (TYPICAL_EPOCHS if made.epochs == "auto" else made.epochs) * made.n_init
    if made.epochs == "auto":
        steps += 2 * CALIBRATION_SUBSETS * MAX_EPOCHS
    return step * steps / (RATE * (made.n_threads or torch.get_num_threads()))


def outlook(scorer: Scorer) -> str:
    """Say that a search may take long, and what is quicker; empty where it does not.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> outlook(eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20))
    ''
    """
    seconds = longest_seconds(scorer)
    if seconds < LONG:
        return ""
    table, n_splits = scorer.table, scorer.splits.n_splits
    return (
        f"one search with the MLP may take up to about {seconds / 3600:,.0f} h here "
        f"({table.n_models:,} models x {table.n_columns:,} columns, {n_splits} splits); --scorer "
        "ridge or a GPU is much quicker, --epochs 20 and fewer --n-splits help"
    )
