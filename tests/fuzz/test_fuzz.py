from __future__ import annotations

from pathlib import Path

from tests.fuzz.fuzz_readers import KINDS, fuzz


def test_changed_files_give_a_result_or_one_line(tmp_path: Path) -> None:
    ends = fuzz(tmp_path, 40, seed=1)
    assert sum(ends.values()) == 40 * len(KINDS)
    assert min(ends["read"], ends["refused"]) > len(KINDS)  # neither always nor never
