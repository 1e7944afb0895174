"""JSON lines: one object per row, its keys the columns; nested keys are joined by dots."""

from __future__ import annotations

import json
import math
from typing import Any

from eevee.base.bounded import TooLarge
from eevee.base.errors import EeveeError

Record = tuple[int, list[str]]


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
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    if len(names) * len(rows) > most:
        raise TooLarge
    return [(1, names), *((n, [row.get(name, "") for name in names]) for n, row in rows)]


def _flat(found: dict[str, Any], before: str = "") -> dict[str, str]:
    cells: dict[str, str] = {}
    for key, value in found.items():
        name = f"{before}{key}".strip()
        if isinstance(value, dict):
            cells |= _flat(value, f"{name}.")
        elif isinstance(value, list):
            cells[name] = json.dumps(value, ensure_ascii=False)
        else:
            cells[name] = _text(value)
    return cells


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
