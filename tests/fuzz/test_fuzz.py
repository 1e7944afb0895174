"""The short form of `make fuzz`: a few changes of each kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.checkpoints import fuzz_checkpoints
from tests.fuzz.fuzz_readers import fuzz
from tests.fuzz.kinds import kinds

KINDS = kinds()


@pytest.mark.parametrize("name", KINDS)
def test_changed_files_give_a_result_or_one_line(tmp_path: Path, name: str) -> None:
    ends = fuzz(tmp_path, KINDS[name], 24, seed=1)
    assert min(ends["read"], ends["refused"]) > 0  # neither always nor never


def test_changed_checkpoints_give_the_same_result_or_one_line(tmp_path: Path) -> None:
    ends = fuzz_checkpoints(tmp_path, 12, seed=1)
    assert min(ends["read"], ends["refused"]) > 0
