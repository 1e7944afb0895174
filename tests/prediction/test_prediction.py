from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.prediction.prediction import mean_in_units, mean_score
from tests.averages import average_by_loops
from tests.conftest import made_table
from tests.scorers.tables import rich_table


def _table(values: dict[str, list[float]]) -> eevee.ResultsTable:
    return eevee.ResultsTable.from_scores(pd.DataFrame(values, index=list("xyz")))


def test_a_mean_score_goes_over_columns_benchmarks_and_tasks_without_proxies() -> None:
    table = rich_table(missing=0.0)
    rule = mean_in_units(table)
    sign = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    z = sign * (table.scores - table.scores.mean()) / table.units
    expected = [average_by_loops(table, row) for row in z.to_numpy()]
    found = table.scores.to_numpy() @ rule.weights + rule.constant
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("values", "shared"),
    [
        ({"a": [0.1, 0.2, 1.0], "b": [0.0, 0.5, 0.4]}, True),
        ({"a": [10, 20, 100], "b": [0, 50, 40]}, True),
        ({"a": [0.1, 0.2, 1.0], "b": [0, 50, 40]}, False),
        ({"a": [10, 20, 1013], "b": [0, 50, 40]}, False),
        ({"a": [-0.1, 0.2, 0.3], "b": [0.0, 0.5, 0.4]}, False),
    ],
)
def test_scores_are_averaged_only_on_a_shared_scale(values, shared: bool) -> None:
    assert (mean_score(_table(values)) is not None) == shared


def test_scores_of_both_directions_are_not_averaged() -> None:
    table = _table({"a": [0.1, 0.2, 1.0], "b": [0.0, 0.5, 0.4]})
    mixed = replace(table, columns=table.columns.assign(direction=["higher", "lower"]))
    lower = replace(table, columns=table.columns.assign(direction="lower"))
    assert mean_score(mixed) is None
    assert mean_score(lower) is not None


def test_the_mean_score_is_the_mean_of_the_predicted_row() -> None:
    table = made_table(30, 6, seed=1)
    shares = 1 / (1 + np.exp(-table.scores))
    training = eevee.ResultsTable.from_scores(shares[:25])
    found = eevee.fit_predictor(training, ["b00"], scorer="ridge").predict(shares[25:][["b00"]])
    assert found.mean_score is not None
    np.testing.assert_allclose(found.mean_score["predicted"], found.mean.mean(axis=1), rtol=1e-12)


def test_the_csv_holds_measured_scores_in_full(tmp_path: Path) -> None:
    table = made_table(20, 4)
    training = table.take_models(np.arange(20) < 18)
    new = table.scores[18:][["b00", "b02"]]
    found = eevee.fit_predictor(training, ["b00"], scorer="ridge").predict(new)
    found.write_csv(tmp_path / "rows.csv")
    read = pd.read_csv(tmp_path / "rows.csv", dtype=str).assign(
        **{name: lambda rows, name=name: rows[name].map(float) for name in ("predicted", "lower")}
    )
    rows = found.to_long()
    assert (read["measured"] == rows["measured"].astype(str)).all()
    seen = rows["measured"]
    assert (read["predicted"][seen] == rows["predicted"][seen]).all()
    np.testing.assert_allclose(read["lower"][~seen], rows["lower"][~seen], rtol=5e-6)
