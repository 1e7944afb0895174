"""What is exported, loaded by the harnesses themselves: each in an environment of its own.

`make harness` builds the environments and runs this; where one is absent, its tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from eevee.exporters.draft import draft_mapping
from eevee.exporters.exporting import export
from eevee.exporters.mapping import TaskMapping
from eevee.exporters.registry import find_format
from eevee.tiers.file import load_tiers
from tests.cli.conftest import ROOT
from tests.exporters.conftest import tiers_of
from tests.exporters.golden import export_golden
from tests.exporters.test_formats import HOSTILE
from tests.readers.harness.conftest import read_as

pytestmark = pytest.mark.harness
ENVIRONMENTS = ROOT / ".harness"
ASK = Path(__file__).parent / "harness"
_SECONDS = 900


def python_of(name: str) -> Path:
    """The Python that has a harness; skip without it, unless `make harness` has just built it."""
    if (ENVIRONMENTS / name / ".done").exists():
        return ENVIRONMENTS / name / "bin" / "python"
    if name in os.environ.get("EEVEE_HARNESSES", "").split():
        pytest.fail(f".harness/{name} was not built")
    pytest.skip(f"needs {name} in .harness: make harness HARNESSES={name}")


def run(command: list[str | Path], home: Path) -> str:
    """Run a harness offline, with its caches in a folder of the test."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home / "hf")}
    done = subprocess.run(
        command,
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **offline},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def ask(name: str, home: Path, *args: str | Path) -> Any:
    """What a harness makes of a file: the last line that `harness/ask_NAME.py` prints."""
    script = ASK / f"ask_{name.replace('-', '_')}.py"
    return json.loads(run([python_of(name), script, *args], home).splitlines()[-1])


def test_lm_eval_indexes_every_member_of_every_group(tmp_path: Path) -> None:
    python_of("lm-eval")
    out = tmp_path / "out"
    export_golden("lm-eval", out / "golden")
    bbh = ROOT / "data/mappings/lm-eval.yaml"
    export(load_tiers(ROOT / "data/bbh/tiers.yaml"), to="lm-eval", out=out / "bbh", mapping=bbh)
    for name in ("small", "base"):  # the same stems as those of the golden tiers
        path = out / "bbh" / f"eevee_{name}.yaml"
        path.write_text(path.read_text().replace(f"eevee_{name}", f"bbh_{name}"))
    mapped = list(yaml.safe_load(bbh.read_text())["tasks"].values())
    export(tiers_of(all=mapped, bad=["not_a_task_xyz"]), to="lm-eval", out=out / "all")
    listing = find_format("lm-eval").listing
    assert listing is not None
    found = ask("lm-eval", tmp_path, out, listing.code)
    assert found["names"] > 10_000
    groups = found["groups"]
    assert set(groups) == {f"eevee_{x}" for x in ("small", "base", "all", "bad")} | {
        "bbh_small",
        "bbh_base",
    }
    assert groups.pop("eevee_bad")["missing"] == ["not_a_task_xyz"]  # the check can fail
    assert not [one for group in groups.values() for one in group["missing"]]
    assert groups["eevee_base"]["members"] == ["gsm8k", "arc_easy", "arc_challenge", "mmlu"]
    assert groups["eevee_base"]["metrics"] == ["acc", "exact_match"]
    assert groups["bbh_small"]["metrics"] == ["exact_match"]
    assert len(groups["eevee_all"]["members"]) == 27


TOY = """\
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {data}}}
test_split: train
fewshot_split: train
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
doc_to_choice: ["no", "yes"]
metric_list: [{{metric: acc, aggregation: mean, higher_is_better: true}}]
metadata: {{version: 1.0}}
"""


