from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from eevee.measures import Sample, leep, nleep
from eevee.measures.catalog import find_measures
from eevee.measures.mixture import mixture_probs, n_components, principal_components
from tests.measures.conftest import Fixture, made
from tests.measures.test_source_classes import plain_leep


def test_components_are_those_of_scikit_learn_and_as_many_as_the_reference(known: Fixture):
    found = principal_components(known.features)
    expected = PCA(0.8, svd_solver="full").fit_transform(known.features)
    assert found.shape[1] == expected.shape[1] == known.numbers["gmm"]["pca_dims"]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-10)


def test_the_reference_convention_has_as_many_components_as_the_released_code(known: Fixture):
    n, k = len(known.labels), known.labels.max() + 1
    assert n_components(n, k, "reference") == known.numbers["gmm"]["n_components"]


def test_nleep_is_leep_of_the_posteriors_and_depends_on_nothing_but_the_seed():
    data = made(120, 6, 3, apart=2)
    sample = Sample.of(data.labels, features=data.features)
    for convention in ("paper", "reference"):
        probs = mixture_probs(sample, convention, seed=3)
        value = nleep(data.features, data.labels, convention=convention, seed=3).value
        assert value == pytest.approx(leep(probs, data.labels).value, rel=1e-12)
    again = nleep(data.features, data.labels, convention="reference", seed=3).value
    assert again == value
    scaled = nleep(1e6 * data.features, data.labels, convention="reference", seed=3).value
    assert scaled == pytest.approx(value, rel=1e-6)


def test_nleep_is_a_plain_mixture_of_plain_components():
    """By scikit-learn's PCA and mixture, and LEEP in loops."""
    data = made(120, 6, 3, apart=2)
    rows = PCA(0.8, svd_solver="full").fit_transform(data.features)
    mixture = GaussianMixture(15, random_state=3).fit(rows / rows.std(axis=0).max())
    probs = mixture.predict_proba(rows / rows.std(axis=0).max())
    value = nleep(data.features, data.labels, seed=3).value
    assert value == pytest.approx(plain_leep(probs, data.labels), rel=1e-6)


def test_pactran_on_the_mixture_is_pactran_of_its_posteriors():
    data = made(80, 6, 3, apart=2)
    sample = Sample.of(data.labels, features=data.features)
    probs = Sample.of(data.labels, source_probs=mixture_probs(sample))
    for family in ("dirichlet", "gamma"):
        mixed, plain = find_measures(f"n-pactran-{family},pactran-{family}")
        assert mixed.value(sample) == pytest.approx(plain.value(probs), rel=1e-12)
        assert not mixed.higher_is_better
