"""PACTran-Gaussian, LINEAR and LINEAR-VALID: what a linear classifier on the features reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.measure import Definition, Measure
from eevee.measures.pactran_counts import checked_convention
from eevee.measures.sample import Sample
from eevee.measures.softmax_regression import Fit, SoftmaxRegression

Pair = tuple[float, float]
RELEASED_GRID: tuple[Pair, ...] = (
    (10, 1000), (10, 100), (1, 100), (1, 10), (0.1, 10), (0.1, 1),
)  # fmt: skip
"""Pairs (a, b) of the released code of PACTran-Gaussian."""
PAPER_GRID: tuple[Pair, ...] = tuple(
    (a, b) for a in (0.1, 1.0, 10.0) for b in (1.0, 10.0, 100.0, 1000.0)
)
"""Those of the paper's appendix B.5."""
A, B = 1.0, 10.0
"""Ours: a pair of both grids. The pair of the paper's PT-Gauss_fix is not in its appendix."""
VALID_A = (10.0, 1.0, 0.1)


def _fitted(sample: Sample, a: float) -> Fit:
    return SoftmaxRegression(sample).fit(a * sample.n_rows)


def _trace(fit: Fit) -> float:
    """Trace of the Hessian of the mean cross-entropy, of weights and biases."""
    curvature = (fit.probs * (1 - fit.probs)).sum(axis=1)
    return float(((fit.squares + 1) * curvature).mean())


def _flatness(sample: Sample, trace: float, a: float, b: float) -> float:
    """Return K D s0^2 / (2 beta) log(1 + beta / (K D) Tr H), with s0^2 = b / D, beta = a N."""
    assert sample.features is not None
    beta = a * sample.n_rows
    size = sample.n_classes * sample.features.shape[1]
    return sample.n_classes * b / (2 * beta) * math.log1p(beta * trace / size)


def _gaussian(sample: Sample, a: float, b: float, convention: str) -> float:
    fit = _fitted(sample, a)
    trace = _trace(fit) * (sample.n_rows if convention == "reference" else 1)
    return fit.loss + _flatness(sample, trace, a, b)


def _linear(sample: Sample, a: float) -> float:
    return _fitted(sample, a).loss


def _linear_valid(sample: Sample, grid: Sequence[float]) -> float:
    assert sample.features is not None
    first = sample.first_half
    classes = np.unique(sample.codes[first])
    half = sample.rows(first)
    if len(classes) < 2 or first.all() or not half.varies:
        raise EeveeError("linear-valid: too few rows to hold out half of them; give more")
    path = SoftmaxRegression(half)
    fits = [path.fit(a * first.sum()) for a in sorted(grid)]
    held, codes = sample.features[~first], sample.codes[~first]
    return min(float((classes[fit.classes(held)] != codes).mean()) for fit in fits)


def gaussian_definition(a: float = A, b: float = B, convention: str = "paper") -> Definition:
    """Return PACTran-Gaussian with these settings.

    Raises
    ------
    EeveeError
        If a setting is out of its range.

    Examples
    --------
    >>> gaussian_definition(10, 100).unit
    'nats per row'
    """
    compute = partial(
        _gaussian,
        a=_positive(a, "a"),
        b=_positive(b, "b"),
        convention=checked_convention(convention),
    )
    return Definition("pactran-gaussian", compute, "features", "nats per row", "upper", False)


def linear_definition(a: float = A) -> Definition:
    """Return LINEAR with this penalty.

    Examples
    --------
    >>> linear_definition(10).name
    'linear'
    """
    compute = partial(_linear, a=_positive(a, "a"))
    return Definition("linear", compute, "features", "nats per row", "exact", False)


def _positive(value: float, name: str) -> float:
    if not 0 < value < math.inf:
        raise EeveeError(f"{name} must be a positive number, not {value}")
    return float(value)


LINEAR_VALID = Definition(
    "linear-valid", partial(_linear_valid, grid=VALID_A), "features", "error rate", "exact", False
)


