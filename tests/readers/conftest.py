"""Small files to read: written to a folder of their own, read with one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eevee

Read = Callable[..., eevee.ResultsTable]
Fails = Callable[..., str]

BASE = "model,a,b,c\nm1,1,2,3\nm2,2,3,5\nm3,4,1,2\nm4,3,3,3.5\n"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write text (or bytes) as a file and read it as a table."""

    def read_text(text: str | bytes, name: str = "scores.csv", **options: Any):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return eevee.read_table(path, **options)

    return read_text


@pytest.fixture
def fails(read: Read) -> Fails:
    """Read a file that must be refused; return the message, which is one line."""

    def message(text: str | bytes, name: str = "scores.csv", **options: Any) -> str:
        with pytest.raises(eevee.EeveeError) as caught:
            read(text, name, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return message


def notes_of(table: eevee.ResultsTable) -> list[str]:
    return [f"{note.action} {note.kind} {note.name}" for note in table.provenance.notes]
