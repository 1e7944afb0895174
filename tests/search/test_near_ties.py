from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import LedoitWolf

import eevee
from eevee.base.arrays import round6
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.near_ties import FEW_MODELS, lowest_row, settled_words
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.tables.results_table import ResultsTable

QUICK = Evolution(population=60, winners=8, children=4, generations=3)


def _table(
    n_models: int = 16, n_benchmarks: int = 9, gaps: float = 0.0, seed: int = 3
) -> ResultsTable:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_models, 2)) @ rng.normal(size=(2, n_benchmarks))
    scores += 0.7 * rng.normal(size=scores.shape)
    scores[rng.random(scores.shape) < gaps] = np.nan
    names = [f"b{i}" for i in range(n_benchmarks)]
    costs = pd.DataFrame({"task": None, "cost": 1.0 + np.arange(n_benchmarks) % 3}, index=names)
    return ResultsTable.from_scores(
        pd.DataFrame(scores, columns=names), benchmarks=costs, cost_unit="h"
    )


def _ridge(table: ResultsTable) -> eevee.RidgeScorer:
    return eevee.RidgeScorer(table, eevee.shuffle_splits(table, seed=1))


def _variance_left(table: ResultsTable, subset: tuple[str, ...]) -> float:
    """Plain columns of one table, each of variance 1: scikit-learn and Schur's complement."""
    z = (table.scores - table.scores.mean()) / table.scores.std(ddof=0)
    names = list(z.columns)
    c = LedoitWolf(assume_centered=True).fit(z.to_numpy()).covariance_
    own = [names.index(name) for name in subset]
    left = [
        c[i, i] - c[i, own] @ np.linalg.solve(c[np.ix_(own, own)], c[own, i]) for i in range(len(c))
    ]
    return float(np.mean(left))


def test_of_all_that_is_within_a_standard_error_the_least_variance_is_proposed() -> None:
    table = _table(seed=2)
    scorer = _ridge(table)
    found = Procedure(near_ties="covariance").run(scorer, 3)
    subsets = list(combinations(table.benchmark_names, 3))
    losses = scorer.split_losses(subsets)
    means = losses.mean(axis=1)
    first, *others = np.argsort(means)[:50]
    errors = []
    for other in others:
        gaps = [one - best for one, best in zip(losses[other], losses[first], strict=True)]
        mean = sum(gaps) / 10
        variance = sum((gap - mean) ** 2 for gap in gaps) / 9
        # 3 of 16 models test in each of 10 splits, 13 fit.
        errors.append((variance * (1 / 10 + 3 / 13)) ** 0.5)
    limit = means[first] + (sorted(errors)[24])
    near = [subset for subset, loss in zip(subsets, means, strict=True) if loss <= limit]
    assert 1 < len(near) < len(subsets)
    assert found.best == min(near, key=lambda subset: _variance_left(table, subset))
    assert found.best != subsets[first]


def test_the_rest_of_the_result_stays_what_the_search_found() -> None:
    scorer = _ridge(_table(n_benchmarks=12))
    settled = Procedure(evolution=QUICK, exhaustive=False, near_ties="covariance").run(scorer, 4)
    plain = evolve(scorer, 4, evolution=QUICK, exhaustive=False)
    assert settled.best == settled.ranked["benchmarks"].iloc[0] != plain.best
    assert settled.settings["lowest_loss"] == round6(plain.best_row["loss"])
    assert settled.ranked["loss"].min() == plain.best_row["loss"]
    assert settled.settings["near_ties"] == "covariance"
    others = settled.ranked["benchmarks"].iloc[1:].tolist()
    assert others == [s for s in plain.ranked["benchmarks"] if s != settled.best][: len(others)]
    assert len(settled.ranked) == len(plain.ranked)
    assert settled.best_row["loss"] == scorer.losses([settled.best])[0]
    pd.testing.assert_frame_equal(settled.evaluated, plain.evaluated)
    assert settled.exact == plain.exact


def _proposed(procedure: Procedure, table: ResultsTable) -> SearchResult:
    return procedure.run(_ridge(table), 3)


def test_small_complete_tables_settle_by_default_and_no_other_search_does() -> None:
    small, large = _table(FEW_MODELS - 1), _table(FEW_MODELS)
    assert _proposed(Procedure(), small).settings["near_ties"] == "covariance"
    assert "near_ties" not in _proposed(Procedure(), large).settings
    assert "near_ties" not in _proposed(Procedure(), _table(16, gaps=0.2)).settings
    for method in ("paper", "greedy", "greedy-swaps", "random", "medoids"):
        assert "near_ties" not in _proposed(Procedure(method), small).settings
    assert "near_ties" not in _proposed(Procedure(near_ties="loss"), small).settings
    assert "near_ties" not in _proposed(Procedure(objective="kendall"), small).settings
    with pytest.raises(eevee.EeveeError, match="unknown near_ties 'covarience'"):
        Procedure(near_ties="covarience")