def write_toys(folder: Path) -> None:
    """Two tasks of lm-eval that need no network, of 12 and 20 questions."""
    folder.mkdir()
    for name, size in (("toy_odd", 12), ("toy_even", 20)):
        lines = [{"question": f"{name} {i}?", "answer": i % 2} for i in range(size)]
        data = folder / f"{name}.jsonl"
        data.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        (folder / f"{name}.yaml").write_text(TOY.format(name=name, data=json.dumps(str(data))))


def test_lm_eval_runs_an_exported_tier_and_its_results_are_read_back(tmp_path: Path) -> None:
    python = python_of("lm-eval")
    write_toys(tmp_path / "tasks")
    mapping = TaskMapping(
        "lm-eval",
        {"Odd": "toy_odd", "Even": {"task": "toy_even", "num_fewshot": 2}},
        {"aggregate": ["acc"]},
    )
    tiers = tiers_of(small=["Odd", "Even"])
    export(tiers, to="lm-eval", out=tmp_path / "tasks", mapping=mapping)
    command = ["run", "--model", "dummy", "--tasks", "eevee_small", "--include_path", "tasks"]
    run([python, "-m", "lm_eval", *command, "--output_path", "results"], tmp_path)
    (path,) = (tmp_path / "results").rglob("results_*.json")
    theirs = json.loads(path.read_text())
    assert theirs["group_subtasks"]["eevee_small"] == ["toy_odd", "toy_even"]
    assert theirs["n-shot"] == {"toy_odd": 0, "toy_even": 2}
    ours = read_as(tmp_path / "results", "lm-eval")
    assert {row.benchmark: row.score for row in ours.rows} == {
        name: theirs["results"][name]["acc,none"] for name in ("toy_odd", "toy_even")
    }
    assert {row.direction for row in ours.rows} == {"higher"}
    assert any(note.name == "eevee_small" for note in ours.notes)  # the mean of both is no score
    mean = sum(row.score for row in ours.rows) / 2  # each benchmark counts the same
    assert theirs["groups"]["eevee_small"]["acc,none"] == pytest.approx(mean, rel=1e-12)


def test_hydra_composes_every_name_as_it_is(tmp_path: Path) -> None:
    python_of("hydra")
    names = [name for name in HOSTILE if name != "???"]  # Hydra's own word, which is refused
    export(tiers_of(small=names, base=["a"]), to="hydra", out=tmp_path / "conf")
    found = ask("hydra", tmp_path, tmp_path / "conf", "small", "base")
    members = found["small"]["tier"]["benchmarks"]
    assert [one["name"] for one in members] == names
    assert [one["task"] for one in members] == names
    assert found["base"]["tier"]["cost"] == 0.5


def test_hydra_composes_options_as_they_are(tmp_path: Path) -> None:
    export_golden("hydra", tmp_path / "conf")
    members = ask("hydra", tmp_path, tmp_path / "conf", "base")["base"]["tier"]["benchmarks"]
    assert members[0]["prompt"] == "${x} \\${y} it's\n$(z)"
    assert members[0]["shots"] == 5
    assert members[2]["subjects"] == ["law", "yes"]


def test_helm_reads_every_run_entry(tmp_path: Path) -> None:
    export_golden("helm", tmp_path / "out")
    assert ask("helm", tmp_path, tmp_path / "out" / "run_entries.conf") == [
        [1, "gsm", {"model": "openai/gpt2"}],
        [1, "commonsense", {"dataset": "arc", "method": "multiple_choice_joint"}
         | {"model": "text_code"}],
        [2, "mmlu", {"subject": "econometrics", "model": "text_code"}],
        [2, "mmlu", {"subject": "virology", "model": "text_code"}],
    ]  # fmt: skip


def test_helm_has_every_scenario_of_the_shipped_mapping(tmp_path: Path) -> None:
    python = python_of("helm")
    mapping = ROOT / "data/mappings/helm.yaml"
    tiers = load_tiers(ROOT / "data/helm/tiers.yaml")
    export(tiers, to="helm", out=tmp_path / "out", mapping=mapping)
    used = {one[1] for one in ask("helm", tmp_path, tmp_path / "out" / "run_entries.conf")}
    names = tiers_of(all=sorted(used))
    assert draft_mapping(names, tmp_path / "map.yaml", to="helm", python=python) == {}


