"""Any table, written in any way, reads back as the same numbers."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import eevee
from eevee.readers.cells import CellError, is_missing, parse_cell
from eevee.readers.headers import read_header
from eevee.readers.no_models import of_benchmarks
from eevee.tables.column_names import is_aggregate, is_attribute, split_names, stderr_target

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")
LAYOUTS = ("wide", "long", "two-header-rows")
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))
numbers = st.one_of(
    st.none(), st.floats(-1e6, 1e6, allow_nan=False), st.integers(-1000, 1000).map(float)
)


def holds_text(name: str) -> bool:
    try:
        parse_cell(name)
    except CellError as wrong:
        return wrong.kind == "text"
    return False


def is_fit(name: str) -> bool:
    """A name that says nothing but a name."""
    return (
        name == name.strip()
        and not is_missing(name)
        and holds_text(name)
        and not is_attribute(name)
        and not is_aggregate(name)
        and read_header(f"{name}.x").direction is None
        and of_benchmarks(name, np.array([1000.0])) is None
        and name.casefold() not in {"model", "score", "task", "metric", "benchmark", "cost"}
        and "." not in name
    )


names = st.one_of(
    st.text(LETTERS, min_size=1, max_size=8),
    st.sampled_from(
        ['a,b "c"', "x;y", "tab|bar", "'q'", "数学 v2", "naïve", '"', "a/b", "ImageNet 1k"]
    ),
).filter(is_fit)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    models = draw(st.lists(names, min_size=5, max_size=8, unique_by=str.casefold))
    benchmarks = draw(st.lists(names, min_size=2, max_size=5, unique_by=str.casefold))
    metrics = draw(st.lists(st.sampled_from(["acc", "loss", "f1"]), min_size=1, unique=True))
    columns = [f"{benchmark}.{metric}" for benchmark in benchmarks for metric in metrics]
    rows = [[draw(numbers) for _ in columns] for _ in models]
    frame = pd.DataFrame(np.array(rows, dtype=np.float64), index=models, columns=columns)
    frame.iloc[:4] = frame.iloc[:4].where(frame.iloc[:4].notna(), 0.5)
    assume((frame.std(ddof=0) > 1e-9).all())
    assume(not any(stderr_target(name, columns) for name in columns))
    return frame


def written(frame: pd.DataFrame, layout: str, delimiter: str, quoting: int) -> str:
    owners = split_names(list(frame.columns))
    records: list[list[object]]
    cells = [["" if np.isnan(x) else repr(float(x)) for x in row] for row in frame.to_numpy()]
    if layout == "wide":
        records = [["model", *frame.columns]]
    elif layout == "two-header-rows":
        records = [
            ["model", *(owners[c][0] for c in frame)],
            ["metric", *(owners[c][1] for c in frame)],
        ]
    if layout == "long":
        records = [["model", "benchmark", "metric", "score"]]
        for name, row in zip(frame.index, cells, strict=True):
            records += [[name, *owners[c], x] for c, x in zip(frame.columns, row, strict=True)]
    else:
        records += [[name, *row] for name, row in zip(frame.index, cells, strict=True)]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting).writerows(records)
    return out.getvalue()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    frame=tables(),
    layout=st.sampled_from(LAYOUTS),
    delimiter=st.sampled_from(",\t;|"),
    encoding=st.sampled_from(ENCODINGS),
    zipped=st.booleans(),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
@pytest.mark.slow
def test_a_written_table_reads_back_the_same(
    frame: pd.DataFrame, layout: str, delimiter: str, encoding: str, zipped: bool, quoting: int
):
    raw = written(frame, layout, delimiter, quoting).encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_bytes(gzip.compress(raw) if zipped else raw)
        table = eevee.read_table(path, keep_aggregates=True)
    kept = frame.dropna(how="all")
    pd.testing.assert_frame_equal(table.scores, kept, check_names=False, check_exact=True)
    owners = split_names(list(frame.columns))
    assert [tuple(row) for row in table.columns[["benchmark", "metric"]].to_numpy()] == [
        owners[name] for name in frame.columns
    ]
    assert (table.columns["direction"] == "lower").tolist() == [
        name.endswith("loss") for name in frame.columns
    ]


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(frame=tables())
@pytest.mark.slow
def test_a_dataframe_and_its_csv_give_the_same_table(frame: pd.DataFrame):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        frame.to_csv(path, index_label="model")
        from_file = eevee.read_table(path)
    from_frame = eevee.read_table(frame)
    pd.testing.assert_frame_equal(from_file.scores, from_frame.scores)
    pd.testing.assert_frame_equal(from_file.columns, from_frame.columns)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(frame=tables(), seed=st.randoms(use_true_random=False))
@pytest.mark.slow
def test_the_order_of_columns_changes_no_benchmark_unit_or_direction(frame: pd.DataFrame, seed):
    shuffled = list(frame.columns)
    seed.shuffle(shuffled)
    one, other = eevee.read_table(frame), eevee.read_table(frame[shuffled])
    assert one.benchmark_names == other.benchmark_names
    pd.testing.assert_frame_equal(one.scores[shuffled], other.scores)
    pd.testing.assert_series_equal(one.units[shuffled], other.units)


@settings(max_examples=300, deadline=None)
@given(raw=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_a_table_or_one_clear_line(raw: bytes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_bytes(raw)
        message = "scores.csv: a table"
        try:
            eevee.read_table(path)
        except eevee.EeveeError as wrong:
            message = str(wrong)
    assert message.startswith("scores.csv: ")
    assert len(message.splitlines()) == 1


CELLS = st.sampled_from(["m1", "m2", "", "-", "1", "2.5", "3", "inf", "x", '"', "a.acc", "average"])


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=8))
@pytest.mark.slow
def test_any_grid_is_a_table_or_one_clear_line(rows: list[list[str]]):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_text("\n".join(map(",".join, rows)))
        message = ""
        try:
            eevee.read_table(path)
        except eevee.EeveeError as wrong:
            message = str(wrong)
    assert len(message.splitlines()) <= 1
