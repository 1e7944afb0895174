"""`PowerLaw`: a loss that falls with the number of models towards a floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from eevee.base.arrays import FloatArray

EXPONENTS = np.geomspace(0.25, 2.0, 13)
"""Of the number of models; the best one is taken. Few sizes do not tell more of them apart."""
N_DRAWS = 200
"""Of the bootstrap; each is a fit of its own."""


@dataclass(frozen=True)
class PowerLaw:
    """floor + scale * n ** -exponent.

    Examples
    --------
    >>> PowerLaw(floor=0.25, scale=2.0, exponent=1.0)(8)
    0.5
    """

    floor: float
    scale: float
    exponent: float

    def __call__(self, n_models: float) -> float:
        """Return the loss with a given number of models."""
        return float(self.floor + self.scale * n_models**-self.exponent)


def fit_power_law(n_models: FloatArray, losses: FloatArray) -> PowerLaw:
    """Fit an inverse power law by least squares of relative errors.

    Parameters
    ----------
    n_models, losses : arrays, shape (n_sizes,)
        Losses above 0.

    Returns
    -------
    PowerLaw
        Floor and scale are not negative, so it never rises; the exponent is one of `EXPONENTS`.

    Notes
    -----
    Cortes, Jackel, Solla, Vapnik and Denker (1993), "Learning curves: asymptotic values and rate
    of convergence"; Viering and Loog (2023), "The shape of learning curves: a review", section 4.

    Examples
    --------
    >>> n = np.array([8.0, 16.0, 32.0])
    >>> law = fit_power_law(n, 0.2 + 3.0 / n)
    >>> round(law(64), 3)
    0.247
    """
    fits = []
    for exponent in EXPONENTS:
        # Relative errors: losses at few models are large, and their luck with them.
        parts = np.stack([np.ones_like(n_models), n_models**-exponent], axis=1)
        (floor, scale), error = nnls(parts / losses[:, None], np.ones_like(losses))
        fits.append((error, PowerLaw(float(floor), float(scale), float(exponent))))
    return min(fits, key=lambda pair: pair[0])[1]


@dataclass(frozen=True)
class Extrapolation:
    """What a curve would come to with more models than there are."""

    n_models: int
    loss: float
    low: float
    high: float


def extrapolate(
    n_models: FloatArray, losses: FloatArray, *, to: int, level: float, seed: int
) -> Extrapolation | None:
    """Guess a loss at a number of models beyond those measured.

    The last loss, times what a power law through all of them says that it falls to.

    Parameters
    ----------
    n_models : array, shape (n_sizes,)
        Ascending.
    losses : array, shape (n_sizes, n_splits)
        Of outer splits; a column is one split at every size.
    to : int
    level : float
        Of the interval: a percentile bootstrap over splits, stretched up to the last loss,
        for any curve may end where it stands.
    seed : int

    Returns
    -------
    Extrapolation or None
        None with fewer than three sizes, or where a loss is blank or 0.

    Notes
    -----
    ``docs/methods.md``, section "Learning curves"; ``docs/figures.md`` says how far guesses were
    off on 12 tables.

    Examples
    --------
    >>> n = np.array([8.0, 16.0, 32.0])
    >>> losses = (0.2 + 3 / n)[:, None] * [[0.9, 1.1]]
    >>> found = extrapolate(n, losses, to=64, level=0.95, seed=0)
    >>> round(found.loss, 3), bool(found.low < found.loss < found.high)
    (0.247, True)
    """
    means = losses.mean(axis=1)
    if len(n_models) < 3 or not (means > 0).all():
        return None
    n_splits = losses.shape[1]
    draws = np.random.default_rng(seed).integers(n_splits, size=(N_DRAWS, n_splits))
    drawn = [losses[:, draw].mean(axis=1) for draw in draws]
    guesses = [one[-1] * _falls_to(n_models, one, to) for one in drawn]
    tail = 50 * (1 - level)
    low, high = np.percentile(guesses, [tail, 100 - tail])
    guess = float(means[-1] * _falls_to(n_models, means, to))
    return Extrapolation(to, guess, float(min(low, guess)), float(max(high, means[-1])))


def _falls_to(n_models: FloatArray, losses: FloatArray, to: int) -> float:
    """The share of the last loss that is left, by a power law; never above 1."""
    law = fit_power_law(n_models, losses)
    return law(to) / law(float(n_models[-1]))
