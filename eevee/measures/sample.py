"""`Sample`: checked rows of features, source probabilities and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from eevee.base.arrays import BoolArray, FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator

_LARGEST, _SMALLEST = 1e100, 1e-100
"""Magnitudes of features whose squares and products are numbers."""
_SUM_TOLERANCE = 1e-3
"""Probabilities in half precision are this far from a sum of one."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that a measure is computed on; made by `Sample.of`, never changed.

    Attributes
    ----------
    codes : array, shape (n_samples,)
        Classes, numbered from 0; each class has a row.
    features : array, shape (n_samples, n_features), or None
    source_probs : array, shape (n_samples, n_source_classes), or None
        Probabilities that the source model gives to its own classes.
    first_half : bool array, shape (n_samples,)
        Rows to fit on where a measure holds out the others.
    prior : array, shape (n_samples, n_prior_features), or None
        Features of the model that a task prior is made of.
    """

    codes: IntArray
    features: FloatArray | None
    source_probs: FloatArray | None
    first_half: BoolArray
    prior: FloatArray | None = None

    @classmethod
    def of(
        cls,
        labels: npt.ArrayLike,
        *,
        features: npt.ArrayLike | None = None,
        source_probs: npt.ArrayLike | None = None,
        prior: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> Sample:
        """Check arrays; nothing is changed in place.

        Parameters
        ----------
        labels : array of whole numbers, booleans or text, shape (n_samples,)
        features : array, shape (n_samples, n_features), optional
        source_probs : array, shape (n_samples, n_source_classes), optional
            Rows sum to one, within 0.001; they are divided by their sums.
        prior : array, shape (n_samples, n_prior_features), optional
        seed : int
            Of the halves, which are drawn within classes.

        Raises
        ------
        EeveeError
            If there are fewer than two classes, a class for every row, rows that do not match,
            features that are not finite or all constant, or probabilities that are none.

        Examples
        --------
        >>> Sample.of(["a", "b", "a"], features=[[0.0], [1.0], [2.0]]).codes.tolist()
        [0, 1, 0]
        """
        codes = _codes(labels)
        rows = None if features is None else _features(features, len(codes))
        probs = None if source_probs is None else _probabilities(source_probs, len(codes))
        about = None if prior is None else _features(prior, len(codes))
        return cls(codes, rows, probs, _halves(codes, seed), about)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @cached_property
    def counts(self) -> IntArray:
        """Rows per class."""
        return np.bincount(self.codes)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.counts)

    @property
    def varies(self) -> bool:
        """Whether some feature differs between rows; those of a part of a sample may not."""
        rows = self.features
        return rows is None or any((row != rows[0]).any() for row in rows[1:])

    @cached_property
    def indicator(self) -> sparse.csr_array:
        """One where a row is of a class, shape (n_classes, n_rows)."""
        places = np.arange(self.n_rows)
        return sparse.csr_array(
            (np.ones(self.n_rows), (self.codes, places)), shape=(self.n_classes, self.n_rows)
        )

    def class_sums(self, values: FloatArray) -> FloatArray:
        """Return sums of rows over each class, shape (n_classes, n_columns)."""
        return np.asarray(self.indicator @ values)

    def rows(self, wanted: npt.NDArray[np.bool_] | IntArray) -> Sample:
        """Return some of the rows; classes without one are gone."""

        def part(array: FloatArray | None) -> FloatArray | None:
            return None if array is None else array[wanted]

        codes = np.unique(self.codes[wanted], return_inverse=True)[1]
        chosen = part(self.features), part(self.source_probs)
        halves = self.first_half[wanted]
        return Sample(codes.astype(np.int64), *chosen, halves, part(self.prior))

    def relabelled(self, codes: IntArray) -> Sample:
        """Return the same rows with other classes."""
        return replace(self, codes=codes)


def _codes(labels: npt.ArrayLike) -> IntArray:
    array = as_array(labels, "labels")
    if array.ndim != 1:
        raise EeveeError(f"labels: expected one per row, got an array of shape {array.shape}")
    if array.dtype.kind == "f":
        if not (np.isfinite(array).all() and (array == np.round(array)).all()):
            raise EeveeError("labels: must be classes: whole numbers or text, none missing")
    elif array.dtype.kind not in "biuUS":
        raise EeveeError(f"labels: must be whole numbers or text, not {array.dtype}")
    names, codes = np.unique(array, return_inverse=True)
    if len(names) < 2:
        raise EeveeError(f"labels: {len(names)} classes; at least two are needed")
    if len(names) == len(array):
        raise EeveeError(f"labels: {len(array)} rows of as many classes; give more rows per class")
    return codes.astype(np.int64)


def _matrix(values: npt.ArrayLike, n_rows: int, what: str) -> FloatArray:
    array = as_array(values, what)
    if array.dtype.kind not in "biuf":
        raise EeveeError(f"{what}: must be numbers, not {array.dtype}")
    if array.ndim != 2 or not array.shape[1]:
        raise EeveeError(f"{what}: expected rows x columns, got an array of shape {array.shape}")
    if len(array) != n_rows:
        raise EeveeError(f"{what}: {len(array)} rows, but {n_rows} labels; they must match")
    array = array.astype(np.float64, copy=False)
    finite = np.isfinite(array)
    if not finite.all():
        i, j = np.argwhere(~finite)[0]
        raise EeveeError(f"{what}: row {i + 1}, column {j + 1} is {array[i, j]}; must be finite")
    return array


def _features(values: npt.ArrayLike, n_rows: int) -> FloatArray:
    array = _matrix(values, n_rows, "features")
    spread = np.ptp(array, axis=0).max()
    if spread == 0:
        raise EeveeError("features: all columns are constant, so nothing can be measured")
    if np.abs(array).max() > _LARGEST or spread < _SMALLEST:
        raise EeveeError("features: values beyond 1e100, or all below 1e-100; rescale them")
    return array


def _probabilities(values: npt.ArrayLike, n_rows: int) -> FloatArray:
    array = _matrix(values, n_rows, "source probabilities")
    sums = array.sum(axis=1)
    wrong = (array < 0).any(axis=1) | (np.abs(sums - 1) > _SUM_TOLERANCE)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise EeveeError(
            f"source probabilities: row {i + 1} has the sum {sums[i]:.4g} and the least value "
            f"{array[i].min():.4g}; give probabilities, such as a softmax of logits"
        )
    return np.asarray(array / sums[:, None])


def _halves(codes: IntArray, seed: int) -> BoolArray:
    """Draw half of each class, one more of odd ones in turn."""
    shuffled = generator(seed).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    first = np.zeros(len(codes), dtype=np.bool_)
    first[by_class[::2]] = True
    return first


def checked_features(values: npt.ArrayLike) -> FloatArray:
    """Return features as numbers, rows x columns, where there are no labels beside them.

    Raises
    ------
    EeveeError
        As of `Sample.of`, or if there are fewer than 2 rows.

    Examples
    --------
    >>> checked_features([[0, 1], [1, 0]]).dtype
    dtype('float64')
    """
    array = as_array(values, "features")
    if array.ndim == 2 and len(array) < 2:
        raise EeveeError(f"features: {len(array)} rows; at least 2 are needed")
    return _features(array, len(array) if array.ndim else 0)
