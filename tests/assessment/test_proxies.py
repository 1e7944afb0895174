"""Whether proxies help at equal cost: paired over outer splits, said first, nothing leaks."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.assessment.assess import assess
from eevee.assessment.result import WITHOUT_PROXIES, Assessment
from eevee.assessment.verdicts import verdict
from eevee.readers import read_table
from eevee.scorers.spec import ScorerSpec
from eevee.search.constraints import Constraints
from eevee.search.procedure import Procedure
from eevee.tables.results_table import ResultsTable

NAMES = list("abcdef")
MODELS = [f"m{i}" for i in range(30)]
QUICK = {"scorer": "ridge", "n_repeats": 1, "n_random": 1, "beside": ()}


def scores() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    skill = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 6))
    return pd.DataFrame(skill + 0.1 * rng.normal(size=skill.shape), MODELS, NAMES)


def cheap(signal: float, cost: float = 0.1) -> pd.DataFrame:
    """Long rows of a proxy per benchmark: its scores times `signal`, plus noise of size 1."""
    noise = np.random.default_rng(8).normal(size=(30, 6))
    values = (signal * scores() + noise).rename(columns=lambda name: f"{name}:p")
    long = values.rename_axis("model").reset_index().melt("model", None, "benchmark", "score")
    return long.assign(cost=cost, role="proxy")


def table(proxies: pd.DataFrame | None = None) -> ResultsTable:
    return read_table(scores(), costs=dict.fromkeys(NAMES, 1.0), proxies=proxies)


@cache
def found(signal: float | None) -> Assessment:
    proxies = None if signal is None else cheap(signal)
    return assess(table(proxies), budget=1.2, procedure=Procedure("greedy"), **QUICK)


def subsets(one: Assessment, method: str) -> list[tuple[str, ...]]:
    return one.folds.loc[one.folds["method"] == method, "benchmarks"].tolist()


@pytest.mark.slow
def test_good_proxies_help_and_noise_is_not_said_to() -> None:
    good, noise = (verdict(found(signal)) for signal in (50.0, 0.0))
    assert good.words[0].startswith("verdict: proxies help at equal cost (1.2 GPU-hours)")
    row = next(one for one in good.against["random"] if one.rival == WITHOUT_PROXIES)
    assert (row.outcome, row.targets) == ("better", "all")
    assert row.high < 0
    bad = next(one for one in noise.against["random"] if one.rival == WITHOUT_PROXIES)
    assert bad.outcome in {"unclear", "worse"}
    assert "not shown to help" in noise.words[0] or "do harm" in noise.words[0]
    assert noise.words[1].startswith("verdict: on models like those")


def test_the_search_without_them_is_that_of_the_table_without_them() -> None:
    both, alone = found(2.0), found(None)
    first = alone.names[0]
    assert subsets(both, WITHOUT_PROXIES) == subsets(alone, first)
    losses = [
        one.folds.loc[one.folds["method"] == name, "loss"].to_numpy()
        for one, name in ((both, WITHOUT_PROXIES), (alone, first))
    ]
    np.testing.assert_array_equal(*losses)
    costs = {**dict.fromkeys(NAMES, 1.0), **{f"{name}:p": 0.1 for name in NAMES}}
    for method in (WITHOUT_PROXIES, both.names[0]):
        assert all(sum(map(costs.get, subset)) <= 1.2 for subset in subsets(both, method))
    gap = both.differences.set_index(["method", "against", "targets"])
    row = gap.loc[(WITHOUT_PROXIES, both.names[0], "all")]
    own = both.folds.loc[both.folds["method"] == both.names[0], "loss"].to_numpy()
    assert row["difference"] == pytest.approx(float((losses[0] - own).mean()))
    every = set(subsets(both, "all benchmarks"))
    assert every == {tuple(NAMES)}


@pytest.mark.parametrize(
    "scorer",
    [
        ScorerSpec("mlp", n_splits=2, options={"epochs": "auto"}),
        ScorerSpec("auto", n_splits=2),
        ScorerSpec("ridge", n_splits=4, weights=dict(zip(NAMES, range(1, 7), strict=True))),
    ],
    ids=["mlp", "auto", "weights"],
)
def test_nothing_of_the_search_without_them_sees_a_proxy(scorer: ScorerSpec) -> None:
    """Epochs, the choice of a scorer and the judge are those of a table that has none."""
    settings = QUICK | {"scorer": scorer, "n_folds": 2, "budget": 2.2}
    procedure = Procedure("greedy", near_ties="covariance")
    both, alone = (
        assess(one, procedure=procedure, **settings) for one in (table(cheap(2.0)), table())
    )
    own = alone.folds[alone.folds["method"] == alone.names[0]].drop(columns="method")
    bare = both.folds[both.folds["method"] == WITHOUT_PROXIES].drop(columns="method")
    pd.testing.assert_frame_equal(bare.reset_index(drop=True), own.reset_index(drop=True))
    names = alone.columns.loc[alone.columns["method"] == alone.names[0]].drop(columns="method")
    mae = both.columns.loc[both.columns["method"] == WITHOUT_PROXIES].drop(columns="method")
    pd.testing.assert_frame_equal(mae.reset_index(drop=True), names.reset_index(drop=True))


def test_proxies_that_are_required_stay_on_both_sides() -> None:
    rules = Constraints(require=("a:p",), exclude=("b:p",))
    one = assess(table(cheap(2.0)), budget=1.2, constraints=rules,
                 procedure=Procedure("greedy"), **QUICK)  # fmt: skip
    assert all("a:p" in subset for subset in subsets(one, WITHOUT_PROXIES))
    allowed = {"a:p", *NAMES}
    assert all(set(subset) <= allowed for subset in subsets(one, WITHOUT_PROXIES))


@pytest.mark.slow
def test_sizes_are_not_compared_and_it_is_said() -> None:
    one = assess(table(cheap(2.0)), 2, procedure=Procedure("greedy"), **QUICK)
    assert WITHOUT_PROXIES not in one.names
    assert "--budget" in verdict(one).words[0]
    assert not any("prox" in sentence for sentence in verdict(found(None)).words)


def test_proxies_of_held_out_models_change_no_search() -> None:
    whole = table(cheap(2.0))
    outer = eevee.shuffle_splits(whole, n_splits=2, test_size=0.3, seed=4)
    outer = replace(outer, train=outer.train[:1], validation=outer.validation[:1],
                    test=outer.test[:1])  # fmt: skip
    held = np.flatnonzero(outer.test[0])
    moved = whole.scores.copy()
    moved.iloc[held] = moved.iloc[held[::-1]].to_numpy()
    found = [
        assess(
            one,
            budget=1.2,
            procedure=Procedure("greedy"),
            outer=outer,
            **(QUICK | {"n_repeats": 2}),
        )
        for one in (whole, replace(whole, scores=moved))
    ]
    for method in (WITHOUT_PROXIES, found[0].names[0]):
        assert subsets(found[0], method) == subsets(found[1], method)