def test_opencompass_reads_every_data_set(tmp_path: Path) -> None:
    export_golden("opencompass", tmp_path / "out")
    found = ask("opencompass", tmp_path, tmp_path / "out" / "eevee_base.py")
    assert found["abbrs"] == ["gsm8k", "ARC-e", "hellaswag"]
    assert found["summarizer"]["dataset_abbrs"] == ["gsm8k", "ARC-e", "hellaswag", "eevee_base"]
    (group,) = found["summarizer"]["summary_groups"]
    assert group == {"name": "eevee_base", "subsets": ["gsm8k", "ARC-e", "hellaswag"]}


def test_opencompass_lists_its_data_sets(tmp_path: Path) -> None:
    python = python_of("opencompass")
    tiers = tiers_of(small=["gsm8k.gsm8k_gen:gsm8k_datasets", "HellaSwag"])
    left = draft_mapping(tiers, tmp_path / "map.yaml", to="opencompass", python=python)
    assert left["HellaSwag"][0] == "hellaswag.hellaswag_gen:hellaswag_datasets"
    assert set(left) == {"HellaSwag"}


def test_clip_benchmark_reads_every_line(tmp_path: Path) -> None:
    export_golden("clip-benchmark", tmp_path / "out")
    listing = find_format("clip-benchmark").listing
    assert listing is not None
    path = tmp_path / "out" / "base.txt"
    found, names = ask("clip-benchmark", tmp_path, path, listing.code)
    assert found == ["wds/vtab/cifar100", "imagenet1k", "vtab/pets"]
    mapping = ROOT / "data/mappings/clip-benchmark.yaml"
    mapped = yaml.safe_load(mapping.read_text())["tasks"].values()
    assert {one.removeprefix("wds/") for one in mapped} <= set(names)


def test_mteb_lists_its_tasks(tmp_path: Path) -> None:
    python = python_of("mteb")
    left = draft_mapping(
        tiers_of(small=["STS12", "banking 77"]), tmp_path / "map.yaml", to="mteb", python=python
    )
    assert left["banking 77"][0].startswith("Banking77Classification")
    assert set(left) == {"banking 77"}


def test_mteb_builds_every_benchmark(tmp_path: Path) -> None:
    export_golden("mteb", tmp_path / "out")
    assert ask("mteb", tmp_path, tmp_path / "out" / "eevee_tiers.py") == {
        "small": ["EEVEE(small)", ["STS12", "Banking77Classification"], ["test"]],
        "base": ["EEVEE(base)", ["STS12", "Banking77Classification", "STS22.v2"], ["test"]],
    }


INSPECT_TASKS = """\
from inspect_ai import Task, task
from inspect_ai.dataset import Sample

@task
def toy_odd():
    return Task(dataset=[Sample(input="1?", target="1")])

@task
def toy_even():
    return Task(dataset=[Sample(input="2?", target="2")])
"""


def test_inspect_loads_every_task(tmp_path: Path) -> None:
    (tmp_path / "toys.py").write_text(INSPECT_TASKS)
    names = {"Odd": "toys.py@toy_odd", "Even": "toys.py@toy_even"}
    mapping = TaskMapping("inspect", names | {"Bad": "toys.py@toy_nope"})
    tiers = tiers_of(small=["Odd", "Even"], bad=["Odd", "Bad"])
    export(tiers, to="inspect", out=tmp_path / "out", mapping=mapping)
    assert ask("inspect", tmp_path, tmp_path / "out" / "small.txt") == ["toy_odd", "toy_even"]
    with pytest.raises(AssertionError, match="Task named 'toy_nope' not found"):  # it can fail
        ask("inspect", tmp_path, tmp_path / "out" / "bad.txt")
