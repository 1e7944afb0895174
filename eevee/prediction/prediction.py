"""`Prediction`: the full rows of new models, with intervals, and their mean scores."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray, IntArray, Subset
from eevee.base.files import replacing
from eevee.prediction.frontier import LEAST_FIT, TAIL_SHARE, Frontier, Place
from eevee.prediction.refits import Refits
from eevee.stats.jackknife import models_needed, plus_interval
from eevee.tables.averages import target_weights
from eevee.tables.bounds import Bounds, scale_of
from eevee.tables.results_table import ResultsTable

MEAN_SCORE = "mean score"
"""What the mean score is called beside the columns in `Prediction.no_interval`."""
SUFFIXES = ("predicted", "lower", "upper")
NEGLIGIBLE = 0.1
"""Standard deviations up to which a bias is not worth a word; nor is one within two standard errors
of 0."""
_PLACES = {
    "above": "by its mean score (predicted where not measured) stronger than",
    "below": "by its mean score (predicted where not measured) weaker than",
    "apart": "by the combination of its inputs farther from the training mean than",
}


@dataclass(frozen=True, eq=False)
class Prediction:
    """What is measured and what is predicted of new models.

    Scores are in the table's own numbers, not turned. An interval is blank (NaN) where too few
    training models were measured; `no_interval` says why.

    Attributes
    ----------
    mean, lower, upper : DataFrame, shape (n_new, n_score_columns)
        Prediction and ends of its interval, all within the bounds of the column
        (`eevee.tables.bounds.column_bounds`: 0 to 100 for percentages); a measured score as it is,
        with zero width.
    measured : DataFrame of bool, same shape
    mean_in_units : DataFrame indexed by model, with columns predicted, lower, upper
        By how many units (standard deviations) a model is better than the mean of the training
        models, averaged over columns, benchmarks and tasks as the loss is.
    mean_score : DataFrame like `mean_in_units`, or None
        The same average of the scores themselves; None where columns share no scale.
    inputs : mapping of model to tuple of benchmark names
        What it was predicted from.
    out_of_range : DataFrame with columns model, benchmark, column, score, lowest, highest
        Inputs that lie beyond those of all training models by more than a quarter of a unit.
    outside : DataFrame with columns model, side, share, weight, growth, passed, bias, bias_error, \
