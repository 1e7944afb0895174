"""Predictions from neighbouring columns equal a slow loop, and say whom they listened to."""

from __future__ import annotations

import numpy as np
import pytest

from eevee.completion import neighbours
from eevee.completion.neighbours import regress


def slow_regressions(values: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """One cell at a time, one pair of columns at a time."""
    predicted = np.full(values.shape, np.nan)
    for row, target in np.ndindex(values.shape):
        found = []
        for other in range(values.shape[1]):
            both = seen[:, other] & seen[:, target]
            if other == target or not seen[row, other] or both.sum() < 5:
                continue
            x, y = values[both, other], values[both, target]
            spread = ((x - x.mean()) ** 2).sum() + 1
            slope = ((x - x.mean()) * (y - y.mean())).sum() / spread
            left = ((y - y.mean() - slope * (x - x.mean())) ** 2).sum()
            variance = (left + 4 * 0.5) / (max(both.sum() - 2, 1) + 4)
            step = values[row, other] - x.mean()
            variance *= 1 + 1 / both.sum() + step**2 / spread
            found.append((variance, y.mean() + slope * step))
        best = sorted(found)[:5]
        if best:
            weights = [1 / variance for variance, _ in best]
            predicted[row, target] = np.average([guess for _, guess in best], weights=weights)
    return predicted


@pytest.mark.parametrize("missing", [0.2, 0.6, 0.85])
def test_regressions_equal_a_slow_loop(missing: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 1)) + rng.normal(size=(25, 9))
    seen = rng.random(values.shape) > missing
    values = np.where(seen, values, 0.0)
    np.testing.assert_allclose(
        regress(values, seen).predicted, slow_regressions(values, seen), rtol=1e-8
    )


def test_the_order_of_columns_does_not_matter_to_regressions() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 1)) + rng.normal(size=(25, 9))
    seen = rng.random(values.shape) > 0.4
    values = np.where(seen, values, 0.0)
    turned = regress(values[:, ::-1], seen[:, ::-1]).predicted[:, ::-1]
    np.testing.assert_allclose(turned, regress(values, seen).predicted, rtol=1e-8)


def test_what_it_listens_to_is_seen_never_itself_and_shares_sum_to_one() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 1)) + rng.normal(size=(25, 9))
    seen = rng.random(values.shape) > 0.5
    found = regress(np.where(seen, values, 0.0), seen)
    spoken = np.isfinite(found.predicted)
    assert (spoken == np.isfinite(found.variance)).all()
    np.testing.assert_allclose(found.weights.sum(axis=2), spoken, atol=1e-12)
    assert (np.diff(found.weights, axis=2) <= 0).all()
    row, column, place = np.nonzero(found.weights)
    heard = found.columns[row, column, place]
    assert seen[row, heard].all()
    assert (heard != column).all()


@pytest.mark.parametrize(("tried", "block"), [(5, 512), (24, 64), (1000, 16)])
def test_neither_parts_nor_what_is_tried_first_change_a_bit(
    monkeypatch: pytest.MonkeyPatch, tried: int, block: int
) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 160)) + rng.normal(size=(30, 160))
    seen = rng.random(values.shape) > 0.6
    values = np.where(seen, values, 0.0)
    one = regress(values, seen)
    monkeypatch.setattr(neighbours, "FIRST_TRIED", tried)
    monkeypatch.setattr(neighbours, "BLOCK", block)
    other = regress(values, seen)
    for part in ("predicted", "variance", "weights"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    heard = one.weights > 0
    np.testing.assert_array_equal(one.columns[heard], other.columns[heard])
