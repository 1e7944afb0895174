"""Drafts of mapping files: what is near is proposed, what is the same is taken."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.exporters import draft
from eevee.exporters.draft import draft_mapping, list_tasks
from eevee.exporters.exporting import export
from eevee.exporters.format import Listing
from eevee.exporters.mapping import load_mapping
from eevee.exporters.registry import FORMATS, find_format
from tests.exporters.conftest import tiers_of

TIERS = tiers_of(small=["gsm8k", "ARC Easy", "zzz"])
KNOWN = ["arc_easy", "gsm8k", "gsm8k_cot", "mmlu"]


def test_only_equal_names_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    left = draft_mapping(TIERS, path, to="lm-eval", names=KNOWN)
    assert left == {"ARC Easy": ["arc_easy"], "zzz": []}
    assert load_mapping(path).tasks == {
        "gsm8k": "gsm8k",
        "ARC Easy": {"task": None, "proposed": ["arc_easy"]},
        "zzz": {"task": None, "proposed": []},
    }


def test_a_draft_is_no_mapping_until_it_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    draft_mapping(TIERS, path, to="lm-eval", names=KNOWN)
    with pytest.raises(EeveeError, match="'ARC Easy', 'zzz': has no task yet"):
        export(TIERS, to="lm-eval", out=tmp_path / "out", mapping=path)
    path.write_text(path.read_text().replace("task: null", "task: arc_easy", 1))
    path.write_text(path.read_text().replace("task: null", "task: mmlu", 1))
    export(TIERS, to="lm-eval", out=tmp_path / "out", mapping=path)


def test_a_draft_replaces_no_file(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("mine")
    with pytest.raises(EeveeError, match="exists"):
        draft_mapping(TIERS, path, to="lm-eval", names=KNOWN)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("to", [one.name for one in FORMATS if one.listing])
def test_a_harness_that_is_not_there_is_named_with_the_command_that_installs_it(to: str) -> None:
    listing = find_format(to).listing
    assert listing is not None
    absent = replace(find_format(to), listing=replace(listing, package="no_such_package_xyz"))
    with pytest.raises(EeveeError) as error:
        list_tasks(absent)
    assert listing.install in str(error.value)
    assert "==" in listing.install


def test_a_harness_without_a_list_says_so() -> None:
    with pytest.raises(EeveeError, match="text has no list of tasks"):
        list_tasks(find_format("text"))


def with_code(code: str) -> Listing:
    return Listing("json", "pip install json", code)


@pytest.mark.parametrize(
    "code", ["raise ValueError('network')", "names = [", "import os; os._exit(0)"]
)
def test_a_harness_that_fails_is_one_error(code: str) -> None:
    broken = replace(find_format("text"), listing=with_code(code))
    with pytest.raises(EeveeError, match="json cannot list its tasks"):
        list_tasks(broken)


def test_names_come_from_the_python_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "print('noise'); import sys; names = [sys.executable]"
    asked = replace(find_format("text"), listing=with_code(code))
    assert list_tasks(asked, sys.executable) == [sys.executable]
    with pytest.raises(EeveeError, match="/no/python: cannot be run"):
        list_tasks(asked, "/no/python")
    monkeypatch.setattr(draft, "_SECONDS", 0.01)
    with pytest.raises(EeveeError, match="did not list its tasks"):
        list_tasks(replace(asked, listing=with_code("import time; time.sleep(9)")))
