"""A study stands for a table and settings: the same results either way."""

from __future__ import annotations

import inspect

import pytest

import eevee
from eevee.assessment import (
    Study,
    assess_stability,
    assess_tiers,
    full_assessment,
    learning_curve,
)
from eevee.scorers import ScorerSpec
from eevee.search import Budget
from tests.conftest import made_table

RIDGE = ScorerSpec("ridge", n_splits=2)
SETTINGS = {"scorer": RIDGE, "n_folds": 2, "n_repeats": 1, "seed": 4}
QUICK = {"n_random": 3, "beside": ()}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study.of(made_table(24, 6), 2, **SETTINGS)


def test_a_study_gives_what_its_settings_give(study: Study) -> None:
    one = eevee.assess(study, **QUICK)
    other = eevee.assess(study.table, 2, **SETTINGS, **QUICK)
    assert one.methods.to_csv() == other.methods.to_csv()
    assert one.settings == other.settings


@pytest.mark.slow
def test_parts_of_one_study_share_its_searches(study: Study) -> None:
    found = eevee.assess(study, **QUICK)
    stable = assess_stability(study, known=found, n_seeds=2)
    curve = learning_curve(study, known=found, sizes=[6, 12])
    assert stable.steps["loss"].iloc[0] == found.methods["loss"].iloc[0]
    assert curve.sizes["loss"].iloc[-1] == found.methods["loss"].iloc[0]


def test_a_percentage_is_of_the_costs_of_the_whole_table() -> None:
    table = made_table(24, 6)
    study = Study.of(table, budget="50%", scorer="ridge")
    assert study.goal.budget == Budget(table.total_cost / 2)


def test_settings_beside_a_study_are_refused(study: Study) -> None:
    for wrong in ({"k": 3}, {"seed": 1}):
        with pytest.raises(eevee.EeveeError, match="a study has its settings"):
            eevee.assess(study, **wrong)


def test_what_is_known_must_be_of_the_same_study(study: Study) -> None:
    table = study.table
    some = eevee.fold_splits(table, n_folds=3, n_repeats=1, seed=5)
    other = eevee.fold_splits(table, n_folds=3, n_repeats=1, seed=6)
    found = eevee.assess(table, 2, scorer=RIDGE, outer=some, **QUICK)
    assert found.settings["splits"] == "3 given splits"
    for wrong in ({"outer": other}, {"outer": some, "scorer": ScorerSpec("ridge", n_splits=3)}):
        with pytest.raises(eevee.EeveeError, match="known is of another search"):
            assess_stability(table, 2, known=found, **{"scorer": RIDGE, **wrong})
    first, second = (eevee.splits.frontier_splits(table, n_splits=2, seed=seed) for seed in (0, 1))
    assert (first.test == second.test).all()
    found = eevee.assess(table, 2, scorer=RIDGE, outer=first, **QUICK)
    with pytest.raises(eevee.EeveeError, match="known is of another search"):
        assess_stability(table, 2, known=found, scorer=RIDGE, outer=second)


def test_stability_beside_families_is_refused_before_the_work(study: Study) -> None:
    with pytest.raises(eevee.EeveeError, match="hold out random models alone"):
        full_assessment(study, kinds=("family", "random"), stability=True)
    with pytest.raises(eevee.EeveeError, match="give a size k or a budget"):
        full_assessment(Study.of(study.table), curve=True)


def test_shared_keywords_are_shown_where_a_user_looks() -> None:
    for function in (eevee.assess, assess_stability, learning_curve):
        parameters = inspect.signature(function).parameters
        assert parameters["n_folds"].default == 5
        assert parameters["scorer"].default == "mlp"
        assert "settings" not in parameters
    with pytest.raises(TypeError, match=r"^assess\(\) got an unexpected keyword argument 'n_fold'"):
        eevee.assess(study_table(), 2, n_fold=3)


def study_table() -> eevee.ResultsTable:
    return made_table(12, 4)


def test_tiers_are_assessed_under_their_own_budgets() -> None:
    table = made_table(24, 6)
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2))
    tiers = eevee.build_tiers(scorer, {"small": 2}, baselines=False)
    with pytest.raises(eevee.EeveeError, match="takes budgets and sizes from the tiers"):
        assess_tiers(table, tiers, budget=3, scorer="ridge")
