from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.preprocessing import KernelCenterer

from eevee.base.errors import EeveeError
from eevee.measures import task_kernels
from eevee.measures.task_kernels import (
    Kernel,
    add_kernels,
    feature_kernel,
    group_kernel,
    matrix_kernel,
)
from tests.measures.task_fixture import reference


def rows(n: int = 40, d: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d)) + 0.5


def plain(x: np.ndarray, kind: str) -> np.ndarray:
    if kind == "rbf":
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(len(x), 1)]
        return rbf_kernel(x, gamma=1 / (2 * np.median(apart) ** 2))
    return cosine_similarity(x) if kind == "cosine" else x @ x.T


def assembled(kernel: Kernel, block: int) -> np.ndarray:
    found = np.zeros((kernel.n_samples, kernel.n_samples))
    for start, stop in kernel.upper_blocks(block):
        found[start:stop, start:] = kernel.block(start, stop, start)
    return np.triu(found) + np.triu(found, 1).T


@pytest.mark.parametrize("kind", ["cosine", "linear", "rbf"])
@pytest.mark.parametrize("n", [3, 40])
def test_kernels_are_those_of_scikit_learn_centred_and_of_norm_one(kind: Any, n: int):
    x = rows(n)
    expected = KernelCenterer().fit_transform(plain(x, kind))
    raw = feature_kernel(x, kind, normalize=None)
    np.testing.assert_allclose(raw.dense(), expected, atol=1e-12)
    assert raw.norm == pytest.approx(np.linalg.norm(expected))
    normed = feature_kernel(x, kind)
    np.testing.assert_allclose(normed.dense(), expected / np.linalg.norm(expected), atol=1e-12)
    assert normed.norm == pytest.approx(1)
    assert normed.root_mean_square == pytest.approx(1 / n)
    bare = feature_kernel(x, kind, centre=False, normalize=None)
    np.testing.assert_allclose(bare.dense(), plain(x, kind), atol=1e-12)


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_distances_of_rbf_keep_their_digits_far_from_the_mean(far: float):
    """One row far away moves the mean, so that products of rows would lose digits of the others."""
    x = np.vstack([rows(), np.full((1, 5), far)])
    kernel = feature_kernel(x, "rbf", bandwidth=0.7, centre=False, normalize=None).dense()
    apart = x[:, None] - x
    np.testing.assert_allclose(kernel, np.exp(-(apart**2).sum(axis=2) / (2 * 0.7**2)), atol=1e-12)


def test_a_row_of_zeros_is_like_no_other():
    x = np.vstack([rows(), np.zeros((2, 5))])
    kernel = feature_kernel(x, centre=False, normalize=None)
    np.testing.assert_allclose(kernel.dense(), cosine_similarity(x), atol=1e-12)


