"""Seeds of the parts of a job, spawned from the job's one seed."""

from __future__ import annotations

import numpy as np


def child_seed(seed: int, *key: int) -> int:
    """Return a seed of its own for a part of a job.

    Examples
    --------
    >>> child_seed(0, 1) == child_seed(0, 1), child_seed(0, 1) == child_seed(0, 2)
    (True, False)
    """
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0])
