"""Tables in the forms that people post: what is a score is decided, the rest is said."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eevee import EeveeError, read_table
from tests.readers.conftest import Fails, Read, notes_of

NAMES = ("sums", "law", "code", "chat", "prose", "facts", "maps", "jokes")
CASES = Path(__file__).parents[2].parent / "shared" / "cases"


def scores(n_models: int = 14, seed: int = 1) -> pd.DataFrame:
    """Eight benchmarks of one ability and noise, one decimal."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(70, 40, n_models)
    values = skill[:, None] + rng.normal(0, 4, (n_models, len(NAMES)))
    index = pd.Index([f"org/m{i:02d}" for i in range(n_models)], name="model")
    return pd.DataFrame(values.round(1), index, NAMES)


def csv(frame: pd.DataFrame, **more: Any) -> str:
    return frame.to_csv(lineterminator="\n", **more)


def roles(table: Any) -> dict[str, str]:
    return {column.name: column.role for column in table.provenance.columns}


def why(table: Any, name: str) -> str:
    return " ".join(note.why for note in table.provenance.notes if note.name == name)


def test_prices_times_and_identifiers_are_no_benchmarks(read: Read):
    frame = scores()
    frame["Price Per 1M Tokens"] = np.linspace(0.5, 9.0, 14)
    frame["code_seconds"] = np.arange(14) * 1.5 + 3
    frame["latency (ms)"] = np.arange(14) * 10 + 100
    frame["hub_model_id"] = [f"hub/{i}" for i in range(14)]
    table = read(csv(frame))
    assert set(table.benchmark_names) == set(NAMES)
    found = roles(table)
    assert [found[name] for name in frame.columns[8:]] == ["cost"] * 3 + ["identifier"]
    assert next(c.of for c in table.provenance.columns if c.name == "code_seconds") == "code"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("n_wins", range(100, 114), "count"),
        ("avg_length", range(1500, 1514), "count"),
        ("_step", range(12000, 12014), "step"),
        ("_timestamp", range(1772000000, 1772000014), "date"),
        ("started", range(1772000000, 1772000140, 10), "date"),
        ("seed", range(4234893321, 4234893335), "seed"),
        ("Unnamed: 0", range(14), "index"),
        ("Downloads", range(0, 14000, 1000), "attribute"),
        ("Rank", range(1, 15), "rank"),
        ("params (M)", range(7, 21), "attribute"),
        ("Release Date", [f"2025-03-{i:02d}" for i in range(1, 15)], "date"),
        ("size", [f"{i}B" for i in range(1, 15)], "attribute"),
        ("price", [f"${i}.50" for i in range(14)], "cost"),
        ("Open", ["true", "false"] * 7, "attribute"),
    ],
)
def test_what_is_no_score_is_set_aside(read: Read, name: str, values: Any, role: str):
    frame = scores()
    frame[name] = list(values)
    table = read(csv(frame))
    assert set(table.benchmark_names) == set(NAMES)
    assert roles(table)[name] == role


@pytest.mark.parametrize(
    "name",
    [
        "time", "memory", "Time Series", "Price Prediction", "heart", "MS MARCO", "RACE-high",
        "Object Counting", "Clevr-Count", "Date Understanding", "CO2 reasoning", "stepgame",
        "Seeds", "Error Detection", "GPQA Diamond", "max agreement", "TimeTravel", "win_rate",
        "score", "latency.acc", "Speed", "Energy", "IndexQA", "ranking qa", "location", "place.f1",
    ],
)  # fmt: skip
def test_a_score_with_an_odd_name_stays(read: Read, name: str):
    frame = scores()
    frame[name] = (frame["law"] + frame["maps"] * 0.3 - 9.7).round(1) + [0.1, 0.4] * 7
    assert name in read(csv(frame)).scores


def test_a_table_of_nothing_but_times_keeps_them(read: Read):
    frame = scores()[["sums", "law", "code"]].add_suffix("_seconds")
    assert read(csv(frame)).n_columns == 3


def test_errors_and_bounds_belong_to_their_score(read: Read):
    frame = scores()[["sums", "law"]]
    frame["sums_std"] = 0.5
    frame.insert(2, "standard_error", np.linspace(0.1, 0.3, 14).round(2))
    frame["elo_q025"], frame["elo_q975"] = frame["sums"] - 2, frame["sums"] + 1.7
    found = roles(read(csv(frame)))
    assert found["sums_std"] == found["standard_error"] == "error"
    assert found["elo_q025"] == found["elo_q975"] == "bound"


