"""Groups of models that stay together: by an attribute, by labels, or by both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from eevee.base.arrays import IntArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.tables.results_table import ResultsTable

Groups = str | Sequence[Any] | npt.NDArray[Any] | pd.Series
"""The name of an attribute of models, or one label per model."""


def attribute(table: ResultsTable, name: str) -> pd.Series:
    """Return one attribute of the models, with an error that lists those that there are."""
    if name in table.models:
        return table.models[name]
    known = [str(column) for column in table.models]
    if not known:
        raise EeveeError(f"no attribute {name!r}: the models have none; give a file of attributes")
    hint = did_you_mean(name, known)
    raise EeveeError(f"models have no attribute {name!r}{hint}; there are: {', '.join(known)}")


def group_labels(table: ResultsTable, groups: Groups | None) -> IntArray:
    """Number the groups; a model without a value is a group of its own.

    Parameters
    ----------
    table : ResultsTable
    groups : str, or labels of shape (n_models,), or None
        An attribute of ``table.models``, or any labels. None: no two models belong together.

    Returns
    -------
    int array, shape (n_models,)

    Raises
    ------
    EeveeError
        If there is no such attribute, or not one label per model.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0]}, index=list("wxyz"))
    >>> table = ResultsTable.from_scores(frame)
    >>> group_labels(table, ["bert", None, "bert", ""]).tolist()
    [0, 1, 0, 2]
    """
    if groups is None:
        return np.arange(table.n_models)
    values = attribute(table, groups) if isinstance(groups, str) else pd.Series(list(groups))
    if len(values) != table.n_models:
        raise EeveeError(f"{len(values)} group labels for {table.n_models} models; give one each")
    labels, found = pd.factorize(values.replace("", None))
    alone = labels < 0
    labels[alone] = len(found) + np.arange(alone.sum())
    return labels.astype(np.int64)


def joined(first: IntArray, second: IntArray) -> IntArray:
    """Return labels of the models linked by either of two groupings, directly or in a chain.

    Examples
    --------
    >>> joined(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])).tolist()
    [0, 0, 0, 1]
    """
    n = len(first)
    nodes = n + np.concatenate([first, first.max() + 1 + second])
    size = int(nodes.max()) + 1
    links = coo_array((np.ones(2 * n), (np.tile(np.arange(n), 2), nodes)), shape=(size, size))
    return connected_components(links, directed=False)[1][:n].astype(np.int64)
