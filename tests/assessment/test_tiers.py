"""Tiers are assessed as they were chosen: all of them anew, on the models that are not held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eevee
from eevee.scorers.spec import ScorerSpec
from eevee.search.control import RunControl
from eevee.tiers.file import TierSet, tiers_to_json, tiers_to_yaml
from tests.conftest import made_table
from tests.scorers.tables import rich_table, with_scores

RIDGE = ScorerSpec("ridge", n_splits=2)
GREEDY = eevee.Procedure("greedy")
QUICK: dict[str, Any] = {"scorer": RIDGE, "procedure": GREEDY, "n_folds": 3, "n_repeats": 1}


def tiers_of(table: eevee.ResultsTable, **options: Any) -> TierSet:
    scorer = RIDGE.make(table, 0)
    budgets = {"small": 3.0, "big": "60%"}
    return eevee.build_tiers(scorer, budgets, procedure=GREEDY, seed=0, **options).tier_set


def test_only_the_assessed_loss_is_filled_in_and_the_file_can_be_written() -> None:
    table = rich_table(24, missing=0.0)
    tiers = tiers_of(table)
    assessed = eevee.assessment.assess_tiers(table, tiers, **QUICK)
    assert '"assessed_loss": null' in tiers_to_json(tiers)
    assert "null" not in tiers_to_yaml(assessed).partition("assessed_loss")[2].partition("}")[0]
    for before, after in zip(tiers, assessed, strict=True):
        assert before.benchmark_names == after.benchmark_names
        assert before.search_loss == after.search_loss
        loss = after.assessed_loss
        assert loss is not None
        assert loss.low < loss.mean < loss.high
        assert (loss.outer_splits, loss.train_models) == (3, 16)
    assert assessed["big"].assessed_loss.of == "greedy, budget 8.7 h, ridge"


def test_a_tier_of_a_size_has_the_loss_that_assess_gives() -> None:
    table = made_table(21, 6)
    scorer = RIDGE.make(table, 0)
    tiers = eevee.build_tiers(scorer, {}, sizes={"two": 2}, procedure=GREEDY)
    loss = eevee.assessment.assess_tiers(table, tiers, seed=4, **QUICK)["two"].assessed_loss
    alone = eevee.assess(table, 2, seed=4, beside=(), n_random=0, **QUICK).assessed()
    assert loss is not None
    assert (loss.mean, loss.low, loss.high) == (alone.mean, alone.low, alone.high)
    assert loss.of == alone.of == "greedy, k = 2, ridge"


def test_nested_tiers_are_nested_in_every_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    from eevee.assessment import tiers as assessedtiers

    table = rich_table(24, missing=0.0)
    seen: list[tuple[set[str], set[str]]] = []
    choose = assessedtiers.Chooser.__call__

    def spy(*args: Any) -> Any:
        found = choose(*args)
        seen.append((set(found["small"]), set(found["big"])))
        return found

    monkeypatch.setattr(assessedtiers.Chooser, "__call__", spy)
    tiers = tiers_of(table, nested=True)
    one = eevee.assessment.assess_tiers(table, tiers, nested=True, **QUICK)["big"].assessed_loss
    assert len(seen) == 3
    assert all(small < big for small, big in seen)
    assert one is not None
    assert one.of.startswith("greedy, nested, budget")


def test_held_out_models_have_no_part_in_choosing() -> None:
    """With errors of a model that is far off, all losses grow; the choice of its fold does not."""
    from eevee.assessment.tiers import Chooser
    from eevee.search.control import UNATTENDED

    table = made_table(20, 7)
    outer = eevee.fold_splits(table, n_folds=4, n_repeats=1)
    fit = outer.fit[0]
    wild = with_scores(table, np.where(fit[:, None], 1.0, 1e3) * table.scores.to_numpy())
    scorer = RIDGE.make(table, 0)
    tiers = eevee.build_tiers(scorer, {"a": 2, "b": 4}, procedure=GREEDY).tier_set
    choose = Chooser(tiers, None, False, GREEDY, UNATTENDED)
    pair = [choose(RIDGE.make(one.take_models(fit), 1), 0, 1) for one in (table, wild)]
    assert pair[0] == pair[1]


def test_a_stopped_assessment_leaves_the_tiers_as_they_were() -> None:
    table = made_table(20, 5)
    tiers = eevee.build_tiers(RIDGE.make(table, 0), {"a": 2}, procedure=GREEDY).tier_set
    control = RunControl(stop=lambda: True)
    assert eevee.assessment.assess_tiers(table, tiers, control=control, **QUICK) == tiers
