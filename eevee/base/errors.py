"""The one error that EEVEE raises on purpose."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable

_LONG, _MOST = 200, 5000
"""Letters of names, and names, that near misses are looked for among: each pair takes time."""


class EeveeError(ValueError):
    """Something about the data or the request is wrong, and the message says what to do.

    Examples
    --------
    >>> raise EeveeError("scores.csv: row 3, column 'mmlu': 'n.a.' is not a number")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: scores.csv: row 3, column 'mmlu': 'n.a.' is not a number
    """


class Stopped(EeveeError):
    """A run was stopped, as it was asked to, before it had anything to tell."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for a near miss, else an empty string.

    Examples
    --------
    >>> did_you_mean("imagenet", ["ImageNet", "food101"])
    " (did you mean 'ImageNet'?)"
    >>> did_you_mean("zzz", ["ImageNet"])
    ''
    """
    if len(name) > _LONG:
        return ""
    some = itertools.islice((c for c in known if len(c) <= _LONG), _MOST)
    by_folded = {candidate.casefold(): candidate for candidate in some}
    close = difflib.get_close_matches(name.casefold(), list(by_folded), n=1)
    return f" (did you mean {by_folded[close[0]]!r}?)" if close else ""
