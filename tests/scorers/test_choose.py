from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.base.errors import EeveeError
from eevee.scorers import choose as choice
from eevee.scorers.base import Scorer
from eevee.scorers.choose import CANDIDATES, ChosenScorer, choose_scorer, make_scorer
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table

QUICK: dict[str, Any] = {"epochs": 20}


def low_rank_table(n_benchmarks: int, missing: float) -> ResultsTable:
    """60 models with two skills, offsets, little noise."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 2)) @ rng.normal(size=(2, n_benchmarks))
    values += rng.normal(size=n_benchmarks) + 0.05 * rng.normal(size=values.shape)
    values[rng.random(values.shape) < missing] = np.nan
    names = [f"b{i:02d}" for i in range(n_benchmarks)]
    return ResultsTable.from_scores(pd.DataFrame(values, columns=names))


def losses_of(table: ResultsTable, splits: Splits, name: Any) -> float:
    """Geometric mean over the random subsets, the long way round."""
    options = QUICK if name == "mlp" else {}
    scorer = make_scorer(name, table, splits, **options)
    scores = scorer.losses(choice._random_subsets(table, 0))
    return float(np.prod(scores ** (1 / len(scores))))


@pytest.mark.slow
def test_a_very_sparse_low_rank_table_gets_the_factor_model() -> None:
    table = low_rank_table(30, missing=0.7)
    found = choose_scorer(table, eevee.shuffle_splits(table), **QUICK)
    assert found.name == "factor"
    assert found.losses["factor"] == min(found.losses.values())


@pytest.mark.slow
def test_a_complete_linear_table_gets_what_is_linear_or_the_default() -> None:
    table = low_rank_table(16, missing=0.0)
    found = choose_scorer(table, eevee.shuffle_splits(table), epochs=60)
    assert found.name in ("mlp", "ridge")
    assert found.losses["ridge"] < found.losses["factor"]


@pytest.mark.slow
def test_the_winner_is_the_lowest_or_a_tie_that_comes_first() -> None:
    for seed in range(4):
        table = made_table(missing=0.1 * seed, seed=seed)
        found = choose_scorer(table, few_splits(table), **QUICK)
        best = min(found.losses, key=found.losses.__getitem__)
        order = list(CANDIDATES)
        assert found.name == best or order.index(found.name) < order.index(best)  # type: ignore[arg-type]


@pytest.mark.slow
def test_losses_are_geometric_means_of_the_losses_of_random_subsets() -> None:
    table = rich_table()
    splits = few_splits(table)
    found = choose_scorer(table, splits, **QUICK)
    assert found.losses == pytest.approx(
        {name: losses_of(table, splits, name) for name in CANDIDATES}
    )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16, 17, 40])
def test_random_subsets_have_at_most_half_of_the_benchmarks(n: int) -> None:
    table = made_table(6, n)
    subsets = choice._random_subsets(table, 0)
    assert len(set(subsets)) == len(subsets) <= choice.N_SUBSETS
    assert max(map(len, subsets)) == max(1, n // 2)
    assert choice._random_subsets(table, 0) == subsets


def test_the_same_seed_chooses_the_same_and_says_the_same(gappy_table: ResultsTable) -> None:
    splits = few_splits(gappy_table)
    first, second = (choose_scorer(gappy_table, splits, seed=3, **QUICK) for _ in range(2))
    assert (first.name, first.losses, first.reason) == (second.name, second.losses, second.reason)


def test_the_order_of_models_and_columns_in_the_file_hardly_matters() -> None:
    table = made_table(30, 8, seed=2)
    splits = few_splits(table)
    turned = replace(table, scores=table.scores.iloc[::-1], models=table.models.iloc[::-1])
    backwards = Splits(*(m[:, ::-1] for m in (splits.train, splits.validation, splits.test)))
    one, two = (choose_scorer(t, s, **QUICK) for t, s in ((table, splits), (turned, backwards)))
    assert one.name == two.name
    assert one.losses["ridge"] == pytest.approx(two.losses["ridge"], rel=1e-8)


def test_the_reason_names_the_numbers() -> None:
    table = made_table()
    found = choose_scorer(table, few_splits(table), **QUICK)
    for name, loss in found.losses.items():
        assert f"{name} {loss:.4g}" in found.reason
    assert "random subsets of 2, 4 benchmarks" in found.reason
    assert " %" in found.reason


# ---- ties ----


def losses_like(*levels: float, spread: float = 0.0) -> np.ndarray:
    """Losses (n_candidates, 5 subsets, 10 splits), each candidate at a level of its own."""
    rng = np.random.default_rng(0)
    shape = (len(levels), 5, 10)
    return np.array(levels)[:, None, None] * np.exp(spread * rng.normal(size=shape))


def chosen(losses: np.ndarray, names: Any = CANDIDATES) -> tuple[str, str]:
    table = made_table(20)
    name, _, reason = choice._choose(names, losses, eevee.shuffle_splits(table))
    return name, reason


def test_a_clear_difference_decides() -> None:
    assert chosen(losses_like(0.4, 0.3, 0.5))[0] == "ridge"
    assert chosen(losses_like(0.4, 0.39, 0.3))[0] == "factor"


def test_a_difference_within_the_noise_goes_to_the_first() -> None:
    name, reason = chosen(losses_like(0.400, 0.396, 0.5, spread=0.2))
    assert name == "mlp"
    assert "ridge is lowest, but mlp is only" in reason
    assert "within the noise" in reason
    assert chosen(losses_like(0.6, 0.396, 0.395, spread=0.2))[0] == "ridge"


def test_equal_losses_go_to_the_first() -> None:
    assert chosen(losses_like(0.3, 0.3, 0.3))[0] == "mlp"
    assert chosen(losses_like(0.3, 0.3), ("factor", "ridge"))[0] == "factor"


def test_noise_is_the_jackknife_of_a_mean_with_the_correction_for_shared_models() -> None:
    """With one subset and losses near 1, log(mean) is nearly linear."""
    rng = np.random.default_rng(1)
    one, other = 1 + 1e-4 * rng.normal(size=(2, 1, 10))
    splits = eevee.shuffle_splits(made_table(20))  # 4 test models, 16 that fit
    expected = (one - other).std(ddof=1) * np.sqrt(1 / 10 + 4 / 16)
    assert choice._noise(one, other, splits) == pytest.approx(expected, rel=1e-3)


def test_one_split_shows_no_noise_and_leaves_the_first() -> None:
    table = low_rank_table(30, missing=0.7)
    found = choose_scorer(table, few_splits(table, 1), **QUICK)
    assert found.name == "mlp"
    assert "unknown" in found.reason


def test_one_candidate_is_chosen(table: ResultsTable) -> None:
    found = choose_scorer(table, few_splits(table), candidates=["factor"])
    assert found.name == "factor"
    assert "only candidate" in found.reason


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("targets", ["all", "unseen"])
def test_few_benchmarks_are_enough(n: int, targets: Any) -> None:
    table = made_table(12, n)
    found = choose_scorer(table, few_splits(table), targets=targets, **QUICK)
    assert found.name in CANDIDATES


# ---- what is made ----


@pytest.mark.slow
def test_splits_of_its_own_change_the_numbers_and_not_the_scorers_splits() -> None:
    table = made_table()
    splits, others = few_splits(table), few_splits(table, seed=9)
    found = choose_scorer(table, splits, choose_on=others, **QUICK)
    assert found.scorer.splits is splits
    assert found.losses == choose_scorer(table, others, **QUICK).losses
    assert found.losses != choose_scorer(table, splits, **QUICK).losses


@pytest.mark.parametrize("name", CANDIDATES)
@pytest.mark.slow
def test_auto_scores_as_the_chosen_scorer_does(name: Any) -> None:
    table = rich_table()
    splits = few_splits(table)
    options = QUICK if name == "mlp" else {}
    subsets = [("ant",), ("bee", "dog", "eel")]
    plain = make_scorer(name, table, splits, seed=4, **options)
    found = choose_scorer(table, splits, seed=4, candidates=[name], **options)
    auto: Scorer = ChosenScorer(found)
    counts: list[int] = []
    np.testing.assert_array_equal(
        auto.losses(subsets, advance=counts.append), plain.losses(subsets)
    )
    assert sum(counts) == 2
    np.testing.assert_array_equal(auto.split_losses(subsets), plain.split_losses(subsets))
    np.testing.assert_array_equal(auto.mean_predictor(), plain.mean_predictor())
    unseen = auto.with_targets("unseen")
    assert unseen.targets == "unseen"
    assert unseen.describe()["auto"] == auto.describe()["auto"]
    np.testing.assert_array_equal(
        unseen.losses(subsets), plain.with_targets("unseen").losses(subsets)
    )
    fresh, expected = auto.rescore(subsets, 2), plain.rescore(subsets, 2)
    assert (fresh is None) == (expected is None) == (name != "mlp")
    if fresh is not None:
        np.testing.assert_array_equal(fresh, expected)


def test_auto_describes_the_scorer_and_the_choice(gappy_table: ResultsTable) -> None:
    splits = few_splits(gappy_table)
    scorer = make_scorer("auto", gappy_table, splits, **QUICK)
    assert isinstance(scorer, ChosenScorer)
    described = json.loads(json.dumps(scorer.describe()))
    assert described["name"] == scorer.choice.name
    assert described["auto"]["reason"] == scorer.choice.reason
    assert described["auto"]["losses"] == pytest.approx(scorer.choice.losses, rel=1e-5)


@pytest.mark.slow
def test_weights_and_targets_reach_every_candidate(gappy_table: ResultsTable) -> None:
    splits = few_splits(gappy_table)
    heavy = {name: 9.0 if name == "b00" else 1.0 for name in gappy_table.benchmark_names}
    plain = choose_scorer(gappy_table, splits, **QUICK).losses
    weighted = choose_scorer(gappy_table, splits, weights=heavy, **QUICK).losses
    unseen = choose_scorer(gappy_table, splits, targets="unseen", **QUICK).losses
    for name in CANDIDATES:
        assert weighted[name] != plain[name]
        assert unseen[name] > plain[name]


def test_unknown_names_are_refused(table: ResultsTable) -> None:
    splits = few_splits(table)
    with pytest.raises(EeveeError, match="mlp, ridge, factor and auto, not 'knn'"):
        make_scorer("knn", table, splits)  # type: ignore[arg-type]
    with pytest.raises(EeveeError, match="name candidates"):
        choose_scorer(table, splits, candidates=[])
