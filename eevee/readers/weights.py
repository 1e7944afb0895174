"""A weights file: how much each benchmark counts in the loss."""

from __future__ import annotations

import math

from eevee.errors import EeveeError
from eevee.readers.sidecars import Source, sidecar_grid


def read_weights(source: Source) -> dict[str, float]:
    """Read ``benchmark,weight``: one row per benchmark, weights not negative.

    Parameters
    ----------
    source : path or DataFrame

    Returns
    -------
    dict of benchmark name to weight

    Raises
    ------
    EeveeError
        If the file has not two columns, a name repeats, or a weight is no number >= 0.

    Examples
    --------
    >>> import pandas as pd
    >>> read_weights(pd.DataFrame({"benchmark": ["a", "b"], "weight": [2, 0.5]}))
    {'a': 2.0, 'b': 0.5}
    """
    grid = sidecar_grid(source, "weights")
    if grid.width != 2:
        raise EeveeError(f"{grid.source}: a weights file has two columns, benchmark and weight")
    weights: dict[str, float] = {}
    for i, name in enumerate(grid.column(0)):
        if name in weights:
            raise grid.error(i, 0, f"benchmark {name!r} has a weight already")
        weight = grid.number(i, 1)
        if math.isnan(weight) or weight < 0:
            raise grid.error(i, 1, f"{grid.rows[i][1]!r} is no weight; 0 leaves a benchmark out")
        weights[name] = weight
    return weights
