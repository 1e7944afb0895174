"""Diversity of columns against SciPy, pair by pair."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from eevee.stats.diversity import Diversity, diversity


def made(n_models: int, n_columns: int = 4, share: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(n_models)
    values = rng.normal(size=(n_models, 1)) + rng.normal(size=(n_models, n_columns))
    return pd.DataFrame(np.where(rng.random(values.shape) < share, np.nan, values).round(1))


def by_scipy(frame: pd.DataFrame) -> float:
    found = []
    for one, other in combinations(frame, 2):
        both = frame[[one, other]].dropna()
        found.append(1 - abs(stats.spearmanr(both[one], both[other]).statistic))
    return float(np.mean(found))


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_mean_and_jackknife_interval_agree_with_scipy(share: float) -> None:
    frame = made(24, share=share)
    found = diversity(frame)
    assert found.mean == pytest.approx(by_scipy(frame))
    left = [by_scipy(frame.drop(index=i)) for i in frame.index]
    error = np.sqrt(23 / 24 * np.sum((np.array(left) - np.mean(left)) ** 2))
    low, high = stats.t.interval(0.95, 23, loc=found.mean, scale=error)
    assert (found.low, found.high) == (pytest.approx(max(0, low)), pytest.approx(min(1, high)))


def test_many_models_are_left_out_in_groups() -> None:
    frame = made(120, 3)
    left = [by_scipy(frame[np.arange(120) % 50 != i]) for i in range(50)]
    error = np.sqrt(49 / 50 * np.sum((np.array(left) - np.mean(left)) ** 2))
    found = diversity(frame)
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, 49) * error)


def test_direction_scale_and_order_do_not_matter() -> None:
    frame = made(15)
    turned = (-3 * frame[[2, 0, 3, 1]]).sample(frac=1, random_state=0)
    assert diversity(turned).mean == pytest.approx(diversity(frame).mean)
    assert diversity(frame[[0, 0]].set_axis(["a", "b"], axis=1)) == Diversity(0.0, 0.0, 0.0)


def test_without_a_pair_there_is_none() -> None:
    assert np.isnan(diversity(made(9, 1)).mean)
    assert np.isnan(diversity(pd.DataFrame({"a": [1.0, 2, 3, 4], "b": 1.0})).mean)
    assert np.isnan(diversity(made(3)).low)


def test_one_model_without_which_nothing_has_an_order_leaves_no_interval() -> None:
    frame = pd.DataFrame({"a": [1.0, 0, 0, 0, 0], "b": [2.0, 1, 1, 1, 1]})
    found = diversity(frame)
    assert found.mean == 0
    assert np.isnan([found.low, found.high]).all()
