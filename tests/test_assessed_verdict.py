"""The verdict: which way the intervals point, for which models, and how many would be needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.assessed_verdict import Against, verdict
from eevee.outer import Scoring

from .reference_loss import split_loss
from .scoring.tables import rich_table
from .test_outer_kinds import with_families

NOISE = Path(__file__).parents[1].parent / "shared" / "cases" / "trust" / "noise.csv"
GREEDY: dict[str, Any] = {"procedure": eevee.Procedure("greedy"), "beside": ("greedy-swaps",)}


def of_factors(n_models: int = 80, noise: float = 0.2, seed: int = 0) -> eevee.ResultsTable:
    """Half of the columns measure two skills, the others nothing: the search has what to find."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(n_models, 2)) @ rng.normal(size=(2, 6))
    values = np.hstack([skills, np.zeros((n_models, 6))])
    scores = values + np.repeat([noise, 1.0], 6) * rng.normal(size=values.shape)
    return eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdefghijkl")))


@cache
def assessed(kind: str) -> eevee.Assessment:
    table = {"factors": of_factors, "gaps": lambda: rich_table(40, seed=3)}[kind]()
    scoring = Scoring("ridge", n_splits=2)
    folds = {"factors": 10, "gaps": 3}[kind]
    return eevee.assess(table, 2, scorer=scoring, n_random=10, n_folds=folds, n_repeats=1, **GREEDY)


def rows(found: eevee.Assessment) -> dict[str, Against]:
    return {one.rival: one for one in verdict(found).against["random"]}


def test_where_there_is_something_to_find_the_search_is_better() -> None:
    found = assessed("factors")
    assert [one.outcome for one in rows(found).values()] == ["better", "unclear", "better"]
    first, *others = verdict(found).words
    assert first.startswith("Verdict: on models like those in the table, the search (greedy) is ")
    assert "better than random subsets" in first
    assert not any("models would show" in one for one in others)
    assert others[-1].startswith("Not known for models of new families or models stronger")


@pytest.mark.parametrize("kind", ["factors", "gaps"])
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
def test_on_pure_noise_the_first_line_says_that_random_subsets_do_better() -> None:
    scoring = Scoring("ridge", n_splits=3)
    found = eevee.assess(eevee.read_table(NOISE), 4, scorer=scoring, n_repeats=1, **GREEDY)
    first = verdict(found).words[0]
    assert "random subsets do better than the search (greedy)" in first


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_never_said_to_be_better_than_random(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(size=(40, 10))
    table = eevee.ResultsTable.from_scores(pd.DataFrame(noise, columns=list("abcdefghij")))
    scoring = Scoring("ridge", n_splits=3)
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


def test_each_kind_of_models_has_a_sentence_of_its_own() -> None:
    side = eevee.assess_splits(
        with_families(),
        2,
        kinds=("random", "family", "frontier"),
        scorer=Scoring("ridge", n_splits=2),
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
        of_factors(30), 2, scorer=Scoring("ridge", n_splits=2), n_random=0, n_repeats=1, **GREEDY
    )
    assert "was not compared with random subsets" in verdict(found).words[0]
