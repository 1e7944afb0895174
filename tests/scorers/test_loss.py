from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eevee
from eevee.scorers.loss import LossRule, mean_squared_errors, standardise
from eevee.tables.averages import loss_weights
from eevee.tables.results_table import ResultsTable
from tests.scorers.tables import few_splits, rich_table, with_scores


def _one_column(values: list[float], fit: list[bool], unit_values: list[float] | None = None):
    """Standardise one column of one split; its unit may come from other scores."""
    frame = pd.DataFrame({"a": values if unit_values is None else unit_values}, dtype=float)
    table = with_scores(ResultsTable.from_scores(frame), np.array(values, float)[:, None])
    data = standardise(table, np.array([fit]))
    return data.inputs[0, :, 0], data.flags[0, :, 0], data.targets[0, :, 0], data.usable[0, 0]


@pytest.mark.parametrize("seed", range(4))
def test_standardise_equals_a_plain_loop(seed: int) -> None:
    table = rich_table(missing=0.4, seed=seed)
    splits = few_splits(table, seed=seed)
    data = standardise(table, splits.fit)
    for s in range(splits.n_splits):
        for c, name in enumerate(table.scores.columns):
            sign = 1 if table.columns.loc[name, "direction"] == "higher" else -1
            column = (sign * table.scores[name]).tolist()
            seen = [x for m, x in enumerate(column) if splits.fit[s, m] and np.isfinite(x)]
            assert data.usable[s, c] == (len(seen) >= 2)
            for m, x in enumerate(column):
                goal = wanted = 0.0
                if np.isfinite(x) and len(seen) >= 2:
                    floor = max(float(np.std(seen)), 0.1 * table.units[name])
                    wanted = min(max((x - np.mean(seen)) / floor, -6.0), 6.0)
                    goal = (x - np.mean(seen)) / table.units[name]
                gap = len(seen) < splits.fit[s].sum()
                assert data.inputs[s, m, c] == pytest.approx(wanted)
                assert data.targets[s, m, c] == pytest.approx(goal)
                assert data.flags[s, m, c] == (gap and np.isnan(x))


def test_a_column_that_hardly_varies_in_training_does_not_explode() -> None:
    values = [1.0, 1.0 + 1e-9, 1.0, 1.0 - 1e-9, 1.0, 2.0]
    fit = [True] * 5 + [False]
    inputs, _, targets, usable = _one_column(values, fit)
    assert usable
    unit = np.std(values)
    assert inputs[5] == 6.0
    assert targets[5] == pytest.approx(1.0 / unit)
    assert np.abs(inputs[:5]).max() < 1e-6


def test_the_mean_predictor_on_a_nearly_constant_column_stays_of_order_one() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 3))
    values[:, 0] = 1e-6 * rng.normal(size=20)
    values[3, 0] = 1.0
    table = ResultsTable.from_scores(pd.DataFrame(values, columns=list("abc")))
    scorer = eevee.MLPScorer(table, few_splits(table, 10), epochs=20)
    assert scorer.mean_predictor().max() < table.n_models
    assert scorer.split_losses([("a",), ("a", "b", "c")]).max() < 2 * table.n_models


def test_inputs_are_clipped_at_six_and_targets_are_not() -> None:
    values = [0.0, 1.0, 0.0, 1.0, 100.0, -100.0]
    inputs, _, targets, _ = _one_column(values, [True] * 4 + [False] * 2, [0.0, 1.0] * 3)
    assert inputs.tolist() == [-1.0, 1.0, -1.0, 1.0, 6.0, -6.0]
    assert targets[4] == pytest.approx(99.5 / 0.5)


def test_a_missing_cell_is_the_training_mean_and_flagged() -> None:
    inputs, flags, targets, _ = _one_column([1.0, 3.0, np.nan, 5.0], [True, True, True, False])
    assert inputs[2] == targets[2] == 0.0
    assert flags.tolist() == [0, 0, 1, 0]


def test_a_gap_that_no_training_model_shows_is_not_flagged() -> None:
    _, flags, _, _ = _one_column([1.0, 3.0, 2.0, np.nan], [True, True, True, False])
    assert flags.tolist() == [0, 0, 0, 0]


def test_a_column_with_one_training_model_is_zero_with_its_flag_and_no_target() -> None:
    values = [1.0, np.nan, np.nan, 5.0, 2.0]
    inputs, flags, targets, usable = _one_column(values, [True] * 3 + [False] * 2)
    assert not usable
    assert not inputs.any()
    assert not targets.any()
    assert flags.tolist() == [0, 1, 1, 0, 0]


def test_an_unusable_column_has_no_part_in_the_loss() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(10, 3)), columns=list("abc"))
    test = np.arange(10) >= 7
    frame.loc[1:6, "c"] = np.nan
    table = ResultsTable.from_scores(frame)
    splits = eevee.splits.Splits(
        train=~test[None], validation=np.zeros((1, 10), bool), test=test[None]
    )
    rule = LossRule(table, splits, standardise(table, splits.fit), "all", None)
    assert rule.test_weights([()])[0, 0].tolist() == [0.5, 0.5, 0.0]
    assert rule.fit_weights([()])[0, 0].tolist() == [0.5, 0.5, 0.0]


