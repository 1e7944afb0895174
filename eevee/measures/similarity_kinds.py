"""Kinds of distances between layers, and their standard errors."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.remembered import per_object
from eevee.base.seeds import child_seed
from eevee.measures.layers import MARGIN, Layer, check_margin, orthonormal
from eevee.measures.measure import Measure
from eevee.measures.resampling import check_groups, leave_out

Energy = Literal["sigma", "sigma2"]
CONVENTIONS = ("paper", "reference", "anatome")
KEPT = 0.99
"""Share of singular values that SVCCA keeps."""
_GROUPS = 3
"""Number of a child seed."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Similarity:
    """A kind of distance between two layers: 0 where they are equal.

    Attributes
    ----------
    name : str
    compute : callable
    columns : callable or None
        Number of columns with correlations, which need `margin` rows each; None if it needs none.
    symmetric : bool
    """

    name: str
    compute: Callable[[Layer, Layer], float]
    columns: Callable[[Layer], int] | None = None
    symmetric: bool = True

    def distance(self, first: Layer, second: Layer, *, margin: float = MARGIN) -> float:
        """Return the distance.

        Raises
        ------
        EeveeError
            If rows do not match, or are fewer than `margin` per column.
        """
        if first.n_rows != second.n_rows:
            raise EeveeError(
                f"{self.name}: {first.n_rows} and {second.n_rows} rows; layers are compared on "
                "the same samples"
            )
        for layer in (first, second) if self.columns and margin else ():
            check_margin(layer, self.columns(layer), margin, self.name)  # type: ignore[misc]
        value = self.compute(first, second)
        if not math.isfinite(value):
            raise EeveeError(f"{self.name}: the distance is not defined; give more samples")
        return value

    def between(self, first: Layer, second: Layer, *, margin: float = MARGIN) -> float:
        """Return the distance, or the mean of both directions if it is not symmetric.

        Raises
        ------
        EeveeError
            As of `distance`.
        """
        there = self.distance(first, second, margin=margin)
        if self.symmetric:
            return there
        return (there + self.distance(second, first, margin=margin)) / 2

    def measure(
        self,
        first: Layer,
        second: Layer,
        *,
        margin: float = MARGIN,
        n_groups: int = 0,
        seed: int = 0,
    ) -> Measure:
        """Return the distance with its cost and, by a jackknife over rows, its standard error."""
        start = time.perf_counter()
        value = self.distance(first, second, margin=margin)
        seconds = time.perf_counter() - start
        stderr = math.nan
        if n_groups:
            stderr = leave_out(
                lambda kept: self.distance(first.rows(kept), second.rows(kept), margin=0),
                row_groups(first.n_rows, n_groups, seed),
            )
        return Measure(value, stderr, "exact", False, "distance", seconds)


def row_groups(n_rows: int, n_groups: int, seed: int) -> IntArray:
    """Return the group of each row, for a jackknife.

    Raises
    ------
    EeveeError
        If there are fewer than 2 groups.

    Examples
    --------
    >>> sorted(row_groups(5, 2, 0).tolist())
    [0, 0, 0, 1, 1]
    """
    check_groups(n_groups)
    rng = np.random.default_rng(child_seed(seed, _GROUPS))
    return rng.permutation(n_rows) % min(n_groups, n_rows)


def _hsic(first: Layer, second: Layer) -> float:
    if first is second:
        return first.own_product
    if first.n_rows < min(first.centred.shape[1], second.centred.shape[1]):
        return float(np.vdot(first.kernel, second.kernel))
    return float(np.linalg.norm(first.centred.T @ second.centred) ** 2)


def _unbiased_hsic(first: Layer, second: Layer) -> float:
    """Without the pairs of a row with itself; rows of centred kernels sum to zero."""
    n = first.n_rows
    one, other = first.square_norms, second.square_norms
    means = one.sum() * other.sum() / ((n - 1) * (n - 2))
    return _hsic(first, second) - n / (n - 2) * float(one @ other) + float(means)


def _cka(first: Layer, second: Layer, debiased: bool = False) -> float:
    inner = _unbiased_hsic if debiased else _hsic
    own = inner(first, first), inner(second, second)
    if not min(own) > _ROUNDING:  # of layers of norm one; unbiased, if one row holds it all
        return math.nan
    return 1 - inner(first, second) / math.sqrt(own[0] * own[1])


def _opd(first: Layer, second: Layer) -> float:
    product = first.reduced.T @ second.reduced
    return max(0.0, 1 - float(linalg.svdvals(product, check_finite=False).sum()))


def _rank(layer: Layer) -> int:
    return int(layer.basis.shape[1])


def _apart(first: FloatArray, second: FloatArray) -> float:
    """Return 1 minus the mean canonical correlation of two spans."""
    values = linalg.svdvals(first.T @ second, check_finite=False)
    return 1 - float(np.minimum(values, 1.0).mean())


