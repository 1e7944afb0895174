"""Text as a terminal may show it: nothing in it acts, hides or turns the line around."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks, to Unicode, that print as nothing."""
_JOINERS = frozenset("\u200d\ufe0f\ufe0e")
"""Emoji are made with them."""


def visible(text: str) -> str:
    r"""Return a text with control, bidirectional and invisible characters escaped.

    What emoji are made with stays.

    Examples
    --------
    >>> visible("\x1b[31mred"), visible("a\u202eb"), visible("café")
    ('\\x1b[31mred', 'a\\u202eb', 'café')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if is_hidden(c) and c not in _JOINERS else c for c in text)


def is_hidden(letter: str) -> bool:
    r"""Tell whether a character prints as nothing, or acts on the terminal.

    Examples
    --------
    >>> is_hidden("\u200b"), is_hidden("é")
    (True, False)
    """
    if letter.isalnum() and letter not in _BLANK:
        return False
    return letter in _BLANK or letter in _JOINERS or unicodedata.category(letter) in _HIDDEN


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
