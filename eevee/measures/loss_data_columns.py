"""Measures of loss-data curves as columns: a number per file of features."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import Literal

from eevee.base.errors import EeveeError
from eevee.base.remembered import per_object
from eevee.measures.loss_data import LossDataCurve, LossDataMeasure, Rule
from eevee.measures.loss_data_probes import loss_data_curve
from eevee.measures.measure import Definition, Measure, NotReached
from eevee.measures.sample import Sample

EPSILON = 0.1
"""Nats; the middle one of the released code."""
CurveName = Literal["va", "mi", "mdl", "sdl", "esc"]
_UNITS = {"va": "nats per sample", "mi": "nats", "mdl": "nats", "sdl": "nats", "esc": "samples"}


@dataclass(frozen=True)
class CurveDefinition(Definition):
    """A measure of a curve, whose standard error is that over its seeds, and cost the curve's."""

    def value(self, sample: Sample) -> float:
        """Return the value on a sample; infinity where epsilon is not reached."""
        try:
            return super().value(sample)
        except NotReached:
            return math.inf

    def measure(self, sample: Sample, *, n_groups: int = 0, seed: int = 0) -> Measure:
        """Return the value with its cost; `n_groups` of 0 leaves the standard error out."""
        found, seconds = _read(sample, *self._asked)
        stderr = found.stderr if n_groups else math.nan
        return Measure(
            found.value + 0.0, stderr, self.bound, self.higher_is_better, self.unit, seconds
        )

    def notes(self, sample: Sample) -> list[str]:
        """Return where the curve rises, for measures that a rise makes hard to read."""
        name, epsilon, _, seed = self._asked
        if name in ("va", "mi"):
            return []
        from eevee.measures.loss_data_frames import curve_notes

        tolerances = (epsilon,) if name in ("sdl", "esc") else ()
        return curve_notes(_curve(sample, seed)[0], tolerances)

    @property
    def _asked(self) -> tuple[CurveName, float, Rule, int]:
        assert isinstance(self.compute, partial)
        name, epsilon, rule, seed = self.compute.args
        return name, epsilon, rule, seed


def _value(name: CurveName, epsilon: float, rule: Rule, seed: int, sample: Sample) -> float:
    return _read(sample, name, epsilon, rule, seed)[0].value


@per_object
def _curve(sample: Sample, seed: int) -> tuple[LossDataCurve, float]:
    """Return the curve that all measures of a sample are read off, and its seconds."""
    assert sample.features is not None
    start = time.perf_counter()
    curve = loss_data_curve(sample.features, sample.codes, seed=seed)
    return curve, time.perf_counter() - start


def _read(
    sample: Sample, name: CurveName, epsilon: float, rule: Rule, seed: int
) -> tuple[LossDataMeasure, float]:
    curve, seconds = _curve(sample, seed)
    if name == "va":
        return curve.va(), seconds
    if name == "mi":
        return curve.mi(), seconds
    if name == "mdl":
        return curve.mdl(rule=rule), seconds
    found = curve.sdl(epsilon, rule=rule) if name == "sdl" else curve.esc(epsilon)
    if not found.observed:
        sizes = f"{found.n}" if name == "sdl" else f"up to {found.n}"
        best = curve.mean[-1] if name == "sdl" else curve.mean.min()
        raise NotReached(
            f"no loss of at most {epsilon:g} nats with {sizes} samples, so it is at least "
            f"{found.value:.4g} {found.unit}; take a larger epsilon, such as {name}-e"
            f"{float(best) * 1.1:.2g}"
        )
    return found, seconds


def curve_definition(
    name: CurveName, convention: str, seed: int, epsilon: float = EPSILON
) -> CurveDefinition:
    """Return a measure of the curve of logistic regression: ten sizes, five seeds.

    Raises
    ------
    EeveeError
        If epsilon is not above 0.

    Examples
    --------
    >>> curve_definition("sdl", "paper", 0, 0.5).name
    'sdl-e0.5'
    """
    if not 0 < epsilon < math.inf:
        raise EeveeError(f"epsilon: must be a positive number of nats, not {epsilon:g}")
    rule: Rule = "right" if convention == "reference" else "left"
    shown = name if epsilon == EPSILON else f"{name}-e{epsilon:g}"
    compute = partial(_value, name, epsilon, rule, seed)
    bound: Literal["exact", "lower"] = "lower" if name == "mi" else "exact"
    return CurveDefinition(shown, compute, "features", _UNITS[name], bound, name == "mi")
