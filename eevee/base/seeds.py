"""Seeds of the parts of a job, spawned from the job's one seed."""

from __future__ import annotations

import numpy as np

from eevee.base.errors import EeveeError


def generator(*seed: int) -> np.random.Generator:
    """Return a generator of a seed, or of a seed and the number of a part.

    Raises
    ------
    EeveeError
        If the seed is negative.

    Examples
    --------
    >>> generator(-1)
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: seed must not be negative, got -1
    """
    _check(seed[0])
    return np.random.default_rng(seed[0] if len(seed) == 1 else seed)


def _check(seed: int) -> None:
    if seed < 0:
        raise EeveeError(f"seed must not be negative, got {seed}")


def child_seed(seed: int, *key: int) -> int:
    """Return a seed of its own for a part of a job.

    Raises
    ------
    EeveeError
        If the seed is negative.

    Examples
    --------
    >>> child_seed(0, 1) == child_seed(0, 1), child_seed(0, 1) == child_seed(0, 2)
    (True, False)
    """
    _check(seed)
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0])
