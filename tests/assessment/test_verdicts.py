"""The verdict: which way the intervals point, for which models, and how many would be needed."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eevee
from eevee.assessment.verdicts import Against, _needed, _row, verdict
from eevee.scorers.spec import ScorerSpec
from tests.reference_loss import split_loss
from tests.scorers.tables import rich_table
from tests.splits.test_outer import with_families

NOISE = Path(__file__).parents[2].parent / "shared" / "cases" / "trust" / "noise.csv"
GREEDY: dict[str, Any] = {"procedure": eevee.Procedure("greedy"), "beside": ("greedy-swaps",)}


def of_factors(n_models: int = 80, noise: float = 0.2, seed: int = 0) -> eevee.ResultsTable:
    """Half of the columns measure two skills, the others nothing: the search has what to find."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(n_models, 2)) @ rng.normal(size=(2, 6))
    values = np.hstack([skills, np.zeros((n_models, 6))])
    scores = values + np.repeat([noise, 1.0], 6) * rng.normal(size=values.shape)
    return eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdefghijkl")))


@cache
def assessed(kind: str) -> eevee.assessment.Assessment:
    table = {"factors": of_factors, "gaps": lambda: rich_table(40, seed=3)}[kind]()
    scoring = ScorerSpec("ridge", n_splits=2)
    folds = {"factors": 10, "gaps": 3}[kind]
    return eevee.assess(table, 2, scorer=scoring, n_random=10, n_folds=folds, n_repeats=1, **GREEDY)


def rows(found: eevee.assessment.Assessment) -> dict[str, Against]:
    return {one.rival: one for one in verdict(found).against["random"]}


@pytest.mark.slow
def test_where_there_is_something_to_find_the_search_is_better() -> None:
    found = assessed("factors")
    assert [one.outcome for one in rows(found).values()] == ["better", "unclear", "better"]
    first, *others = verdict(found).words
    assert first.startswith("verdict: on models like those in the table, the search (greedy) is ")
    assert "better than random subsets" in first
    assert others[0].startswith("It cannot be distinguished from greedy search with swaps (loss ")
    assert others[1].startswith("It predicts the benchmarks that are not run better than their")
    assert not any("models would show" in one for one in others)
    assert others[-1].startswith("Not known for models of new families or models stronger")


@pytest.mark.parametrize("kind", ["factors", "gaps"])
@pytest.mark.slow
def test_numbers_are_those_of_the_assessment(kind: str) -> None:
    found = assessed(kind)
    methods, own = found.methods.set_index("method")["loss"], found.names[0]
    for rival in ("random", "greedy-swaps"):
        one = rows(found)[rival]
        assert (one.loss, one.rival_loss) == (methods[own], methods[rival])
        assert one.relative == pytest.approx(methods[own] / methods[rival] - 1)
        assert one.low <= one.relative <= one.high


@pytest.mark.parametrize("kind", ["factors", "gaps"])
def test_means_are_judged_on_the_benchmarks_that_are_not_run_alone(kind: str) -> None:
    found = assessed(kind)
    table, one = found.contest.table, rows(found)["mean predictor"]
    losses = []
    for fold in found.contest.folds:
        fitted = table.scores[~fold.held_out]
        mean = fitted.mean().where(fitted.notna().sum() >= 2)
        tested = table.scores.index[fold.held_out]
        predicted = pd.DataFrame([mean] * len(tested), index=tested)
        losses.append(split_loss(table, predicted, own=fold.judged[found.names[0]].subset))
    assert one.rival_loss == pytest.approx(np.mean(losses))
    assert one.loss == found.methods["loss_unseen"].iloc[0]


