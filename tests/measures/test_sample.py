"""Bad input ends in one line; good input is never changed, and its order does not matter."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import (
    Measure,
    Sample,
    hscore,
    leep,
    linear,
    linear_valid,
    logme,
    nce,
    nleep,
    pactran_dirichlet,
    pactran_gamma,
    pactran_gaussian,
    transrate,
)
from tests.measures.conftest import made

OF_FEATURES: dict[str, Callable[..., Measure]] = {
    "h-score": hscore,
    "h-score-regularised": partial(hscore, regularised=True),
    "linear": linear,
    "linear-valid": linear_valid,
    "logme": logme,
    "n-leep": nleep,
    "pactran-gaussian": pactran_gaussian,
    "transrate": transrate,
}
OF_PROBABILITIES: dict[str, Callable[..., Measure]] = {
    "leep": leep,
    "nce": nce,
    "pactran-dirichlet": pactran_dirichlet,
    "pactran-gamma": pactran_gamma,
}
BOTH = [(f, "features") for f in OF_FEATURES.values()]
BOTH += [(f, "source_probs") for f in OF_PROBABILITIES.values()]
IDS = [*OF_FEATURES, *OF_PROBABILITIES]
FEATURES = np.random.default_rng(0).normal(size=(6, 2))
LABELS = [0, 1, 0, 1, 0, 1]


def with_value(value: float) -> np.ndarray:
    changed = FEATURES.copy()
    changed[1, 1] = value
    return changed


@pytest.mark.parametrize("function", OF_FEATURES.values(), ids=OF_FEATURES)
@pytest.mark.parametrize(
    ("features", "labels", "said"),
    [
        (FEATURES, [1] * 6, "1 classes"),
        (FEATURES, range(6), "6 rows of as many classes"),
        (FEATURES, LABELS[:5], "6 rows, but 5 labels"),
        (FEATURES, [[0, 1]] * 3, "one per row"),
        (FEATURES, [0, 1, 0.5, 1, 0, 1], "whole numbers or text"),
        (FEATURES, [0, 1, np.nan, 1, 0, 1], "none missing"),
        (FEATURES, np.array([None] * 6), "whole numbers or text, not object"),
        (np.ones((6, 2)), LABELS, "constant"),
        (with_value(np.nan), LABELS, "row 2, column 2 is nan"),
        (with_value(np.inf), LABELS, "row 2, column 2 is inf"),
        (with_value(1e200), LABELS, "rescale"),
        (FEATURES * 1e-200, LABELS, "rescale"),
        (FEATURES[:, 0], LABELS, "rows x columns"),
        (FEATURES[:, :0], LABELS, "rows x columns"),
        (FEATURES.astype(complex), LABELS, "must be numbers"),
        (FEATURES.astype(str), LABELS, "must be numbers"),
    ],
)
def test_bad_features_and_labels_are_refused_in_one_line(
    function: Callable[..., Measure], features: np.ndarray, labels: list[int], said: str
):
    with pytest.raises(EeveeError, match=said) as error:
        function(features, labels)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("function", OF_PROBABILITIES.values(), ids=OF_PROBABILITIES)
@pytest.mark.parametrize(
    ("probs", "said"),
    [
        ([[0.5, 0.4]] * 6, "row 1 has the sum 0.9"),
        ([[1.5, -0.5]] * 6, "least value -0.5"),
        ([[np.nan, 1.0]] * 6, "row 1, column 1 is nan"),
        ([[0.0, 0.0]] * 6, "sum 0 "),
        ([[0.5, 0.5]] * 5, "5 rows, but 6 labels"),
    ],
)
def test_probabilities_that_are_none_are_refused(
    function: Callable[..., Measure], probs: list[list[float]], said: str
):
    with pytest.raises(EeveeError, match=said):
        function(probs, LABELS)


@pytest.mark.parametrize(("function", "given"), BOTH, ids=IDS)
def test_inputs_are_never_changed(function: Callable[..., Measure], given: str):
    data = made(40, 6, 3)
    array = getattr(data, given)
    before, labels = array.copy(), data.labels.copy()
    array.flags.writeable = data.labels.flags.writeable = False
    function(array, data.labels, n_groups=3)
    np.testing.assert_array_equal(array, before)
    np.testing.assert_array_equal(data.labels, labels)


@pytest.mark.parametrize(("function", "given"), BOTH, ids=IDS)
def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(
    function: Callable[..., Measure], given: str
):
    data = made(60, 6, 3)
    array = getattr(data, given)
    rows = np.random.default_rng(1).permutation(60)
    names = np.array(["zebra", "ant", "mouse"])[data.labels]
    expected = function(array, data.labels).value
    if function not in (linear_valid, nleep):  # which draw by place
        assert function(array[rows], names[rows]).value == pytest.approx(expected, rel=1e-6)
    assert function(array, data.labels.astype(float)).value == expected


@pytest.mark.parametrize(("function", "given"), BOTH, ids=IDS)
def test_a_measure_of_float32_and_of_columns_in_memory_order_is_the_same(
    function: Callable[..., Measure], given: str
):
    data = made(60, 6, 3)
    single = getattr(data, given).astype(np.float32)
    expected = function(single.astype(np.float64), data.labels).value
    assert function(single, data.labels).value == expected
    assert function(np.asfortranarray(single), data.labels).value == pytest.approx(
        expected, rel=1e-6
    )


LABELS_3 = np.arange(12) % 3
ODD = {
    "one row differs": np.eye(12)[:, :1],
    "two distinct rows": np.repeat(np.random.default_rng(1).normal(size=(2, 20)), 6, axis=0),
    "two opposite rows": np.where(np.arange(12)[:, None] % 2, 1.0, -1.0) * [[3.0, -1.0]],
    "labels": np.eye(3)[LABELS_3],
    "whole numbers": np.random.default_rng(2).integers(0, 3, size=(12, 5)),
    "truths": np.random.default_rng(3).random((12, 4)) < 0.5,
    "large": 1e90 * np.random.default_rng(4).normal(size=(12, 30)),
    "small": 1e-90 * np.random.default_rng(5).normal(size=(12, 4)),
    "far from zero": 1e12 + np.random.default_rng(6).normal(size=(12, 4)),
    "one large column": np.random.default_rng(7).normal(size=(12, 3)) * [1e80, 1, 1],
}


@pytest.mark.parametrize("function", OF_FEATURES.values(), ids=OF_FEATURES)
@pytest.mark.parametrize("kind", ODD)
def test_odd_features_give_a_number_or_one_line_and_no_warning(
    function: Callable[..., Measure], kind: str
):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = function(ODD[kind], LABELS_3, n_groups=3)
        except EeveeError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert np.isfinite(found.value)


@pytest.mark.parametrize(("function", "given"), BOTH, ids=IDS)
def test_what_tells_the_classes_scores_higher_than_what_does_not(
    function: Callable[..., Measure], given: str
):
    data = made(200, 6, 3, apart=1.5)
    array = getattr(data, given)
    shuffled = np.random.default_rng(0).permutation(200)
    assert function(array, data.labels).score > function(array[shuffled], data.labels).score


def test_halves_hold_half_of_each_class():
    labels = np.repeat([0, 1, 2], [10, 11, 31])
    sample = Sample.of(labels, features=np.arange(52.0)[:, None])
    held = [int((~sample.first_half[labels == k]).sum()) for k in range(3)]
    assert [5, 5, 15] <= held <= [5, 6, 16]
    assert abs(sample.first_half.sum() - 26) <= 1