def pactran_gaussian(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    a: float = A,
    b: float = B,
    convention: str = "paper",
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return PACTran-Gaussian: the loss of a linear classifier, and how flat its minimum is.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    labels : array, shape (n_samples,)
    a, b : float
        ``beta = a * n_samples``, and the variance of the prior ``b / n_features``.
    convention : {"paper", "reference"}
        The released code sums the Hessian over rows where the paper's eqs. 20 and 21 have the mean.
    n_groups, seed
        As of `leep`.

    Returns
    -------
    Measure
        Lower is better. An upper bound to second order: of the released pairs the paper takes the
        one that agrees best with LINEAR-VALID over checkpoints (`best_pair`).

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Notes
    -----
    Ding et al., "PACTran: PAC-Bayesian metrics for estimating the transferability of pretrained
    models to classification tasks", 2022, eqs. 14 and 19. Features are centred, the bias is free.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> clear, none = rows[:, 0] > 0, np.arange(60) % 2
    >>> pactran_gaussian(rows, clear).value < pactran_gaussian(rows, none).value
    True
    """
    sample = Sample.of(labels, features=features)
    return gaussian_definition(a, b, convention).measure(sample, n_groups=n_groups, seed=seed)


def gaussian_grid(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    pairs: Sequence[Pair] = RELEASED_GRID,
    *,
    convention: str = "paper",
) -> dict[Pair, float]:
    """Return PACTran-Gaussian (lower is better) of several pairs (a, b), with a fit per a.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Examples
    --------
    >>> grid = gaussian_grid([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> min(grid, key=grid.get)
    (0.1, 1)
    """
    sample = Sample.of(labels, features=features)
    factor = sample.n_rows if checked_convention(convention) == "reference" else 1
    path = SoftmaxRegression(sample)
    found: dict[Pair, float] = {}
    for a in sorted({a for a, _ in pairs}):
        fit = path.fit(_positive(a, "a") * sample.n_rows)
        trace = _trace(fit) * factor
        for pair in pairs:
            if pair[0] == a:
                found[pair] = fit.loss + _flatness(sample, trace, a, _positive(pair[1], "b"))
    return {pair: found[pair] for pair in pairs}


def linear(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    a: float = A,
    n_groups: int = 0,
    seed: int = 0,
) -> Measure:
    """Return LINEAR: the regularised loss of a linear classifier, PACTran-Gaussian's first term.

    Parameters
    ----------
    features, labels, a, n_groups, seed
        As of `pactran_gaussian`.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`).

    Examples
    --------
    >>> linear([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).value < 0.69
    True
    """
    sample = Sample.of(labels, features=features)
    return linear_definition(a).measure(sample, n_groups=n_groups, seed=seed)


def linear_valid(
    features: npt.ArrayLike, labels: npt.ArrayLike, *, n_groups: int = 0, seed: int = 0
) -> Measure:
    """Return LINEAR-VALID: the error on half of the rows of a classifier fitted on the others.

    Parameters
    ----------
    features, labels, n_groups
        As of `pactran_gaussian`.
    seed : int
        Of the halves, which are drawn within classes, and of the groups. (The released code takes
        the first half as it comes, which a sorted file would break.)

    Returns
    -------
    Measure
        The least error over ``a`` in 10, 1 and 0.1.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`), or there are too few rows.

    Examples
    --------
    >>> linear_valid(np.arange(20.0)[:, None], np.arange(20) > 9).value <= 0.2
    True
    """
    sample = Sample.of(labels, features=features, seed=seed)
    return LINEAR_VALID.measure(sample, n_groups=n_groups, seed=seed)


def best_pair(
    grids: Sequence[Mapping[Pair, float]], linear_valid_errors: Sequence[float] | FloatArray
) -> Pair:
    """Return the pair whose scores of checkpoints agree best with LINEAR-VALID: PT-Gauss_grid.

    Parameters
    ----------
    grids : sequence of `gaussian_grid`, one per checkpoint
    linear_valid_errors : sequence of float, one per checkpoint

    Returns
    -------
    pair
        The first of those with the largest Kendall's tau-b.

    Raises
    ------
    EeveeError
        If the numbers differ, or nothing can be ranked.

    Examples
    --------
    >>> best_pair([{(1, 1): 0.2, (1, 9): 0.9}, {(1, 1): 0.4, (1, 9): 0.3}], [0.1, 0.5])
    (1, 1)
    """
    from eevee.measures.agreement import kendall

    errors = np.asarray(linear_valid_errors, dtype=np.float64)
    pairs = list(grids[0]) if len(grids) else []
    if len(grids) != len(errors) or any(list(grid) != pairs for grid in grids):
        raise EeveeError("grids: one per checkpoint is needed, all of the same pairs")
    taus = [kendall([grid[pair] for grid in grids], errors).tau_b for pair in pairs]
    if not taus or all(map(math.isnan, taus)):
        raise EeveeError("grids: no pair ranks the checkpoints; LINEAR-VALID or scores are tied")
    return pairs[int(np.nanargmax(taus))]