@pytest.mark.skipif(not NOISE.exists(), reason="the table of noise (shared/cases) is not here")
@pytest.mark.slow
def test_on_pure_noise_the_first_line_says_that_the_search_is_worse_than_random_subsets() -> None:
    scoring = ScorerSpec("ridge", n_splits=3)
    found = eevee.assess(eevee.read_table(NOISE), 4, scorer=scoring, n_repeats=1, **GREEDY)
    first = verdict(found).words[0]
    assert "the search (greedy) is worse than random subsets" in first


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_noise_is_never_said_to_be_better_than_random(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(size=(40, 10))
    table = eevee.ResultsTable.from_scores(pd.DataFrame(noise, columns=list("abcdefghij")))
    scoring = ScorerSpec("ridge", n_splits=3)
    found = eevee.assess(table, 3, scorer=scoring, n_repeats=1, n_random=10, **GREEDY)
    assert rows(found)["random"].outcome != "better"
    assert rows(found)["mean predictor"].outcome != "better"


def against(relative: float, low: float, high: float) -> Against:
    return Against("random", "all", 0.5, 0.6, relative, low, high)


def test_the_models_needed_grow_with_the_square_of_the_interval() -> None:
    assert against(-0.1, -0.3, 0.1).models_needed(50) == 200
    assert against(-0.1, -0.2, 0.0).models_needed(50) == 50
    assert against(0.1, -0.1, 0.3).models_needed(50) is None  # not in favour of the search
    assert against(-0.1, -0.15, -0.05).models_needed(50) is None  # told apart already


@pytest.mark.slow
def test_each_kind_of_models_has_a_sentence_of_its_own() -> None:
    side = eevee.assessment.assess_splits(
        with_families(),
        2,
        kinds=("random", "family", "frontier"),
        scorer=ScorerSpec("ridge", n_splits=2),
        n_random=3,
        n_folds=4,
        n_repeats=1,
        **GREEDY,
    )
    found = verdict(side)
    assert set(found.against) == {"random", "family", "frontier"}
    for start in ("On models of new families: ", "On models stronger than all that were seen: "):
        assert sum(one.startswith(start) for one in found.words) == 1
    assert not any(one.startswith("Not known") for one in found.words)
    assert found.words[-len(side.words) :] == tuple(side.words) or not side.words


def test_without_random_subsets_it_says_so() -> None:
    found = eevee.assess(
        of_factors(30), 2, scorer=ScorerSpec("ridge", n_splits=2), n_random=0, n_repeats=1, **GREEDY
    )
    assert "was not compared with random subsets" in verdict(found).words[0]


limits = st.one_of(st.just(float("nan")), st.floats(-3, 3))


@given(st.floats(-1, 3), limits, limits, limits, limits)
def test_an_estimate_lies_in_its_interval_or_has_none(
    relative: float, low: float, high: float, t_low: float, t_high: float
) -> None:
    found: dict[str, float] = {"relative": relative}
    for ends, name in (((low, high), "relative"), ((t_low, t_high), "relative_t")):
        width = np.abs(ends)  # around the estimate, or none at all
        blank = bool(np.isnan(width).any())
        found[f"{name}_low"] = np.nan if blank else relative - width[0]
        found[f"{name}_high"] = np.nan if blank else relative + width[1]
    contest = SimpleNamespace(
        difference=lambda *_: found,
        losses={(one, "all"): SimpleNamespace(mean=0.5) for one in ("a", "b")},
    )
    one = _row(contest, "a", "b", "all")  # type: ignore[arg-type]
    if np.isnan(low + high) and np.isnan(t_low + t_high):
        assert np.isnan([one.low, one.high]).all()
        assert (one.outcome, one.models_needed(50)) == ("unclear", None)
        assert one.numbers.endswith(", no interval")
    else:
        assert -1 <= one.low <= one.relative <= one.high
        assert "interval -" in one.numbers or "interval +" in one.numbers


def test_a_lone_tested_family_gives_no_interval_and_no_claim() -> None:
    table = with_families()
    top = eevee.splits.frontier_splits(table, test_size=0.25).test[0]
    family = np.where(top, "top", np.arange(table.n_models).astype(str))
    one_family = replace(table, models=table.models.assign(family=family))
    side = eevee.assessment.assess_splits(
        one_family, 2, kinds=("frontier",), families="family", n_folds=4, n_repeats=1, n_random=3,
        scorer=ScorerSpec("ridge", n_splits=2), **GREEDY,
    )  # fmt: skip
    found = verdict(side)
    assert {one.outcome for one in found.against["frontier"]} == {"unclear"}
    assert "no interval" in found.words[0]
    assert "better" not in found.words[0]
    json.dumps(found.as_dict())


@pytest.mark.parametrize("objective", ["kendall", "r2"])
def test_a_search_by_another_objective_is_judged_by_loss_beside_the_same_simple_search(
    objective: Any,
) -> None:
    found = eevee.assess(
        of_factors(30), 2, scorer=ScorerSpec("ridge", n_splits=2), n_random=3, n_folds=3,
        n_repeats=1, procedure=eevee.Procedure("greedy", objective=objective),
        beside=("greedy-swaps",),
    )  # fmt: skip
    one = rows(found)[f"greedy-swaps ({objective})"]
    losses = found.methods.set_index("method")["loss"]
    assert one.rival_loss == losses[f"greedy-swaps ({objective})"]
    said = verdict(found).words
    assert f"the search (greedy, {objective})" in said[0]
    assert any("greedy search with swaps (loss " in line for line in said[:3])
    assert sum(line.startswith("All by loss; the search minimised 1 - ") for line in said) == 1


def test_a_learning_curve_that_is_clear_says_nothing_beside_a_verdict_that_is_not() -> None:
    unclear, clear = against(-0.1, -0.3, 0.1), against(-0.1, -0.2, -0.05)
    means = Against("mean predictor", "unseen", 0.5, 0.6, -0.1, -0.2, -0.05)
    curve = SimpleNamespace(supported=20)
    assert "from 20 models to search on" in " ".join(_needed([clear, means], 50, curve))  # type: ignore[arg-type]
    (said,) = _needed([unclear, means], 50, curve)  # type: ignore[arg-type]
    assert said.startswith("If the difference stays as it is, a table of about 200 models")
