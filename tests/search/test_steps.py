"""Walks through wide spaces: few losses asked for, and the optimum where benchmarks add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from eevee.base.arrays import Subset
from eevee.search.space import Space
from eevee.search.steps import WIDE, Steps


class Worths:
    """Losses that add up over benchmarks; counts what is asked for."""

    def __init__(self, n: int, seed: int = 0) -> None:
        values = np.random.default_rng(seed).normal(size=n)
        self.worth = {f"b{i:03d}": float(value) for i, value in enumerate(values)}
        self.asked = 0

    def __call__(self, new: Sequence[Subset]) -> list[float]:
        self.asked += len(new)
        return [-sum(self.worth[name] for name in subset) for subset in new]

    def space(self, k: int) -> Space:
        return Space(dict.fromkeys(self.worth, 1.0), smallest=k, largest=k)

    def best(self, k: int) -> list[str]:
        return sorted(sorted(self.worth, key=lambda name: -self.worth[name])[:k])


@pytest.mark.parametrize("k", [5, 60])
def test_a_walk_up_a_wide_space_asks_for_few_losses_and_finds_the_best_of_a_sum(k: int) -> None:
    worths = Worths(240)
    steps = Steps(worths.space(k), worths, empty=0.0)
    path = steps.up()
    assert steps.note == ("" if k == 5 else "several benchmarks added at a time")
    assert list(path[-1]) == worths.best(k)
    assert worths.asked < 0.5 * 240 * k or k == 5
    assert len(path) == k if k == 5 else len(path) < k


def test_a_walk_up_a_narrow_space_adds_one_at_a_time() -> None:
    worths = Worths(50)
    steps = Steps(worths.space(50), worths, empty=0.0)
    assert [len(one) for one in steps.up()] == [*range(1, 51)]
    assert steps.note == ""


def test_a_climb_in_a_wide_space_looks_at_few_neighbours_and_ends_at_the_best_of_a_sum() -> None:
    worths = Worths(200)
    space = worths.space(30)
    assert space.n_swaps(tuple(worths.best(30))) > WIDE
    start = tuple(sorted(worths.best(34)[4:]))
    steps = Steps(space, worths, empty=0.0)
    found = steps.climb(start)
    assert steps.note == "not all swaps tried"
    assert list(found) == worths.best(30)
    assert worths.asked < 10 * 1000


def test_n_swaps_is_the_number_of_swaps() -> None:
    space = Worths(9).space(4)
    subset = tuple(sorted(space.costs)[:4])
    assert len(space.neighbours(subset)) == space.n_swaps(subset) == 20
