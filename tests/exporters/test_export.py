"""Mapping, checking and writing, whatever the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eevee.base.errors import EeveeError
from eevee.exporters.exporting import export
from eevee.exporters.mapping import TaskMapping, load_mapping
from tests.exporters.conftest import named, tiers_of

TIERS = tiers_of(small=["gsm8k", "arc"], base=["gsm8k", "arc", "mmlu"])


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_all_problems_are_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    tiers = tiers_of(small=["a b", "c,d", "fine"])
    mapping = TaskMapping("lm-eval", {"fine": {"task": "ok", "num_fewshots": 1}}, {"agregate": 1})
    with pytest.raises(EeveeError) as error:
        export(tiers, to="lm-eval", out=tmp_path / "out", mapping=mapping)
    for part in (
        "'a b', 'c,d': each is no task name of lm-eval",
        "'fine': lm-eval takes no option 'num_fewshots' (did you mean 'num_fewshot'?)",
        "options: lm-eval takes no option 'agregate' (did you mean 'aggregate'?)",
        "nothing was written",
    ):
        assert part in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_benchmark_without_an_entry_keeps_its_name(tmp_path: Path) -> None:
    mapping = TaskMapping("text", {"arc": "ARC"})
    export(TIERS, to="text", out=tmp_path, mapping=mapping)
    lines = (tmp_path / "base.txt").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["gsm8k", "ARC", "mmlu"]


def test_what_is_mapped_and_in_no_tier_is_told_slips_first(tmp_path: Path) -> None:
    mapping = TaskMapping("text", {"boolq": "boolq", "mmlu_": "MMLU"})
    done = export(TIERS, to="text", out=tmp_path, mapping=mapping)
    assert done.notes == (
        "mapped, but in none of these tiers: mmlu_ (did you mean 'mmlu'?), boolq",
    )


def test_two_benchmarks_of_a_tier_do_not_share_a_task(tmp_path: Path) -> None:
    mapping = TaskMapping("text", {"arc": "gsm8k"})
    with pytest.raises(EeveeError, match="'arc': 'gsm8k' is that of 'gsm8k'"):
        export(TIERS, to="text", out=tmp_path, mapping=mapping)


def test_a_mapping_for_another_harness_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EeveeError, match="the mapping is for 'helm', not for 'text'"):
        export(TIERS, to="text", out=tmp_path, mapping=TaskMapping("helm"))


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (
            "yaml",
            "schema: eevee.mapping/1\nto: lm-eval\ntasks: {a: {task: b, num_fewshot: 5}, c: d}\n",
        ),
        ("json", '{"schema": "eevee.mapping/1", "to": "lm-eval", "tasks": '
         '{"a": {"task": "b", "num_fewshot": 5}, "c": "d"}}'),
        ("toml", 'schema = "eevee.mapping/1"\nto = "lm-eval"\n[tasks]\nc = "d"\n'
         'a = {task = "b", num_fewshot = 5}\n'),
    ],
)  # fmt: skip
def test_yaml_json_and_toml_say_the_same(suffix: str, text: str, tmp_path: Path) -> None:
    made = load_mapping(write(tmp_path / f"map.{suffix}", text))
    assert made == TaskMapping("lm-eval", {"a": {"task": "b", "num_fewshot": 5}, "c": "d"})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("to: text\n", "schema: expected 'eevee.mapping/1'"),
        ("schema: eevee.mapping/1\n", "to: expected the name of a format"),
        ("schema: eevee.mapping/1\nto: text\ntask: {}\n", "unknown key 'task' (did you mean"),
        ("schema: eevee.mapping/1\nto: text\ntasks: [a]\n", "tasks: expected a mapping"),
        ("schema: eevee.mapping/1\nto: text\ntasks: {a: 1, a: 2}\n", "duplicate key"),
        ("schema: eevee.mapping/1\nto: text\ntasks: {a: !!python/name:os.system ''}\n", "tags"),
    ],
)
def test_a_bad_mapping_names_the_file_and_the_place(text: str, part: str, tmp_path: Path) -> None:
    path = write(tmp_path / "map.yaml", text)
    with pytest.raises(EeveeError) as error:
        load_mapping(path)
    assert str(error.value).startswith(f"{path}: ")
    assert part in str(error.value)


@pytest.mark.parametrize("text", ["x", "schema = 1", "\xff", "a = [" * 5000])
def test_a_bad_toml_mapping_is_one_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(EeveeError, match=r"map\.toml: "):
        load_mapping(path)


def test_file_names_are_letters_digits_and_underscores(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    done = export(named("../../etc/x", "v1.5-big", "größe", "."), to="text", out=out)
    names = [path.name for path in done.files[:-1]]
    assert names == ["etc_x.txt", "v1_5_big.txt", "gr_e.txt", "tier.txt"]
    assert {path.parent for path in done.files} == {out}
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_tiers_that_would_share_a_file_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EeveeError, match="tiers 'a b' and 'A_b' would both be called 'A_b'"):
        export(named("a b", "A_b"), to="text", out=tmp_path)


def test_an_export_replaces_its_own_files_and_no_others(tmp_path: Path) -> None:
    export(named("small"), to="text", out=tmp_path)
    export(TIERS, to="text", out=tmp_path)
    mine = tmp_path / "small.txt"
    mine.write_text("mine\n")
    with pytest.raises(EeveeError, match="was changed since"):
        export(named("small", "new"), to="text", out=tmp_path)
    assert mine.read_text() == "mine\n"
    assert not (tmp_path / "new.txt").exists()


def test_a_file_of_another_program_is_not_replaced(tmp_path: Path) -> None:
    foreign = write(tmp_path / "eevee_small.yaml", "group: mine\n")
    with pytest.raises(EeveeError, match="exists and was not written by this export"):
        export(named("small"), to="lm-eval", out=tmp_path)
    assert foreign.read_text() == "group: mine\n"
    record = write(tmp_path / "eevee-text.json", "{}")
    with pytest.raises(EeveeError, match=r"eevee-text\.json exists"):
        export(named("small"), to="text", out=tmp_path)
    assert record.read_text() == "{}"


def test_what_an_earlier_export_left_is_told(tmp_path: Path) -> None:
    export(named("small", "old"), to="text", out=tmp_path)
    done = export(named("small"), to="text", out=tmp_path)
    assert done.notes == ("left of an earlier export, not of this one: old.txt",)


@pytest.mark.parametrize("to", ["text", "hydra"])
def test_a_name_that_utf8_cannot_hold_is_one_error(to: str, tmp_path: Path) -> None:
    with pytest.raises(EeveeError):
        export(tiers_of(small=["a", "b\ud800"]), to=to, out=tmp_path / "out")
    with pytest.raises(EeveeError):
        export(named("\ud800"), to=to, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_same_tiers_give_the_same_bytes(tmp_path: Path) -> None:
    export(TIERS, to="text", out=tmp_path / "a")
    export(TIERS, to="text", out=tmp_path / "b")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize("dangling", [False, True])
def test_links_do_not_lead_out_of_the_folder(dangling: bool, tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    out.mkdir()
    if not dangling:
        outside.mkdir()
    (out / "tier").symlink_to(outside)
    with pytest.raises(EeveeError, match="is a link, or outside"):
        export(named("small"), to="hydra", out=out)
    (out / "small.txt").symlink_to(tmp_path / "target.txt")
    with pytest.raises(EeveeError, match="is a link, or outside"):
        export(named("small"), to="text", out=out)
    assert not (tmp_path / "target.txt").exists()
    assert not list(tmp_path.glob("outside/*"))


def test_a_record_of_another_cannot_name_files_to_replace(tmp_path: Path) -> None:
    outside = write(tmp_path / "precious.txt", "x")
    out = tmp_path / "out"
    out.mkdir()
    forged = {"schema": "eevee.export/1", "files": {"../precious.txt": "", "small.txt": 3}}
    (out / "eevee-text.json").write_text(json.dumps(forged))
    done = export(named("small"), to="text", out=out)
    assert outside.read_text() == "x"
    assert (out / "small.txt").exists()
    assert len(done.files) == 2


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    file = write(tmp_path / "file", "")
    with pytest.raises(EeveeError, match="file"):
        export(named("small"), to="text", out=file / "out")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"task": "x", "num_fewshot": -1}, "num_fewshot: expected a whole number"),
        ({"task": "x", "num_fewshot": True}, "num_fewshot: expected a whole number"),
        ({"task": None, "proposed": ["gsm8k"]}, "has no task yet"),
        ({}, "has no task yet"),
        ([], "has no task yet"),
        (None, "has no task yet"),
        (["a", 3], "has no task yet"),
        ({"task": "x", "group": "yes"}, "group: expected true or false"),
    ],
)
def test_an_entry_that_says_too_little_or_the_wrong_thing(
    given: object, part: str, tmp_path: Path
) -> None:
    mapping = TaskMapping("lm-eval", {"gsm8k": given})
    with pytest.raises(EeveeError, match=part):
        export(named("small"), to="lm-eval", out=tmp_path, mapping=mapping)
