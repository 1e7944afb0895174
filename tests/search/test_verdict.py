"""The verdict tells luck from more than luck, and is what its definition says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.search.control import RunControl
from eevee.search.judging import search_verdict
from eevee.search.sweep import judge_sizes
from tests.cli.conftest import run_in_process
from tests.conftest import made_table
from tests.scorers.tables import few_splits

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
QUICK = eevee.search.Evolution(population=300, winners=10, children=5, generations=3)


def table_of(values: np.ndarray) -> eevee.ResultsTable:
    names = [f"c{i:02d}" for i in range(values.shape[1])]
    return eevee.ResultsTable.from_scores(pd.DataFrame(values, columns=names))


def judged(table: eevee.ResultsTable, **goal: Any) -> Any:
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    found = eevee.search.evolve(scorer, **goal, evolution=QUICK)
    return search_verdict(scorer, found, **goal)


@pytest.mark.parametrize("shape", [(30, 14), (60, 16), (100, 20)])
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_advantage_though_the_winner_has_a_lower_loss(shape, seed: int) -> None:
    found = judged(table_of(np.random.default_rng(seed).normal(size=shape)), k=4)
    assert found.below > 0
    assert not found.clear
    assert "a search finds as much by luck" in found.words


@pytest.mark.parametrize("seed", range(2))
def test_shuffled_columns_of_a_real_table_are_no_advantage_and_the_table_itself_is(seed) -> None:
    table = eevee.read_table(ROOT / "data/bbh/scores.csv")
    rng = np.random.default_rng(seed)
    mixed = table_of(rng.permuted(table.scores.to_numpy(), axis=0))
    assert not judged(mixed, k=4).clear
    if seed == 0:
        real = judged(table, k=4)
        assert real.clear
        assert "Only `eevee assess` can confirm it" in real.words


def test_a_few_benchmarks_that_tell_of_the_others_are_found_to_be_an_advantage() -> None:
    rng = np.random.default_rng(0)
    skills = rng.normal(size=(60, 2))
    told = skills @ rng.normal(size=(2, 12)) + 0.3 * rng.normal(size=(60, 12))
    table = table_of(np.hstack([told, rng.normal(size=(60, 6))]))
    assert judged(table, k=2).clear
    assert judged(table, budget=3.0).clear


def test_noise_and_share_are_those_of_the_definition() -> None:
    table = made_table(n_models=25, n_benchmarks=8)
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=5))
    found = eevee.search.evolve(scorer, 3)
    assert len(found.random_draws) == 56
    losses = scorer.split_losses(found.random_draws)
    train, test = scorer.splits.fit[0].sum(), scorer.splits.test[0].sum()
    centred = losses - losses.mean(axis=0)
    noise = centred.var(axis=1, ddof=1).mean() * (1 / 5 + test / train)
    share = 1 - noise / losses.mean(axis=1).var(ddof=1)
    verdict = search_verdict(scorer, found)
    median = np.median(losses.mean(axis=1))
    assert verdict.noise == pytest.approx(np.sqrt(noise))
    assert verdict.share == pytest.approx(max(0.0, share))
    assert verdict.distance == pytest.approx((median - found.best_row["loss"]) / np.sqrt(noise))
    assert verdict.below == pytest.approx(1 - found.best_row["loss"] / median)


def test_winner_and_random_subsets_are_compared_by_the_same_loss_and_noise_counts_once() -> None:
    table = made_table(n_models=20, n_benchmarks=7)
    scorer = eevee.MLPScorer(table, few_splits(table, n_splits=3), epochs=5)
    found = eevee.search.evolve(scorer, 2, n_rescore=4)
    assert found.best_row["rescored_mean"] != found.best_row["loss"]
    verdict = search_verdict(scorer, found)
    losses = scorer.split_losses(found.random_draws)
    assert verdict.loss == scorer.losses([found.best])[0]
    assert verdict.random_median == np.median(losses.mean(axis=1))
    train, test = scorer.splits.fit[0].sum(), scorer.splits.test[0].sum()
    noise = (losses - losses.mean(axis=0)).var(axis=1, ddof=1).mean() * (1 / 3 + test / train)
    assert verdict.noise == pytest.approx(np.sqrt(noise))


def test_blanks_are_none_so_that_json_is_valid() -> None:
    table = made_table(n_models=20, n_benchmarks=6)
    blank = eevee.RidgeScorer(table, few_splits(table), targets="unseen")
    told = search_verdict(blank, eevee.search.evolve(blank, 6)).as_dict()
    assert told["loss"] is None
    assert told["random_median"] is None
    assert told["below"] is None
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_one_split_or_hardly_any_subsets_give_no_noise_and_no_claim() -> None:
    table = made_table(n_models=20, n_benchmarks=6)
    one = eevee.RidgeScorer(table, few_splits(table, n_splits=1))
    found = search_verdict(one, eevee.search.evolve(one, 2))
    assert (found.noise, found.distance, found.clear) == (None, None, False)
    assert "too few splits" in found.words
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=4))
    assert search_verdict(scorer, eevee.search.evolve(scorer, 6)).distance is None
    blank = eevee.RidgeScorer(table, few_splits(table), targets="unseen")
    assert "no random subset" in search_verdict(blank, eevee.search.evolve(blank, 6)).words


def test_a_search_without_random_subsets_is_judged_beside_those_of_its_goal() -> None:
    table = made_table(n_models=25, n_benchmarks=9)
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=4))
    greedy = eevee.Procedure("greedy").run(scorer, budget=3.0)
    random = eevee.Procedure("random").run(scorer, budget=3.0, seed=4)
    assert search_verdict(scorer, greedy, budget=3.0, seed=4).random_median == random.random_median


def test_a_stop_is_heard_while_random_subsets_are_scored() -> None:
    table = made_table(n_models=25, n_benchmarks=14)
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=4))
    greedy = eevee.Procedure("greedy").run(scorer, k=4)
    scored: list[int] = []
    control = RunControl(stop=lambda: sum(scored) >= 60, advance=scored.append)
    stopped = search_verdict(scorer, greedy, k=4, control=control)
    assert 60 <= sum(scored) < 100
    assert "no random subset" in stopped.words
    whole = search_verdict(scorer, greedy, k=4)
    again = RunControl(advance=scored.append)
    assert search_verdict(scorer, greedy, k=4, control=again) == whole
    assert sum(scored) > 900


def test_a_size_of_a_sweep_is_judged_beside_the_random_subsets_of_its_own_search() -> None:
    table = made_table(n_models=25, n_benchmarks=9)
    scorer = eevee.RidgeScorer(table, few_splits(table, n_splits=4))
    greedy, random = (
        eevee.sweep(scorer, [3, 5], seed=4, procedure=eevee.Procedure(name))
        for name in ("greedy", "random")
    )
    judged = judge_sizes(scorer, greedy, seed=4)
    assert [one.random_median for one in judged.values()] == [one.random_median for one in random]
    assert judge_sizes(scorer, greedy, seed=5)[5].random_median != judged[5].random_median


@pytest.mark.skipif(not SHARED.is_dir(), reason="the tables in shared/ beside the project")
@pytest.mark.parametrize("k", [4, 8])
def test_the_noise_table_is_called_luck(k: int) -> None:
    assert not judged(eevee.read_table(SHARED / "cases/trust/noise.csv"), k=k).clear


def test_verbs_begin_with_it_and_files_hold_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    made_table(20, 8).scores.rename_axis("model").to_csv("small.csv")
    run: Callable[..., Any] = run_in_process
    scored = ("--scorer", "ridge", "--no-baselines", "--n-splits", "3")
    assert run("select", "small.csv", "-k", "3", *scored).stdout.startswith("verdict: ")
    shown = run("select", "small.csv", "-k", "3", *scored, "-v").stdout
    assert shown.startswith("verdict: search loss ")
    told = json.loads(run("select", "small.csv", "-k", "3", *scored, "--json").stdout)["verdict"]
    assert shown.splitlines()[0] == told["words"]
    shown = run("tiers", "small.csv", "--budget", "a=2", "--size", "b=3", *scored, "-v").stdout
    assert [line[:11] for line in shown.splitlines()[:2]] == ["a: verdict:", "b: verdict:"]
    tiers = json.loads(run("tiers", "small.csv", "--size", "b=3", *scored, "--json").stdout)
    assert tiers["search"]["verdicts"]["b"]["words"] in shown
    shown = run(
        "sweep", "small.csv", "--sizes", "2,3", "--scorer", "ridge", "--n-splits", "3"
    ).stdout
    assert shown.startswith("verdict: ")
    front = ("pareto", "small.csv", "--budget", "a=2", "--scorer", "ridge", "--n-splits", "3")
    assert run(*front).stdout.startswith("a: verdict: ")


def test_what_verbs_print_of_blank_losses_is_valid_json(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    made_table(16, 4).scores.rename_axis("model").to_csv(path)
    scored = ("--scorer", "ridge", "--n-splits", "2", "--targets", "unseen", "--json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for verb in (("select", path, "-k", "4"), ("sweep", path, "--sizes", "3,4")):
        told = json.loads(run_in_process(*verb, *scored).stdout, parse_constant=refuse)
        verdicts = told["verdicts"]["4"] if "verdicts" in told else told["verdict"]
        assert verdicts["below"] is None
    done = run_in_process("tiers", path, "--size", "all=4", *scored, code=1)
    assert len(done.stderr.splitlines()) == 1
    assert "tier 'all'" in done.stderr
