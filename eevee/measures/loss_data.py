"""`LossDataCurve` and what is read off it: VA, MDL, SDL, sample complexity, a bound of MI."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.measures.measure import Measure
from eevee.measures.resampling import jackknife_stderr

Rule = Literal["left", "right", "trapezoid"]
RULES = ("left", "right", "trapezoid")
PORTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""Of the data, where the online code of Voita and Titov retrains its model."""
MOST_SAMPLES = 2**53
MOST_ENTROPY = math.log(MOST_SAMPLES)


@dataclass(frozen=True)
class LossDataMeasure(Measure):
    """A number read off a curve, and how far it can be trusted.

    Attributes
    ----------
    name : {"va", "mi", "mdl", "sdl", "esc"}
    n : int
        Samples that it may use.
    epsilon : float
        The tolerance; NaN where there is none.
    observed : bool
        Whether a loss of at most epsilon was measured: for "sdl" with n samples, for "esc" with n
        or fewer. Where it was not, `bound` is "lower": more samples can only add to the value.
    certified : bool
        Whether a loss of at most epsilon / 2 was, as Algorithms 1 and 2 of the paper ask.
    low, high : float
        By the right and by the left edges of blocks: a bracket of the sum over each sample for a
        curve that never rises. For "esc", the sizes between which the loss crosses epsilon. `high`
        is infinite where `bound` is "lower".
    certified_n : int or None
        For "esc", the first size with a loss of at most epsilon / 2.
    """

    name: str = ""
    n: int = 0
    epsilon: float = math.nan
    observed: bool = True
    certified: bool = True
    low: float = math.nan
    high: float = math.nan
    certified_n: int | None = None

    def in_bits(self) -> LossDataMeasure:
        """Return the same in bits, if it is in nats."""
        if "nats" not in self.unit:
            return self
        unit, bit = self.unit.replace("nats", "bits"), math.log(2)
        return replace(
            self,
            value=self.value / bit,
            stderr=self.stderr / bit,
            low=self.low / bit,
            high=self.high / bit,
            unit=unit,
        )

    def __str__(self) -> str:
        """Return the value with at most two decimals, after ``>`` where it is a lower bound."""
        sign = "> " if self.bound == "lower" else ""
        return f"{sign}{self.value:.0f}" if self.name == "esc" else f"{sign}{self.value:.2f}"


