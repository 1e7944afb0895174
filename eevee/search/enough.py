"""The smallest size of a sweep that reaches a loss: sample complexity, of benchmarks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve
from eevee.scorers.loss import TARGETS, Targets

if TYPE_CHECKING:
    from eevee.measures.loss_data import LossDataMeasure


def size_curve(curve: pd.DataFrame, targets: Targets = "all") -> LossDataCurve:
    """Return the search loss of the first-ranked subset over the number of benchmarks.

    Parameters
    ----------
    curve : DataFrame
        `SweepResult.curve`, or its file in a run folder.
    targets : {"all", "unseen"}
        Sizes without unseen benchmarks are left out.

    Raises
    ------
    EeveeError
        If the columns are not there, or nothing is left.

    Examples
    --------
    >>> curve = size_curve(pd.DataFrame({"k": [1, 2, 3], "best_all": [0.9, 0.5, 0.4]}))
    >>> curve.esc(0.5).value, curve.esc(0.1).bound
    (2.0, 'lower')
    """
    missing = [name for name in ("k", f"best_{targets}") if name not in curve.columns]
    if missing:
        raise EeveeError(f"sweep: the curve has no column {missing[0]!r}")
    numbers = curve[["k", f"best_{targets}"]].apply(pd.to_numeric, errors="coerce").dropna()
    if numbers.empty:
        raise EeveeError(f"sweep: no size has a loss with targets {targets!r}")
    sizes, losses = numbers.to_numpy(dtype=np.float64).T
    return LossDataCurve.of(sizes, losses, name=f"targets {targets}")


def smallest_size(curve: pd.DataFrame, epsilon: float, targets: Targets = "all") -> LossDataMeasure:
    """Return the smallest size whose first-ranked subset has a search loss of at most epsilon.

    Parameters
    ----------
    curve, targets
        As of `size_curve`.
    epsilon : float
        In the unit of the loss: a share of the variance.

    Returns
    -------
    LossDataMeasure
        `value` in benchmarks. Where no size reaches epsilon it is the largest one, and `bound` is
        "lower". The loss is one that a search minimised, and so too low.

    Raises
    ------
    EeveeError
        As of `size_curve`, or if epsilon is below 0.

    Examples
    --------
    >>> str(smallest_size(pd.DataFrame({"k": [1, 2], "best_all": [0.9, 0.5]}), 0.3))
    '> 2'
    """
    return replace(size_curve(curve, targets).esc(epsilon), unit="benchmarks")


def sizes_that_reach(curve: pd.DataFrame, epsilon: float) -> dict[Targets, LossDataMeasure]:
    """Return `smallest_size` for each kind of targets that has a loss.

    Raises
    ------
    EeveeError
        If epsilon is below 0, or no kind of targets has a loss.
    """
    named = [one for one in TARGETS if f"best_{one}" in curve.columns]
    known: list[Targets] = [one for one in named if curve[f"best_{one}"].notna().any()]
    if not known:
        raise EeveeError("sweep: the curve has no losses; give the `curve` of a sweep")
    return {one: smallest_size(curve, epsilon, one) for one in known}


def reach_in_words(curve: pd.DataFrame, epsilon: float) -> list[str]:
    """Return a line for each kind of targets.

    Examples
    --------
    >>> curve = pd.DataFrame({"k": [1, 2, 3], "best_all": [0.9, 0.2, 0.3], "best_unseen": np.nan})
    >>> reach_in_words(curve, 0.25)
    ['Search loss of at most 0.25 (targets all): from k = 2, but not at k = 3']
    """
    lines = []
    for targets, found in sizes_that_reach(curve, epsilon).items():
        own = size_curve(curve, targets)
        above = own.sizes[(own.sizes > found.value) & (own.mean > epsilon)]
        end = f", but not at k = {', '.join(map(str, above))}" if len(above) else ""
        where = f"from k = {found}{end}" if found.observed else f"at no size up to {found.n}"
        lines.append(f"Search loss of at most {epsilon:g} (targets {targets}): {where}")
    return lines
