"""Folds of whole groups."""

from __future__ import annotations

import numpy as np

from eevee.base.arrays import IntArray


def balanced_folds(labels: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """The fold of each model: groups in random order, large ones first, to the smallest fold."""
    _, group, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold = np.empty(len(sizes), dtype=np.int64)
    load = np.zeros(n_folds, dtype=np.int64)
    for one in order:
        fold[one] = np.argmin(load)
        load[fold[one]] += sizes[one]
    return np.asarray(fold[group])
