"""`Layer`: checked activations of one layer, rows of samples; layer matrices of convolutions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import BoolArray, FloatArray, as_array
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator
from eevee.measures.spectrum import Spectrum, spectrum

MARGIN = 10.0
"""Rows per column that correlations need: with fewer, unrelated layers look alike."""
_LARGEST, _SMALLEST = 1e100, 1e-100
_CONSTANT = 1e-13
"""A column with a range below this share of its size is constant, within rounding."""
Columns = Literal["channels", "activations", "pooled"]


@dataclass(frozen=True, eq=False)
class Layer:
    """Activations of a layer; made by `Layer.of`, never changed.

    Attributes
    ----------
    values : array, shape (n_rows, n_columns)
    """

    values: FloatArray

    @classmethod
    def of(cls, values: npt.ArrayLike, what: str = "layer") -> Layer:
        """Check activations; nothing is changed in place.

        Raises
        ------
        EeveeError
            If they are not finite numbers, rows x columns; fewer than 4 rows; or all constant.

        Examples
        --------
        >>> Layer.of([[1, 2], [3, 4], [5, 6], [7, 9]]).centred.sum()
        np.float64(0.0)
        """
        array = as_array(values, what)
        if array.dtype.kind not in "biuf":
            raise EeveeError(f"{what}: must be numbers, not {array.dtype}")
        if array.ndim != 2 or not array.shape[1]:
            hint = "; use `layer_matrix` for convolutions" if array.ndim == 4 else ""
            raise EeveeError(f"{what}: expected rows x columns, got shape {array.shape}{hint}")
        if len(array) < 4:
            raise EeveeError(f"{what}: {len(array)} rows; at least 4 are needed")
        array = array.astype(np.float64, copy=False)
        low, high = array.min(axis=0), array.max(axis=0)  # NaN if any is
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            i, j = np.argwhere(~np.isfinite(array))[0]
            raise EeveeError(
                f"{what}: row {i + 1}, column {j + 1} is {array[i, j]}; must be finite"
            )
        largest = max(high.max(), -low.min())
        if largest > _LARGEST:
            raise EeveeError(f"{what}: values beyond 1e100; rescale them")
        if not (high - low > np.maximum(_CONSTANT * np.maximum(high, -low), _SMALLEST)).any():
            raise EeveeError(f"{what}: all columns are constant, so that nothing can be compared")
        return cls(array)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.values)

    @cached_property
    def centred(self) -> FloatArray:
        """Values around the means of columns, of Frobenius norm one."""
        centred = self.values - self.values.mean(axis=0)
        norm = float(np.linalg.norm(centred))
        if not _SMALLEST < norm < _LARGEST:  # of squares that are no numbers
            centred /= np.abs(centred).max()
            norm = float(np.linalg.norm(centred))
        centred /= norm
        return np.asarray(centred)

    @cached_property
    def reduced(self) -> FloatArray:
        """`centred`, rotated to as few columns as its rows need: inner products stay."""
        if self.centred.shape[1] <= self.centred.shape[0]:
            return self.centred
        return spectrum(self.centred).rotated(self.centred)

    @cached_property
    def basis(self) -> FloatArray:
        """Orthonormal columns that span `centred`, shape (n_rows, rank)."""
        sizes = np.linalg.norm(self.centred, axis=0)
        spread = np.ptp(self.values, axis=0)
        moving = (spread > _CONSTANT * np.abs(self.values).max(axis=0)) & (sizes > 0)
        return orthonormal(self.centred[:, moving] / sizes[moving])

    @cached_property
    def own_product(self) -> float:
        """Squared Frobenius norm of the products of columns: once per layer, not per pair."""
        wide = self.centred.shape[1] > self.n_rows
        product = self.kernel if wide else self.centred.T @ self.centred
        return float(np.linalg.norm(product) ** 2)

    @cached_property
    def kernel(self) -> FloatArray:
        """Inner products of rows."""
        return np.asarray(self.centred @ self.centred.T)

    @cached_property
    def square_norms(self) -> FloatArray:
        """Squared norm of each row of `centred`."""
        return np.asarray(np.einsum("ij,ij->i", self.centred, self.centred))

    def rows(self, wanted: BoolArray) -> Layer:
        """Return some of the rows.

        Raises
        ------
        EeveeError
            As of `Layer.of`: there may be too few left, or all the same.
        """
        return Layer.of(self.values[wanted])


def orthonormal(columns: FloatArray) -> FloatArray:
    """Return an orthonormal basis of the span of columns."""
    found: Spectrum = spectrum(columns)
    if found.left is not None:
        return found.left
    return np.asarray(found.rotated(columns) / np.sqrt(found.squares))


def check_margin(layer: Layer, n_columns: int, margin: float, what: str) -> None:
    """Refuse too few rows for so many columns.

    Raises
    ------
    EeveeError

    Examples
    --------
    >>> check_margin(Layer.of(np.eye(4)), 4, 10, "pwcca")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: pwcca: 4 rows for 4 columns, where 10 per column are asked for ...
    """
    if not margin >= 0:
        raise EeveeError(f"{what}: margin must be 0 or more, not {margin}")
    if layer.n_rows < margin * n_columns:
        raise EeveeError(
            f"{what}: {layer.n_rows} rows for {n_columns} columns, where {margin:g} per column "
            "are asked for (fewer make unrelated layers look alike); give more samples, or use "
            "debiased CKA"
        )


def layer_matrix(
    activations: npt.ArrayLike,
    *,
    columns: Columns = "channels",
    n_rows: int | None = None,
    seed: int = 0,
) -> FloatArray:
    """Reshape the activations of a convolution to rows and columns.

    Parameters
    ----------
    activations : array, shape (n_samples, n_channels, height, width)
    columns : {"channels", "activations", "pooled"}
        A row per patch and a column per channel; a row per sample and a column per activation; or
        a row per sample and a column per channel's mean.
    n_rows : int, optional
        Rows to draw without replacement: the same ones for the same number of rows and seed, so
        that two layers stay matched.
    seed : int

    Returns
    -------
    array, shape (n_samples * height * width, n_channels) for "channels"

    Raises
    ------
    EeveeError
        If the shape is wrong, values are not numbers, or there are fewer rows than `n_rows`.

    Notes
    -----
    Paper on the diversity coefficient, appendix K.6.

    Examples
    --------
    >>> layer_matrix(np.zeros((16, 8, 5, 5))).shape
    (400, 8)
    >>> layer_matrix(np.zeros((16, 8, 5, 5)), columns="activations").shape
    (16, 200)
    """
    array = as_array(activations, "activations")
    if array.dtype.kind not in "biuf":
        raise EeveeError(f"activations: must be numbers, not {array.dtype}")
    if array.ndim != 4 or 0 in array.shape:
        raise EeveeError(
            "activations: expected samples x channels x height x width, got an array of shape "
            f"{array.shape}"
        )
    if columns == "channels":
        made = np.moveaxis(array, 1, 3).reshape(-1, array.shape[1])
    elif columns == "activations":
        made = array.reshape(len(array), -1)
    elif columns == "pooled":
        made = array.mean(axis=(2, 3))
    else:
        raise EeveeError(f"columns must be channels, activations or pooled, not {columns!r}")
    made = np.array(made, dtype=np.float64)
    if n_rows is None:
        return made
    if not 0 < n_rows <= len(made):
        raise EeveeError(f"n_rows: {n_rows}, of {len(made)} rows")
    chosen = generator(seed).choice(len(made), n_rows, replace=False)
    return np.asarray(made[np.sort(chosen)])
