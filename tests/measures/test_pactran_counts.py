from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma, gammaln, softmax

from eevee.measures import pactran_dirichlet, pactran_gamma
from eevee.measures.pactran_counts import _careful_update, _update, definition
from eevee.measures.sample import Sample
from tests.measures.conftest import Fixture, Made, made, one_hot


def plain(data: Made, family: str, alpha: float, convention: str, n_updates: int = 10) -> float:
    """The formulas with an array for every symbol."""
    s, y = data.source_probs, one_hot(data.labels, data.labels.max() + 1)
    n, k = y.shape
    a = alpha * y.mean(axis=0)
    q = s
    for _ in range(n_updates):
        at = a[:, None] + y.T @ q
        weights = digamma(at) - (digamma(at.sum(axis=0)) if family == "dirichlet" else 0)
        q = softmax(np.log(s) + weights[data.labels], axis=1)
    if convention == "paper":
        at = a[:, None] + y.T @ q
    kl = (q * np.log(q / s)).sum()
    if family == "dirichlet":
        first = gammaln(a.sum()) - gammaln(a).sum()
        rest = gammaln(at.sum(axis=0)) - gammaln(at).sum(axis=0)
        return float(-((first - rest).sum() - kl) / (n * k))
    rates = s @ at.sum(axis=0)
    total = (gammaln(a)[:, None] - gammaln(at)).sum() + kl + np.log(rates).sum()
    return float(total / (n * k) + (1 - 1 / k if convention == "reference" else 0))


def full_bound(s: np.ndarray, labels: np.ndarray, q: np.ndarray, at: np.ndarray) -> float:
    """The Dirichlet evidence bound of any q and any parameters, no terms cancelled."""
    y = one_hot(labels, labels.max() + 1)
    a = np.repeat(y.mean(axis=0)[:, None], s.shape[1], axis=1)
    logs = digamma(at) - digamma(at.sum(axis=0))
    prior = gammaln(a.sum(axis=0)) - gammaln(a).sum(axis=0) + ((a - 1) * logs).sum(axis=0)
    own = gammaln(at.sum(axis=0)) - gammaln(at).sum(axis=0) + ((at - 1) * logs).sum(axis=0)
    rows = (q * (np.log(s / q) + logs[labels])).sum()
    return float((prior - own).sum() + rows)


@pytest.mark.parametrize("alpha", [1, 10])
def test_the_released_code_is_reproduced(known: Fixture, alpha: int):
    given = known.source_probs, known.labels
    options = {"alpha": alpha, "convention": "reference"}
    assert pactran_dirichlet(*given, **options).value == pytest.approx(
        known.numbers[f"pactran_dirichlet_alpha{alpha}"], abs=1e-9
    )
    assert pactran_gamma(*given, **options).value == pytest.approx(
        known.numbers[f"pactran_gamma_alpha{alpha}"], abs=1e-9
    )


def test_the_released_code_is_reproduced_on_mixture_posteriors(known: Fixture):
    given = known.gmm_probs, known.labels
    assert pactran_dirichlet(*given, convention="reference").value == pytest.approx(
        known.numbers["pactran_ndir_on_gmm_probs"], abs=1e-9
    )
    assert pactran_gamma(*given, convention="reference").value == pytest.approx(
        known.numbers["pactran_ngam_on_gmm_probs"], abs=1e-9
    )


@pytest.mark.parametrize("family", ["dirichlet", "gamma"])
@pytest.mark.parametrize("convention", ["paper", "reference"])
@pytest.mark.parametrize("alpha", [0.3, 1.0, 20.0])
def test_values_are_the_formulas_with_an_array_for_every_symbol(
    family: str, convention: str, alpha: float
):
    data = made(70, 2, 4, seed=5, n_source=6)
    sample = Sample.of(data.labels, source_probs=data.source_probs)
    chosen = definition(family, alpha, convention=convention)  # type: ignore[arg-type]
    expected = plain(data, family, alpha, convention)
    assert chosen.value(sample) == pytest.approx(expected, rel=1e-10)


def test_one_hot_sources_give_the_dirichlet_multinomial_evidence():
    data = made(60, 2, 3, seed=1)
    source = data.source_probs.argmax(axis=1)
    shares = np.bincount(data.labels) / 60
    evidence = 0.0
    for z in range(5):
        counts = np.bincount(data.labels[source == z], minlength=3)
        evidence += gammaln(1) - gammaln(1 + counts.sum())
        evidence += (gammaln(shares + counts) - gammaln(shares)).sum()
    for convention in ("paper", "reference"):
        value = pactran_dirichlet(one_hot(source, 5), data.labels, convention=convention).value
        assert -60 * 3 * value == pytest.approx(evidence, abs=1e-9)


