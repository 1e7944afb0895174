from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from eevee.base.errors import EeveeError
from eevee.readers import read_table
from eevee.readers.new_scores import read_new_scores
from eevee.tables.results_table import ResultsTable


@pytest.fixture
def table() -> ResultsTable:
    frame = pd.DataFrame(
        {
            "a.acc": [1.0, 2, 4, 3],
            "b": [5.0, 1, 2, 3],
            "c.f1": [1.0, 0, 1, 2],
            "c.acc": [3.0, 2, 1, 1],
        }
    )
    return read_table(frame.rename(index=str))


def test_one_model_with_one_score_is_enough(table: ResultsTable, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("model,b\nx,3.5\n")
    found = read_new_scores(tmp_path / "new.csv", table)
    pd.testing.assert_frame_equal(found, pd.DataFrame({"b": [3.5]}, index=["x"]))


def test_columns_of_long_files_find_their_names_by_benchmark_and_metric(
    table: ResultsTable, tmp_path: Path
) -> None:
    (tmp_path / "new.csv").write_text(
        "model,benchmark,metric,score\nx,a,acc,1\nx,b,score,2\nx,c,f1,3\nx,c,acc,4\nx,d,acc,5\n"
    )
    found = read_new_scores(tmp_path / "new.csv", table)
    assert set(table.scores.columns) <= set(found.columns)
    assert found.loc["x", ["a.acc", "b", "c.f1", "c.acc"]].tolist() == [1, 2, 3, 4]


def test_a_lone_score_is_not_one_of_several_metrics(table: ResultsTable) -> None:
    found = read_new_scores(pd.DataFrame({"a": [1.0], "c": [2.0]}, index=["x"]), table)
    assert list(found.columns) == ["a.acc", "c"]


def test_constant_columns_and_odd_names_stay() -> None:
    frame = pd.DataFrame({"date": [1.0, 2, 3, 4], "average": [2.0, 1, 4, 3]}).rename(index=str)
    names = pd.DataFrame({"benchmark": ["date", "average"], "role": "score"})
    table = read_table(frame, benchmarks=names)
    found = read_new_scores(pd.DataFrame({"date": [1.0, 1], "average": [2.0, 2]}), table)
    assert list(found.columns) == ["date", "average"]


def test_a_cell_that_is_no_number_is_named(table: ResultsTable, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("model,b,a.acc\nx,3.5,1\ny,2,great\nz,1,2\n")
    with pytest.raises(EeveeError, match=r"new\.csv: row 3, column 'a\.acc'"):
        read_new_scores(tmp_path / "new.csv", table)
