"""Distances of layers: identities, invariances, and what other codes make of one input."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.cross_decomposition import CCA

from eevee.base.errors import EeveeError
from eevee.measures.layers import Layer, layer_matrix
from eevee.measures.similarity import cka, mean_cca, opd, pwcca, svcca
from eevee.measures.similarity_kinds import KINDS, find_similarity
from tests.measures.conftest import FIXTURES


def layers(n: int = 120, d: int = 5, e: int = 7, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two layers that share three directions, with means far from zero."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 3))
    first = shared @ rng.normal(size=(3, d)) + 0.3 * rng.normal(size=(n, d)) + 4
    second = shared @ rng.normal(size=(3, e)) + 0.3 * rng.normal(size=(n, e)) - 9
    return first, second


def distance(name: str, first: np.ndarray, second: np.ndarray, margin: float = 10) -> float:
    return find_similarity(name).distance(Layer.of(first), Layer.of(second), margin=margin)


def rotation(d: int) -> np.ndarray:
    return np.asarray(stats.ortho_group.rvs(d, random_state=0))


@pytest.mark.parametrize("name", KINDS)
def test_a_layer_is_at_no_distance_from_itself_and_others_lie_between(name: str):
    first, second = layers()
    assert distance(name, first, first) == pytest.approx(0, abs=1e-12)
    assert 0.01 < distance(name, first, second) < 1


@pytest.mark.parametrize("name", KINDS)
def test_rotation_shift_and_one_scale_change_nothing(name: str):
    first, second = layers()
    before = distance(name, first, second)
    moved = 1e-3 * second @ rotation(7) + np.arange(7)
    tolerance = 1e-9 if name != "pwcca" else 1e-6
    assert distance(name, first, moved) == pytest.approx(before, rel=tolerance)


@pytest.mark.parametrize("name", ["mean-cca", "pwcca"])
def test_correlations_do_not_change_under_any_invertible_map(name: str):
    first, second = layers()
    stretched = second @ (np.random.default_rng(1).normal(size=(7, 7)) * np.logspace(-3, 3, 7))
    before = distance(name, first, second)
    assert distance(name, first, stretched) == pytest.approx(before, rel=1e-7)
    for other in ("cka", "opd"):
        changed = distance(other, first, stretched)
        assert abs(changed - distance(other, first, second)) > 1e-3


@pytest.mark.parametrize("name", KINDS)
def test_all_but_pwcca_are_symmetric(name: str):
    first, second = layers()
    there, back = distance(name, first, second), distance(name, second, first)
    assert (there == pytest.approx(back, rel=1e-10)) == find_similarity(name).symmetric


def test_mean_cca_is_that_of_scikit_learn():
    first, second = layers()
    made = CCA(5, max_iter=5000, tol=1e-12).fit(first, second)
    pairs = zip(*(one.T for one in made.transform(first, second)), strict=True)
    expected = 1 - np.mean([np.corrcoef(*pair)[0, 1] for pair in pairs])
    assert mean_cca(first, second).value == pytest.approx(expected, rel=1e-6)


def test_cka_is_that_of_centred_kernels_for_few_and_many_samples():
    for n in (8, 60):
        first, second = layers(n)
        centring = np.eye(n) - 1 / n
        kernels = [centring @ one @ one.T @ centring for one in (first, second)]
        flat = [one.ravel() / np.linalg.norm(one) for one in kernels]
        assert cka(first, second).value == pytest.approx(1 - flat[0] @ flat[1], rel=1e-9)


def test_debiased_cka_is_of_unbiased_hsic():
    first, second = layers(12)

    def hsic(one: np.ndarray, other: np.ndarray) -> float:
        """Song et al. 2012, equation 5, term by term."""
        k, m = (layer @ layer.T for layer in (one, other))
        np.fill_diagonal(k, 0)
        np.fill_diagonal(m, 0)
        n = len(k)
        terms = (
            np.trace(k @ m) + k.sum() * m.sum() / (n - 1) / (n - 2) - 2 / (n - 2) * (k @ m).sum()
        )
        return float(terms / (n * (n - 3)))

    expected = 1 - hsic(first, second) / np.sqrt(hsic(first, first) * hsic(second, second))
    assert cka(first, second, debiased=True).value == pytest.approx(expected, rel=1e-8)


def test_debiased_cka_of_unrelated_layers_is_about_one_where_the_biased_one_is_not():
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(size=(20, 60)), rng.normal(size=(20, 60))) for _ in range(20)]
    unbiased = [cka(*pair, debiased=True).value for pair in pairs]
    assert abs(np.mean(unbiased) - 1) < 0.02
    assert np.mean([cka(*pair).value for pair in pairs]) < 0.4


def test_opd_is_half_the_squared_residual_of_the_best_rotation():
    from scipy.linalg import orthogonal_procrustes

    for n in (5, 60):
        first, second = layers(n, 6, 6)
        one, other = (m - m.mean(axis=0) for m in (first, second))
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
        best, _ = orthogonal_procrustes(other, one)
        expected = np.linalg.norm(other @ best - one) ** 2 / 2
        assert opd(first, second).value == pytest.approx(expected, rel=1e-9)


def test_pwcca_is_the_formula_of_whitened_covariances():
    first, second = layers()
    one, other = (m - m.mean(axis=0) for m in (first, second))

    def whitening(m: np.ndarray) -> np.ndarray:
        values, vectors = np.linalg.eigh(m.T @ m)
        return np.asarray(vectors @ np.diag(values**-0.5) @ vectors.T)

    left, rho, _ = np.linalg.svd(whitening(one) @ one.T @ other @ whitening(other))
    variates = one @ whitening(one) @ left
    weights = np.abs(variates.T @ one).sum(axis=1)
    expected = 1 - (weights / weights.sum() * rho[:5]).sum()
    assert pwcca(first, second).value == pytest.approx(expected, rel=1e-9)


def test_svcca_keeps_what_it_says():
    rng = np.random.default_rng(0)
    left = rng.normal(size=(90, 4))
    left = np.linalg.qr(left - left.mean(axis=0))[0]
    first, second = left * [8.0, 4.0, 2.0, 1.0], rng.normal(size=(90, 3))
    # Of singular values: 8/15, 12/15, 14/15. Of squares: 64/85, 80/85, 84/85.
    for kept, energy, n in ((0.79, "sigma", 2), (0.81, "sigma", 3), (0.95, "sigma2", 3)):
        found = svcca(first, second, kept=kept, energy=energy).value
        assert find_similarity("svcca", kept=kept).columns(Layer.of(second)) == 3
        assert found == pytest.approx(mean_cca(first[:, :n], second).value, rel=1e-9)
    fewer = svcca(first, second, kept=0.81, convention="reference").value
    assert fewer == pytest.approx(
        mean_cca(first[:, :2], np.linalg.svd(second)[0][:, :2]).value, rel=1e-9
    )


def test_too_few_samples_are_refused_and_would_look_alike():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(20, 9)), rng.normal(size=(20, 9))
    for function in (mean_cca, pwcca, svcca):
        with pytest.raises(EeveeError, match=r"20 rows for 9 columns, where 10 per column"):
            function(first, second)
        many = function(rng.normal(size=(900, 9)), rng.normal(size=(900, 9))).value
        assert function(first, second, margin=0).value < many - 0.2


def test_columns_that_repeat_or_do_not_move_count_for_nothing_in_correlations():
    first, second = layers()
    more = np.column_stack([second, second[:, 0] * 2, np.full(len(second), 7e8)])
    assert mean_cca(first, more).value == pytest.approx(mean_cca(first, second).value, rel=1e-9)


def test_the_jackknife_is_about_the_spread_over_samples():
    first, second = layers(4000)
    parts = [cka(first[i::20], second[i::20]).value for i in range(20)]
    found = [cka(first[i::20], second[i::20], n_groups=20).stderr for i in range(5)]
    assert 0.5 < np.mean(found) / np.std(parts, ddof=1) < 2
    assert np.isnan(cka(first, second).stderr)


def test_nothing_is_changed_in_place():
    first, second = layers()
    copies = first.copy(), second.copy()
    for name in KINDS:
        distance(name, first, second)
    assert np.array_equal(first, copies[0])
    assert np.array_equal(second, copies[1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda x: x[:50], "50 and 120 rows|120 and 50 rows"),
        (lambda x: x[0], "expected rows x columns"),
        (lambda x: x.reshape(4, 3, 10, 5), "layer_matrix"),
        (lambda x: np.where(x > 5, np.nan, x), "must be finite"),
        (np.ones_like, "all columns are constant"),
        (lambda x: x.astype(str), "must be numbers"),
        (lambda x: x[:3], "at least 4"),
        (lambda x: x * 1e120, "rescale"),
        (lambda x: x * 1e-120, "all columns are constant"),
        (lambda _: [[1.0, 2.0], [3.0]], "different lengths"),
    ],
)
def test_bad_input_is_an_error(change: Callable[[np.ndarray], np.ndarray], said: str):
    first, second = layers()
    with pytest.raises(EeveeError, match=said):
        cka(change(first), second)


def test_a_constant_column_of_any_size_hides_nothing_that_moves():
    first, second = layers()
    more = np.column_stack([second, np.full(len(second), 2.0**50)])
    assert cka(first, more).value == pytest.approx(cka(first, second).value, rel=1e-9)


def test_a_layer_of_one_active_row_has_no_debiased_cka_and_no_standard_error():
    first, _ = layers(12)
    one = np.eye(12)[:, :1]
    with pytest.raises(EeveeError, match="not defined"):
        cka(first, one, debiased=True)
    with np.errstate(all="raise"):
        for function in (cka, opd, partial(mean_cca, margin=0), partial(svcca, margin=0)):
            found = function(first[:, :2], one, n_groups=12)
            assert 0 <= found.value < 1
            assert np.isnan(found.stderr)


def test_wrong_settings_are_errors():
    first, second = layers()
    with pytest.raises(EeveeError, match="kept must lie"):
        svcca(first, second, kept=0)
    with pytest.raises(EeveeError, match="energy must be"):
        svcca(first, second, energy="square")  # type: ignore[arg-type]
    with pytest.raises(EeveeError, match="convention must be"):
        pwcca(first, second, convention="papr")
    with pytest.raises(EeveeError, match="opd: convention must be paper"):
        find_similarity("opd", convention="reference")
    with pytest.raises(EeveeError, match="seed must not be negative"):
        cka(first, second, n_groups=2, seed=-1)
    with pytest.raises(EeveeError, match="at least 2 groups"):
        cka(first, second, n_groups=1)
    with pytest.raises(EeveeError, match="margin must be 0 or more"):
        pwcca(first, second, margin=-1)


def test_a_layer_matrix_has_patches_as_rows_and_channels_as_columns():
    values = np.random.default_rng(0).normal(size=(3, 4, 5, 6))
    made = layer_matrix(values)
    assert made.shape == (90, 4)
    assert np.array_equal(made[30 + 6 * 2 + 3], values[1, :, 2, 3])
    assert np.array_equal(layer_matrix(values, columns="activations")[1], values[1].ravel())
    np.testing.assert_allclose(layer_matrix(values, columns="pooled"), values.mean(axis=(2, 3)))
    some = layer_matrix(values, n_rows=40, seed=3)
    beside = layer_matrix(np.concatenate([values, values], axis=1), n_rows=40, seed=3)
    assert np.array_equal(beside[:, :4], some)
    for args, said in (
        ({"n_rows": 91}, "of 90 rows"),
        ({"columns": "rows"}, "columns must be"),
    ):
        with pytest.raises(EeveeError, match=said):
            layer_matrix(values, **args)  # type: ignore[arg-type]
    with pytest.raises(EeveeError, match="samples x channels"):
        layer_matrix(made)
    for wrong in (values.astype(str), values * 1j, values.astype(object)):
        with pytest.raises(EeveeError, match="must be numbers"):
            layer_matrix(wrong)
    with pytest.raises(EeveeError, match="different lengths"):
        layer_matrix([[1, 2], [3]])


def test_numbers_of_public_codes_are_reproduced():
    path = FIXTURES / "similarity.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    known = json.loads(path.read_text())
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        x, y = arrays["X"], arrays["Y"]
    found = {
        "exact_linear_cka_distance": cka(x, y),
        "exact_unbiased_hsic_cka_distance": cka(x, y, debiased=True),
        "anatome_2212a8c.linear_cka_debiased": cka(x, y, debiased=True),
        "exact_opd": opd(x, y),
        "exact_mean_cca_distance": mean_cca(x, y),
        "exact_pwcca_weights_x_distance": pwcca(x, y),
        "ultimate_anatome_0.1.1.pwcca_svd": pwcca(x, y),
        "ultimate_anatome_0.1.1.pwcca_svd_use_y": pwcca(y, x),
        "google_svcca.pwcca_distance": pwcca(x, y, convention="reference"),
        "anatome_2212a8c.pwcca_qr": pwcca(x, y, convention="anatome"),
        "exact_svcca_sum_sigma_ge": svcca(x, y),
        "exact_svcca_var_ge": svcca(x, y, energy="sigma2"),
        "anatome_2212a8c.svcca_0.99_qr": svcca(x, y, convention="reference"),
        "ultimate_anatome_0.1.1.svcca_0.99_qr": svcca(x, y, convention="reference"),
    }
    for name, measure in found.items():
        expected = known[name]
        value = expected["distance"] if isinstance(expected, dict) else expected
        assert measure.value == pytest.approx(value, rel=1e-9), name


def test_svcca_takes_no_convention_that_it_does_not_have() -> None:
    with pytest.raises(EeveeError, match="svcca: convention must be paper or reference"):
        find_similarity("svcca", convention="anatome")
