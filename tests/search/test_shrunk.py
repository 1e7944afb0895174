from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import LedoitWolf

import eevee
from eevee.search.shrunk import ShrunkCovariance
from eevee.tables.results_table import ResultsTable


def _table(seed: int = 0, n_models: int = 14, gaps: float = 0.0) -> ResultsTable:
    """Six benchmarks, one with two columns, one column lower-better, tasks of unequal size."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_models, 2)) @ rng.normal(size=(2, 7))
    values = (values + 0.5 * rng.normal(size=values.shape)) * [1, 10, 0.1, 1, 1, 5, 1]
    values[rng.random(values.shape) < gaps] = np.nan
    names = ["a", "b", "c", "d", "e", "f.x", "f.y"]
    columns = pd.DataFrame(
        {
            "benchmark": [name[0] for name in names],
            "metric": names,
            "direction": ["higher", "lower", *["higher"] * 5],
            "role": "score",
        },
        index=names,
    )
    tasks = pd.DataFrame({"task": list("sssttt"), "cost": 1.0}, index=list("abcdef"))
    return ResultsTable.from_scores(
        pd.DataFrame(values, columns=names), columns=columns, benchmarks=tasks
    )


def _reference(table: ResultsTable, subset: tuple[str, ...], weight: dict[str, float]) -> float:
    """By loops: Ledoit and Wolf's formula on complete columns, then Schur's complement."""
    values = table.scores.to_numpy(float)
    n, p = values.shape
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    sample = sum(np.outer(row, row) for row in z) / n
    mu = np.trace(sample) / p
    apart = ((sample - mu * np.eye(p)) ** 2).sum()
    noise = sum(((np.outer(row, row) - sample) ** 2).sum() for row in z) / n**2
    shrinkage = min(noise, apart) / apart
    shrunk = (1 - shrinkage) * sample + shrinkage * mu * np.eye(p)
    own = [i for i, name in enumerate(table.scores.columns) if name.split(".")[0] in subset]
    total = 0.0
    for i, name in enumerate(table.scores.columns):
        cross = shrunk[i, own]
        left = shrunk[i, i] - cross @ np.linalg.inv(shrunk[np.ix_(own, own)]) @ cross
        # A column's variance is one unit squared, since these models are all that there are.
        total += weight[name] * left
    return float(total)


EQUAL_TASKS = {**dict.fromkeys("abc", 1 / 6), "d": 1 / 6, "e": 1 / 6, "f.x": 1 / 12, "f.y": 1 / 12}


@pytest.mark.parametrize("n_models", [5, 14, 60])
def test_the_variance_left_is_that_of_the_shrunk_covariance_by_hand(n_models: int) -> None:
    table = _table(n_models=n_models)
    subsets = [("a",), ("b", "f"), ("a", "c", "d"), ("a", "b", "c", "d", "e", "f")]
    found = ShrunkCovariance(table).left(subsets)
    expected = [_reference(table, subset, EQUAL_TASKS) for subset in subsets]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_weights_and_unseen_targets_are_those_of_the_loss() -> None:
    table = _table()
    weights = {"a": 1.0, "b": 0.0, "c": 0.0, "d": 2.0, "e": 0.0, "f": 1.0}
    by_hand = {"a": 1 / 4, "b": 0, "c": 0, "d": 1 / 2, "e": 0, "f.x": 1 / 8, "f.y": 1 / 8}
    (found,) = ShrunkCovariance(table, weights=weights).left([("b", "e")])
    assert found == pytest.approx(_reference(table, ("b", "e"), by_hand), rel=1e-6)
    # Without a and f, task s has two targets and task t has two.
    unseen = {"b": 1 / 4, "c": 1 / 4, "d": 1 / 4, "e": 1 / 4, "a": 0, "f.x": 0, "f.y": 0}
    one, none = ShrunkCovariance(table, targets="unseen").left([("a", "f"), tuple("abcdef")])
    assert one == pytest.approx(_reference(table, ("a", "f"), unseen), rel=1e-6)
    assert np.isnan(none)


def test_a_subset_is_worth_the_same_in_any_batch_and_order_and_never_below_nothing() -> None:
    table = _table()
    shrunk = ShrunkCovariance(table)
    subsets = [("a",), ("f", "b"), tuple("abcdef"), ("d", "e", "f")]
    together = shrunk.left(subsets)
    alone = [shrunk.left([subset])[0] for subset in subsets]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-15)
    assert shrunk.left([("b", "f")])[0] == pytest.approx(together[1], rel=1e-12)
    assert (together >= 0).all()
    assert len(shrunk.left([])) == 0


def test_more_benchmarks_never_leave_more_variance() -> None:
    shrunk = ShrunkCovariance(_table(gaps=0.2))
    left = shrunk.left([tuple("abcdef"[:k]) for k in range(1, 7)])
    assert (np.diff(left) < 0).all()


def test_missing_cells_are_their_columns_mean_and_constant_columns_do_no_harm() -> None:
    table = _table(gaps=0.15)
    scores = table.scores.assign(c=table.scores["b"])
    scores["a"] = np.arange(len(scores)) == len(scores) - 1
    whole = eevee.ResultsTable.from_scores(scores)
    table, scores = whole.take_models(np.arange(len(scores)) < len(scores) - 1), scores.iloc[:-1]
    values = scores.to_numpy(float)
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    sd = filled.std(axis=0)
    z = (filled - filled.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    shrunk = LedoitWolf(assume_centered=True).fit(z).covariance_
    units = np.maximum(np.nanstd(values, axis=0) / np.nanstd(whole.scores, axis=0), 0.1)
    shrunk = units[:, None] * shrunk * units
    own = [1, 2, 4]
    inverse = np.linalg.inv(shrunk[np.ix_(own, own)])
    left = np.diag(shrunk) - np.einsum("ci,ij,cj->c", shrunk[:, own], inverse, shrunk[:, own])
    (found,) = ShrunkCovariance(table).left([tuple(scores.columns[own])])
    assert found == pytest.approx(left.mean(), rel=1e-6)


def test_columns_that_say_the_same_need_no_shrinkage() -> None:
    one = np.tile([1.0, -1.0], 10)  # every model's products are the covariance: no shrinkage
    table = ResultsTable.from_scores(pd.DataFrame({"a": one, "b": one, "c": -one}))
    np.testing.assert_allclose(ShrunkCovariance(table).left([("a", "b")]), 0.0, atol=1e-6)
