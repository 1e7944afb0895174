"""Kendall's tau between scores and the accuracy that fine-tuning reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.resampling import jackknife_stderr


class Kendall(NamedTuple):
    """Agreement of two orders of checkpoints.

    Attributes
    ----------
    tau_a : float
        Concordant less discordant pairs, over all pairs: the formula of PACTran's appendix B.8.
    tau_b : float
        Corrected for ties, as SciPy and the released code compute it; NaN where all are tied.
    stderr : float
        Of tau_a, over checkpoints, by leaving out one at a time; NaN for fewer than 3.
    n : int
        Checkpoints.
    """

    tau_a: float
    tau_b: float
    stderr: float
    n: int


def kendall(
    scores: Sequence[float] | FloatArray, accuracies: Sequence[float] | FloatArray
) -> Kendall:
    """Compare the order of checkpoints by a score with that by accuracy.

    Parameters
    ----------
    scores, accuracies : arrays, shape (n_checkpoints,)
        Higher is better in both (`Measure.score`).

    Raises
    ------
    EeveeError
        If they are not as many, fewer than two, or not finite.

    Examples
    --------
    >>> found = kendall([0.1, 0.2, 0.2, 0.9], [60.0, 70.0, 75.0, 80.0])
    >>> round(found.tau_a, 4), round(found.tau_b, 4)
    (0.8333, 0.9129)
    """
    first, second = np.asarray(scores, np.float64), np.asarray(accuracies, np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise EeveeError(
            f"kendall: needs as many scores as accuracies, two or more; got {first.shape} and "
            f"{second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise EeveeError("kendall: scores and accuracies must be finite; leave out what is missing")
    n = len(first)
    signs = np.sign(first[:, None] - first), np.sign(second[:, None] - second)
    agree = signs[0] * signs[1]
    untied = math.sqrt(float(np.abs(signs[0]).sum()) * float(np.abs(signs[1]).sum()))
    tau_b = float(agree.sum()) / untied if untied else math.nan
    return Kendall(float(agree.sum()) / (n * (n - 1)), tau_b, _stderr(agree), n)


def _stderr(agree: FloatArray) -> float:
    """Jackknife of a mean over pairs: each checkpoint is in n - 1 of them."""
    n = len(agree)
    if n < 3:
        return math.nan
    without = (agree.sum() - 2 * agree.sum(axis=1)) / ((n - 1) * (n - 2))
    return float(jackknife_stderr(without))
