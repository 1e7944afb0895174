"""Cells that hold more than a number: errors behind ±, bold, footnotes, words for "missing"."""

# ruff: noqa: RUF001 (minus signs and dashes as people write them)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from eevee.readers.cells import MISSING, CellError, is_missing, parse_cell
from eevee.readers.grid import Grid
from eevee.readers.headers import without_markup
from eevee.tables.results_table import Note

FAILED = frozenset(
    {
        "oom", "timeout", "time out", "timed out", "t/o", "oot", "to", "n.a.", "n.a", "n/r", "nr",
        "n/t", "--", "---", "tbd", "tba", "todo", "pending", "?", "??", "..", "...", "…", "x", "✗",
        "err", "error", "fail", "failed", "failure", "crash", "crashed", "killed", "dnf", "skip",
        "skipped", "missing", "unknown", "unk", "not available", "not reported", "not tested",
        "not run", "not evaluated", "no result", "out of memory", "invalid", "empty", "nil", "n/d",
        "nd", "n.d.", "s/d", "k.a.", "n.r.", "n/e", "n.e.", "unavailable", "unsupported", "soon",
        "not supported", "not applicable", "none reported", "coming soon", "refused", "blocked",
        "running", "queued", "wip", "undefined", "-nan", "nan%", "-%", "无", "無", "/",
        "\\", "·", "*",
        "−", "cuda oom", "segfault", "private", "hidden", "err!", "❌",
        "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#error!", "\\n", ".",
    }
)  # fmt: skip
"""Words that stand for "not measured" among numbers."""
LONGEST = 80
"""Longer cells are texts: no mark is looked for in them."""

