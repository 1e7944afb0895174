"""Earlier names of verbs and options work, with a warning, and give what today's names give."""

from __future__ import annotations

import pytest
import typer

from eevee.cli import app
from eevee.cli.old_names import GONE, OPTIONS, VERBS
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("here")

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
QUICK = ("--scorer", "ridge", "--n-splits", 2)
OUTER = ("--n-folds", 2, "--n-repeats", 1, "--n-random", 3)


@pytest.mark.parametrize("verb", OPTIONS)
def test_earlier_names_stand_for_options_that_there_are_and_are_none_themselves(verb: str) -> None:
    names = {name for option in COMMANDS[verb].params for name in option.opts}
    for old, new in OPTIONS[verb].items():
        assert new in names, (verb, old)
        assert old not in names, (verb, old)
    assert not names & set(GONE.get(verb, {}))
    assert not set(VERBS) & set(COMMANDS)


@pytest.mark.parametrize(
    ("old", "new", "warnings"),
    [
        (
            ("score", "small.csv", "-b", "b00,b01", "--random", 5, *QUICK),
            ("rate", "small.csv", "--subset", "b00,b01", "--n-random", 5, *QUICK),
            ["'score' is now 'rate'", "-b is now --subset", "--random is now --n-random"],
        ),
        (
            ("sweep", "small.csv", "--k=7:8", "--scorer", "ridge", "--splits", 2),
            ("sweep", "small.csv", "--sizes", "7:8", *QUICK),
            ["--k is now --sizes", "--splits is now --n-splits"],
        ),
        (
            ("select", "small.csv", "--budget", "4", "-k", 2, "--no-baselines", *QUICK),
            ("select", "small.csv", "--budget", "4", "--max-size", 2, "--no-baselines", *QUICK),
            ["-k with --budget is now --max-size"],
        ),
        (
            ("pareto", "small.csv", "--targets", "all", *QUICK),
            ("pareto", "small.csv", *QUICK),
            ["--targets has no effect and will be an error"],
        ),
        (
            ("assess", "small.csv", "--benchmarks", "b00", *QUICK, *OUTER, "--splits", "random"),
            ("assess", "small.csv", "--subset", "b00", *QUICK, *OUTER, "--held-out", "random"),
            ["--benchmarks is now --subset", "--splits is now --held-out"],
        ),
        (
            ("assess", "small.csv", "--subset", "b00", "--scorer", "ridge", "--splits", 2, *OUTER),
            ("assess", "small.csv", "--subset", "b00", *QUICK, *OUTER),
            ["--splits is now --n-splits"],
        ),
        (
            ("describe", "small.csv", "-q"),
            ("describe", "small.csv"),
            ["-q has no effect and will be an error"],
        ),
    ],
)
def test_earlier_names_give_the_same_with_a_warning_each(
    run: Run, old: tuple[object, ...], new: tuple[object, ...], warnings: list[str]
) -> None:
    first, second = run(*old, "--json"), run(*new, "--json")
    assert first.stdout == second.stdout
    said = [line for line in first.stderr.splitlines() if line.startswith("eevee: warning: ")]
    assert said[: len(warnings)] == [f"eevee: warning: {warning}" for warning in warnings]
    assert "is now" not in second.stderr


def test_a_value_after_two_dashes_is_no_option(run: Run) -> None:
    done = run("describe", "--", "--splits", code=1)
    assert "is now" not in done.stderr
