"""Durations as people write them."""

from __future__ import annotations

import math
import re

from eevee.base.errors import EeveeError

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def read_duration(text: str) -> float:
    """Return seconds.

    Examples
    --------
    >>> read_duration("90"), read_duration("1.5h")
    (90.0, 5400.0)
    """
    match = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)\s*([smh]?)", text.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else math.nan
    if not 0 < seconds < math.inf:
        raise EeveeError(f"a time is a number of seconds, or such as 30m or 2h, not {text!r}")
    return seconds


def in_words(seconds: float) -> str:
    """Write seconds with a unit.

    Examples
    --------
    >>> in_words(0.2), in_words(300), in_words(9000)
    ('0.2 s', '5 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
