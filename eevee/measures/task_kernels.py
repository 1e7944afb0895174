"""`Kernel`: similarity of samples, computed in blocks: of features, of groups, and sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.measures.sample import checked_features

BLOCK = 256
"""Rows that are computed at once: memory is BLOCK x n_samples."""
MOST_FOR_MEDIAN = 1000
"""Samples, evenly spaced, for the median distance that is the default bandwidth."""
_LARGEST, _SMALLEST = 1e50, 1e-50
"""Magnitudes of features whose fourth powers are numbers."""
_ROUNDING = 1e-14
_FEW_WIDTHS = 1e4
"""Half of a squared distance to the mean, in bandwidths: below it products keep 12 digits."""

Kind = Literal["cosine", "linear", "rbf"]
Rows = Callable[[slice | IntArray, int], FloatArray]
"""Gives some rows, columns ``first:``, before centring, as a new array."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A symmetric matrix over samples that is computed in blocks and never held as a whole.

    Made by `feature_kernel`, `group_kernel`, `matrix_kernel` and `add_kernels`.

    Attributes
    ----------
    n_samples : int
    rows : callable
    factor : array, shape (n_samples, rank), or None
        Z where the kernel is Z Z', centred and scaled.
    offsets : array, shape (n_samples,), or None
        Subtracted by centring: means of rows less half of the mean of all.
    scale : float
        Factor of all entries, after centring.

    Examples
    --------
    >>> kernel = feature_kernel([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], normalize=None)
    >>> kernel.dense().sum(axis=0).round(12).tolist()
    [0.0, 0.0, 0.0]
    """

    n_samples: int
    rows: Rows
    factor: FloatArray | None = None
    offsets: FloatArray | None = None
    scale: float = 1.0

    def block(self, start: int, stop: int, first: int = 0) -> FloatArray:
        """Return rows ``start:stop`` and columns ``first:``, as a new array."""
        return self.some(slice(start, stop), first)

    def some(self, wanted: slice | IntArray, first: int = 0) -> FloatArray:
        """Return some rows and columns ``first:``, as a new array."""
        found = self.rows(wanted, first)
        if self.offsets is not None:
            found -= self.offsets[wanted, None]
            found -= self.offsets[None, first:]
        if self.scale != 1:
            found *= self.scale
        return found

    def upper_blocks(self, block: int = BLOCK) -> Iterator[tuple[int, int]]:
        """Give starts and stops of rows; the columns of each begin at its start."""
        for start in range(0, self.n_samples, block):
            yield start, min(start + block, self.n_samples)

    def dense(self) -> FloatArray:
        """Return the whole matrix."""
        return self.block(0, self.n_samples)

    @cached_property
    def norm(self) -> float:
        """Frobenius norm."""
        if self.factor is not None and self.factor.shape[1] <= self.n_samples:
            return float(np.linalg.norm(self.factor.T @ self.factor))
        total = 0.0
        for start, stop in self.upper_blocks():
            squares = np.square(self.block(start, stop, start))
            total += float(2 * squares.sum() - squares[:, : stop - start].sum())
        return math.sqrt(total)

    @property
    def root_mean_square(self) -> float:
        """Of the entries: the unit of temperatures."""
        return self.norm / self.n_samples


def _of_factor(factor: FloatArray) -> Kernel:
    def rows(wanted: slice | IntArray, first: int) -> FloatArray:
        return np.asarray(factor[wanted] @ factor[first:].T)

    return Kernel(len(factor), rows, factor)


def _centred(kernel: Kernel) -> Kernel:
    """Return H K H for H = I - 11'/n."""
    if kernel.factor is not None:
        return _of_factor(kernel.factor - kernel.factor.mean(axis=0))
    starts = range(0, kernel.n_samples, BLOCK)
    means = np.concatenate([kernel.block(one, one + BLOCK).mean(axis=1) for one in starts])
    return replace(kernel, offsets=means - means.mean() / 2)


def _scaled(kernel: Kernel, factor: float) -> Kernel:
    if kernel.factor is not None:
        return _of_factor(kernel.factor * math.sqrt(factor))
    made = replace(kernel, scale=kernel.scale * factor)
    made.__dict__["norm"] = kernel.norm * factor  # of the cached property: not computed again
    return made


def _finished(kernel: Kernel, centre: bool, normalize: str | None) -> Kernel:
    if normalize not in ("fro", None):
        raise EeveeError(f"normalize: 'fro' or None, not {normalize!r}")
    rounding = _rounding(kernel)
    if centre:
        kernel = _centred(kernel)
    if not kernel.root_mean_square > rounding:
        raise EeveeError("kernel: all samples are alike, so that no task is preferred")
    return _scaled(kernel, 1 / kernel.norm) if normalize == "fro" else kernel


