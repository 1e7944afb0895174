"""Verbs and options by their earlier names: they work for one more version, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from eevee.cli.command import one_exit
from eevee.cli.command_line import running
from eevee.cli.panels import COST_OPTIONS
from eevee.cli.printing import say

Verb = TypeVar("Verb", bound=Callable[..., Any])

VERBS = {"score": "rate", "complete": "impute"}
"""Earlier name to name."""

_EVERYWHERE = {
    "--models": "--models-file",
    "--splits": "--n-splits",
    "--restarts": "--n-restarts",
    "--generations": "--n-generations",
    "--evaluations": "--n-evaluations",
}
_ONE_LIST = {"--benchmarks": "--subset", "-b": "--subset", "--tiers": "--tier-file"}
_ONE_FILE = {"--benchmarks": "--benchmarks-file"}
_OUTER = {"--folds": "--n-folds", "--repeats": "--n-repeats", "--random": "--n-random"}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "describe": _ONE_FILE,
    "rank": _ONE_FILE,
    "plot": {**_ONE_FILE, "--tiers": "--tier-file"},
    "select": _ONE_FILE,
    "sweep": {**_ONE_FILE, "--k": "--sizes", "-k": "--sizes"},
    "tiers": {**_ONE_FILE, "-k": "--max-size", "--k": "--max-size"},
    "pareto": _ONE_FILE,
    "ablate": _ONE_LIST,
    "rate": {**_ONE_LIST, "--random": "--n-random"},
    "assess": {
        **_ONE_LIST,
        **_OUTER,
        "--splits": "--held-out",
        "--objectives": "--compare-objectives",
    },
    "predict": {
        "--benchmarks": "--subset",
        "-b": "--subset",
        "--out": "--csv",
        "-o": "--csv",
        "--save": "--save-predictor",
    },
    "impute": {**_ONE_FILE, "--model": "--for-model"},
}
"""By verb, earlier name to name."""

NEW = frozenset({"plan", "run", "costs", "report"})
"""Verbs that never had other names, nor options with other names."""
ANY = "*"
_QUIET = {"-q": "", "--quiet": ""}
_COSTS = tuple(f"--{name}" for name in COST_OPTIONS)
GONE: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("describe", "plot", "impute"), _QUIET),
    "predict": {**_QUIET, **dict.fromkeys(_COSTS, ANY)},
    "pareto": {"--targets": "all"},
}
"""By verb, options that had no effect, with the only value that each took, or `ANY`."""


class Command(TyperCommand):
    """A verb that also takes its options by their earlier names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put today's names in place of earlier ones, and say so once for each."""
        return super().parse_args(ctx, _today(self.name or "", args))

    def invoke(self, ctx: Any) -> Any:
        """Run; what was typed can be asked for meanwhile."""
        with running(ctx):
            return super().invoke(ctx)


class Group(TyperGroup):
    """Verbs, also by their earlier names."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse, with the one exit of all faults."""
        with one_exit():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Parse what the verb is given, and run it, likewise."""
        with one_exit():
            return super().invoke(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb by its name or its earlier one."""
        if cmd_name in VERBS:
            warn(f"'{cmd_name}' is now '{VERBS[cmd_name]}'")
        return super().get_command(ctx, VERBS.get(cmd_name, cmd_name))


class App(typer.Typer):
    """The command line, whose verbs are `Command`s."""

    def command(self, *args: Any, **options: Any) -> Callable[[Verb], Verb]:
        """Register a verb."""
        return super().command(*args, cls=Command, **options)


def _today(verb: str, args: Sequence[str]) -> list[str]:
    if verb in NEW:
        return list(args)
    names = {**_EVERYWHERE, **OPTIONS.get(verb, {})}
    gone = GONE.get(verb, {})
    found: list[str] = []
    said: set[str] = set()
    rest = list(args)
    while rest:
        one = rest.pop(0)
        if one == "--":
            return [*found, one, *rest]
        name, equals, value = one.partition("=")
        given = value if equals else rest[0] if rest else ""
        if name in gone and gone[name] in ("", ANY, given):
            if gone[name] and rest and not equals:
                rest.pop(0)
            _say(said, name, f"{name} has no effect and will be an error")
            continue
        if name in names:
            new = "--n-splits" if name == "--splits" and given.isdecimal() else names[name]
            _say(said, name, f"{name} is now {new}")
            name = new
        found.append(f"{name}{equals}{value}")
    return found


def _say(said: set[str], name: str, what: str) -> None:
    if name not in said:
        said.add(name)
        warn(what)


def warn(what: str) -> None:
    """Say on standard error what is about to change."""
    say(f"eevee: warning: {what}")
