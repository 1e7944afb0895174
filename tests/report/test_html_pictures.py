"""Pictures of the HTML report: which names are shown, and what is left out."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from eevee.report.html.benchmarks import Ablation, Alone, Ranking, Without
from eevee.report.html.charts import Axis, Point, Row, dot_chart
from eevee.report.html.data_card import draw_gaps
from eevee.report.html.labels import LABEL, places
from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.words import told
from eevee.tables.results_table import ResultsTable
from tests.conftest import made_table

LEGEND = Legend("viridis", 0.0, 1.0, ("low", "high"))
NAME = re.compile(r'<text [^>]*class="([^"]*)"[^>]*>([^<]*)(?:<title>([^<]*)</title>)?</text>')


def names_of(picture: str) -> list[tuple[str, str, bool]]:
    """Shown and whole names of a picture, and whether they are bold."""
    found = [one for one in NAME.findall(picture) if "name" in one[0].split()]
    return [(shown, whole or shown, "strong" in kind) for kind, shown, whole in found]


@given(st.integers(1, 60), st.floats(0.5, 30.0), st.data())
def test_names_that_come_first_are_shown_in_order_a_line_apart(
    count: int, size: float, data: st.DataObject
):
    first = data.draw(st.lists(st.integers(0, count - 1), unique=True))
    found = places(count, size, first)
    shown, at = [i for i, _ in found], np.array([at for _, at in found])
    assert shown == sorted(set(shown))
    assert np.all(np.diff(at) > LABEL - 1e-6)
    if size >= LABEL or len(first) * LABEL <= size * count:
        assert set(first) <= set(shown)
        assert np.all((at >= min(LABEL, size) / 2 - 1e-6) & (at <= max(size * count, LABEL)))


def test_every_column_of_a_tier_is_named_among_hundreds_and_names_stay_distinct():
    columns = [f"results_of_a_long_benchmark_{i:03}_over_all_of_its_tasks" for i in range(298)]
    tier = set(columns[100:112:2]) | set(columns[250::8])
    frame = pd.DataFrame(np.zeros((30, 298)), index=[f"m{i}" for i in range(30)], columns=columns)
    drawn = str(matrix("x", "x", "x", frame, LEGEND, strong=lambda one: one in tier))
    for picture in drawn.split("</svg>")[:2]:
        named = [one for one in names_of(picture) if one[1] in columns]
        assert {whole for _, whole, strong in named if strong} == tier
        assert len({shown for shown, _, _ in named}) == len(named)
        assert not any(strong for _, whole, strong in named if whole not in tier)
    wide, narrow = (len(names_of(picture)) for picture in drawn.split("</svg>")[:2])
    assert wide > narrow > len(tier)


def test_names_of_a_chart_are_distinct_and_their_whole_is_a_title():
    names = [f"Snowflake/snowflake-{i}-arctic-embedding-of-a-large-size" for i in range(3)]
    rows = [Row(name, (Point(1.0),)) for name in names]
    for picture in str(dot_chart("x", "x", "x", rows, Axis("y"))).split("</svg>")[:2]:
        found = names_of(picture)
        assert [whole for _, whole, _ in found] == names
        assert len({shown for shown, _, _ in found}) == 3


def gaps(table: ResultsTable) -> tuple[list[str], str]:
    picture, said = draw_gaps(table)
    assert picture is not None
    return [whole for _, whole, _ in names_of(picture.split("</svg>")[0])], said


def test_where_few_cells_are_missing_only_models_and_columns_with_gaps_are_drawn():
    scores = made_table(50, 8, seed=1).scores
    assert draw_gaps(ResultsTable.from_scores(scores)) == (None, "")
    scores.iloc[[3, 7], 2] = np.nan
    scores.iloc[3, 5] = np.nan
    named, said = gaps(ResultsTable.from_scores(scores))
    rows, columns = scores.index, scores.columns
    assert sorted(named) == sorted([rows[3], rows[7], columns[2], columns[5]])
    assert said == (
        "2 of 50 models have gaps and are drawn; 48 have none. "
        "2 of 8 columns have gaps and are drawn; 6 have none."
    )
    scores.iloc[:45, 2] = np.nan
    assert gaps(ResultsTable.from_scores(scores))[1].startswith("45 of 50 models")


def test_of_many_models_with_few_gaps_those_with_most_are_drawn():
    scores = made_table(60, 60, seed=1).scores
    values = scores.to_numpy().copy()
    values[np.arange(60), np.arange(60)] = np.nan
    values[10, 11] = np.nan
    scores = pd.DataFrame(values, index=scores.index, columns=scores.columns)
    named, said = gaps(ResultsTable.from_scores(scores))
    assert said.startswith("60 of 60 models have gaps, of which the 40 with the most are drawn.")
    assert "All 60 columns have gaps." in said
    assert scores.index[10] in named
    assert len([one for one in named if one in set(scores.index)]) == 40


def test_captions_say_what_the_bars_are():
    def of(*rises: float) -> str:
        rows = tuple(Without(f"b{i}", rise, 0.01, rise, 0.0, 0.1) for i, rise in enumerate(rises))
        return Ablation("small", 0.42, rows, Markup()).caption

    assert "All bars are short" in of(0.03, 0.02)
    assert "from 0.42 by at most 0.03" in of(0.03, 0.02)
    assert "Without b0 the error rises most: from 0.42 to 0.72." in of(0.3, 0.2)
    assert "1 of 2 rises by no more than the spread" in of(0.3, 0.005)
    assert "spread of the loss: splits" not in of(0.3, 0.2)


@pytest.mark.parametrize(("mean", "count"), [(1.2, 0), (1.0, 1), (0.2, 2)])
def test_benchmarks_worse_than_guessing_are_said(mean: float, count: int):
    rows = tuple(Alone(i, f"b{i}", "", 1.0, loss, 0.1) for i, loss in enumerate([0.1, 0.5, 1.1]))
    said = Ranking(rows, Markup(), mean).worse
    assert said.startswith(f"{count} of 3 benchmarks") if count else said == ""
    assert ("b2 (1.05)" in said) == bool(count)
    assert not told(rows, "task")
    assert told(rows, "cost")
