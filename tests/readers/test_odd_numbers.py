"""Models in another scale, stand-ins for missing, rows that are no models, odd layouts."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from eevee import read_table
from eevee.readers.latex import latex_records
from eevee.readers.new_scores import read_new_scores
from tests.readers.conftest import Fails, Read
from tests.readers.test_published import NAMES, csv, scores, why


@pytest.mark.parametrize("rows", [[0], [13], [3, 7], list(range(0, 14, 2))])
def test_models_in_fractions_among_percentages_are_refused_and_named(fails: Fails, rows: list[int]):
    frame = scores()
    frame["loss"] = [2.5 + i / 10 for i in range(14)]
    frame.iloc[rows, :8] = (frame.iloc[rows, :8] / 100).round(3)
    said = fails(csv(frame))
    assert "in 0 to 1, the others in 0 to 100" in said
    assert repr(frame.index[rows[0]]) in said


def test_a_model_in_percentages_among_fractions_is_refused_unless_it_is_left_out(
    fails: Fails, read: Read
):
    frame = (scores() / 100).round(3)
    frame.iloc[4] = scores().iloc[4]
    assert "model 'org/m04' is in 0 to 100, the others in 0 to 1" in fails(csv(frame))
    assert read(csv(frame), drop_models=["org/m04"]).n_models == 13
    assert read(csv(frame), column_roles={"*": "score"}).n_models == 14


def test_a_model_that_is_weak_everywhere_is_in_no_other_scale(read: Read):
    frame = scores()
    frame.iloc[13] = [0.9, 0.4, 25.1, 1.2, 0.8, 24.0, 0.3, 50.0]
    assert read(csv(frame)).n_models == 14


@pytest.mark.parametrize("value", [-2, -5, 1e9, 777, 6240, 1234567])
def test_numbers_far_from_the_rest_are_named_and_can_be_called_missing(read: Read, value: float):
    frame = scores()
    frame.iloc[3, 2] = value
    said = why(read(csv(frame)), "code")
    assert f"is {value:.12g} for 'org/m03', far from all others" in said
    token = said.partition("--missing ")[2].strip("'")
    assert pd.isna(read(csv(frame), missing=[token]).scores.loc["org/m03", "code"])


def test_a_zero_of_a_strong_model_is_named_where_weaker_ones_have_more(read: Read):
    frame = scores()
    frame["code"] = (frame["code"] - frame["code"].min() + 2).round(1)  # 2 to about 40
    frame.iloc[1, 2] = 0
    said = why(read(csv(frame)), "code")
    assert "is 0 for 'org/m01', far from what models have that are weaker elsewhere" in said
    frame.iloc[1, 2], frame.iloc[13, 2] = 38, 0
    assert why(read(csv(frame)), "code") == ""


def test_a_model_of_nothing_but_zeros_is_named_once(read: Read):
    frame = scores()
    frame.loc["org/m02", "law":] = 0
    notes = [note for note in read(csv(frame)).provenance.notes if "far from" in note.why]
    assert [(note.kind, note.name) for note in notes] == [("model", "org/m02")]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("# samples", [1319, 14042, 164, 1172, 817, 10042, 500, 250]),
        ("Weights", [1, 1, 2, 1, 0.5, 1, 1, 1]),
        ("shots", [5, 5, 0, 0, 3, 8, 0, 25]),
        ("Year", [2019, 2020, 2021, 2020, 2021, 2022, 2023, 2021]),
        ("Max score", [100] * 8),
        ("Cost ($)", [1.5, 2, 3, 0.5, 9, 1, 2, 2.5]),
        ("Durchschnitt", [51, 52, 50, 49.5, 53, 52, 51, 50.3]),
    ],
)
def test_rows_that_tell_of_the_benchmarks_are_dropped(read: Read, name: str, values: list[float]):
    frame = scores()
    frame.loc[name] = values
    table = read(csv(frame))
    assert table.n_models == 14
    assert "by its name" in why(table, name)


@pytest.mark.parametrize("name", ["#1", "# one", "Samples", "Weighty"])
def test_models_with_such_names_and_usual_scores_stay(read: Read, name: str):
    frame = scores().round()
    frame.loc[name] = frame.iloc[3].to_numpy()[::-1]
    assert name in read(csv(frame)).scores.index


@pytest.mark.parametrize("name", ["SOTA", "Oracle", "Upper bound", "Previous best", "Baseline"])
def test_references_are_kept_and_named(read: Read, name: str):
    frame = scores()
    frame.loc[name] = frame.max() + 1.3
    assert "--drop-models" in why(read(csv(frame)), name)


@pytest.mark.parametrize("name", ["bigcode/starcoder2-7b", "org/Seed1.6", "N-gram", "Weight-7B"])
def test_models_with_odd_names_stay(read: Read, name: str):
    frame = scores()
    frame.loc[name] = [61, 60, 55, 52, 53, 58, 59, 57]
    assert why(read(csv(frame)), name) == ""


@pytest.mark.parametrize("of", [4, 8])
def test_a_mean_that_counts_a_column_turned_is_found(read: Read, of: int):
    frame = scores()
    mean = frame.iloc[:, :of].mean(axis=1).round(2)
    frame["code"] = (100 - frame["code"]).round(1)
    frame["Q"] = mean
    table = read(csv(frame))
    assert "Q" not in table.benchmark_names
    assert "'code' turned: lower is better" in why(table, "Q")


@pytest.mark.parametrize("corner", ["", "Model"])
def test_a_table_whose_header_names_models_is_turned(read: Read, corner: str):
    frame = scores()
    table = read(csv(frame.T.rename_axis(corner)))
    assert table.scores[list(NAMES)].equals(frame.rename_axis(None).set_axis(table.model_names))
    assert "turned" in why(table, "scores.csv")


def test_a_table_of_costs_given_for_scores_is_refused(fails: Fails):
    assert "give the scores, and this file with --costs" in fails("benchmark,cost\na,1\nb,2\n")
    assert "--costs" in fails("benchmark,median_seconds,n_models,p10\na,1,9,1\nb,2,9,1\n")


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_arrays_of_json_records_are_read(tmp_path: Path):
    frame = scores()
    flat = frame.reset_index().to_json(orient="records", indent=1)
    held = json.dumps([{"model": m, "scores": dict(row)} for m, row in frame.iterrows()])
    for text in (flat, held):
        table = read_table(_file(tmp_path, "a.json", text))
        assert (table.scores[list(NAMES)].to_numpy() == frame.to_numpy()).all()


def test_latex_tables_are_read(tmp_path: Path):
    frame = scores()
    rows = [
        rf"\textbf{{{model}}}~\cite{{x}} & " + " & ".join(rf"${v}_{{\pm 0.3}}$" for v in row)
        for model, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]
    head = r"\multirow{2}{*}{Model} & \multicolumn{4}{c}{One} & \multicolumn{4}{c}{Two} \\ "
    names = " & " + " & ".join(NAMES)
    section = r"\multicolumn{9}{l}{\textit{Open}} \\ \midrule "
    body = head + r"\cmidrule(lr){2-5}" + names + r" \\ \midrule " + section
    body += r" \\[2pt] % a comment".join(f"\n{row}" for row in rows) + r" \\ \bottomrule"
    text = r"\begin{table}\begin{tabular}{l|cccccccc}" + body + r"\end{tabular}\end{table}"
    table = read_table(_file(tmp_path, "a.tex", text))
    assert (table.scores[list(NAMES)].to_numpy() == frame.to_numpy()).all()
    assert table.stderrs is not None
    assert table.stderrs.to_numpy().max() == 0.3


def test_a_latex_table_without_rows_is_no_table():
    empty = r"\begin{tabular}{l} \hline \end{tabular}"
    assert latex_records(empty, "a.tex") is None
    assert latex_records(2 * empty, "a.tex") is None


def test_sections_footers_and_repeated_headers_are_skipped(read: Read):
    frame = scores()
    head, *rows = csv(frame).splitlines()
    lines = [head, "Open models", *rows[:7], head.upper(), "Closed", *rows[7:], "Source: us, 2024"]
    table = read("\n".join([*lines, "Note: a, b, c"]) + "\n")
    assert (table.scores.to_numpy() == frame.to_numpy()).all()
    assert "head sections" in why(table, "scores.csv")


def test_new_scores_take_the_reading_options():
    table = read_table(scores())
    new = pd.DataFrame({"sums": [60.0, -1, 50], "note": ["a", "b", "c"]}, ["x", "y", "human"])
    found = read_new_scores(
        new, table, missing=["sums=-1", "law=-1"], drop_models=["hum*"], drop_columns=["note"],
        column_roles={"jokes": "lower"},
    )  # fmt: skip
    assert list(found.index) == ["x", "y"]
    assert found.loc["x", "sums"] == 60
    assert pd.isna(found.loc["y", "sums"])
