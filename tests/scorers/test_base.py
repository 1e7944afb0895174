from __future__ import annotations

import numpy as np
import pytest

import eevee
from tests.conftest import made_table
from tests.scorers.tables import few_splits, rich_table


def test_the_mean_predictor_has_a_closed_form() -> None:
    table = made_table(missing=0.0)
    splits = few_splits(table, 5)
    losses = eevee.MLPScorer(table, splits, epochs=1).mean_predictor()
    values, units = table.scores.to_numpy(), table.units.to_numpy()
    for split in range(5):
        fit, test = values[splits.fit[split]], values[splits.test[split]]
        squared = (test.mean(axis=0) - fit.mean(axis=0)) ** 2 + test.var(axis=0)
        assert losses[split] == pytest.approx((squared / units**2).mean())


def test_the_mean_predictor_averages_by_column_benchmark_and_task_over_observed_cells() -> None:
    table = rich_table(missing=0.3)
    splits = few_splits(table)
    losses = eevee.MLPScorer(table, splits, epochs=1).mean_predictor()
    scores = table.scores
    for split in range(3):
        tasks: dict[str, list[float]] = {}
        for benchmark in table.benchmark_names:
            errors = []
            for name in table.columns_of(benchmark):
                fit = scores.loc[splits.fit[split], name].dropna()
                test = scores.loc[splits.test[split], name].dropna()
                if table.columns.loc[name, "role"] == "score" and len(fit) >= 2 and len(test):
                    errors.append(float(((test - fit.mean()) ** 2).mean() / table.units[name] ** 2))
            if errors:
                task = str(table.benchmarks.loc[benchmark, "task"])
                tasks.setdefault(task, []).append(float(np.mean(errors)))
        assert losses[split] == pytest.approx(np.mean([np.mean(part) for part in tasks.values()]))


def test_the_loss_is_the_mean_over_splits() -> None:
    table = made_table()
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=5)
    subsets = [("b00",), ("b01", "b02")]
    np.testing.assert_array_equal(scorer.losses(subsets), scorer.split_losses(subsets).mean(axis=1))
    assert scorer.losses(subsets).dtype == np.float64


def test_scoring_nothing_gives_nothing() -> None:
    table = made_table()
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=5)
    assert scorer.losses([]).shape == (0,)
    assert scorer.split_losses([]).shape == (0, 3)


def test_every_subset_is_reported_once_whether_new_repeated_or_cached() -> None:
    table = made_table()
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=2, chunk_size=2)
    subsets = [(name,) for name in table.benchmark_names]
    for asked in (subsets[:3], subsets, [*subsets, *subsets]):
        reported: list[int] = []
        scorer.losses(asked, advance=reported.append)
        assert sum(reported) == len(asked)


def test_splits_of_another_table_are_refused() -> None:
    with pytest.raises(eevee.EeveeError, match="are for 10 models, the table has 24"):
        eevee.MLPScorer(made_table(), few_splits(made_table(10)))


def test_unknown_and_empty_subsets_are_refused() -> None:
    table = made_table()
    scorer = eevee.MLPScorer(table, few_splits(table), epochs=2)
    with pytest.raises(eevee.EeveeError, match="no benchmark 'zzz'"):
        scorer.losses([("b00", "zzz")])
    with pytest.raises(eevee.EeveeError, match="at least one benchmark"):
        scorer.losses([()])


def test_a_name_inside_another_name_does_not_feed_it() -> None:
    """`clevr` owns its own column, not that of `clevr-math`, whose scores may be anything."""
    table = made_table(n_benchmarks=4)
    names = ["clevr", "clevr-math", "iris", "math"]
    frame = table.scores.set_axis(names, axis=1)
    other = frame.assign(**{"clevr-math": frame["clevr-math"].to_numpy()[::-1]})
    splits = few_splits(table, 2)
    before, after = (
        eevee.MLPScorer(
            eevee.ResultsTable.from_scores(scores),
            splits,
            epochs=3,
            weights={"clevr": 1, "clevr-math": 0, "iris": 1, "math": 1},
        ).losses([("clevr",), ("clevr", "clevr-math")])
        for scores in (frame, other)
    )
    assert before[0] == after[0]
    assert before[1] != after[1]
