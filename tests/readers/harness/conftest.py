"""Small results of harnesses, written as the harness writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eevee
from eevee.readers.harness import Files, find_format, harvest
from eevee.readers.harness.rows import Harvest

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the folder `results`: text as it is, anything else as JSON."""

    def write_one(name: str, content: Any) -> Path:
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path / "results"

    return write_one


def read_as(source: Path, name: str) -> Harvest:
    """Read a source, whose format must be told from its content."""
    files = Files(source)
    chosen = find_format(files)
    assert chosen is not None
    assert name == chosen.NAME
    return harvest(files, chosen)


def scores(found: Harvest) -> dict[tuple[str, str, str], float]:
    return {row.cell: row.score for row in found.rows}


def said(table: eevee.ResultsTable) -> str:
    return "; ".join(f"{note.action} {note.name}: {note.why}" for note in table.provenance.notes)
