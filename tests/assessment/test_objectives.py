"""Searches by other objectives: better by their own, held out, and how far they agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.scorers.base import Objective
from eevee.scorers.objective import objective_scorer
from eevee.scorers.spec import ScorerSpec
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import with_scores

RIDGE = ScorerSpec("ridge", n_splits=3)
QUICK: dict[str, Any] = {"scorer": RIDGE, "n_random": 2, "n_repeats": 1, "n_folds": 3, "beside": ()}


def scorer_of(table: ResultsTable) -> eevee.RidgeScorer:
    return eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=3))


@pytest.mark.parametrize("objective", ["kendall", "r2"])
def test_an_exhaustive_search_finds_the_subset_with_the_best_objective(
    objective: Objective,
) -> None:
    table = made_table(20, 6)
    scorer = scorer_of(table)
    found = eevee.Procedure(objective=objective).run(scorer, k=2)
    assert found.exact
    assert found.objective == found.settings["objective"] == objective
    judge = objective_scorer(scorer, objective)
    every = judge.losses(list(found.evaluated["benchmarks"]))
    assert judge.losses([found.best])[0] == every.min()
    np.testing.assert_array_equal(found.evaluated["loss"], every)


@pytest.mark.parametrize("objective", ["kendall", "r2"])
def test_by_its_own_objective_each_search_is_best(objective: Objective) -> None:
    table = made_table(24, 12)
    scorer = scorer_of(table)
    judge = objective_scorer(scorer, objective)
    own = eevee.Procedure(objective=objective).run(scorer, k=4).best
    other = eevee.Procedure().run(scorer, k=4).best
    mine, theirs = judge.losses([own, other])
    assert mine <= theirs
    losses = scorer.losses([own, other])
    assert losses[0] >= losses[1]
    assert objective == "r2" or set(own) != set(other)  # R2 may well agree with the loss


def test_the_tiers_of_an_order_hold_the_loss_all_the_same() -> None:
    table = made_table(20, 6)
    scorer = scorer_of(table)
    tiers = eevee.build_tiers(scorer, {"small": 2}, procedure=eevee.Procedure(objective="kendall"))
    tier = tiers["small"]
    assert tiers.tier_set.search["objective"] == "kendall"
    assert tier.search_loss.mean == pytest.approx(scorer.losses([tier.benchmark_names])[0])
    assert "objective" not in tiers.tier_set.scorer


def test_assess_says_how_far_the_objectives_agree() -> None:
    table = made_table(24, 8)
    found = eevee.assess(table, 3, objectives=["loss", "kendall", "r2"], **QUICK)
    names = ["evolution", "evolution (kendall)", "evolution (r2)"]
    assert found.settings["objectives"] == dict(zip(names, ["loss", "kendall", "r2"], strict=True))
    agreement = eevee.assessment.objective_agreement(found)
    assert agreement[["first", "second"]].to_numpy().tolist() == [
        [names[0], names[1]],
        [names[0], names[2]],
        [names[1], names[2]],
    ]
    folds = found.folds.set_index(["method", "fold"])["benchmarks"]
    shares = [
        len({*folds[names[0], i]} & {*folds[names[1], i]})
        / len({*folds[names[0], i]} | {*folds[names[1], i]})
        for i in range(3)
    ]
    assert agreement["jaccard"].iloc[0] == pytest.approx(np.mean(shares))


def test_the_other_objectives_change_nothing_for_the_first() -> None:
    table = made_table(24, 8)
    alone = eevee.assess(table, 3, **QUICK)
    beside = eevee.assess(table, 3, objectives=["r2"], **QUICK)
    first = [one.methods.iloc[0] for one in (alone, beside)]
    pd.testing.assert_series_equal(*first)
    assert eevee.assessment.objective_agreement(alone).empty


def test_by_order_too_searches_do_not_see_held_out_models() -> None:
    table = made_table(24, 8)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1).take([0])
    values = table.scores.to_numpy().copy()
    values[outer.test[0]] = np.random.default_rng(0).normal(size=values[outer.test[0]].shape)
    options = {**QUICK, "outer": outer, "objectives": ["kendall", "r2"]}
    found = [eevee.assess(one, 3, **options) for one in (table, with_scores(table, values))]
    assert found[0].folds["benchmarks"].tolist() == found[1].folds["benchmarks"].tolist()


def test_the_gap_is_of_losses_whatever_was_minimised() -> None:
    table = made_table(24, 8)
    found = eevee.assess(table, 3, procedure=eevee.Procedure(objective="kendall"), **QUICK)
    assert found.names[0] == "evolution (kendall)"
    row = found.gap.iloc[0]
    total = row["search_loss"] + row["optimism"] + row["training_size"]
    assert total == pytest.approx(row["loss"])
    assert "kendall" in found.assessed().of


def test_what_makes_no_sense_is_refused() -> None:
    table = made_table(24, 8)
    with pytest.raises(eevee.EeveeError, match="give a size k or a budget"):
        eevee.assess(table, subsets={"mine": table.benchmark_names[:2]}, objectives=["r2"], **QUICK)
    with pytest.raises(eevee.EeveeError, match="use a size k, or another objective"):
        eevee.assess(table, budget=3, objectives=["r2"], **QUICK)
    medoids = eevee.Procedure("medoids")
    with pytest.raises(eevee.EeveeError, match="the same by every objective"):
        eevee.assess(table, 2, procedure=medoids, objectives=["r2"], **QUICK)
    with pytest.raises(eevee.EeveeError, match="no objective 'tau'"):
        eevee.Procedure(objective="tau")  # type: ignore[arg-type]