@dataclass(frozen=True, eq=False)
class LossDataCurve:
    """Validation losses of a probe, by the number of samples it is fitted on.

    Attributes
    ----------
    sizes : int array, shape (n_sizes,)
        Rising.
    losses : array, shape (n_sizes, n_seeds)
        Nats per sample.
    n_classes : int or None
        For the uniform code of samples before the first model.
    label_entropy : float or None
        Nats, for the bound of mutual information.
    name : str

    Examples
    --------
    >>> curve = LossDataCurve.of([1, 2, 4], [0.6, 0.4, 0.1], n_classes=2)
    >>> round(curve.mdl().value, 4), curve.esc(0.5).value, str(curve.esc(0.05))
    (2.0931, 2.0, '> 4')
    """

    sizes: IntArray
    losses: FloatArray
    n_classes: int | None = None
    label_entropy: float | None = None
    name: str = ""

    @classmethod
    def of(
        cls,
        sizes: npt.ArrayLike,
        losses: npt.ArrayLike,
        *,
        n_classes: int | None = None,
        label_entropy: float | None = None,
        name: str = "",
    ) -> LossDataCurve:
        """Check a curve that was measured elsewhere.

        Parameters
        ----------
        sizes : int array, shape (n_sizes,)
            Above 0, in any order.
        losses : array, shape (n_sizes,) or (n_sizes, n_seeds)
            Nats per sample.
        n_classes, label_entropy, name
            See above.

        Raises
        ------
        EeveeError
            If shapes do not match, a size appears twice, or a loss is not finite or below 0.
        """
        at = as_array(sizes, f"{_what(name)}sizes")
        found = as_array(losses, f"{_what(name)}losses")
        if at.ndim != 1 or not at.size or at.dtype.kind not in "iuf":
            raise EeveeError(f"{_what(name)}sizes: expected numbers of samples, one or more")
        if not ((at >= 1) & (at < MOST_SAMPLES)).all() or (at != np.round(at)).any():
            raise EeveeError(f"{_what(name)}sizes: must be whole numbers above 0")
        if found.dtype.kind not in "iuf" or found.shape[:1] != at.shape or found.ndim > 2:
            raise EeveeError(
                f"{_what(name)}losses: expected {len(at)} sizes x seeds, got {found.shape}"
            )
        table = found.reshape(len(at), -1).astype(np.float64)
        if not table.size or not np.isfinite(table).all() or (table < 0).any():
            raise EeveeError(f"{_what(name)}losses: must be finite, and not below 0")
        order = np.argsort(at, kind="stable")
        at, table = at[order].astype(np.int64), table[order]
        if (np.diff(at) == 0).any():
            twice = at[:-1][np.diff(at) == 0][0]
            raise EeveeError(f"{_what(name)}sizes: {twice} appears twice; give seeds as columns")
        if n_classes is not None and not (isinstance(n_classes, Integral) and n_classes >= 2):
            raise EeveeError(f"{_what(name)}n_classes: a whole number from 2, not {n_classes}")
        most = math.inf if n_classes is None else math.log(n_classes) + 1e-9
        if label_entropy is not None and not 0 <= label_entropy <= min(most, MOST_ENTROPY):
            raise EeveeError(
                f"{_what(name)}label_entropy: in nats, at most the logarithm of the number of "
                f"classes; not {label_entropy}"
            )
        return cls(at, table, n_classes, label_entropy, name)

    @property
    def mean(self) -> FloatArray:
        """Mean losses over seeds, shape (n_sizes,)."""
        return np.asarray(self.losses.mean(axis=1))

    @property
    def stderr(self) -> FloatArray:
        """Standard errors of the means; NaN for one seed."""
        n = self.losses.shape[1]
        if n < 2:
            return np.full(len(self.sizes), math.nan)
        return np.asarray(self.losses.std(axis=1, ddof=1) / math.sqrt(n))

    @property
    def rises(self) -> IntArray:
        """Sizes at which the mean loss is higher than with fewer samples.

        With none it is that of the uniform code, log K, if the number of classes is known.
        """
        before = np.minimum.accumulate(np.concatenate([[self._most], self.mean[:-1]]))
        return self.sizes[self.mean > before]

    @property
    def _most(self) -> float:
        return math.inf if self.n_classes is None else math.log(self.n_classes)

    def falling(self) -> LossDataCurve:
        """Return the nearest curve that never rises (isotonic regression), nor starts above log K.

        Its single "seed" is fitted to the means, so that nothing has a standard error.
        """
        from sklearn.isotonic import isotonic_regression

        fitted = np.minimum(isotonic_regression(self.mean, increasing=False), self._most)
        return replace(self, losses=np.asarray(fitted, dtype=np.float64)[:, None])

    def va(self, n: int | None = None) -> LossDataMeasure:
        """Return the validation loss with n samples (by default all)."""
        last = self._last(n)
        return self._measure("va", last, lambda mean: float(mean[last]), unit="nats per sample")

    def mi(self, n: int | None = None) -> LossDataMeasure:
        """Return a lower bound of the mutual information of labels and features (eq. 4).

        Raises
        ------
        EeveeError
            If the curve does not know the entropy of its labels.
        """
        entropy = self.label_entropy
        if entropy is None:
            raise EeveeError(f"{_what(self.name)}mi: needs the entropy of labels, label_entropy")
        last = self._last(n)
        found = self._measure("mi", last, lambda mean: max(0.0, entropy - float(mean[last])))
        return replace(found, bound="lower", higher_is_better=True)

    def mdl(self, n: int | None = None, rule: Rule = "left") -> LossDataMeasure:
        """Return the description length of n labels: the area under the curve."""
        last = self._last(n)
        return self._area("mdl", last, 0.0, rule)

    def sdl(self, epsilon: float, n: int | None = None, rule: Rule = "left") -> LossDataMeasure:
        """Return the surplus description length: the area between the curve and epsilon.

        Parameters
        ----------
        epsilon : float
            In nats.
        n : int, optional
            The largest size that may be used.
        rule : {"left", "right", "trapezoid"}
            Whose model codes a block of samples: that of its left edge (the paper's appendix C, a
            real code; the first block is coded with the uniform code, log K), of its right edge
            (the released code), or half of each.

        Raises
        ------
        EeveeError
            If epsilon is below 0, n was not measured, or the number of classes is not known.

        Notes
        -----
        "Evaluating representations by the complexity of learning low-loss predictors", eq. 11.
        Below the entropy of labels given features it is infinite: a lower bound, however many
        samples there are.
        """
        last = self._last(n)
        level = _checked_epsilon(epsilon)
        found = self._area("sdl", last, level, rule)
        if found.observed:
            return found
        return replace(found, bound="lower", high=math.inf)

    def esc(self, epsilon: float, n: int | None = None) -> LossDataMeasure:
        """Return the sample complexity: the first size with a mean loss of at most epsilon.

        Where there is none, the value is the largest size and `bound` is "lower".

        Raises
        ------
        EeveeError
            If epsilon is below 0, or n was not measured.
        """
        last, level = self._last(n), _checked_epsilon(epsilon)
        sizes, mean = self.sizes[: last + 1], self.mean[: last + 1]
        reached, half = mean <= level, mean <= level / 2
        seen = bool(reached.any())
        at = int(np.argmax(reached)) if seen else last
        found = self._measure("esc", last, lambda _: float(sizes[at]), unit="samples")
        return replace(
            found,
            stderr=math.nan,
            bound="exact" if seen else "lower",
            epsilon=level,
            observed=seen,
            certified=bool(half.any()),
            low=float(sizes[at - 1]) if seen and at else float(sizes[at]) if not seen else 0.0,
            high=float(sizes[at]) if seen else math.inf,
            certified_n=int(sizes[np.argmax(half)]) if half.any() else None,
        )

    def crossings(self, epsilon: float) -> int:
        """Return how often the mean loss goes from above epsilon to at most epsilon.

        More than once, a sample complexity is that of the first time only.
        """
        reached = self.mean <= _checked_epsilon(epsilon)
        return int(reached[0]) + int((reached[1:] & ~reached[:-1]).sum())

    def _last(self, n: int | None) -> int:
        if n is None:
            return len(self.sizes) - 1
        if n not in self.sizes:
            known = ", ".join(map(str, self.sizes))
            raise EeveeError(f"{_what(self.name)}no loss was measured with {n} samples; of {known}")
        return int(np.flatnonzero(self.sizes == n)[0])

    def _area(self, name: str, last: int, epsilon: float, rule: Rule) -> LossDataMeasure:
        if rule not in RULES:
            raise EeveeError(f"rule: one of {', '.join(RULES)}; not {rule!r}")
        if self.n_classes is None and rule != "right":
            raise EeveeError(
                f"{_what(self.name)}rule {rule!r}: samples before the first model are coded "
                "uniformly; say n_classes, or take the rule 'right'"
            )
        right = self._measure(name, last, lambda mean: self._sum(mean, last, epsilon, "right"))
        low, high = right.value, math.nan
        found = right
        if self.n_classes is not None:
            found = self._measure(name, last, lambda mean: self._sum(mean, last, epsilon, rule))
            high = self._sum(self.mean, last, epsilon, "left")
        if name == "mdl":
            return replace(found, low=low, high=high)
        reached, half = (float(self.mean[last]) <= level for level in (epsilon, epsilon / 2))
        return replace(found, low=low, high=high, epsilon=epsilon, observed=reached, certified=half)

    def _sum(self, mean: FloatArray, last: int, epsilon: float, rule: str) -> float:
        widths = np.diff(self.sizes[: last + 1], prepend=0)
        surplus = np.maximum(mean[: last + 1] - epsilon, 0)
        at_right = float(widths @ surplus)
        if rule == "right":
            return at_right
        assert self.n_classes is not None
        uniform = max(math.log(self.n_classes) - epsilon, 0)
        at_left = float(widths @ np.concatenate([[uniform], surplus[:-1]]))
        return at_left if rule == "left" else (at_left + at_right) / 2

    def _measure(
        self, name: str, last: int, of: Callable[[FloatArray], float], unit: str = "nats"
    ) -> LossDataMeasure:
        """Return a value, its standard error by leaving out one seed at a time."""
        n = self.losses.shape[1]
        rest = [np.delete(self.losses, i, axis=1).mean(axis=1) for i in range(n)] if n > 1 else []
        values = [of(mean) for mean in rest]
        stderr = float(jackknife_stderr(values)) if values else math.nan
        size = int(self.sizes[last])
        return LossDataMeasure(of(self.mean), stderr, "exact", False, unit, 0.0, name, size)


