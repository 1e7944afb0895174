"""Files are replaced whole, links and devices stay, and killed runs leave nothing for long."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.base.files import replacing, temporary_name

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and devices")


def write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text)


def ended_process() -> int:
    """The number of a process that is no more."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_an_error_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "before")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "a.txt") as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "before"


@POSIX
def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "link.txt").symlink_to("inner/real.txt")
    for text in ("first", "second"):
        write(tmp_path / "link.txt", text)
        assert (tmp_path / "link.txt").is_symlink()
        assert (tmp_path / "inner" / "real.txt").read_text() == text


@POSIX
def test_a_loop_of_links_and_a_folder_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "loop", tmp_path):
        with pytest.raises(EeveeError, match="cannot be written") as caught:
            write(path, "text")
        assert "\n" not in str(caught.value)


@POSIX
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe, "through")
    reader.join(timeout=10)
    assert said == ["through"]
    assert pipe.is_fifo()


@POSIX
def test_a_device_stays_a_device() -> None:
    """As root, a rename would put a file in the place of /dev/null, for everyone."""
    before = os.stat("/dev/null")
    with pytest.MonkeyPatch.context() as patch:
        replaced: list[object] = []
        patch.setattr(os, "replace", lambda *paths: replaced.append(paths))  # risk nothing
        write(Path("/dev/null"), "gone")
    assert replaced == []
    assert os.stat("/dev/null").st_rdev == before.st_rdev


@POSIX
def test_what_a_killed_process_left_goes_and_what_another_writes_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    mine = temporary_name(target, "")
    left = tmp_path / mine.replace(f"-{os.getpid()}.", f"-{ended_process()}.")
    alive = tmp_path / mine.replace(f"-{os.getpid()}.", f"-{os.getppid()}.")
    elsewhere = tmp_path / f".a.txt.00000000-{ended_process()}.tmp"
    of_other = tmp_path / left.name.replace("a.txt", "b.txt")
    for path in (left, alive, elsewhere, of_other, tmp_path / mine):
        path.write_text("half")
    write(target, "whole")
    stay = {alive.name, elsewhere.name, of_other.name, "a.txt"}
    assert {path.name for path in tmp_path.iterdir()} == stay
