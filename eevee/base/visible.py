"""Text as a terminal may show it: nothing in it acts, hides or turns the line around."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINER = "\u200d"


def visible(text: str) -> str:
    r"""Return a text with control, bidirectional and invisible characters escaped.

    The joiner stays: emoji are made with it.

    Examples
    --------
    >>> visible("\x1b[31mred"), visible("a\u202eb"), visible("café")
    ('\\x1b[31mred', 'a\\u202eb', 'café')
    """
    if text.isprintable():
        return text
    return "".join(c if c == _JOINER or not _acts(c) else _escaped(c) for c in text)


def _acts(letter: str) -> bool:
    return unicodedata.category(letter) in _HIDDEN


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
