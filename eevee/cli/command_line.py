"""What the user typed: kept in `config.json`, so that a run can be repeated and added to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any

LEFT_OUT = frozenset({"resume", "quiet", "as_json", "report", "verbose"})
"""What changes nothing in a run folder."""
ARGUMENTS, MORE = "arguments", "more"
_RUNNING: ContextVar[Any] = ContextVar("running", default=None)


@contextmanager
def running(context: Any) -> Iterator[None]:
    """Let `given_words` know the command that runs."""
    before = _RUNNING.set(context)
    try:
        yield
    finally:
        _RUNNING.reset(before)


def given_words() -> dict[str, Any]:
    """Return the words of the running command: its ``verb``, and by panel of `--help` the rest.

    Options at their defaults are left out. Outside of a command it is an empty dict.
    """
    context = _RUNNING.get()
    if context is None:
        return {}
    found: dict[str, Any] = {"verb": context.command.name}
    for option in context.command.params:
        source = context.get_parameter_source(option.name)
        if option.name in LEFT_OUT or source is None or source.name != "COMMANDLINE":
            continue
        is_argument = option.param_type_name == "argument"
        panel = getattr(option, "rich_help_panel", None) or MORE
        words = _words(option, context.params.get(option.name), is_argument=is_argument)
        found.setdefault(ARGUMENTS if is_argument else panel, []).extend(words)
    return found


def _words(option: Any, value: Any, *, is_argument: bool) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    texts = [_text(one) for one in values if one is not None]
    if is_argument:
        return texts
    name = next((one for one in option.opts if one.startswith("--")), option.opts[0])
    if option.is_flag:
        return [name if value else option.secondary_opts[0]]
    return [word for text in texts for word in (name, text)]


def _text(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return value.as_posix() if isinstance(value, Path) else str(value)
