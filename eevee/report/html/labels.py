"""Which names have room beside a picture, and where they stand."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eevee.report.html.svg import text_width
from eevee.report.html.words import shorts

LABEL = 12.0
"""Height of a line of names, in CSS pixels."""
_LIMITS = (40, 36, 32, 28, 24, 20, 17, 14, 12, 10)
"""Letters of the longest name: the first that fits."""


def fitted(names: Sequence[str], room: float, bold: Sequence[bool] = ()) -> tuple[list[str], float]:
    """Return names shortened to a room, in CSS pixels, and how wide the widest is."""
    heavy = list(bold) or [False] * len(names)
    shown, widest = list(names), math.inf
    for limit in _LIMITS:
        shown = shorts(names, limit)
        sizes = (text_width(one, bold=thick) for one, thick in zip(shown, heavy, strict=True))
        widest = max(sizes, default=0.0)
        if widest <= room:
            break
    return shown, widest


def places(count: int, size: float, first: Sequence[int]) -> list[tuple[int, float]]:
    """Return which of `count` cells of a size show their names, and the middle of each name.

    Those of `first` come first, and move apart where they are closer than a line; if there are
    more than fit, every nth is shown. Others are shown where room is left.

    Examples
    --------
    >>> places(3, 20.0, [])
    [(0, 10.0), (1, 30.0), (2, 50.0)]
    >>> places(40, 3.0, [20, 21])
    [(0, 1.5), (4, 13.5), (8, 25.5), (12, 37.5), (20, 57.0), (21, 69.0), (27, 82.5), (31, 94.5), \
(35, 106.5), (39, 118.5)]
    """
    middles = [size * (i + 0.5) for i in range(count)]
    if size >= LABEL:
        return list(enumerate(middles))
    length = size * count
    step = max(1, math.ceil(len(first) * LABEL / max(length, LABEL)))
    kept = sorted(first)[::step]
    found = list(zip(kept, _apart([middles[i] for i in kept], length), strict=True))
    for i, at in enumerate(middles):
        if all(abs(at - there) >= LABEL and (i < j) == (at < there) for j, there in found):
            found.append((i, at))
    return sorted(found)


def _apart(wanted: Sequence[float], length: float) -> list[float]:
    """Return the nearest places, in order, that are a line apart and within a length."""
    blocks: list[tuple[float, int]] = []
    for i, at in enumerate(wanted):
        blocks.append((at - i * LABEL, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [((a * n + b * m) / (n + m), n + m)]
    highest = max(0.0, length - LABEL * len(wanted)) + LABEL / 2
    starts = [min(max(at, LABEL / 2), highest) for at, count in blocks for _ in range(count)]
    return [at + i * LABEL for i, at in enumerate(starts)]
