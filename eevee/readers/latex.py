"""LaTeX tables: rows of a tabular, cut at & and \\\\, without rules, colours and citations."""

from __future__ import annotations

import math
import re

from eevee.base.bounded import TooLarge
from eevee.tables.results_table import Note

Record = tuple[int, list[str]]

_BEGIN = re.compile(r"\\begin\{(tabular[xy*]?|tabulary|longtable|array|NiceTabular)\}")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_RULES = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|hdashline|specialrule|addlinespace|noalign|cmidrule|"
    r"cline|rowcolor|arrayrulecolor|endhead|endfirsthead|endfoot|endlastfoot|centering|small|"
    r"footnotesize|scriptsize|tiny)\b\*?(?:\([^()]{0,20}\)|\[[^\[\]]{0,40}\]|\{[^{}]{0,80}\}){0,4}"
)
_SPAN = re.compile(r"\\multicolumn\{(\d{1,3})\}\{[^{}]{0,80}(?:\{[^{}]{0,40}\}[^{}]{0,40})?\}")
_ROWS = re.compile(r"\\multirow(?:\[[^\[\]]{0,20}\])?\{[^{}]{0,10}\}(?:\[[^\[\]]{0,20}\])?"
                   r"\{[^{}]{0,20}\}")  # fmt: skip
_DROPPED = re.compile(
    r"~?\\(?:cite[a-z]{0,8}|ref|label|footnote|footnotemark|cellcolor|color|textcolor|hspace|"
    r"vspace|rotatebox|phantom)\*?(?:\[[^\[\]]{0,40}\]){0,2}\{[^{}]{0,200}\}"
)
_WRAPPED = re.compile(
    r"\\(?:text(?:bf|it|tt|sc|rm|sf|up)?|underline|emph|math(?:bf|rm|it|sf)|makecell|shortstack|"
    r"uline|mbox|best|second|bm|boldsymbol|texttt)(?:\[[^\[\]]{0,20}\])?\{([^{}]{0,300})\}"
)
_SWITCH = re.compile(r"\\(?:bf|it|bfseries|itshape|tt|sc|em|quad|qquad|;|,|!|xspace|ddag|dag)\b ?")
_GROUP = re.compile(r"(?<![\\\w^_])\{([^{}]{0,300})\}")
_BREAK = re.compile(r"\\\\\s?(?:\[[^\[\]\n]{0,20}\])?|\\tabularnewline")


def latex_records(
    text: str, source: str, most: float = math.inf
) -> tuple[list[Record], list[Note]] | None:
    """Return the rows of the first table of a LaTeX text, None where there is none.

    Parameters
    ----------
    text : str
    source : str
        For notes.
    most : float
        Cells that it may have; `TooLarge` is raised beyond.

    Examples
    --------
    >>> rows = r"Model & a \\\\ \\hline x & \\textbf{1.5} \\\\"
    >>> text = r"\\begin{tabular}{lr}" + rows + r"\\end{tabular}"
    >>> latex_records(text, "x.tex")[0]
    [(1, ['Model', 'a']), (1, ['x', '1.5'])]
    """
    begin = _BEGIN.search(text)
    if begin is None:
        return None
    end = text.find(rf"\end{{{begin[1]}}}", begin.end())
    start = _behind_arguments(text, begin.end())
    body = _COMMENT.sub("", text[start : len(text) if end < 0 else end])
    line = text.count("\n", 0, start) + 1
    if body.count("&") > most:
        raise TooLarge
    records: list[Record] = []
    for row in _BREAK.split(body):
        cells = _cells(row)
        if any(cells):
            records.append((line, cells))
        line += row.count("\n")
    if not records:
        return None
    count = len(_BEGIN.findall(text))
    why = f"holds {count} tables: only the first, at line {records[0][0]}, is read"
    return records, [Note("ignored", "file", source, why)] if count > 1 else []


def _behind_arguments(text: str, place: int) -> int:
    """Return the place behind the arguments of \\begin: widths, positions, columns."""
    while place < len(text) and text[place] in "{[":
        depth = 0
        for end in range(place, min(len(text), place + 2000)):
            depth += (text[end] in "{[") - (text[end] in "}]")
            if depth == 0:
                break
        place = end + 1
    return place


def _cells(row: str) -> list[str]:
    cells: list[str] = []
    for raw in re.split(r"(?<!\\)&", _RULES.sub("", row)):
        span = _SPAN.search(raw)
        cells.append(_plain(_SPAN.sub("", raw)))
        cells += [""] * (int(span[1]) - 1 if span else 0)
    return cells


def _plain(cell: str) -> str:
    cell = _ROWS.sub("", _DROPPED.sub("", cell)).replace("~", " ")
    for _ in range(4):  # marks stand inside of marks
        cell = _SWITCH.sub("", _WRAPPED.sub(r"\1", cell))
        cell = _GROUP.sub(r"\1", cell)
    cell = re.sub(r"\\([%_&#$])", r"\1", cell)
    if "\\pm" in cell:
        cell = re.sub(r"[${}_]", "", cell).replace("\\pm", "±")
    if cell.count("$") == 2:
        cell = cell.replace("$", "") if re.search(r"\$[-+0-9.]", cell) else cell
    return " ".join(cell.split())
