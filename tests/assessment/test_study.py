"""A study stands for a table and settings: the same results either way."""

from __future__ import annotations

import pytest

import eevee
from eevee.assessment import Study, assess_stability, learning_curve
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


def test_an_unknown_setting_is_no_setting() -> None:
    with pytest.raises(TypeError, match="n_fold"):
        eevee.assess(made_table(24, 6), 2, n_fold=3)
