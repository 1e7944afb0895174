"""One cell of text: a number, a missing value, or an error that says why it is neither."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from eevee.base.arrays import FloatArray

MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "none", "null", "<na>", "#n/a"})  # noqa: RUF001

Kind = Literal["text", "two numbers", "infinite", "comma", "ambiguous"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PLAIN_COLUMN = re.compile(rf"(?:{_NUMBER.pattern})?(?:\n(?:{_NUMBER.pattern})?)*")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_COMMA = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]{3})*)?,[0-9]+(?:[eE][+-]?[0-9]+)?")
_DOTTED_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_ONE = r"[+-]?[0-9][0-9.,]*\s*%?"
_TWO = re.compile(
    rf"{_ONE}\s*(?:/|\||;|±|\+/?-|\s)\s*\(?\s*(?:±\s*)?{_ONE}\s*\)?|{_ONE}\s*\(.*[0-9].*\)"
)
_INFINITE = re.compile(r"[+-]?(?:inf|infinity|∞)", re.IGNORECASE)
_SIGNS = str.maketrans({"−": "-", "\u00a0": None, "\u202f": None})  # noqa: RUF001

_LONG = 60
"""Letters of a cell that are shown, and that two numbers may take."""

_WHY: dict[Kind, str] = {
    "text": "is not a number; write a number, or leave the cell empty if it was not measured",
    "two numbers": "is two numbers in one cell; keep one, or give each a column of its own",
    "infinite": "is infinite; leave the cell empty if it was not measured",
    "comma": "is not a number: a decimal comma is only read in files separated by ';' or without "
    "decimal points; write a decimal point",
    "ambiguous": "has a dot where the file has decimal commas: before thousands or decimals? "
    "write it without the dot, or with a comma",
}


class CellError(ValueError):
    """A cell is no number; `kind` tells text from a number that is wrongly written."""

    def __init__(self, text: str, kind: Kind) -> None:
        shown = repr(text)
        if len(shown) > _LONG:
            shown = repr(text[:_LONG])[:_LONG] + "...'"
        super().__init__(f"{shown} {_WHY[kind]}")
        self.kind = kind


def is_missing(text: str) -> bool:
    """Tell whether a cell says that nothing was measured.

    Examples
    --------
    >>> [is_missing(text) for text in ("", " - ", "N/A", "None", "0")]
    [True, True, True, True, False]
    """
    return not text or text.strip().casefold() in MISSING


def parse_cell(text: str, decimal_comma: bool = False) -> float:
    """Return the number that a cell holds, NaN where it is missing.

    Parameters
    ----------
    text : str
    decimal_comma : bool
        Whether the file writes 0,85 for 0.85 (see `uses_decimal_comma`).

    Raises
    ------
    CellError
        If the cell is text, two numbers, or infinite.

    Examples
    --------
    >>> [parse_cell(text) for text in ("94.2%", "1,013.01", "+1.088", "N/A")]
    [94.2, 1013.01, 1.088, nan]
    >>> parse_cell("0,85", decimal_comma=True)
    0.85
    >>> parse_cell("inf")
    Traceback (most recent call last):
    ...
    eevee.readers.cells.CellError: 'inf' is infinite; leave the cell empty if it was not measured
    """
    if not decimal_comma and _NUMBER.fullmatch(text):
        return _finite(text, float(text))
    if is_missing(text):
        return math.nan
    plain = text.translate(_SIGNS).strip().removesuffix("%").strip()
    if decimal_comma and _DOTTED_THOUSANDS.fullmatch(plain):
        raise CellError(text, "ambiguous")  # 1.013 is 1013 or 1.013: nobody can tell
    if decimal_comma and _COMMA.fullmatch(plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    if not _NUMBER.fullmatch(plain):
        raise CellError(text, _kind_of_wrong(text.strip(), plain))
    return _finite(text, float(plain))


def parse_plain(cells: Sequence[str]) -> FloatArray | None:
    """Return the numbers of cells of which each is empty or a plain number; None if one is not.

    What `parse_cell` returns, many times as fast: most columns of most files are such.

    Examples
    --------
    >>> parse_plain(["1.5", "", "-2e3"]), parse_plain(["1.5", "n/a"])
    (array([ 1.5e+00,      nan, -2.0e+03]), None)
    """
    text = "\n".join(cells)
    if text.count("\n") >= max(len(cells), 1) or not _PLAIN_COLUMN.fullmatch(text):
        return None
    values = np.array([float(cell) if cell else math.nan for cell in cells], dtype=np.float64)
    return None if np.isinf(values).any() else values


def is_same(cell: str, word: str) -> bool:
    """Tell whether a cell holds a word, or the same number.

    Examples
    --------
    >>> is_same("-1.0", "-1"), is_same("oom", "OOM"), is_same("1", "-1")
    (True, True, False)
    """
    try:
        return parse_cell(cell) == parse_cell(word)
    except CellError:
        return cell.casefold() == word.casefold()


def uses_decimal_comma(cells: Iterable[str], usual: bool = True) -> bool:
    """Tell whether the numbers of a file are written with decimal commas.

    Parameters
    ----------
    cells : iterable of str
    usual : bool
        Whether the file is separated by ';', where one such number is enough; elsewhere no number
        may have a decimal point, and one in five must have a comma.

    Examples
    --------
    >>> uses_decimal_comma(["0,85", "1"]), uses_decimal_comma(["1,013", "0.85"])
    (True, False)
    >>> [uses_decimal_comma(["0,8", "0,9", cell], usual=False) for cell in ("1", "1.5")]
    [True, False]
    """
    dotted, thousands, commas, whole = False, False, 0, 0
    for cell in cells:
        if _NUMBER.fullmatch(cell):
            dotted = dotted or "." in cell
            whole += 1
            continue
        plain = cell.translate(_SIGNS).strip().removesuffix("%").strip()
        if _COMMA.fullmatch(plain):
            if _THOUSANDS.fullmatch(plain):
                thousands = True
            elif usual:
                return True
            else:
                commas += 1
        elif _NUMBER.fullmatch(plain):
            dotted = dotted or "." in plain
            whole += 1
    if not usual:
        return not dotted and 4 * commas > whole and commas > 1
    return thousands and not dotted


def _finite(text: str, value: float) -> float:
    if math.isinf(value):
        raise CellError(text, "infinite")
    return value


def _kind_of_wrong(text: str, plain: str) -> Kind:
    if _INFINITE.fullmatch(plain):
        return "infinite"
    if _COMMA.fullmatch(plain):
        return "comma"
    # Spaces stand next to each other in the pattern: of a long run each could take any part.
    words = " ".join(text.split())
    return "two numbers" if len(words) <= _LONG and _TWO.fullmatch(words) else "text"
