"""Fits with each training model left out, and what they predict for new models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from eevee.bounds import Bounds, column_bounds
from eevee.metamodel import MetaModel
from eevee.splits import Splits
from eevee.table import BoolArray, FloatArray, IntArray, ResultsTable, Subset


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
        By the fit that left out the training models of a fold.
    folds : shape (n_models,)
        Fold of each training model.
    residuals : shape (n_models, n_columns)
        Score of a training model minus what the fit without its fold predicts for it; NaN where
        not measured.
    bounds : Bounds
        Of the columns.
    """

    full: FloatArray
    left_out: FloatArray
    folds: IntArray
    residuals: FloatArray
    bounds: Bounds


def refit(
    table: ResultsTable, new: FloatArray, subset: Subset, model: MetaModel, folds: IntArray
) -> Refits:
    """Fit the meta-model on all training models and without each fold, in one batch.

    The new models are laid under the training models, and test in every split: nothing of them
    reaches a fit. Their cells beyond the inputs are never read.

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
    """
    stacked = _stacked(table, new, _inputs(table, subset))
    scorer = model.scorer(stacked, _splits(folds, len(new)), subset)
    bounds = column_bounds(table)
    predicted = bounds.clip(scorer.predict(subset))
    rows = np.arange(table.n_models)
    own = predicted[folds, rows]
    return Refits(
        full=predicted[-1, table.n_models :],
        left_out=predicted[:-1, table.n_models :],
        folds=folds,
        residuals=table.scores.to_numpy(np.float64) - own,
        bounds=bounds,
    )


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


def _splits(folds: IntArray, n_new: int) -> Splits:
    """One split per fold, and one that leaves out no training model; all test the new ones."""
    n_splits = int(folds.max()) + 2
    fit = folds != np.arange(n_splits)[:, None]
    train = np.concatenate([fit, np.zeros((n_splits, n_new), dtype=np.bool_)], axis=1)
    return Splits(train=train, validation=np.zeros_like(train), test=~train)
