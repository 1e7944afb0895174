from __future__ import annotations

from pathlib import Path

from tests.fuzz.fuzz_harness import fuzz
from tests.readers.harness.samples import SAMPLES


def test_changed_results_give_a_table_or_one_line(tmp_path: Path) -> None:
    ends = fuzz(tmp_path, 4, seed=2)
    assert sum(ends.values()) == 4 * len(SAMPLES)
    assert min(ends["read"], ends["refused"]) > 3  # neither always nor never
