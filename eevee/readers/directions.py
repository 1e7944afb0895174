"""Which way is better: read from a cell, or guessed from a name."""

from __future__ import annotations

import re

from eevee.errors import EeveeError
from eevee.readers.cells import is_missing
from eevee.readers.names import BRACKETS, FIXED, HIGHER, LONE_METRIC, LOWER, words_of

DIRECTION_NAMES = ("direction", "higher is better", "lower is better")
"""Headers of a column of directions, in lower-case words."""

_UNITS = frozenset({"ms", "s", "sec"})
_NEGATED = frozenset({"neg", "negative", "negated", "minus"})
_TIME = re.compile(r"\b(?:inference|run|wall|training|evaluation|eval) ?time$")
_UP = frozenset("higher high max maximize maximise up ↑ + asc ascending".split())  # noqa: SIM905
_DOWN = frozenset("lower low min minimize minimise down ↓ - desc descending".split())  # noqa: SIM905
_YES = frozenset("true yes 1 1.0 y t".split())  # noqa: SIM905
_NO = frozenset("false no 0 0.0 n f".split())  # noqa: SIM905


def guess_direction(column: str, metric: str) -> str:
    """Guess ``"higher"`` or ``"lower"`` from a metric's name, or else from a column's last word.

    Only whole words count, and of a column without a metric only the last one: "Translation
    Error Detection" is a task, "top1_err" an error rate.

    Examples
    --------
    >>> guess_direction("acdc.dice-loss", "dice-loss")
    'lower'
    >>> guess_direction("MMLU - ECE (10-bin)", "score")
    'lower'
    >>> guess_direction("Salient Translation Error Detection", "score")
    'higher'
    """
    if metric == LONE_METRIC:
        words = _last_phrase(column)
        known = words[-1:]
    else:
        words = words_of(metric)
        known = [w for w in words if w in LOWER or w in HIGHER or w in FIXED]
    lower = bool(known) and known[-1] in LOWER and not _NEGATED & set(words)
    return "lower" if lower or _TIME.search(" ".join(words)) else "higher"


def read_direction(header: str, cell: str, where: str) -> str | None:
    """Read one cell of a column of directions, None where it is missing.

    Parameters
    ----------
    header : str
        One of `DIRECTION_NAMES`: below "lower is better", yes means lower.
    cell : str
    where : str
        Names the cell in an error.

    Examples
    --------
    >>> read_direction("direction", "Lower is better", ""), read_direction("direction", "max", "")
    ('lower', 'higher')
    >>> read_direction("higher_is_better", "True", "")
    'higher'
    """
    word = cell.casefold().replace("_", " ").strip()
    word = word.removesuffix(" is better").removesuffix(" better").strip()
    plain = header.casefold().replace("_", " ").strip()
    if plain != "direction" and word in _YES | _NO:
        return "higher" if (word in _YES) == plain.startswith("higher") else "lower"
    if word in _UP | _DOWN:
        return "higher" if word in _UP else "lower"
    if is_missing(cell):
        return None
    raise EeveeError(f"{where}: {cell!r} is not a direction; write 'higher' or 'lower'")


def _last_phrase(column: str) -> list[str]:
    """Words of a column name, without brackets, units and lm-eval's ``,none`` at its end."""
    plain = BRACKETS.sub(" ", column.removesuffix(",none"))
    words = words_of(plain) or words_of(column)
    return words[:-1] if words and words[-1] in _UNITS else words
