"""Numbers and names as the page shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

from eevee.base.shortening import all_shortened, shortened
from eevee.base.visible import visible

DASH, MINUS = "\u2013", "\u2212"


def number(value: float | None) -> str:
    """Write a number with four digits, a dash where it is blank.

    Examples
    --------
    >>> number(0.37653), number(12345.6), number(None) == DASH, number(2.0)
    ('0.3765', '12,346', True, '2')
    """
    if value is None or not math.isfinite(value):
        return DASH
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def fixed(value: float | None) -> str:
    """Write a number with two decimals.

    Examples
    --------
    >>> fixed(0.5), fixed(-0.001), fixed(float("nan")) == DASH
    ('0.50', '0.00', True)
    """
    if value is None or not math.isfinite(value):
        return DASH
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", MINUS)


def error(loss: float) -> float:
    """Return how far off predictions of a loss are, in standard deviations: its root.

    Examples
    --------
    >>> error(0.25), error(-0.1), error(float("nan"))
    (0.5, 0.0, nan)
    """
    return math.sqrt(max(loss, 0.0)) if math.isfinite(loss) else math.nan


def percent(share: float | None) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> percent(0.0957), percent(0.5), percent(1.0)
    ('9.6 %', '50 %', '100 %')
    """
    if share is None or not math.isfinite(share):
        return DASH
    value = 100 * share
    return f"{value:.1f} %" if 0 < abs(value) < 10 and round(value, 1) % 1 else f"{value:.0f} %"


def counted(count: int, noun: str) -> str:
    """Write a number and a noun.

    Examples
    --------
    >>> counted(1, "model"), counted(1200, "model")
    ('1 model', '1,200 models')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Iterable[str]) -> str:
    """Join names with commas and "and".

    Examples
    --------
    >>> listed("a"), listed("ab"), listed("abc")
    ('a', 'a and b', 'a, b and c')
    """
    *first, last = map(visible, names)
    return f"{', '.join(first)} and {last}" if first else last


def some(names: Sequence[str], most: int) -> str:
    """Join the first names with commas, and count the rest.

    Examples
    --------
    >>> some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = ", ".join(visible(name) for name in names[:most])
    more = len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown


def short(name: str, limit: int = 28) -> str:
    """Return a name on one line, shortened in the middle.

    Examples
    --------
    >>> short("a_rather_long_name_of_a_benchmark", limit=16)
    'a_rather…nchmark'
    """
    return shortened(_line(name), limit)


def shorts(names: Sequence[str], limit: int = 28) -> list[str]:
    """Return names on one line, shortened so that they stay distinct."""
    return all_shortened([_line(name) for name in names], limit)


def _line(name: str) -> str:
    return " ".join(visible(name).split())


def told(several: Iterable[Any], name: str) -> bool:
    """Tell whether anything has a value under this name: neither blank nor empty.

    Examples
    --------
    >>> from fractions import Fraction
    >>> told([Fraction(1, 2)], "numerator"), told([], "numerator")
    (True, False)
    """
    values = (getattr(one, name) for one in several)
    return any(bool(value) if isinstance(value, str) else number(value) != DASH for value in values)


def breakable(name: str) -> Markup:
    """Return a name as HTML that may go on in the next line: after signs, or before a capital.

    Examples
    --------
    >>> breakable("a<b"), breakable("a_rather/longName")
    (Markup('a&lt;b'), Markup('a_<wbr>rather/<wbr>long<wbr>Name'))
    """
    shown = visible(name)
    parts = re.split(r"(?<=[-_/.:|])|(?<=[a-z0-9])(?=[A-Z])", shown)
    return Markup("<wbr>").join(part for part in parts if part)


def sentence(text: str) -> str:
    """Return a text with a capital first letter and a full stop.

    Examples
    --------
    >>> sentence("only 4 models: losses say little")
    'Only 4 models: losses say little.'
    """
    text = visible(text).strip()
    end = "" if not text or text[-1] in ".!?" else "."
    return f"{text[:1].upper()}{text[1:]}{end}"


def prose(text: str) -> Markup:
    """Return a sentence as HTML: escaped, commands between backticks as code.

    Examples
    --------
    >>> prose("only `eevee assess` can tell")
    Markup('Only <code>eevee assess</code> can tell.')
    """
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(sentence(text)))))