def test_high_and_low_are_bounds_only_where_the_numbers_say_so(read: Read):
    frame = scores()[["sums", "law"]]
    frame["RACE-high"], frame["RACE-low"] = scores(seed=2)["sums"], scores(seed=3)["sums"]
    assert read(csv(frame)).n_columns == 4


def test_the_user_overrules_the_reader(read: Read, fails: Fails):
    frame = scores()
    frame["cost_usd"] = scores(seed=3)["law"]
    frame.loc["human"] = 99.0
    text = csv(frame)
    given = {"cost_usd": "score", "law": "lower", "jokes": "text", "c?at": "proxy"}
    table = read(text, column_roles=given, drop_columns=["ma*"], drop_models=["hum*"])
    assert set(table.benchmark_names) == {*NAMES, "cost_usd"} - {"jokes", "maps"}
    assert table.columns.loc["law", ["direction", "direction_source"]].tolist() == ["lower", "read"]
    assert table.columns.loc["chat", "role"] == "proxy"
    assert "human" not in table.model_names
    assert "no column 'lwa' (did you mean 'law'?)" in fails(text, drop_columns=["lwa"])
    assert "no model 'x*'" in fails(text, drop_models=["x*"])
    assert "'cots' is no role" in fails(text, column_roles={"law": "cots"})


def test_means_of_groups_are_found_beside_one_another_and_an_unrelated_column(read: Read):
    frame = scores()
    first, second = frame.iloc[:, :4].mean(axis=1), frame.iloc[:, 4:].mean(axis=1)
    frame.insert(0, "Reasoning", first.round(2))
    frame.insert(5, "Writing", second.round(2))
    frame["other"] = scores(seed=5)["sums"]
    frame["Quality"] = frame[list(NAMES)].mean(axis=1).round(2)
    frame["Sum"] = frame[["sums", "law"]].sum(axis=1).round(1)
    table = read(csv(frame))
    assert set(table.benchmark_names) == {*NAMES, "other"}
    assert all(roles(table)[name] == "aggregate" for name in ("Reasoning", "Writing", "Quality"))
    assert "'sums', 'law'" in why(table, "Sum")


def test_a_weighted_mean_is_found_and_the_head_of_subtasks(read: Read):
    frame = scores(24)
    frame["index"] = (0.5 * frame["sums"] + 0.3 * frame["law"] + 0.2 * frame["chat"]).round(2)
    subtasks = frame.iloc[:, :4].rename(columns="mmlu_{}".format)
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    frame = frame.join(subtasks * 0.9 + 3)
    frame["mmlu"] = (frame[list(subtasks)] @ weights).round(3)
    table = read(csv(frame))
    assert "index" not in table.scores
    assert "mmlu" not in table.scores
    assert table.n_columns == 12


def test_a_lone_score_stays_and_so_does_one_that_averages_nothing(read: Read):
    assert read(csv(scores()[["sums"]].set_axis(["score"], axis=1))).n_columns == 1
    frame = scores().assign(win_rate=scores(seed=9)["sums"])
    assert "win_rate" in read(csv(frame)).scores


def test_raw_and_normalised_are_one(read: Read):
    frame = scores()
    for name in ("sums", "law"):
        frame[f"{name} Raw"] = (frame[name] / 100 * 0.75 + 0.25).round(3)
    table = read(csv(frame))
    assert set(table.benchmark_names) == set(NAMES)
    assert roles(table)["law Raw"] == "rescaled"


def test_rows_of_means_go_and_humans_are_named(read: Read):
    frame = scores()
    frame.loc["All of them"] = frame.mean().round(1)
    frame.loc["Human"] = 97.3
    frame = pd.concat([frame.iloc[:-1], frame.iloc[-1:]])
    table = read(csv(frame.drop(index="Human")))
    assert "All of them" not in table.model_names
    named = read(csv(frame.rename(index={"All of them": "Average"})))
    assert "Average" not in named.model_names
    assert "Human" in named.model_names
    assert "--drop-models" in why(named, "Human")


def test_directions_are_read_from_arrows_and_words(read: Read):
    frame = scores()
    frame.columns = ["sums ↑", "law⬆️", "FID ↓", "toxic (lower is better)", *NAMES[4:]]
    table = read(csv(frame))
    assert list(table.scores) == ["sums", "law", "FID", "toxic", *NAMES[4:]]
    said = table.columns["direction"] + " " + table.columns["direction_source"]
    assert said.tolist()[:4] == ["higher read"] * 2 + ["lower read"] * 2
    row = ",".join(["", "↑", "↓", *["↑"] * 6])
    head, rest = csv(scores()).split("\n", 1)
    assert read(f"{head}\n{row}\n{rest}").columns.loc["law", "direction"] == "lower"


