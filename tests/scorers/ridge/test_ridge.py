from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import Ridge, RidgeCV
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import eevee
from eevee.base.arrays import Subset
from eevee.scorers.estimator import EstimatorScorer
from eevee.scorers.loss import LossRule, standardise
from eevee.scorers.ridge import alpha as ridge_alpha
from eevee.scorers.ridge import few_gaps
from eevee.scorers.ridge import rows as ridge_rows
from eevee.scorers.ridge import scorer as ridge_module
from eevee.scorers.ridge import solves as ridge_solves
from eevee.scorers.ridge.alpha import GRID, alpha_grids
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table, with_scores

Criterion = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def generalised(x: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """GCV of one column from the hat matrix of ridge with an intercept."""
    centred = x - x.mean(axis=0)
    gram = centred.T @ centred + alphas[:, None, None] * np.eye(x.shape[1])
    hat = 1 / len(x) + centred @ np.linalg.inv(gram) @ centred.T
    left = len(x) - np.trace(hat, axis1=1, axis2=2)
    return len(x) * ((y - hat @ y) ** 2).sum(axis=1) / left**2


def leave_one_out(x: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Mean squared error of refits without each row."""
    errors = np.zeros((len(x), len(alphas)))
    for left in range(len(x)):
        rest, goal = np.delete(x, left, axis=0), np.delete(y, left)
        centred = rest - rest.mean(axis=0)
        gram = centred.T @ centred + alphas[:, None, None] * np.eye(x.shape[1])
        slopes = np.linalg.solve(gram, (centred.T @ goal)[None, :, None])[..., 0]
        predicted = goal.mean() + slopes @ (x[left] - rest.mean(axis=0))
        errors[left] = (y[left] - predicted) ** 2
    return errors.mean(axis=0)


def slow_losses(
    table: ResultsTable,
    splits: Splits,
    subset: Subset,
    *,
    alphas: Sequence[float] | None = None,
    criterion: Criterion = generalised,
    targets: str = "all",
    weights: dict[str, float] | None = None,
) -> np.ndarray:
    """Loss of a subset in each split with scikit-learn, one column at a time."""
    data = standardise(table, splits.fit)
    rule = LossRule(table, splits, data, targets, weights)  # type: ignore[arg-type]
    fit_weights = rule.fit_weights([subset])[0]
    errors = np.zeros((splits.n_splits, table.n_columns))
    owned = np.isin(table.columns["benchmark"], subset)
    for split in range(splits.n_splits):
        fit, test = splits.fit[split], splits.test[split]
        gappy = owned & ~data.observed[fit].all(axis=0)
        x = np.hstack([data.inputs[split][:, owned], data.flags[split][:, gappy]])
        y = data.targets[split]
        rows = [fit & data.observed[:, c] for c in range(table.n_columns)]
        wanted = np.flatnonzero(fit_weights[split] > 0)
        grid = fit.sum() * GRID if alphas is None else np.sort(alphas)[::-1]
        # Generalised cross-validation: all fitting models, missing targets at their mean, 0.
        filled = np.where(data.observed, y, 0.0)
        seen = [fit if criterion is generalised else row for row in rows]
        curve = sum(
            fit_weights[split, c] * criterion(x[seen[c]], filled[seen[c], c], grid) for c in wanted
        )
        alpha = grid[np.argmin(curve)]
        for c in wanted:
            judged = test & data.observed[:, c]
            if judged.any():
                model = Ridge(alpha).fit(x[rows[c]], y[rows[c], c])
                errors[split, c] = ((y[judged, c] - model.predict(x[judged])) ** 2).mean()
    return rule.losses([subset], errors[None])[0]


def some_subsets(table: ResultsTable, n: int = 6, seed: int = 0) -> list[Subset]:
    rng = np.random.default_rng(seed)
    names = np.array(table.benchmark_names)
    sizes = rng.integers(1, len(names), size=n)
    return [table.subset(rng.choice(names, size, replace=False)) for size in sizes]


TABLES = {
    "complete": made_table(26, 11),
    "complete, several columns, tasks, proxies": rich_table(missing=0.0),
    "gaps": rich_table(24, missing=0.15),
    "many gaps": rich_table(30, missing=0.5, seed=2),
    "gaps in one column": with_scores(
        made_table(20, 6),
        made_table(20, 6).scores.mask(np.eye(20, 6, k=-3) * [0, 1, 0, 0, 0, 0] > 0).to_numpy(),
    ),
    "wider than long": made_table(9, 14),
    "wider than long, gaps": made_table(10, 13, missing=0.1),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
either_target = pytest.mark.parametrize("targets", ["all", "unseen"])


@every_table
@either_target
@pytest.mark.parametrize("alpha", [1e-4, 0.3, 1.0, 50.0])
def test_with_one_alpha_the_losses_are_those_of_scikit_learn(
    table: ResultsTable, targets: str, alpha: float
) -> None:
    splits = few_splits(table)
    subsets = some_subsets(table)
    scorer = RidgeScorer(table, splits, alpha=alpha, targets=targets)  # type: ignore[arg-type]
    slow = [slow_losses(table, splits, s, alphas=[alpha], targets=targets) for s in subsets]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-8, atol=1e-10)


@every_table
@either_target
def test_with_one_alpha_it_is_the_estimator_scorer_of_ridge(
    table: ResultsTable, targets: str
) -> None:
    splits = few_splits(table, n_splits=4, seed=3)
    subsets = [*some_subsets(table, seed=1), table.benchmark_names]
    ours = RidgeScorer(table, splits, alpha=2.0, targets=targets)  # type: ignore[arg-type]
    theirs = EstimatorScorer(Ridge(2.0), table, splits, targets=targets)  # type: ignore[arg-type]
    np.testing.assert_allclose(
        ours.split_losses(subsets), theirs.split_losses(subsets), rtol=1e-9, atol=1e-11
    )


@every_table
@either_target
def test_alpha_is_the_one_of_a_slow_generalised_cross_validation(
    table: ResultsTable, targets: str
) -> None:
    splits = few_splits(table)
    subsets = some_subsets(table, seed=4)
    scorer = RidgeScorer(table, splits, targets=targets)  # type: ignore[arg-type]
    slow = [slow_losses(table, splits, s, targets=targets) for s in subsets]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-8)


@every_table
@either_target
def test_alpha_is_the_one_of_refits_without_each_model(table: ResultsTable, targets: str) -> None:
    splits = few_splits(table, n_splits=2)
    subsets = some_subsets(table, n=2, seed=5)
    scorer = RidgeScorer(table, splits, alpha="loo", targets=targets)  # type: ignore[arg-type]
    slow = [
        slow_losses(table, splits, s, targets=targets, criterion=leave_one_out) for s in subsets
    ]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-8)


def test_leave_one_out_chooses_the_alpha_of_ridgecv() -> None:
    """RidgeCV averages over columns without weights: equal ones here."""
    table = made_table(22, 8)
    splits = few_splits(table, n_splits=5)
    subset = table.benchmark_names[:4]
    data = standardise(table, splits.fit)
    for split, loss in enumerate(RidgeScorer(table, splits, alpha="loo").split_losses([subset])[0]):
        fit, test = splits.fit[split], splits.test[split]
        x, y = data.inputs[split][:, :4], data.targets[split]
        model = RidgeCV(fit.sum() * GRID).fit(x[fit], y[fit])
        assert loss == pytest.approx(((y[test] - model.predict(x[test])) ** 2).mean(), rel=1e-9)


def test_the_users_grid_and_weights_are_used() -> None:
    table = rich_table(missing=0.0)
    splits = few_splits(table)
    weights = dict(zip(table.benchmark_names, [0.0, 1, 2, 3, 1, 0, 5], strict=True))
    grid = [5.0, 0.5, 500.0]
    scorer = RidgeScorer(table, splits, alpha=grid, weights=weights)
    subsets = some_subsets(table)
    slow = [slow_losses(table, splits, s, alphas=grid, weights=weights) for s in subsets]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-8)


@pytest.mark.parametrize("alpha", [1e-9, 1e-2, "gcv"])
def test_repeated_columns_and_more_inputs_than_models_lose_no_digits(alpha: float | str) -> None:
    values = made_table(12, 8).scores.to_numpy()
    twins = np.hstack([values, values, 3 * values - 1, values[:, :4] + 1e-9 * values[::-1, :4]])
    frame = pd.DataFrame(twins, columns=[f"b{i:02d}" for i in range(twins.shape[1])])
    table = ResultsTable.from_scores(frame)
    splits = few_splits(table)
    subsets = [table.subset(f"b{i:02d}" for i in (0, 8, 16, 24)), *some_subsets(table)]
    scorer = RidgeScorer(table, splits, alpha=alpha)  # type: ignore[arg-type]
    alphas = None if alpha == "gcv" else [float(alpha)]
    slow = [slow_losses(table, splits, s, alphas=alphas) for s in subsets]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-7, atol=1e-8)


@every_table
@pytest.mark.parametrize(
    "options", [{}, {"alpha": "loo"}, {"alpha": 0.7}, {"targets": "unseen"}, {"alpha": 1e-9}]
)
@pytest.mark.slow
def test_bits_depend_on_nothing_but_the_subset(
    table: ResultsTable, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    splits = few_splits(table, n_splits=2)
    subsets = list(dict.fromkeys(some_subsets(table, n=9, seed=6)))
    whole = RidgeScorer(table, splits, **options).split_losses(subsets)  # type: ignore[arg-type]
    for chunk in (1, 32):
        monkeypatch.setattr(ridge_module, "CHUNK_BYTES", chunk)
        monkeypatch.setattr(ridge_module, "ROWS_CHUNK_BYTES", chunk)
        monkeypatch.setattr(ridge_solves, "BATCH_BYTES", chunk * 1000)
        monkeypatch.setattr(RidgeScorer, "_subset_bytes", lambda self, n_inputs: 1)
        order = np.random.default_rng(chunk).permutation(len(subsets))
        n_threads = 1 + chunk % 2
        scorer = RidgeScorer(table, splits, n_threads=n_threads, **options)  # type: ignore[arg-type]
        scorer.losses([subsets[i][::-1] for i in order[:5]])
        losses = scorer.split_losses([subsets[i][::-1] for i in order])
        np.testing.assert_array_equal(losses, whole[order])


gappy = pytest.mark.parametrize("name", [name for name in TABLES if "gaps" in name])


@gappy
@either_target
def test_products_made_beforehand_give_the_losses_of_those_formed_for_each_subset(
    name: str, targets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLES[name]
    splits, subsets = few_splits(table), some_subsets(table, n=12, seed=7)
    made = RidgeScorer(table, splits, targets=targets).split_losses(subsets)  # type: ignore[arg-type]
    monkeypatch.setattr(ridge_solves, "TABLE_BYTES", 0)
    scorer = RidgeScorer(table, splits, targets=targets)  # type: ignore[arg-type]
    formed = scorer.split_losses(subsets)
    np.testing.assert_allclose(formed, made, rtol=1e-9)
    again = RidgeScorer(table, splits, targets=targets)  # type: ignore[arg-type]
    np.testing.assert_array_equal([again.split_losses([s])[0] for s in subsets], formed)


@gappy
def test_columns_that_share_their_models_share_a_matrix_without_a_trace(name: str) -> None:
    """Every column twice: as many masks as before, and the losses of one copy each."""
    table = TABLES[name]
    twice = ResultsTable.from_scores(
        pd.concat([table.scores, table.scores.add_suffix(" again")], axis=1)
    )
    once = ResultsTable.from_scores(table.scores)
    splits = few_splits(once)
    subsets = some_subsets(once, n=5, seed=8)
    losses = RidgeScorer(twice, splits, alpha=3.0).split_losses(subsets)
    np.testing.assert_allclose(
        losses, RidgeScorer(once, splits, alpha=3.0).split_losses(subsets), rtol=1e-9
    )


def wide_gappy(n_models: int, n_columns: int, seed: int) -> ResultsTable:
    """Most columns complete, others without up to a third of the models."""
    table = made_table(n_models, n_columns)
    rng = np.random.default_rng(seed)
    scores = table.scores.to_numpy().copy()
    for column in rng.choice(n_columns, n_columns // 3, replace=False):
        lacking = rng.choice(n_models, rng.integers(1, n_models // 3), replace=False)
        scores[lacking, column] = np.nan
    return with_scores(table, scores)


def uses_few_gaps(monkeypatch: pytest.MonkeyPatch, least: int) -> list[int]:
    """Let subsets from `least` inputs on be predicted by one inverse; list how many were."""
    used: list[int] = []
    predict = few_gaps.FewGaps.predict

    def counted(self: few_gaps.FewGaps, inputs: torch.Tensor, *more: object) -> torch.Tensor:
        used.append(len(inputs))
        return predict(self, inputs, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(few_gaps, "LEAST_INPUTS", least)
    monkeypatch.setattr(few_gaps.FewGaps, "predict", counted)
    return used


@gappy
@either_target
@pytest.mark.parametrize("alpha", ["gcv", 0.3, 50.0])
def test_one_inverse_for_all_columns_gives_the_losses_of_scikit_learn(
    name: str, targets: str, alpha: float | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLES[name]
    splits, subsets = few_splits(table), some_subsets(table, seed=12)
    used = uses_few_gaps(monkeypatch, least=0)
    scorer = RidgeScorer(table, splits, alpha=alpha, targets=targets)  # type: ignore[arg-type]
    alphas = None if alpha == "gcv" else [float(alpha)]
    slow = [slow_losses(table, splits, s, targets=targets, alphas=alphas) for s in subsets]
    np.testing.assert_allclose(scorer.split_losses(subsets), slow, rtol=1e-8, atol=1e-10)
    assert used


def test_large_subsets_of_a_table_with_few_gaps_have_the_losses_of_scikit_learn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = wide_gappy(40, 60, seed=1)
    splits, rng = few_splits(table, n_splits=2), np.random.default_rng(13)
    names = np.array(table.benchmark_names)
    subsets = [table.subset(rng.choice(names, size, replace=False)) for size in (26, 34, 55)]
    used = uses_few_gaps(monkeypatch, least=few_gaps.LEAST_INPUTS)
    losses = RidgeScorer(table, splits).split_losses(subsets)
    assert sum(used) == 3 * splits.n_splits
    slow = [slow_losses(table, splits, subset) for subset in subsets]
    np.testing.assert_allclose(losses, slow, rtol=1e-8)


def test_a_tiny_alpha_and_columns_with_many_gaps_are_left_to_a_system_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = wide_gappy(30, 30, seed=2)
    splits, subset = few_splits(table, n_splits=2), table.benchmark_names
    used = uses_few_gaps(monkeypatch, least=0)
    RidgeScorer(table, splits, alpha=1e-6).losses([subset])
    monkeypatch.setattr(few_gaps, "MOST_GAPS", 3)
    RidgeScorer(table, splits).losses([subset])
    assert not used


@pytest.mark.parametrize("n_splits", [1, 3])
def test_bits_of_large_subsets_with_few_gaps_depend_on_nothing_but_the_subset(
    n_splits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = wide_gappy(43, 61, seed=3)
    splits, rng = few_splits(table, n_splits=n_splits), np.random.default_rng(14)
    names = np.array(table.benchmark_names)
    sizes = [*range(20, 61, 3), *[30] * 12]  # of several equally many are flagged
    subsets = [table.subset(rng.choice(names, size, replace=False)) for size in sizes]
    subsets = list(dict.fromkeys(subsets))
    used = uses_few_gaps(monkeypatch, least=few_gaps.LEAST_INPUTS)
    monkeypatch.setattr(ridge_solves, "BATCH_BYTES", 10**9)
    whole = RidgeScorer(table, splits).split_losses(subsets)
    assert max(used) > n_splits
    monkeypatch.setattr(ridge_solves, "BATCH_BYTES", 1)
    scorer = RidgeScorer(table, splits, n_threads=2)
    alone = [scorer.split_losses([subset[::-1]])[0] for subset in reversed(subsets)]
    np.testing.assert_array_equal(whole, alone[::-1])


@every_table
@either_target
def test_the_dual_form_has_the_losses_of_the_primal_one(
    table: ResultsTable, targets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    splits, subsets = few_splits(table), some_subsets(table, n=8, seed=9)
    either = RidgeScorer(table, splits, targets=targets)  # type: ignore[arg-type]
    primal = either.split_losses(subsets)
    monkeypatch.setattr(RidgeScorer, "_whole", lambda self, n_inputs: self._kernels)
    dual = RidgeScorer(table, splits, targets=targets)  # type: ignore[arg-type]
    np.testing.assert_allclose(dual.split_losses(subsets), primal, rtol=1e-8)


@pytest.mark.parametrize(
    ("missing", "options"),
    [(0.0, {}), (0.0, {"targets": "unseen"}), (0.1, {}), (0.1, {"alpha": "loo"})],
)
@pytest.mark.slow
def test_bits_hold_for_one_split_and_every_width(
    missing: float, options: dict[str, object]
) -> None:
    """A batch of one problem, where libraries like to take another path."""
    table = made_table(40, 36 if missing == 0.0 else 20, missing=missing)
    splits = few_splits(table, n_splits=1)
    names = table.benchmark_names
    step = 4 if options.get("alpha") == "loo" else 1  # an eigenproblem for each column
    sizes = range(1, len(names), step)
    subsets = [names[:k] for k in sizes] + [names[-k:] for k in sizes]
    whole = RidgeScorer(table, splits, **options).split_losses(subsets)  # type: ignore[arg-type]
    scorer = RidgeScorer(table, splits, **options)  # type: ignore[arg-type]
    one_by_one = [scorer.split_losses([subset])[0] for subset in subsets]
    np.testing.assert_array_equal(whole, one_by_one)


@pytest.mark.parametrize("options", [{}, {"targets": "unseen"}])
def test_bits_do_not_depend_on_the_threads_of_the_linear_algebra(
    options: dict[str, object],
) -> None:
    """Tall enough for the products of a whole split to be shared between threads."""
    table = made_table(1556, 38)
    splits = few_splits(table, n_splits=1)
    subsets = [table.benchmark_names[:k] for k in range(1, 38, 5)]
    losses = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            scorer = RidgeScorer(table, splits, n_threads=1, **options)  # type: ignore[arg-type]
            losses.append(scorer.split_losses(subsets))
    np.testing.assert_array_equal(*losses)


def test_a_proxy_is_an_input_and_never_a_target() -> None:
    table = rich_table(missing=0.0, proxies=True)
    splits = few_splits(table)
    proxies = np.flatnonzero(~table.is_target)
    values = table.scores.to_numpy().copy()
    values[:, proxies] = np.random.default_rng(0).normal(size=(len(values), len(proxies)))
    moved = with_scores(table, values)
    before, after = (RidgeScorer(t, splits).losses([("ant",), ("cat",)]) for t in (table, moved))
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_nothing_is_left_to_predict_when_every_benchmark_is_in() -> None:
    for table in (made_table(), rich_table()):
        scorer = RidgeScorer(table, few_splits(table), targets="unseen")
        assert np.isnan(scorer.losses([table.benchmark_names])).all()


def test_uninformative_inputs_give_the_mean_predictor() -> None:
    table = made_table(30, 6)
    scorer = RidgeScorer(table, few_splits(table), alpha=1e12)
    np.testing.assert_allclose(
        scorer.split_losses([("b00",)])[0], scorer.mean_predictor(), rtol=1e-9
    )


@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("options", [{}, {"targets": "unseen"}, {"alpha": "loo"}, {"alpha": 0.5}])
def test_a_held_out_models_scores_move_no_choice_of_alpha_and_no_prediction_of_others(
    gap: bool, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test model moves in every column, as input and as target.

    A loss is a mean over test models, so that what the others contribute can be told from it: the
    number of test models times the loss, less the loss where the moved one alone is judged.
    """
    curves: list[np.ndarray] = []
    plain = ridge_alpha.first_smallest

    def first_smallest(criterion: torch.Tensor) -> torch.Tensor:
        curves.append(criterion.numpy().copy())
        return plain(criterion)

    for module in (ridge_alpha, ridge_rows):
        monkeypatch.setattr(module, "first_smallest", first_smallest)
    table = made_table(25, 6)
    splits = few_splits(table, n_splits=1)
    values = table.scores.to_numpy().copy()
    if gap:
        values[np.flatnonzero(splits.fit[0])[2], 1] = np.nan
    still = with_scores(table, values)
    place = np.flatnonzero(splits.test[0])[1]
    far = values.copy()
    far[place] += 3.0 * table.units.to_numpy() * [1, -2, 1, 2, -1, 3]
    far_table = with_scores(table, far)
    alone = np.arange(table.n_models)[None] == place
    n_test = splits.test.sum()

    def loss(scored: ResultsTable, test: np.ndarray) -> float:
        judged = replace(splits, test=test)
        scorer = RidgeScorer(scored, judged, n_threads=1, **options)  # type: ignore[arg-type]
        return float(scorer.losses([("b00", "b01")])[0])

    others = (n_test - 1) * loss(still, splits.test & ~alone)
    for scored in (still, far_table):
        everyone = n_test * loss(scored, splits.test)
        assert everyone - loss(scored, alone) == pytest.approx(others, rel=1e-9)
    assert loss(far_table, alone) > 2 * loss(still, alone)
    assert curves or "alpha" in options
    for curve in curves[1:]:
        np.testing.assert_array_equal(curve, curves[0])


def test_the_grid_is_sorted_so_that_ties_shrink() -> None:
    grid = alpha_grids("gcv", np.array([10.0, 20.0]))
    assert (np.diff(grid, axis=1) < 0).all()
    np.testing.assert_allclose(grid[1], 2 * grid[0])


@pytest.mark.parametrize(
    "alpha",
    ["aic", 0.0, -1.0, [], [1.0, 0.0], float("nan"), [[1.0]], ["x"], [[1.0], [1.0, 2.0]], {}, 1j],
)
def test_a_senseless_alpha_is_refused(alpha: object) -> None:
    table = made_table()
    with pytest.raises(eevee.EeveeError, match="alpha"):
        RidgeScorer(table, few_splits(table), alpha=alpha)  # type: ignore[arg-type]


def test_a_scorer_describes_itself_and_has_no_initialisations() -> None:
    table = made_table()
    scorer = RidgeScorer(table, few_splits(table), alpha=[1, 2])
    assert scorer.describe()["alpha"] == [1.0, 2.0]
    assert scorer.with_targets("unseen").describe() == {**scorer.describe(), "targets": "unseen"}
    assert scorer.rescore([("b00",)], 3) is None
    with pytest.raises(eevee.EeveeError, match="n_threads"):
        RidgeScorer(table, few_splits(table), n_threads=0)


def test_a_search_can_use_it() -> None:
    table = made_table(30, 8)
    found = eevee.search.evolve(RidgeScorer(table, few_splits(table)), k=3, seed=0)
    assert len(found.best) == 3


def test_parts_of_splits_with_test_sets_of_other_sizes_predict_as_one_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = made_table(20, 4)
    test = np.arange(20) < np.array([[3], [5], [9], [4], [2]])
    splits = eevee.splits.Splits(train=~test, validation=np.zeros_like(test), test=test)
    whole = RidgeScorer(table, splits).predict(("b00",))
    monkeypatch.setattr("eevee.scorers.ridge.scorer.PART_COLUMNS", 2 * table.n_columns)
    np.testing.assert_array_equal(RidgeScorer(table, splits).predict(("b00",)), whole)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("targets", ["all", "unseen"])
def test_a_table_too_wide_for_products_of_all_inputs_has_the_same_losses(
    monkeypatch: pytest.MonkeyPatch, missing: float, targets: str
) -> None:
    table = made_table(24, 9, missing=missing)
    splits, subsets = few_splits(table), some_subsets(table)
    usual = RidgeScorer(table, splits, targets=targets).losses(subsets)
    monkeypatch.setattr(ridge_module, "GRAM_BYTES", 0)
    wide = RidgeScorer(table, splits, targets=targets)
    np.testing.assert_allclose(wide.losses(subsets), usual, rtol=1e-8)
    alone = [wide.with_targets(targets).losses([one])[0] for one in subsets]
    np.testing.assert_array_equal(wide.losses(subsets), alone)
