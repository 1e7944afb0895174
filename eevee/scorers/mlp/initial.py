"""Initial weights that belong to columns: the same draw for a column in every subset."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


def keyed_uniform(
    key: tuple[int, int, str], names: Iterable[str], n_splits: int, size: int
) -> npt.NDArray[np.float32]:
    """Draw uniform(-1, 1) vectors keyed by (seed, init, layer), name and, row by row, split.

    Parameters
    ----------
    key : (seed, init, layer)
    names : iterable of str
    n_splits, size : int

    Returns
    -------
    array of float32, shape (n_splits, n_names, size)

    Examples
    --------
    >>> both = keyed_uniform((0, 0, "in"), ["a", "b"], n_splits=3, size=4)
    >>> alone = keyed_uniform((0, 0, "in"), ["b"], n_splits=2, size=4)
    >>> bool((both[:2, 1] == alone[:, 0]).all())
    True
    """
    drawn = [_stream(*key, name).uniform(-1.0, 1.0, (n_splits, size)) for name in names]
    if not drawn:
        return np.empty((n_splits, 0, size), dtype=np.float32)
    return np.stack(drawn, axis=1).astype(np.float32)


def _stream(seed: int, init: int, layer: str, name: str) -> np.random.Generator:
    key = blake2b(f"{seed}/{init}/{layer}/{name}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))
