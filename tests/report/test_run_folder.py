"""The run folder: whole or not at all, and what was there stays until the new one is."""

from __future__ import annotations

import csv
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eevee
from eevee.base.files import temporary_name
from eevee.report.out import CONFIG, check_out
from eevee.report.run_folder import (
    check_name,
    hash_files,
    plain,
    run_folder,
    write_config,
    write_json,
    write_table,
)
from tests.base.test_files import ended_process


def finish(out: Path, **files: str) -> None:
    with run_folder(out) as folder:
        write_config(folder, "test", {})
        for name, text in files.items():
            (folder / name).write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_appears_at_once_when_it_is_whole(tmp_path: Path):
    out = tmp_path / "run"
    with run_folder(out) as folder:
        (folder / "a").write_text("1")
        assert not out.exists()
        assert folder.parent == out.parent
    assert names(out) == ["a"]
    assert names(tmp_path) == ["run"]


def test_a_new_run_replaces_an_earlier_one_whole(tmp_path: Path):
    out = tmp_path / "run"
    finish(out, **{"ranking.csv": "1"})
    finish(out, new="2")
    assert names(out) == [CONFIG, "new"]
    assert names(tmp_path) == ["run"]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
def test_a_failure_inside_leaves_everything_as_it_was(tmp_path: Path, error: type[BaseException]):
    finish(tmp_path / "run", **{"ranking.csv": "1"})

    def fail(out: Path) -> None:
        with run_folder(out) as folder:
            (folder / "half").write_text("2")
            raise error("inside")

    with pytest.raises(eevee.EeveeError if error is OSError else error, match="inside"):
        fail(tmp_path / "run")
    assert names(tmp_path / "run") == [CONFIG, "ranking.csv"]
    with pytest.raises(eevee.EeveeError if error is OSError else error, match="inside"):
        fail(tmp_path / "new" / "deep" / "run")
    assert names(tmp_path) == ["run"]


@pytest.mark.parametrize("error", [OSError(5, "I/O error"), KeyboardInterrupt()])
@pytest.mark.parametrize("place", [0, 1])
def test_a_failure_while_renaming_puts_the_earlier_run_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, place: int
):
    finish(tmp_path / "run", **{"ranking.csv": "1"})
    rename, calls = Path.rename, []

    def failing(self: Path, target: Any) -> Path:
        calls.append(self)
        if len(calls) == place + 1:
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises((eevee.EeveeError, KeyboardInterrupt)):
        finish(tmp_path / "run", new="2")
    assert names(tmp_path / "run") == [CONFIG, "ranking.csv"]
    assert names(tmp_path) == ["run"]


@pytest.mark.parametrize("theirs", ["figures/mine.png", "subsets.csv/mine.txt", "tiers.yaml"])
def test_only_files_that_a_run_wrote_are_replaced(tmp_path: Path, theirs: str):
    """Names that a run may have are no licence: only what the earlier run lists is replaced."""
    out = tmp_path / "run"
    with run_folder(out) as folder:
        write_config(folder, "test", {})
        (folder / "figures").mkdir()
        (folder / "figures" / "cost.png").write_text("drawn")
    (out / theirs).parent.mkdir(exist_ok=True)
    (out / theirs).write_text("mine")
    for attempt in (check_out, finish):
        with pytest.raises(eevee.EeveeError, match=f"holds '{theirs}', which would be lost"):
            attempt(out)
    assert (out / theirs).read_text() == "mine"
    (out / theirs).unlink()
    if theirs.startswith("subsets"):
        (out / "subsets.csv").rmdir()
    finish(out, new="2")
    assert names(out) == [CONFIG, "new"]


def test_a_run_lists_its_files(tmp_path: Path):
    finish(tmp_path / "run", a="1", b="2")
    content = json.loads((tmp_path / "run" / CONFIG).read_text())
    assert content["files"] == ["a", "b", CONFIG]


def test_the_current_folder_and_those_above_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    for out in (".", "..", "../a", "../a/../a", str(tmp_path / "a"), "/"):
        with pytest.raises(eevee.EeveeError, match="holds the folder that you are in"):
            check_out(out)
    assert names(tmp_path) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_loop_of_links_is_one_line(tmp_path: Path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(eevee.EeveeError, match="loop: cannot be written"):
        check_out(tmp_path / "loop")


def left_by_a_killed_run(target: Path) -> Path:
    """A temporary folder as a process that is no more leaves it."""
    name = temporary_name(target, "abc.").replace(f"-{os.getpid()}.", f"-{ended_process()}.")
    (target.parent / name).mkdir()
    return target.parent / name


def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path):
    left = left_by_a_killed_run(tmp_path / "run")
    (left / "half.csv").write_text("half")
    finish(tmp_path / "run", new="2")
    assert names(tmp_path) == ["run"]


def test_a_run_that_a_killed_one_had_put_aside_comes_back(tmp_path: Path):
    """Killed between the two renames: the earlier run is all that there is."""
    finish(tmp_path / "run", mine="1")
    left = left_by_a_killed_run(tmp_path / "run")
    (tmp_path / "run").rename(left / "earlier")
    check_out(tmp_path / "run")
    assert names(tmp_path) == ["run"]
    assert (tmp_path / "run" / "mine").read_text() == "1"


def test_a_path_that_is_no_utf8_can_be_written_down(tmp_path: Path):
    write_json(tmp_path / "a.json", {"file": "bad\udce9.csv", "bad\udce9": 1})
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "file": "bad\\udce9.csv", "bad\\udce9": 1
    }  # fmt: skip


def test_folders_above_are_made_and_stay(tmp_path: Path):
    finish(tmp_path / "a" / "b" / "run", x="1")
    assert (tmp_path / "a/b/run/x").is_file()


