"""Every input is read in bounded memory and time, or refused with the option that allows it."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.base.errors import did_you_mean
from eevee.readers.cells import CellError, parse_cell
from eevee.readers.headers import read_header, without_markup
from eevee.tables.bounds import parse_bounds
from eevee.tables.column_names import is_aggregate, is_attribute, split_names, stderr_target
from tests.readers.conftest import BASE, Fails, Read

ALLOW = "raise the limit (max_mb, --max-mb)"


@contextmanager
def quickly(share: float = 1.0) -> Iterator[None]:
    """In processor time, and as a multiple of a loop on this machine: minutes are far above it."""
    begun = time.process_time()
    sum(i * i for i in range(2_000_000))
    pace = time.process_time() - begun
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 40 * share * pace


@contextmanager
def within(megabytes: float) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_small_gzip_file_cannot_become_a_large_text(fails: Fails) -> None:
    packed = gzip.compress(BASE.encode() + b"\n" * 60_000_000)
    assert len(packed) < 100_000
    with quickly(), within(10):
        assert ALLOW in fails(packed, max_mb=2)


@pytest.mark.slow
def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse.csv"
    with path.open("wb") as file:
        file.truncate(3 * 10**9)
    with quickly(), within(5), pytest.raises(eevee.EeveeError) as caught:
        eevee.read_table(path)
    said = f"sparse.csv: has more than 100 MB of text; if that is meant, {ALLOW}"
    assert str(caught.value) == said


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs an endless file")
def test_an_endless_file_is_refused() -> None:
    with within(10), pytest.raises(eevee.EeveeError, match="has more than 2 MB of text"):
        eevee.read_table("/dev/zero", max_mb=2)


@pytest.mark.parametrize("filler", ["\n", ",,,,\n", "a,b\n"])
@pytest.mark.slow
def test_cells_and_empty_lines_are_counted(fails: Fails, filler: str) -> None:
    with quickly(1.5), within(30):
        assert "has more than 0.1 million cells; if" in fails(BASE + filler * 105_000, max_mb=1)


def test_the_option_raises_the_limit(read: Read, fails: Fails) -> None:
    wide = BASE + "m5,1,2,3\n" + "\n" * 150_000
    assert "has more than 0.1 million cells" in fails(wide, max_mb=1)
    assert read(wide, max_mb=2).n_models == 5
    with pytest.raises(eevee.EeveeError, match="max_mb must be positive"):
        read(BASE, max_mb=0)


@pytest.mark.parametrize("what", ["costs", "benchmarks", "models"])
def test_the_limit_is_of_files_beside_the_scores_too(read: Read, tmp_path: Path, what: str) -> None:
    beside = tmp_path / "beside.csv"
    beside.write_text("model,benchmark,cost\n" + "\n" * 150_000)
    with pytest.raises(eevee.EeveeError, match=r"beside.csv: has more than 0.1 million cells"):
        read(BASE, max_mb=1, **{what: beside})


CELLS = {
    "spaces": "1" + " " * 5000 + "x",
    "digits": "1" * 50_000 + "x",
    "dots": "1." * 20_000,
    "commas": "1," * 20_000 + "x",
    "note": "5" + " " * 3000 + "shots",
    "star": "0.5" + " " * 3000 + "*",
    "sign": "1 ± " + " " * 3000 + "x",
    "bracket": "1 (" + "2" * 20_000,
    "narrow spaces": "1" + "\u202f" * 5000 + "x",
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("decimal_comma", [True, False])
def test_no_cell_takes_long(cell: str, decimal_comma: bool) -> None:
    with quickly(), pytest.raises(CellError) as caught:
        parse_cell(cell, decimal_comma)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("run", ["_", " ", "(", "[(", "a ", "mean ", "x.", "1", "Aa", "stderr "])
def test_no_name_takes_long(run: str) -> None:
    """As long as a name may be."""
    name = (run * 1000)[:1000]
    with quickly():
        for _ in range(20):
            for tell in (is_aggregate, is_attribute, lambda one: split_names([one, f"{one}.x"])):
                tell(name)
            stderr_target(name, [name])


@pytest.mark.parametrize("run", [" ", "(", "-", "[[", ": ", "\\up", "<br", "&a", "](", "**", "<a "])
def test_no_header_and_no_markup_takes_long(run: str) -> None:
    with quickly():
        for end in ("", "x", ")"):
            read_header("a" + (run * 1000)[:998] + end)
            read_header((run * 30_000)[:30_000] + end)
            without_markup((run * 30_000)[:30_000] + end)


def test_a_long_cell_above_the_header_takes_no_time(fails: Fails) -> None:
    with quickly():
        fails(f"other,0.5,,70%\nmodel,a,{'(' * 20_000},c\nx,1,2,3\n")


@pytest.mark.parametrize("said", ["1" * 50_000, "[" + " " * 5000 + "1", "1" + " " * 50_000 + "to"])
def test_no_bounds_take_long(said: str) -> None:
    with quickly(), pytest.raises(eevee.EeveeError, match="are no bounds"):
        parse_bounds(said, "here")


def test_a_name_that_nobody_can_have_meant_is_refused(fails: Fails) -> None:
    with quickly():
        long = "b" * 20_000
        assert "column 3 has 20000 letters" in fails(BASE.replace("b", long, 1))
        assert "row 6: the name of the model has 20000 letters" in fails(BASE + f"{long},1,2,3\n")


def test_near_misses_of_many_names_are_looked_for_among_few() -> None:
    frame = pd.DataFrame(
        np.random.default_rng(0).normal(size=(5, 1000)),
        index=list("vwxyz"),
        columns=[f"bench{i:05d}xyz" for i in range(1000)],
    )
    with quickly(10), pytest.raises(eevee.EeveeError, match="neither rows nor columns"):
        eevee.read_table(frame, costs={f"queue{i:05d}w": 1 for i in range(1000)})
    with quickly():
        assert did_you_mean("x" * 100_000, ["x" * 100_001]) == ""


@pytest.mark.slow
def test_a_wide_sparse_table_is_read_in_seconds(tmp_path: Path) -> None:
    """As large as the widest published leaderboards: 662 models x 1,553 benchmarks."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(662, 1553)).round(4)
    values[rng.random(values.shape) < 0.9] = np.nan
    names = [f"task {j}" for j in range(1553)]
    path = tmp_path / "scores.csv"
    made = pd.DataFrame(values, [f"m{i}" for i in range(662)], names)
    made.rename_axis("model").to_csv(path)
    with quickly(10):
        assert eevee.read_table(path).scores.shape == values.shape


