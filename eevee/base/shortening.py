"""Names cut to a length, so that those that stand together stay distinct."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

CUT = "\u2026"


def shortened(name: str, limit: int) -> str:
    """Return a name of at most `limit` letters, cut in the middle.

    Examples
    --------
    >>> shortened("a_rather_long_name_of_a_benchmark", limit=16)
    'a_rather…nchmark'
    """
    return _cut(name, limit, limit // 2)


def all_shortened(names: Sequence[str], limit: int) -> list[str]:
    """Return names of at most `limit` letters; names that differ stay different.

    A name is cut in the middle, or elsewhere if it would look like another; if no cut tells it
    from the others, it ends with a number.

    Examples
    --------
    >>> all_shortened(["results_of_math_part_a_easy", "results_of_code_part_a_easy"], limit=16)
    ['results_of_m…asy', 'results_of_c…asy']
    """
    found = {name: shortened(name, limit) for name in dict.fromkeys(names)}
    counts = Counter(found.values())
    groups: dict[str, list[str]] = {}
    for name, cut in found.items():
        if counts[cut] > 1:
            groups.setdefault(cut, []).append(name)
    taken = {cut for cut in found.values() if counts[cut] == 1}
    for alike in groups.values():
        cuts = next(one for one in _ways(alike, limit) if _is_distinct(one, taken))
        found |= dict(zip(alike, cuts, strict=True))
        taken |= set(cuts)
    return [found[name] for name in names]


def _cut(name: str, limit: int, head: int) -> str:
    """Keep `head` letters, and the end."""
    if len(name) <= limit:
        return name
    return f"{name[:head]}{CUT}{name[len(name) - (limit - 1 - head) :]}"


def _window(name: str, limit: int, start: int) -> str:
    """Keep the first letters, and what begins at `start`."""
    if len(name) <= limit:
        return name
    head = (limit - 1) // 2
    return f"{name[:head]}{CUT}{name[start : start + limit - 1 - head]}"


def _ways(names: Sequence[str], limit: int) -> Iterator[list[str]]:
    """Cut names in every way, the middle first; in the end number them."""
    middle = limit // 2
    for head in sorted(range(1, limit - 1), key=lambda head: abs(head - middle)):
        yield [_cut(name, limit, head) for name in names]
    for start in range(limit // 2, max(map(len, names))):
        yield [_window(name, limit, start) for name in names]
    for first in itertools.count(1, len(names)):
        ends = [f"{CUT}{first + i}" for i in range(len(names))]
        yield [f"{one[: limit - len(end)]}{end}" for one, end in zip(names, ends, strict=True)]


def _is_distinct(cuts: Sequence[str], taken: set[str]) -> bool:
    return len(set(cuts)) == len(cuts) and taken.isdisjoint(cuts)
