"""`next_benchmark`: which one benchmark a model should run next."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray, round6
from eevee.base.errors import EeveeError, did_you_mean
from eevee.completion.complete import Completion, impute
from eevee.tables.results_table import ResultsTable


def next_benchmark(
    completed: Completion | ResultsTable | pd.DataFrame, model: Hashable
) -> pd.DataFrame:
    """Rank a model's missing benchmarks by how much less unsure of it one would be, per cost.

    The uncertainty of a model is the sum, over benchmarks, of the mean expected squared error of
    its missing score columns in standardised units, as measured on hidden scores. A benchmark
    that is run takes away its own part. What it takes away from the others is known before the
    score is: in the factor model, taken as Bayesian regression, it depends only on which cells
    are measured. Not all of that comes true: scores of the table are hidden and shown again to
    measure how much does (`Gains.come_true`), and the drops are multiplied by it.

    Parameters
    ----------
    completed : Completion, ResultsTable or DataFrame
        A table is completed first (with seed 0).
    model : name of a row

    Returns
    -------
    DataFrame, one row per benchmark that the model lacks (wholly or in part), best first
        ``benchmark``, ``cost``, ``drop`` of the uncertainty, its ``share`` of all of the model's
        uncertainty, of which ``own`` is that of the benchmark itself and ``others`` that of the
        others, and ``drop_per_cost``. Columns that no model has count for nothing.

    Raises
    ------
    EeveeError
        If the model is not in the table.

    Notes
    -----
    Choosing the measurement with the largest expected drop of variance is A-optimal design, one
    step at a time: Chaloner and Verdinelli (1995), "Bayesian experimental design: a review",
    section 2.2. The regressions on neighbouring columns have no part in it.

    Examples
    --------
    >>> skill = np.random.default_rng(0).normal(size=(30, 1))
    >>> noise = np.random.default_rng(1).normal(size=(30, 4)) * [0.1, 0.3, 0.5, 1.0]
    >>> frame = pd.DataFrame(skill + noise, columns=list("abcd"))
    >>> frame.loc[7, ["a", "b", "c"]] = np.nan
    >>> next_benchmark(frame, 7).columns.tolist()
    ['benchmark', 'cost', 'drop', 'share', 'own', 'others', 'drop_per_cost']
    >>> len(next_benchmark(frame, 7))
    3
    """
    found = completed if isinstance(completed, Completion) else impute(completed)
    row = _row(found, model)
    lacks = found.predicted.to_numpy()[row]
    unsure = _weights(found) * found.gains.expected(row, lacks)
    owner = found.columns["benchmark"].to_numpy()
    before = float(unsure.sum())
    rows = []
    for name in sorted(set(owner[lacks]), key=str):
        measured = lacks & (owner == name)
        shares = found.gains.come_true * found.beliefs.shares(~lacks, measured)
        own = float(unsure[measured].sum())
        others = float((unsure * np.minimum(shares, 1.0))[~measured].sum())
        cost, drop = float(found.costs[name]), own + others
        per_cost = drop / cost if cost > 0 else np.inf
        rows.append((name, cost, drop, drop / before if before > 0 else 0.0, own, others, per_cost))
    rows.sort(key=lambda row: (-round6(row[-1]), -round6(row[2]), row[1], str(row[0])))
    names = ["benchmark", "cost", "drop", "share", "own", "others", "drop_per_cost"]
    return pd.DataFrame(rows, columns=names)


def _row(found: Completion, model: Hashable) -> int:
    places = np.flatnonzero(found.scores.index == model)
    if len(places) != 1:
        hint = did_you_mean(str(model), [str(name) for name in found.scores.index])
        raise EeveeError(f"no model {model!r} in the table{hint}")
    return int(places[0])


def _weights(found: Completion) -> FloatArray:
    """Each benchmark counts the same, as the mean of its score columns."""
    target = found.columns["target"].to_numpy(np.float64)
    sizes = pd.Series(target).groupby(found.columns["benchmark"].to_numpy()).transform("sum")
    return np.asarray(target / np.maximum(sizes.to_numpy(), 1.0))