def test_the_papers_convention_is_the_full_bound_and_never_falls_over_updates():
    data = made(50, 2, 3, seed=7)
    s = data.source_probs
    y = one_hot(data.labels, 3)
    sample = Sample.of(data.labels, source_probs=s)
    bounds = []
    q = s
    for update in range(1, 25):
        at = y.mean(axis=0)[:, None] + y.T @ q
        logs = digamma(at) - digamma(at.sum(axis=0))
        q = softmax(np.log(s) + logs[data.labels], axis=1)
        expected = full_bound(s, data.labels, q, y.mean(axis=0)[:, None] + y.T @ q)
        value = definition("dirichlet", n_updates=update).value(sample)
        assert -150 * value == pytest.approx(expected, abs=1e-9)
        bounds.append(-value)
    assert (np.diff(bounds) >= -1e-14).all()
    assert bounds[-1] > bounds[0] + 1e-6


@pytest.mark.parametrize("n_updates", [1, 3, 10])
def test_gamma_by_the_papers_convention_is_a_full_bound(n_updates: int):
    """Eq. 18 with no terms cancelled: its lambda is where log x <= log l + x / l - 1 is tight."""
    data = made(50, 2, 3, seed=7)
    s, y = data.source_probs, one_hot(data.labels, 3)
    a = np.repeat(y.mean(axis=0)[:, None], 5, axis=1)
    q = s
    for _ in range(n_updates):
        q = softmax(np.log(s) + digamma(a + y.T @ q)[data.labels], axis=1)
    at = a + y.T @ q
    divergence = (gammaln(a) - gammaln(at) + (at - a) * digamma(at)).sum()
    rates = s @ at.sum(axis=0)
    rows = (q * (np.log(q / s) - digamma(at)[data.labels])).sum(axis=1)

    def bound(lam: np.ndarray) -> float:
        return float(divergence + (rows + np.log(lam) + rates / lam - 1).sum()) / 150

    value = definition("gamma", n_updates=n_updates).value(
        Sample.of(data.labels, source_probs=data.source_probs)
    )
    assert value == pytest.approx(bound(rates), rel=1e-10)
    assert value < min(bound(1.1 * rates), bound(0.9 * rates))


def test_the_bound_lies_below_the_evidence():
    """The evidence by enumeration of all source classes of all rows."""
    data = made(7, 2, 2, seed=0, n_source=2)
    shares = np.bincount(data.labels) / 7
    total = 0.0
    for code in range(2**7):
        source = np.array([code >> i & 1 for i in range(7)])
        logs = np.log(data.source_probs[np.arange(7), source]).sum()
        for z in range(2):
            counts = np.bincount(data.labels[source == z], minlength=2)
            logs += gammaln(1) - gammaln(1 + counts.sum())
            logs += (gammaln(shares + counts) - gammaln(shares)).sum()
        total += np.exp(logs)
    value = pactran_dirichlet(data.source_probs, data.labels)
    assert value.bound == "upper"
    assert np.log(total) - 1 < -14 * value.value < np.log(total)


def test_probabilities_of_any_magnitude_give_numbers():
    labels = np.array([0] * 3 + [1] * 40)
    probs = np.full((43, 900), 1 / 899)
    probs[:, 0] = 0
    probs[1:3] = one_hot(np.array([0, 0]), 900)
    for family in ("dirichlet", "gamma"):
        chosen = definition(family, alpha=1e-3)  # type: ignore[arg-type]
        assert np.isfinite(chosen.value(Sample.of(labels, source_probs=probs)))


def test_tiny_weights_are_added_up_with_logarithms():
    data = made(40, 2, 3)
    sample = Sample.of(data.labels, source_probs=data.source_probs)
    logs = np.random.default_rng(0).normal(size=(3, 5))
    mass, total = _update(sample, logs, sample.indicator.copy())
    careful, careful_total = _careful_update(sample, logs)
    np.testing.assert_allclose(mass, careful, rtol=1e-12)
    assert total == pytest.approx(careful_total, abs=1e-10)
    hard = Sample.of([0, 0, 1, 1], source_probs=[[0, 1], [1, 0], [0, 1], [1, 0]])
    mass, total = _update(hard, np.array([[0.0, -2000.0], [0.0, 0.0]]), hard.indicator.copy())
    np.testing.assert_array_equal(mass, np.ones((2, 2)))
    assert total == -2000
