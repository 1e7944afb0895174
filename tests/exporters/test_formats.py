"""Each format: the golden files, and names that try to be more than names."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from eevee.base.errors import EeveeError
from eevee.exporters.exporting import export
from eevee.exporters.format import Format
from eevee.exporters.mapping import TaskMapping
from eevee.exporters.registry import FORMATS, NAMES, find_format
from tests.exporters.conftest import named, tiers_of
from tests.exporters.golden import GOLDEN, MAPPINGS, TIERS, export_golden

HOSTILE = [
    *("it's", 'quo"te', "back\\slash", "two\nlines", "car\rriage", "${HOME}", "$(touch pwned)"),
    *("`touch pwned`", "x; touch pwned", "größe", "数据", "a,b", "a=b", "a|b", "a:b", "# x", "{x}"),
    *(" x ", "-x", "--help", "*", "../x", "/etc/x", "x\u2028y", "x\x00y", "yes", "1e3", "\\${x}"),
    *(
        "'''",
        '"""',
        "%s",
        "!!python/object:x",
        "&x",
        "???",
        "\u202ex",
        "x\ty",
        "a" * 300,
        "\ufeffx",
    ),
]


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def export_one(to: str, name: str, out: Path) -> dict[str, bytes] | None:
    """Files of a tier with one benchmark called so; None if the format refuses the name."""
    try:
        export(tiers_of(small=[name]), to=to, out=out, options=OPTIONS.get(to, {}))
    except EeveeError:
        assert not out.exists()
        return None
    return files_of(out)


OPTIONS: dict[str, dict[str, Any]] = {
    "gate": {"command": "printf %s {task} {benchmark}"},
    "slurm": {"command": "printf %s {task}"},
    "vlmevalkit": {"models": {"m": {}}},
}


def test_every_module_is_a_format_of_its_own_name() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 12
    for one in FORMATS:
        assert isinstance(one, Format)
        assert one.what
        assert find_format(one.name) is one
    assert set(MAPPINGS) == set(NAMES)


@pytest.mark.parametrize("to", NAMES)
def test_a_format_writes_the_golden_bytes(to: str, tmp_path: Path) -> None:
    export_golden(to, tmp_path)
    assert files_of(tmp_path) == files_of(GOLDEN / to)


@pytest.mark.parametrize("to", NAMES)
def test_what_is_written_says_what_each_tier_is(to: str, tmp_path: Path) -> None:
    export_golden(to, tmp_path)
    record = json.loads((tmp_path / f"eevee-{to}.json").read_text())
    assert record["table"] == {"name": "scores.csv", "sha256": "ab" * 32}
    assert [(one["name"], one["cost"]) for one in record["tiers"]] == [("small", 1.5), ("base", 3)]
    losses = [one["assessed_loss"] for one in record["tiers"]]
    assert losses == ["0.31 (0.25 to 0.4), of evolve, ridge", "not assessed"]
    if to in ("card", "clip-benchmark", "gate", "vlmevalkit"):
        return  # no comments
    everything = b"".join(files_of(tmp_path)[name] for name in record["files"]).decode()
    for part in ("tier 'small'", "tier 'base'", "cost: 1.5 of a budget of 100 GPU-hours", "0.31"):
        assert part in everything
    assert "assessed loss: not assessed" in everything
    assert everything.count("ab" * 32) >= 2


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("to", ["lm-eval", "hydra"])
def test_yaml_holds_the_name_or_it_is_refused(to: str, name: str, tmp_path: Path) -> None:
    files = export_one(to, name, tmp_path / "out")
    if files is None:
        assert to == "lm-eval" or name == "???"
        return
    (text,) = (content for path, content in files.items() if path.endswith(".yaml"))
    loaded = yaml.safe_load(text)
    if to == "lm-eval":
        assert loaded["task"] == [name]
    else:
        assert [resolved(one["task"]) for one in loaded["benchmarks"]] == [name]


