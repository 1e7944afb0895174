from __future__ import annotations

import numpy as np
import pytest

from eevee.measures import leep, nce
from tests.measures.conftest import Fixture, made, one_hot


def plain_leep(probs: np.ndarray, labels: np.ndarray) -> float:
    """Loops over rows, as the formula reads."""
    n, z = probs.shape
    joint = np.zeros((labels.max() + 1, z))
    for i in range(n):
        joint[labels[i]] += probs[i] / n
    marginal = joint.sum(axis=0)
    return float(
        np.mean([np.log(np.sum(joint[labels[i]] / marginal * probs[i])) for i in range(n)])
    )


def entropy(labels: np.ndarray) -> float:
    shares = np.bincount(labels) / len(labels)
    return float(-(shares * np.log(shares)).sum())


def test_leep_and_nce_agree_with_the_references(known: Fixture):
    assert leep(known.source_probs, known.labels).value == pytest.approx(
        known.numbers["thuml_leep"], abs=1e-9
    )
    assert nce(known.source_probs, known.labels).value == pytest.approx(
        known.numbers["thuml_nce_hard"], abs=1e-9
    )
    of_mixture = leep(known.gmm_probs, known.labels).value
    assert of_mixture == pytest.approx(-known.numbers["pactran_nleep_on_gmm_probs"], abs=2e-9)


def test_leep_is_the_formula_in_loops():
    data = made(70, 2, 4, seed=1)
    assert leep(data.source_probs, data.labels).value == pytest.approx(
        plain_leep(data.source_probs, data.labels), rel=1e-12
    )


def test_leep_of_one_hot_probabilities_is_nce_and_minus_the_conditional_entropy():
    data = made(80, 2, 3, seed=2)
    source = data.source_probs.argmax(axis=1)
    hard = one_hot(source, 5)
    joint = np.histogram2d(source, data.labels, bins=(5, 3))[0] / 80
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = joint * np.log(joint / joint.sum(axis=1, keepdims=True))
    expected = np.nansum(terms)
    assert leep(hard, data.labels).value == pytest.approx(expected, abs=1e-12)
    assert nce(data.source_probs, data.labels).value == pytest.approx(expected, abs=1e-12)


def test_a_perfect_source_has_leep_0_and_one_that_tells_nothing_minus_the_entropy():
    labels = np.arange(30) % 3
    assert leep(one_hot(labels[::-1] + 1, 4), labels[::-1]).value == 0
    uninformative = np.full((30, 4), 0.25)
    assert leep(uninformative, labels).value == pytest.approx(-np.log(3), abs=1e-12)
    uneven = np.array([0] * 20 + [1] * 10)
    assert leep(uninformative, uneven).value == pytest.approx(-entropy(uneven), abs=1e-12)


def test_a_source_class_without_mass_changes_nothing():
    data = made(60, 2, 3)
    wider = np.insert(data.source_probs, 2, 0.0, axis=1)
    assert leep(wider, data.labels).value == leep(data.source_probs, data.labels).value


def test_leep_does_not_depend_on_the_order_of_rows_or_of_source_classes():
    data = made(60, 2, 3)
    rows, columns = np.random.default_rng(0).permutation(60), [4, 2, 0, 1, 3]
    shuffled = leep(data.source_probs[rows][:, columns], data.labels[rows]).value
    assert shuffled == pytest.approx(leep(data.source_probs, data.labels).value, rel=1e-12)
