"""Eigenvalues of features' products, from the smaller side where that is accurate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from eevee.base.arrays import FloatArray
from eevee.measures.sample import Sample

_WELL_CONDITIONED = 1e-8
"""Least ratio of eigenvalues of a product that is formed: its square root keeps 8 digits more."""


class Spectrum(NamedTuple):
    """A thin singular value decomposition U diag(s) V' of features, without zeros.

    Attributes
    ----------
    squares : array, shape (rank,)
        Squares of the singular values.
    left : array, shape (n_rows, rank), or None
        U; None where V was computed.
    right : array, shape (n_features, rank), or None
        V; None where U was computed.
    """

    squares: FloatArray
    left: FloatArray | None
    right: FloatArray | None

    def rotated(self, features: FloatArray) -> FloatArray:
        """Return the features in the basis of V, shape (n_rows, rank): U diag(s)."""
        if self.left is not None:
            return np.asarray(self.left * np.sqrt(self.squares))
        assert self.right is not None
        return np.asarray(features @ self.right)

    def right_vectors(self, features: FloatArray) -> FloatArray:
        """Return V, shape (n_features, rank)."""
        if self.right is not None:
            return self.right
        assert self.left is not None
        return np.asarray(features.T @ (self.left / np.sqrt(self.squares)))

    def class_projections(self, features: FloatArray, sample: Sample) -> FloatArray:
        """Return U' Y for one-hot labels Y, shape (rank, n_classes)."""
        if self.left is not None:
            return sample.class_sums(self.left).T
        assert self.right is not None
        sums = sample.class_sums(features) @ self.right
        return np.asarray((sums / np.sqrt(self.squares)).T)


def spectrum(features: FloatArray) -> Spectrum:
    """Decompose features by the eigenvalues of F'F or FF', whichever is smaller.

    Forming a product squares the condition number: where eigenvalues lie between what is accurate
    and what is zero, the singular values are computed directly, which takes longer.
    """
    wide = features.shape[0] <= features.shape[1]
    product = features @ features.T if wide else features.T @ features
    squares, vectors = linalg.eigh(product, driver="evd", check_finite=False)
    zero = squares[-1] * max(features.shape) * np.finfo(np.float64).eps
    kept = squares > zero
    if squares[kept][0] < _WELL_CONDITIONED * squares[-1]:
        return _decomposed(features)
    chosen = np.ascontiguousarray(vectors[:, kept])
    return Spectrum(squares[kept], chosen, None) if wide else Spectrum(squares[kept], None, chosen)


def _decomposed(features: FloatArray) -> Spectrum:
    left, values, _ = linalg.svd(features, full_matrices=False, check_finite=False)
    kept = values > values[0] * max(features.shape) * np.finfo(np.float64).eps
    return Spectrum(values[kept] ** 2, np.ascontiguousarray(left[:, kept]), None)
