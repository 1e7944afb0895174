"""What header cells hold besides a name: directions, marks, markup, line breaks; rows of units."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eevee.readers.cells import CellError, is_missing, parse_cell
from eevee.readers.grid import Grid
from eevee.readers.measured import MAX_NAME
from eevee.tables.results_table import Note

_UP, _DOWN = "↑⬆⇑▲🔼⤴", "↓⬇⇓▼🔽⤵"
_ARROW = re.compile(rf"\s{{0,3}}[(\[]?\s{{0,3}}([{_UP}{_DOWN}])\ufe0f?\s{{0,3}}[)\]]?\s{{0,3}}")
_LATEX_ARROW = re.compile(r"\$?\\(up|down)arrow\$?")
_WORDS = re.compile(
    r"\s{0,3}[-,:(\[]{1,3}\s{0,3}(higher|lower|larger|smaller|greater|less|more|bigger|fewer)"
    r"(?:[ _-]?(?:is|=))?[ _-]?better\s{0,3}[)\]]?",
    re.IGNORECASE,
)
_HIGHER = frozenset({"higher", "larger", "greater", "more", "bigger"})
_TAG = re.compile(r"<br\s{0,3}/?>|</?[a-zA-Z]{1,10}(?:\s[^<>]{0,100})?>")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_LATEX = re.compile(r"\\(?:textbf|textit|underline|emph|mathbf|text)\{([^{}]{0,200})\}")
_BREAK = re.compile(r"[\r\n\t\u2028\u2029]|<br\s{0,3}/?>")
_WRAPPED = ("**", "__", "``", "`", "~~")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6});")
_UNITS = frozenset(
    "% (%) [%] percent s (s) [s] ms (ms) [ms] sec seconds h hours gb (gb) [gb] mb tokens $ ($) usd "  # noqa: SIM905
    "pts points".split()
)


@dataclass(frozen=True)
class Header:
    """A header cell: the name in it, and the direction if it says one."""

    name: str
    direction: str | None = None


def read_header(text: str) -> Header:
    """Take a header cell apart.

    Examples
    --------
    >>> read_header("FID ↓"), read_header("toxicity (lower is better)")
    (Header(name='FID', direction='lower'), Header(name='toxicity', direction='lower'))
    >>> read_header("arith\\n(25-shot)").name, read_header("arith<br>(25-shot)").name
    ('arith (25-shot)', 'arith (25-shot)')
    """
    if len(text) > MAX_NAME:
        return Header(text, None)  # it will be refused; looking at it could take long
    name = " ".join(_BREAK.sub(" ", text).split()) if _BREAK.search(text) else text
    direction = None
    latex = _LATEX_ARROW.search(name)
    if latex:
        direction = "higher" if latex[1] == "up" else "lower"
        name = _LATEX_ARROW.sub(" ", name)
    arrow = _ARROW.search(name)
    if arrow and _ARROW.fullmatch(name) is None:
        direction = "higher" if arrow[1] in _UP else "lower"
        name = _ARROW.sub(" ", name)
    words = _WORDS.search(name)
    if words and words.start() > 0:
        direction = "higher" if words[1].casefold() in _HIGHER else "lower"
        name = name[: words.start()] + name[words.end() :]
    return Header(name.strip(), direction)


def without_markup(text: str) -> str:
    """Take Markdown, HTML and LaTeX off a text.

    Examples
    --------
    >>> without_markup("**68.9**"), without_markup("`org/m`"), without_markup("a_b"), \
