"""The diversity coefficient and how often its interval covers."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures.diversity_coefficient import diversity
from tests.measures.conftest import FIXTURES


def tasks(n: int, seed: int, d: int = 1) -> np.ndarray:
    """Distances of tasks that are points."""
    points = np.random.default_rng(seed).normal(size=(n, d))
    return np.linalg.norm(points[:, None] - points, axis=2)


def test_the_value_is_the_mean_over_pairs_and_the_error_that_of_leaving_out_tasks():
    table = tasks(9, 0)
    found = diversity(table)
    pairs = [table[i, j] for i, j in combinations(range(9), 2)]
    assert found.value == pytest.approx(np.mean(pairs), rel=1e-12)
    without = []
    for left in range(9):
        kept = [i for i in range(9) if i != left]
        without.append(np.mean([table[i, j] for i, j in combinations(kept, 2)]))
    expected = np.sqrt(8 / 9 * np.sum((without - np.mean(without)) ** 2))
    assert found.stderr == pytest.approx(expected, rel=1e-10)
    assert found.high - found.value == pytest.approx(found.value - found.low, rel=1e-10)
    assert (found.n_tasks, found.higher_is_better, found.bound) == (9, True, "exact")


def test_the_jackknife_covers_where_pairs_taken_as_independent_do_not():
    truth = 2 / np.sqrt(np.pi)  # of two standard normals
    covered = {"paper": 0, "reference": 0}
    for seed in range(250):
        table = tasks(20, seed)
        for convention in covered:
            found = diversity(table, convention=convention)
            covered[convention] += found.low <= truth <= found.high
    assert covered["paper"] / 250 >= 0.9
    assert covered["reference"] / 250 < 0.75


def test_the_fixture_is_reproduced_in_both_conventions():
    path = FIXTURES / "diversity.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    known = json.loads(path.read_text())
    table = np.array(known["ref_pdist"]["cosine"])
    found = diversity(table)
    assert found.value == pytest.approx(known["diversity_coefficient"], rel=1e-9)
    assert found.stderr == pytest.approx(known["jackknife_se"], rel=1e-9)
    released = diversity(table, convention="reference")
    half = known["ci95_pairs_as_iid(ultimate-utils style)"]
    assert released.high - released.value == pytest.approx(half, rel=1e-9)


def test_the_released_code_leaves_out_pairs_at_distance_zero():
    table = tasks(5, 1)
    table[0, 1] = table[1, 0] = 0
    known, released = diversity(table), diversity(table, convention="reference")
    assert released.value == pytest.approx(known.value * 10 / 9, rel=1e-12)


def test_the_order_of_tasks_does_not_count_and_nothing_is_changed():
    table = tasks(12, 2)
    order = np.random.default_rng(0).permutation(12)
    copy = table.copy()
    assert diversity(table).stderr == pytest.approx(diversity(table[order][:, order]).stderr)
    assert np.array_equal(table, copy)


def test_bad_input_is_an_error():
    good = tasks(4, 0)
    uneven = good.copy()
    uneven[0, 1] += 1
    for wrong, said in (
        (good[:2, :2], "at least 3"),
        (good[:3], "tasks x tasks"),
        ([[0.0, 1.0], [1.0]], "lengths"),
        (uneven, "not symmetric"),
        (good + 1, "from itself"),
        (-good, "0 or more"),
        (np.where(good > 0.3, np.nan, good), "finite"),
    ):
        with pytest.raises(EeveeError, match=said):
            diversity(wrong)
    with pytest.raises(EeveeError, match="level must"):
        diversity(good, level=95)
    with pytest.raises(EeveeError, match="convention must"):
        diversity(good, convention="code")  # type: ignore[arg-type]
    with pytest.raises(EeveeError, match="all distances are 0"):
        diversity(np.zeros((4, 4)), convention="reference")
    assert diversity(np.zeros((4, 4))).stderr == 0