def test_an_empty_folder_is_taken(tmp_path: Path):
    (tmp_path / "run").mkdir()
    finish(tmp_path / "run", x="1")
    assert names(tmp_path / "run") == [CONFIG, "x"]


def test_a_link_to_a_run_stays_a_link(tmp_path: Path):
    finish(tmp_path / "run", **{"ranking.csv": "1"})
    (tmp_path / "latest").symlink_to(tmp_path / "run", target_is_directory=True)
    finish(tmp_path / "latest", new="2")
    assert (tmp_path / "latest").is_symlink()
    assert names(tmp_path / "run") == [CONFIG, "new"]


@pytest.mark.parametrize(
    "config", [None, "", "{", "[]", "{}", '{"schema": "other/1"}', '"eevee.run/1"']
)
def test_a_folder_that_is_no_run_is_refused_and_untouched(tmp_path: Path, config: str | None):
    (tmp_path / "mine").write_text("mine")
    if config is not None:
        (tmp_path / CONFIG).write_text(config)
    before = names(tmp_path)
    for attempt in (check_out, finish):
        with pytest.raises(eevee.EeveeError, match="no earlier run; give another --out"):
            attempt(tmp_path)
    assert names(tmp_path) == before


def test_checking_writes_nothing(tmp_path: Path):
    for out in ("run", "a/b/run"):
        assert check_out(tmp_path / out) == tmp_path / out
    assert names(tmp_path) == []


def test_what_cannot_be_a_folder_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for out in ("file", "file/run", "file/deep/run"):
        with pytest.raises(eevee.EeveeError, match=r"file: is a file"):
            check_out(tmp_path / out)
    with pytest.raises(eevee.EeveeError, match="cannot be written"):
        check_out(tmp_path / ("x" * 300))


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="file permissions bind no administrator"
)
def test_a_folder_without_permission_is_refused(tmp_path: Path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(eevee.EeveeError, match="cannot be written: Permission denied"):
        check_out(tmp_path / "locked" / "run")


@pytest.mark.skipif(os.name != "posix", reason="file permissions")
def test_others_may_read_a_run_as_they_may_any_new_folder(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    finish(tmp_path / "run")
    assert (tmp_path / "run").stat().st_mode == (tmp_path / "plain").stat().st_mode


@given(st.text(max_size=80) | st.from_regex(r"[\w.-]{1,70}", fullmatch=True))
def test_a_checked_name_is_one_safe_part_of_a_path(name: str):
    with suppress(eevee.EeveeError):
        assert check_name(name) == name
        assert Path("x", name).parent == Path("x")
        assert name.isascii()
        assert not name.startswith((".", "-"))
        assert not set(name) & set('/\\:*?"<>| \n\0')


@pytest.mark.parametrize("name", ["a", "small-1", "v1.5_b", "x" * 64])
def test_plain_names_are_taken(name: str):
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-a", "a b", "a\n", "x" * 65, "ä"])
def test_other_names_are_refused(name: str):
    with pytest.raises(eevee.EeveeError, match="letters, digits"):
        check_name(name)


def test_tables_are_read_back_by_pandas(tmp_path: Path):
    frame = pd.DataFrame(
        {
            "benchmarks": [("a, b", 'c"d'), ("ü",)],
            "cost": [0.1 + 0.2, 1 / 3],
            "loss": [0.123456789, np.nan],
            "task": ["x", None],
            "size": [2, 1],
            "exact": [True, False],
        }
    )
    write_table(tmp_path / "t.csv", frame)
    back = pd.read_csv(tmp_path / "t.csv")
    assert back["benchmarks"].map(json.loads).map(tuple).tolist() == [("a, b", 'c"d'), ("ü",)]
    assert back["cost"].tolist() == [0.3, 0.333333333333]
    assert back["loss"].tolist()[0] == 0.123457
    assert back["loss"].isna().tolist() == [False, True]
    assert back["task"].isna().tolist() == [False, True]
    assert back["size"].tolist() == [2, 1]
    assert back["exact"].tolist() == [True, False]
    with open(tmp_path / "t.csv", newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 3


def test_json_holds_plain_values_and_null_for_nan(tmp_path: Path):
    content = {
        "a": np.float32("nan"),
        "b": [np.int64(1), float("inf"), np.bool_(True)],
        "c": np.arange(2.0),
        3: {"d": ("ü", None)},
    }
    write_json(tmp_path / "x.json", content)
    back = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert back == {"a": None, "b": [1, None, True], "c": [0.0, 1.0], "3": {"d": ["ü", None]}}
    assert plain(back) == back


def test_files_are_named_by_their_content(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    found = hash_files({"scores": tmp_path / "a", "costs": tmp_path})
    assert found["scores"] == {"file": str(tmp_path / "a"), "sha256": empty}
    assert found["costs"]["sha256"] is None


def test_config_names_the_versions(tmp_path: Path):
    import torch

    write_config(tmp_path, "tiers", {"seed": 3})
    config = json.loads((tmp_path / CONFIG).read_text())
    assert (config["command"], config["seed"]) == ("tiers", 3)
    assert config["created_with"] == f"eevee {eevee.__version__}"
    assert config["versions"]["torch"] == torch.__version__


def test_a_folder_with_anything_else_in_it_is_never_replaced(tmp_path: Path):
    """Notes beside an earlier run would be lost with it."""
    with run_folder(tmp_path / "run") as folder:
        write_config(folder, "rank", {})
    (tmp_path / "run" / "notes.md").write_text("mine")
    with pytest.raises(eevee.EeveeError, match=r"holds 'notes\.md', which would be lost"):
        check_out(tmp_path / "run")
    assert (tmp_path / "run" / "notes.md").read_text() == "mine"
