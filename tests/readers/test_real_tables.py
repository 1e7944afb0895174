"""Public tables as published, from a folder beside the project; skipped where it is absent."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eevee
from tests.readers.conftest import notes_of

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the public tables (shared/data beside the project) are not here"
)


@cache
def read(name: str, **options: str) -> eevee.ResultsTable:
    """Read a table once for all tests of a process; none of them changes it."""
    return eevee.read_table(DATA / name, **options)


# file, options, models, benchmarks, columns, missing cells
READABLE: list[tuple[str, dict[str, Any], int, int, int, int]] = [
    ("bbh_27.csv", {}, 107, 27, 27, 0),
    ("gate_eevee_59.csv", {}, 16, 31, 59, 5),
    ("gate_primary_16x31.csv", {}, 16, 31, 31, 0),
    ("helm_accuracy.csv", {}, 67, 16, 16, 196),
    ("helm_calibration.csv", {}, 48, 12, 12, 42),
    ("helm_efficiency.csv", {}, 26, 16, 16, 21),
    ("llm_benchpress_83x49.csv", {}, 83, 49, 49, 2692),
    ("llm_crowdsource_cpp.csv", {}, 72, 29, 29, 1210),
    ("mmlu_57.csv", {"duplicates": "first"}, 82, 57, 57, 0),
    ("mteb_dense_block.csv", {}, 137, 298, 298, 323),
    ("mteb_eng_v2_complete.csv", {}, 183, 41, 41, 0),
    ("mteb_eng_v2_sparse.csv", {}, 287, 41, 41, 1803),
    ("obs_base_8.csv", {}, 148, 8, 8, 40),
    ("obs_joined_22.csv", {}, 148, 22, 22, 1067),
    ("openclip_38.csv", {}, 121, 38, 38, 0),
    ("openclip_38_nafix.csv", {}, 121, 38, 38, 31),
    ("timm_6.csv", {}, 1556, 6, 6, 1),
    ("ucr_univariate_112.csv", {}, 40, 112, 112, 0),
    ("vtab_19.csv", {}, 16, 19, 19, 0),
    ("raw/bbh_leaderboard.tsv", {}, 107, 27, 27, 0),
    ("raw/clip_benchmark_long.csv", {"model_column": "model_fullname"}, 13, 39, 108, 0),
    ("raw/crowdsource_bom.csv", {}, 72, 29, 29, 1210),
    ("raw/gate_two_header_rows.csv", {}, 16, 31, 59, 5),
    ("raw/helm_accuracy_dashes.tsv", {}, 67, 16, 16, 196),
    ("raw/obs_base_llm_with_family.csv", {}, 148, 8, 8, 40),
    ("raw/openclip_results.csv", {"model_column": "name,pretrained"}, 121, 38, 38, 0),
    ("raw/openllm_bom_duplicates.csv", {"duplicates": "first"}, 95, 4, 4, 0),
    ("raw/timm_results_imagenet.csv", {"model_column": "model,img_size"}, 1556, 4, 4, 0),
    ("raw/vtab_short_header.tsv", {}, 16, 19, 19, 0),
    ("raw/helm_core_transposed.csv", {}, 88, 56, 56, 2326),
]


@pytest.mark.parametrize(
    ("name", "options", "models", "benchmarks", "columns", "missing"),
    READABLE,
    ids=[row[0] for row in READABLE],
)
@pytest.mark.slow
def test_shape(
    name: str, options: dict[str, Any], models: int, benchmarks: int, columns: int, missing: int
):
    table = read(name, **options)
    assert (table.n_models, table.n_benchmarks, table.n_columns) == (models, benchmarks, columns)
    assert int(table.scores.isna().sum().sum()) == missing


@pytest.mark.parametrize(
    ("raw", "cooked", "options"),
    [
        ("raw/gate_two_header_rows.csv", "gate_eevee_59.csv", {}),
        ("raw/openclip_results.csv", "openclip_38.csv", {"model_column": "name,pretrained"}),
        ("raw/helm_accuracy_dashes.tsv", "helm_accuracy.csv", {}),
        ("raw/bbh_leaderboard.tsv", "bbh_27.csv", {}),
        ("raw/vtab_short_header.tsv", "vtab_19.csv", {}),
        ("raw/crowdsource_bom.csv", "llm_crowdsource_cpp.csv", {}),
        ("raw/obs_base_llm_with_family.csv", "obs_base_8.csv", {}),
    ],
)
def test_a_raw_file_holds_the_same_numbers_as_the_cleaned_one(
    raw: str, cooked: str, options: dict[str, Any]
):
    one, other = read(raw, **options), read(cooked)
    pd.testing.assert_frame_equal(one.scores, other.scores)
    assert list(one.columns["direction"]) == list(other.columns["direction"])


@pytest.mark.parametrize(
    ("name", "options"), [(row[0], row[1]) for row in READABLE if not row[0].startswith("raw/")]
)
@pytest.mark.slow
def test_pandas_reads_the_same_numbers(name: str, options: dict[str, Any]):
    frame = pd.read_csv(DATA / name, index_col=0)
    frame = frame[~frame.index.duplicated()]
    table = read(name, **options)
    pd.testing.assert_frame_equal(table.scores, frame, check_names=False, check_dtype=False)


def test_gate_losses_are_lower_better():
    table = read("gate_eevee_59.csv")
    lower = table.columns.index[table.columns["direction"] == "lower"]
    assert {name.rpartition(".")[2] for name in lower} == {"loss", "dice-loss", "mae"}
    assert not any(
        "loss" in name or "mae" in name for name in set(table.columns.index) - set(lower)
    )


@pytest.mark.slow
def test_no_accuracy_is_guessed_to_be_lower_better():
    for name in ("bbh_27.csv", "openclip_38.csv", "mteb_dense_block.csv", "helm_accuracy.csv"):
        assert set(read(name).columns["direction"]) == {"higher"}
    calibration = read("helm_calibration.csv")
    assert set(calibration.columns["direction"]) == {"lower"}


@pytest.mark.parametrize(
    ("name", "options", "dropped", "attributes"),
    [
        ("raw/bbh_leaderboard.tsv", {}, ["Average"], ["Rank", "Company", "Release", "Parameters"]),
        ("raw/helm_accuracy_dashes.tsv", {}, ["Mean win rate"], []),
        ("raw/vtab_short_header.tsv", {}, ["Mean (selected datasets)"], []),
        (
            "raw/openclip_results.csv",
            {"model_column": "name,pretrained"},
            ["Average perf. on 38 datasets"],
            ["params (M)", "FLOPs (B)"],
        ),
    ],
)
def test_aggregates_are_dropped_and_attributes_kept(
    name: str, options: dict[str, Any], dropped: list[str], attributes: list[str]
):
    table = read(name, **options)
    assert [note for note in notes_of(table) if note.startswith("dropped")] == [
        f"dropped column {column}" for column in dropped
    ]
    assert list(table.models) == attributes


@pytest.mark.parametrize(
    ("name", "options", "aggregate"),
    [
        ("raw/bbh_leaderboard.tsv", {}, "Average"),
        (
            "raw/openclip_results.csv",
            {"model_column": "name,pretrained"},
            "Average perf. on 38 datasets",
        ),
        ("raw/openllm_bom_duplicates.csv", {"duplicates": "first"}, "Average"),
    ],
)
def test_published_averages_are_found_by_their_numbers_too(
    tmp_path: Path, name: str, options: dict[str, Any], aggregate: str
):
    renamed = tmp_path / Path(name).name
    renamed.write_bytes((DATA / name).read_bytes().replace(aggregate.encode(), b"Quality", 1))
    table = eevee.read_table(renamed, **options)
    assert "Quality" not in table.scores
    assert any("by its numbers" in note.why for note in table.provenance.notes)


def test_versions_in_names_stay_whole_and_costs_per_cell_are_read():
    table = eevee.read_table(
        DATA / "mteb_eng_v2_sparse.csv",
        costs=DATA / "mteb_eng_v2_sparse_seconds.csv",
        cost_unit="seconds",
    )
    assert "TwentyNewsgroupsClustering.v2" in table.benchmark_names
    assert table.cell_costs is not None
    assert table.cell_costs.shape == (287, 41)
    seconds = pd.read_csv(DATA / "mteb_eng_v2_sparse_seconds.csv", index_col=0)
    pd.testing.assert_series_equal(
        table.benchmarks["cost"], seconds.median().sort_index(), check_names=False
    )


def test_ucr_with_its_seconds():
    seconds = pd.read_csv(DATA / "ucr_univariate_benchmark_cost.csv", index_col=0)
    names = read("ucr_univariate_112.csv").benchmark_names
    costs = seconds.loc[list(names), "median_dl_gpu_s"]
    table = eevee.read_table(DATA / "ucr_univariate_112.csv", costs=costs, cost_unit="GPU-seconds")
    assert table.total_cost == pytest.approx(costs.sum())
    with pytest.raises(eevee.EeveeError, match=r"several columns could be the cost"):
        eevee.read_table(
            DATA / "ucr_univariate_112.csv", costs=DATA / "ucr_univariate_benchmark_cost.csv"
        )


def test_clip_benchmark_has_a_task_per_benchmark():
    table = eevee.read_table(
        DATA / "raw/clip_benchmark_long.csv",
        model_column="model_fullname",
        benchmark_column="dataset",
    )
    assert table.benchmarks["task"].value_counts().to_dict() == {
        "zeroshot_classification": 36,
        "zeroshot_retrieval": 3,
    }
    assert list(table.models) == ["model", "pretrained"]
    assert "vtab/pets.acc1" in table.scores


@pytest.mark.parametrize(
    ("name", "options", "parts"),
    [
        ("raw/openllm_bom_duplicates.csv", {}, ["rows 10 and 11", "duplicates"]),
        ("raw/openclip_results.csv", {"layout": "wide"}, ["rows 3 and 13", "'name,pretrained'"]),
        ("raw/timm_results_imagenet.csv", {}, ["rows 57 and 73", "'model,img_size'"]),
        (
            "raw/clip_benchmark_long.csv",
            {"layout": "long"},
            ["rows 2 and 302", "'model,pretrained'"],
        ),
        ("mmlu_57.csv", {}, ["rows 8 and 9"]),
        ("openclip_38_modelcost.csv", {}, ["no numeric column of scores", "'params (M)'"]),
        ("raw/lm_eval", {}, ["scores of one model alone", "eevee import"]),
        (
            "raw/lm_eval/results_2026-01-21T03-44-18.458309.json",
            {},
            ["scores of one model alone"],
        ),
        (
            "helm_accuracy.csv",
            {"costs": DATA / "helm_benchmark_cost.csv"},
            ["'MMLU'", "did you mean 'MMLU - EM'"],
        ),
    ],
)
def test_what_cannot_be_read_says_why(name: str, options: dict[str, Any], parts: list[str]):
    with pytest.raises(eevee.EeveeError) as caught:
        eevee.read_table(DATA / name, **options)
    assert all(part in str(caught.value) for part in parts), caught.value


@pytest.mark.slow
def test_reading_imports_neither_torch_nor_matplotlib():
    code = (
        "import sys, eevee; from eevee.analysis.describe import summary;"
        f"summary(eevee.read_table({str(DATA / 'vtab_19.csv')!r}));"
        "sys.exit(bool({'torch', 'matplotlib'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
