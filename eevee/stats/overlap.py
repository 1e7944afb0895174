"""How much two subsets have in common."""

from __future__ import annotations

from collections.abc import Collection

from eevee.base.errors import EeveeError


def jaccard(first: Collection[str], second: Collection[str]) -> float:
    """Return the share of what either subset has that both have; 1 for two empty ones.

    Examples
    --------
    >>> jaccard(["a", "b", "c"], ["b", "c", "d"])
    0.5
    """
    a, b = set(first), set(second)
    return len(a & b) / len(a | b) if a | b else 1.0


def kuncheva(first: Collection[str], second: Collection[str], n: int) -> float:
    """Return how far two subsets agree beyond chance, out of `n` benchmarks.

    Parameters
    ----------
    first, second : collections of names
    n : int
        The number of benchmarks that there are to choose from.

    Returns
    -------
    float
        1 for equal subsets, 0 on average for random ones of these sizes. NaN where there is no
        choice (an empty subset, or all benchmarks).

    Raises
    ------
    EeveeError
        If the subsets have more than `n` names between them.

    Notes
    -----
    Kuncheva (2007), "A stability index for feature selection", section 2: (r n - k^2) / (k (n - k))
    with r common members of two subsets of size k. Subsets under one budget differ in size; for
    sizes k and m the same correction, (r - k m / n) / (min(k, m) - k m / n), is used: the index
    itself where k = m, and 1 where one subset holds the other.

    Examples
    --------
    >>> round(kuncheva(["a", "b"], ["b", "c"], 10), 6), kuncheva("ab", "ab", 10)
    (0.375, 1.0)
    """
    a, b = set(first), set(second)
    if len(a | b) > n:
        raise EeveeError(f"the subsets have {len(a | b)} names, more than the {n} there are")
    chance = len(a) * len(b) / n if n else 0.0
    most = min(len(a), len(b)) - chance
    return (len(a & b) - chance) / most if most > 0 else float("nan")
