"""`Cloud`: how far the inputs of a model lie from those of other models, as a combination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import FloatArray, IntArray
from eevee.scorers.loss import SD_FLOOR

JITTER = 1e-9
"""Added to variances of about 1: columns that say the same, with no shrinkage, have no inverse."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """Where some models lie in their inputs: mean, spread and inverse covariance.

    A model that is high on one input and low on another can be far although it is ordinary in
    each of them and in their mean.

    Attributes
    ----------
    mean, spread : shape (n_inputs,)
    precision : shape (n_inputs, n_inputs)
        Of standardised inputs: the inverse of Ledoit and Wolf's shrunk covariance.

    Examples
    --------
    >>> skill = np.linspace(-2, 2, 21)
    >>> wiggle = np.tile([0.1, -0.1, 0.0], 7)
    >>> cloud = Cloud.of(np.column_stack([skill, skill + wiggle]))
    >>> along, across = cloud.distance(np.array([[1.0, 1.0], [1.0, -1.0]]))
    >>> bool(along < 2), bool(across > 3)
    (True, True)
    """

    mean: FloatArray
    spread: FloatArray
    precision: FloatArray

    @classmethod
    def of(cls, inputs: FloatArray) -> Cloud:
        """Describe models by their inputs (n_models, n_inputs), in units; NaN is the mean."""
        from sklearn.covariance import ledoit_wolf

        known = np.isfinite(inputs)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, inputs, 0.0).sum(axis=0) / count
        centred = np.where(known, inputs - mean, 0.0)
        spread = np.maximum(np.sqrt((centred**2).sum(axis=0) / count), SD_FLOOR)
        covariance = ledoit_wolf(centred / spread, assume_centered=True)[0]
        return cls(mean, spread, np.linalg.inv(covariance + JITTER * np.eye(len(mean))))

    def distance(self, inputs: FloatArray) -> FloatArray:
        """Mahalanobis distance of each model (n_models, n_inputs) from the mean, (n_models,)."""
        z = np.where(np.isfinite(inputs), (inputs - self.mean) / self.spread, 0.0)
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", z, self.precision, z)))


def left_out_distances(inputs: FloatArray, folds: IntArray) -> FloatArray:
    """Distance of each model from those that are not in its fold, (n_models,).

    NaN where these are fewer than two.

    Parameters
    ----------
    inputs : shape (n_models, n_inputs)
        In units; NaN where not measured.
    folds : shape (n_models,)
    """
    found = np.full(len(inputs), np.nan)
    for fold in np.unique(folds):
        out = folds == fold
        if (~out).sum() >= 2:
            found[out] = Cloud.of(inputs[~out]).distance(inputs[out])
    return found
