from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import eevee
from tests.readers.conftest import Fails, Read, notes_of


def made(n_models: int = 12, n_columns: int = 5, seed: int = 0, decimals: int = 1) -> pd.DataFrame:
    values = np.random.default_rng(seed).uniform(20, 90, (n_models, n_columns)).round(decimals)
    return pd.DataFrame(
        values, index=[f"m{i}" for i in range(n_models)], columns=list("abcdefgh")[:n_columns]
    )


@pytest.mark.parametrize("name", ["average", "Mean win rate", "Overall", "all"])
def test_aggregates_are_dropped_by_name_unless_kept(name: str):
    frame = made().assign(**{name: np.arange(12.0) ** 2})
    table = eevee.read_table(frame)
    assert name not in table.scores
    assert notes_of(table) == [f"dropped column {name}"]
    assert name in eevee.read_table(frame, keep_aggregates=True).scores
    named = pd.DataFrame({"benchmark": [name], "task": ["t"]})
    assert name in eevee.read_table(frame, benchmarks=named).scores


@pytest.mark.parametrize(("slope", "decimals"), [(1.0, 1), (1.0, 4), (0.01, 4), (2.5, 1)])
def test_a_row_mean_is_dropped_by_its_numbers_within_rounding(slope: float, decimals: int):
    frame = made()
    frame["Quality"] = (slope * frame.mean(axis=1) + (slope != 1.0)).round(decimals)
    table = eevee.read_table(frame)
    assert notes_of(table) == ["dropped column Quality"]
    assert "Quality" in eevee.read_table(frame, keep_aggregates=True).scores


def test_a_row_mean_over_observed_cells_is_found():
    frame = made(30, 6)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.2)
    frame["Index"] = frame.mean(axis=1).round(2)
    assert "Index" not in eevee.read_table(frame).scores


@pytest.mark.parametrize("seed", range(20))
def test_real_benchmarks_are_not_taken_for_means(seed: int):
    rng = np.random.default_rng(seed)
    skill = rng.uniform(30, 80, 8)
    for noise in (0.3, 3.0):
        values = (skill[:, None] + noise * rng.normal(size=(8, 6))).round(1)
        table = eevee.read_table(pd.DataFrame(values, columns=list("abcdef")).rename("m{}".format))
        assert table.n_columns == 6


def test_accuracy_next_to_its_error_rate_is_no_mean():
    frame = made(12, 2, decimals=3)
    frame["a_err"] = 100 - frame["a"]
    frame["b_err"] = 100 - frame["b"]
    assert eevee.read_table(frame).n_columns == 4


def test_useless_columns_and_models_are_dropped_and_listed(read: Read):
    table = read(
        "model,good,fine,same,none,one\n"
        "m1,1,2,5,,\nm2,2,3,5,-,\nm3,4,1,5,,7\nm4,3,3,5,,\nm5,,,5,,\nm6,,,,,\n"
    )
    assert list(table.scores) == ["good", "fine"]
    assert table.model_names == ("m1", "m2", "m3", "m4")
    assert sorted(notes_of(table)) == [
        "dropped column none",
        "dropped column one",
        "dropped column same",
        "dropped model m5",
        "dropped model m6",
    ]


def test_min_coverage_drops_benchmarks_first_and_then_models():
    frame = made(10, 6)
    frame.iloc[3:, 0] = np.nan
    frame.iloc[0, 1:5] = np.nan
    table = eevee.read_table(frame, min_coverage=0.5)
    assert "a" not in table.scores
    assert "m0" not in table.scores.index
    assert notes_of(table) == ["dropped column a", "dropped model m0"]
    assert eevee.read_table(frame).scores.shape == (10, 6)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 1.0])
def test_min_coverage_is_what_every_benchmark_had(share: float):
    frame = made(40, 8).mask(np.random.default_rng(3).random((40, 8)) < np.linspace(0, 0.9, 8))
    table = eevee.read_table(frame, min_coverage=share)
    assert (frame[list(table.scores)].notna().mean() >= share).all()
    assert (table.scores.notna().mean(axis=1) >= share).all()


