"""Every verb is there, documented, and shown by an example that runs; help loads nothing big."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from eevee.cli import app
from eevee.search.evolution import evolve as evolution
from eevee.search.evolution import generations
from tests.cli.conftest import ROOT, Run, Small, environment, words

VERBS = [
    *("import", "describe", "rank", "plot", "select", "sweep", "tiers", "export", "pareto"),
    *("ablate", "rate", "assess", "report", "predict", "impute", "measure"),
    *("plan", "run", "costs"),
]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
EXAMPLES = {
    name: (command.epilog or "").removeprefix("Example: ")
    for name, command in [*COMMANDS.items(), ("eevee", typer.main.get_command(app))]
}
# What makes an example quick; the last of a repeated option counts.
QUICKER = {
    "rank": "--n-splits 2 --epochs 20",
    "select": "--n-splits 2 --epochs 20 --n-generations 1 --no-exhaustive --no-baselines",
    "sweep": "--n-splits 2 --epochs 20 --n-generations 1 --no-exhaustive",
    "tiers": "--n-splits 2 --epochs 20 --n-generations 1 --no-baselines",
    "pareto": "--n-splits 2 --n-evaluations 60",
    "ablate": "--n-splits 2 --epochs 20",
    "assess": "--n-splits 2 --n-folds 2 --n-repeats 1 --n-random 5 --n-generations 1",
    "predict": "--scorer ridge",
    "rate": "--n-splits 2 --epochs 20 --n-random 20",
}


def test_the_verbs_are_these():
    assert list(COMMANDS) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_what_every_option_does(verb: str):
    assert COMMANDS[verb].help
    for option in COMMANDS[verb].params:
        assert option.help, option.name


@pytest.mark.parametrize("verb", VERBS)
def test_help_ends_with_an_example_of_the_verb(run: Run, verb: str):
    shown = words(run(verb, "--help").stdout)
    assert f"Example: eevee {verb} data/" in shown
    assert shown.endswith(EXAMPLES[verb])


def test_help_shows_what_stands_in_brackets(run: Run):
    shown = words(run("select", "--help").stdout)
    assert "Stop after this many without progress (default: 3; none with --search paper)." in shown


def test_the_example_of_eevee_is_that_of_tiers():
    assert EXAMPLES["eevee"].startswith("eevee tiers data/zoo/scores.csv")
    assert set(shlex.split(EXAMPLES["eevee"])) <= set(shlex.split(EXAMPLES["tiers"]))


@pytest.mark.figures
@pytest.mark.parametrize("name", VERBS)
@pytest.mark.slow
def test_the_example_runs_on_shipped_data(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    for module in (evolution, generations):
        monkeypatch.setattr(module, "Evolution", Small)
    program, *args = shlex.split(EXAMPLES[name])
    assert program == "eevee"
    if "--figure" in args or "--out" in args:
        (tmp_path / "runs").mkdir()
    result = run(*args, *shlex.split(QUICKER.get(name, "")))
    assert result.stdout
    written = {path.name for path in tmp_path.glob("runs/*")}
    assert written == {Path(arg).name for arg in args if arg.startswith("runs/")}


def test_a_bare_command_shows_help_as_wrong_usage(run: Run):
    assert "Usage" in run(code=2).stdout


def test_version(run: Run):
    import eevee

    assert run("--version").stdout == f"eevee {eevee.__version__}\n"


@pytest.mark.parametrize(
    "code",
    [
        "import eevee",
        "import eevee.cli",
        "from eevee.cli import app; app(['--help'], standalone_mode=False)",
        "from eevee.cli import app; app(['tiers', '--help'], standalone_mode=False)",
    ],
)
def test_help_and_import_load_no_heavy_package(code: str):
    heavy = ["torch", "matplotlib", "pandas", "numpy", "scipy", "sklearn", "deap"]
    check = f"import sys; sys.exit(', '.join(set({heavy}) & set(sys.modules)) or 0)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{check}"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_short_since_it_only_parses_calls_and_prints(verb: str) -> None:
    functions = [
        node
        for path in (ROOT / "eevee" / "cli").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and node.name.rstrip("_") == verb  # `import` is a keyword
        and any(isinstance(one, ast.Name) and one.id == "verb" for one in node.decorator_list)
    ]
    (function,) = functions
    lines = {n for part in function.body[1:] for n in range(part.lineno, part.end_lineno + 1)}
    assert len(lines) <= 30
