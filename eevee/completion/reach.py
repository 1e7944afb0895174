"""`Reach`: how strong each model is, and how far outside those measured in a column it lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray
from eevee.scorers.factor.transform import Space

MIN_JOINT = 5
"""Models that two columns must share to inform each other's spread."""
ROUNDS = 2
PRIOR_SLOPE = 10.0
"""A column's slope on strength is pulled to that of all, as if by ten models one sd from the mean:
eight models of like strength tell next to nothing of it."""
TRUST = 0.5
"""Power of the ratio of spreads that a column is widened by. With 1 the extremes are right on
average and the misses larger; compared on one seed of six tables."""
LARGEST = 2.0
"""Of the logarithms of such ratios: a column of equal scores has no spread."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Strength of each model by its other columns, and how far outside a column's it lies.

    Attributes
    ----------
    strength : shape (n_models, n_columns)
        Mean of the model's standardised scores in the other columns, pulled to 0 as if by one
        more score of 0; in standard deviations over models.
    outside : shape (n_models, n_columns)
        How far that is below (negative) or above the strengths of those measured in the column.
    """

    strength: FloatArray
    outside: FloatArray


def widened(space: Space, scores: FloatArray, seen: BoolArray) -> Space:
    """Standardise each column as if all models had been measured in it.

    Where only strong models were, a column's own mean is too high for all and its own spread too
    small. Two columns that share models tell how the spread of those compares with that of all;
    the mean follows from the slope of the column on the strength of its models.

    Parameters
    ----------
    space : Space
        Learned from the seen cells of each column alone.
    scores : shape (n_models, n_columns)
    seen : bool, same shape

    Returns
    -------
    Space

    Notes
    -----
    The correction for range restriction of Pearson (1903) and Lawley (1943), with what is
    measured elsewhere in place of known population moments, and shrunken.

    Examples
    --------
    >>> skill = np.linspace(-2, 2, 40)
    >>> scores = 50 + np.outer(skill, [5.0, 5.0, 5.0, 5.0])
    >>> seen = np.ones(scores.shape, bool)
    >>> seen[:28, 3] = False
    >>> from eevee.scorers.factor.transform import fit_space
    >>> own = fit_space(scores, seen, np.full(4, 5.0), logit=False)
    >>> both = own, widened(own, scores, seen)
    >>> [bool(found.mean[3] > 55) for found in both], bool(both[1].sd[3] > 1.5 * both[0].sd[3])
    ([True, False], True)
    """
    values = np.where(seen, space.standardise(scores), 0.0)
    mean, sd = np.zeros(values.shape[1]), np.ones(values.shape[1])
    measured = seen.any(axis=0)
    for _ in range(ROUNDS):
        spread = _spread(values, seen, sd)
        mean = np.where(measured, _means(values, seen, mean, sd, spread), 0.0)
        sd = np.where(measured, spread, 1.0)
    return replace(space, mean=space.mean + mean * space.sd, sd=sd * space.sd)


def reach(values: FloatArray, seen: BoolArray) -> Reach:
    """Return how far each cell's model lies outside those measured in its column.

    Parameters
    ----------
    values : shape (n_models, n_columns)
        Standardised by `widened`; 0 in gaps.
    seen : bool, same shape

    Examples
    --------
    >>> values = np.array([[0.0, 2.0], [0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    >>> seen = values != 0
    >>> seen[:, 0] = True
    >>> reach(values, seen).outside[:, 1].round(2).tolist()
    [0.0, 0.0, 1.41, -1.41]
    """
    strength = strengths(values, seen)
    heard = _heard(seen)
    count = np.maximum(heard.sum(axis=0), 1)
    mean = np.where(heard, strength, 0.0).sum(axis=0) / count
    spread = np.sqrt((np.where(heard, strength - mean, 0.0) ** 2).sum(axis=0) / count)
    strength = strength / np.where(spread > 0, spread, 1.0)
    low = np.where(seen, strength, np.inf).min(axis=0)
    high = np.where(seen, strength, -np.inf).max(axis=0)
    outside = strength - np.clip(strength, *np.where(seen.any(axis=0), (low, high), np.nan))
    return Reach(strength, np.where(seen | np.isnan(outside), 0.0, outside))


def _heard(seen: BoolArray) -> BoolArray:
    """Cells whose model has a score in another column."""
    return np.asarray(seen.sum(axis=1)[:, None] - seen > 0)


def strengths(values: FloatArray, seen: BoolArray) -> FloatArray:
    """Shrunken mean of each model's values in the columns other than each, in gaps 0."""
    others = seen.sum(axis=1)[:, None] - seen
    return np.asarray((values.sum(axis=1)[:, None] - values) / (others + 1.0))


def _spread(values: FloatArray, seen: BoolArray, sd: FloatArray) -> FloatArray:
    """Standard deviation of each column over all models, where that of the seen ones is 1.

    Each other column says how its spread over all compares with that over the models that
    both have.
    """
    mask = seen.astype(np.float64)
    count = mask.T @ mask
    joint = np.maximum(count, 1.0)
    squares = (values**2).T @ mask - (values.T @ mask) ** 2 / joint
    part = np.maximum(squares / np.maximum(count - 1, 1.0), np.exp(-2 * LARGEST) * sd[:, None] ** 2)
    ratio = np.clip(np.log(sd[:, None]) - np.log(part) / 2, -LARGEST, LARGEST)
    weight = np.where(count >= MIN_JOINT, count - 1, 0.0)
    np.fill_diagonal(weight, 0.0)
    log = TRUST * (weight * ratio).sum(axis=0) / np.maximum(weight.sum(axis=0), 1.0)
    size = mask.sum(axis=0)
    return np.asarray(np.exp(log - (size * log).sum() / max(size.sum(), 1.0)))


def _means(
    values: FloatArray, seen: BoolArray, mean: FloatArray, sd: FloatArray, spread: FloatArray
) -> FloatArray:
    """Mean of each column over all models, by its slope on their strength."""
    strength = strengths(np.where(seen, (values - mean) / sd, 0.0), seen)
    count = np.maximum(seen.sum(axis=0), 1)
    own = values.sum(axis=0) / count
    middle = np.where(seen, strength, 0.0).sum(axis=0) / count
    squares = np.where(seen, (strength - middle) ** 2, 0.0).sum(axis=0)
    products = np.where(seen, (strength - middle) * (values - own), 0.0).sum(axis=0)
    common = (products / sd).sum() / max(squares.sum(), 1e-9)
    slope = (products + PRIOR_SLOPE * common * spread) / (squares + PRIOR_SLOPE)
    heard = seen.any(axis=1)
    everyone = strength[heard].mean(axis=0) if heard.any() else middle
    return np.asarray(own - slope * (middle - everyone))