def _svcca(kept: float, energy: Energy, convention: str) -> Similarity:
    if not 0 < kept <= 1:
        raise EeveeError(f"svcca: kept must lie in (0, 1], not {kept}")
    if convention not in ("paper", "reference"):
        raise EeveeError(f"svcca: convention must be paper or reference, not {convention!r}")
    if energy not in ("sigma", "sigma2"):
        raise EeveeError(f"svcca: energy must be sigma or sigma2, not {energy!r}")

    def principal(layer: Layer) -> FloatArray:
        return _principal(layer, kept, energy, convention)

    return Similarity(
        "svcca",
        lambda first, second: _apart(principal(first), principal(second)),
        lambda layer: principal(layer).shape[1],
    )


@per_object
def _principal(layer: Layer, kept: float, energy: Energy, convention: str) -> FloatArray:
    """Orthonormal directions that hold most of a layer.

    Released codes keep one direction fewer, and choose before centring.
    """
    paper = convention == "paper"
    values = layer.centred if paper else layer.values / np.abs(layer.values).max()
    left, sizes, _ = linalg.svd(values, full_matrices=False, check_finite=False)
    sums = np.cumsum(sizes if energy == "sigma" else sizes**2)
    n = int((sums < kept * sums[-1]).sum())
    if paper:
        rank = int((sizes > sizes[0] * max(values.shape) * np.finfo(np.float64).eps).sum())
        return np.asarray(left[:, : min(n + 1, rank)])
    part = left[:, : max(n, 1)] * sizes[: max(n, 1)]
    return orthonormal(part - part.mean(axis=0))


def _pwcca(convention: str) -> Similarity:
    def compute(first: Layer, second: Layer) -> float:
        if convention == "reference" and _rank(second) < _rank(first):
            first, second = second, first
        left, values, _ = linalg.svd(first.basis.T @ second.basis, full_matrices=False)
        if convention == "reference":
            weights = _by_rotated_activations(first, second)[: len(values)]
        else:
            weigh = _by_variates if convention == "paper" else _by_coefficients
            weights = weigh(first, first.basis @ left)
        return 1 - float(weights @ np.minimum(values, 1.0) / weights.sum())

    return Similarity("pwcca", compute, _rank, symmetric=False)


def _by_variates(layer: Layer, variates: FloatArray) -> FloatArray:
    """Return the share of each canonical variate in the columns."""
    return np.asarray(np.abs(variates.T @ layer.centred).sum(axis=1))


def _by_rotated_activations(layer: Layer, other: Layer) -> FloatArray:
    """As google/svcca: activations are rotated but not whitened, and means are added.

    Means are added to directions of arbitrary sign: the value depends on the signs, and so on the
    linear algebra library.
    """
    one, another = (_polar(each.values - each.values.mean(axis=0)) for each in (layer, other))
    rotation = np.linalg.svd(one.T @ another)[0]
    means = layer.values.mean(axis=0)
    directions = (layer.values - means) @ rotation + means
    held = linalg.qr(directions, mode="economic")[0].T @ layer.values
    return np.asarray(np.abs(held).sum(axis=1))


def _polar(columns: FloatArray) -> FloatArray:
    """Return the whitened columns that are nearest to the given ones."""
    left, _, right = linalg.svd(columns, full_matrices=False)
    return np.asarray(left @ right)


def _by_coefficients(layer: Layer, variates: FloatArray) -> FloatArray:
    """As anatome: of coefficients made orthonormal, and activations that are not centred."""
    centred = layer.values - layer.values.mean(axis=0)
    coefficients = linalg.lstsq(centred, variates)[0]
    held = layer.values @ linalg.qr(coefficients, mode="economic")[0]
    return np.asarray(np.abs(held).sum(axis=0))


PLAIN = {
    one.name: one
    for one in (
        Similarity("cka", lambda first, second: max(0.0, _cka(first, second))),
        Similarity("cka-debiased", lambda first, second: _cka(first, second, debiased=True)),
        Similarity("opd", _opd),
        Similarity("mean-cca", lambda one, other: _apart(one.basis, other.basis), _rank),
    )
}
KINDS = (*PLAIN, "svcca", "pwcca")


def find_similarity(
    name: str, *, convention: str = "paper", kept: float = KEPT, energy: Energy = "sigma"
) -> Similarity:
    """Return a kind of distance by name.

    Parameters
    ----------
    name : {"cka", "cka-debiased", "opd", "mean-cca", "svcca", "pwcca"}
    convention, kept, energy
        Of SVCCA and PWCCA (`svcca`, `pwcca`).

    Raises
    ------
    EeveeError
        If there is no such name, or no such convention of it.

    Examples
    --------
    >>> find_similarity("opd").name
    'opd'
    >>> find_similarity("ckaa")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: 'ckaa' is no similarity (did you mean 'cka'?)
    """
    if convention not in CONVENTIONS:
        raise EeveeError(f"convention must be one of {', '.join(CONVENTIONS)}, not {convention!r}")
    if name == "svcca":
        return _svcca(kept, energy, convention)
    if name == "pwcca":
        return _pwcca(convention)
    if name not in PLAIN:
        hint = did_you_mean(name, KINDS) or f"; there are {', '.join(KINDS)}"
        raise EeveeError(f"{name!r} is no similarity{hint}")
    if convention != "paper":
        raise EeveeError(f"{name}: convention must be paper, not {convention!r}")
    return PLAIN[name]