@pytest.mark.parametrize("speed", [1e308, 10**400, float("inf"), -1.0, 0])
def test_speeds_that_no_sum_can_hold_are_refused(read: Read, speed: float) -> None:
    costs = pd.DataFrame({"benchmark": list("abc"), "cost": 10.0, "gpu": "h100"})
    with pytest.raises(eevee.EeveeError, match=r"the speed of 'h100' is .*at most 1e\+100"):
        read(BASE, costs=costs, gpu_speeds={"h100": speed})


@pytest.mark.parametrize("cost", [1e308, 4.3e307, 1e101])
def test_costs_that_no_sum_can_hold_are_refused(read: Read, cost: float) -> None:
    with pytest.raises(eevee.EeveeError, match="count in a larger unit"):
        read(BASE, costs={"a": cost, "b": cost, "c": cost})
    cells = pd.DataFrame(cost, index=["m1", "m2"], columns=list("abc"))
    with pytest.raises(eevee.EeveeError, match="count in a larger unit"):
        read(BASE, costs=cells)
    assert read(BASE, costs={"a": 1e100, "b": 1e100, "c": 1e100}).total_cost == 3e100


def test_column_names_of_unequal_depth_are_read_or_refused(read: Read) -> None:
    """pandas lets tuples stand beside plain names."""
    frame = pd.DataFrame(np.arange(10.0).reshape(5, 2) ** 2 % 7, index=list("abcde"))
    frame.columns = pd.Index([("x", "acc"), "y"], tupleize_cols=False)
    assert eevee.read_table(frame).scores.shape == (5, 2)