without_markup("a<br>b")
    ('68.9', 'org/m', 'a_b', 'a b')
    """
    if _ENTITY.search(text):
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "\\" in text:
        text = _LATEX.sub(r"\1", text).replace("\\%", "%").replace("\\_", "_").replace("\\|", "|")
    text = text.strip()
    for mark in _WRAPPED * 2:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)].strip()
    return text


def tidy_headers(grid: Grid) -> Grid:
    """Leave names alone in the header, keep the directions that it says, note what was taken off.

    Examples
    --------
    >>> grid = tidy_headers(Grid("x.csv", ("model", "a\\nb", "FID ↓"), (("m", "1", "2"),), (2,)))
    >>> grid.header, dict(grid.directions), [note.why for note in grid.notes]
    (('model', 'a b', 'FID'), {'FID': 'lower'}, ['line break in the header, read as a space'])
    """
    heads = [read_header(cell) for cell in grid.header]
    counts = Counter(head.name for head in heads)
    heads = [  # what tells two columns apart is a part of their names
        head if counts[head.name] == 1 and head.name else Header(cell, head.direction)
        for head, cell in zip(heads, grid.header, strict=True)
    ]
    names = tuple(head.name for head in heads)
    said = {head.name: head.direction for head in heads if head.direction is not None}
    broken = [n for n, cell in zip(names, grid.header, strict=True) if "\n" in cell or "\r" in cell]
    marked = [
        (n, cell)
        for n, head, cell in zip(names, heads, grid.header, strict=True)
        if n != cell and n not in broken and head.direction is None
    ]
    notes = [
        Note("converted", "column", name, "line break in the header, read as a space")
        for name in broken
    ]
    notes += [Note("converted", "column", n, f"is {cell!r} in the header") for n, cell in marked]
    return replace(grid, header=names, directions={**grid.directions, **said}).noted(*notes)


def without_unit_row(grid: Grid) -> Grid:
    """Take away a row of units or arrows below the header; arrows tell directions.

    Examples
    --------
    >>> rows = (("", "↑", "↓"), ("m", "1", "2"), ("n", "2", "1"))
    >>> found = without_unit_row(Grid("x.csv", ("model", "acc", "FID"), rows, (2, 3, 4)))
    >>> found.rows, dict(found.directions)
    ((('m', '1', '2'), ('n', '2', '1')), {'acc': 'higher', 'FID': 'lower'})
    """
    if len(grid.rows) < 2:
        return grid
    cells = grid.rows[0]
    arrows = [_arrow(cell) for cell in cells]
    rest = [
        c for c, arrow in zip(cells, arrows, strict=True) if arrow is None and not is_missing(c)
    ]
    first = cells[0].casefold() in {"", "unit", "units", "metric", "direction", "(unit)", "-"}
    inner = rest[1:] if cells[0] and rest and rest[0] == cells[0] else rest
    is_units = bool(inner) and all(cell.casefold() in _UNITS for cell in inner)
    is_arrows = any(arrows) and not inner
    enough = 2 * sum(bool(cell) for cell in cells[1:]) >= grid.width - 1
    unique = len(set(filter(None, grid.header))) == len(grid.header) - (not grid.header[0])
    if not (first and (is_arrows or (is_units and enough and unique))):
        return grid
    said = {grid.header[j]: arrow for j, arrow in enumerate(arrows) if arrow and grid.header[j]}
    what = "directions" if is_arrows else "units"
    note = Note("ignored", "file", grid.source, f"row {grid.lines[0]} holds {what}, not a model")
    return replace(
        grid, rows=grid.rows[1:], lines=grid.lines[1:], directions={**grid.directions, **said}
    ).noted(note)


def _arrow(cell: str) -> str | None:
    found = _ARROW.fullmatch(cell)
    if found is None:
        return None
    return "higher" if found[1] in _UP else "lower"


def is_name(cell: str) -> bool:
    """Tell whether a cell could head a column: text, neither a number nor missing.

    Examples
    --------
    >>> is_name("arith"), is_name("68.9"), is_name("")
    (True, False, False)
    """
    if is_missing(cell):
        return False
    try:
        parse_cell(cell)
    except CellError as wrong:
        return wrong.kind == "text"
    return False


def are_names(cells: Sequence[str]) -> bool:
    """Tell whether cells look like a header row: at least two, and none a number."""
    filled = [cell for cell in cells if cell]
    return len(filled) >= 2 and all(is_name(cell) or is_missing(cell) for cell in filled)
