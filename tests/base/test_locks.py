"""A lock keeps other processes out, says who has it, and outlives nobody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.base.locks import locked

fcntl = pytest.importorskip("fcntl")
NAME = ".run.eevee-lock"


def test_what_another_process_holds_is_refused_with_its_name(tmp_path: Path) -> None:
    """An open file of its own is to the system what another process is."""
    with (tmp_path / NAME).open("w") as other:
        other.write("process 4711 on there")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        said = pytest.raises(EeveeError, match=r"process 4711 on there.*give another --out")
        with said as caught, locked(tmp_path / "run"):
            raise AssertionError("two have it")
        assert "\n" not in str(caught.value)
    with locked(tmp_path / "run"):
        pass


def test_the_file_of_a_dead_process_locks_nothing_and_goes(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("process 4711 on there, and much more than is written now")
    with locked(tmp_path / "run"):
        assert (tmp_path / NAME).read_text().startswith(f"process {os.getpid()} on ")
        assert "more" not in (tmp_path / NAME).read_text()
    assert not list(tmp_path.iterdir())


def test_it_is_let_go_after_an_error_and_nests(tmp_path: Path) -> None:
    with pytest.raises(KeyError), locked(tmp_path / "run"), locked(tmp_path / "run"):
        raise KeyError
    with locked(tmp_path / "run"), locked(tmp_path / "other"):
        assert len(list(tmp_path.iterdir())) == 2


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    (tmp_path / NAME).symlink_to(mine)
    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "run"):
        pass
    assert mine.read_text() == "mine"