def test_a_column_that_runs_against_the_rest_is_named(read: Read):
    frame = scores()
    frame["code"] = 100 - frame["code"]
    table = read(csv(frame))
    assert "runs against all other columns (rank correlation -0.9" in why(table, "code")
    assert not any("against" in note.why for note in read(csv(scores())).provenance.notes)


def test_standard_errors_behind_the_score(read: Read):
    for form in (
        "{:.1f} ± 0.3",
        "{:.1f}+/-0.3",
        "**{:.1f}** ± 0.3",
        "{:.1f} (0.3)",
        "${:.1f} \\pm 0.3$",
    ):
        table = read(csv(scores().map(form.format)))
        pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
        assert table.stderrs is not None
        assert (table.stderrs == 0.3).all().all()


def test_marks_around_numbers_are_taken_off(read: Read, fails: Fails):
    frame = scores().astype(str)
    frame.iloc[0, 0] = f"**{frame.iloc[0, 0]}**"
    frame.iloc[1, 1] += "†"
    frame.iloc[2, 2] += "*"
    pd.testing.assert_frame_equal(read(csv(frame)).scores, scores(), check_names=False)
    assert "two numbers" in fails(csv(frame.replace(frame.iloc[3, 3], "61.2 (3)")))


def test_words_for_missing_are_counted(read: Read, fails: Fails):
    frame = scores().astype(object)
    frame.iloc[3:10, 2] = ["OOM", "TIMEOUT", "n.a.", "--", "TBD", "#DIV/0!", "OOM"]
    table = read(csv(frame))
    assert int(table.scores.isna().sum().sum()) == 7
    assert "'OOM' in 2 cells" in why(table, "code")
    frame.iloc[3:10, 2] = ["lost", *[50.5] * 6]
    assert "--missing" in fails(csv(frame))
    assert read(csv(frame), missing=["lost"]).scores["code"].isna().sum() == 1


@pytest.mark.parametrize("value", [-1, -999, 0])
def test_stand_ins_for_missing_are_named_and_read(read: Read, value: int):
    frame = scores() + 60
    frame.iloc[[1, 5, 7], 3] = value
    text = csv(frame)
    table = read(text)
    assert table.scores.iloc[1, 3] == value
    assert f"--missing {value}" in why(table, "chat")
    mended = read(text, missing=[str(value)])
    assert mended.scores["chat"].isna().sum() == 3
    assert "3 cells" in why(mended, "chat")


def test_percent_signs_beside_fractions_become_one_scale(read: Read):
    frame = scores().astype(object)
    frame.iloc[::2, 4] = [f"{v}%" for v in frame.iloc[::2, 4]]
    frame.iloc[1::2, 4] = [round(v / 100, 3) for v in frame.iloc[1::2, 4]]
    table = read(csv(frame))
    np.testing.assert_allclose(table.scores.to_numpy(), scores().to_numpy())
    assert "multiplied by 100 (rows 3, 5, 7" in why(table, "prose")


def test_two_scales_in_one_column_are_refused_and_one_slip_is_named(read: Read, fails: Fails):
    frame = scores()
    frame.iloc[::2, 4] /= 100
    assert "'prose' is in two scales: 7 of 14" in fails(csv(frame))
    assert read(csv(frame), column_roles={"prose": "score"}).n_columns == 8
    one = scores()
    one.iloc[6, 4] /= 100
    assert "a slip of the scale" in why(read(csv(one)), "prose")


def test_a_comma_that_must_be_a_decimal_one_is_refused(fails: Fails):
    frame = scores().astype(object)
    frame.iloc[2, 1] = "68,937"
    assert "'68,937' is 68937, or 68.937" in fails(csv(frame, sep="\t"))


@pytest.mark.parametrize(
    "above",
    ["Table 2: zero-shot accuracy\n", "Table 2,,,,,,,,\n", "# seed 0, run 3\n# more\n", "// x\n"],
)
def test_lines_above_the_header_are_skipped_and_said(read: Read, above: str):
    table = read(above + csv(scores()))
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert any("skipped" in note.why for note in table.provenance.notes)