@pytest.mark.parametrize("kind", ["cosine", "linear", "rbf"])
def test_blocks_are_parts_of_the_whole(kind: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(task_kernels, "BLOCK", 7)
    kernel = feature_kernel(rows(), kind)
    monkeypatch.setattr(task_kernels, "BLOCK", 256)
    whole = feature_kernel(rows(), kind)
    for block in (1, 7, 40, 100):
        np.testing.assert_allclose(assembled(kernel, block), whole.dense(), atol=1e-14)


def test_single_precision_is_the_same_to_six_digits():
    for kind in ("cosine", "linear", "rbf"):
        double, single = (feature_kernel(rows(), kind, dtype=d) for d in ("float64", "float32"))  # type: ignore[arg-type]
        assert single.block(0, 3).dtype == np.float32
        np.testing.assert_allclose(single.dense(), double.dense(), atol=1e-6)


def test_a_sum_of_kernels_is_the_sum_of_matrices_with_and_without_factors():
    x, y = rows(), rows(seed=1)
    linear = [feature_kernel(x), feature_kernel(y, "linear")]
    both = add_kernels(linear)
    assert both.factor is not None
    np.testing.assert_allclose(both.dense(), linear[0].dense() + linear[1].dense(), atol=1e-14)
    mixed = [feature_kernel(x), feature_kernel(y, "rbf"), group_kernel(np.arange(40) // 2)]
    expected = sum(one.dense() for one in mixed)
    np.testing.assert_allclose(add_kernels(mixed).dense(), expected, atol=1e-14)
    assert add_kernels(mixed).norm == pytest.approx(np.linalg.norm(expected))


def test_groups_are_connected_and_nothing_else():
    groups = np.repeat(np.arange(6), 3)  # three views of each of six samples
    onehot = np.eye(6)[groups]
    bare = group_kernel(groups, centre=False, normalize=None)
    np.testing.assert_array_equal(bare.dense(), onehot @ onehot.T)
    centred = KernelCenterer().fit_transform(onehot @ onehot.T)
    np.testing.assert_allclose(group_kernel(groups, normalize=None).dense(), centred, atol=1e-15)
    texts = group_kernel(groups.astype(str))
    np.testing.assert_allclose(texts.dense(), group_kernel(groups).dense())


def test_input_is_left_as_it_was():
    x, matrix = rows(), np.eye(5)
    copies = x.copy(), matrix.copy()
    for kind in ("cosine", "linear", "rbf"):
        feature_kernel(x, kind).block(0, 40)[:] = 7  # type: ignore[arg-type]
    matrix_kernel(matrix, centre=True).block(0, 5)[:] = 7
    np.testing.assert_array_equal(x, copies[0])
    np.testing.assert_array_equal(matrix, copies[1])


def bad(make: Any, match: str) -> None:
    with pytest.raises(EeveeError, match=match):
        make()


def test_features_far_from_zero_are_not_taken_for_alike():
    """Centring keeps 1e-9 of the features' size: their squares are below the kernel's rounding."""
    x = rows()
    near = feature_kernel(x * 1e-3 + 1e4, "linear").dense()
    np.testing.assert_allclose(near, feature_kernel(x, "linear").dense(), atol=1e-7)
    bad(lambda: feature_kernel(x * 1e-9 + 1e6, "linear"), "all samples are alike")


def test_invalid_kernels_are_refused():
    x = rows()
    bad(lambda: feature_kernel(x, "poly"), "kind")  # type: ignore[arg-type]
    bad(lambda: feature_kernel(x, dtype="float16"), "dtype")  # type: ignore[arg-type]
    bad(lambda: feature_kernel(x, normalize="trace"), "normalize")  # type: ignore[arg-type]
    for width in (-1, 0, np.nan, np.inf, 1e-200, 1e200):
        bad(lambda width=width: feature_kernel(x, "rbf", bandwidth=width), "must lie between")
    bad(lambda: feature_kernel(np.eye(9, 2), "rbf"), "median distance of samples is 0")
    bad(lambda: feature_kernel(x, bandwidth=1.0), "of the kind 'rbf' only")
    bad(lambda: feature_kernel(x, convention="code"), "convention")
    for scale in (1e-90, 1e90):
        bad(lambda scale=scale: feature_kernel(x * scale, "linear"), "rescale")
    bad(lambda: feature_kernel(np.zeros((0, 2))), "0 rows; at least 2")
    bad(lambda: feature_kernel([[1.0, 2.0]]), "1 rows; at least 2")
    bad(lambda: feature_kernel([[1, 2], [3]]), "different lengths")
    bad(lambda: feature_kernel([["a"], ["b"]]), "must be numbers")
    bad(lambda: feature_kernel(x, "rbf", convention="code"), "convention")
    bad(lambda: feature_kernel(np.where(x > 1, np.nan, x)), "finite")
    bad(lambda: feature_kernel(np.outer(np.arange(1, 5), [1.0, 2.0])), "all samples are alike")
    bad(lambda: feature_kernel(x[0]), "rows x columns")
    bad(lambda: feature_kernel(5.0), "rows x columns")
    bad(lambda: group_kernel([1, 1, 1]), "at least two")
    bad(lambda: group_kernel([0.5, 1.5]), "whole numbers or text")
    bad(lambda: matrix_kernel([[1.0, 2.0], [0.0, 1.0]]), "symmetric")
    bad(lambda: matrix_kernel([[np.inf, 0], [0, 1]]), "finite")
    bad(lambda: matrix_kernel([1.0, 2.0]), "samples x samples")
    bad(lambda: matrix_kernel([[1, 2], [3]]), "different lengths")
    bad(lambda: matrix_kernel([["a"]]), "must be numbers")
    bad(lambda: matrix_kernel(np.eye(2) * 1j), "must be numbers")
    bad(lambda: matrix_kernel(np.eye(2) * 1e200), "rescale")
    bad(lambda: matrix_kernel(np.ones((3, 3)), centre=True), "all samples are alike")
    bad(lambda: add_kernels([]), "one number of samples")
    bad(lambda: add_kernels([feature_kernel(x), feature_kernel(x[:9])]), "one number of samples")


def test_kernels_of_the_released_code_are_reproduced():
    arrays, numbers = reference("task_priors")
    for name, key in (("Zk", "K"), ("Zm", "M")):
        made = feature_kernel(arrays[name], normalize=None).dense()
        np.testing.assert_allclose(made, arrays[key], atol=1e-9)
    for kind in ("cosine", "linear", "rbf"):
        kernel = feature_kernel(
            arrays["Zm"],
            kind,  # type: ignore[arg-type]
            centre=False,
            normalize=None,
            convention="reference",
        )
        expected = numbers[f"ref_kernel_{kind}_first_row"]
        np.testing.assert_allclose(kernel.dense()[0], expected, atol=1e-9)