def test_losses_under_fresh_initialisations_are_those_of_the_proposed_subset() -> None:
    table = _table()
    scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table, n_splits=4), epochs=20)
    found = Procedure(near_ties="covariance", n_rescore=2).run(scorer, 2)
    assert found.settings["near_ties"] == "covariance"
    again = scorer.rescore([found.best], 2)
    assert found.best_row["rescored_mean"] == again.mean()
    assert found.best_row["rescored_spread"] == again.std()


def test_nothing_worse_is_proposed_than_what_the_search_began_with() -> None:
    table = _table(n_benchmarks=12)
    scorer = _ridge(table)
    procedure = Procedure(evolution=QUICK, exhaustive=False, near_ties="covariance")
    free = procedure.run(scorer, budget=8.0)
    lowest = evolve(scorer, budget=8.0, evolution=QUICK, exhaustive=False).best
    held = procedure.run(scorer, budget=8.0, include=[lowest])
    assert free.best_row["loss"] > held.best_row["loss"]
    assert held.best_row["loss"] <= scorer.losses([lowest])[0]
    assert table.cost_of(free.best) <= 8.0


def test_a_larger_budget_has_no_higher_loss() -> None:
    table = _table(n_benchmarks=12)
    tiers = eevee.build_tiers(_ridge(table), {"small": 4, "base": 8, "big": 12})
    losses = [tier.search_loss.mean for tier in tiers]
    assert losses == sorted(losses, reverse=True)
    assert tiers.tier_set.search["near_ties"] == "covariance"


def test_a_resumed_search_settles_on_the_same_subset_as_a_whole_one(tmp_path) -> None:
    from eevee.search.checkpoint import Checkpoints
    from eevee.search.control import RunControl

    table = _table(n_benchmarks=12)
    procedure = Procedure(evolution=QUICK, exhaustive=False, near_ties="covariance")
    whole = procedure.run(_ridge(table), 4)
    asked = iter([False, False, True, True, True, True])
    first = procedure.run(
        _ridge(table),
        4,
        control=RunControl(checkpoints=Checkpoints(tmp_path), stop=lambda: next(asked)),
    )
    assert first.settings["interrupted"]
    assert "near_ties" not in first.settings
    again = procedure.run(_ridge(table), 4, control=RunControl(checkpoints=Checkpoints(tmp_path)))
    pd.testing.assert_frame_equal(again.ranked, whole.ranked)
    assert (again.best, again.settings) == (whole.best, whole.settings)


def test_a_subset_of_everything_has_nothing_to_settle() -> None:
    table = _table(n_benchmarks=4)
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table), targets="unseen")
    assert Procedure().run(scorer, 4).best == table.benchmark_names


def test_a_split_that_leaves_nothing_unseen_to_test_does_not_stop_it() -> None:
    scores = np.random.default_rng(0).normal(size=(16, 6))
    scores[3:, 5] = np.nan
    table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdef")))
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table), targets="unseen")
    found = Procedure(near_ties="covariance").run(scorer, 5)
    assert found.best in list(found.evaluated["benchmarks"])


def test_the_row_of_the_lowest_loss_is_shown_beside_what_is_proposed_instead(tmp_path) -> None:
    from tests.cli.conftest import run_in_process

    table = _table(n_benchmarks=8)
    path = tmp_path / "small.csv"
    table.scores.rename_axis("model").to_csv(path)
    scored = ("--scorer", "ridge", "--no-baselines")
    lowest = run_in_process("select", path, "-k", "3", *scored, "--near-ties", "loss", "--json")
    first = json.loads(lowest.stdout)["ranked"][0]
    told = run_in_process("select", path, "-k", "3", *scored, "--json").stdout
    proposed, second = json.loads(told)["ranked"][:2]
    assert second == first != proposed
    shown = run_in_process("select", path, "-k", "3", *scored, "-v").stdout.splitlines()
    rows = [[cell.strip() for cell in line.split("│")] for line in shown if "│" in line]
    assert [rows[i][0] for i in range(3)] == ["proposed", "1", "2"]
    assert [rows[i][-1].split(", ") for i in range(2)] == [
        proposed["benchmarks"],
        first["benchmarks"],
    ]
    assert sum(line.startswith("proposed: ") for line in shown) == 1
    shown = run_in_process("tiers", path, "--size", "a=3", *scored, "-v").stdout
    assert "a, proposed" in shown
    assert f"a, lowest loss: {', '.join(first['benchmarks'])}\n" in shown
    loss = ("--near-ties", "loss", "-v")
    plain = run_in_process("tiers", path, "--size", "a=3", *scored, *loss).stdout
    assert "proposed" not in plain
    assert "lowest loss" not in plain


def test_nothing_is_called_proposed_where_the_lowest_loss_is() -> None:
    scorer = _ridge(_table(seed=2))
    found = Procedure(near_ties="covariance").run(scorer, 9)
    assert lowest_row(found) is None
    assert settled_words(found) is None
    other = Procedure(near_ties="covariance").run(scorer, 3)
    assert lowest_row(other)["loss"] == other.evaluated["loss"].min() < other.best_row["loss"]
