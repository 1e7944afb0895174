"""Several sources: aliases, conflicts, versions; damaged and unknown ones; the verb import."""

from __future__ import annotations

import json
import math
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

import eevee
from eevee.readers.harness import NAMES, files
from eevee.readers.harness.names import read_aliases
from eevee.readers.harness.rows import Row
from eevee.readers.harness.settle import settle
from eevee.readers.harness.sources import gather
from tests.cli.conftest import run_in_process
from tests.readers.harness.conftest import Write, said
from tests.readers.harness.test_lm_eval import four_models, run

RAW = Path(__file__).parents[3].parent / "shared" / "data" / "raw"
TABLE = "model,mmlu,average\norg/a,60,1\norg/b,70,2\norg/c,65,3\norg/e,50,4\n"


def test_seeds_are_averaged_with_the_standard_error_of_the_mean():
    values = [1.0, 4.0, 5.5]
    rows = [Row("m", "a", "", value, seed=str(i)) for i, value in enumerate(values)]
    (mean,), _ = settle(rows, "runs", "error")
    assert mean.score == np.mean(values)
    assert mean.stderr == pytest.approx(np.std(values, ddof=1) / math.sqrt(3))


def test_a_repeat_is_no_conflict_and_a_repeated_seed_is_one():
    same = [Row("m", "a", "", 1.0), Row("m", "a", "", 1.0, cost=3.0)]
    (one,), notes = settle(same, "runs", "error")
    assert (one.score, one.cost, notes) == (1.0, 3.0, [])
    twice = [Row("m", "a", "", float(i), seed="1") for i in range(2)]
    with pytest.raises(eevee.EeveeError, match="1 cells have scores that differ"):
        settle(twice, "runs", "error")


def test_tables_and_results_merge_with_other_names_of_models(write: Write, tmp_path: Path):
    root = four_models(write)
    table = tmp_path / "table.csv"
    table.write_text(TABLE.replace("org/e", "D"))
    names = tmp_path / "names.csv"
    names.write_text("alias,model\nD,org/d\n")
    found = gather([root, table], aliases=read_aliases(names))
    assert found.formats == ("lm-eval", "table")
    assert found.n_models == 4
    assert {row.benchmark for row in found.rows} == {"arc", "gsm8k", "wiki", "mmlu"}
    with pytest.raises(eevee.EeveeError, match="'nobody' is no model"):
        gather([root], aliases={"nobody": "org/a"})


def test_benchmarks_named_alike_are_told_and_joined_by_an_alias(write: Write, tmp_path: Path):
    root = four_models(write)
    table = tmp_path / "table.csv"
    table.write_text(TABLE.replace("mmlu", "GSM-8k").replace("org/", "other/"))
    found = gather([root, table])
    (note,) = (note for note in found.worst if "of another source" in note.why)
    assert (note.name, "'GSM-8k,gsm8k' in --aliases" in note.why) == ("GSM-8k", True)
    joined = gather([root, table], aliases={"GSM-8k": "gsm8k"})
    assert joined.n_benchmarks == found.n_benchmarks - 1
    assert not any("of another source" in note.why for note in joined.notes)


def test_a_source_of_one_model_says_what_it_holds_and_what_to_do(write: Write, tmp_path: Path):
    root = tmp_path / "one"
    root.mkdir()
    (root / "results_1.json").write_text(json.dumps(run("org/a", 0.6)))
    with pytest.raises(eevee.EeveeError, match=r"one model alone \('org/a', .*eevee import"):
        eevee.read_table(root)


@pytest.mark.parametrize(("rule", "score"), [("first", 0.2), ("mean", 0.4)])
def test_conflicts_between_sources_are_listed_or_settled(
    write: Write, tmp_path: Path, rule: str, score: float
):
    root = four_models(write)
    other = tmp_path / "other"
    other.mkdir()
    (other / "results_9.json").write_text(json.dumps(run("org/a", 0.6)))
    with pytest.raises(eevee.EeveeError, match=r"'org/a', 'arc.acc': 0.2 \(results: .* 0.6"):
        gather([root, other])
    found = {row.cell: row for row in gather([root, other], on_conflict=rule).rows}
    assert found["org/a", "arc", "acc"].score == pytest.approx(score)


def test_what_import_writes_is_read_back_the_same(write: Write, tmp_path: Path):
    root, out = four_models(write), tmp_path / "out.csv"
    result = run_in_process("import", root, "--out", out)
    assert "4 models, 3 benchmarks, 16 scores" in result.stdout
    direct, again = eevee.read_table(root), eevee.read_table(out)
    assert again.scores.equals(direct.scores)
    assert again.stderrs is not None
    assert again.stderrs.equals(direct.stderrs)
    assert again.columns.equals(direct.columns)
    gather([out]).write_csv(tmp_path / "twice.csv")
    assert gather([tmp_path / "twice.csv"]).n_models == 4


PAID = "model,benchmark,score,task,cost\n" + "".join(
    f"org/{m},{b},{i + 1}.{j}{i},{t},{i + 1}\n"
    for i, m in enumerate("abcd")
    for j, (b, t) in enumerate((("mmlu", "qa"), ("draw", "image")))
)


def test_tasks_costs_and_what_gives_way_are_kept(write: Write, tmp_path: Path):
    table, out = tmp_path / "table.csv", tmp_path / "out.csv"
    table.write_text(PAID)
    run_in_process("import", table, "--out", out, "--cost-unit", "minutes")
    again = eevee.read_table(out)
    assert dict(again.benchmarks["task"]) == {"draw": "image", "mmlu": "qa"}
    assert again.cost_unit == "seconds"
    assert again.benchmarks.loc["mmlu", "cost"] == 60 * 2.5
    root = four_models(write)
    limited = run("org/a", 0.9)
    limited["config"] |= {"limit": 10}
    write("org__a/results_1.json", limited)
    gather([root]).write_csv(out)
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "results_9.json").write_text(json.dumps(run("org/a", 0.25)))
    found = {row.cell: row.score for row in gather([out, whole]).rows}
    assert found["org/a", "arc", "acc"] == 0.25


