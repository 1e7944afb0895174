from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.evolution.screen import SCREEN_FACTOR, best_of
from eevee.search.procedure import Procedure
from eevee.search.sweep import sweep
from tests.conftest import made_table
from tests.scorers.tables import few_splits
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

QUICK = Evolution.paper(population=60, winners=10, children=5, generations=6, patience=3)
FULL = replace(QUICK, patience=None)


def _run(n=30, *, loss=smooth, screen_loss=smooth, table=None, **options):
    table = table or table_with(n)
    scorer, screen = FunctionScorer(table, loss), FunctionScorer(table, screen_loss)
    options = {"k": 6, "exhaustive": False, "evolution": QUICK} | options
    return evolve(scorer, screen=screen, **options), scorer, screen


def _generations(found) -> dict[int, list]:
    return found.evaluated.groupby("generation")["benchmarks"].apply(list).to_dict()


def test_reported_losses_are_the_scorers() -> None:
    found, scorer, _ = _run(screen_loss=noise)
    for frame in (found.evaluated, found.ranked):
        assert frame["loss"].tolist() == [smooth(subset) for subset in frame["benchmarks"]]
    assert found.logbook["best"].iloc[-1] == min(map(smooth, scorer.asked))


def test_no_subset_goes_to_the_scorer_twice_and_no_more_than_without_a_screen() -> None:
    found, scorer, _ = _run(evolution=FULL)
    sizes = [len(batch) for batch in scorer.batches if batch]
    assert set(scorer.asked.values()) == {1}
    assert sizes == [60] + 6 * [50]
    assert len(found.evaluated) <= QUICK.most


def test_a_generation_is_the_best_by_the_screen_of_ten_times_the_children() -> None:
    found, _, screen = _run(evolution=FULL)
    batches = [batch for batch in screen.batches if batch]
    assert len(batches) == 6
    for generation, batch in enumerate(batches, start=1):
        assert len(batch) == len(set(batch)) == SCREEN_FACTOR * 10 * 5
        wanted = sorted(batch, key=lambda subset: (float(f"{smooth(subset):.6g}"), subset))[:50]
        assert set(_generations(found)[generation]) == set(wanted)


def test_what_the_screen_sees_was_never_scored_and_lies_one_swap_from_a_winner() -> None:
    found, _, screen = _run(screen_loss=noise)
    seen = found.evaluated.set_index("benchmarks")
    for generation, batch in enumerate(filter(None, screen.batches), start=1):
        before = seen[seen["generation"] < generation]
        kept = sorted(before.index, key=lambda s: (float(f"{before['loss'][s]:.6g}"), s))[:10]
        for child in batch:
            assert child not in before.index
            assert any(len(set(child) & set(parent)) == 5 for parent in kept)


def test_what_the_screen_turned_down_may_be_proposed_again() -> None:
    _, _, screen = _run(
        14,
        k=4,
        evolution=Evolution.paper(
            population=20, winners=4, children=4, generations=8, patience=None
        ),
    )
    assert max(screen.asked.values()) > 1


def test_the_random_baseline_is_what_it_is_without_a_screen() -> None:
    found, scorer, _ = _run()
    plain = evolve(FunctionScorer(scorer.table, smooth), 6, exhaustive=False, evolution=QUICK)
    assert _generations(found)[0] == _generations(plain)[0]
    np.testing.assert_array_equal(found.random_losses, plain.random_losses)


@pytest.mark.parametrize("selection", ["best", "tournament"])
@pytest.mark.parametrize("size", [{"k": 5}, {"k": None, "budget": 5.0}])
def test_the_same_seed_gives_the_same_search_and_another_seed_another(selection, size) -> None:
    evolution = Evolution.paper(
        population=60, winners=10, children=5, generations=4, patience=3, selection=selection
    )
    runs = [_run(evolution=evolution, seed=seed, **size)[0] for seed in (3, 3, 4)]
    for name in ("ranked", "evaluated", "logbook"):
        pd.testing.assert_frame_equal(getattr(runs[0], name), getattr(runs[1], name))
    assert set(runs[0].evaluated["benchmarks"]) != set(runs[2].evaluated["benchmarks"])


def test_a_screen_that_knows_the_loss_finds_more_with_as_many_scores() -> None:
    evolution = replace(FULL, generations=3)
    for seed in range(5):
        found, scorer, _ = _run(40, k=10, evolution=evolution, seed=seed)
        plain = evolve(FunctionScorer(scorer.table, smooth), 10, evolution=evolution, seed=seed)
        assert len(found.evaluated) == len(plain.evaluated)
        assert found.best_row["loss"] < plain.best_row["loss"]


def test_parents_stay_so_even_a_misleading_screen_never_makes_the_best_worse() -> None:
    found, _, _ = _run(screen_loss=lambda s: -smooth(s))
    assert all(after <= before for before, after in pairwise(found.logbook["best"]))


def test_a_blank_screen_loss_comes_last() -> None:
    screen = FunctionScorer(table_with(6), lambda s: float("nan") if "b00" in s else noise(s))
    subsets = [("b00",), ("b01",), ("b02",)]
    assert best_of(screen, subsets, 3)[2] == ("b00",)
    assert best_of(screen, [], 3) == []


