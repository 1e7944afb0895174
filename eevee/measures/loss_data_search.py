"""Sample complexity and surplus description length with guarantees: Algorithms 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataMeasure
from eevee.measures.loss_data_probes import class_probabilities, default_probe, smoothed
from eevee.measures.sample import Sample

BINS = 10
"""Parts of an interval in each round of the grid search."""
DrawLosses = Callable[[int, int, np.random.Generator], FloatArray]
"""``draw(n, count, rng)``: losses, each of a probe fitted on n fresh samples, on another one."""


@dataclass(frozen=True)
class ComplexitySearch:
    """What a grid search found.

    Attributes
    ----------
    measure : LossDataMeasure
        With the probability 1 - delta the sample complexity is at most its value where it is
        `certified`; between `low` and `high` as far as the losses that were seen tell.
    n_draws : int
        Of each size: 2 (ceiling / epsilon)**2 log(20 k / delta).
    losses : dict of int to float
        Mean losses, by size.
    """

    measure: LossDataMeasure
    n_draws: int
    losses: dict[int, float]


def search_sample_complexity(
    draw: DrawLosses,
    epsilon: float,
    largest: int,
    *,
    delta: float = 0.05,
    n_rounds: int = 3,
    ceiling: float = 1.0,
    seed: int = 0,
) -> ComplexitySearch:
    """Search for the first size with a loss of at most epsilon, by a grid in a grid.

    Parameters
    ----------
    draw : callable
        ``draw(n, count, rng)`` -> array of `count` independent losses, each of a probe that is
        fitted on n samples and scored on one more. `subset_losses` makes one of arrays.
    epsilon : float
    largest : int
        Sizes are searched from 1 to this.
    delta : float
        Probability with which the guarantee may fail.
    n_rounds : int
        k; each narrows the interval to a tenth.
    ceiling : float
        Losses are cut off at it (the paper: 1), which the guarantee is about.
    seed : int

    Returns
    -------
    ComplexitySearch
        Without any mean loss of at most epsilon / 2 nothing is certified: `measure` then holds the
        first size seen with at most epsilon, or `largest` as a lower bound.

    Raises
    ------
    EeveeError
        If a setting is out of its range, or `draw` does not return losses.

    Notes
    -----
    "Evaluating representations by the complexity of learning low-loss predictors", Algorithm 2 and
    Theorem 5, for losses that fall with n. Ends of intervals that are known are not drawn again,
    and sizes are rounded up, so that at most 10 k are looked at.

    Examples
    --------
    >>> def draw(n, count, rng):
    ...     return (rng.random(count) < 1 / n).astype(float)
    >>> found = search_sample_complexity(draw, 0.2, 1000, n_rounds=2)
    >>> found.measure.certified, found.measure.bound, bool(5 <= found.measure.value <= 20)
    (True, 'upper', True)
    """
    _check(epsilon, delta, ceiling)
    if largest < 1 or n_rounds < 1:
        raise EeveeError("largest and n_rounds must be above 0")
    count = math.ceil(2 * (ceiling / epsilon) ** 2 * math.log(2 * BINS * n_rounds / delta))
    rng = np.random.default_rng(seed)
    losses: dict[int, float] = {}
    low, high, certified = 0, largest, False
    for _ in range(n_rounds):
        steps = [math.ceil(low + (high - low) * j / BINS) for j in range(1, BINS + 1)]
        for n in sorted(set(steps)):
            if n == high and certified:
                break
            losses[n] = float(_drawn(draw, n, count, rng, ceiling).mean())
            if losses[n] <= epsilon / 2:
                high, certified = n, True
                break
            low = max(low, n)
        if not certified or high - low <= 1:
            break
    return ComplexitySearch(_found(losses, epsilon, largest, low, high, certified), count, losses)


def _found(
    losses: dict[int, float], epsilon: float, largest: int, low: int, high: int, certified: bool
) -> LossDataMeasure:
    base = LossDataMeasure(
        float(high), math.nan, "upper", False, "samples", 0.0, "esc", largest, epsilon,
        low=float(low), high=float(high), certified_n=high,
    )  # fmt: skip
    if certified:
        return base
    seen = [n for n, loss in sorted(losses.items()) if loss <= epsilon]
    none = replace(base, certified=False, certified_n=None)
    if seen:
        below = max((n for n in losses if n < seen[0]), default=0)
        return replace(
            none, value=float(seen[0]), bound="exact", low=float(below), high=float(seen[0])
        )
    return replace(none, bound="lower", observed=False, low=float(largest), high=math.inf)


def _check(epsilon: float, delta: float, ceiling: float) -> None:
    if not (0 < epsilon < ceiling < math.inf and 0 < delta < 1):
        raise EeveeError(
            f"epsilon must lie between 0 and the ceiling, delta between 0 and 1; got {epsilon}, "
            f"{ceiling}, {delta}"
        )


def _drawn(
    draw: DrawLosses, n: int, count: int, rng: np.random.Generator, ceiling: float
) -> FloatArray:
    found = np.asarray(draw(n, count, rng), dtype=np.float64)
    if found.shape != (count,) or np.isnan(found).any() or (found < 0).any():
        raise EeveeError(f"draw: must return {count} losses, not below 0; got shape {found.shape}")
    return np.minimum(found, ceiling)


def estimate_sdl(
    draw_run: Callable[[int, np.random.Generator], FloatArray],
    epsilon: float,
    largest: int,
    n_datasets: int,
    *,
    delta: float = 0.05,
    ceiling: float = 1.0,
    seed: int = 0,
) -> LossDataMeasure:
    """Estimate the surplus description length from losses at every size.

    Parameters
    ----------
    draw_run : callable
        ``draw_run(largest, rng)`` -> array of losses, shape (largest,): of probes fitted on the
        first 1, 2 ... samples of a fresh data set, all on one more sample.
    epsilon : float
    largest : int
        M, the last size.
    n_datasets : int
        K.
    delta, ceiling, seed
        As of `search_sample_complexity`.

    Returns
    -------
    LossDataMeasure
        `low` and `high` are the estimate less and plus M ceiling sqrt(log(2 M / delta) / (2 K)).
        `certified` is Algorithm 1's "tight" with as many data sets as it takes,
        K >= 2 (ceiling / epsilon)**2 log(1 / delta): then the sample complexity is at most M, and
        the sum lies between them, each with the probability 1 - delta. Otherwise it is a lower
        bound unless the last loss is at most epsilon (`observed`).

    Raises
    ------
    EeveeError
        If a setting is out of its range, or `draw_run` does not return losses.

    Notes
    -----
    Algorithm 1 and Theorem 4, whose K >= log(1 / delta) / (2 epsilon**2) is too small by a factor
    of 4: its eq. 20 takes epsilon where epsilon / 2 stands.

    Examples
    --------
    >>> def draw_run(largest, rng):
    ...     return (rng.random() < 1 / np.arange(1, largest + 1)).astype(float)
    >>> found = estimate_sdl(draw_run, 0.2, 20, 2000)
    >>> found.certified, bool(found.low < sum(1 / n - 0.2 for n in range(1, 6)) < found.high)
    (True, True)
    """
    _check(epsilon, delta, ceiling)
    if largest < 1 or n_datasets < 1:
        raise EeveeError("largest and n_datasets must be above 0")
    rng = np.random.default_rng(seed)

    def run(_: int, __: int, rng: np.random.Generator) -> FloatArray:
        return draw_run(largest, rng)

    runs = [_drawn(run, largest, largest, rng, ceiling) for _ in range(n_datasets)]
    losses = np.mean(runs, axis=0)
    value = float(np.maximum(losses - epsilon, 0).sum())
    radius = largest * ceiling * math.sqrt(math.log(2 * largest / delta) / (2 * n_datasets))
    enough = n_datasets >= 2 * (ceiling / epsilon) ** 2 * math.log(1 / delta)
    seen = bool(losses[-1] <= epsilon)
    return LossDataMeasure(
        value, _jackknife(np.array(runs), epsilon), "exact" if seen else "lower", False, "nats",
        0.0, "sdl", largest, epsilon, observed=seen,
        certified=bool(losses[-1] <= epsilon / 2) and enough,
        low=max(0.0, value - radius), high=value + radius,
    )  # fmt: skip


def _jackknife(runs: FloatArray, epsilon: float) -> float:
    n = len(runs)
    if n < 2:
        return math.nan
    without = (runs.sum(axis=0) - runs) / (n - 1)
    values = np.maximum(without - epsilon, 0).sum(axis=1)
    return math.sqrt((n - 1) * float(np.var(values)))


def subset_losses(
    features: npt.ArrayLike, labels: npt.ArrayLike, probe: Any = None, *, smoothing: float = 1.0
) -> DrawLosses:
    """Return a `draw` of random subsets of samples that there are.

    Each loss is of a classifier fitted on n of them, drawn without replacement, on another one. A
    guarantee is then about these samples as the population.

    Parameters
    ----------
    features, labels, probe, smoothing
        As of `loss_data_curve`; features are taken as they are.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`), and by the draw if n is not below the
        number of samples.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 2))
    >>> draw = subset_losses(rows, rows[:, 0] > 0)
    >>> draw(30, 2, np.random.default_rng(0)).shape
    (2,)
    """
    sample = Sample.of(labels, features=features)
    model = default_probe() if probe is None else probe

    def one(n: int, rng: np.random.Generator) -> float:
        assert sample.features is not None
        at = rng.choice(sample.n_rows, n + 1, replace=False)
        rows, codes = sample.features[at], sample.codes[at]
        probs = class_probabilities(model, rows[:n], codes[:n], rows[n:], sample.n_classes)
        with np.errstate(divide="ignore"):
            return float(-np.log(smoothed(probs, n, smoothing)[0, codes[n]]))

    def draw(n: int, count: int, rng: np.random.Generator) -> FloatArray:
        if not 1 <= n < sample.n_rows:
            raise EeveeError(f"draw: of {sample.n_rows} samples at most all but one; not {n}")
        return np.array([one(n, rng) for _ in range(count)])

    return draw
