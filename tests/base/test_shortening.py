"""Names that are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eevee.base.shortening import all_shortened, shortened

ALIKE = [
    *("Snowflake/snowflake-arctic-embed-l", "Snowflake/snowflake-artic2-embed-l"),
    *("Snowflake/snowflake-arctic-embed-l-v2.0", "org/x"),
]


@given(
    st.lists(st.text(alphabet="abc", max_size=20), max_size=12),
    st.integers(min_value=8, max_value=16),
)
def test_names_that_differ_stay_different_and_fit(names: list[str], limit: int):
    cut = all_shortened(names, limit)
    assert len(cut) == len(names)
    assert len(set(cut)) == len(set(names))
    assert all(len(one) <= limit for one in cut)
    assert all(one == name for one, name in zip(cut, names, strict=True) if len(name) <= limit)


@pytest.mark.parametrize("limit", [12, 16])
def test_names_that_would_look_alike_are_cut_elsewhere(limit: int):
    assert len({shortened(name, limit) for name in ALIKE}) < len(ALIKE)
    cut = all_shortened(ALIKE, limit)
    assert len(set(cut)) == len(ALIKE)
    assert cut[-1] == "org/x"


def test_a_hundred_names_that_no_cut_tells_apart_are_numbered():
    names = ["x" * (40 + i) for i in range(100)]
    assert len(set(all_shortened(names, 10))) == 100
