"""Between which ends the scores of a column lie, as a benchmarks file gives them."""

from __future__ import annotations

import math
import re

from eevee.errors import EeveeError

_NUMBER = r"[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?"
_PAIR = re.compile(rf"[\[(]?\s*({_NUMBER})\s*(?:to|\.\.\.?|[-,;:\u2013])\s*({_NUMBER})\s*[\])]?")


def parse_bounds(said: str, where: str) -> tuple[float, float]:
    """Read the ends of a column: "0 to 100", "0-1", "-1, 1", "0 to 100 %", or "none".

    Parameters
    ----------
    said : str
    where : str
        Names the cell in an error.

    Examples
    --------
    >>> parse_bounds("0-100", ""), parse_bounds("[-1, 1]", ""), parse_bounds("none", "")
    ((0.0, 100.0), (-1.0, 1.0), (-inf, inf))
    """
    plain = said.strip().casefold()
    if plain == "none":
        return -math.inf, math.inf
    match = _PAIR.fullmatch(plain.replace(" %", "%"))
    low, high = map(_number, match.groups()) if match else (0.0, 0.0)
    if low >= high:
        raise EeveeError(f"{where}: {said!r} are no bounds; write such as '0 to 100', or 'none'")
    return low, high


def bounds_in_words(low: float, high: float) -> str:
    """Write ends as `parse_bounds` reads them.

    Examples
    --------
    >>> bounds_in_words(0.0, 100.0), bounds_in_words(-math.inf, math.inf)
    ('0 to 100', 'none')
    """
    return f"{low:.17g} to {high:.17g}" if math.isfinite(low) else "none"


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-").rstrip("%"))