def test_footers_repeated_headers_and_units_are_no_models(read: Read):
    head, *rows = csv(scores()).splitlines()
    units = ",".join(["", *["(%)"] * 8])
    text = "\n".join([head, units, *rows[:7], head, *rows[7:], "Source: ourselves"])
    pd.testing.assert_frame_equal(read(text).scores, scores(), check_names=False)


def test_markdown_tables_are_read(read: Read):
    frame = scores().astype(str)
    frame.iloc[0, 0] = f"**{frame.iloc[0, 0]}**"
    lines = ["# Zoo", "", "Words | and more words.", "", "| Model | Config | " + " | ".join(NAMES)]
    lines += ["|:--|:-:|" + "--:|" * 8]
    lines += [
        f"| [`{model}`](https://x.org/{i}) | [a](b) \\| [c](d) | " + " | ".join(row) + " |"
        for i, (model, row) in enumerate(zip(frame.index, frame.to_numpy(), strict=True))
    ]
    table = read("\n".join([*lines, "", "The end."]), "README.md")
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert roles(table)["Config"] == "text"


@pytest.mark.parametrize("header", ["Rank,Method", "#,System", "Params,LLM", ",name"])
def test_the_name_is_the_model_wherever_it_stands(read: Read, header: str):
    rows = "".join(f"{i + 1},{line}\n" for i, line in enumerate(csv(scores()).splitlines()[1:]))
    table = read(f"{header},{','.join(NAMES)}\n{rows}")
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)


def test_sideways_tables_are_turned(read: Read):
    side = scores().T
    side.insert(0, "direction", ["lower", *["higher"] * 7])
    side.insert(0, "n", range(100, 108))
    table = read(csv(side, index_label="Benchmark"))
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert table.columns.loc["sums", "direction"] == "lower"
    told = read(csv(scores().T, index_label="what"), layout="transposed")
    pd.testing.assert_frame_equal(told.scores, scores(), check_names=False)


def test_a_model_that_is_written_once_per_group_is_repeated(read: Read):
    rows = "".join(
        f"{model if name == 'sums' else ''},{name},{value}\n"
        for model, row in scores().iterrows()
        for name, value in row.items()
    )
    table = read("model,benchmark,score\n" + rows)
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert "repeat the name above" in why(table, "model")


def test_a_line_break_in_a_header_is_a_space(read: Read):
    table = read(csv(scores().rename(columns={"law": "law\n(5-shot)"})))
    assert "law (5-shot)" in table.scores
    assert "line break" in why(table, "law (5-shot)")


def parts(lacking: Callable[[int, str, str], bool]) -> str:
    rows = [
        f"{model},{name},{part},{value + 6 * (part == 'iid'):.1f}\n"
        for i, (model, row) in enumerate(scores().iterrows())
        for name, value in row.items()
        for part in ("iid", "ood")
        if not lacking(i, str(name), part)
    ]
    return "model,benchmark,split,score\n" + "".join(rows)


def test_models_with_some_of_the_parts_are_named_and_parts_are_no_models(read: Read, fails: Fails):
    text = parts(lambda i, name, part: i in {0, 3} and name == "law" and part == "ood")
    assert "such as" not in fails(text)
    table = read(text, duplicates="mean")
    assert why(table, "law").startswith("is a mean over fewer scores for 2 of 14 models")
    assert "org/m03 has 1 of 2 (no ood)" in why(table, "law")
    whole = read(parts(lambda *_: False), duplicates="mean")
    assert not any("fewer" in note.why for note in whole.provenance.notes)
    assert notes_of(whole) == ["ignored column split", "dropped file scores.csv"]


def test_value_columns_that_could_be_scores_are_named(fails: Fails, read: Read):
    rows = "".join(
        f"m{i},{b},acc,{i * j % 7},{i + j}\n" for i in range(6) for j, b in enumerate("xyz")
    )
    text = "model,task,metric,value_a,value_b\n" + rows
    message = fails(text)
    assert "'value_a', 'value_b'" in message
    assert "--score-column" in message
    assert read(text, score_column="value_b").n_models == 6


def test_json_lines_are_read(read: Read, fails: Fails):
    lines = [json.dumps({"model": model, "acc": dict(row)}) for model, row in scores().iterrows()]
    table = read("\n".join(lines), "scores.jsonl")
    assert table.scores.to_numpy().tolist() == scores().to_numpy().tolist()
    assert set(table.columns["benchmark"]) == {"acc"}
    assert "line 2 is no JSON" in fails('{"a": 1}\n{"a": }\n', "scores.jsonl")


