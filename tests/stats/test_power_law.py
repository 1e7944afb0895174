"""An inverse power law is found again; a guess knows what it does not know."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eevee.stats.power_law import EXPONENTS, PowerLaw, extrapolate, fit_power_law

N = np.array([8.0, 14.0, 25.0, 43.0, 86.0])


@pytest.mark.parametrize("exponent", EXPONENTS[::4])
def test_a_power_law_without_noise_is_found_again(exponent: float) -> None:
    true = PowerLaw(floor=0.2, scale=3.0, exponent=float(exponent))
    found = fit_power_law(N, np.array([true(n) for n in N]))
    assert found(172) == pytest.approx(true(172), rel=1e-6)


@given(st.lists(st.floats(0.01, 10), min_size=5, max_size=5))
def test_it_never_rises_and_never_goes_below_zero(losses: list[float]) -> None:
    law = fit_power_law(N, np.array(losses))
    assert law(86) >= law(172) >= 0


@settings(max_examples=25)
@given(st.lists(st.floats(0.01, 10), min_size=20, max_size=20))
@pytest.mark.slow
def test_a_guess_lies_in_its_interval_which_reaches_up_to_the_last_loss(
    losses: list[float],
) -> None:
    given = np.array(losses).reshape(5, 4)
    last = given[-1].mean()
    found = extrapolate(N, given, to=172, level=0.95, seed=0)
    assert found is not None
    assert 0 <= found.low <= found.loss <= last <= found.high


def test_equal_splits_have_no_spread_and_noisy_ones_have() -> None:
    clean = np.array([0.2 + 3 / n for n in N])
    sure, unsure = (
        extrapolate(N, clean[:, None] * np.array(noise), to=172, level=0.95, seed=0)
        for noise in ([1.0] * 4, [0.7, 0.9, 1.1, 1.3])
    )
    assert sure is not None
    assert unsure is not None
    assert sure.loss == pytest.approx(0.2 + 3 / 172, rel=1e-3)
    assert sure.low == pytest.approx(sure.loss)
    assert unsure.low < 0.9 * sure.loss


def test_too_few_sizes_or_blank_losses_give_no_guess() -> None:
    losses = np.ones((5, 3))
    options = {"to": 172, "level": 0.95, "seed": 0}
    assert extrapolate(N[:2], losses[:2], **options) is None  # type: ignore[arg-type]
    losses[2, 1] = np.nan
    assert extrapolate(N, losses, **options) is None  # type: ignore[arg-type]