_PLAIN = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{0,18})?")
_LATEX_PM = re.compile(r"\$?_?\{?\s?\\pm\s?([0-9.]{1,12})\}?\$?")
_PLUS_MINUS = re.compile(r"\s?(?:±|\+/-|\+-|\+/−|&plusmn;)\s?")
_BRACKETED = re.compile(r"([-+−]?[0-9][0-9.,]{0,20}%?)\s?\((?:±\s?)?([0-9][0-9.,]{0,20}%?)\)")
_INTERVAL = re.compile(
    r"([-+−]?[0-9][0-9.,]{0,20}%?)\s?(?:"
    r"[(\[]\s?[-+−]?[0-9][0-9.,]{0,20}%?\s?(?:[,;–—-]|to)\s?[-+−]?[0-9][0-9.,]{0,20}%?\s?[)\]]"
    r"|\(?\+\s?[0-9][0-9.]{0,20}\s?[/,]\s?[-−]\s?[0-9][0-9.]{0,20}\)?"
    r"|\(?[-−]\s?[0-9][0-9.]{0,20}\s?[/,]\s?\+\s?[0-9][0-9.]{0,20}\)?"
    r"|\$?_\{?[-−][0-9.]{1,20}\}?\^\{?\+[0-9.]{1,20}\}?\$?)"
)
_CHANGE = re.compile(
    r"([-+−]?[0-9][0-9.,]{0,20}%?)\s?[(\[]?\s?(?:[↑↓▲▼🔺🔻]\s?[-+−]?|[-+−])"
    r"[0-9][0-9.,]{0,20}%?\s?[)\]]?"
)
_RAISED = re.compile(r"<su([pb])>[^<>]{0,20}</su\1>")
_SIGNS_AROUND = "~≈≃≅'\"=↑↓▲▼🥇🥈🥉🏆⭐🔥✨ \ufe0f"
_UNIT_BEHIND = re.compile(r"\s?(?:pts?\.?|points?|pct\.?|percent)\Z", re.IGNORECASE)
_NOTE_BEHIND = re.compile(
    r"([^()]*[0-9%])\s?\((?:[a-z*†‡]|\d{1,2}[- ]?shots?|CoT|ours)\)", re.IGNORECASE
)
_POINTS = str.maketrans("０１２３４５６７８９．·", "0123456789..")
_GROUPS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:['’\u2009\u202f\u00a0 ][0-9]{3})+(?:\.[0-9]+)?")
_BEHIND = re.compile(r"\s?(?:[*†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜ]{1,4}|\^\{?\w\}?|\[\d{1,2}\])$")


@dataclass(frozen=True)
class _Found:
    """What was found in a cell: a number, and its error or ""."""

    value: str
    error: str
    how: str


def tidy_cells(grid: Grid, missing: Collection[str] = ()) -> Grid:
    """Leave one number a cell: standard errors get columns of their own, words become gaps.

    Parameters
    ----------
    grid : Grid
    missing : collection of str
        What means "not measured" besides the usual words; numbers among them count by value.

    Examples
    --------
    >>> rows = (("m", "68.9 ± 0.3", "OOM"), ("n", "**70.1 ± 0.2**", "3"))
    >>> found = tidy_cells(Grid("x.csv", ("model", "a", "b"), rows, (2, 3)))
    >>> found.header, found.rows
    (('model', 'a', 'a_stderr', 'b'), (('m', '68.9', '0.3', ''), ('n', '70.1', '0.2', '3')))
    """
    texts, numbers = _tokens(missing)
    grid = replace(grid, void=numbers)
    columns: list[list[str]] = []
    header: list[str] = []
    notes = _Notes(grid)
    for j in range(grid.width):
        cells, errors = _tidy_column(grid, j, texts, notes)
        header.append(grid.header[j])
        columns.append(cells)
        name = f"{grid.header[j]}_stderr"
        if any(errors) and name not in grid.header:
            header.append(name)
            columns.append(errors)
    if not notes.any:
        return grid
    rows = tuple(zip(*columns, strict=True))
    return replace(grid, header=tuple(header), rows=rows).noted(*notes.written())


def _tokens(missing: Iterable[str]) -> tuple[frozenset[str], frozenset[float]]:
    """Separate words for missing from numbers."""
    words = [word.strip() for given in missing for word in given.split(",") if word.strip()]
    numbers = set()
    for word in words:
        try:
            numbers.add(parse_cell(word))
        except CellError:
            continue
    kept = frozenset(v for v in numbers if v == v)  # noqa: PLR0124
    return frozenset(word.casefold() for word in words), kept


class _Notes:
    """What was done to cells, counted."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.any = False
        self.words: dict[str, Counter[str]] = {}
        self.marks: dict[str, list[str]] = {}
        self.percents: dict[str, list[int]] = {}

    def written(self) -> list[Note]:
        """Return a note per column of words, and one per kind of mark."""
        found = []
        for name, words in self.words.items():
            said = ", ".join(f"{word!r} in {_cells(n)}" for word, n in words.most_common(3))
            found.append(Note("guessed", "column", name, f"{said}: read as missing"))
        for how, cells in self.marks.items():
            names = list(dict.fromkeys(cell.partition("\0")[0] for cell in cells))
            first = cells[0].partition("\0")[2]
            of = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
            why = f"{how} in {_cells(len(cells))} of {of} (such as {first!r})"
            found.append(Note("converted", "file", self.grid.source, why))
        for name, rows in self.percents.items():
            why = (
                f"{_cells(len(rows))} without a percent sign are fractions beside percentages: "
                f"multiplied by 100 ({rows_in_words(rows)})"
            )
            found.append(Note("converted", "column", name, why))
        return found


def rows_in_words(rows: Sequence[int]) -> str:
    """Name some rows.

    Examples
    --------
    >>> rows_in_words([2, 5]), rows_in_words(range(2, 20))
    ('rows 2, 5', 'rows 2, 3, 4, 5, 6, ...')
    """
    some = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
    return f"row{'s' * (len(rows) > 1)} {some}"


def _cells(count: int) -> str:
    return f"{count} cell{'s' * (count != 1)}"


def _tidy_column(
    grid: Grid, j: int, words: frozenset[str], notes: _Notes
) -> tuple[list[str], list[str]]:
    cells = grid.column(j)
    errors = [""] * len(cells)
    odd = [i for i, cell in enumerate(cells) if not _PLAIN.fullmatch(cell) and not is_missing(cell)]
    if not odd:
        return cells, errors
    name = grid.header[j]
    found = {i: _read(cells[i], grid.decimal_comma) for i in odd}
    n_numbers = len(cells) - len(odd) - sum(map(is_missing, cells))
    n_numbers += sum(one is not None for one in found.values())
    gaps = [i for i in odd if found[i] is None and cells[i].casefold() in words]
    guessed = [i for i in odd if found[i] is None and _is_failed(cells[i])]
    others = [i for i in odd if found[i] is None and i not in {*gaps, *guessed}]
    if _stand_for_missing([cells[i] for i in others], n_numbers):
        guessed, others = [*guessed, *others], []
    if not n_numbers or len(others) > n_numbers:
        return cells, errors
    for i in {*gaps, *guessed}:
        notes.words.setdefault(name, Counter())[cells[i]] += 1
        notes.any = True
    bracketed = [i for i, one in found.items() if one is not None and one.how == _IN_BRACKETS]
    trusted = _are_errors([found[i] for i in bracketed], n_numbers, grid.decimal_comma)
    made = list(cells)
    for i in {*gaps, *guessed}:
        made[i] = ""
    for i, one in found.items():
        if one is None or one.how == "" or (i in bracketed and not trusted):
            continue
        made[i], errors[i] = one.value, one.error
        notes.marks.setdefault(one.how, []).append(f"{name}\0{cells[i]}")
        notes.any = True
    return _one_scale(made, grid, j, notes), errors


def _is_failed(cell: str) -> bool:
    """Tell whether a cell is a word for missing, perhaps with a footnote."""
    plain = cell.casefold().strip("()[] ")
    return (
        plain in FAILED
        or plain in MISSING
        or ((bare := _BEHIND.sub("", plain)) != plain and bare in FAILED | MISSING)
    )


def _stand_for_missing(cells: Sequence[str], n_numbers: int) -> bool:
    """Tell whether unknown words among numbers mean "not measured": few words, each repeated."""
    counts = Counter(cells)
    plain = all(len(cell) <= _WORD and not any(c.isdigit() for c in cell) for cell in counts)
    return (
        bool(cells) and plain and n_numbers >= 3 and len(counts) <= 2 and min(counts.values()) > 1
    )


_WORD = 24
_BEHIND_SIGN = "a standard error behind ±"
_IN_BRACKETS = "a standard error in brackets"
_WITH_INTERVAL = "an interval behind the number, left out,"
_WITH_CHANGE = "a change behind the number, left out,"
_MARKS = "marks taken off the number"


def _read(cell: str, decimal_comma: bool) -> _Found | None:
    """Read a cell that is not plainly a number; None if there is no number in it."""
    if _is_number(cell, decimal_comma):
        return _Found(cell, "", "")
    if len(cell) > LONGEST or not any(letter.isdigit() for letter in cell):
        return None
    text = _LATEX_PM.sub(r"±\1", cell).strip("$") if "\\pm" in cell else cell
    text = without_markup(_RAISED.sub("", text))
    if len(text) > 2 and text[0] == text[-1] and text[0] in "*$_":
        text = text[1:-1].strip()
    text = _BEHIND.sub("", text).strip()
    parts = [without_markup(part) for part in _PLUS_MINUS.split(text)]
    if len(parts) == 2:
        error = parts[1].strip("() ")
        value = parts[0].strip("( ")
        if _is_number(value, decimal_comma) and _is_number(error, decimal_comma):
            return _Found(value, error, _BEHIND_SIGN)
        return None
    return _with_more_behind(text, decimal_comma)


def _with_more_behind(text: str, decimal_comma: bool) -> _Found | None:
    """Read a number with an interval, a change, an error in brackets or marks around it."""
    behind = _INTERVAL.fullmatch(text) or _CHANGE.fullmatch(text)
    if behind and _is_number(behind[1], decimal_comma):
        how = _WITH_INTERVAL if behind.re is _INTERVAL else _WITH_CHANGE
        return _Found(behind[1], "", how)
    match = _BRACKETED.fullmatch(text)
    if match and all(_is_number(part, decimal_comma) for part in match.groups()):
        return _Found(match[1], match[2], _IN_BRACKETS)
    text = _without_marks(text)
    return _Found(text, "", _MARKS) if _is_number(text, decimal_comma) else None


def _without_marks(text: str) -> str:
    """Take off what stands around a number; write its digits plainly."""
    noted = _NOTE_BEHIND.fullmatch(text)
    text = _UNIT_BEHIND.sub("", noted[1] if noted else text).translate(_POINTS)
    text = text.strip(_SIGNS_AROUND)
    return re.sub(r"['’\s]", "", text) if _GROUPS.fullmatch(text) else text


def _is_number(text: str, decimal_comma: bool) -> bool:
    try:
        value = parse_cell(text, decimal_comma)
    except CellError:
        return False
    return value == value  # noqa: PLR0124


def _are_errors(found: Sequence[_Found | None], n_numbers: int, decimal_comma: bool) -> bool:
    """Tell whether numbers in brackets are errors: most cells have one, smaller and not whole."""
    pairs = [
        (parse_cell(f.value, decimal_comma), parse_cell(f.error, decimal_comma))
        for f in found
        if f is not None
    ]
    if 2 * len(pairs) < n_numbers or not pairs:
        return False
    whole = all(error == round(error) for _, error in pairs)
    return not whole and all(error <= max(abs(value), 1.0) for value, error in pairs)


def _one_scale(cells: list[str], grid: Grid, j: int, notes: _Notes) -> list[str]:
    """Write fractions among percentages as percentages."""
    signed = [i for i, cell in enumerate(cells) if cell.endswith("%")]
    bare = [i for i, cell in enumerate(cells) if not cell.endswith("%") and not is_missing(cell)]
    if not signed or not bare:
        return cells
    try:
        fractions = {i: parse_cell(cells[i], grid.decimal_comma) for i in bare}
        percents = sorted(parse_cell(cells[i], grid.decimal_comma) for i in signed)
    except CellError:
        return cells
    if (
        not all(0 <= value <= 1 for value in fractions.values())
        or percents[len(percents) // 2] <= 1
    ):
        return cells
    made = list(cells)
    for i, value in fractions.items():
        made[i] = f"{100 * value:.12g}"
    if grid.decimal_comma:
        made = [m.replace(".", ",") if i in fractions else m for i, m in enumerate(made)]
    notes.percents[grid.header[j]] = [grid.lines[i] for i in fractions]
    notes.any = True
    return made
