"""Distances between Task2Vec embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from eevee.base.arrays import FloatArray, as_array
from eevee.base.errors import EeveeError, did_you_mean

EPSILON = 1e-8
"""Added to the information, so that filters without any do not count: a share of its mean, or, in
the reference convention, a number."""

_LARGEST, _SMALLEST = 1e70, 1e-70
"""Numbers of which squares of ratios are numbers."""
_BLOCK = 50_000
"""Numbers that are worked on at once: they stay in the cache."""
_Rows = Callable[[FloatArray, FloatArray], FloatArray]


def task2vec_distances(
    embeddings: npt.ArrayLike,
    kind: str = "cosine",
    *,
    convention: Literal["paper", "reference"] = "paper",
    scale: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the distances of all pairs of embeddings.

    Parameters
    ----------
    embeddings : array, shape (n_tasks, n_filters)
        Information per filter, as `task2vec` returns it.
    kind : str
        ``cosine``, the symmetric distance of the Task2Vec paper: the cosine distance of
        Fa / (Fa + Fb) and Fb / (Fa + Fb), in [0, 1]. ``entropy``: log 2 less the mean binary
        entropy of Fa / (Fa + Fb). Of Gaussians of variance 1 / F: ``kl``, summed, of the larger
        direction per filter; ``asymmetric_kl``; ``jsd``. Of the variances: ``correlation`` and
        ``normalized_cosine``. ``plain_cosine``: of the embeddings themselves.
    convention : {"paper", "reference"}
        Of ``cosine`` and ``entropy``: the released code adds 1e-8 to Fa + Fb, so that the scale
        counts where information is small; here it is that share of its mean.
    scale : array, shape (n_tasks, n_filters), optional
        What ``normalized_cosine`` divides the embeddings by; above 0.

    Returns
    -------
    array, shape (n_tasks, n_tasks)
        Zero on the diagonal; not symmetric for ``asymmetric_kl``.

    Raises
    ------
    EeveeError
        If embeddings are negative, not finite, beyond 1e70, or below 1e-70 in all filters; if one
        is that in any filter, and the kind divides by it; if `scale` does not fit the embeddings.

    Examples
    --------
    >>> found = task2vec_distances([[1.0, 0.0], [0.0, 2.0], [2.0, 0.0]])
    >>> found.round(6).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    table = _checked(embeddings, "embeddings")
    if convention not in ("paper", "reference"):
        raise EeveeError(f"convention must be 'paper' or 'reference', not {convention!r}")
    if kind not in KINDS:
        kind = str(kind)
        hint = did_you_mean(kind, KINDS) or f"; there are {', '.join(KINDS)}"
        raise EeveeError(f"{kind!r} is no distance of embeddings{hint}")
    if kind in _OF_VARIANCES and table.min() < _SMALLEST:
        i, j = np.argwhere(table < _SMALLEST)[0]
        raise EeveeError(
            f"{kind}: task {i + 1} has no information in filter {j + 1}; use cosine or entropy"
        )
    if scale is not None:
        by = _checked(scale, "scale")
        if by.shape != table.shape or not by.all():
            raise EeveeError(
                f"scale: must be above 0, and of the shape {table.shape} of the embeddings"
            )
        table = table / by if kind == "normalized_cosine" else table
    if kind in ("cosine", "entropy"):
        found = _of_shares(kind, table, convention)
    else:
        found = np.array([_OF_ROWS[kind](row, table) for row in table])
    np.fill_diagonal(found, 0.0)
    return np.maximum(found, 0.0)


def _checked(values: npt.ArrayLike, what: str) -> FloatArray:
    table = as_array(values, what)
    if table.ndim != 2 or 0 in table.shape or table.dtype.kind not in "biuf":
        raise EeveeError(f"{what}: expected tasks x filters, got an array of shape {table.shape}")
    table = table.astype(np.float64, copy=False)
    if not np.isfinite(table).all() or table.min() < 0:
        raise EeveeError(f"{what}: must be finite and 0 or more")
    empty = ~table.any(axis=1)
    if empty.any():
        raise EeveeError(f"{what}: task {int(np.argmax(empty)) + 1} is zero in all filters")
    largest = table.max(axis=1)
    if largest.max() > _LARGEST or largest.min() < _SMALLEST:
        raise EeveeError(f"{what}: values beyond 1e70, or a task's all below 1e-70; rescale them")
    return table


def _of_shares(kind: str, table: FloatArray, convention: str) -> FloatArray:
    """Distances of the shares that two tasks have of the information in each filter."""
    sizes = np.ones(len(table)) if convention == "reference" else table.mean(axis=1)
    found = np.zeros((len(table), len(table)))
    block = max(1, _BLOCK // table.shape[1])
    n = len(table)
    parts = [(i, slice(j, j + block)) for i in range(n) for j in range(i, n, block)]
    for i, part in parts:  # each pair once
        row, others = table[i], table[part]
        extra = (EPSILON * (sizes[i] + sizes[part]) / 2)[:, None]
        total = row + others
        total += extra
        if kind == "cosine":
            found[i, part] = _cosine_of_shares(row, others, total)
            continue
        # Halves where neither task has any: no distance. The released code has 0, and log 2.
        share = (row if convention == "reference" else row + extra / 2) / total
        found[i, part] = np.log(2) + (xlogy(share, share) + xlogy(1 - share, 1 - share)).mean(
            axis=1
        )
    return np.asarray(found + np.triu(found, 1).T)


def _cosine_of_shares(row: FloatArray, others: FloatArray, total: FloatArray) -> FloatArray:
    """Of row / total and others / total; `total` is overwritten."""
    np.square(total, out=total)
    np.divide(1.0, total, out=total, where=total > 0)
    own = total @ (row * row)
    total *= others
    return np.asarray(1 - total @ row / np.sqrt(own * np.einsum("ij,ij->i", total, others)))


def _cosine(one: FloatArray, other: FloatArray) -> FloatArray:
    norms = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray(1 - (one * other).sum(axis=-1) / norms)


def _kl(one: FloatArray, other: FloatArray) -> FloatArray:
    """Of Gaussians of variances 1 / one and 1 / other, per filter."""
    ratio = other / one
    return np.asarray((ratio - 1 - np.log(ratio)) / 2)


def _jsd(one: FloatArray, other: FloatArray) -> FloatArray:
    mean = 1 / ((1 / one + 1 / other) / 2)
    return np.asarray(((_kl(one, mean) + _kl(other, mean)) / 2).mean(axis=1))


def _correlation(one: FloatArray, other: FloatArray) -> FloatArray:
    one, other = 1 / one, 1 / other
    if np.ptp(one) == 0:
        raise EeveeError("correlation: a task has the same information in all filters")
    return _cosine(one - one.mean(), other - other.mean(axis=1, keepdims=True))


_OF_ROWS: dict[str, _Rows] = {
    "kl": lambda one, other: np.maximum(_kl(one, other), _kl(other, one)).sum(axis=1),
    "asymmetric_kl": lambda one, other: _kl(one, other).sum(axis=1),
    "jsd": _jsd,
    "correlation": _correlation,
    "normalized_cosine": lambda one, other: _cosine(1 / one, 1 / other),
    "plain_cosine": _cosine,
}
_OF_VARIANCES = ("kl", "asymmetric_kl", "jsd", "correlation", "normalized_cosine")
KINDS = ("cosine", "entropy", *_OF_ROWS)