held_out, interval
        Models outside of what the training models show: on which `side` of them ("above" or
        "below" by their mean score, measured or predicted, "apart" by the distance of the input
        vector), the `share` of training models that stand as far out (this one counted in), the
        `weight` of the wider interval and its `growth` with the distance beyond all of them, the
        share of training models `passed`; the mean error in units of predictions for training
        models that were held out on that side (positive: they were better than predicted) and
        its standard error; how many of these there were, and whether they are enough for an
        `interval`.
    no_interval : mapping of column (or "mean score") to text
    warnings : tuple of str
    level : float
    method : str
        How the intervals were made, in words.
    """

    mean: pd.DataFrame
    lower: pd.DataFrame
    upper: pd.DataFrame
    measured: pd.DataFrame
    mean_in_units: pd.DataFrame
    mean_score: pd.DataFrame | None
    inputs: Mapping[str, Subset]
    out_of_range: pd.DataFrame
    outside: pd.DataFrame
    no_interval: Mapping[str, str]
    warnings: tuple[str, ...]
    level: float
    method: str

    def to_long(self) -> pd.DataFrame:
        """Return one row per model and column: model, column, predicted, lower, upper, measured."""
        n_models, n_columns = self.mean.shape
        return pd.DataFrame(
            {
                "model": np.repeat(self.mean.index.to_numpy(), n_columns),
                "column": np.tile(self.mean.columns.to_numpy(), n_models),
                "predicted": self.mean.to_numpy().ravel(),
                "lower": self.lower.to_numpy().ravel(),
                "upper": self.upper.to_numpy().ravel(),
                "measured": self.measured.to_numpy().ravel(),
            }
        )

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write `to_long` as a CSV: measured scores in full, predictions with 6 digits.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        numbers = ["predicted", "lower", "upper"]
        rows = self.to_long()
        written = rows[numbers].map(lambda value: float(f"{value:.6g}"))
        rows[numbers] = rows[numbers].where(rows["measured"], written)
        with replacing(Path(path)) as temporary:
            rows.to_csv(temporary, index=False, lineterminator="\n")


@dataclass(frozen=True, eq=False)
class MeanRule:
    """A mean score as a weighted sum of columns: ``constant + scores @ weights``."""

    weights: FloatArray
    constant: float


def mean_in_units(table: ResultsTable, weights: Mapping[str, float] | None = None) -> MeanRule:
    """Mean score in units above the training mean, averaged as the loss is; higher is better."""
    signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    rule = target_weights(table, weights) * signs / table.units.to_numpy(np.float64)
    return MeanRule(rule, -float(rule @ table.scores.mean(axis=0).to_numpy(np.float64)))


def mean_score(table: ResultsTable, weights: Mapping[str, float] | None = None) -> MeanRule | None:
    """Mean of the scores as they are, averaged as the loss is, if all share direction and scale.

    A scale is shared where all scores lie between 0 and 1, or all between 0 and 100 with some
    score above 1 in every column (`eevee.tables.bounds.scale_of`).

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [0.2, 0.4, 0.9], "b": [0.5, 0.1, 0.3]})
    >>> rule = mean_score(ResultsTable.from_scores(frame))
    >>> rule.weights.tolist(), rule.constant
    ([0.5, 0.5], 0.0)
    >>> mean_score(ResultsTable.from_scores(frame * [1, 100])) is None
    True
    """
    scores = table.scores.loc[:, table.is_target].to_numpy(np.float64)
    directions = set(table.columns["direction"][table.is_target])
    low, width = scale_of(scores, np.isfinite(scores))
    shared = np.isfinite(width[0]) and bool((width == width[0]).all() and not low.any())
    if len(directions) > 1 or not shared:
        return None
    return MeanRule(target_weights(table, weights), 0.0)


@dataclass(frozen=True, eq=False)
class Row:
    """A new model: its scores, and how to predict what it lacks.

    Attributes
    ----------
    scores : shape (n_columns,)
        NaN where not measured.
    refits : Refits
    place : int
        Of the model among those of `refits`.
    labels : shape (n_models,)
        Groups of training models that were left out together.
    frontier : Frontier
        Of the same refits.
    """

    scores: FloatArray
    refits: Refits
    place: int
    labels: IntArray
    frontier: Frontier

    @property
    def measured(self) -> BoolArray:
        """Columns that were measured."""
        return np.isfinite(self.scores)

    @cached_property
    def standing(self) -> Place:
        """Where the model stands against the training models."""
        return self.frontier.place(self.scores, self.refits.full[self.place])

    def columns(self, level: float) -> FloatArray:
        """Prediction and ends of every column, (3, n_columns)."""
        full, bounds = self.refits.full[self.place], self.refits.bounds
        left_out = self.refits.left_out[self.refits.folds, self.place]
        ends = plus_interval(left_out, self.refits.residuals, level, self.labels)
        inside = np.stack([bounds.clip(end) for end in ends])
        wider = self._widened(inside, lambda: self._outer_ends(level, TAIL_SHARE))
        found = np.stack([full, *wider])
        return np.where(self.measured, self.scores, _with_prediction(found))

    def mean(self, rule: MeanRule, level: float) -> FloatArray:
        """Prediction and ends of a mean score, (3,), from the residuals of the mean itself.

        What was measured has no error in it. A training model takes part if it was measured in
        all columns that are predicted. Outside of what the training models show, the errors of
        the columns go together: the ends are the means of the columns' ends.
        """
        weights = np.where(self.measured, 0.0, rule.weights)
        known = rule.constant + _dot(self.scores, np.where(self.measured, rule.weights, 0.0))
        if not weights.any():
            return np.full(3, known)
        full = known + _dot(self.refits.full[self.place], weights)
        left_out = known + _dot(self.refits.left_out[:, self.place], weights)[self.refits.folds]
        residuals = _dot(self.refits.residuals, weights)
        low, high = mean_bounds(self.refits.bounds, weights)
        inside = plus_interval(left_out, residuals, level, self.labels)

        def outer() -> FloatArray:
            return known + mean_ends(self._outer_ends(level, 1.0), weights)

        ends = self._widened(np.clip(inside, known + low, known + high), outer)
        return _with_prediction(np.stack([full, *ends]))

    def _outer_ends(self, level: float, beyond: float) -> FloatArray:
        full, bounds = self.refits.full[self.place], self.refits.bounds
        return np.stack(self.frontier.ends(self.standing, full, level, beyond, bounds))

    def _widened(self, inside: FloatArray, outer: Callable[[], FloatArray]) -> FloatArray:
        """Ends (2, ...) that go from those inside to the wider ones as the model stands out."""
        weight = self.standing.weight
        if weight == 0:
            return inside
        ends = outer()
        wider = np.stack([np.minimum(inside[0], ends[0]), np.maximum(inside[1], ends[1])])
        return np.asarray((1 - weight) * inside + weight * wider)


def mean_bounds(bounds: Bounds, weights: FloatArray) -> tuple[float, float]:
    """Least and largest weighted sum of columns within their bounds, maybe infinite.

    Examples
    --------
    >>> bounds = Bounds(np.array([0.0, 0.0]), np.array([1.0, 100.0]))
    >>> mean_bounds(bounds, np.array([0.5, -0.5]))
    (-50.0, 0.5)
    """
    low, high = mean_ends(np.stack([bounds.low, bounds.high]), weights)
    return float(low), float(high)


def mean_ends(ends: FloatArray, weights: FloatArray) -> FloatArray:
    """Least and largest weighted sum of columns between their ends (2, n_columns)."""
    return np.asarray(np.sort(_weighted(ends, weights), axis=0).sum(axis=1))


def _weighted(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Values by weights; what has no weight is 0."""
    return np.asarray(np.where(weights != 0, values, 0.0) * weights)


