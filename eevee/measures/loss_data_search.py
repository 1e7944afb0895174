"""Sample complexity and surplus description length with guarantees: Algorithms 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator
from eevee.measures.loss_data import LossDataMeasure
from eevee.measures.loss_data_probes import (
    CurveProbe,
    check_probe,
    class_probabilities,
    default_probe,
    smoothed,
)
from eevee.measures.resampling import jackknife_stderr
from eevee.measures.sample import Sample

BINS = 10
"""Parts of an interval in each round of the grid search."""
DrawLosses = Callable[[int, int, np.random.Generator], FloatArray]
"""``draw(n, count, rng)``: losses, each of a probe fitted on n fresh samples, on another one."""
DrawRun = Callable[[int, np.random.Generator], FloatArray]
"""``draw_run(largest, rng)``: losses of probes fitted on the first 1, 2 ... samples of a set."""


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
    """Search for the first size with a loss of at most epsilon, by recursive grids.

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
        Without any mean loss of at most epsilon / 2 nothing is certified: the grid then narrows
        down to the first size with at most epsilon, or `measure` holds `largest` as a lower bound.

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
    _check_counts(largest=largest, n_rounds=n_rounds)
    count = math.ceil(2 * (ceiling / epsilon) ** 2 * math.log(2 * BINS * n_rounds / delta))
    rng = generator(seed)
    losses: dict[int, float] = {}
    low, high = 0, largest
    for _ in range(n_rounds):
        steps = [math.ceil(low + (high - low) * j / BINS) for j in range(1, BINS + 1)]
        for n in sorted(set(steps) - set(losses)):
            losses[n] = float(_drawn(draw, n, count, rng, ceiling).mean())
            if losses[n] <= epsilon / 2:
                break
        found = _found(losses, epsilon, largest)
        if not found.observed or found.high - found.low <= 1:
            break
        low, high = int(found.low), int(found.high)
    return ComplexitySearch(found, count, losses)


def _around(losses: dict[int, float], level: float, largest: int) -> tuple[int, int]:
    """Return the first size with a loss of at most a level, and the one before it."""
    high = min((n for n, loss in losses.items() if loss <= level), default=largest + 1)
    return max((n for n in losses if n < high), default=0), high


def _found(losses: dict[int, float], epsilon: float, largest: int) -> LossDataMeasure:
    certified = min(losses.values()) <= epsilon / 2
    low, high = _around(losses, epsilon / 2 if certified else epsilon, largest)
    seen = high <= largest
    return LossDataMeasure(
        float(high if seen else largest), math.nan,
        "upper" if certified else "exact" if seen else "lower", False, "samples",
        0.0, "esc", largest, epsilon, observed=seen, certified=certified,
        low=float(low), high=float(high) if seen else math.inf,
        certified_n=high if certified else None,
    )  # fmt: skip


def _check(epsilon: float, delta: float, ceiling: float) -> None:
    if not (0 < epsilon < ceiling < math.inf and 0 < delta < 1):
        raise EeveeError(
            f"epsilon must lie between 0 and the ceiling, delta between 0 and 1; got {epsilon}, "
            f"{ceiling}, {delta}"
        )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if not (isinstance(value, Integral) and value >= 1):
            raise EeveeError(f"{name}: must be a whole number above 0, not {value}")


def _drawn(
    draw: DrawLosses, n: int, count: int, rng: np.random.Generator, ceiling: float
) -> FloatArray:
    try:
        found = np.asarray(draw(n, count, rng), dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, EeveeError):
            raise
        raise EeveeError(f"draw: must return {count} losses: {error}") from None
    if found.shape != (count,) or np.isnan(found).any() or (found < 0).any():
        raise EeveeError(f"draw: must return {count} losses, not below 0; got shape {found.shape}")
    return np.minimum(found, ceiling)


def estimate_sdl(
    draw_run: DrawRun,
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
        first 1, 2 ... samples of a fresh data set, all on one more sample. `subset_runs` makes one
        of arrays.
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
        `low` and `high` are the estimate less and plus M ceiling sqrt(log(2 M / delta) / (2 K)),
        or infinity where it is a lower bound.
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
    _check_counts(largest=largest, n_datasets=n_datasets)
    rng = generator(seed)

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
        low=max(0.0, value - radius), high=value + radius if seen else math.inf,
    )  # fmt: skip


def _jackknife(runs: FloatArray, epsilon: float) -> float:
    n = len(runs)
    if n < 2:
        return math.nan
    without = (runs.sum(axis=0) - runs) / (n - 1)
    return float(jackknife_stderr(np.maximum(without - epsilon, 0).sum(axis=1)))


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
    fit = _Fits.of(features, labels, probe, smoothing)

    def draw(n: int, count: int, rng: np.random.Generator) -> FloatArray:
        fit.check(n)
        return np.array([fit.loss(fit.order(n, rng), n) for _ in range(count)])

    return draw


def subset_runs(
    features: npt.ArrayLike, labels: npt.ArrayLike, probe: Any = None, *, smoothing: float = 1.0
) -> DrawRun:
    """Return a `draw_run` of random subsets of samples that there are, for `estimate_sdl`.

    A run fits a classifier on the first 1, 2 ... of a subset drawn without replacement, and scores
    all of them on one more sample.

    Parameters
    ----------
    features, labels, probe, smoothing
        As of `subset_losses`.

    Raises
    ------
    EeveeError
        As of `subset_losses`.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(60, 2))
    >>> run = subset_runs(rows, rows[:, 0] > 0)
    >>> run(5, np.random.default_rng(0)).shape
    (5,)
    """
    fit = _Fits.of(features, labels, probe, smoothing)

    def draw_run(largest: int, rng: np.random.Generator) -> FloatArray:
        fit.check(largest)
        order = fit.order(largest, rng)
        return np.array([fit.loss(order, n) for n in range(1, largest + 1)])

    return draw_run


@dataclass(frozen=True)
class _Fits:
    sample: Sample
    probe: Any
    smoothing: float

    @classmethod
    def of(
        cls, features: npt.ArrayLike, labels: npt.ArrayLike, probe: Any, smoothing: float
    ) -> _Fits:
        check_probe(probe, smoothing)
        if isinstance(probe, CurveProbe):
            raise EeveeError("probe: a classifier is needed, which is fitted on one subset")
        sample = Sample.of(labels, features=features)
        return cls(sample, default_probe() if probe is None else probe, smoothing)

    def check(self, n: int) -> None:
        if not 1 <= n < self.sample.n_rows:
            raise EeveeError(f"draw: of {self.sample.n_rows} samples at most all but one; not {n}")

    def order(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return rows of a subset of n, and then that of the sample which they are scored on."""
        return np.asarray(rng.choice(self.sample.n_rows, n + 1, replace=False))

    def loss(self, order: IntArray, n: int) -> float:
        """Return the loss of the last row, of a probe that is fitted on the first n."""
        assert self.sample.features is not None
        rows, codes = self.sample.features[order], self.sample.codes[order]
        given, n_classes = (rows[:n], codes[:n], rows[-1:]), self.sample.n_classes
        probs = class_probabilities(self.probe, *given, n_classes, int(order[0]))
        with np.errstate(divide="ignore"):
            return float(-np.log(smoothed(probs, n, self.smoothing)[0, codes[-1]]))