def test_costs_in_no_known_unit_are_left_out_with_a_note(tmp_path: Path):
    table = tmp_path / "table.csv"
    table.write_text(PAID)
    found = gather([table])
    assert all(math.isnan(row.cost) for row in found.rows)
    assert any("--cost-unit" in note.why for note in found.notes)
    with pytest.raises(eevee.EeveeError, match="cost_unit must be one of seconds"):
        gather([table], cost_unit="GPU-hours")


def test_reading_options_reach_every_source_and_need_to_fit_one(write: Write, tmp_path: Path):
    root, table, out = four_models(write), tmp_path / "table.csv", tmp_path / "out.csv"
    table.write_text("model,mmlu,wps,note_x\norg/a,60,9,OUT\norg/b,70,8,2\norg/c,OUT,7,3\n")
    options = ("--drop-columns", "wiki", "--column", "wps=lower", "--column", "note_x=cost")
    options += ("--drop-models", "*/d", "--missing", "OUT", "--out", out)
    run_in_process("import", root, table, *options)
    found = gather([out]).rows
    assert {row.benchmark for row in found} == {"arc", "gsm8k", "mmlu", "wps"}
    assert {row.model for row in found} == {"org/a", "org/b", "org/c"}
    assert {row.direction for row in found if row.benchmark == "wps"} == {"lower"}
    assert {row.model for row in found if row.benchmark == "mmlu"} == {"org/a", "org/b"}
    wrong = run_in_process(
        *("import", root, table, "--drop-columns", "arcc", "--missing", "OUT", "--out", out), code=1
    )
    assert "'arcc' is in none of the sources (did you mean 'arc'?)" in wrong.stderr


def test_an_alias_of_an_alias_is_refused(tmp_path: Path):
    names = tmp_path / "names.csv"
    names.write_text("alias,model\na,b\nb,c\n")
    with pytest.raises(eevee.EeveeError, match="'a' is 'b', which is 'c': name the last"):
        read_aliases(names)


def test_json_output_and_a_named_format(write: Write, tmp_path: Path):
    root, out = four_models(write), tmp_path / "out.csv"
    shown = run_in_process("import", root, "--out", out, "--from", "lm-eval", "--json").stdout
    assert json.loads(shown)["formats"] == ["lm-eval"]
    wrong = run_in_process("import", root, "--out", out, "--from", "lmeval", code=1)
    assert "did you mean 'lm-eval'?" in wrong.stderr
    wrong = run_in_process("import", root, "--out", out, "--from", "mteb", code=1)
    assert "holds no MTEB results" in wrong.stderr


def test_an_unknown_source_gets_the_list_of_known_ones(write: Write):
    root = write("notes.json", {"a": 1})
    with pytest.raises(eevee.EeveeError, match="known are") as caught:
        eevee.read_table(root)
    assert all(name in str(caught.value) for name in NAMES)
    for read in (eevee.read_table, lambda path: gather([path])):
        with pytest.raises(eevee.EeveeError, match="known are"):
            read(root / "notes.json")


def test_limits_hold_for_files_folders_and_archives(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = four_models(write)
    too_large = r"has more than 0\.0001 MB; .*--max-mb"
    with pytest.raises(eevee.EeveeError, match=rf"known are.*results_1\.json {too_large}"):
        eevee.read_table(root, max_mb=1e-4)
    packed = tmp_path / "big.eval"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", " " * 100_000)
    with pytest.raises(eevee.EeveeError, match=too_large):
        eevee.read_table(packed, max_mb=1e-4)
    aliases = tmp_path / "names.csv"
    aliases.write_text("alias,model\n" + "a,b\n" * 50)
    with pytest.raises(eevee.EeveeError, match=too_large):
        read_aliases(aliases, max_mb=1e-4)
    monkeypatch.setattr(files, "MAX_FILES", 3)
    with pytest.raises(eevee.EeveeError, match="more than 3 files"):
        eevee.read_table(root)


def test_damaged_files_end_in_one_line(tmp_path: Path, write: Write):
    packed = tmp_path / "x.eval"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": "x" * 500}))
    whole = bytearray(packed.read_bytes())
    whole[45:60] = os.urandom(15)
    packed.write_bytes(whole)
    with pytest.raises(eevee.EeveeError):
        eevee.read_table(packed)
    root = four_models(write)
    write("deep.json", "[" * 100_000)
    write("half.json", '{"results": {')
    table = eevee.read_table(root)
    assert table.n_models == 4
    assert "deep.json" in said(table)
    assert "and 1 more" in said(table)


@pytest.mark.skipif(not RAW.is_dir(), reason="shared/data beside the project is not here")
@pytest.mark.parametrize(
    ("name", "formats", "models", "benchmarks"),
    [
        ("lm_eval", "lm-eval", 1, 2),
        ("mteb_results", "mteb", 5, 7),
        ("openclip_results.csv", "open-clip", 121, 38),
        ("clip_benchmark_long.csv", "clip-benchmark", 13, 39),
        ("helm_core_transposed.csv", "helm-table", 88, 56),
        ("helm_accuracy_dashes.tsv", "table", 67, 16),
    ],
)
def test_public_files_load(name: str, formats: str, models: int, benchmarks: int):
    found = gather([RAW / name])
    assert found.formats == (formats,)
    assert (found.n_models, found.n_benchmarks) == (models, benchmarks)
