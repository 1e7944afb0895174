"""Fits with groups of training models left out, and what they predict for new models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray, IntArray, Subset
from eevee.prediction.distance import left_out_distances
from eevee.prediction.frontier import LEAST_FIT, Held, complete_rows, frontiers
from eevee.prediction.meta_model import MetaModel
from eevee.splits.splits import Splits
from eevee.tables.bounds import Bounds, column_bounds
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class Refits:
    """Predictions for new models, and those for training models by fits that left them out.

    All in the table's own numbers and between the bounds of their columns; NaN in proxies and
    where a fit had too few scores.

    Attributes
    ----------
    full : shape (n_new, n_columns)
        By the fit on all training models.
    left_out : shape (n_folds, n_new, n_columns)
        By the fit that left out the training models of a fold; NaN where it had too few left.
    folds : shape (n_models,)
        Fold of each training model.
    own : shape (n_models, n_columns)
        Prediction for a training model by the fit without its fold.
    residuals : shape (n_models, n_columns)
        Its score minus that; NaN where not measured.
    bounds : Bounds
        Of the columns.
    held : tuple of Held
        The strongest training models, the weakest, and those apart, held out together.
    inputs : shape (n_columns,)
        Columns that were predicted from.
    distances : shape (n_models,)
        Of the inputs of each training model from those outside of its fold; NaN where it lacks
        inputs that most have.
    """

    full: FloatArray
    left_out: FloatArray
    folds: IntArray
    own: FloatArray
    residuals: FloatArray
    bounds: Bounds
    held: tuple[Held, ...]
    inputs: BoolArray
    distances: FloatArray


def refit(
    table: ResultsTable,
    new: FloatArray,
    subset: Subset,
    model: MetaModel,
    folds: IntArray,
    labels: IntArray | None = None,
    weights: Mapping[str, float] | None = None,
) -> Refits:
    """Fit the meta-model on all training models, without each fold and inside each frontier.

    All in one batch. The new models are laid under the training models, and test in every split:
    nothing of them reaches a fit. Their cells beyond the inputs are never read.

    Parameters
    ----------
    table : ResultsTable
        Of the training models.
    new : shape (n_new, n_columns)
        Scores of new models, complete in the columns of `subset`.
    subset : tuple of benchmark names
    model : MetaModel
    folds : shape (n_models,)
        Fold in which each training model is left out.
    labels : shape (n_models,), optional
        Groups that are never on two sides of a frontier; by default each model is alone.
    weights : mapping of benchmark to weight, optional
        Of the loss that an MLP is trained on, and of the mean score that frontiers go by.
    """
    inputs, bounds = _inputs(table, subset), column_bounds(table)
    left = folds != np.arange(int(folds.max()) + 1)[:, None]
    fitted = left.sum(axis=1) >= LEAST_FIT
    labels = np.arange(table.n_models) if labels is None else labels
    distances = _distances(table, inputs, folds)
    edges = frontiers(table, labels, weights, distances)
    everyone = np.ones((1, table.n_models), dtype=np.bool_)
    fit = np.concatenate([left[fitted], everyone, *(edge.fit[None] for edge in edges)])
    scorer = model.scorer(_stacked(table, new, inputs), _splits(fit, len(new)), subset, weights)
    predicted = bounds.clip(scorer.predict(subset))
    last = int(fitted.sum())
    by_fold = np.full((len(left), *predicted.shape[1:]), np.nan)
    by_fold[fitted] = predicted[:last]
    own = by_fold[folds, np.arange(table.n_models)]
    held = tuple(
        Held(edge, predicted[last + 1 + i, : table.n_models]) for i, edge in enumerate(edges)
    )
    return Refits(
        full=predicted[last, table.n_models :],
        left_out=by_fold[:, table.n_models :],
        folds=folds,
        own=own,
        residuals=table.scores.to_numpy(np.float64) - own,
        bounds=bounds,
        held=held,
        inputs=inputs,
        distances=distances,
    )


def _distances(table: ResultsTable, inputs: BoolArray, folds: IntArray) -> FloatArray:
    """Distances between inputs of models as new ones are: measured in all, where most are."""
    scores = table.scores.to_numpy(np.float64)
    rows = complete_rows(scores, inputs)
    vectors = (scores / table.units.to_numpy(np.float64))[rows][:, inputs]
    found = np.full(len(rows), np.nan)
    found[rows] = left_out_distances(vectors, folds[rows])
    return found


def _inputs(table: ResultsTable, subset: Sequence[str]) -> BoolArray:
    """Columns that the subset owns, (n_columns,)."""
    return np.asarray(table.columns["benchmark"].isin(list(subset)), dtype=np.bool_)


def _stacked(table: ResultsTable, new: FloatArray, inputs: BoolArray) -> ResultsTable:
    """The table with rows of the new models below, its units kept.

    What is no input of a new model gets a placeholder: a gap would make a complete table one
    with gaps, and a split without an observed test cell.
    """
    known = table.scores.to_numpy(np.float64)
    below = np.where(inputs, new, table.scores.mean(axis=0).to_numpy(np.float64))
    scores = pd.DataFrame(np.concatenate([known, below]), columns=table.scores.columns)
    return replace(
        table,
        scores=scores,
        models=pd.DataFrame(index=scores.index),
        stderrs=None,
        cell_costs=None,
    )


def _splits(fit: BoolArray, n_new: int) -> Splits:
    """One split per row of training models to fit on (n_splits, n_models); all test new ones."""
    train = np.concatenate([fit, np.zeros((len(fit), n_new), dtype=np.bool_)], axis=1)
    return Splits(train=train, validation=np.zeros_like(train), test=~train)
