"""What the source promises about its own shape."""

from __future__ import annotations

import ast
from itertools import combinations
from pathlib import Path

import eevee

SOURCE = Path(eevee.__file__).parent
MOST_LINES = 400
MOST_SHARED = 5


def _functions() -> list[tuple[str, frozenset[str]]]:
    return [
        (
            f"{path.relative_to(SOURCE)}:{node.name}",
            frozenset(one.arg for one in node.args.args + node.args.kwonlyargs) - {"self", "cls"},
        )
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]


def test_no_long_list_of_parameters_is_written_in_more_than_two_functions() -> None:
    long = [one for one in _functions() if len(one[1]) > MOST_SHARED]
    assert len(long) > 20
    for three in combinations(long, 3):
        shared = frozenset.intersection(*(names for _, names in three))
        assert len(shared) <= MOST_SHARED, ([name for name, _ in three], sorted(shared))


def test_modules_are_short_and_few_stand_outside_of_rooms() -> None:
    for path in SOURCE.rglob("*.py"):
        assert len(path.read_text().splitlines()) <= MOST_LINES, path
    assert len(list(SOURCE.glob("*.py"))) <= 5