def _what(name: str) -> str:
    return f"{name}: " if name else ""


def _checked_epsilon(epsilon: float) -> float:
    if not (isinstance(epsilon, Real) and 0 <= epsilon < math.inf):
        raise EeveeError(f"epsilon: a loss in nats, not below 0; got {epsilon}")
    return float(epsilon)


def log_sizes(first: int, last: int, n_sizes: int = 10) -> list[int]:
    """Return numbers of samples, evenly spaced in their logarithm, each once.

    Raises
    ------
    EeveeError
        If they are out of order.

    Examples
    --------
    >>> log_sizes(10, 1000, 5)
    [10, 32, 100, 316, 1000]
    """
    whole = all(isinstance(one, Integral) for one in (first, last, n_sizes))
    if not (whole and 1 <= first <= last < MOST_SAMPLES and n_sizes >= 1):
        raise EeveeError(
            f"sizes: whole numbers from 1, at least one; not {n_sizes} from {first} to {last}"
        )
    if n_sizes == 1:
        return [last]
    return sorted({round(float(one)) for one in np.geomspace(first, last, n_sizes)})


def portion_sizes(n: int, portions: Sequence[float] = PORTIONS) -> list[int]:
    """Return the sizes at which Voita and Titov's online code retrains, of n samples.

    Raises
    ------
    EeveeError
        If there are no samples, or a portion does not lie in 0..1.

    Examples
    --------
    >>> portion_sizes(1000)
    [1, 2, 4, 8, 16, 32, 62, 125, 250, 500, 1000]
    """
    if n < 1 or not all(0 < share <= 1 for share in portions):
        raise EeveeError(f"sizes: {n} samples, and portions {portions}; must be in 0..1")
    return sorted({max(1, int(share * n)) for share in portions})
