"""A weights file: how much each benchmark counts in the loss."""

from __future__ import annotations

import math

from eevee.base.errors import EeveeError
from eevee.readers.grid import Grid
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
        If the header is another, a name repeats, or a weight is no number >= 0.

    Examples
    --------
    >>> import pandas as pd
    >>> read_weights(pd.DataFrame({"benchmark": ["a", "b"], "weight": [2, 0.5]}))
    {'a': 2.0, 'b': 0.5}
    """
    grid = sidecar_grid(source, "weights")
    name_at, weight_at = _places(grid)
    weights: dict[str, float] = {}
    for i, name in enumerate(grid.column(name_at)):
        if name in weights:
            raise grid.error(i, name_at, f"benchmark {name!r} has a weight already")
        weight = grid.number(i, weight_at)
        if math.isnan(weight) or weight < 0:
            cell = grid.rows[i][weight_at]
            raise grid.error(i, weight_at, f"{cell!r} is no weight; 0 leaves a benchmark out")
        weights[name] = weight
    return weights


def _places(grid: Grid) -> tuple[int, int]:
    """Where benchmark and weight stand, by the header."""
    header = [name.strip().casefold() for name in grid.header]
    if sorted(header) != ["benchmark", "weight"]:
        found = ", ".join(grid.header)
        raise EeveeError(
            f"{grid.source}: the first row must be the header benchmark,weight; it is {found}"
        )
    return header.index("benchmark"), header.index("weight")
