from __future__ import annotations

import json

import pandas as pd
import pytest

import eevee
from eevee.analysis.describe import describe, summary


@pytest.fixture
def messy() -> eevee.ResultsTable:
    frame = pd.DataFrame(
        {
            "a": [1.0, 2, 3, None],
            "b.loss": [0.1, 0.3, 0.2, 0.5],
            "b.acc": [9.0, 7, 8, 6],
            "family": list("fgfg"),
            "average": [1.0, 2, 3, 4],
        },
        index=list("wxyz"),
    )
    return eevee.read_table(
        frame,
        costs={"a": 2.0, "b": 0.5},
        benchmarks=pd.DataFrame({"benchmark": ["a"], "task": ["t"]}),
    )


def test_each_column_is_described_in_table_order(messy: eevee.ResultsTable):
    described = describe(messy)
    fields = "column benchmark metric direction direction_source role bounds task cost coverage"
    assert list(described) == [*fields.split(), "min", "max", "low", "high", "unit"]
    assert list(described["column"]) == ["a", "b.loss", "b.acc"]
    assert described.loc[0, ["task", "cost", "coverage", "min", "max"]].tolist() == [
        "t", 2.0, 0.75, 1.0, 3.0,
    ]  # fmt: skip
    assert list(described["direction"]) == ["higher", "lower", "higher"]
    assert list(described["unit"]) == list(messy.units)


def test_the_summary_is_json_and_lists_every_note(messy: eevee.ResultsTable):
    found = json.loads(json.dumps(summary(messy), allow_nan=False))
    assert (found["models"], found["benchmarks"], found["columns"]) == (4, 2, 3)
    assert (found["total_cost"], found["cost_unit"]) == (2.5, "GPU-hours")
    assert [note["name"] for note in found["notes"]] == ["family", "average", "GPU-hours"]
    assert set(found["notes"][0]) == {"action", "kind", "name", "why"}
