"""Names that no one can tell apart are named, with what is not seen of them."""

from __future__ import annotations

import pytest

from eevee.readers.lookalikes import look_of
from tests.readers.conftest import Read

ROWS = "\n".join(f"m{i},{i * 7 % 5},{i * 3 % 7},{i * 5 % 11}" for i in range(7))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mmlu", "mm\u200blu"),
        ("mmlu", "mmlu\ufe0f"),
        ("mmlu", "\u202emmlu\u202c"),
        ("caf\u00e9", "cafe\u0301"),
        ("a b", "a\u00a0b"),
        ("mmlu", "mmlu\u3164"),
        ("ceval", "\u0441eval"),
    ],
)
def test_names_of_one_look_are_named(read: Read, one: str, other: str) -> None:
    table = read(f"model,{one},{other},third\n{ROWS}\n")
    notes = [note for note in table.provenance.notes if "looks like" in note.why]
    assert [(note.action, note.kind) for note in notes] == [("guessed", "benchmark")]
    assert ascii(notes[0].name) in notes[0].why
    assert notes[0].why.isascii() or "caf" in notes[0].why


@pytest.mark.parametrize("odd", ["m9\u200b", "\u202em9", "m\u00ad9", "m9\u2800"])
def test_hidden_characters_of_a_model_are_named(read: Read, odd: str) -> None:
    table = read(f"model,a,b,c\n{ROWS}\n{odd},1,2,3\n")
    notes = [note for note in table.provenance.notes if note.kind == "model"]
    assert [note.name for note in notes] == [odd]
    assert "holds characters that are not shown (U+" in notes[0].why


def test_plain_names_get_no_note(read: Read) -> None:
    table = read(f"model,caf\u00e9,数据,MMLU\n{ROWS}\n")
    assert not [note for note in table.provenance.notes if "shown" in note.why]
    assert len({look_of(name) for name in ("MMLU", "mmlu", "mm_lu", "mm lu")}) == 4
