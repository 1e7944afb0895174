"""How far off predictions are for models unlike those of the fit: stronger, weaker, or apart.

Training models are held out from the top (from the bottom; with the most unusual inputs) again and
again, and predicted by fits on the rest. Their errors, relative to those that the rest makes inside
its own range, set the intervals of a new model that lies outside of what the training models show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.prediction.distance import Cloud
from eevee.stats.jackknife import group_shares, models_needed
from eevee.stats.metrics import mean_of_known
from eevee.tables.averages import loss_weights, mean_scores
from eevee.tables.bounds import Bounds
from eevee.tables.results_table import ResultsTable

Side = Literal["above", "below", "apart"]
SIDES: tuple[Side, ...] = ("above", "below", "apart")
"""By mean score, and by the distance of the inputs from the mean of the training models."""
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
"""Of the models that are held out on one side."""
INSIDE, OUTSIDE = 0.05, 0.025
"""A new model that stands as far out as only this share of the training models is outside; between
the two its intervals go from those inside to those outside. Among models like the training models
that is as many of each side by construction."""
TAIL_SHARE = 0.4
"""Of either tail that the level leaves, this share is left beyond the frontier: the next step is
often larger than the ones before it. Chosen, like the share that is outside, on the six tables of
`tests/benchmarks/bench_frontier.py`."""
LEAST_FIT = 3
"""Models that a fit needs."""
PRIOR_CELLS = 4
"""A column's own error is pulled to that of all, as if by this many more cells."""


@dataclass(frozen=True, eq=False)
class Edge:
    """Models held out on one side, and those that a fit without them is made on.

    Attributes
    ----------
    side : {"above", "below", "apart"}
    held, fit : shape (n_models,)
        A model of a group that is held out in part is in neither.
    """

    side: Side
    held: BoolArray
    fit: BoolArray


@dataclass(frozen=True, eq=False)
class Held:
    """An edge, and what the fit on its rest predicts for all training models.

    Attributes
    ----------
    edge : Edge
    predicted : shape (n_models, n_columns)
        In the table's own numbers; NaN for models that were fitted on.
    """

    edge: Edge
    predicted: FloatArray