def test_excel_and_parquet_need_extras_and_name_them(fails: Fails, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = "python -m pip install 'eevee-tiers[{}]'"
    assert said.format("excel") in fails(b"PK\x03\x04 xl/workbook.xml", "a.xlsx")
    assert said.format("parquet") in fails(b"PAR1abc", "a.parquet")


def test_excel_files_are_read(tmp_path: Path, fails: Fails):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        scores().to_excel(book, sheet_name="Main", startrow=2)
        scores().to_excel(book, sheet_name="Other")
    table = read_table(tmp_path / "a.xlsx")
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert "only the first, 'Main'" in why(table, "a.xlsx")
    assert "damaged" in fails((tmp_path / "a.xlsx").read_bytes()[:900] + b"xl/", "a.xlsx")


def test_parquet_files_are_read(tmp_path: Path, fails: Fails):
    pytest.importorskip("pyarrow")
    scores().reset_index().to_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(table.scores, scores(), check_names=False)
    assert "damaged" in fails(b"PAR1abc", "a.parquet")


MUST = {
    "n02_cost_columns.csv": (8, {"Cost_Per_Page": "cost", "HF_Model_ID": "identifier"}, ""),
    "n03_counts_errors.csv": (2, {"standard_error": "error", "n_total": "count"}, ""),
    "n04_only_score_and_ci.csv": (1, {"rating_q025": "bound", "rating_q975": "bound"}, ""),
    "n08_raw_and_normalised.csv": (4, {"CO₂ cost (kg)": "cost", "arith Raw": "rescaled"}, ""),
    "n09_unnamed_index.csv": (8, {"Unnamed: 0": "index"}, ""),
    "n11_group_averages.csv": (8, {"Clustering Average (4 datasets)": "aggregate"}, "mean of"),
    "n14_wandb_export.csv": (8, {}, "no logged metric"),
    "d01_arrow_headers.csv": (8, {}, ""),
    "d04_one_unlabelled_lower.csv": (8, {}, "correlation -0.71"),
    "k03c_percent_sign_and_fraction.csv": (8, {}, "multiplied by 100"),
    "c12_sentinel_minus_one.csv": (8, {}, "--missing -1"),
    "c01_pm_std.csv": (8, {}, "standard error behind ±"),
    "c09_oom_half.csv": (8, {}, "'OOM' in 7 cells"),
    "r01_average_row.csv": (8, {}, "mean of all other models"),
    "r05_title_row.csv": (8, {}, "skipped"),
    "l05_rank_first_name_second.csv": (8, {"Rank": "rank", "Method": "model"}, ""),
    "l10_header_linebreaks.csv": (8, {}, "line break"),
    "p03_markdown_zoo.md": (3, {"Download": "text"}, ""),
}


@pytest.mark.skipif(
    not CASES.is_dir(), reason="the cases (shared/cases beside the project) are not here"
)
@pytest.mark.parametrize("name", MUST)
def test_the_cases_say_what_they_must(name: str):
    n_benchmarks, wanted, said = MUST[name]
    table = read_table(CASES / name)
    assert (table.n_models, table.n_benchmarks) == (14, n_benchmarks)
    assert wanted.items() <= roles(table).items()
    assert any(said in note.why for note in table.provenance.notes) or not said
    assert all(name.strip() for name in table.benchmark_names)


@pytest.mark.skipif(
    not CASES.is_dir(), reason="the cases (shared/cases beside the project) are not here"
)
def test_the_case_of_arrows_is_read_as_lower():
    columns = read_table(CASES / "d01_arrow_headers.csv").columns
    assert list(columns.index[columns["direction"] == "lower"]) == [
        "toxic fraction", "hallucination rate", "FID",
    ]  # fmt: skip
    with pytest.raises(EeveeError, match="more than one score"):
        read_table(CASES / "p14_partial_splits.csv")


@pytest.mark.parametrize(
    ("name", "top", "role"),
    [
        ("Input $/1M", 15, "cost"),
        ("Avg. cost per question", 3, "cost"),
        ("Preis (€)", 15, "cost"),
        ("Laufzeit (s)", 500, "cost"),
        ("推理时间", 500, "cost"),
        ("images/sec", 3000, "cost"),
        ("TTFT", 900, "cost"),
        ("A100 hours", 90, "cost"),
        ("power (W)", 700, "cost"),
        ("Paramètres", 70, "attribute"),
        ("learning_rate", 0.001, "attribute"),
        ("trainer/global_step", 90000, "step"),
        ("GitHub stars", 9000, "attribute"),
        ("correct", 900, "count"),
        ("verbosity", 3000, "count"),
        ("open_source", 1, "attribute"),
    ],
)
def test_units_and_words_of_other_languages_say_what_is_no_score(
    read: Read, name: str, top: float, role: str
):
    frame, rng = scores(), np.random.default_rng(4)
    whole = role in {"step", "count"} or "stars" in name
    frame[name] = rng.uniform(top / 50, top, 14).round(0 if whole else 6)
    frame[name] = [0, 1] * 7 if name == "open_source" else frame[name]
    table = read(csv(frame))
    assert set(table.benchmark_names) == set(NAMES)
    assert roles(table)[name] == role


@pytest.mark.parametrize(
    "name",
    [
        "Time Travel",
        "Rank-1",
        "memory (needle)",
        "cost-aware QA",
        "Language ID",
        "Position",
        "Depth",
        "Context",
        "时间推理",
        "House Price",
        "Length",
        "games",
        "RMSE (s)",
        "Entity links",
        "Generation",
    ],
)
def test_benchmarks_that_sound_like_something_else_stay(read: Read, name: str):
    frame = scores()
    values = np.random.default_rng(5).uniform(40, 70, 14)
    frame[name] = values.round() if name in {"Language ID", "games", "Entity links"} else values
    assert name in read(csv(frame)).scores


@pytest.mark.parametrize(
    "cell",
    [
        "{} [1.5, 99.5]",
        "{} (+9/-7)",
        "{} +9/-7",
        "{} (+1.2)",
        "{} ↓1.2",
        "~{}",
        "🥇 {}",
        "{} pts",
        "{} (a)",
        "{}<sup>1</sup>",
        "{} (5-shot)",
        "'{}'",
        "{} ↑",
    ],
)
def test_one_number_is_read_of_a_cell_with_more_in_it(read: Read, cell: str):
    frame = scores()
    table = read(csv(frame.map(cell.format)))
    assert np.array_equal(table.scores[list(NAMES)], frame)


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_decimal_commas_are_read_whatever_the_separator(read: Read, separator: str):
    frame = scores()
    text = frame.map(lambda v: str(v).replace(".", ",")).to_csv(sep=separator)
    assert np.array_equal(read(text).scores[list(NAMES)], frame)


def test_separators_at_the_ends_of_rows_shift_nothing(read: Read):
    frame = scores()
    head, _, body = csv(frame).partition("\n")
    table = read(head + "\n" + body.replace("\n", ",\n"))
    assert np.array_equal(table.scores[list(NAMES)], frame)


def test_an_unknown_word_that_repeats_among_numbers_is_missing(read: Read):
    frame = scores().astype(object)
    frame.iloc[3:11, 3] = "gesperrt"
    table = read(csv(frame))
    assert int(table.scores["chat"].isna().sum()) == 8
    assert "'gesperrt' in 8 cells: read as missing" in why(table, "chat")


@pytest.mark.parametrize("first", ["Organization", "Date", "License"])
@pytest.mark.parametrize("name", ["Modell", "Backbone", "Model / Method", "模型"])
def test_makers_and_dates_before_the_name_are_no_models(read: Read, first: str, name: str):
    frame = scores().rename_axis(name).reset_index()
    frame.insert(
        0, first, [f"2024-05-{i:02d}" if first == "Date" else "ab"[i % 2] for i in range(14)]
    )
    assert list(read(frame.to_csv(index=False)).model_names) == list(frame[name])


def test_groups_above_the_names_are_tasks(read: Read):
    frame = scores()
    table = read(",Reasoning,,,Writing,,,,\n" + csv(frame))
    assert set(table.benchmark_names) == set(NAMES)
    assert table.benchmarks.loc["law", "task"] == "Reasoning"
    assert table.benchmarks.loc["jokes", "task"] == "Writing"


def test_missing_of_one_column_leaves_the_others_alone(read: Read, fails: Fails):
    frame = scores()
    frame.iloc[:3, [1, 2]] = -1.0
    table = read(csv(frame), missing=["law=-1"])
    assert table.scores.isna().sum().to_dict() == {**dict.fromkeys(NAMES, 0), "law": 3}
    assert "no column 'lav' (did you mean 'law'?)" in fails(csv(frame), missing=["lav=-1"])
