from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eevee.scorers.mlp.initial import keyed_uniform

NAMES = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5, unique=True)


@given(names=NAMES, data=st.data())
@pytest.mark.slow
def test_a_columns_draw_does_not_depend_on_the_columns_around_it(names, data) -> None:
    order = data.draw(st.permutations(names))
    together = keyed_uniform((0, 0, "input"), names, 2, 3)
    for i, name in enumerate(names):
        other = keyed_uniform((0, 0, "input"), order, 2, 3)[:, order.index(name)]
        np.testing.assert_array_equal(together[:, i], other)


def test_seed_initialisation_layer_and_name_each_give_another_draw() -> None:
    keys = [(0, 0, "input"), (1, 0, "input"), (0, 1, "input"), (0, 0, "output"), (10, 0, "input")]
    drawn = [keyed_uniform(key, [name], 2, 4) for key in keys for name in ("a", "b")]
    assert len({array.tobytes() for array in drawn}) == len(drawn)


def test_splits_differ_and_more_splits_begin_with_the_same() -> None:
    few, many = (keyed_uniform((0, 0, "input"), ["a"], n, 5) for n in (2, 6))
    np.testing.assert_array_equal(few, many[:2])
    assert len(np.unique(many, axis=0)) == 6


def test_draws_are_uniform_between_minus_one_and_one() -> None:
    drawn = keyed_uniform((3, 0, "input"), ["a", "b"], 20, 1000)
    assert np.abs(drawn).max() <= 1.0
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.var() - 1 / 3) < 0.01


def test_no_names_give_an_empty_array() -> None:
    assert keyed_uniform((0, 0, "flag"), [], 3, 7).shape == (3, 0, 7)
