"""One source in each format: read whole, and with anything in it changed."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eevee
from eevee.readers.harness import NAMES, Files, find_format
from eevee.readers.harness.sources import gather
from eevee.readers.harness.values import number
from tests.cli.conftest import run_in_process
from tests.readers.harness.conftest import said
from tests.readers.harness.samples import MODELS, SAMPLES, VALUES, Content, lay_out, places

DOCS = Path(__file__).parents[3] / "docs" / "files.md"
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.sampled_from(["", "N/A", "nan", "1e999", "-", "\n", "\x1b[2J", "a" * 2000, "0.5", "all"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


def test_there_is_a_sample_of_each_format():
    assert tuple(SAMPLES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_format_is_told_and_gives_all_its_scores(name: str, tmp_path: Path):
    root = lay_out(tmp_path / "out", SAMPLES[name])
    chosen = find_format(Files(root))
    assert chosen is not None
    assert name == chosen.NAME
    table = eevee.read_table(root)
    assert table.n_models == len(MODELS)
    assert sorted(table.scores.to_numpy().ravel()) == sorted(VALUES.values())
    if len(SAMPLES[name]) == 1:
        (file,) = (path for path in root.rglob("*") if path.is_file())
        assert eevee.read_table(file).scores.equals(table.scores)


def examples() -> dict[str, str]:
    """Return the example of each format in the documentation."""
    row = r"^\| `([\w-]+)` \|.*\| `eevee describe (\S+)` \|$"
    return dict(re.findall(row, DOCS.read_text(), re.MULTILINE))


def test_each_format_has_an_example_in_the_documentation():
    assert set(examples()) == set(NAMES)


@pytest.mark.parametrize(("name", "path"), examples().items())
def test_examples_of_the_documentation_work(
    name: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sample = SAMPLES[name]
    if "." in path:
        ((_, content),) = sample.items()
        lay_out(tmp_path, {path: content})
    else:
        lay_out(tmp_path / path, sample)
    monkeypatch.chdir(tmp_path)
    assert f"(--from {name})" in run_in_process("describe", path).stdout


@pytest.mark.parametrize("name", NAMES)
def test_import_keeps_all_that_a_table_has(name: str, tmp_path: Path):
    root = lay_out(tmp_path / "out", SAMPLES[name])
    gather([root]).write_csv(tmp_path / "all.csv")
    direct, again = eevee.read_table(root), eevee.read_table(tmp_path / "all.csv")
    assert again.scores.equals(direct.scores)
    assert again.benchmarks.equals(direct.benchmarks)
    assert again.columns.equals(direct.columns)


@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_changed_source_gives_scores_that_are_in_it_or_one_line(
    name: str, tmp_path: Path, data: st.DataObject
):
    sample = copy.deepcopy(SAMPLES[name])
    file = data.draw(st.sampled_from(sorted(sample)))
    sample[file] = change(sample[file], data)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    root = lay_out(tmp_path / "out", sample)
    begun = time.process_time()
    told = ""
    try:
        rows = gather([root], on_conflict="first").rows
        assert name == "mteb" or {row.score for row in rows} <= set(numbers(sample))
        eevee.read_table(root)
    except eevee.EeveeError as error:
        told = str(error)
    assert "\n" not in told
    assert time.process_time() - begun < 5


def change(content: Any, data: st.DataObject) -> Any:
    """Put something else in one place: of JSON, of a table, of bytes."""
    if isinstance(content, bytes):
        at = data.draw(st.integers(0, len(content) - 1))
        return content[:at] + data.draw(st.binary(max_size=3)) + content[at + 1 :]
    if isinstance(content, str):
        rows = [line.split(",") for line in content.splitlines()]
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, len(row) - 1))] = str(data.draw(ODD))
        return "\n".join(map(",".join, rows)) + "\n"
    place = data.draw(st.sampled_from(sorted(places(content), key=str)))
    if not place:
        return data.draw(ODD)
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if data.draw(st.booleans()) and isinstance(inner, dict):
        inner[data.draw(st.text(max_size=5))] = inner.pop(place[-1])
    else:
        inner[place[-1]] = data.draw(ODD)
    return content


def numbers(content: Any) -> Iterator[float]:
    """Return all numbers that are in a source, also those in text."""
    if isinstance(content, bytes):
        yield from VALUES.values()
        yield from (float(digit) for digit in range(10))
    elif isinstance(content, dict | list):
        for inner in content.values() if isinstance(content, dict) else content:
            yield from numbers(inner)
    elif isinstance(content, str) and "," in content:
        for row in csv.reader(io.StringIO(content)):
            yield from numbers(list(row))
    elif not math.isnan(number(content)):
        yield number(content)


def test_sources_merge_and_a_model_is_added_to_a_table(tmp_path: Path):
    table = tmp_path / "table.csv"
    eevee.read_table(lay_out(tmp_path / "out", SAMPLES["opencompass"])).scores.to_csv(table)
    one = SAMPLES["opencompass"]
    (name,) = one
    added = lay_out(
        tmp_path / "new", {name: one[name].replace("ada", "new").replace("bel", "new2")}
    )
    found = gather([table, added], on_conflict="error")
    assert found.n_models == len(MODELS) + 2
    assert found.formats == ("table", "opencompass")


def test_unlike_versions_of_sources_are_named(tmp_path: Path):
    content: Content = copy.deepcopy(SAMPLES["mteb"])
    for path, one in content.items():
        if path.startswith("ada/") and "task_name" in one:
            one |= {"mteb_version": "1.9", "dataset_revision": "d0"}
    found = gather([lay_out(tmp_path / "out", content)])
    said = json.dumps([vars(note) for note in found.notes])
    assert "mteb 1.9 (1 model: ada)" in said
    assert said.count("d0 (1 model: ada)") == 3


def test_another_format_in_a_folder_is_named_and_can_be_read(tmp_path: Path):
    root = lay_out(tmp_path / "out", SAMPLES["lm-eval"])
    lay_out(root / "more", SAMPLES["mteb"])
    table = eevee.read_table(root)
    assert "holds results of mteb too" in said(table)
    assert len(gather([root], format="mteb").rows) == len(VALUES)
