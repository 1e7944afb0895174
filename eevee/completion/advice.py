"""`next_benchmark`, `Advisor`: which one benchmark a model should run next."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import BoolArray, FloatArray, round6
from eevee.base.errors import EeveeError, did_you_mean
from eevee.completion.beliefs import Beliefs
from eevee.completion.calibration import Calibration
from eevee.completion.complete import Completion, columns_of, costs_of, impute, learn
from eevee.completion.filling import Problem, Recipe, fill, signs
from eevee.completion.gains import Gains, beliefs_of
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
    there = found.scores.notna().to_numpy()
    lacks = found.predicted.to_numpy()[row] | (~there[row] & there.any(axis=0))  # proxies, too
    return _ranked(found.gains, found.beliefs, row, lacks, Facts(found.columns, found.costs))


@dataclass(frozen=True, eq=False)
class Facts:
    """What the ranking takes of a table: `columns` and `costs` as in `Completion`."""

    columns: pd.DataFrame
    costs: pd.Series[float]


@dataclass(frozen=True, eq=False)
class Advisor:
    """`next_benchmark` for a model that is not in the table, again and again as it is measured.

    The factor model is chosen and its errors are measured once, on the table alone, so that nothing
    of the model decides them; then each ranking takes one fit.

    Attributes
    ----------
    problem : Problem
        Of the table.
    recipe : Recipe
    calibration : Calibration
    gains : Gains
    signs : shape (n_columns,)
    facts : Facts

    Examples
    --------
    >>> skill = np.random.default_rng(0).normal(size=(30, 1))
    >>> noise = np.random.default_rng(1).normal(size=(30, 4)) * [0.1, 0.3, 0.5, 1.0]
    >>> advisor = Advisor.of(pd.DataFrame(skill + noise, columns=list("abcd")))
    >>> sorted(advisor.rank(np.array([0.5, np.nan, np.nan, 0.1]))["benchmark"])
    ['b', 'c']
    """

    problem: Problem
    recipe: Recipe
    calibration: Calibration
    gains: Gains
    signs: FloatArray
    facts: Facts

    @classmethod
    def of(cls, table: ResultsTable | pd.DataFrame, *, seed: int = 0) -> Advisor:
        """Choose the factor model on a table and measure its errors there, as `impute` does."""
        problem = Problem.of(table)
        with threadpool_limits(1, "blas"):
            recipe, calibration, gains = learn(problem, 0.9, seed)
        facts = Facts(columns_of(table), costs_of(table))
        return cls(problem, recipe, calibration, gains, signs(table), facts)

    def rank(self, scores: FloatArray) -> pd.DataFrame:
        """Rank what a model lacks, as `next_benchmark` does.

        Parameters
        ----------
        scores : shape (n_columns,)
            In the table's own numbers; NaN where not measured.
        """
        problem = self.problem
        seen = np.concatenate([problem.seen, np.isfinite(scores)[None]])
        stacked = np.concatenate([problem.scores, (scores * self.signs)[None]])
        with threadpool_limits(1, "blas"):
            larger = Problem(stacked, seen, problem.units, problem.bounds, problem.targets)
            filling = fill(larger, seen, self.recipe)
            gains = replace(self.gains, variance=self.calibration.variance(filling))
        lacks = ~seen[-1] & problem.seen.any(axis=0)
        beliefs = beliefs_of(filling, self.calibration)
        return _ranked(gains, beliefs, len(seen) - 1, lacks, self.facts)


def _ranked(
    gains: Gains, beliefs: Beliefs, row: int, lacks: BoolArray, facts: Facts
) -> pd.DataFrame:
    unsure = _weights(facts.columns) * gains.expected(row, lacks)
    owner = facts.columns["benchmark"].to_numpy()
    before = float(unsure.sum())
    rows = []
    for name in sorted(set(owner[lacks]), key=str):
        measured = lacks & (owner == name)
        shares = gains.come_true * beliefs.shares(~lacks, measured)
        own = float(unsure[measured].sum())
        others = float((unsure * np.minimum(shares, 1.0))[~measured].sum())
        cost, drop = float(facts.costs[name]), own + others
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


def _weights(columns: pd.DataFrame) -> FloatArray:
    """Each benchmark counts the same, as the mean of its score columns."""
    target = columns["target"].to_numpy(np.float64)
    sizes = pd.Series(target).groupby(columns["benchmark"].to_numpy()).transform("sum")
    return np.asarray(target / np.maximum(sizes.to_numpy(), 1.0))
