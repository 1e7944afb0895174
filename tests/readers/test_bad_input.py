"""Bad input ends with one line that names file, row and column, and says what to do."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eevee
from tests.readers.conftest import BASE, Fails, Read

BAD: list[tuple[str | bytes, list[str]]] = [
    ("", ["empty"]),
    ("\n \n", ["empty"]),
    ("model,a,b\n", ["header row"]),
    ("a\nb\nc\n", ["not a table", "one column"]),
    (b"model,a\0,b\n1,2,3\n", ["not a text file"]),
    (bytes(range(256)), ["line 2", "UTF-8"]),
    ("model,\xe9\nx,1\n".encode("latin-1"), ["line 1", "UTF-8"]),
    (b"PK\x03\x04abc", ["Excel", "CSV"]),
    ('[{"a": 1}]', ["JSON"]),
    ("<html></html>", ["HTML"]),
    (gzip.compress(BASE.encode())[:30], ["gzip", "damaged"]),
    (BASE + "m5,1,2\n", ["row 6", "3 cells", "4"]),
    (BASE + "m5,1,2,3,4\n", ["row 6", "5 cells"]),
    (BASE + '"m5,1,2,3\n', ["row 6", "quotation mark"]),
    (BASE + "m5,1,foo,3\n", ["row 6, column 'b'", "'foo'", "leave the cell empty"]),
    (BASE + "m5,1,94.2/92.3,3\n", ["row 6, column 'b'", "two numbers"]),
    (BASE + "m5,1,-inf,3\n", ["row 6, column 'b'", "infinite"]),
    (BASE + '"m\n5",1,2,3\n', ["row 6", "line break"]),
    (BASE + '"m5 ",1,2,3\n\n"m6\x07",1,2,3\n', ["row 8", "control character"]),
    (BASE + ",1,2,3\n", ["row 6", "no name"]),
    (BASE.replace(",b,", ",,"), ["header row", "column 3", "no name"]),
    (BASE + "m2,1,2,3\n", ["'m2'", "rows 3 and 6", "duplicates"]),
    (BASE.replace("b", "a"), ["columns 2 and 3", "'a'"]),
    ("model,a\nm1,x\nm2,y\nm3,z\nm4,x\n", ["no numeric column", "'a'"]),
    ("model,params\nm1,1\nm2,2\nm3,3\nm4,4\n", ["no numeric column", "'params'"]),
    ("model,a,b\nm1,1,2\nm2,2,1\nm3,3,4\n", ["3 models", "at least 4"]),
    ("Metric,m1,m2\nmmlu,1,2\narc,2,1\nx,3,4\ny,4,1\n", ["'Metric'", "transpose"]),
    ("model\ta\tb\nm1\t0,8\t1.5\nm2\t0,7\t2\nm3\t0,1\t5\nm4\t0,2\t6\n", ["row 2", "decimal comma"]),
]


@pytest.mark.parametrize(
    ("text", "parts"), BAD, ids=[part[-1] + str(i) for i, (_, part) in enumerate(BAD)]
)
def test_the_message_says_where_and_what(fails: Fails, text: str | bytes, parts: list[str]):
    message = fails(text)
    assert message.startswith("scores.csv: ")
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"layout": "tall"}, ["layout", "tall", "wide"]),
        ({"duplicates": "max"}, ["duplicates", "mean"]),
        ({"min_coverage": 1.5}, ["min_coverage", "1.5"]),
        ({"min_coverage": -0.1}, ["min_coverage"]),
        ({"min_coverage": float("nan")}, ["min_coverage"]),
        ({"cost_unit": " "}, ["cost_unit"]),
        ({"model_column": "zz"}, ["'zz'", "'model', 'a', 'b'"]),
        ({"model_column": "model,zz"}, ["'zz'"]),
        ({"benchmark_column": "zz"}, ["'zz'"]),
        ({"score_column": "a"}, ["benchmark_column"]),
        ({"layout": "long"}, ["benchmark_column"]),
        ({"layout": "two-header-rows"}, ["row 2", "no header row"]),
    ],
)
def test_wrong_options_are_refused(fails: Fails, options: dict[str, Any], parts: list[str]):
    message = fails(BASE, **options)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize("source", ["/no/such/scores.csv", "a\0b", "x" * 300, 3, None, ["a"]])
def test_what_is_no_file_is_refused(source: Any):
    with pytest.raises(eevee.EeveeError):
        eevee.read_table(source)


def test_a_folder_is_refused(tmp_path: Path):
    with pytest.raises(eevee.EeveeError, match="is a folder"):
        eevee.read_table(tmp_path)


def test_lines_are_counted_as_an_editor_counts_them(fails: Fails):
    text = 'model,"a"\n\n"m1",1\nm2,"2\n"\nm3,3\r\nm4,oops\n'
    assert "row 7, column 'a': 'oops'" in fails(text)


def test_frames_are_refused_like_files():
    for frame, part in (
        (pd.DataFrame({"a": [1.0, float("inf"), 2, 3]}, index=list("wxyz")), "row 2, column 'a'"),
        (pd.DataFrame({"a": [1.0, 2, 3, 4]}, index=list("wxxz")), "rows 2 and 3"),
        (pd.DataFrame({"a": [1.0, 2]}, index=list("wx")), "2 models"),
        (pd.DataFrame(), "numeric"),
    ):
        with pytest.raises(eevee.EeveeError, match=part):
            eevee.read_table(frame)


def test_huge_integers_and_quoted_names_are_fine(read: Read):
    table = read(f'model,"a, ""x"""\nm1,{10**40}\nm2,2\nm3,3\nm4,4\n')
    assert list(table.scores) == ['a, "x"']
    assert table.scores.iloc[0, 0] == 1e40