def test_ties_of_the_screen_are_broken_by_cost_then_names() -> None:
    screen = FunctionScorer(table_with([3.0, 2.0, 1.0, 1.0]), lambda s: 0.5 + 1e-9 * noise(s))
    subsets = [("b00",), ("b01",), ("b03",), ("b02",)]
    assert best_of(screen, subsets, 3) == [("b02",), ("b03",), ("b01",)]


def test_a_space_that_runs_out_ends_the_search_with_every_subset_scored_once() -> None:
    found, scorer, _ = _run(
        8,
        k=4,
        evolution=Evolution.paper(
            population=20, winners=70, children=5, generations=10, patience=None
        ),
    )
    assert len(scorer.asked) == 70
    assert set(scorer.asked.values()) == {1}
    assert found.best == min(scorer.asked, key=smooth)


def test_an_exhaustive_search_has_nothing_to_screen() -> None:
    found, _, screen = _run(8, k=3, exhaustive=True)
    assert found.exact
    assert not screen.asked
    assert "screen" not in found.settings


def test_settings_tell_the_screen_in_plain_values_and_only_where_there_is_one() -> None:
    table = made_table()
    splits = few_splits(table)
    screen = eevee.RidgeScorer(table, splits)
    scorer = eevee.MLPScorer(table, splits, epochs=2)
    few = {
        "n_rescore": 0,
        "exhaustive": False,
        "evolution": Evolution.paper(population=10, winners=4, children=3, generations=1),
    }
    found = evolve(scorer, 3, screen=screen, **few)
    assert json.loads(json.dumps(found.settings))["screen"] == screen.describe()
    assert "screen" not in evolve(scorer, 3, **few).settings


def test_a_ridge_screen_serves_a_search_under_a_budget_on_a_table_with_gaps(gappy_table) -> None:
    splits = few_splits(gappy_table)
    found = evolve(
        eevee.MLPScorer(gappy_table, splits, epochs=2),
        budget=4,
        screen=eevee.RidgeScorer(gappy_table, splits),
        evolution=Evolution.paper(population=10, winners=4, children=3, generations=2),
        exhaustive=False,
        n_rescore=2,
    )
    assert (found.evaluated["cost"] <= 4).all()
    assert found.ranked["rescored_mean"].notna().all()


def test_a_sweep_passes_the_screen_on() -> None:
    table = table_with(20)
    options = {"exhaustive": False, "evolution": QUICK}
    screen = FunctionScorer(table, smooth)
    procedure = Procedure(screen=lambda _: screen, **options)
    found = sweep(FunctionScorer(table, smooth), [3, 5], procedure=procedure)
    assert {len(subset) for subset in screen.asked} == {3, 5}
    assert all(result.settings["screen"] == {"name": "function"} for result in found)


def test_tiers_pass_the_screen_on_and_their_file_tells_it() -> None:
    table = table_with(20)
    scorer, screen = FunctionScorer(table, smooth), FunctionScorer(table, smooth)
    tiers = eevee.build_tiers(
        scorer,
        {"small": 3, "big": 6},
        procedure=Procedure(screen=lambda _: screen, exhaustive=False, evolution=QUICK),
    )
    assert tiers.tier_set.search["screen"] == {"name": "function"}
    assert {len(subset) for subset in screen.asked} >= {3, 6}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.take_models(np.arange(t.n_models) > 0), "model '0' is in the scorer's"),
        (lambda t: table_with(t.n_benchmarks + 1), "benchmark 'b30' is in the screen's"),
    ],
)
def test_a_screen_of_another_table_is_refused_before_anything_is_scored(change, message) -> None:
    table = table_with(30)
    table = eevee.ResultsTable.from_scores(table.scores.set_index(table.scores.index.map(str)))
    other = change(table)
    other = eevee.ResultsTable.from_scores(other.scores.set_index(other.scores.index.map(str)))
    scorer, screen = FunctionScorer(table, smooth), FunctionScorer(other, smooth)
    with pytest.raises(eevee.EeveeError, match=message):
        evolve(scorer, 3, screen=screen)
    assert not scorer.asked
    assert not screen.asked


def test_a_screen_for_other_targets_is_refused_and_the_message_says_what_to_use() -> None:
    table = table_with(12)
    screen = FunctionScorer(table, smooth, targets="unseen")
    with pytest.raises(eevee.EeveeError, match=r"use screen\.with_targets\('all'\)"):
        evolve(FunctionScorer(table, smooth), 3, screen=screen)


@pytest.mark.parametrize(
    ("selection", "wanted"),
    [("best", "d0dfecf0f78d38f7"), ("tournament", "a76f79ab9eeb0ee4")],
)
def test_without_a_screen_a_search_visits_what_it_did_before_there_were_screens(
    selection, wanted
) -> None:
    evolution = Evolution.paper(
        population=60, winners=10, children=5, generations=4, patience=3, selection=selection
    )
    scorer = FunctionScorer(table_with(24), smooth)
    found = evolve(scorer, 4, seed=3, evolution=evolution, exhaustive=False)
    visited = found.evaluated[["benchmarks", "generation"]].to_csv(index=False)
    assert hashlib.sha256(visited.encode()).hexdigest()[:16] == wanted