def _rounding(kernel: Kernel) -> float:
    """Size of entries that may be rounding errors after centring."""
    if kernel.factor is not None:
        return float((_ROUNDING * np.abs(kernel.factor).max()) ** 2)
    return float(_ROUNDING * np.abs(kernel.block(0, 1)).max())


def feature_kernel(
    features: npt.ArrayLike,
    kind: Kind = "cosine",
    *,
    centre: bool = True,
    normalize: Literal["fro"] | None = "fro",
    bandwidth: float | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    convention: str = "paper",
) -> Kernel:
    """Return the similarity of samples by their features.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    kind : {"cosine", "linear", "rbf"}
        Of the raw features: ``exp(-d**2 / (2 * bandwidth**2))`` for "rbf". The cosine of a row of
        zeros (dead ReLUs) is 0 with every row.
    centre : bool
        Whether the kernel is then centred: rows and columns sum to 0.
    normalize : {"fro", None}
        "fro" divides by the Frobenius norm, so that the mean of Tr(MG) compares models by alignment
        and not by trace.
    bandwidth : float, optional
        Of "rbf" only. By default the median distance between two of (at most 1,000) samples.
    dtype : {"float64", "float32"}
        Of blocks. The second takes 0.4 to 0.75 of the time; moments keep 4 digits.
    convention : {"paper", "reference"}
        Of "rbf" (others agree): the released code has ``exp(-d / (2 * bandwidth**2))``, and its
        lower median includes the distances of samples to themselves.

    Raises
    ------
    EeveeError
        If a value is not finite, a setting is invalid, or all samples are alike.

    Examples
    --------
    >>> kernel = feature_kernel(np.eye(4), "linear")
    >>> round(kernel.norm, 12), round(float(kernel.dense().sum()), 12)
    (1.0, 0.0)
    """
    if dtype not in ("float64", "float32"):
        raise EeveeError(f"dtype: 'float64' or 'float32', not {dtype!r}")
    if convention not in ("paper", "reference"):
        raise EeveeError(f"convention: 'paper' or 'reference', not {convention!r}")
    if kind != "rbf" and bandwidth is not None:
        raise EeveeError(f"bandwidth: is of the kind 'rbf' only, not of {kind!r}")
    rows = checked_features(features)
    if kind == "linear" and not _SMALLEST < np.abs(rows).max() < _LARGEST:
        raise EeveeError("features: values beyond 1e50, or all below 1e-50; rescale them")
    if kind == "rbf":
        kernel = _rbf(rows, bandwidth, convention)
    elif kind in ("cosine", "linear"):
        kernel = _of_factor(_directions(rows) if kind == "cosine" else rows)
    else:
        raise EeveeError(f"kind: 'cosine', 'linear' or 'rbf', not {kind!r}")
    return _in_type(_finished(kernel, centre, normalize), dtype)


def _in_type(kernel: Kernel, dtype: str) -> Kernel:
    if dtype == "float64":
        return kernel
    if kernel.factor is not None:
        return _of_factor(kernel.factor.astype(dtype))
    return Kernel(kernel.n_samples, lambda *where: kernel.some(*where).astype(dtype))


def _directions(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths[:, None])


def _rbf(rows: FloatArray, bandwidth: float | None, convention: str) -> Kernel:
    from scipy.spatial.distance import cdist

    ours = convention == "paper"
    some = rows[np.unique(np.linspace(0, len(rows) - 1, MOST_FOR_MEDIAN).astype(int))]
    apart = cdist(some, some)
    pairs = apart[np.triu_indices(len(some), 1)] if ours else apart
    middle = np.median(pairs) if ours else np.quantile(pairs, 0.5, method="lower")
    width = float(middle) if bandwidth is None else bandwidth
    if bandwidth is None and not width > 0:
        raise EeveeError("bandwidth: the median distance of samples is 0; give a bandwidth")
    if not 1e-100 < width < 1e100:
        raise EeveeError(f"bandwidth: must lie between 1e-100 and 1e100, not {width:g}")

    if ours:
        return _gaussian(rows / width)

    def similar(wanted: slice | IntArray, first: int) -> FloatArray:
        found = cdist(rows[wanted], rows[first:])
        found /= -2 * width**2
        return np.exp(found, out=found)

    return Kernel(len(rows), similar)