def resolved(text: str) -> str:
    """What OmegaConf makes of a text: a small reader of its escapes, which refuses `${`."""
    made, place = "", 0
    while place < len(text):
        stop = place
        while text[stop : stop + 1] == "\\":
            stop += 1
        slashes = stop - place
        if text.startswith("${", stop):
            assert slashes % 2 == 1, "an interpolation"
            made, place = made + "\\" * (slashes // 2) + "${", stop + 2
        else:
            made, place = made + text[place : stop + 1], stop + 1
    return made


@pytest.mark.parametrize("name", HOSTILE)
def test_a_python_module_holds_the_name_or_it_is_refused(name: str, tmp_path: Path) -> None:
    files = export_one("mteb", name, tmp_path / "out")
    if files is not None:
        assert run_mteb(files["eevee_tiers.py"]) == {"small": ("EEVEE(small)", [name])}


def run_mteb(source: bytes) -> dict[str, Any]:
    """Run an exported module with a stand-in for mteb that keeps what it is given."""
    ast.parse(source)
    mteb = ModuleType("mteb")
    vars(mteb)["get_task"] = lambda name, **_: name
    vars(mteb)["Benchmark"] = SimpleNamespace
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mteb", mteb)
        exec(source.decode(), names)
    return {key: (one.name, one.tasks) for key, one in names["TIERS"].items()}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("to", ["text", "clip-benchmark", "inspect", "lighteval"])
def test_a_list_has_the_name_as_its_one_line_or_it_is_refused(
    to: str, name: str, tmp_path: Path
) -> None:
    files = export_one(to, name, tmp_path / "out")
    if files is None:
        return
    lines = files["small.txt"].decode().split("\n")
    assert lines.pop() == ""
    if to == "clip-benchmark":
        assert lines == [name]
        return
    last = lines.pop()
    assert last == (name if to != "lighteval" or "|" in name else f"{name}|0")
    assert last == last.strip()
    assert all(line.startswith("# ") for line in lines)
    assert not last.startswith("#")


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("to", ["gate", "slurm"])
def test_a_name_is_data_of_the_command(to: str, name: str, tmp_path: Path) -> None:
    files = export_one(to, name, tmp_path / "out")
    if files is None:
        return
    if to == "gate":
        (command,) = json.loads(files["small.json"]).values()
        assert bash(command, tmp_path) == name + name
    else:
        assert bash(files["small.sbatch"].decode(), tmp_path, SLURM_ARRAY_TASK_ID="0") == name
    assert not (tmp_path / "pwned").exists()


def bash(script: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def test_every_array_task_runs_its_own_benchmark(tmp_path: Path) -> None:
    tiers = tiers_of(small=["a b", "$(x)", "c"])
    out = export(tiers, to="slurm", out=tmp_path, options={"command": "printf %s:%s {task} {tier}"})
    script = out.files[0].read_text()
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "#SBATCH --array=0-2\n" in script
    ran = [bash(script, tmp_path, SLURM_ARRAY_TASK_ID=str(i)) for i in range(3)]
    assert ran == ["a b:small", "$(x):small", "c:small"]


def test_helm_gives_nested_tiers_priorities_by_size(tmp_path: Path) -> None:
    tiers = tiers_of(base=["b", "a"], small=["a"], big=["c", "b", "a"])
    done = export(tiers, to="helm", out=tmp_path)
    text = (tmp_path / "run_entries.conf").read_text()
    entries = [line for line in text.splitlines() if line.startswith("  {")]
    assert entries == [
        f'  {{description: "{name}:model=text", priority: {priority}}}'
        for name, priority in (("a", 1), ("b", 2), ("c", 3))
    ]
    assert done.notes == ("priorities: small=1, base=2, big=3",)


def test_helm_gives_other_tiers_a_file_each_and_says_so(tmp_path: Path) -> None:
    done = export(tiers_of(small=["a", "b"], other=["a", "c", "d"]), to="helm", out=tmp_path)
    assert {path.name for path in done.files} >= {
        "run_entries_small.conf",
        "run_entries_other.conf",
    }
    assert "not nested" in done.notes[0]
    many = {f"t{size}": [f"b{i}" for i in range(size)] for size in range(1, 7)}
    done = export(tiers_of(**many), to="helm", out=tmp_path / "many")
    assert "more than five" in done.notes[0]


def test_lm_eval_members_with_options_are_mappings(tmp_path: Path) -> None:
    export_golden("lm-eval", tmp_path)
    group = yaml.safe_load((tmp_path / "eevee_base.yaml").read_text())
    assert group["task"] == [
        {"task": "gsm8k", "num_fewshot": 5},
        "arc_easy",
        "arc_challenge",
        {"group": "mmlu", "num_fewshot": 0},
    ]


def test_vlmevalkit_asks_for_models_and_classes(tmp_path: Path) -> None:
    with pytest.raises(EeveeError, match="needs its class"):
        export(tiers_of(small=["MME"]), to="vlmevalkit", out=tmp_path)
    mapping = TaskMapping("vlmevalkit", {"MME": {"task": "MME", "class": "ImageYORNDataset"}})
    with pytest.raises(EeveeError, match="models are part of the file"):
        export(tiers_of(small=["MME"]), to="vlmevalkit", out=tmp_path, mapping=mapping)


@pytest.mark.parametrize("to", ["gate", "slurm"])
def test_a_command_is_asked_for_and_its_names_are_known(to: str, tmp_path: Path) -> None:
    with pytest.raises(EeveeError, match="needs a command"):
        export(TIERS, to=to, out=tmp_path)
    with pytest.raises(EeveeError, match=r"unknown placeholder \{tsk\} \(did you mean 'task'\?\)"):
        export(TIERS, to=to, out=tmp_path, options={"command": "run {task} {tsk}"})


def test_gate_experiments_have_one_name_each(tmp_path: Path) -> None:
    tiers = tiers_of(small=["a/b", "a_b"])
    with pytest.raises(EeveeError, match="one name"):
        export(tiers, to="gate", out=tmp_path, options={"command": "run {task}"})


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=20))
def test_hydra_texts_come_back_whatever_they_hold(text: str) -> None:
    from eevee.exporters.formats.hydra import _literal

    assert resolved(_literal(text)) == text


@pytest.mark.parametrize("tier", ["it's", "a\nb", "${x}", "$(touch pwned)", "../../x", "數據"])
@pytest.mark.parametrize("to", NAMES)
def test_names_of_tiers_are_data_too(to: str, tier: str, tmp_path: Path) -> None:
    task = {"opencompass": "gsm8k.gsm8k_gen:gsm8k_datasets"}.get(to, "gsm8k")
    given = {"task": task, "class": "X"} if to == "vlmevalkit" else task
    mapping = TaskMapping(to, {"gsm8k": given}, OPTIONS.get(to, {}))
    done = export(named(tier), to=to, out=tmp_path / "out", mapping=mapping)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    for path in done.files:
        text = path.read_text()
        CHECKS.get(path.suffix, lambda _: None)(text)
        if path.suffix == ".sbatch":
            bash(text, tmp_path / "out", SLURM_ARRAY_TASK_ID="0")
    assert not (tmp_path / "out" / "pwned").exists()


CHECKS: dict[str, Callable[[str], object]] = {
    ".py": ast.parse,
    ".json": json.loads,
    ".yaml": yaml.safe_load,
    ".sbatch": lambda text: subprocess.run(["bash", "-n"], input=text, text=True, check=True),
}
