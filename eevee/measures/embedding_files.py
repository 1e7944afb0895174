"""Files of embeddings of tasks, and how diverse all tasks and those of each tier are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.measures.diversity_coefficient import Diversity, diversity
from eevee.measures.feature_files import MAX_MB, errors_of_reading, read_npz
from eevee.measures.task_distances import task2vec_distances

ALL = "all tasks"
_KEYS = ("embeddings", "tasks")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Embeddings of tasks, by name.

    Attributes
    ----------
    tasks : tuple of str
    values : array, shape (n_tasks, n_filters)
    """

    tasks: tuple[str, ...]
    values: FloatArray


@dataclass(frozen=True)
class Diversities:
    """How diverse several sets of tasks are.

    Attributes
    ----------
    of : mapping of str to Diversity
        All tasks first, then each tier.
    notes : tuple of str
        Tasks without an embedding, and tiers that were left out.
    """

    of: Mapping[str, Diversity]
    notes: tuple[str, ...]


def read_embeddings(path: Path, *, max_mb: float = MAX_MB) -> Embeddings:
    """Read an .npz file with arrays ``embeddings`` (n_tasks, n_filters) and ``tasks`` (names).

    Raises
    ------
    EeveeError
        In one line that begins with the path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = Path(home) / "tasks.npz"
    ...     np.savez(path, embeddings=np.eye(3), tasks=["pets", "cars", "birds"])
    ...     found = read_embeddings(path)
    >>> found.tasks
    ('pets', 'cars', 'birds')
    """
    with errors_of_reading(path, max_mb):
        arrays = read_npz(path, int(max_mb * 1e6), _KEYS)
    missing = [key for key in _KEYS if key not in arrays]
    if missing:
        raise EeveeError(
            f"{path}: holds no array {missing[0]!r}; both of {', '.join(_KEYS)} are needed"
        )
    names, values = arrays["tasks"], arrays["embeddings"]
    if names.ndim != 1 or names.dtype.kind not in "US" or values.ndim != 2:
        raise EeveeError(f"{path}: 'tasks' must be names, and 'embeddings' tasks x filters")
    if len(names) != len(values):
        raise EeveeError(
            f"{path}: {len(names)} tasks, but {len(values)} embeddings; they must match"
        )
    tasks = tuple(str(one) for one in names.astype(str))
    twice = next((one for one in tasks if tasks.count(one) > 1), None)
    if twice is not None:
        raise EeveeError(f"{path}: the task {twice!r} appears twice")
    return Embeddings(tasks, values)


def diversities(
    embeddings: Embeddings,
    tiers: Mapping[str, Sequence[str]],
    *,
    kind: str = "cosine",
    convention: str = "paper",
) -> Diversities:
    """Return the diversity of all tasks and of those of each tier.

    Parameters
    ----------
    embeddings : Embeddings
    tiers : mapping of tier to names of tasks
    kind, convention
        As of `task2vec_distances` and `diversity`; ``asymmetric_kl`` is averaged over both
        directions.

    Raises
    ------
    EeveeError
        If embeddings cannot be compared, or there are fewer than 3.

    Examples
    --------
    >>> made = Embeddings(tuple("abcd"), np.eye(4))
    >>> found = diversities(made, {"small": ["a", "b", "c", "z"]})
    >>> round(found.of["small"].value, 6), found.notes
    (1.0, ("small: no embedding of 'z'",))
    """
    chosen = cast(Literal["paper", "reference"], convention)
    distances = task2vec_distances(embeddings.values, kind, convention=chosen)
    distances = (distances + distances.T) / 2  # the directions of asymmetric_kl
    found = {ALL: diversity(distances, convention=chosen)}
    notes = []
    for tier, names in tiers.items():
        missing = [one for one in names if one not in embeddings.tasks]
        if missing:
            notes.append(f"{tier}: no embedding of {', '.join(map(repr, missing))}")
        places = [embeddings.tasks.index(one) for one in names if one in embeddings.tasks]
        if len(places) < 3:
            notes.append(f"{tier}: left out: {len(places)} tasks with embeddings, of 3 or more")
            continue
        found[tier] = diversity(distances[np.ix_(places, places)], convention=chosen)
    return Diversities(found, tuple(notes))
