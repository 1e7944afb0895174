"""How a generation's winners are drawn: DEAP's operators, with its global `random` fenced."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from deap import base, tools

from eevee.base.arrays import Subset

TOURNAMENT_SIZE = 3


class Individual(tuple[str, ...]):
    """A subset with a fitness, as DEAP wants it."""

    fitness: base.Fitness

    def __new__(cls, names: Subset, fitness: base.Fitness) -> Individual:
        """Pair a subset with its fitness."""
        individual = super().__new__(cls, names)
        individual.fitness = fitness
        return individual


Selection = Literal["best", "tournament"]
Select = Callable[[list[Any], int], list[Any]]


def selection(name: Selection, rng: np.random.Generator) -> Select:
    """Return what takes (individuals, count) and gives the winners, each of them once."""
    if name == "best":
        return tools.selBest  # type: ignore[no-any-return]

    def tournament(individuals: list[Any], count: int) -> list[Any]:
        with _fenced_global_random(rng):
            chosen = tools.selTournament(individuals, count, tournsize=TOURNAMENT_SIZE)
        return list(dict.fromkeys(chosen))

    return tournament


@contextmanager
def _fenced_global_random(rng: np.random.Generator) -> Iterator[None]:
    """Seed the `random` module that DEAP draws from, and put its state back afterwards."""
    state = random.getstate()
    random.seed(int(rng.integers(2**63)))
    try:
        yield
    finally:
        random.setstate(state)
