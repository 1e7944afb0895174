"""What a search would choose again, and what it could not tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.scorers.spec import ScorerSpec
from eevee.search.control import RunControl
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table

RIDGE = ScorerSpec("ridge", n_splits=3)
GREEDY = eevee.Procedure("greedy")
FEW = eevee.search.Evolution(
    population=8, winners=2, children=2, generations=1, rival=False, polish=False
)


def clear_table() -> ResultsTable:
    """Two skills, each measured well by one benchmark and badly by three."""
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(60, 2)), 4, axis=1)
    noise = np.array([0.05, 0.5, 0.5, 0.5, 0.05, 0.5, 0.5, 0.5]) * rng.normal(size=(60, 8))
    return ResultsTable.from_scores(pd.DataFrame(skills + noise, columns=list("abcdefgh")))


def test_what_is_clear_is_chosen_every_time() -> None:
    found = eevee.assessment.assess_stability(clear_table(), 2, scorer=RIDGE, n_repeats=1)
    assert found.subset == ("a", "e")
    shares = found.benchmarks.set_index("benchmark")
    assert set(shares.index[shares["over_models"] > 0]) == {"a", "e"}
    assert found.agreement["jaccard"].tolist() == [1.0, 1.0]
    assert found.agreement["kuncheva"].tolist() == [1.0, 1.0]
    assert found.agreement["searches"].tolist() == [5, 5]


def test_the_searches_on_other_models_are_those_of_assess() -> None:
    table = made_table()
    options = {"scorer": RIDGE, "procedure": GREEDY, "n_folds": 3, "n_repeats": 1, "seed": 2}
    found = eevee.assessment.assess_stability(table, 3, **options)  # type: ignore[arg-type]
    assessed = eevee.assess(table, 3, beside=(), n_random=0, **options)  # type: ignore[arg-type]
    rows = assessed.folds[assessed.folds["method"] == "greedy"]
    counts = rows["benchmarks"].explode().value_counts() / 3
    shares = found.benchmarks.set_index("benchmark")["over_models"]
    pd.testing.assert_series_equal(
        shares[shares > 0].sort_index(), counts.sort_index(), check_names=False
    )
    loss = assessed.methods["loss"].iloc[0]
    assert found.steps.set_index("targets").loc["all", "loss"] == pytest.approx(loss)


@pytest.mark.slow
def test_one_more_benchmark_is_told_apart_only_where_it_helps() -> None:
    table = clear_table()
    options = {"scorer": RIDGE, "procedure": GREEDY, "n_repeats": 2}
    second, third = (
        eevee.assessment.assess_stability(table, k, **options)  # type: ignore[arg-type]
        for k in (1, 2)
    )
    assert second.steps["apart"].all()
    assert second.words == ()
    unseen = third.steps.set_index("targets").loc["unseen"]
    assert not unseen["apart"]
    assert any("k = 2 and k = 3 cannot be distinguished (unseen" in one for one in third.words)


def test_other_seeds_of_a_poor_search_choose_otherwise_and_of_an_exact_one_do_not() -> None:
    table = made_table(20, 9)
    options = {"scorer": RIDGE, "n_folds": 2, "n_repeats": 1}
    poor = eevee.Procedure(evolution=FEW, exhaustive=False)
    loose, exact = (
        eevee.assessment.assess_stability(table, 3, procedure=one, **options)  # type: ignore[arg-type]
        for one in (poor, eevee.Procedure())
    )
    assert loose.agreement.loc["seeds", "jaccard"] < 1
    assert exact.agreement.loc["seeds", "jaccard"] == 1
    assert not loose.exact
    assert exact.words[0] == "Every subset was scored: seeds of the search play no part."


def test_of_what_leaves_nothing_unseen_no_word_is_said() -> None:
    options: dict[str, Any] = {"procedure": GREEDY, "n_folds": 2, "n_repeats": 1}
    found = eevee.assessment.assess_stability(made_table(20, 3), 2, scorer=RIDGE, **options)
    assert not any("nan" in sentence for sentence in found.words)


def test_the_noise_floor_is_the_spread_over_redrawn_splits_and_initialisations() -> None:
    table = made_table(20, 5)
    options = {"procedure": GREEDY, "n_folds": 2, "n_repeats": 1}
    ridge = eevee.assessment.assess_stability(table, 2, scorer=RIDGE, **options)  # type: ignore[arg-type]
    assert ridge.noise.loc["splits", "spread"] > 0
    assert ridge.noise.loc["splits", "draws"] == 10
    assert np.isnan(ridge.noise.loc["initialisations", "spread"])
    networks = ScorerSpec("mlp", n_splits=2, options={"epochs": 20, "device": "cpu"})
    mlp = eevee.assessment.assess_stability(table, 2, scorer=networks, **options)  # type: ignore[arg-type]
    assert mlp.noise.loc["initialisations", "spread"] > 0


def test_a_budget_has_no_next_size() -> None:
    table = made_table(20, 5)
    found = eevee.assessment.assess_stability(
        table, budget=2, procedure=GREEDY, scorer=RIDGE, n_folds=2, n_repeats=1
    )
    assert found.steps.empty
    assert found.words == ()


def test_nothing_to_search_for_or_one_seed_is_refused() -> None:
    table = made_table(20, 5)
    with pytest.raises(eevee.EeveeError, match="give a size k or a budget"):
        eevee.assessment.assess_stability(table)
    with pytest.raises(eevee.EeveeError, match="n_seeds must be at least 2"):
        eevee.assessment.assess_stability(table, 2, n_seeds=1)


@pytest.mark.slow
def test_what_an_assessment_found_is_not_searched_for_again() -> None:
    table = made_table(20, 6)
    options: dict[str, Any] = {
        "procedure": GREEDY,
        "scorer": RIDGE,
        "n_folds": 2,
        "n_repeats": 1,
    }
    found = eevee.assess(table, 2, n_random=2, beside=(), **options)
    labels: list[str] = []
    control = RunControl(progress=lambda progress: labels.append(progress.label))
    again = eevee.assessment.assess_stability(table, 2, known=found, control=control, **options)
    anew = eevee.assessment.assess_stability(table, 2, **options)
    pd.testing.assert_frame_equal(again.benchmarks, anew.benchmarks)
    pd.testing.assert_frame_equal(again.steps, anew.steps)
    assert not {"fold 1", "fold 2"} & set(labels)
    assert "fold 1, one more" in labels
    with pytest.raises(eevee.EeveeError, match="of another search: its goal is 'k = 2'"):
        eevee.assessment.assess_stability(table, 3, known=found, **options)
