"""The weights file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import eevee
from eevee.readers.weights import read_weights


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weights.csv"


@pytest.mark.parametrize(
    "text",
    [
        "benchmark,weight\na,2\nb,0\n",
        "benchmark;weight\na;2,0\nb;0,0\n",
        "Weight\tbenchmark\n2\ta\n0e5\tb\n",
        "\ufeffbenchmark,weight\n a , 2 \n\nb,0\n",
    ],
)
def test_rows_are_read(path: Path, text: str):
    path.write_text(text, encoding="utf-8")
    assert read_weights(path) == {"a": 2.0, "b": 0.0}


def test_a_frame_is_read_like_a_file():
    frame = pd.DataFrame({"benchmark": ["a", "b"], "weight": [2, 0.5]})
    assert read_weights(frame) == {"a": 2.0, "b": 0.5}
    assert read_weights(frame.set_index("benchmark")) == {"a": 2.0, "b": 0.5}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("benchmark,weight\na,-1\n", ["row 2", "column 'weight'", "'-1'", "0 leaves"]),
        ("benchmark,weight\na,1\nb,\n", ["row 3", "column 'weight'", "no weight"]),
        ("benchmark,weight\na,nan\n", ["row 2", "column 'weight'", "no weight"]),
        ("benchmark,weight\na,inf\n", ["row 2", "column 'weight'", "infinite"]),
        ("benchmark,weight\na,much\n", ["row 2", "column 'weight'", "'much'"]),
        ("benchmark,weight\na,1\na,2\n", ["row 3", "column 'benchmark'", "'a'", "already"]),
        ("benchmark,weight,why\na,1,x\n", ["first row", "header benchmark,weight"]),
        ("a,1\nb,2\n", ["first row", "header benchmark,weight", "a, 1"]),
        ("benchmark\na\n", ["weights.csv"]),
        ("", ["empty"]),
    ],
)
def test_bad_rows_are_named(path: Path, text: str, parts: list[str]):
    path.write_text(text)
    with pytest.raises(eevee.EeveeError) as caught:
        read_weights(path)
    message = str(caught.value)
    assert message.startswith("weights.csv: ")
    assert "\n" not in message
    assert all(part in message for part in parts), message


def test_a_missing_file_is_named(path: Path):
    with pytest.raises(eevee.EeveeError, match=r"weights\.csv"):
        read_weights(path)