def frontiers(
    table: ResultsTable,
    labels: IntArray,
    weights: Mapping[str, float] | None = None,
    distances: FloatArray | None = None,
) -> tuple[Edge, ...]:
    """Hold out 5 to 40 % of the models: the strongest, the weakest, those apart from the others.

    Parameters
    ----------
    table : ResultsTable
    labels : shape (n_models,)
        Groups that are never on two sides.
    weights : mapping of benchmark to weight, optional
        Of the mean score, which says how strong a model is.
    distances : shape (n_models,), optional
        Of the inputs of each model from those of the others; NaN keeps a model from being held out
        for it.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [4.0, 3, 2, 1, 0]}))
    >>> [(edge.side, np.flatnonzero(edge.held).tolist()) for edge in frontiers(table, np.arange(5))]
    [('above', [0, 1]), ('below', [3, 4])]
    """
    centre = mean_of_known(table.oriented, axis=0)
    units = np.asarray(table.units, dtype=np.float64)
    strength = mean_scores(table.oriented, centre, units, loss_weights(table, weights))
    outward: dict[Side, FloatArray] = {"above": strength, "below": -strength}
    if distances is not None:
        outward["apart"] = distances
    edges = []
    for side, far in outward.items():
        order = np.argsort(-far, kind="stable")[: np.isfinite(far).sum()]
        for count in dict.fromkeys(max(2, round(share * len(far))) for share in SHARES):
            held = np.zeros(len(far), dtype=np.bool_)
            held[order[:count]] = True
            fit = ~held & ~np.isin(labels, labels[held])
            if count <= len(order) and fit.sum() >= max(LEAST_FIT, len(far) / 2):
                edges.append(Edge(side, held, fit))
    return tuple(edges)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a new model stands against the training models.

    Attributes
    ----------
    side : {"above", "below", "apart"}
        On which it is farthest out.
    share : float
        Of the training models that stand at least as far out, the new one counted in.
    weight : float
        0 inside of what the training models show, 1 outside.
    growth : float
        1, and more by the distance beyond all training models in standard deviations.
    passed : float
        Share of the training models that stand less far out; 1 if all do.
    """

    side: Side
    share: float
    weight: float
    growth: float
    passed: float


@dataclass(frozen=True, eq=False)
class Bias:
    """Mean error of training models held out on one side, in units, and its standard error.

    Every group counts once. Above 0 where the models were better than predicted. `models` is how
    many different ones were held out.
    """

    mean: float
    error: float
    models: int


class Frontier:
    """Intervals of models outside, from training models held out on the same side.

    A model is above or below by the mean of its row, measured in the inputs and predicted
    elsewhere, in units; it is apart by the Mahalanobis distance of its inputs from their mean. For
    training models both come without them, so that new models which are like them are outside as
    often as chance has it.

    Parameters
    ----------
    table : ResultsTable
    own : shape (n_models, n_columns)
        Predictions for the training models by fits that left them out.
    held : tuple of Held
    inputs : shape (n_columns,)
    weights : shape (n_columns,)
        Of the mean in units.
    labels : shape (n_models,)
    distances : shape (n_models,)
        Of the inputs of each training model from those of the others.
    """

    def __init__(
        self,
        table: ResultsTable,
        own: FloatArray,
        held: tuple[Held, ...],
        inputs: BoolArray,
        weights: FloatArray,
        labels: IntArray,
        distances: FloatArray,
    ) -> None:
        self._scores = table.scores.to_numpy(np.float64)
        self._units = table.units.to_numpy(np.float64)
        self._signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
        self._inputs, self._weights, self._labels = inputs, weights, labels
        self._centre = table.scores.mean(axis=0).to_numpy(np.float64)
        self._asked = table.is_target & ~inputs
        self._rows = complete_rows(self._scores, inputs)
        self._errors = np.where(self._rows[:, None], (self._scores - own) / self._units, np.nan)
        standing = np.where(self._rows, self._stand(self._scores, own), np.nan)
        self._out: dict[Side, FloatArray] = {
            "above": standing,
            "below": -standing,
            "apart": np.where(self._rows, distances, np.nan),
        }
        self._shares = group_shares(np.isfinite(standing), labels)
        self._scale = self._scale_of(np.ones(len(self._rows), dtype=np.bool_))
        self._cloud = Cloud.of(self._vectors[self._rows])
        self._held = {side: [one for one in held if one.edge.side == side] for side in SIDES}
        self._ratios = {side: self._ratios_of(side) for side in SIDES}
        self._quantiles: dict[tuple[Side, float], FloatArray] = {}
        self.bias = {side: self._bias_of(side) for side in SIDES}

    def place(self, scores: FloatArray, full: FloatArray) -> Place:
        """Say where a new model stands, from its scores and what is predicted (n_columns,)."""
        standing = float(self._stand(scores[None], full[None])[0])
        vector = (scores / self._units)[None, self._inputs]
        far: dict[Side, float] = {
            "above": standing,
            "below": -standing,
            "apart": float(self._cloud.distance(vector)[0]),
        }
        places = [self._place(side, value) for side, value in far.items()]
        place = max(places, key=lambda one: (one.weight, -one.share))
        everyone = np.ones_like(self._rows)
        growth = self._growth(place.side, scores[None], full[None], everyone)
        return replace(place, growth=float(growth[0]))

    def _place(self, side: Side, value: float) -> Place:
        known = np.isfinite(self._out[side])
        as_far = known & (self._out[side] >= value)
        total = self._shares.sum() + 1
        share = float((1 + self._shares[as_far].sum()) / total)
        weight = min(1.0, max(0.0, (INSIDE - share) / (INSIDE - OUTSIDE)))
        if not as_far.any():  # beyond all of them, however few they are
            weight = 1.0
        return Place(side, share, weight, 1.0, float(1 - as_far.sum() / max(1, known.sum())))

    def has_interval(self, side: Side, level: float) -> bool:
        """Whether as many different models were held out there as an interval inside needs."""
        return self.bias[side].models >= models_needed(level)

    def ends(
        self, place: Place, full: FloatArray, level: float, beyond: float, bounds: Bounds
    ) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of every column of a model outside, (n_columns,).

        Parameters
        ----------
        place : Place
        full : shape (n_columns,)
            What is predicted.
        level : float
        beyond : float
            Share of either tail of the held-out errors that is left beyond the ends.
        bounds : Bounds

        Returns
        -------
        lower, upper : arrays
            NaN where too few models were held out for that level.
        """
        if not self.has_interval(place.side, level):
            blank = np.full(len(full), np.nan)
            return blank, blank
        sizes = self._sizes(place.side, beyond * (1 - level) / 2) * place.growth
        steps = sizes[:, None] * self._scale * self._signs * self._units
        low, high = bounds.clip(full + np.sort(steps, axis=0))
        return low, high

    def _sizes(self, side: Side, tail: float) -> FloatArray:
        key = side, tail
        if key not in self._quantiles:
            self._quantiles[key] = np.quantile(self._ratios[side], [tail, 1 - tail])
        return self._quantiles[key]

    def _stand(self, scores: FloatArray, predicted: FloatArray) -> FloatArray:
        filled = np.where(self._inputs & np.isfinite(scores), scores, predicted)
        known = np.where(np.isfinite(filled), filled, self._centre)
        return np.asarray(np.where(self._weights != 0, known, 0.0) @ self._weights)

    @property
    def _vectors(self) -> FloatArray:
        return np.asarray((self._scores / self._units)[:, self._inputs])

    def _growth(
        self, side: Side, scores: FloatArray, predicted: FloatArray, among: BoolArray
    ) -> FloatArray:
        """1, and more by how far models lie beyond all of some training models, (n,)."""
        if side == "apart":
            own = self._vectors[among & self._rows]
            cloud = Cloud.of(own)
            far = cloud.distance((scores / self._units)[:, self._inputs])
            return np.asarray(1 + np.maximum(0.0, far - cloud.distance(own).max()))
        known = self._out[side][among & np.isfinite(self._out[side])]
        spread = known.std() if len(known) > 1 else 0.0
        if not spread > 0:
            return np.ones(len(scores))
        standing = self._stand(scores, predicted) * (1 if side == "above" else -1)
        return np.asarray(1 + np.maximum(0.0, (standing - known.max()) / spread))

    def _scale_of(self, among: BoolArray) -> FloatArray:
        """Root mean squared error of each column inside some models, in units, (n_columns,)."""
        squares = np.where(among[:, None] & self._asked, self._errors**2, np.nan)
        total, count = np.nansum(squares, axis=0), np.isfinite(squares).sum(axis=0)
        common = total.sum() / max(1, count.sum())
        return np.asarray(np.sqrt((total + PRIOR_CELLS * common) / (count + PRIOR_CELLS)))

    def _ratios_of(self, side: Side) -> FloatArray:
        """Errors of held-out cells, higher is better, over the scale of the rest's own errors."""
        found = [np.empty(0)]
        for one in self._held[side]:
            rows, fit = one.edge.held & self._rows, one.edge.fit
            if not (fit & self._rows).any():
                continue
            growth = self._growth(side, self._scores[rows], one.predicted[rows], fit)[:, None]
            with np.errstate(invalid="ignore", divide="ignore"):
                ratios = self._missed(one)[rows] / self._scale_of(fit) / growth
            found.append(ratios[np.isfinite(ratios)])
        return np.concatenate(found)

    def _missed(self, one: Held) -> FloatArray:
        """Errors of held-out cells in units, higher is better; NaN elsewhere."""
        errors = self._signs * (self._scores - one.predicted) / self._units
        return np.where((one.edge.held & self._rows)[:, None] & self._asked, errors, np.nan)

    def _bias_of(self, side: Side) -> Bias:
        n_groups = int(self._labels.max()) + 1
        total, count = np.zeros(n_groups), np.zeros(n_groups)
        seen = np.zeros_like(self._rows)
        for one in self._held[side]:
            errors = self._missed(one)
            seen |= np.isfinite(errors).any(axis=1)
            total += np.bincount(self._labels, np.nansum(errors, axis=1), n_groups)
            count += np.bincount(self._labels, np.isfinite(errors).sum(axis=1), n_groups)
        means = total[count > 0] / count[count > 0]
        if len(means) < 2:
            return Bias(math.nan, math.nan, int(seen.sum()))
        error = float(means.std(ddof=1)) / math.sqrt(len(means))
        return Bias(float(means.mean()), error, int(seen.sum()))


def complete_rows(scores: FloatArray, inputs: BoolArray) -> BoolArray:
    """Models measured in all inputs, as new ones are; all models where those are few."""
    complete = np.asarray(np.isfinite(scores[:, inputs]).all(axis=1))
    return complete if 2 * complete.sum() >= len(scores) else np.ones_like(complete)
