"""`next_benchmark` against brute force on Gaussian examples, and on hidden scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.base.errors import EeveeError
from eevee.completion.advice import Advisor, next_benchmark
from eevee.completion.beliefs import Beliefs
from eevee.completion.complete import Completion, impute
from eevee.completion.gains import Gains
from tests.conftest import made_table

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def gaussian(seed: int, n_columns: int = 7, n_factors: int = 3) -> Beliefs:
    rng = np.random.default_rng(seed)
    return Beliefs(
        rng.normal(size=(n_columns, n_factors)),
        rng.uniform(0.3, 3.0, n_factors),
        rng.uniform(0.1, 2.0, n_columns),
    )


def conditional(beliefs: Beliefs, known: np.ndarray) -> np.ndarray:
    """Variance of each score given the known ones, from the joint covariance of all scores."""
    joint = beliefs.loadings @ np.diag(1 / beliefs.precision) @ beliefs.loadings.T
    joint = joint + np.diag(beliefs.noise)
    if not known.any():
        return np.diag(joint)
    cross = joint[:, known]
    return np.diag(joint - cross @ np.linalg.solve(joint[np.ix_(known, known)], cross.T))


@pytest.mark.parametrize("seed", range(5))
def test_drops_equal_brute_force_over_the_joint_gaussian(seed: int) -> None:
    beliefs, rng = gaussian(seed), np.random.default_rng(seed)
    seen = rng.random(7) < 0.4
    measured = ~seen & (rng.random(7) < 0.5)
    before, after = conditional(beliefs, seen), conditional(beliefs, seen | measured)
    np.testing.assert_allclose(beliefs.variance(seen)[~seen], before[~seen], rtol=1e-9)
    expected = np.where(seen, 0.0, before - after)
    np.testing.assert_allclose(beliefs.drops(seen, measured), expected, rtol=1e-8, atol=1e-10)


def test_with_equal_noise_it_is_the_ridge_regression_of_the_factor_model() -> None:
    beliefs = replace(gaussian(0), noise=np.full(7, 0.7))
    seen = np.arange(7) < 4
    known = beliefs.loadings[seen]
    ridge = np.linalg.inv(known.T @ known + 0.7 * np.diag(beliefs.precision))
    np.testing.assert_allclose(beliefs.covariance(seen), 0.7 * ridge)


def believed(beliefs: Beliefs, seen: np.ndarray, owner: list[str], costs: dict[str, float],
             target: list[bool]) -> Completion:  # fmt: skip
    """A completion of one model `m`, with given beliefs."""
    names = [f"c{i}" for i in range(len(owner))]
    frame = pd.DataFrame(np.zeros((1, len(owner))), ["m"], names)
    filled = impute(made_table(12, 3).scores)
    variance = conditional(beliefs, seen)[None]
    return replace(
        filled,
        gains=Gains(variance, sharpness=1.0, come_true=1.0, error=0.1, trials=10),
        scores=frame,
        predicted=pd.DataFrame(~seen[None], ["m"], names),
        beliefs=beliefs,
        columns=pd.DataFrame({"benchmark": owner, "target": target}, index=names),
        costs=pd.Series(costs),
    )


def test_benchmarks_of_several_columns_proxies_and_costs_count_as_brute_force_says() -> None:
    beliefs, owner = gaussian(1), list("aabbcdd")
    target = [True, True, True, False, True, False, False]  # b has a proxy, d is one
    seen = np.array([False, True, False, False, False, False, False])
    costs = {"a": 0.5, "b": 2.0, "c": 1.0, "d": 0.1}
    found = eevee.completion.next_benchmark(believed(beliefs, seen, owner, costs, target), "m")
    weight = np.array([0.5, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0])
    before = weight @ np.where(seen, 0, conditional(beliefs, seen))
    expected = {}
    for name in "abcd":
        known = seen | (np.array(owner) == name)
        expected[name] = before - weight @ np.where(known, 0, conditional(beliefs, known))
    rows = found.set_index("benchmark")
    for name, drop in expected.items():
        assert rows.loc[name, "drop"] == pytest.approx(drop)
        assert rows.loc[name, "share"] == pytest.approx(drop / before)
        assert rows.loc[name, "drop_per_cost"] == pytest.approx(drop / costs[name])
        assert rows.loc[name, "own"] + rows.loc[name, "others"] == pytest.approx(drop)
    assert rows.loc["d", "own"] == 0
    order = sorted(expected, key=lambda name: -expected[name] / costs[name])
    assert found["benchmark"].tolist() == order


def test_what_costs_nothing_comes_first_and_ties_go_by_drop_then_name() -> None:
    beliefs = replace(gaussian(0, 4, 1), loadings=np.ones((4, 1)), noise=np.array([1.0, 1, 1, 3]))
    costs = {"b": 1.0, "a": 1.0, "z": 0.0, "y": 0.0}
    made = believed(beliefs, np.zeros(4, bool), ["b", "a", "z", "y"], costs, [True] * 4)
    found = eevee.completion.next_benchmark(made, "m")
    assert found["benchmark"].tolist() == ["y", "z", "a", "b"]


@pytest.mark.slow
def test_a_table_is_completed_first_and_its_costs_decide() -> None:
    scores = made_table(30, 6).scores
    shown = scores.mask(np.random.default_rng(0).random(scores.shape) < 0.3)
    shown.iloc[4, 1:5] = np.nan
    names = sorted(shown.columns)
    costs = pd.DataFrame({"task": None, "cost": 1.0}, index=names)
    plain = eevee.ResultsTable.from_scores(shown, benchmarks=costs)
    first = eevee.completion.next_benchmark(plain, shown.index[4])
    pd.testing.assert_frame_equal(
        first, eevee.completion.next_benchmark(impute(plain), shown.index[4])
    )
    pd.testing.assert_frame_equal(first, eevee.completion.next_benchmark(shown, shown.index[4]))
    assert set(first["benchmark"]) == set(shown.columns[shown.iloc[4].isna()])
    last = first["benchmark"].iloc[-1]
    costs.loc[last, "cost"] = 1e-3
    cheap = eevee.ResultsTable.from_scores(shown, benchmarks=costs)
    assert eevee.completion.next_benchmark(cheap, shown.index[4])["benchmark"].iloc[0] == last


def test_a_model_with_all_scores_needs_none_and_an_unknown_one_is_named() -> None:
    filled = impute(made_table(12, 3).scores)
    assert eevee.completion.next_benchmark(filled, filled.scores.index[0]).empty
    with pytest.raises(EeveeError, match="no model 'nobody' in the table"):
        eevee.completion.next_benchmark(filled, "nobody")


@pytest.mark.skipif(not DATA.is_dir(), reason="the public tables are not here")
@pytest.mark.slow
def test_what_it_suggests_lowers_held_out_error_more_than_a_random_benchmark() -> None:
    from tests.benchmarks.bench_completion import after_one_more

    table = pd.read_csv(DATA / "llm_crowdsource_cpp.csv", index_col=0)
    nothing, random, suggested = np.mean(
        [after_one_more(table, seed, n_random=3) for seed in (100, 101)], axis=0
    )
    assert suggested < random < nothing


def test_an_advisor_ranks_as_the_completion_with_the_model_in_it_does() -> None:
    table = made_table(30, 8)
    row = table.scores.loc["m07"].where(table.scores.columns < "b04")
    others = table.take_models(table.scores.index != "m07")
    lonely = Advisor.of(others).rank(row.to_numpy())
    within = next_benchmark(table.scores.drop("m07").T.assign(m07=row).T, "m07")
    both = lonely.set_index("benchmark")["share"], within.set_index("benchmark")["share"]
    assert set(both[0].index) == set(both[1].index) == {"b04", "b05", "b06", "b07"}
    np.testing.assert_allclose(both[0], both[1][both[0].index], atol=0.1)
    assert lonely["benchmark"][0] == within["benchmark"][0]


def test_an_advisor_ranks_for_a_model_without_any_score() -> None:
    shown = Advisor.of(made_table(30, 8)).rank(np.full(8, np.nan))
    assert len(shown) == 8
    assert (shown["drop"] > 0).all()