def _gaussian(rows: FloatArray) -> Kernel:
    """Return exp(-d**2 / 2), by products of rows where that loses no digits: many times faster."""
    from scipy.spatial.distance import cdist

    centred = rows - rows.mean(axis=0)
    halves = np.square(centred).sum(axis=1) / 2

    def by_products(wanted: slice | IntArray, first: int) -> FloatArray:
        found = centred[wanted] @ centred[first:].T
        found -= halves[wanted, None]
        found -= halves[None, first:]
        np.minimum(found, 0, out=found)
        return np.asarray(np.exp(found, out=found))

    def by_differences(wanted: slice | IntArray, first: int) -> FloatArray:
        found = cdist(rows[wanted], rows[first:], "sqeuclidean")
        found /= -2
        return np.exp(found, out=found)

    return Kernel(len(rows), by_products if halves.max() < _FEW_WIDTHS else by_differences)


def group_kernel(
    groups: npt.ArrayLike, *, centre: bool = True, normalize: Literal["fro"] | None = "fro"
) -> Kernel:
    """Return 1 for two samples of one group, else 0: groups are labels, or views of one sample.

    As a prior, groups of views are the graph of self-supervised learning (Proposition 2.7).

    Parameters
    ----------
    groups : array of whole numbers or text, shape (n_samples,)
        Such as ``np.repeat(range(n), n_views)``.
    centre, normalize
        As of `feature_kernel`.

    Raises
    ------
    EeveeError
        If there is one group, or the array is not of one dimension.

    Examples
    --------
    >>> group_kernel([0, 0, 1], centre=False, normalize=None).dense()
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    names = as_array(groups, "groups")
    if names.ndim != 1 or names.dtype.kind not in "biuUS":
        raise EeveeError("groups: expected whole numbers or text, one per sample")
    kinds, codes = np.unique(names, return_inverse=True)
    if len(kinds) < 2:
        raise EeveeError(f"groups: {len(kinds)}; at least two are needed")

    def same(wanted: slice | IntArray, first: int) -> FloatArray:
        return np.asarray(codes[wanted, None] == codes[None, first:], dtype=np.float64)

    return _finished(Kernel(len(codes), same), centre, normalize)


def matrix_kernel(
    matrix: npt.ArrayLike, *, centre: bool = False, normalize: Literal["fro"] | None = None
) -> Kernel:
    """Return the kernel of a matrix.

    Parameters
    ----------
    matrix : array, shape (n_samples, n_samples)
        Symmetric.
    centre, normalize
        As of `feature_kernel`; by default the matrix is used as given.

    Raises
    ------
    EeveeError
        If it is not symmetric, or a value is not finite.

    Examples
    --------
    >>> matrix_kernel([[4.0, 0.0], [0.0, 3.0]]).norm
    5.0
    """
    array = as_array(matrix, "matrix")
    if array.dtype.kind not in "biuf":
        raise EeveeError(f"matrix: must be numbers, not {array.dtype}")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise EeveeError(f"matrix: expected samples x samples, got an array of shape {array.shape}")
    given = np.array(array, dtype=np.float64)
    if not np.isfinite(given).all():
        raise EeveeError("matrix: all values must be finite")
    if np.abs(given).max() > _LARGEST**2:
        raise EeveeError("matrix: values beyond 1e100; rescale them")
    if not np.allclose(given, given.T, rtol=1e-9, atol=1e-9 * np.abs(given).max()):
        raise EeveeError("matrix: must be symmetric; give (K + K') / 2")

    def rows(wanted: slice | IntArray, first: int) -> FloatArray:
        return np.array(given[wanted, first:])

    return _finished(Kernel(len(given), rows), centre, normalize)


def add_kernels(kernels: Sequence[Kernel]) -> Kernel:
    """Return the sum of kernels: as a prior, the product of their priors.

    Raises
    ------
    EeveeError
        If there is no kernel, or their numbers of samples differ.

    Examples
    --------
    >>> one = matrix_kernel([[1.0, 0.0], [0.0, 1.0]])
    >>> add_kernels([one, one]).dense().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    sizes = {one.n_samples for one in kernels}
    if len(sizes) != 1:
        raise EeveeError(f"kernels: one number of samples is needed, got {sorted(sizes)}")
    factors = [one.factor for one in kernels if one.factor is not None]
    if len(factors) == len(kernels):
        return _of_factor(np.hstack(factors))
    parts = tuple(kernels)

    def rows(wanted: slice | IntArray, first: int) -> FloatArray:
        total = parts[0].some(wanted, first)
        for one in parts[1:]:
            total += one.some(wanted, first)
        return total

    return Kernel(parts[0].n_samples, rows)