def _plain_average(table, values, present, user=None):
    """Columns -> benchmark -> task -> total, one mean after the other."""
    benchmarks: dict[str, list[float]] = {}
    for i, name in enumerate(table.scores.columns):
        if present[i] and table.columns.loc[name, "role"] == "score":
            benchmarks.setdefault(table.columns.loc[name, "benchmark"], []).append(values[i])
    means = {name: np.mean(members) for name, members in benchmarks.items()}
    if user is not None:
        if not sum(user[name] for name in means):
            return 0.0
        return np.average(list(means.values()), weights=[user[name] for name in means])
    tasks: dict[str, list[float]] = {}
    for name, mean in means.items():
        tasks.setdefault(str(table.benchmarks.loc[name, "task"]), []).append(mean)
    return np.mean([np.mean(members) for members in tasks.values()]) if tasks else 0.0


TABLES = {tasks: rich_table(tasks=tasks) for tasks in (True, False)}
N = TABLES[True].n_columns


@given(
    present=st.lists(st.booleans(), min_size=N, max_size=N),
    tasks=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 100),
)
def test_columns_average_to_benchmarks_to_tasks_to_the_total(
    present: list[bool], tasks: bool, weighted: bool, seed: int
) -> None:
    table = TABLES[tasks]
    rng = np.random.default_rng(seed)
    values = rng.exponential(size=N)
    user = None
    if weighted:
        drawn = rng.integers(0, 3, table.n_benchmarks) + np.eye(table.n_benchmarks)[0]
        user = dict(zip(table.benchmark_names, drawn, strict=True))
    mask = np.array(present) & table.is_target
    weights = loss_weights(table, user).of(mask)
    assert weights @ values == pytest.approx(_plain_average(table, values, present, user))
    assert weights.sum() == pytest.approx(1.0) or not weights.any()


def test_proxy_columns_never_weigh() -> None:
    table = rich_table()
    splits = few_splits(table)
    rule = LossRule(table, splits, standardise(table, splits.fit), "all", None)
    proxies = ~table.is_target
    assert proxies.any()
    for weights in (rule.test_weights([()]), rule.fit_weights([()])):
        assert not weights[..., proxies].any()


def test_unseen_leaves_out_exactly_the_columns_of_the_subset() -> None:
    table = rich_table(missing=0.0)
    splits = few_splits(table)
    data = standardise(table, splits.fit)
    rule = LossRule(table, splits, data, "unseen", None)
    subsets = [("ant",), ("bee", "gnu"), table.benchmark_names]
    errors = np.random.default_rng(0).exponential(size=(3, 3, table.n_columns))
    losses = rule.losses(subsets, errors)
    for row, subset in enumerate(subsets[:2]):
        present = [table.columns.loc[n, "benchmark"] not in subset for n in table.scores.columns]
        for split in range(3):
            wanted = _plain_average(table, errors[row, split], present)
            assert losses[row, split] == pytest.approx(wanted)


def test_unseen_is_blank_where_nothing_is_left_to_predict() -> None:
    table = rich_table()
    splits = few_splits(table)
    scorer = eevee.MLPScorer(table, splits, epochs=3, targets="unseen")
    losses = scorer.losses([table.benchmark_names, ("ant",)])
    assert np.isnan(losses).tolist() == [True, False]


def test_errors_of_unmeasured_columns_never_reach_the_loss() -> None:
    table = rich_table()
    splits = few_splits(table)
    rule = LossRule(table, splits, standardise(table, splits.fit), "all", None)
    errors = np.ones((1, 3, table.n_columns))
    errors[rule.test_weights([()]) == 0] = np.nan
    assert rule.losses([("ant",)], errors) == pytest.approx(np.ones((1, 3)))


def test_mean_squared_errors_equal_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    predictions, targets = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(3, 5, 4))
    observed = rng.random((3, 5, 4)) < 0.6
    observed[0, :, 1] = False
    found = mean_squared_errors(predictions, targets, observed)
    for i, s, c in np.ndindex(found.shape):
        cells = [
            (predictions[i, s, r, c] - targets[s, r, c]) ** 2 for r in range(5) if observed[s, r, c]
        ]
        assert found[i, s, c] == pytest.approx(np.mean(cells) if cells else 0.0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"ant": 1.0}, "benchmark 'bee' has none"),
        ({"ants": 1.0}, "no benchmark 'ants' in the table.*did you mean 'ant'"),
        (dict.fromkeys(TABLES[True].benchmark_names, 0.0), "not all zero"),
        (dict.fromkeys(TABLES[True].benchmark_names, -1.0), "not negative"),
        (dict.fromkeys(TABLES[True].benchmark_names, np.nan), "must be finite"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message: str) -> None:
    with pytest.raises(eevee.EeveeError, match=message):
        loss_weights(TABLES[True], weights)


def test_a_split_without_an_observed_test_cell_is_an_error() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan]}, index=list("wxyz"))
    table = ResultsTable.from_scores(frame)
    test = np.array([[False, False, True, False], [False, False, False, True]])
    splits = eevee.splits.Splits(train=~test, validation=np.zeros((2, 4), bool), test=test)
    with pytest.raises(eevee.EeveeError, match="split 1 has no observed test cell"):
        eevee.MLPScorer(table, splits, epochs=1)


def test_weights_of_zero_leave_a_benchmark_out_of_the_loss() -> None:
    table = rich_table(missing=0.0)
    splits = few_splits(table)
    weights = dict.fromkeys(table.benchmark_names, 1.0) | {"gnu": 0.0}
    values = table.scores.to_numpy().copy()
    mine = [table.scores.columns.get_loc(name) for name in table.columns_of("gnu")]
    values[:, mine] = np.random.default_rng(5).permutation(values[:, mine])
    losses = [
        eevee.MLPScorer(t, splits, epochs=5, weights=weights).losses([("ant", "bee")])
        for t in (table, with_scores(table, values))
    ]
    assert losses[0] == losses[1]
