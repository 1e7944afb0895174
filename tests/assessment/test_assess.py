"""Held out means held out; losses are the scorers' own; intervals cover a truth that is known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import Ridge

import eevee
from eevee.assessment.study import Study
from eevee.scorers.spec import ScorerSpec
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import rich_table, with_scores
from tests.search.spaces import make_space

RIDGE = ScorerSpec("ridge", n_splits=3)
QUICK: dict[str, Any] = {"scorer": RIDGE, "n_random": 3, "n_repeats": 1, "n_folds": 3}
GREEDY = eevee.Procedure("greedy-swaps")


@pytest.fixture(scope="module")
def found() -> eevee.assessment.Assessment:
    return eevee.assess(made_table(), 3, procedure=GREEDY, scorer=RIDGE, n_random=20)


def subsets(found: eevee.assessment.Assessment, method: str) -> list[tuple[str, ...]]:
    return found.folds.loc[found.folds["method"] == method, "benchmarks"].tolist()


def value(found: eevee.assessment.Assessment, method: str, column: str) -> float:
    frame = found.methods.set_index("method")
    return float(frame.loc[method, column])


# --- held out ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scoring",
    [
        RIDGE,
        ScorerSpec("factor", n_splits=2),
        ScorerSpec("mlp", n_splits=2, options={"epochs": 20, "device": "cpu"}),
        ScorerSpec(partial(eevee.EstimatorScorer, Ridge(3.0)), n_splits=2),
    ],
    ids=["ridge", "factor", "mlp", "estimator"],
)
@pytest.mark.slow
def test_searches_do_not_see_the_scores_of_held_out_models(scoring: ScorerSpec) -> None:
    table = rich_table(24, seed=3)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1).take([1])
    options: dict[str, Any] = {"scorer": scoring, "n_random": 0, "outer": outer, "seed": 5}
    beside = ("greedy-swaps", "greedy", "medoids", "correlated", "cheapest")
    if scoring is not RIDGE:
        beside = ("medoids",)  # no search asks which scorer it has
    wild = table.scores.to_numpy() * np.random.default_rng(0).normal(size=table.scores.shape) * 50

    def chosen(mask: np.ndarray) -> pd.DataFrame:
        changed = with_scores(table, np.where(mask[:, None], wild, table.scores.to_numpy()))
        assessed = eevee.assess(changed, 3, procedure=_small(), beside=beside, **options)
        return assessed.folds[["method", "benchmarks", "search_loss"]].dropna()

    plain = chosen(np.zeros(table.n_models, dtype=bool))
    pd.testing.assert_frame_equal(plain, chosen(outer.test[0]))
    assert not plain.equals(chosen(outer.fit[0]))


def _small() -> eevee.Procedure:
    few = eevee.search.Evolution(population=20, winners=5, children=2, generations=2, rival=False)
    return eevee.Procedure(evolution=few, exhaustive=False, n_rescore=2)


def test_what_auto_chooses_does_not_depend_on_held_out_models() -> None:
    table = made_table(20, 5)
    outer = eevee.fold_splits(table, n_folds=2, n_repeats=1).take([0])
    scoring = ScorerSpec("auto", n_splits=2)
    options: dict[str, Any] = {"scorer": scoring, "outer": outer, "n_random": 0, "beside": ()}
    wild = np.where(outer.test[0][:, None], 1e3, 1.0) * table.scores.to_numpy()
    pair = [
        eevee.assess(one, 2, procedure=eevee.Procedure("greedy"), **options)
        for one in (table, with_scores(table, wild))
    ]
    assert pair[0].settings["scorer"]["auto"] == pair[1].settings["scorer"]["auto"]


@pytest.mark.slow
def test_every_model_is_held_out_equally_often(found: eevee.assessment.Assessment) -> None:
    assert set(found.models["held_out"]) == {2}
    sizes = found.folds[found.folds["method"] == "greedy"].set_index("fold")
    assert sizes["n_test"].sum() == 2 * 24
    assert (sizes["n_train"] + sizes["n_test"] == 24).all()


def test_a_model_that_no_split_holds_out_has_no_error_and_no_part() -> None:
    table = made_table(12)
    outer = eevee.fold_splits(table, n_folds=4, n_repeats=1).take([0, 1])
    one = eevee.assess(table, 2, procedure=GREEDY, outer=outer, **QUICK)
    greedy = one.models[one.models["method"] == "greedy"]
    assert (greedy["held_out"] == 0).tolist() == greedy["error"].isna().tolist()
    folds = one.folds[one.folds["method"] == "greedy"]
    assert value(one, "greedy", "loss") == pytest.approx(folds["loss"].mean())


# --- the losses ----------------------------------------------------------------------------------


def test_a_fixed_subset_has_the_loss_of_scikit_learn() -> None:
    table = made_table(20, 6)
    outer = eevee.fold_splits(table, n_folds=4, n_repeats=2, seed=1)
    given = ScorerSpec("ridge", options={"alpha": 3.0})
    one = eevee.assess(table, subsets={"mine": ["b01", "b04"]}, scorer=given, outer=outer)
    errors = np.zeros((8, 20))
    errors[:] = np.nan
    values, units = table.scores.to_numpy(), table.units.to_numpy()
    for number, (fit, test) in enumerate(zip(outer.fit, outer.test, strict=True)):
        mean, sd = values[fit].mean(axis=0), values[fit].std(axis=0)
        inputs = np.clip((values - mean) / np.maximum(sd, 0.1 * units), -6, 6)[:, [1, 4]]
        targets = (values - mean) / units
        ridge = Ridge(alpha=3.0).fit(inputs[fit], targets[fit])
        squared = (ridge.predict(inputs[test]) - targets[test]) ** 2
        errors[number, test] = squared.mean(axis=1)
    models = one.models[one.models["method"] == "mine"]
    np.testing.assert_allclose(models["error"], np.nanmean(errors, axis=0), rtol=1e-8)
    assert value(one, "mine", "loss") == pytest.approx(np.nanmean(errors), rel=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_the_loss_of_a_fold_is_the_scorers_for_either_kind_of_target(missing: float) -> None:
    table = rich_table(24, missing=missing)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1)
    weights = dict.fromkeys(table.benchmark_names, 1.0) | {"bee": 3.0}
    given = ScorerSpec("ridge", weights=weights)
    one = eevee.assess(table, subsets={"mine": ["bee", "dog"]}, scorer=given, outer=outer)
    rows = one.folds[one.folds["method"] == "mine"]
    for targets, column in (("all", "loss"), ("unseen", "loss_unseen")):
        scorer = eevee.RidgeScorer(table, outer, targets=targets, weights=weights)  # type: ignore[arg-type]
        losses = scorer.split_losses([("bee", "dog")])[0]
        np.testing.assert_allclose(rows[column], losses, rtol=1e-7)
    means = one.folds.loc[one.folds["method"] == "mean predictor", "loss"]
    bound = eevee.RidgeScorer(table, outer, weights=weights).mean_predictor()
    np.testing.assert_allclose(means, bound, rtol=1e-9)


def test_on_a_complete_table_errors_of_models_average_to_the_loss_of_their_fold() -> None:
    table = rich_table(24, missing=0.0)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1)
    one = eevee.assess(table, subsets={"mine": ["ant", "gnu"]}, scorer=RIDGE, outer=outer)
    rows = one.folds[one.folds["method"] == "mine"]
    models = one.models[one.models["method"] == "mine"]
    for error, loss in (("error", "loss"), ("error_unseen", "loss_unseen")):
        by_fold = [models[error].to_numpy()[test].mean() for test in outer.test]
        np.testing.assert_allclose(by_fold, rows[loss], rtol=1e-9)


def test_a_models_error_is_the_loss_with_it_as_the_only_test_model() -> None:
    table = rich_table(20, missing=0.2)
    outer = eevee.fold_splits(table, n_folds=2, n_repeats=1)
    one = eevee.assess(table, subsets={"mine": ["ant", "gnu"]}, scorer=RIDGE, outer=outer)
    errors = one.models.loc[one.models["method"] == "mine", "error"].to_numpy()
    test = np.eye(20, dtype=bool)
    fold = [int(np.argmax(outer.test[:, i])) for i in range(20)]
    fit = outer.fit[fold]
    single = Splits(train=fit, validation=np.zeros_like(fit), test=test)
    losses = eevee.RidgeScorer(table, single).split_losses([("ant", "gnu")])[0]
    np.testing.assert_allclose(errors, losses, rtol=1e-7)


# --- beside --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_method_does_not_differ_from_itself(found: eevee.assessment.Assessment) -> None:
    for name in found.names:
        none = found.difference(name, name)
        assert (none.mean, none.low, none.high) == (0.0, 0.0, 0.0)


def test_differences_are_those_of_the_losses(found: eevee.assessment.Assessment) -> None:
    rows = found.differences[found.differences["targets"] == "all"].set_index("method")
    for name in found.names[1:]:
        gap = value(found, name, "loss") - value(found, "greedy-swaps", "loss")
        assert rows.loc[name, "difference"] == pytest.approx(gap)
        assert rows.loc[name, "low"] <= gap <= rows.loc[name, "high"]
        assert rows.loc[name, "t_low"] <= rows.loc[name, "t_high"]


def test_bounds_are_bounds(found: eevee.assessment.Assessment) -> None:
    losses = found.methods.set_index("method")["loss"]
    assert losses.idxmin() == "all benchmarks"
    assert losses.idxmax() == "mean predictor"
    assert value(found, "all benchmarks", "spearman") == pytest.approx(1)
    assert value(found, "all benchmarks", "regret") == 0
    assert np.isnan(value(found, "mean predictor", "spearman"))
    told = found.pairwise[found.pairwise["method"] == "mean predictor"]
    assert set(told["accuracy"].dropna()) == {0.5}


def test_random_subsets_are_the_same_in_all_splits_and_their_row_is_their_mean() -> None:
    table = made_table(18, 6)
    outer = eevee.fold_splits(table, n_folds=3, n_repeats=1)
    one = eevee.assess(table, 2, procedure=GREEDY, **QUICK | {"outer": outer, "n_random": 7})
    from eevee.base.seeds import child_seed

    drawn = make_space(table, 2).draws(np.random.default_rng(child_seed(0, 2)), 7)
    assert len(set(drawn)) == 7
    losses = eevee.RidgeScorer(table, outer).split_losses(drawn)
    assert value(one, "random", "loss") == pytest.approx(losses.mean())
    middle = np.median(losses.mean(axis=1))
    assert value(one, "random", "subsets_median") == pytest.approx(middle)


def test_there_are_no_more_random_subsets_than_subsets() -> None:
    assert len(make_space(made_table(12, 4), 2).draws(np.random.default_rng(0), 100)) == 6


def test_budgets_and_rules_hold_in_every_split() -> None:
    table = rich_table(24)
    rules = eevee.Constraints(require=("bee",), exclude=("dog",))
    one = eevee.assess(table, budget=5.0, constraints=rules, procedure=GREEDY, **QUICK)
    for method in ("greedy-swaps", "greedy", "medoids", "cheapest"):
        for subset in subsets(one, method):
            assert "bee" in subset
            assert "dog" not in subset
            assert table.cost_of(subset) <= 5.0


@pytest.mark.slow
def test_the_gap_adds_up_and_selection_from_noise_is_all_optimism() -> None:
    noise = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 12))).rename(columns=str)
    table = ResultsTable.from_scores(noise)
    one = eevee.assess(table, 3, procedure=GREEDY, scorer=RIDGE, n_random=30)
    gap = one.gap.set_index("method")
    np.testing.assert_allclose(
        gap["search_loss"] + gap["optimism"] + gap["training_size"], gap["loss"]
    )
    assert gap.loc["greedy-swaps", "selection"] > 0.05
    assert abs(gap.loc["random", "optimism"]) < 0.05
    assert gap.loc["cheapest", "selection"] < gap.loc["greedy-swaps", "selection"]


def test_the_same_fits_are_judged_for_the_optimism() -> None:
    """On inner training models alone, for the held-out models."""
    table = made_table(20, 6)
    outer = eevee.fold_splits(table, n_folds=4, n_repeats=1).take([2])
    one = eevee.assess(table, subsets={"mine": ["b01", "b04"]}, scorer=RIDGE, outer=outer)
    from eevee.base.seeds import child_seed

    inner = table.take_models(outer.fit[0])
    scorer = RIDGE.make(inner, child_seed(child_seed(0, 1), 0))
    rows = np.flatnonzero(outer.fit[0])
    fit = np.zeros((3, 20), dtype=bool)
    for split, mask in enumerate(scorer.splits.fit):
        fit[split, rows[mask]] = True
    again = Splits(fit, np.zeros_like(fit), np.repeat(outer.test, 3, axis=0))
    moved = eevee.RidgeScorer(table, again).losses([("b01", "b04")])[0]
    row = one.gap.iloc[0]
    assert row["search_loss"] == pytest.approx(scorer.losses([("b01", "b04")])[0])
    assert row["search_loss"] + row["optimism"] == pytest.approx(moved)


# --- intervals -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_intervals_cover_the_true_loss_of_a_simulated_procedure() -> None:
    """The truth: the same search on other models of the same kind, tested on many others."""
    rng = np.random.default_rng(7)
    mix = rng.normal(size=(2, 6))
    units = np.sqrt((mix**2).sum(axis=0) + 0.5**2)

    def drawn(n: int) -> ResultsTable:
        values = rng.normal(size=(n, 2)) @ mix + 0.5 * rng.normal(size=(n, 6))
        table = ResultsTable.from_scores(pd.DataFrame(values).rename(columns=str))
        return replace(table, units=pd.Series(units, index=table.scores.columns))

    scoring = ScorerSpec("ridge", n_splits=2)
    losses = []
    for i in range(100):
        table = drawn(332)
        test = np.arange(332) >= 32
        split = Splits(~test[None], np.zeros((1, 332), dtype=bool), test[None])
        best = GREEDY.run(scoring.make(table.take_models(~test), i), 2).best
        losses.append(float(eevee.RidgeScorer(table, split).losses([best])[0]))
    truth, widths, hits, n_tables = float(np.mean(losses)), [], 0, 40
    options: dict[str, Any] = {"scorer": scoring, "beside": (), "n_random": 0, "n_repeats": 1}
    for i in range(n_tables):
        one = eevee.assess(drawn(40), 2, procedure=GREEDY, seed=i, **options)
        found = one.assessed()
        hits += found.low <= truth <= found.high
        widths.append(found.high - found.low)
    assert np.median(widths) < truth
    assert hits >= stats.binom.ppf(0.001, n_tables, 0.95)


def test_intervals_over_families_are_those_over_models_where_each_is_alone() -> None:
    table = replace(
        made_table(), models=pd.DataFrame({"f": range(24)}, index=made_table().models.index)
    )
    pair = [
        eevee.assess(table, subsets={"mine": ["b00"]}, families=families, **QUICK)
        for families in (None, "f")
    ]
    pd.testing.assert_frame_equal(pair[0].methods, pair[1].methods)
    wide = replace(table, models=table.models // 6)
    grouped = eevee.assess(wide, subsets={"mine": ["b00"]}, families="f", **QUICK)
    assert value(grouped, "mine", "loss") == pytest.approx(value(pair[0], "mine", "loss"))
    assert value(grouped, "mine", "low") != value(pair[0], "mine", "low")


# --- what a tier file holds, and errors ---------------------------------------------------------


def test_assessed_is_what_a_tier_file_holds(found: eevee.assessment.Assessment) -> None:
    held = found.assessed()
    assert held.mean == value(found, "greedy-swaps", "loss")
    assert held.low < held.mean < held.high
    limits = [value(found, "greedy-swaps", name) for name in ("low", "high", "t_low", "t_high")]
    assert (held.low, held.high) == (min(limits), max(limits))
    assert held.of == "greedy-swaps, k = 3, ridge"
    assert (held.outer_splits, held.train_models) == (10, 19)
    assert found.assessed("medoids").mean == value(found, "medoids", "loss")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_assessment() -> None:
    pair = [eevee.assess(made_table(), 2, procedure=GREEDY, **QUICK) for _ in range(2)]
    pd.testing.assert_frame_equal(pair[0].methods, pair[1].methods)
    other = eevee.assess(made_table(), 2, procedure=GREEDY, seed=1, **QUICK)
    assert not pair[0].models.equals(other.models)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to assess"),
        ({"k": 2, "beside": ("gredy",)}, "did you mean 'greedy'"),
        ({"k": 2, "subsets": {"random": ["b00"]}}, "would be taken for that method"),
        ({"subsets": {"mine": ["b99"]}}, "no benchmark 'b99'"),
        ({"k": 2, "n_folds": 30}, "n_folds must lie between 2 and the 24 models"),
        ({"k": 12}, "k = 12 is not between 1 and"),
    ],
)
def test_what_cannot_be_assessed_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        eevee.assess(made_table(), **{"procedure": GREEDY, **QUICK, **options})


def test_an_unknown_method_is_named(found: eevee.assessment.Assessment) -> None:
    with pytest.raises(eevee.EeveeError, match="did you mean 'medoids'"):
        found.assessed("medoid")


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_given_splits_that_hold_out_every_model_once_are_rounds_like_drawn_ones(
    n_repeats: int,
) -> None:
    """Rankings are of all models of a round, not of the few that one fold holds out."""
    table = made_table(16, 5)
    outer = eevee.fold_splits(table, n_folds=4, n_repeats=n_repeats)
    rounds = Study.of(
        table, scorer=RIDGE, n_folds=5, n_repeats=2, seed=0, outer=outer
    ).rounds.rounds
    assert rounds == [list(range(4 * i, 4 * i + 4)) for i in range(n_repeats)]
    for some in (outer.take(range(3)), outer.take([0, 1, 2, 3, 0]), outer.take([0, 0, 1])):
        rounds = Study.of(
            table, scorer=RIDGE, n_folds=5, n_repeats=2, seed=0, outer=some
        ).rounds.rounds
        assert rounds == [[number] for number in range(some.n_splits)]


@pytest.mark.slow
def test_any_regressor_of_scikit_learn_can_be_assessed() -> None:
    """With the alpha of the ridge scorer it must come to the same."""
    table = made_table(20, 5)
    ours = ScorerSpec(partial(eevee.RidgeScorer, alpha=3.0), n_splits=3)
    theirs = ScorerSpec(partial(eevee.EstimatorScorer, Ridge(3.0)), n_splits=3)
    options: dict[str, Any] = {**QUICK, "beside": ["greedy"]}
    found = [eevee.assess(table, 2, **{**options, "scorer": one}) for one in (ours, theirs)]
    columns = ["loss", "loss_unseen", "kendall", "r2_unseen"]
    frames = [one.methods.set_index("method")[columns] for one in found]
    pd.testing.assert_frame_equal(*frames, rtol=1e-6, atol=1e-6)
    assert found[1].settings["scorer"]["name"] == "estimator"


def test_the_best_of_random_subsets_is_not_their_mean() -> None:
    table = made_table(20, 5)
    options: dict[str, Any] = {**QUICK, "procedure": eevee.Procedure("random"), "beside": ()}
    found = eevee.assess(table, 2, **options)
    assert found.names[:2] == ("best of random", "random")
    assert all(len(subset) == 2 for subset in subsets(found, "best of random"))
    loss = value(found, "best of random", "loss")
    mean = found.folds[found.folds["method"] == "best of random"]["loss"].mean()
    assert loss == pytest.approx(mean)
    assert loss != value(found, "random", "loss")
    assert eevee.assess(table, 2, **{**options, "n_random": 0}).names[0] == "best of random"


def test_a_random_subset_that_leaves_a_model_nothing_unseen_does_not_blank_it() -> None:
    table = made_table(24, 4)
    values = table.scores.to_numpy().copy()
    values[3, 2:] = np.nan  # this model has the first two benchmarks alone
    found = eevee.assess(with_scores(table, values), 2, **{**QUICK, "n_random": 6, "beside": ()})
    errors = found.models[found.models["method"] == "random"]
    assert errors["error_unseen"].notna().all()


def test_mean_absolute_errors_and_mean_scores_are_between_bounds_and_the_loss_is_not() -> None:
    rng = np.random.default_rng(0)
    skill = rng.normal(size=(30, 1))
    scores = np.clip(70 + 30 * skill + 6 * rng.normal(size=(30, 5)), 0, 100)
    scores[:, :1] = 200 * skill
    table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    found = eevee.assess(
        table, subsets={"mine": ("a",)}, scorer=ScorerSpec("ridge"), n_folds=3, n_repeats=1
    )
    off, loss, means, above = [], [], [], []
    for fold in found.contest.folds:
        guess = fold.judged["mine"].predicted["unseen"][:, 1:]
        truth = scores[fold.held_out]
        above.append(guess.max())
        loss.append((((guess - truth[:, 1:]) / table.units.to_numpy()[1:]) ** 2).mean())
        held = np.minimum(np.maximum(guess, 0), 100)
        off.append(np.abs(held - truth[:, 1:]))
        units = table.units.to_numpy()
        full = np.hstack([truth[:, :1], held])
        means += list(zip((full / units).mean(axis=1), (truth / units).mean(axis=1), strict=True))
    assert max(above) > 100
    row = found.methods.set_index("method").loc["mine"]
    assert row["loss_unseen"] == pytest.approx(np.mean(loss))
    mae = found.columns[found.columns["method"] == "mine"].set_index("column")["mae"]
    np.testing.assert_allclose(mae[list("bcde")], np.concatenate(off).mean(axis=0))
    assert row["kendall"] == pytest.approx(stats.kendalltau(*zip(*means, strict=True)).statistic)
