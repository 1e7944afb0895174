"""Changes of files: of bytes, of a table's cells, of the values of a JSON tree."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD = [
    "", " ", "nan", "inf", "-", "1e308", "-1e308", "1e-320", "1e999", "0x1F", "1,5", "1.013,5", "½",
    "5 ± 1", "**3**", "3 (0.4)", "=1+1", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "\x00", '"', "'",
    "\r", "|", "model", "cost", "score", "average", "a", "m1", "↓", "-1", "#DIV/0!", "1e3", "½%",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, 10**30, -(10**400), 0.5, -0.0, 1e308, 1e-320, float("nan"),
    float("inf"), "", " ", "a", "nan", "1", "\x1b[31m", "\u202e", "a" * 2000, "9" * 5000, [], {},
    [[]], [None], {"a": None}, {"": {}}, [1, "a", None], ["a"] * 500,
]  # fmt: skip


def change_bytes(content: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or put in a few bytes."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) + 1)
        what = rng.randrange(5)
        if what == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del changed[at : at + rng.randint(1, 30)]
        elif what == 2:
            changed[at:at] = changed[at : at + 40] * rng.randint(1, 20)
        elif what == 3:
            del changed[at:]
        else:
            changed[at:at] = rng.randbytes(rng.randint(1, 6))
    return bytes(changed)


def change_cells(content: bytes, rng: random.Random) -> bytes:
    """Change a few cells, rows, columns or the order of them."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        at = rng.randrange(len(row) + 1)
        what = rng.randrange(8)
        if what == 0:
            row[at : at + 1] = [rng.choice(ODD)]
        elif what == 1:
            row[at : at + 1] = [long_cell(rng)]
        elif what == 2:
            rows.append(list(row))
        elif what == 3:
            rng.shuffle(rows)
        elif what == 4:
            row.insert(at, rng.choice(ODD))
        elif what == 5:
            del row[at:]
        elif what == 6:
            same = rng.choice(ODD)
            for other in rows:
                other[at : at + 1] = [same]
        else:
            for other in rows:
                other.insert(at, other[at - 1] if at <= len(other) and other else "")
    return "\n".join(map(",".join, rows)).encode(errors="surrogatepass")


def long_cell(rng: random.Random) -> str:
    """A long run of one letter, or of two, with something at its ends: it shows slow patterns."""
    run = "".join(rng.choices("1 _.,(±\u202f\"'-0eE%*[]{}\\/aA\u0301", k=rng.choice([1, 1, 2])))
    ends = rng.choice(["", "1", "x", "5 "]), rng.choice(["", "x", "*", ")"])
    return ends[0] + run * rng.choice([50, 900, 20_000]) + ends[1]


def deep_nest(rng: random.Random) -> bytes:
    """Brackets in brackets, as JSON and YAML both have them."""
    depth = rng.choice([60, 900, 3000, 100_000])
    return b"[" * depth + b"]" * depth


def change_tree(tree: Any, rng: random.Random) -> Any:
    """Change a few values or keys of a JSON tree."""
    for _ in range(rng.randint(1, 2)):
        holders = list(_holders(tree))
        if not holders:
            break
        holder, key = rng.choice(holders)
        what = rng.randrange(7)
        if what <= 2:
            holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
        elif what == 3:
            del holder[key]
        elif what == 4:
            other, place = rng.choice(holders)
            holder[key] = copy.deepcopy(other[place])
        elif what == 5 and isinstance(holder, dict):
            name = rng.choice([*ODD, "name", "schema"])
            holder[name] = copy.deepcopy(rng.choice(ODD_VALUES))
        else:
            for _ in range(rng.choice([1, 40, 120])):
                holder[key] = [holder[key]]
    return tree


def _holders(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Each container of a tree with each of its keys."""
    for key in _keys(tree):
        yield tree, key
        yield from _holders(tree[key])


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []
