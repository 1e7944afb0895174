"""How models are assigned to train, validation and test: sizes, and draws of whole groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from eevee.base.arrays import BoolArray, IntArray
from eevee.base.errors import EeveeError
from eevee.splits.groups import Groups
from eevee.tables.results_table import ResultsTable

_UNREACHED, _NOTHING = -1, -2


class DrawSettings(TypedDict, total=False):
    """Keywords of every way of drawing splits; `eevee.shuffle_splits` says what they mean."""

    n_splits: int
    test_size: float
    validation_size: float
    seed: int
    groups: Groups | None


@dataclass(frozen=True)
class Draw:
    """The same, checked."""

    n_splits: int = 10
    test_size: float = 0.2
    validation_size: float = 0.2
    seed: int = 0
    groups: Groups | None = None

    def __post_init__(self) -> None:
        sizes = self.test_size, self.validation_size
        check_draw(self.n_splits, self.seed, test_size=sizes[0], validation_size=sizes[1])


def check_draw(n_splits: int, seed: int, count: str = "n_splits", **shares: float) -> None:
    """Check what every way of drawing splits takes."""
    if n_splits < 1:
        raise EeveeError(f"{count} must be at least 1, got {n_splits}")
    if seed < 0:
        raise EeveeError(f"seed must not be negative, got {seed}")
    for name, share in shares.items():
        if not 0 < share < 1:
            raise EeveeError(f"{name} must lie between 0 and 1, got {share}")


def n_testing(table: ResultsTable, test_size: float) -> int:
    """How many models test: at least two, and two must be left."""
    n_test = max(2, round(test_size * table.n_models))
    if table.n_models - n_test < 2:
        raise EeveeError(
            f"{table.n_models} models leave none to train on with test_size={test_size}; "
            "use more models or a smaller test_size"
        )
    return n_test


def validation_count(share: float, rest: int) -> int:
    """How many of the models that do not test validate: at least one, and one must be left."""
    return min(max(1, round(share * rest)), rest - 1)


def draw_validation(
    labels: IntArray, rest: BoolArray, share: float, rng: np.random.Generator
) -> BoolArray:
    """Draw whole groups to validate; a lone group trains, and then none validates."""
    n_rest = int(rest.sum())
    target = validation_count(share, n_rest)
    drawn = draw_models(labels, rest, target, least=1, most=n_rest - 1, rng=rng)
    return np.zeros_like(rest) if drawn is None else drawn


def draw_models(
    labels: IntArray,
    among: BoolArray,
    target: int,
    *,
    least: int,
    most: int,
    rng: np.random.Generator,
) -> BoolArray | None:
    """Draw whole groups at random, as near as possible to `target` models in all.

    Parameters
    ----------
    labels : int array, shape (n_models,)
    among : bool array, shape (n_models,)
        The models that may be drawn. A group is drawn with all its members among them.
    target, least, most : int
        How many models are wanted; the fewest and the most that will do. Of two sums that are
        equally near, the smaller is taken.
    rng : numpy.random.Generator

    Returns
    -------
    bool array, shape (n_models,), or None where no groups add up to an allowed number.

    Examples
    --------
    >>> labels, everyone = np.array([0, 0, 0, 1, 1, 2]), np.ones(6, dtype=bool)
    >>> rng = np.random.default_rng(0)
    >>> draw_models(labels, everyone, 4, least=1, most=5, rng=rng).tolist()
    [True, True, True, False, False, True]
    """
    _, group, sizes = np.unique(labels[among], return_inverse=True, return_counts=True)
    chosen = _nearest_sum(sizes, min(max(target, least), most), least, most, rng)
    if chosen is None:
        return None
    mask = np.zeros(len(labels), dtype=np.bool_)
    mask[among] = chosen[group]
    return mask


def _nearest_sum(
    sizes: IntArray, target: int, least: int, most: int, rng: np.random.Generator
) -> BoolArray | None:
    """Choose sizes in random order by the subset-sum recursion.

    Each sum remembers the group that made it first, so groups of equal size are drawn with equal
    chances, and following these back gives each group at most once.
    """
    maker = np.full(most + 1, _UNREACHED)
    maker[0] = _NOTHING
    for group in rng.permutation(len(sizes)):
        if maker[target] != _UNREACHED:
            break
        size = int(sizes[group])
        new = (maker[:-size] != _UNREACHED) & (maker[size:] == _UNREACHED)
        maker[size:][new] = group
    sums = least + np.flatnonzero(maker[least:] != _UNREACHED)
    if not len(sums):
        return None
    left = int(sums[np.argmin(np.abs(sums - target))])
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    while left:
        chosen[maker[left]] = True
        left -= int(sizes[maker[left]])
    return chosen


def too_large(table: ResultsTable, labels: IntArray) -> str:
    """Say which group leaves nothing to the other side."""
    sizes = np.bincount(labels)
    member = table.model_names[int(np.argmax(labels == sizes.argmax()))]
    return (
        f"the largest group (that of model {member!r}) has {sizes.max()} of {table.n_models} "
        "models: no groups leave two models to test and two to train; split it, or add models"
    )
