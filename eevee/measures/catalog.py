"""The names of measures, as `eevee measure --with` takes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Literal, cast

from eevee.base.errors import EeveeError, did_you_mean
from eevee.measures.covariances import HSCORE, REGULARISED, TRANSRATE
from eevee.measures.evidence import LOGME
from eevee.measures.linear_probes import (
    LINEAR_VALID,
    RELEASED_GRID,
    gaussian_definition,
    linear_definition,
)
from eevee.measures.loss_data_columns import curve_definition
from eevee.measures.measure import Definition
from eevee.measures.mixture import nleep_definition, pactran_on_mixture
from eevee.measures.pactran_counts import checked_convention, definition
from eevee.measures.source_classes import LEEP, NCE
from eevee.measures.task_priors import PRIOR_MEAN, PRIOR_VARIANCE, PROBE_LOSS

_MAKERS: dict[str, Callable[[str, int], Definition]] = {
    "leep": lambda convention, seed: LEEP,
    "nce": lambda convention, seed: NCE,
    "n-leep": nleep_definition,
    "logme": lambda convention, seed: LOGME,
    "h-score": lambda convention, seed: HSCORE,
    "h-score-regularised": lambda convention, seed: REGULARISED,
    "transrate": lambda convention, seed: TRANSRATE,
    "linear": lambda convention, seed: linear_definition(),
    "linear-valid": lambda convention, seed: LINEAR_VALID,
    "pactran-dirichlet": lambda convention, seed: definition("dirichlet", convention=convention),
    "pactran-gamma": lambda convention, seed: definition("gamma", convention=convention),
    "pactran-gaussian": lambda convention, seed: gaussian_definition(convention=convention),
    "n-pactran-dirichlet": lambda convention, seed: pactran_on_mixture(
        "dirichlet", convention, seed
    ),
    "n-pactran-gamma": lambda convention, seed: pactran_on_mixture("gamma", convention, seed),
    "probe-loss": lambda convention, seed: PROBE_LOSS,
    "task-prior-mean": lambda convention, seed: PRIOR_MEAN,
    "task-prior-variance": lambda convention, seed: PRIOR_VARIANCE,
    "va": partial(curve_definition, "va"),
    "mi": partial(curve_definition, "mi"),
    "mdl": partial(curve_definition, "mdl"),
    "sdl": partial(curve_definition, "sdl"),
    "esc": partial(curve_definition, "esc"),
}
NAMES = tuple(_MAKERS)
GRID = "pactran-gaussian-grid"
_EPSILON = re.compile(r"(sdl|esc)-e([0-9.]{1,12})")
_PAIR = re.compile(r"pactran-gaussian-a([0-9.]{1,12})-b([0-9.]{1,12})")


def find_measures(
    names: str | list[str], *, convention: str = "paper", seed: int = 0
) -> list[Definition]:
    """Return measures by name.

    Parameters
    ----------
    names : list of str, or str with commas
        Of `NAMES`; ``pactran-gaussian-a0.1-b10`` for other settings, ``pactran-gaussian-grid`` for
        the six pairs of the released code; ``sdl-e0.5`` and ``esc-e0.5`` for another epsilon.
    convention : {"paper", "reference"}
    seed : int
        Of mixtures.

    Raises
    ------
    EeveeError
        If a name is unknown or appears twice.

    Examples
    --------
    >>> [one.name for one in find_measures("logme,pactran-gaussian-a1-b100")]
    ['logme', 'pactran-gaussian-a1-b100']
    >>> find_measures("logm")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: 'logm' is no measure (did you mean 'logme'?)
    """
    asked = [one.strip() for one in (names.split(",") if isinstance(names, str) else names)]
    grid = [f"pactran-gaussian-a{a:g}-b{b:g}" for a, b in RELEASED_GRID]
    asked = [name for one in asked for name in (grid if one == GRID else [one])]
    for name in asked:
        if asked.count(name) > 1:
            raise EeveeError(f"the measure {name!r} appears twice; give it once")
    found = [_find(name, checked_convention(convention), seed) for name in asked]
    shown = [one.name for one in found]
    for name, one in zip(asked, shown, strict=True):
        first = asked[shown.index(one)]
        if first != name:
            raise EeveeError(f"the measures {first!r} and {name!r} are the same; give one")
    return found


def _find(name: str, convention: str, seed: int) -> Definition:
    if name in _MAKERS:
        return _MAKERS[name](convention, seed)
    level = _EPSILON.fullmatch(name)
    if level is not None:
        kind = cast(Literal["sdl", "esc"], level[1])
        return curve_definition(kind, convention, seed, _number(name, level[2]))
    pair = _PAIR.fullmatch(name)
    if pair is None:
        hint = did_you_mean(name, [*NAMES, GRID]) or f"; there are {', '.join(NAMES)} and {GRID}"
        raise EeveeError(f"{name!r} is no measure{hint}")
    a, b = _number(name, pair[1]), _number(name, pair[2])
    made = gaussian_definition(a, b, convention)
    return Definition(name, made.compute, made.needs, made.unit, made.bound, made.higher_is_better)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise EeveeError(f"{name!r}: settings must be numbers such as 0.1, not {text!r}") from None