def _dot(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted sum along the last axis; what has no weight may be NaN."""
    return np.asarray(np.where(weights != 0, values, 0.0) @ weights)


def _with_prediction(found: FloatArray) -> FloatArray:
    """Widen an interval that misses its own prediction (rare; the method does not forbid it)."""
    full, lower, upper = found
    return np.stack([full, np.minimum(lower, full), np.maximum(upper, full)])


def said_of_bounds(predicted: pd.DataFrame, bounds: Bounds) -> list[str]:
    """Name the columns in which predictions were held at a bound, in at most one sentence.

    Parameters
    ----------
    predicted : DataFrame, shape (n_new, n_score_columns)
        Within their bounds; NaN where measured.
    bounds : Bounds
        Of these columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"acc": [100.0, 98.7], "f1": [0.4, 0.5]}, index=["x", "y"])
    >>> said_of_bounds(frame, Bounds(np.zeros(2), np.array([100.0, 1.0])))
    ['1 prediction was held at the bounds of its column: acc (1)']
    """
    held = ((predicted == bounds.low) | (predicted == bounds.high)).sum()
    held = held[held > 0]
    if held.empty:
        return []
    total = int(held.sum())
    were = (
        "prediction was held at the bounds of its column"
        if total == 1
        else ("predictions were held at the bounds of their columns")
    )
    named = [f"{name} ({n})" for name, n in held.sort_values(ascending=False).items()]
    more = [f"and {len(named) - 5} more columns"] if len(named) > 5 else []
    return [f"{total} {were}: {', '.join(named[:5] + more)}"]


def why_no_interval(
    table: ResultsTable, labels: IntArray, folds: IntArray, level: float, blank_mean: bool
) -> dict[str, str]:
    """Return, by column, why it has no interval; and the mean score likewise."""
    needed = models_needed(level)
    grouped = int(labels.max()) + 1 < table.n_models
    what = "groups of training models" if grouped else "training models"
    words = f"an interval of {100 * level:g} % needs {needed} {what}"
    part = table.n_models - np.bincount(folds)[folds] >= LEAST_FIT
    lost = "" if part.all() else (
        f" ({int((~part).sum())} models have no part: without those of their group fewer than "
        f"{LEAST_FIT} would be left to fit on)"
    )  # fmt: skip
    known = table.scores.loc[:, table.is_target].notna() & part[:, None]
    why = {}
    for name, seen in known.items():
        count = len(np.unique(labels[seen]))
        if count < needed:
            why[str(name)] = f"{words} with a score there, there are {count}{lost}"
    if blank_mean:
        why[MEAN_SCORE] = f"{words} with a score in every column that is predicted{lost}"
    return why


def outside_of(rows: Mapping[str, Row], level: float) -> pd.DataFrame:
    """List the models outside of what the training models show (see `Prediction.outside`)."""
    found = [
        (
            model,
            *astuple(row.standing),
            *astuple(row.frontier.bias[row.standing.side]),
            row.frontier.has_interval(row.standing.side, level),
        )
        for model, row in rows.items()
        if row.standing.weight > 0 and not row.measured.all()
    ]
    header = "model side share weight growth passed bias bias_error held_out interval"
    return pd.DataFrame(found, columns=pd.Index(header.split()))


def said_of(outside: pd.DataFrame, level: float) -> list[str]:
    """Say of each model outside how far out it is, and the bias where it is not negligible."""
    return [_said(row, level) for _, row in outside.iterrows()]


def _said(row: pd.Series[Any], level: float) -> str:
    passed = "all" if row["passed"] == 1 else f"{math.floor(100 * row['passed'])} %"
    start = f"{row['model']}: {_PLACES[row['side']]} {passed} of the training models, so outside "
    if not row["interval"]:
        return (
            f"{start}of what they show: no interval, for only {row['held_out']} of them could be "
            f"held out on that side, and {100 * level:g} % need {models_needed(level)}"
        )
    return f"{start}of what they show: wider intervals{_bias(row)}"


def _bias(row: pd.Series[Any]) -> str:
    if not abs(row["bias"]) >= max(NEGLIGIBLE, 2 * row["bias_error"]):
        return ""
    how = "pessimistic" if row["bias"] > 0 else "optimistic"
    return (
        f"; for training models held out on that side predictions were too {how}, by "
        f"{abs(row['bias']):.2g} standard deviations on average"
    )
