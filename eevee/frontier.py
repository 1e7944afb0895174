"""How far off predictions are for models stronger, or weaker, than those of the fit.

Training models are held out from the top (and from the bottom) again and again, and predicted by
fits on the rest. Their errors, relative to those that the rest makes inside its own range, set the
intervals of a new model that lies outside of what the training models show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eevee.averages import loss_weights, mean_scores
from eevee.bounds import Bounds
from eevee.jackknife import group_shares
from eevee.metrics import mean_of_known
from eevee.table import BoolArray, FloatArray, IntArray, ResultsTable

Side = Literal["above", "below"]
SIDES: tuple[Side, Side] = ("above", "below")
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
"""Of the models that are held out from one end."""
INSIDE, OUTSIDE = 0.05, 0.025
"""A new model whose standing only so many of the training models reach is outside; between the two
its intervals go from those inside to those outside. Among models like the training models that is
as many of each side by construction."""
TAIL_SHARE = 0.4
"""Of either tail that the level leaves, so much is left beyond the frontier: the next step is often
larger than the ones before it. Chosen, like the share that is outside, on the six tables of
`tests/benchmarks/bench_frontier.py`."""
LEAST_FIT = 3
"""Models that a fit needs."""
PRIOR_CELLS = 4
"""A column's own error is pulled to that of all, as if by so many more cells."""


@dataclass(frozen=True, eq=False)
class Edge:
    """Models held out from one end, and those that a fit without them is made on.

    Attributes
    ----------
    side : {"above", "below"}
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
    table: ResultsTable, labels: IntArray, weights: Mapping[str, float] | None = None
) -> tuple[Edge, ...]:
    """Hold out 5 to 40 % of the models from the top, and from the bottom, by mean score.

    Parameters
    ----------
    table : ResultsTable
    labels : shape (n_models,)
        Groups that are never on two sides.
    weights : mapping of benchmark to weight, optional
        Of the mean score.

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
    edges = []
    for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
        order = np.argsort(sign * strength, kind="stable")
        for count in dict.fromkeys(max(2, round(share * len(order))) for share in SHARES):
            held = np.zeros(len(order), dtype=np.bool_)
            held[order[:count]] = True
            fit = ~held & ~np.isin(labels, labels[held])
            if fit.sum() >= max(LEAST_FIT, len(order) / 2):
                edges.append(Edge(side, held, fit))
    return tuple(edges)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a new model stands against the training models.

    Attributes
    ----------
    side : {"above", "below"}
    share : float
        Of the training models that stand at least as far out, the new one counted in.
    weight : float
        0 inside of what the training models show, 1 outside.
    growth : float
        1, and more by the distance beyond all training models in their standard deviations.
    """

    side: Side
    share: float
    weight: float
    growth: float


class Frontier:
    """Intervals of models outside, from training models held out at the ends.

    The standing of a model is the mean of its row, measured in the inputs and predicted elsewhere,
    in units: one number for all inputs together. For training models it comes from fits that left
    them out, so that new models which are like them are outside as often as chance has it.

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
    """

    def __init__(
        self,
        table: ResultsTable,
        own: FloatArray,
        held: tuple[Held, ...],
        inputs: BoolArray,
        weights: FloatArray,
        labels: IntArray,
    ) -> None:
        self._scores = table.scores.to_numpy(np.float64)
        self._units = table.units.to_numpy(np.float64)
        self._signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
        self._inputs, self._weights = inputs, weights
        self._centre = table.scores.mean(axis=0).to_numpy(np.float64)
        self._asked = table.is_target & ~inputs
        self._rows = _complete(self._scores, inputs)
        self._errors = np.where(self._rows[:, None], (self._scores - own) / self._units, np.nan)
        self._standing = np.where(self._rows, self._stand(self._scores, own), np.nan)
        self._shares = group_shares(np.isfinite(self._standing), labels)
        self._scale = self._scale_of(np.ones(len(self._rows), dtype=np.bool_))
        self._held = {side: [one for one in held if one.edge.side == side] for side in SIDES}
        self._ratios = {side: self._ratios_of(side) for side in SIDES}
        self._quantiles: dict[tuple[Side, float], FloatArray] = {}
        self.bias = {side: self._bias_of(side) for side in SIDES}

    def place(self, scores: FloatArray, full: FloatArray) -> Place:
        """Say where a new model stands, from its scores and what is predicted (n_columns,)."""
        standing = float(self._stand(scores[None], full[None])[0])
        total = self._shares.sum() + 1
        beyond = {
            side: (1 + self._shares[self._out(side, self._standing - standing) >= 0].sum()) / total
            for side in SIDES
        }
        side = min(SIDES, key=lambda one: beyond[one])
        share = float(beyond[side])
        weight = min(1.0, max(0.0, (INSIDE - share) / (INSIDE - OUTSIDE)))
        if share <= 1 / total + 1e-9:  # beyond all of them, however few they are
            weight = 1.0
        everyone = np.isfinite(self._standing)
        growth = float(self._growth(side, np.array([standing]), everyone)[0])
        return Place(side, share, weight, growth)

    def ends(
        self, place: Place, full: FloatArray, tail: float, bounds: Bounds
    ) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of every column of a model outside, (n_columns,).

        Parameters
        ----------
        place : Place
        full : shape (n_columns,)
            What is predicted.
        tail : float
            Share of the held-out errors beyond either end.
        bounds : Bounds

        Returns
        -------
        lower, upper : arrays
            NaN where too few models were held out for that tail.
        """
        ratios = self._ratios[place.side]
        if len(ratios) * tail < 1:
            blank = np.full(len(full), np.nan)
            return blank, blank
        sizes = self._sizes(place.side, tail) * place.growth
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

    def _out(self, side: Side, distance: FloatArray) -> FloatArray:
        return distance if side == "above" else -distance

    def _growth(self, side: Side, standing: FloatArray, among: BoolArray) -> FloatArray:
        known = self._out(side, self._standing[among & np.isfinite(self._standing)])
        spread = known.std() if len(known) > 1 else 0.0
        if not spread > 0:
            return np.ones(len(standing))
        beyond = (self._out(side, standing) - known.max()) / spread
        return np.asarray(1 + np.maximum(0.0, beyond))

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
            rows = one.edge.held & self._rows
            scale = self._scale_of(one.edge.fit)
            standing = self._stand(self._scores[rows], one.predicted[rows])
            growth = self._growth(side, standing, one.edge.fit)[:, None]
            errors = self._signs * (self._scores - one.predicted)[rows] / self._units
            with np.errstate(invalid="ignore", divide="ignore"):
                ratios = (errors / scale / growth)[:, self._asked]
            found.append(ratios[np.isfinite(ratios)])
        return np.concatenate(found)

    def _bias_of(self, side: Side) -> float:
        """Mean error of the held-out cells in units: above 0 where predictions were too low."""
        errors = [
            (self._signs * (self._scores - one.predicted) / self._units)[
                np.ix_(one.edge.held & self._rows, self._asked)
            ].ravel()
            for one in self._held[side]
        ]
        known = np.concatenate([np.empty(0), *errors])
        known = known[np.isfinite(known)]
        return float(known.mean()) if len(known) else math.nan


def _complete(scores: FloatArray, inputs: BoolArray) -> BoolArray:
    """Models measured in all inputs, as new ones are; all models where those are few."""
    complete = np.asarray(np.isfinite(scores[:, inputs]).all(axis=1))
    return complete if 2 * complete.sum() >= len(scores) else np.ones_like(complete)
