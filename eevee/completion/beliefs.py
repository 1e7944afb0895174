"""`Beliefs`: what a factor model does not know of a model's missing scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The ridge regression of a model's seen scores on the loadings, taken as Bayes' rule.

    Ridge regression with these penalties is the posterior mean of factors that are normal a priori,
    with variance noise / penalty; here noise may differ between columns.

    Attributes
    ----------
    loadings : shape (n_columns, n_factors)
    precision : shape (n_factors,)
        A priori, of the factors of a model.
    noise : shape (n_columns,)
        Variance of a score around what the factors say.
    """

    loadings: FloatArray
    precision: FloatArray
    noise: FloatArray

    def covariance(self, seen: BoolArray) -> FloatArray:
        """Posterior covariance of the factors, given which columns a model has."""
        known = self.loadings[seen]
        gram = (known.T / self.noise[seen]) @ known
        return np.asarray(np.linalg.inv(gram + np.diag(self.precision)), dtype=np.float64)

    def variance(self, seen: BoolArray) -> FloatArray:
        """Predictive variance of each column, its noise included, (n_columns,)."""
        spread = np.einsum("jk,kl,jl->j", self.loadings, self.covariance(seen), self.loadings)
        return np.asarray(spread + self.noise)

    def drops(self, seen: BoolArray, measured: BoolArray) -> FloatArray:
        """By how much each column's predictive variance would drop if others were measured.

        Parameters
        ----------
        seen : bool, shape (n_columns,)
            What the model has.
        measured : bool, shape (n_columns,)
            What it would have beside that.

        Returns
        -------
        array, shape (n_columns,)
            All of the variance for what is measured; nothing for what is seen.

        Notes
        -----
        The posterior covariance changes by the rank of what is measured, whatever the scores turn
        out to be: Rasmussen and Williams (2006), "Gaussian processes for machine learning",
        section 2.1 and equation A.6.

        Examples
        --------
        >>> beliefs = Beliefs(np.array([[1.0], [1.0], [0.0]]), np.array([1.0]), np.ones(3))
        >>> nothing, first = np.zeros(3, bool), np.array([True, False, False])
        >>> beliefs.drops(nothing, first).round(3).tolist()
        [2.0, 0.5, 0.0]
        """
        covariance, new = self.covariance(seen), self.loadings[measured]
        cross = self.loadings @ covariance @ new.T
        gain = new @ covariance @ new.T + np.diag(self.noise[measured])
        drop = np.einsum("jm,jm->j", cross, np.linalg.solve(gain, cross.T).T)
        drop = np.where(measured, self.variance(seen), drop)
        return np.where(seen, 0.0, drop)

    def shares(self, seen: BoolArray, measured: BoolArray) -> FloatArray:
        """Return `drops` as shares of each column's predictive variance, (n_columns,)."""
        return self.drops(seen, measured) / self.variance(seen)
