"""JSON: one object per row (a line each, or an array), its keys the columns, nested ones dotted."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from eevee.base.bounded import TooLarge
from eevee.base.errors import EeveeError

Record = tuple[int, list[str]]

_HOLDERS = frozenset("scores results metrics evals evaluations benchmarks".split())  # noqa: SIM905
"""Keys that only say that scores follow: no part of their names."""


def are_json_lines(text: str) -> bool:
    """Tell whether each of the first two lines of a text is a JSON object.

    Examples
    --------
    >>> are_json_lines('{"model": "x"}\\n{"model": "y"}\\n'), are_json_lines('{\\n"a": 1}')
    (True, False)
    """
    lines = [line.strip() for line in text.split("\n", 50)[:50] if line.strip()][:2]
    return len(lines) == 2 and all(line[:1] == "{" and line[-1:] == "}" for line in lines)


def json_records(text: str, source: str, most: float = math.inf) -> list[Record]:
    """Return a header and a row per line.

    Raises
    ------
    EeveeError
        If a line is no JSON object.
    TooLarge
        If there are more cells than `most`.

    Examples
    --------
    >>> json_records('{"model": "x", "acc": {"a": 1.5}}\\n{"model": "y", "b": null}', "x.jsonl")
    [(1, ['model', 'acc.a', 'b']), (1, ['x', '1.5', '']), (2, ['y', '', ''])]
    """
    rows: list[tuple[int, dict[str, str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise EeveeError(f"{source}: line {number} is no JSON") from None
        if not isinstance(found, dict):
            raise EeveeError(f"{source}: line {number} is no JSON object; write one object a line")
        rows.append((number, _flat(found)))
    return _laid_out(rows, most)


def array_records(text: str, most: float = math.inf) -> list[Record] | None:
    """Return a header and a row per object of a JSON array, None where a text is none.

    Examples
    --------
    >>> array_records('[{"model": "x", "a": 1.5}, {"model": "y", "a": 2}]')
    [(1, ['model', 'a']), (1, ['x', '1.5']), (2, ['y', '2'])]
    >>> array_records('[1, 2]') is None
    True
    """
    if text.lstrip()[:1] != "[":
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if len(found) < 2 or not all(isinstance(one, dict) and one for one in found):
        return None
    return _laid_out([(i, _flat(one)) for i, one in enumerate(found, start=1)], most)


def _laid_out(rows: Sequence[tuple[int, dict[str, str]]], most: float) -> list[Record]:
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    if len(names) * len(rows) > most:
        raise TooLarge
    return [(1, names), *((n, [row.get(name, "") for name in names]) for n, row in rows)]


def _flat(found: dict[str, Any], before: str = "") -> dict[str, str]:
    cells: dict[str, str] = {}
    for key, value in found.items():
        name = f"{before}{key}".strip()
        if isinstance(value, dict):
            held = not before and name.casefold() in _HOLDERS and not set(value) & set(found)
            cells |= _flat(value, "" if held else f"{name}.")
        elif isinstance(value, list):
            cells[name] = json.dumps(value, ensure_ascii=False)
        else:
            cells[name] = _text(value)
    return cells


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