def test_nothing_left_is_an_error_that_says_why(fails: Fails):
    assert "constant: always 1" in fails("model,a\nm1,1\nm2,1\nm3,1\nm4,1\n")
    assert "aggregate" in fails("model,average\nm1,1\nm2,2\nm3,3\nm4,1\n")
    assert "3 models" in fails("model,a,b\nm1,1,2\nm2,2,1\nm3,3,7\n")
    sparse = "model,a,b\nm1,1,\nm2,2,\nm3,3,\nm4,,1\nm5,,3\nm6,,2\n"
    assert "scores.csv: no column of scores is left" in fails(sparse, min_coverage=0.9)


def test_numbers_too_large_to_compute_with_are_an_error(fails: Fails):
    assert "column 'a'" in fails("model,a,b\nm1,1e300,2\nm2,2e300,1\nm3,3,7\nm4,4,1\n")


def _skills(n_models: int = 14, n_columns: int = 8) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    values = np.linspace(70, 40, n_models)[:, None] + rng.normal(0, 4, (n_models, n_columns))
    names = ("sums", "law", "code", "chat", "prose", "facts", "maps", "jokes")[:n_columns]
    return pd.DataFrame(values.round(1), [f"m{i:02d}" for i in range(n_models)], names)


MADE = {
    "median": lambda s: s.median(axis=1),
    "geometric mean": lambda s: np.exp(np.log(s).mean(axis=1)),
    "harmonic mean": lambda s: s.shape[1] / (1 / s).sum(axis=1),
    "largest": lambda s: s.max(axis=1),
    "smallest": lambda s: s.min(axis=1),
    "mean place": lambda s: s.rank(ascending=False).mean(axis=1),
    "mean of standardised scores": lambda s: ((s - s.mean()) / s.std()).mean(axis=1),
    "geometric mean of 'sums', 'law'": lambda s: np.exp(np.log(s.iloc[:, :4]).mean(axis=1)),
    "mean of 'sums', 'code', 'maps'": lambda s: s[["sums", "code", "maps"]].mean(axis=1),
    "difference of 'law', 'chat'": lambda s: s["law"] - s["chat"] - 0.0,
}


@pytest.mark.parametrize("how", MADE)
def test_columns_that_others_make_are_found_by_their_numbers(read: Read, how: str):
    frame = _skills()
    name = "law-chat gap" if "difference" in how else "Q7"
    frame[name] = MADE[how](frame).round(2)
    table = read(frame.rename_axis("model").to_csv())
    assert set(table.benchmark_names) == set(frame.columns) - {name}
    assert any(how in note.why for note in table.provenance.notes if note.name == name)


def test_a_mean_that_counts_gaps_as_zero_is_found(read: Read):
    frame = _skills()
    frame = frame.mask(np.random.default_rng(3).random(frame.shape) < 0.15)
    frame["Q7"] = frame.fillna(0).mean(axis=1).round(2)
    assert "Q7" not in read(frame.rename_axis("model").to_csv()).benchmark_names


def test_the_best_of_two_columns_is_no_aggregate_and_names_may_differ_by_case_alone(read: Read):
    frame = _skills()
    frame["SUMS"] = frame["sums"] + np.linspace(1, 9, 14).round(1)  # always above the others
    frame["top"] = frame[["sums", "law"]].max(axis=1) + 20
    assert set(read(frame.rename_axis("model").to_csv()).columns.index) == set(frame.columns)


ROWS = {
    "largest": lambda s: s.max(),
    "smallest": lambda s: s.min(),
    "spread": lambda s: s.std(),
    "mean of the 5 models below": lambda s: s.iloc[:5].mean(),
}


@pytest.mark.parametrize("how", ROWS)
def test_rows_that_others_make_are_found_by_their_numbers(read: Read, how: str):
    frame = _skills()
    row = ROWS[how](frame).round(1).to_frame("Summary").T
    frame = pd.concat([row, frame] if "below" in how else [frame, row])
    table = read(frame.rename_axis("model").to_csv())
    assert "Summary" not in table.model_names
    assert table.n_models == 14
    assert any(how in note.why for note in table.provenance.notes if note.name == "Summary")


def test_a_mean_of_models_that_are_the_same_is_a_model(read: Read):
    frame = _skills()
    frame = pd.concat([frame, frame.iloc[[3, 3, 3]].set_axis(["x", "y", "z"])])
    assert read(frame.rename_axis("model").to_csv()).n_models == 17
