"""`--table table.toml`: reading options in a file, written by `describe --save`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("here")

ReadJson = Callable[..., Any]


def test_what_describe_saves_reads_the_same_table_from_anywhere(
    run: Run, read_json: ReadJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Path.cwd()
    Path("tables").mkdir()
    Path("costs.csv").write_text("benchmark,cost\n" + "".join(f"b0{i},{i + 1}\n" for i in range(8)))
    given = ("--costs", "costs.csv", "--cost-unit", 'h "ours"', "--min-coverage", 0.5)
    wanted = read_json("describe", "small.csv", *given, "--save", "tables/small.toml")
    saved = tomllib.loads(Path("tables/small.toml").read_text(encoding="utf-8"))
    assert saved == {"costs": "../costs.csv", "cost-unit": 'h "ours"', "min-coverage": 0.5}
    monkeypatch.chdir("tables")
    assert read_json("describe", here / "small.csv", "--table", "small.toml") == wanted
    more = read_json("describe", here / "small.csv", "--table", "small.toml", "--cost-unit", "h")
    assert more["cost_unit"] == "h"  # the command line counts more
    found = read_json(
        "select", here / "small.csv", "--table", "small.toml", "--budget", 3, "--scorer", "ridge"
    )
    assert found["cost_unit"] == 'h "ours"'


def test_a_table_file_keeps_roles_missing_words_and_what_is_left_out(
    run: Run, read_json: ReadJson
) -> None:
    lines = Path("small.csv").read_text(encoding="utf-8").splitlines()
    first = lines[1].split(",")
    lines[1] = ",".join([first[0], "-1", *first[2:]])
    Path("odd.csv").write_text("\n".join([*lines, "human" + ",1" * 8]), encoding="utf-8")
    given = (
        "--column", "b03=lower", "--column", "b0[45]=text", "--drop-columns", "b06",
        "--drop-models", "hum*", "--missing", "b00=-1", "--missing", "OOM",
    )  # fmt: skip
    wanted = read_json("describe", "odd.csv", *given, "--save", "odd.toml")
    saved = tomllib.loads(Path("odd.toml").read_text(encoding="utf-8"))
    assert saved["column"] == ["b03=lower", "b0[45]=text"]
    assert saved["missing"] == ["b00=-1", "OOM"]
    assert read_json("describe", "odd.csv", "--table", "odd.toml") == wanted
    assert {row["column"] for row in wanted["table"]}.isdisjoint({"b04", "b05", "b06"})
    assert "human" not in wanted["model_coverage"]
    assert wanted["coverage"] < 1
    found = run("rank", "odd.csv", "--table", "odd.toml", "--scorer", "ridge").stdout
    assert "b03" in found
    assert "b06" not in found


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("cost-unitt = 'h'", "'cost-unitt' is no reading option (did you mean 'cost-unit'?)"),
        ("scores = 'x.csv'", "'scores' is no reading option"),
        ("costs = 3 4", "is no TOML"),
        ("costs = ['a', 'b']", "costs: give a text or number, not ['a', 'b']"),
        ("keep-aggregates = 'yes'", "keep-aggregates: give true or false, not 'yes'"),
        ("min-coverage = true", "min-coverage: give a text or number, not True"),
    ],
)
def test_a_file_that_says_something_else_ends_with_one_line(
    run: Run, content: str, why: str
) -> None:
    Path("t.toml").write_text(content, encoding="utf-8")
    done = run("describe", "small.csv", "--table", "t.toml", code=1)
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_table_file_and_a_bad_name_are_named(run: Run) -> None:
    assert "t.toml: cannot be read" in run("rank", "small.csv", "--table", "t.toml", code=1).stderr
    assert "must end in .toml" in run("describe", "small.csv", "--save", "t.csv", code=1).stderr
